"""A child, seen by its parent: started, asked, and ended with everything below it."""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar, get_args

from bounds.errors import InputError
from proofs_checks.child_process import python_running
from proofs_checks.conformance.hosting.endings import LOST, was_killed
from proofs_checks.conformance.hosting.printed import PrintedText
from proofs_checks.conformance.hosting.within import WITHIN
from proofs_checks.conformance.play.calls import Call, Kind
from proofs_checks.conformance.play.errors import OUTSIDE, MechanismError, Misbehaviour
from proofs_checks.conformance.play.subject import TIME_LIMIT
from proofs_checks.conformance.play.time_limit import WHEN_IDLE

#: Gibibytes that a mechanism's processes may take together.
MEMORY_LIMIT = 4.0
#: What a limit must leave: a plain host takes a tenth.
LEAST_MEMORY = 0.5
#: For how long OpenBLAS's threads without work wait in a loop, as a power of two of the processor's ticks; by default
#: each keeps a core busy for some 50 ms. The order of a set is the same in every run.
_ENVIRONMENT = {WITHIN: "1", "OPENBLAS_THREAD_TIMEOUT": "4", "PYTHONHASHSEED": "0"}
#: A longer line is no reply.
_LONGEST = 1 << 24
#: Seconds, beside what a call that waits may take, after which a host that says nothing has lost its pipes.
_PATIENCE = 150.0
#: Milliseconds that `poll` takes at most.
_LONGEST_WAIT = (1 << 31) - 1
#: Seconds that an end may take.
_END_LIMIT = 10.0
_CHUNK = 1 << 16
_as_json = json.JSONEncoder(separators=(",", ":")).encode
_GARBAGE = "(or an earlier call) wrote into the pipe between the check and its process"
#: How many items a line has that says how a host ended.
_ENDED = 6
#: Kinds of errors that a host may tell of.
_KINDS: tuple[Any, ...] = (*get_args(Misbehaviour), OUTSIDE)
Read = TypeVar("Read")


@dataclass(frozen=True, kw_only=True)
class HostLimits:
    """What a mechanism may use: seconds per call, and gibibytes of all its processes together.

    Variables of its environment may be others than in this process.
    """

    time: float = TIME_LIMIT
    memory: float = MEMORY_LIMIT
    environment: Mapping[str, str] = field(default_factory=dict, compare=False)


class HostProcess:
    """One child, from its start to its end; it is started at once, and `load` waits until it is ready.

    Parameters
    ----------
    target : str
        ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT``.
    limits : HostLimits
    printed : PrintedText or None
        Takes what the mechanism prints.
    heard : callable
        Called, once a second at most, with the seconds that calls take.
    """

    def __init__(
        self, target: str, limits: HostLimits, printed: PrintedText | None, heard: Callable[[float], None]
    ) -> None:
        self._target, self._printed, self._heard = target, printed, heard
        self._patience = min(1000 * (_PATIENCE + WHEN_IDLE * limits.time), _LONGEST_WAIT)
        #: What is asked together with the next call.
        self._asked: list[tuple[Any, ...]] = []
        #: How many requests were sent.
        self._sent = 0
        self._received = bytearray()
        self._gone: MechanismError | None = None
        self._loaded = False
        asked, self._requests = os.pipe()
        self._replies, replied = os.pipe()
        options = ["-u", *(f"-W{option}" for option in sys.warnoptions)]
        self._process = subprocess.Popen(
            [
                *python_running(f"from {__package__}.child import main; main()", *options),
                json.dumps({"time": limits.time, "memory": limits.memory}),
            ],
            stdin=asked,
            stdout=replied,
            stderr=subprocess.DEVNULL if printed is None else printed.descriptor,
            start_new_session=True,
            env={**_ENVIRONMENT, **os.environ, **limits.environment},
        )
        os.close(asked)
        os.close(replied)
        self._waiting = select.poll()
        for descriptor in [self._replies] if printed is None else [self._replies, printed.received]:
            self._waiting.register(descriptor, select.POLLIN)
        self._send([(0, "load", target, limits.time)])

    @property
    def usable(self) -> bool:
        """Whether it still answers."""
        return self._gone is None

    def load(self) -> None:
        """Wait until the mechanism is imported.

        Raises
        ------
        InputError
            It cannot be.
        """
        if self._loaded:
            return
        self._loaded = True
        try:
            self._reply()
        except MechanismError as error:
            rule = f"fails when it is imported: it {error.message.removeprefix(f'{Call(Kind.IMPORT)} ')}"
            remedy = "it must run by itself when it is imported"
            if was_killed(error.message):
                remedy = "perhaps the machine's memory ran out"
            raise InputError("factory", self._target, rule, remedy) from error

    def ask(self, instance: int, asked: str, *arguments: Any) -> None:
        """Ask an instance, or 0 for the host itself, together with the next call; an error comes with that."""
        self._asked.append((instance, asked, *arguments))

    def call(self, read: Callable[[Any], Read], instance: int, asked: str, *arguments: Any) -> Read:
        """Ask, and return the reply as a function reads it: it comes from somebody's process, and may be anything.

        Raises
        ------
        MechanismError
            The mechanism misbehaved, in this call or in what was asked before it.
        """
        if self._gone is not None:
            raise self._gone
        before, self._asked = self._asked, []  # to this more may be added at any time, when garbage is collected
        self._send([*before, (instance, asked, *arguments)])
        said = self._reply()
        try:
            return read(said)
        except (TypeError, ValueError, OverflowError):
            self._refuse()

    def _send(self, asked: list[tuple[Any, ...]]) -> None:
        self._sent += 1
        line = _as_json(asked).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._requests, line) :]
        except OSError:  # the host is gone: what it said last is still to be read
            return

    def _reply(self) -> Any:
        while True:
            match self._said():
                case ["answered", value]:
                    return value
                case ["failed", kind, str(message), request, answers] if kind in _KINDS:
                    raise MechanismError(kind, message, answers if request == self._sent else ())
                case ["refused", *said]:
                    raise InputError(*map(str, said))
                case ["pace", float(seconds)] if math.isfinite(seconds):
                    self._heard(seconds)
                case ["ended", kind, str(call), str(what), request, answers] if kind in _KINDS:
                    self._end_with(MechanismError(kind, f"{call} {what}"))
                    # A host that ends before it has read a request leaves the answers to the one before.
                    raise MechanismError(kind, f"{call} {what}", answers if request == self._sent else ())
                case _:
                    self._refuse()

    def _refuse(self) -> NoReturn:
        """End the host: what came from it is not what it says."""
        os.close(self._requests)  # the supervisor ends the host, and says at which call
        self._requests = -1
        while len(said := self._said()) != _ENDED or said[0] != "ended":
            pass
        self._end_with(error := MechanismError("broke its host", f"{said[2]} {_GARBAGE}"))
        raise error

    def _said(self) -> list[Any]:
        """Return what the next line says; an empty list if it cannot be read."""
        while not (line := self._line()):
            pass
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            return []
        return said if isinstance(said, list) else []

    def _line(self) -> bytearray:
        end = self._received.find(b"\n")
        while end < 0 and len(self._received) <= _LONGEST:
            ready = dict(self._waiting.poll(self._patience))
            if self._printed is not None and self._printed.received in ready:
                self._printed.take()
            if self._replies in ready or not ready:
                chunk = os.read(self._replies, _CHUNK) if ready else b""
                if not chunk:
                    self._end_with(error := MechanismError("broke its host", LOST))
                    raise error
                self._received += chunk
                end = self._received.find(b"\n", len(self._received) - len(chunk))
        line, self._received = self._received[:end], self._received[end + 1 :] if end >= 0 else bytearray()
        return line

    def _end_with(self, error: MechanismError) -> None:
        self._gone = error
        if self._requests >= 0:
            os.close(self._requests)
        os.close(self._replies)
        try:
            self._process.wait(_END_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def end(self) -> None:
        """Kill it and everything below it, and wait until that is done."""
        if self._gone is None:
            self._end_with(MechanismError("ended its process", "the process of the mechanism was ended"))

"""A host, seen by its parent: started, asked, watched, and ended with everything below it.

What the parent holds against a host, none of which the mechanism can talk its way out of:

- time: a call that lasts longer than the limit. The host's own stopwatch speaks first; the parent allows a second more,
  and then kills. Time on the wall counts where the host works for at least half of it, as for the stopwatch.
- memory: the resident sets of the host and of all processes below it.
- how many processes and threads there are below it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, NoReturn, TypeVar

import psutil

from bounds.errors import InputError
from proofs_checks.child_process import python_running
from proofs_checks.conformance.hosting import black_box, frames, keeper
from proofs_checks.conformance.hosting.black_box import BlackBox, Leaving
from proofs_checks.conformance.hosting.frames import Frame, GarbledError, Reply, Request
from proofs_checks.conformance.hosting.within import WITHIN
from proofs_checks.conformance.play.any_subject import Answer
from proofs_checks.conformance.play.calls import Call, Kind
from proofs_checks.conformance.play.subject import TIME_LIMIT, MechanismError, Misbehaviour
from proofs_checks.conformance.play.time_limit import WHEN_IDLE, too_long

#: Gibibytes that a mechanism's processes may take together.
MEMORY_LIMIT = 4.0
#: What a limit must leave: a plain host takes a tenth.
LEAST_MEMORY = 0.5
#: Processes that a mechanism may have below its own.
PROCESS_LIMIT = 64
#: Threads that its processes may have together, beside four per core, which numerical libraries start.
THREAD_LIMIT = 512
#: Seconds between two looks at a host, and the share of all time that looking may take.
_PERIOD, _SHARE = 0.25, 0.02
#: The same in milliseconds, for who waits.
_WAIT = 250
#: Seconds that the host's own stopwatch has to speak first, and that a host may owe an answer though no call is made.
_GRACE, _SILENCE = 1.0, 5.0
#: Seconds that an import may take, that an exit code may come late, and that a keeper may take to end everything.
_IMPORT_LIMIT, _LATE, _END_LIMIT = 120.0, 2.0, 10.0
_CHUNK = 1 << 16
Said = TypeVar("Said")
_GIBIBYTE = 1 << 30


@dataclass(frozen=True, kw_only=True)
class HostLimits:
    """What a mechanism may use: seconds per call, gibibytes, processes and threads of all its processes together."""

    time: float = TIME_LIMIT
    memory: float = MEMORY_LIMIT
    processes: int = PROCESS_LIMIT
    threads: int = THREAD_LIMIT + 4 * (os.cpu_count() or 1)


class HostProcess:
    """One host, from its start to its end; it is started at once, and `load` waits until it is ready.

    Parameters
    ----------
    target : str
        ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT``.
    limits : HostLimits
    printed : int
        The descriptor that takes what the mechanism prints.
    heard : callable
        Told, some times a second while the host is waited for, how many seconds its calls take.
    """

    def __init__(self, target: str, limits: HostLimits, printed: int, heard: Callable[[float], None]) -> None:
        self._target, self._limits, self._heard = target, limits, heard
        self._printed = printed
        self._mark = uuid.uuid4().hex
        self._sequence, self._out = 0, b""
        self._received, self._frames = b"", list[Frame]()
        #: Of instances whose replies are waited for later: those that have come.
        self._kept: dict[int, list[Frame]] = {}
        #: Instances that are gone, each with a request whose reply nobody has waited for, or None.
        self._left: list[tuple[int, int | None]] = []
        self._pid: int | None = None
        self._exit: int | None = None
        self._forsaken = False  # its keeper is gone
        self._gone: MechanismError | None = None
        self._due = monotonic() + _PERIOD
        self._silent_calls, self._silent_since, self._worked_before, self._stopped = -1, 0.0, 0.0, 0
        self._start()
        content = frames.data({"target": target, "time_limit": limits.time})
        self._loading: int | None = self.ask(Request.LOAD, content=content)
        self.flush()

    def _start(self) -> None:
        asked, self._requests = os.pipe()
        self._replies, replied = os.pipe()
        held, self._control = os.pipe()
        self._status, told = os.pipe()
        with tempfile.TemporaryFile() as file:
            file.truncate(black_box.SIZE)
            self._box = BlackBox(file.fileno())
            kept = (asked, replied, file.fileno())
            host = [*_python("start"), *map(str, kept)]
            self._keeper = subprocess.Popen(
                [*_python("keeper"), str(held), str(told), ",".join(map(str, kept)), *host],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._printed,
                pass_fds=(held, told, *kept),
                start_new_session=True,
                env={**os.environ, WITHIN: self._mark},
            )
        for descriptor in (asked, replied, held, told):
            os.close(descriptor)
        self._waiting = select.poll()
        self._waiting.register(self._replies, select.POLLIN)
        self._waiting.register(self._status, select.POLLIN)

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
        if self._loading is None:
            return
        loading, self._loading = self._loading, None
        try:
            self._reply_to(loading, frames.plain)
        except MechanismError as error:
            rule = f"fails when it is imported: it {error.message.removeprefix(f'{Call(Kind.IMPORT)} ')}"
            remedy = "it must run by itself when it is imported"
            if KILLED in error.message:
                remedy = "perhaps the machine's memory ran out"
            raise InputError("factory", self._target, rule, remedy) from error

    def ask(self, kind: Request, instance: int = 0, content: bytes = b"") -> int:
        """Put a request beside those that are sent next, and return its number."""
        self._sequence += 1
        self._out += frames.packed(self._sequence, kind, instance, content)
        return self._sequence

    def ask_pair(self, kind: Request, instance: int, score: float, bid: float) -> int:
        """Put a request with one settlement beside those that are sent next, and return its number."""
        self._sequence += 1
        self._out += frames.packed_pair(self._sequence, kind, instance, score, bid)
        return self._sequence

    def flush(self) -> None:
        """Send what was put together.

        Raises
        ------
        MechanismError
            The host is gone.
        """
        if self._gone is not None:
            raise self._gone
        out, self._out = self._out, b""
        try:
            while out:
                out = out[os.write(self._requests, out) :]
        except OSError:
            self._died()

    def keep_for(self, instance: int) -> None:
        """Keep the replies to an instance, whatever is waited for meanwhile, until it is `heard_from`.

        What is asked of several instances before the first is waited for must stay below what a pipe holds.
        """
        self._kept[instance] = []

    def heard_from(self, instance: int) -> None:
        """Take note that the replies that were kept for an instance were waited for."""
        del self._kept[instance]

    def leave(self, instance: int, number: int | None) -> None:
        """Take note that an instance is gone; with the number of a request, if nobody has waited for its reply."""
        # No more than that: this may be called in the midst of everything else, when garbage is collected.
        self._left.append((instance, number))

    def drop_left(self) -> None:
        """Let the host forget the instances that are gone.

        What nobody has waited for is waited for, lest what comes of it be taken for what is asked next.
        """
        while self._left and self._gone is None:
            instance, number = self._left.pop(0)
            if number is not None:
                with contextlib.suppress(MechanismError):
                    self.reply(number, bytes, instance)
                self.heard_from(instance)
            self.ask(Request.DROP, instance)

    def answer(self, number: int, instance: int) -> Answer:
        """Send what was put together, and return the answer to a request; the short way of `reply`, taken most often.

        Raises
        ------
        MechanismError
            The mechanism misbehaved.
        """
        if self._out:
            self.flush()
        if (
            not self._frames
            and not self._received
            and not self._kept
            and self._gone is None
            and monotonic() < self._due
        ):
            ready = self._waiting.poll(_WAIT)
            if len(ready) == 1 and ready[0][0] == self._replies:
                received = os.read(self._replies, _CHUNK)
                if (answer := frames.one_answer(received, number)) is not None:
                    return answer
                if not received:
                    self._died()
                self._received = received
        [answer] = self._reply_to(number, frames.answered, instance)
        return answer

    def reply(self, number: int, read: Callable[[bytes], Said], instance: int = 0) -> Said:
        """Send what was put together, and return what was replied to a request, as a function of `frames` reads it.

        `instance` is which of the host's mechanisms it was about.

        Raises
        ------
        MechanismError
            The mechanism misbehaved, in this call or in one before it.
        """
        self.flush()
        return self._reply_to(number, read, instance)

    def _reply_to(self, number: int, read: Callable[[bytes], Said], instance: int = 0) -> Said:
        kept = self._kept.get(instance, [])
        try:
            while True:
                if self._gone is not None and not kept:
                    raise self._gone
                frame = kept.pop(0) if kept else self._frames.pop(0) if self._frames else self._next_frame()
                if frame.instance != instance and frame.instance in self._kept:
                    self._kept[frame.instance].append(frame)
                    continue
                if frame.sequence == number & 0xFFFF_FFFF and frame.kind <= Reply.DATA:
                    return read(frame.content)
                self._refuse(frame, number)
        except (GarbledError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            self.refuse_garbage()

    def refuse_garbage(self) -> NoReturn:
        """End the host: what came from it is not what it says.

        Raises
        ------
        MechanismError
            Always.
        """
        # A scenario is played on until this process reads what was written.
        what = "(or a call shortly before it) wrote into the pipe between the check and its process"
        self._fail("broke its host", what)

    def refuse_settlements(self) -> NoReturn:
        """End the host: it handed over other scores and bids than the scenario has.

        Raises
        ------
        MechanismError
            Always.
        """
        self._fail("broke its host", "changed what Python rests on: its process computes otherwise than this one")

    def answers_so_far(self, number: int) -> list[Answer]:
        """Return the answers to a request that has failed, as far as they are known."""
        return self._box.answers(number & 0xFFFF_FFFF)

    def _refuse(self, frame: Frame, number: int) -> None:
        """Raise what a reply to another request says; leave out answers that nobody waits for any more."""
        if frame.kind == Reply.BAD_INPUT:
            raise InputError(*map(str, frames.plain(frame.content)))
        if frame.kind in (Reply.MISBEHAVED, Reply.FORKED):
            kind, message = frames.plain(frame.content)
            error = MechanismError(kind, str(message))
            if frame.kind == Reply.FORKED or kind == "broke its host":
                self._end_with(error)
            raise error
        if frame.kind not in (Reply.ANSWERS, Reply.DATA) or frame.sequence > number:
            raise GarbledError

    def _next_frame(self) -> Frame:
        """Wait for bytes from the host, and look at it now and then."""
        self._split()
        while not self._frames:
            if monotonic() >= self._due:
                self._look()
            ready = [descriptor for descriptor, _ in self._waiting.poll(_WAIT)]
            if self._replies in ready:
                chunk = os.read(self._replies, _CHUNK)
                if not chunk:
                    self._died()
                self._received += chunk
                self._split()
            elif ready:
                self._hear_from_keeper()
                if self._exit is not None or self._forsaken:
                    self._died()
            else:
                self._look_after_silence()
        return self._frames.pop(0)

    def _split(self) -> None:
        """Take the frames out of what was received."""
        if self._received:
            self._frames, self._received = frames.split(self._received)

    def _look(self) -> None:
        """Compare what the mechanism's processes use with the limits."""
        began = monotonic()
        if (pace := self._box.read().pace) > 0:
            self._heard(pace)
        family = self._family()
        limits = self._limits
        if len(family) - 1 > limits.processes:
            self._fail("too many processes", f"left more than {limits.processes} processes running")
        if sum(threads for _, threads in family) > limits.threads:
            self._fail("too many processes", f"left more than {limits.threads} threads running")
        if sum(rss for rss, _ in family) > limits.memory * _GIBIBYTE:
            self._fail("too much memory", f"took more than {limits.memory:g} GiB of memory")
        now = monotonic()
        self._due = now + max(_PERIOD, (now - began) / _SHARE)

    def _family(self) -> list[tuple[int, int]]:
        """Return resident bytes and threads of the host and of each process below it."""
        found = []
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(self._keeper.pid).children(recursive=True):
                with contextlib.suppress(psutil.Error), process.oneshot():
                    found.append((process.memory_info().rss, process.num_threads()))
        return found

    def _look_after_silence(self) -> None:
        """Fail a call that takes too long, and a host that will never answer."""
        noted, now = self._box.read(), monotonic()
        process = self._host()
        if noted.calls != self._silent_calls or process is None:
            self._silent_calls, self._silent_since = noted.calls, now
            self._worked_before, self._stopped = _worked(process), 0
            return
        elapsed, limit = now - self._silent_since, self._limits.time
        if noted.call.kind in (Kind.IMPORT, Kind.NOTHING):
            if elapsed > max(_IMPORT_LIMIT, limit):
                self._fail("too slow", f"took more than {max(_IMPORT_LIMIT, limit):g} s")
            return
        self._stopped = self._stopped + 1 if _is_stopped(process) else 0
        if self._stopped > 1:
            self._fail("broke its host", "stopped its process (SIGSTOP)")
        if not noted.within and elapsed > _SILENCE:
            self._fail("broke its host", _CUT_OFF)
        worked = _worked(process) - self._worked_before
        busy = worked > elapsed / 2
        if noted.within and elapsed > (limit if busy else WHEN_IDLE * limit) + _GRACE:
            self._fail("too slow", too_long(limit, worked, elapsed))

    def _host(self) -> psutil.Process | None:
        if self._pid is None:
            self._hear_from_keeper(wait=0.0)
        with contextlib.suppress(psutil.Error):
            return None if self._pid is None else psutil.Process(self._pid)
        return None

    def _hear_from_keeper(self, wait: float = _LATE) -> None:
        """Take what the keeper tells: the host's process id, how it ended, or nothing because the keeper is gone."""
        if not select.select([self._status], [], [], wait)[0]:
            return
        told = os.read(self._status, 16 * keeper.STATUS.size)
        self._forsaken = not told
        for what, number in keeper.STATUS.iter_unpack(told[: len(told) // keeper.STATUS.size * keeper.STATUS.size]):
            if what == keeper.STARTED:
                self._pid = number
            else:
                self._exit = number

    def _died(self) -> NoReturn:
        """Say how the host ended, once it does not answer any more."""
        until = monotonic() + _LATE
        while self._exit is None and not self._forsaken and (left := until - monotonic()) > 0:
            self._hear_from_keeper(left)
        leaving = self._box.read().leaving
        if leaving == Leaving.BROKEN:
            self._fail("broke its host", "changed what Python rests on: its process could not go on")
        if leaving == Leaving.CUT_OFF or (self._exit is None and not self._forsaken):
            self._fail("broke its host", _CUT_OFF)
        if self._exit is None:
            # The keeper dies beside the host, not within its call: calls may be answered until then.
            self._fail("broke its host", "(or a call shortly before it) ended the process that watches over its own")
        if self._exit == -signal.SIGKILL:
            self._fail("ended its process", KILLED)
        self._fail("ended its process", f"ended its process ({_how_ended(self._exit)})")

    def _fail(self, kind: Misbehaviour, what: str) -> NoReturn:
        error = MechanismError(kind, f"{self._box.read().call} {what}")
        self._end_with(error)
        raise error

    def _end_with(self, error: MechanismError) -> None:
        self._gone = error
        self._end()

    def end(self) -> None:
        """Kill it and everything below it, and wait until that is done."""
        if self._gone is None:
            self._end_with(MechanismError("ended its process", "the process of the mechanism was ended"))

    def _end(self) -> None:
        os.close(self._control)
        try:
            kept = self._keeper.wait(_END_LIMIT) == 0
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
            kept = False
        if not kept:
            _end_marked(self._mark)
        for descriptor in (self._requests, self._replies, self._status):
            os.close(descriptor)


#: The mechanism may have done it; so does the system where memory runs out.
KILLED = "lost its process, which was killed by signal 9 (SIGKILL)"
_CUT_OFF = "closed, redirected or read descriptors that are not its own"


def _python(module: str) -> list[str]:
    """Return the command that runs a module beside this one."""
    options = ["-u", *(f"-W{option}" for option in sys.warnoptions)]
    return python_running(f"from {__package__}.{module} import main; main()", *options)


def _worked(process: psutil.Process | None) -> float:
    """Return the seconds of processor time that a process has had."""
    with contextlib.suppress(psutil.Error):
        if process is not None:
            times = process.cpu_times()
            return float(times.user + times.system)
    return 0.0


def _is_stopped(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_STOPPED)
    return False


def _how_ended(code: int) -> str:
    """Return how a process ended, in words.

    Examples
    --------
    >>> _how_ended(0), _how_ended(-15)
    ('exit code 0', 'signal SIGTERM')
    """
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"


def _end_marked(mark: str) -> None:
    """Kill whatever carries a host's mark in its environment: its keeper is not there to do it."""
    for process in _marked(mark):
        with contextlib.suppress(psutil.Error):
            process.kill()


def _marked(mark: str) -> Iterator[Any]:
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(WITHIN) == mark:
                yield process

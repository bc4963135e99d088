"""The program of a host: a process of its own in which somebody's mechanism runs.

``python -c "... main()" REQUESTS REPLIES BOX`` with three descriptors. It imports the mechanism, answers the requests
of `frames` with what the in-process `Subject` says, and notes every call in its black box before it makes it.

What the host itself uses is bound here, before the mechanism is imported and can replace it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from contextlib import AbstractContextManager
from dataclasses import astuple
from functools import lru_cache
from os import _exit, fstat, getpid, read, register_at_fork, write
from typing import NamedTuple

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, arrivals
from proofs_checks.conformance.hosting import frames
from proofs_checks.conformance.hosting.black_box import BlackBox, Leaving
from proofs_checks.conformance.hosting.death import end_with_parent
from proofs_checks.conformance.hosting.frames import Frame, GarbledError, Reply, Request, packed_answer, split
from proofs_checks.conformance.hosting.shared_names import SharedNames, named
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.play.any_subject import Answer, Saved, Settlement
from proofs_checks.conformance.play.calls import Call, Kind
from proofs_checks.conformance.play.heard_warnings import hear_warnings
from proofs_checks.conformance.play.late_feedback import LateFeedback, oracle_beside
from proofs_checks.conformance.play.scenario import Providers
from proofs_checks.conformance.play.subject import GuardedMechanism, MechanismError, Subject, other_global_randomness
from proofs_checks.conformance.play.time_limit import Stopwatch

#: Exit code where the host leaves by itself; the black box says why.
_LEFT = 82
_CHUNK = 1 << 16
#: Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_ASSIGN, _SETTLE, _PROCEED = int(Request.ASSIGN), int(Request.SETTLE), int(Request.PROCEED)
_ASSIGNING, _SETTLING = int(Kind.ASSIGN), int(Kind.SETTLE)


def main() -> None:
    """Answer requests until the parent is gone."""
    requests, replies, box = (int(text) for text in sys.argv[1:4])
    end_with_parent()
    _first_victim()
    # Whatever whoever started the command made of them, as nohup does.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    # Private descriptors; what the mechanism prints goes to stderr, and it has nothing to read.
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    for descriptor in (requests, replies, box):
        os.set_inheritable(descriptor, False)
    host = _Host(requests, replies, BlackBox(box))
    os.close(box)
    host.serve()


def _first_victim() -> None:
    """Let Linux end this process rather than another one where memory runs out."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _leads_to(descriptor: int) -> tuple[int, int]:
    """Return what a descriptor leads to."""
    found = fstat(descriptor)
    return found.st_dev, found.st_ino


class _Start(NamedTuple):
    """What an instance is started with, beside its seed."""

    config: MechanismConfig
    law: DelayLaw | None
    #: The seed of its generator, another one where it takes back a state; None for its own.
    generator: int | None
    since: Saved | None


@lru_cache(maxsize=64)
def _started(details: bytes) -> _Start:
    """Return what a request to start says; many instances are started alike."""
    asked = frames.plain(details)
    law = None if asked["in_flight"] is None else DelayLaw(**asked["in_flight"])
    since = asked.get("since")
    return _Start(
        MechanismConfig(**asked["config"]), law, asked.get("generator"), None if since is None else Saved(*since)
    )


class _Host:
    """One mechanism's factory, and its instances by number."""

    def __init__(self, requests: int, replies: int, box: BlackBox) -> None:
        self._requests, self._replies, self._box = requests, replies, box
        self._process, self._pipes = getpid(), (_leads_to(requests), _leads_to(replies))
        #: Whether a fork within the mechanism has made this process. C code can fork without Python's notice: once a
        #: request, and at every step of a scenario, the system is asked for the process number, too.
        self._is_copy = False
        register_at_fork(after_in_child=self._note_copy)
        self._expected, self._out = 1, bytearray()
        self._subject: Subject | None = None
        self._instances: dict[int, GuardedMechanism | LateFeedback] = {}
        #: Of each instance: its seed, and what else it was started with.
        self._started: dict[int, tuple[int, _Start]] = {}
        self._names, self._warned = SharedNames(), dict[str, None]()
        self._stirred: AbstractContextManager[None] = contextlib.nullcontext()
        self._stopwatch = Stopwatch(1.0)
        self._watching: AbstractContextManager[None] = contextlib.nullcontext()

    def serve(self) -> None:
        """Answer until there is nobody who asks."""
        box = self._box
        try:
            self._serve()
        except (OSError, GarbledError):  # the pipes are closed, or somebody has read what was for us
            box.leave(Leaving.CUT_OFF)
        except BaseException:  # noqa: BLE001 - what the host rests on was changed
            box.leave(Leaving.BROKEN)
        _exit(_LEFT)

    def _note_copy(self) -> None:
        self._is_copy = True

    def _serve(self) -> None:
        pending = b""
        while chunk := read(self._requests, _CHUNK):
            requests, pending = split(pending + chunk)
            for request in requests:
                self._answer(request)
            self._box.rest()
            self._send()
        raise GarbledError  # the parent is gone, or somebody else is where it was

    def _answer(self, request: Frame) -> None:
        if request.sequence != self._expected & 0xFFFF_FFFF:
            raise GarbledError
        self._expected += 1
        try:
            self._do(request)
        except MechanismError as error:
            self._forget(request.instance)
            self._leave_a_copy(request)
            self._reply(request, Reply.MISBEHAVED, frames.data([error.kind, f"{error.message}{self._excuse()}"]))
        except InputError as error:
            said = [error.argument, f"{error.value}", error.rule, error.remedy]
            self._reply(request, Reply.BAD_INPUT, frames.data(said))
        self._leave_a_copy(request)

    def _forget(self, instance: int) -> None:
        self._instances.pop(instance, None)
        self._started.pop(instance, None)

    def _excuse(self) -> str:
        """Return what else the mechanism did that may explain its misbehaviour."""
        replaced = self._names.replaced()
        return f"; it has replaced {named(replaced)}" if replaced else ""

    def _do(self, request: Frame) -> None:
        kind = request.kind
        if (mechanism := self._instances.get(request.instance)) is not None and kind != Request.DROP:
            self._ask(mechanism, request)
        elif kind == Request.LOAD:
            self._load(request)
        elif kind == Request.START:
            self._start(request)
        elif kind == Request.DROP:
            self._box.enter(Kind.UPKEEP)
            self._forget(request.instance)
            if getpid() != self._process:
                self._leave(request, Call(Kind.UPKEEP))
        elif kind == Request.STIR:
            self._stirred = other_global_randomness()
            self._stirred.__enter__()
        elif kind == Request.RESTORE:
            self._stirred.__exit__(None, None, None)
        elif kind == Request.FINISH:
            self._reply(request, Reply.DATA, frames.data(None))
        elif kind == Request.AFTERMATH:
            left = [list(self._warned), named(self._names.replaced())]
            self._warned.clear()
            self._reply(request, Reply.DATA, frames.data(left))
        # What is left was asked of an instance that has misbehaved, in the same breath: it has no answer.

    def _ask(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        kind = request.kind
        if kind in (_SETTLE, _PROCEED):
            score, bid = frames.settled(request.content)
            self._settle(mechanism, request, score, bid)
        if kind in (_PROCEED, _ASSIGN):
            answer = self._assign(mechanism, request)
            self._out += packed_answer(request.sequence, request.instance, answer)
        elif kind in (Request.REPLAY, Request.REPLAY_ON):
            self._replay(mechanism, request)
        elif kind == Request.SERVE:
            self._serve_all(mechanism, request)
        elif kind == Request.PLAY:
            self._play(mechanism, request)
        elif kind == Request.CHANGE:
            self._box.enter(Kind.UPKEEP)
            self._reply(request, Reply.DATA, frames.data(mechanism.configuration_change()))
        elif kind == Request.RESTARTABLE:
            self._box.enter(Kind.UPKEEP)
            self._reply(request, Reply.DATA, frames.data(mechanism.restartable()))
        elif kind == Request.RESTART:
            self._restart(mechanism, request)
        elif kind == Request.SAVE:
            self._save(mechanism, request)

    def _restart(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        self._box.enter(Kind.STATE, mechanism.step)
        mechanism.restart(frames.plain(request.content))
        if getpid() != self._process:
            self._leave(request, Call(Kind.RESTORE, mechanism.step))
        self._reply(request, Reply.DATA, frames.data(None))

    def _save(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        self._box.enter(Kind.STATE, mechanism.step)
        saved = mechanism.saved()
        if getpid() != self._process:
            self._leave(request, Call(Kind.STATE, mechanism.step))
        self._reply(request, Reply.DATA, frames.data(astuple(saved)))

    def _assign(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> Answer:
        self._box.enter(_ASSIGNING, mechanism.step)
        answer = mechanism.assign()
        if self._is_copy:
            self._leave(request, Call(Kind.ASSIGN, mechanism.step))
        return answer

    def _settle(self, mechanism: GuardedMechanism | LateFeedback, request: Frame, score: float, bid: float) -> None:
        self._box.enter(_SETTLING, mechanism.step, score, bid)
        mechanism.settle(score, bid)
        if self._is_copy:
            self._leave(request, Call(Kind.SETTLE, mechanism.step - 1, score, bid))

    def _replay(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        """Play a part of a history; its answers go out together, and the black box knows where it is."""
        answers = []
        for score, bid in frames.all_settled(request.content):
            answers.append(self._assign(mechanism, request))
            self._settle(mechanism, request, score, bid)
        if request.kind == Request.REPLAY_ON:
            answers.append(self._assign(mechanism, request))
        self._reply(request, Reply.ANSWERS, frames.answers(answers))

    def _serve_all(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        """Play some steps, each settled with the next of what its provider yields; the black box has the answers."""
        steps, left = frames.served(request.content)
        answers: list[Answer] = []
        self._box.expect(request.sequence)
        for _ in range(steps):
            answer = self._assign(mechanism, request)
            self._box.answer(*answer)
            answers.append(answer)
            self._settle(mechanism, request, *next(left[answer[0]]))
        self._reply(request, Reply.ANSWERS, frames.answers(answers))

    def _play(self, mechanism: GuardedMechanism | LateFeedback, request: Frame) -> None:
        """Play a scenario; the answers go out together, and until then the black box has them."""
        seed, start = self._started[request.instance]
        scenario = frames.scenario(request.content, start.config, seed)
        providers = Providers(scenario)
        oracle = oracle_beside(start.config, seed, start.law) if scenario.follows_rules else None
        played: list[tuple[Answer, Settlement]] = []
        self._box.expect(request.sequence)
        for _ in range(scenario.horizon):
            answer = self._assign(mechanism, request)
            self._box.answer(*answer)
            self._check_process(request, _ASSIGNING, mechanism.step)
            score, _, bid = providers.serve(answer[0], oracle)
            played.append((answer, (score, bid)))
            self._settle(mechanism, request, score, bid)
            self._check_process(request, _SETTLING, mechanism.step - 1, score, bid)
            if oracle is not None:
                oracle.settle(answer[0], score, bid)
        self._reply(request, Reply.ANSWERS, frames.steps(played))

    def _check_process(self, request: Frame, kind: int, step: int, score: float = 0.0, bid: float = 0.0) -> None:
        """Leave at the call that forked, or that closed or redirected a pipe: the next reply is many calls later."""
        if getpid() != self._process:
            self._leave(request, Call(Kind(kind), step, score, bid))
        if (_leads_to(self._requests), _leads_to(self._replies)) != self._pipes:
            raise GarbledError

    def _load(self, request: Frame) -> None:
        asked = frames.plain(request.content)
        self._stopwatch = Stopwatch(asked["time_limit"], self._box.pace)
        self._box.enter(Kind.IMPORT)
        factory = load_factory(asked["target"])
        self._subject = Subject(factory, asked["target"], self._stopwatch, alone=True)
        if getpid() != self._process:
            self._leave(request, Call(Kind.IMPORT))
        hear_warnings(self._warned)
        self._watching = self._stopwatch.watching()
        self._watching.__enter__()
        self._reply(request, Reply.DATA, frames.data(None))

    def _start(self, request: Frame) -> None:
        if self._subject is None:
            raise GarbledError
        seed, details = frames.started(request.content)
        start = _started(details)
        self._box.enter(Kind.FACTORY)
        made = self._subject.made(start.config, seed if start.generator is None else start.generator)
        law = start.law
        self._instances[request.instance] = made if law is None else self._late(made, law, seed, start.since)
        self._started[request.instance] = seed, start
        if getpid() != self._process:
            self._leave(request, Call(Kind.FACTORY))

    def _late(self, made: GuardedMechanism, law: DelayLaw, seed: int, since: Saved | None) -> LateFeedback:
        """Return a mechanism that hears of scores and bids as late as a law says."""
        return LateFeedback(made, arrivals(law, seed), self._box.enter, since)

    def _leave_a_copy(self, request: Frame) -> None:
        """Leave if a fork has made this process, whatever call of the request it was within."""
        if getpid() != self._process:
            self._leave(request, self._box.read().call)

    def _leave(self, request: Frame, call: Call) -> None:
        """Leave, after saying so, in a copy of this process that a fork within the mechanism has made."""
        message = f"{call} returned twice: the mechanism forked, and both processes went on"
        self._out.clear()  # what was to be sent is the other's to send
        self._reply(request, Reply.FORKED, frames.data(["returned twice", message]))
        self._send()
        _exit(0)

    def _reply(self, request: Frame, kind: Reply, content: bytes) -> None:
        self._out += frames.packed(request.sequence, kind, request.instance, content)

    def _send(self) -> None:
        while self._out:
            del self._out[: write(self._replies, self._out)]

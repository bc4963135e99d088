"""A mechanism under test in a process of its own: the parent's side, with the interface of the in-process subject."""

from __future__ import annotations

import contextlib
import functools
import math
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple
from types import TracebackType
from typing import Any

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.hosting import frames
from proofs_checks.conformance.hosting.black_box import MOST_ANSWERS
from proofs_checks.conformance.hosting.frames import GarbledError, Request
from proofs_checks.conformance.hosting.host_process import KILLED, HostLimits, HostProcess
from proofs_checks.conformance.hosting.printed import Printed
from proofs_checks.conformance.play.any_subject import Aftermath, Answer, Later, Played, Saved, Settlement, Settling
from proofs_checks.conformance.play.domain import EVERYTHING, Domain
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import MechanismError

#: Steps that are replayed at a time: a request that fits into any pipe.
_AT_A_TIME = 200


class HostedSubject:
    """A factory that is imported and played in a host; a host that is gone is replaced when it is next needed.

    The first host is started at once. To be used as a context manager: at its end no process is left.

    Parameters
    ----------
    target : str
        ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT``.
    name : str, optional
        As reports call it; by default the target.
    limits : HostLimits, optional
    quiet : bool, optional
        Whether nothing is shown of what the mechanism prints; by default the beginning goes to stderr.
    """

    def __init__(
        self, target: str, *, name: str | None = None, limits: HostLimits | None = None, quiet: bool = False
    ) -> None:
        self.name, self._target = name or target, target
        self._limits = limits or HostLimits()
        #: Told some times a second, while the mechanism is waited for, how many seconds its calls take.
        self.heard: Callable[[float], None] = lambda seconds: None
        self._printed = None if quiet else Printed()
        self._instances = 0
        self._last: HostedMechanism | None = None
        self._loaded = False
        self._host: HostProcess | None = self._new_host()

    def _new_host(self) -> HostProcess:
        printed = subprocess.DEVNULL if self._printed is None else self._printed.descriptor
        return HostProcess(self._target, self._limits, printed, lambda seconds: self.heard(seconds))

    def __enter__(self) -> HostedSubject:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.renew()
        if self._printed is not None:
            self._printed.close()

    @property
    def domain(self) -> Domain:
        """Everything; `RestrictedSubject` narrows it."""
        return EVERYTHING

    @property
    def errors_told(self) -> bool:
        """Whether a check has told an error of its calls; `RestrictedSubject` knows."""
        return False

    @property
    def importable_name(self) -> str | None:
        """What the host imports."""
        return self._target

    def load(self) -> None:
        """Wait until the mechanism is imported.

        Raises
        ------
        InputError
            It cannot be, the first time.
        """
        self._usable_host()

    def _usable_host(self) -> HostProcess:
        if self._host is not None:
            self._host.drop_left()
        if self._host is None or not self._host.usable:
            self._host = self._new_host()
        try:
            try:
                self._host.load()
            except InputError as error:
                if KILLED not in error.rule:
                    raise
                self.renew()  # once more: somebody else may have killed it
                self._host = self._new_host()
                self._host.load()
        except InputError as error:
            self.renew()
            if not self._loaded:
                raise
            raise MechanismError("broke its host", f"importing the mechanism again {error.rule}") from error
        self._loaded = True
        return self._host

    @property
    def plays_beside(self) -> bool:
        """Whether it plays in another process: yes."""
        return True

    @property
    def in_flight(self) -> DelayLaw | None:
        """None: feedback comes at once; `RestrictedSubject` delays it."""
        return None

    def start(self, config: MechanismConfig, seed: int, in_flight: DelayLaw | None = None) -> HostedMechanism:
        """Return a fresh mechanism, with a generator of its own, which hears of scores and bids as late as a law says.

        Raises
        ------
        MechanismError
            The factory raised, took too long, returned no mechanism, or harmed its process.
        """
        return self._started(config, int(seed), in_flight, {})

    def resume(
        self, config: MechanismConfig, seed: int, in_flight: DelayLaw, since: Saved, generator: int
    ) -> HostedMechanism:
        """Return a fresh mechanism that takes back a state and goes on from there.

        Feedback arrives as it would have; the generator is another one, by its seed. Errors as of `start`, and of
        `restore`.
        """
        return self._started(config, int(seed), in_flight, {"since": astuple(since), "generator": generator})

    def _started(
        self, config: MechanismConfig, seed: int, in_flight: DelayLaw | None, more: dict[str, Any]
    ) -> HostedMechanism:
        host = self._usable_host()
        self._instances += 1
        self._last = HostedMechanism(host, self._instances, config, seed, in_flight)
        details = frames.data({**_details(config, in_flight), **more}) if more else _usual(config, in_flight)
        host.ask(Request.START, self._instances, frames.start(seed, details))
        return self._last

    @contextlib.contextmanager
    def other_global_randomness(self) -> Iterator[None]:
        """Put the global generators of the host elsewhere within, and back afterwards."""
        host = self._usable_host()
        host.ask(Request.STIR)
        try:
            yield
        finally:
            host.ask(Request.RESTORE)

    def fixed_global_randomness(self) -> contextlib.AbstractContextManager[None]:
        """Do nothing: the generators of this process are not the mechanism's."""
        return contextlib.nullcontext()

    def aftermath(self) -> Aftermath:
        """Return what the mechanism left behind in its host since this was last asked; a harmed host is ended."""
        host, last = self._host, None if self._last is None else self._last.played()
        if host is None or not host.usable or last is None:
            return Aftermath(last=last)
        host.drop_left()
        try:
            warned, replaced = host.reply(host.ask(Request.AFTERMATH), frames.plain)
        except MechanismError as error:
            self.renew()
            return Aftermath((), error.kind, error.message, last)
        told = tuple(map(str, warned))
        if not replaced:
            return Aftermath(told, last=last)
        self.renew()
        message = f"the mechanism replaced {replaced}, which all code of its process uses"
        return Aftermath(told, "replaced", message, last)

    def renew(self) -> None:
        """End the host; the next mechanism is started in a fresh one."""
        if self._host is not None:
            self._host.end()
            self._host = None


def _details(config: MechanismConfig, in_flight: DelayLaw | None) -> dict[str, Any]:
    return {"config": vars(config), "in_flight": None if in_flight is None else asdict(in_flight)}


@functools.lru_cache(maxsize=64)
def _usual(config: MechanismConfig, in_flight: DelayLaw | None) -> bytes:
    """Return what a host is told of an instance beside its seed; many instances are started alike."""
    return frames.data(_details(config, in_flight))


class HostedMechanism:
    """An instance in a host, by its number; what was played is kept here."""

    def __init__(
        self, host: HostProcess, number: int, config: MechanismConfig, seed: int, in_flight: DelayLaw | None = None
    ) -> None:
        self._host, self._number = host, number
        self._config, self._seed, self._in_flight = config, seed, in_flight
        self._asked: int | None = None
        #: The request that is waited for later.
        self._promised: int | None = None
        #: Whether something was handed over since the host last replied.
        self._unheard = True
        self._settlements: list[Settlement] = []
        self._providers: list[int] = []

    def __del__(self) -> None:
        self._host.leave(self._number, self._promised)

    def played(self) -> Played:
        """Return what was played, up to the last step that was settled."""
        settled = tuple(self._settlements[: len(self._providers)])
        return Played(self._config, self._seed, settled, tuple(self._providers[: len(settled)]), self._in_flight)

    def ask(self) -> None:
        """Ask for the next answer, together with what is sent next."""
        self._asked = self._host.ask(Request.ASSIGN, self._number)
        self._promise(self._asked)

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays.

        Raises
        ------
        MechanismError
            Here as everywhere: this call failed, or one before it that had no reply of its own.
        """
        asked, self._asked = self._asked, None
        if asked is None:
            asked = self._host.ask(Request.ASSIGN, self._number)
        try:
            answer = self._host.answer(asked, self._number)
        finally:
            if self._promised is not None:
                self._heard()
        self._unheard = False
        self._check_all((answer,))
        self._providers.append(answer[0])
        return answer

    def _check_all(self, answers: Sequence[Answer]) -> None:
        """Refuse answers that the host cannot have sent, since it has checked them: they are somebody else's."""
        most = self._config.n_providers
        for provider, payment in answers:
            if not (0 <= provider < most and -math.inf < payment < math.inf):
                self._host.refuse_garbage()

    def settle(self, score: float, bid: float) -> None:
        """Hand over score and bid together with the next request."""
        self._unheard = True
        self._settlements.append((score, bid))
        self._host.ask_pair(Request.SETTLE, self._number, score, bid)

    def proceed(self, score: float, bid: float) -> None:
        """Hand over score and bid now, and ask for the next answer: the host works while the parent does."""
        self._unheard = True
        self._settlements.append((score, bid))
        self._asked = self._host.ask_pair(Request.PROCEED, self._number, score, bid)
        self._host.flush()

    def go_on(self, settlement: Settlement, by_provider: Sequence[Settlement], times: int) -> Iterator[Answer]:
        """Settle and assign so many times, first as is said, then as is said of the provider that serves."""
        self.settle(*settlement)
        between = frames.serving(times - 1, [[each] * (times - 1) for each in by_provider])
        asked = self._host.ask(Request.SERVE, self._number, between)
        self.ask()
        error = None
        try:
            answers = self._host.reply(asked, frames.answered, self._number)
        except MechanismError as found:
            answers, error = self._host.answers_so_far(asked), found
        self._check_all(answers)
        for answer in answers:
            self._providers.append(answer[0])
            yield answer
            self._settlements.append(by_provider[answer[0]])
        if error is not None:
            raise error
        yield self.assign()

    def replay(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> list[Answer]:
        """Assign and settle for every settlement, many in one request, and return the answers."""
        return self.replaying(settlements, then_assign=then_assign)()

    def replaying(self, settlements: Sequence[Settlement], *, then_assign: bool = False) -> Later:
        """Ask for a replay: what is returned waits for it."""
        last = max(len(settlements) - 1, 0) // _AT_A_TIME * _AT_A_TIME
        before = self._replay_long(settlements[:last])
        kind = Request.REPLAY_ON if then_assign else Request.REPLAY
        asked = self._ask_replay(kind, settlements[last:])
        return self._later(asked, lambda: before + self._told(asked))

    def _replay_long(self, settlements: Sequence[Settlement]) -> list[Answer]:
        """Replay in parts, and wait for each."""
        parts = [settlements[first : first + _AT_A_TIME] for first in range(0, len(settlements), _AT_A_TIME)]
        return [answer for part in parts for answer in self._told(self._ask_replay(Request.REPLAY, part))]

    def _ask_replay(self, kind: Request, part: Sequence[Settlement]) -> int:
        self._settlements += part
        return self._host.ask(kind, self._number, frames.settlements(part))

    def serve(
        self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()
    ) -> list[Answer]:
        """Play so many steps in one request, each settled with the next of what the provider that serves yields."""
        return self.serving(yields, steps, after=after)()

    def serving(self, yields: Sequence[Sequence[Settlement]], steps: int, *, after: Sequence[Settlement] = ()) -> Later:
        """Ask for steps to be served: what is returned waits for them."""
        last = len(after) // _AT_A_TIME * _AT_A_TIME
        self._replay_long(after[:last])
        past = self._ask_replay(Request.REPLAY, after[last:]) if last < len(after) else None
        asked = self._host.ask(Request.SERVE, self._number, frames.serving(steps, yields))

        def wait() -> list[Answer]:
            if past is not None:
                self._told(past)
            answers = self._told(asked)
            left = [iter(own) for own in yields]
            self._settlements += [next(left[provider]) for provider, _ in answers]
            return answers

        return self._later(asked, wait)

    def _later(self, asked: int, wait: Later) -> Later:
        """Return a function that waits for what was asked last; until then other instances may be asked and heard."""
        self._promise(asked)

        def promised() -> list[Answer]:
            try:
                return wait()
            finally:
                self._heard()

        return promised

    def _promise(self, asked: int) -> None:
        self._promised = asked
        self._host.keep_for(self._number)

    def _heard(self) -> None:
        self._promised = None
        self._host.heard_from(self._number)

    def play(self, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Play a scenario, many steps in one request, each settled there as `settling` says here."""
        if steps > MOST_ANSWERS:
            for _ in range(steps):
                self.settle(*settling(self.assign()))
            return
        asked = self._host.ask(Request.PLAY, self._number, frames.queries(scenario, steps))
        try:
            played = self._host.reply(asked, frames.played_steps, self._number)
        except MechanismError:
            self._settle_all(self._host.answers_so_far(asked), settling)
            raise
        self._unheard = False
        told = self._settle_all([answer for answer, _ in played], settling)
        if told != [settlement for _, settlement in played]:
            self._host.refuse_settlements()

    def _settle_all(self, answers: Sequence[Answer], settling: Settling) -> list[Settlement]:
        """Take answers that were settled already, but for the last one perhaps."""
        self._check_all(answers)
        self._providers += [provider for provider, _ in answers]
        told = [settling(answer) for answer in answers]
        self._settlements += told
        return told

    def _told(self, asked: int) -> list[Answer]:
        """Return the answers that a request asked for."""
        answers = self._host.reply(asked, frames.answered, self._number)
        self._unheard = False
        self._check_all(answers)
        self._providers += [provider for provider, _ in answers]
        return answers

    def finish(self) -> None:
        """Wait until whatever was handed over is settled."""
        if self._unheard:
            self._host.reply(self._host.ask(Request.FINISH), frames.plain)
            self._unheard = False

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        change: str | None = self._host.reply(self._host.ask(Request.CHANGE, self._number), frames.plain)
        return change

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""
        return bool(self._host.reply(self._host.ask(Request.RESTARTABLE, self._number), frames.plain))

    def restart(self, seed: int) -> None:
        """Save its state, make it anew in the same process, and restore the state."""
        self._host.reply(self._host.ask(Request.RESTART, self._number, frames.data(seed)), frames.plain)

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""
        state, step, waiting = self._host.reply(self._host.ask(Request.SAVE, self._number), _saved)
        return Saved(state, step, waiting)


def _saved(content: bytes) -> tuple[str, int, tuple[tuple[int, float, float], ...]]:
    """Return what a host says of a saved mechanism, as what it must be: it comes from somebody's process."""
    try:
        state, step, waiting = frames.plain(content)
        return str(state), int(step), tuple((int(query), float(score), float(bid)) for query, score, bid in waiting)
    except (TypeError, ValueError, OverflowError):
        raise GarbledError from None

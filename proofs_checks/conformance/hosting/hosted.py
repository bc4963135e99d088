"""A mechanism under test in a process of its own: the parent's side, with the interface of the in-process subject."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import lru_cache
from math import isfinite
from types import TracebackType
from typing import Any

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.hosting.endings import was_killed
from proofs_checks.conformance.hosting.host_process import HostLimits, HostProcess
from proofs_checks.conformance.hosting.printed import PrintedText
from proofs_checks.conformance.play.any_mechanism import (
    Aftermath,
    Answer,
    Arrival,
    Continued,
    Offer,
    PlayedInteraction,
    Saved,
    Settlement,
    Settling,
    Told,
)
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import OUTSIDE, MechanismError
from proofs_checks.conformance.play.scenario import Scenario


@dataclass(eq=False)
class _Hosts:
    """The host at hand, and what was asked of it and those before."""

    host: HostProcess | None = None
    loaded: bool = False
    instances: int = 0
    last: PlayedInteraction | None = None
    #: Told once a second at most, while the mechanism is waited for, how many seconds its calls take.
    heard: Callable[[float], None] = lambda seconds: None


class HostedSubject(AnySubject):
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
        self.limits = limits or HostLimits()
        self._printed = None if quiet else PrintedText()
        self._hosts = _Hosts()
        self._hosts.host = self._new_host()

    @property
    def importable_name(self) -> str | None:
        """What the host imports."""
        return self._target

    def hear(self, heard: Callable[[float], None]) -> None:
        """Tell once a second at most, while the mechanism is waited for, how many seconds its calls take."""
        self._hosts.heard = heard

    def _new_host(self) -> HostProcess:
        hosts = self._hosts
        return HostProcess(self._target, self.limits, self._printed, lambda seconds: hosts.heard(seconds))

    def __enter__(self) -> HostedSubject:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.renew()
        if self._printed is not None:
            self._printed.close()

    def load(self) -> None:
        """Wait until the mechanism is imported.

        Raises
        ------
        InputError
            It cannot be, the first time.
        """
        self._usable_host()

    def _usable_host(self) -> HostProcess:
        if self._hosts.host is None or not self._hosts.host.usable:
            self._hosts.host = self._new_host()
        try:
            try:
                self._hosts.host.load()
            except InputError as error:
                if not was_killed(error.rule):
                    raise
                self._hosts.host = self._new_host()  # once more: somebody else may have killed it
                self._hosts.host.load()
        except InputError as error:
            self.renew()
            if not self._hosts.loaded:
                raise
            raise MechanismError("broke its host", f"importing the mechanism again {error.rule}") from error
        self._hosts.loaded = True
        return self._hosts.host

    def _started(self, config: MechanismConfig, seed: int, *resumed: Any) -> HostedMechanism:
        host = self._usable_host()
        self._hosts.instances += 1
        self._hosts.last = PlayedInteraction(config, seed, in_flight=self.in_flight)
        host.ask(0, "start", self._hosts.instances, _market(config, self.in_flight), int(seed), *resumed)
        return HostedMechanism(host, self._hosts.instances, config)

    def resumed(self, config: MechanismConfig, seed: int, since: Saved, generator: int) -> HostedMechanism:
        """Return a mechanism that takes back a state and goes on from there: feedback arrives as it would have.

        `generator` is the seed of another generator. A failure is raised when it is first asked.
        """
        return self._started(config, seed, generator, astuple(since))

    def answers_after(self, config: MechanismConfig, seed: int, plays: Sequence[Continued], steps: int) -> list[Told]:
        """Return how a fresh mechanism each answers to some histories, and in so many steps more; or its error."""
        if self.domain.least_eligible:
            return super().answers_after(config, seed, plays, steps)
        self._hosts.last = PlayedInteraction(config, seed, in_flight=self.in_flight)

        def read(told: Any) -> list[Told]:
            n = config.n_providers
            return [MechanismError(*each) if isinstance(each[0], str) else _answers(each, n) for each in told]

        asked = _market(config, self.in_flight), int(seed), plays, steps
        return self._usable_host().call(read, 0, "answers_after", *asked)

    @contextlib.contextmanager
    def other_global_randomness(self) -> Iterator[None]:
        """Put the global generators of the host elsewhere within, and back afterwards."""
        host = self._usable_host()
        host.ask(0, "stir")
        try:
            yield
        finally:
            host.ask(0, "restore")

    def aftermath(self) -> Aftermath:
        """Return what the mechanism left behind in its host since this was last asked."""
        if self._hosts.host is None or not self._hosts.host.usable or self._hosts.last is None:
            return Aftermath(last=self._hosts.last)
        try:
            warned = self._hosts.host.call(lambda told: tuple(map(str, told)), 0, "aftermath")
        except MechanismError as error:
            kind = None if error.kind == OUTSIDE else error.kind
            return Aftermath((), kind, error.message, self._hosts.last)
        return Aftermath(warned, last=self._hosts.last)

    def renew(self) -> None:
        """End the host; the next mechanism is started in a fresh one."""
        if self._hosts.host is not None:
            self._hosts.host.end()
            self._hosts.host = None


@lru_cache(maxsize=64)
def _market(config: MechanismConfig, in_flight: DelayLaw | None) -> str:
    """Return what a host is given of an instance beside its seed; many instances are started alike."""
    return json.dumps([vars(config), None if in_flight is None else asdict(in_flight)])


class HostedMechanism:
    """An instance in a host, by its number.

    Every method may raise a `MechanismError`: its call failed, or one before it that had no reply of its own.
    """

    def __init__(self, host: HostProcess, number: int, config: MechanismConfig) -> None:
        self._host, self._number, self._n_providers = host, number, config.n_providers
        #: Whether something was handed over since the host last replied.
        self._unheard = True

    def __del__(self) -> None:
        self._host.ask(0, "drop", self._number)

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays."""
        return self._host.call(lambda answer: self._taken([answer])[0], self._number, "assign")

    def settle(self, score: float, bid: float) -> None:
        """Hand over score and bid together with the next request."""
        self._unheard = True
        self._host.ask(self._number, "settle", score, bid)

    def replay(self, settlements: Sequence[Settlement]) -> list[Answer]:
        """Assign and settle for every settlement in one request, and return the answers."""
        return self._host.call(self._taken, self._number, "replay", settlements)

    def serve(self, yields: Sequence[Sequence[Settlement]], steps: int) -> list[Answer]:
        """Play so many steps in one request, each settled with the next of what the provider that serves yields."""
        return self._host.call(self._taken, self._number, "serve", yields, steps)

    def play(self, scenario: Scenario, steps: int, settling: Settling) -> None:
        """Play a scenario, many steps in one request, each settled there as `settling` says here."""
        queries = [[astuple(query) for query in own] for own in scenario.queries]
        try:
            answers = self._host.call(self._taken, 0, "scenario", self._number, queries, steps)
        except MechanismError as error:
            for answer in self._taken_if_valid(error.answers):
                settling(answer)
            raise
        for answer in answers:
            settling(answer)

    def _taken(self, told: Any) -> list[Answer]:
        answers = _answers(told, self._n_providers)
        self._unheard = False
        return answers

    def _taken_if_valid(self, told: Any) -> list[Answer]:
        """Return answers that came with an error, none where they are garbage: the error is what counts."""
        try:
            return self._taken(told)
        except (TypeError, ValueError, OverflowError):
            return []

    def finish(self) -> None:
        """Wait until everything that was handed over is settled."""
        if self._unheard:
            self._host.call(bool, self._number, "finish")

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        return self._host.call(lambda told: None if told is None else str(told), self._number, "configuration_change")

    def offers(self, what: Offer) -> bool:
        """Return whether it can be restarted, or holds a lock."""
        return self._host.call(bool, self._number, "offers", what)

    def handing_over(self, how: Arrival) -> HostedMechanism:
        """Return the mechanism: what arrives together is handed over in reverse, or two at a time by two threads."""
        self._host.ask(self._number, "handing_over", how)
        return self

    def restart(self, seed: int) -> None:
        """Save its state, make it anew in the same process, and restore the state."""
        self._host.call(bool, self._number, "restart", seed)

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""
        return self._host.call(_saved, self._number, "saved")


def _answers(told: Any, n_providers: int) -> list[Answer]:
    """Return answers, which come from somebody's process, and may be anything."""
    answers = [
        (provider, payment)
        for provider, payment in told
        if type(provider) is int and 0 <= provider < n_providers and isfinite(payment)
    ]
    if len(answers) < len(told):
        raise ValueError
    return answers


def _saved(told: Any) -> Saved:
    """Return what a host says of a saved mechanism, as what it must be: it comes from somebody's process."""
    state, step, waiting = told
    return Saved(str(state), int(step), tuple((int(query), float(score), float(bid)) for query, score, bid in waiting))

"""A mechanism under test in a process of its own: the parent's side, with the interface of the in-process subject."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple
from functools import lru_cache
from math import isfinite
from types import TracebackType
from typing import Any

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.hosting.endings import KILLED
from proofs_checks.conformance.hosting.host_process import HostLimits, HostProcess
from proofs_checks.conformance.hosting.printed import Printed
from proofs_checks.conformance.play.any_subject import (
    Aftermath,
    Answer,
    Continued,
    Played,
    Saved,
    Settlement,
    Settling,
    Told,
    WholeSubject,
)
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import MechanismError


class HostedSubject(WholeSubject):
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
        #: What the host imports.
        self.importable_name: str | None = target
        self.name, self._target = name or target, target
        self._limits = limits or HostLimits()
        #: Told once a second at most, while the mechanism is waited for, how many seconds its calls take.
        self.heard: Callable[[float], None] = lambda seconds: None
        self._printed = None if quiet else Printed()
        self._instances = 0
        self._last: Played | None = None
        self._loaded = False
        self._host: HostProcess | None = self._new_host()

    def _new_host(self) -> HostProcess:
        return HostProcess(self._target, self._limits, self._printed, lambda seconds: self.heard(seconds))

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
        if self._host is None or not self._host.usable:
            self._host = self._new_host()
        try:
            try:
                self._host.load()
            except InputError as error:
                if KILLED not in error.rule:
                    raise
                self._host = self._new_host()  # once more: somebody else may have killed it
                self._host.load()
        except InputError as error:
            self.renew()
            if not self._loaded:
                raise
            raise MechanismError("broke its host", f"importing the mechanism again {error.rule}") from error
        self._loaded = True
        return self._host

    def start(
        self,
        config: MechanismConfig,
        seed: int,
        in_flight: DelayLaw | None = None,
        since: Saved | None = None,
        generator: int | None = None,
    ) -> HostedMechanism:
        """Return a fresh mechanism, with a generator of its own, which hears of scores and bids as late as a law says.

        With `since` it takes back a state and goes on from there: feedback arrives as it would have; `generator` is the
        seed of another generator. What fails is told when it is first asked.
        """
        host = self._usable_host()
        self._instances += 1
        self._last = Played(config, seed, (), (), in_flight)
        asked = self._instances, _market(config, in_flight), int(seed)
        if since is None:
            host.ask(0, "start", *asked)
        else:
            host.ask(0, "resume", *asked, generator, astuple(since))
        return HostedMechanism(host, self._instances, config)

    def answers_after(
        self, config: MechanismConfig, seed: int, plays: Sequence[Continued], steps: int, in_flight: DelayLaw | None
    ) -> list[Told]:
        """Return how a fresh mechanism each answers to some histories, and in so many steps more; or its error."""
        self._last = Played(config, seed, (), (), in_flight)

        def read(told: Any) -> list[Told]:
            n = config.n_providers
            return [MechanismError(*each) if isinstance(each[0], str) else _answers(each, n) for each in told]

        asked = _market(config, in_flight), int(seed), plays, steps
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

    def fixed_global_randomness(self) -> contextlib.AbstractContextManager[None]:
        """Do nothing: the generators of this process are not the mechanism's."""
        return contextlib.nullcontext()

    def aftermath(self) -> Aftermath:
        """Return what the mechanism left behind in its host since this was last asked."""
        if self._host is None or not self._host.usable or self._last is None:
            return Aftermath(last=self._last)
        try:
            warned = self._host.call(lambda told: tuple(map(str, told)), 0, "aftermath")
        except MechanismError as error:
            return Aftermath((), error.kind, error.message, self._last)
        return Aftermath(warned, last=self._last)

    def renew(self) -> None:
        """End the host; the next mechanism is started in a fresh one."""
        if self._host is not None:
            self._host.end()
            self._host = None


@lru_cache(maxsize=64)
def _market(config: MechanismConfig, in_flight: DelayLaw | None) -> str:
    """Return what a host is told of an instance beside its seed; many instances are started alike."""
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
            answers = self._host.call(self._taken, self._number, "scenario", queries, steps)
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
        """Wait until whatever was handed over is settled."""
        if self._unheard:
            self._host.call(bool, self._number, "finish")

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        return self._host.call(lambda told: None if told is None else str(told), self._number, "configuration_change")

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""
        return self._host.call(bool, self._number, "restartable")

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

"""A subject that is played within a domain, or whose errors were told already."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.any_subject import (
    Aftermath,
    Answer,
    AnyMechanism,
    AnySubject,
    Continued,
    OneByOne,
    Saved,
    Told,
)
from proofs_checks.conformance.play.domain import EVERYTHING, Domain
from proofs_checks.conformance.play.subject import OUTSIDE, MechanismError, answers_of
from proofs_checks.oracle.late_oracle import oracle_beside
from proofs_checks.oracle.rule_oracle import RuleOracle


class LeftDomainError(MechanismError):
    """An interaction came to a step outside the domain: the mechanism was not asked there."""

    def __init__(self, step: int) -> None:
        super().__init__(OUTSIDE, f"step {step} lies outside the domain")


@dataclass(frozen=True)
class RestrictedSubject:
    """A factory under test that is asked nothing outside a domain.

    Parameters
    ----------
    subject : AnySubject
    domain : Domain, optional
        Scenarios are made to lie inside; steps with too few eligible providers are not played.
    errors_told : bool, optional
        Whether a check has told an error of its calls: others then look at what was answered before it.
    in_flight : DelayLaw, optional
        How late scores and bids reach the mechanism, which then is of the ticket form; by default at once.
    """

    subject: AnySubject
    domain: Domain = EVERYTHING
    errors_told: bool = False
    in_flight: DelayLaw | None = None

    @property
    def name(self) -> str:
        """As reports call it."""
        return self.subject.name

    @property
    def importable_name(self) -> str | None:
        """``MODULE:OBJECT``, or a file, where that leads to the factory in another process too; else None."""
        return self.subject.importable_name

    def start(self, config: MechanismConfig, seed: int, in_flight: DelayLaw | None = None) -> AnyMechanism:
        """Return a fresh mechanism, which is watched where the domain bounds who is eligible."""
        law = self.in_flight if in_flight is None else in_flight
        mechanism = self.subject.start(config, seed, law)
        least = self.domain.least_eligible
        return _Watched(mechanism, oracle_beside(config, seed, law), least) if least else mechanism

    def answers_after(
        self, config: MechanismConfig, seed: int, plays: Sequence[Continued], steps: int, in_flight: DelayLaw | None
    ) -> list[Told]:
        """Return how a fresh mechanism each answers to some histories, and in so many steps more; or its error."""
        law, least = self.in_flight if in_flight is None else in_flight, self.domain.least_eligible
        if not least:
            return self.subject.answers_after(config, seed, plays, steps, law)

        def start() -> _Watched:
            return _Watched(self.subject.start(config, seed, law), oracle_beside(config, seed, law), least)

        return answers_of(start, plays, steps)

    def other_global_randomness(self) -> AbstractContextManager[None]:
        """Put the global generators of the mechanism's process elsewhere within, and back afterwards."""
        return self.subject.other_global_randomness()

    def fixed_global_randomness(self) -> AbstractContextManager[None]:
        """Put the global generators where they always begin within, if the mechanism runs in this process."""
        return self.subject.fixed_global_randomness()

    def aftermath(self) -> Aftermath:
        """Return what was left behind in the process of the mechanism since this was last asked."""
        return self.subject.aftermath()


class _Watched(OneByOne):
    """A mechanism that is not asked where fewer providers are eligible than its domain has."""

    def __init__(self, mechanism: AnyMechanism, oracle: RuleOracle, least: int) -> None:
        self._mechanism, self._oracle, self._least = mechanism, oracle, least
        self._initial, self._provider = oracle.config.n_providers, -1

    def assign(self) -> Answer:
        """Return who serves the next query and what the user pays.

        Raises
        ------
        LeftDomainError
            Too few are eligible here, in a reading that rounding leaves open.
        """
        step = self._oracle.step
        if step > self._initial:
            decisions = self._oracle.decisions()
            if not decisions or any(len(each.eligible) < self._least for each in decisions):
                raise LeftDomainError(step)
        answer = self._mechanism.assign()
        self._provider = answer[0]
        return answer

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""
        self._mechanism.settle(score, bid)
        self._oracle.settle(self._provider, score, bid)

    def finish(self) -> None:
        """Wait until whatever was handed over is settled."""
        self._mechanism.finish()

    def configuration_change(self) -> str | None:
        """Return what the mechanism changed of the configuration that it was given, or None."""
        return self._mechanism.configuration_change()

    def restartable(self) -> bool:
        """Return whether it offers `state` and `restore`."""
        return self._mechanism.restartable()

    def restart(self, seed: int) -> None:
        """Save its state, make it anew, and restore the state."""
        self._mechanism.restart(seed)

    def saved(self) -> Saved:
        """Return its state, and what has not reached it."""
        return self._mechanism.saved()

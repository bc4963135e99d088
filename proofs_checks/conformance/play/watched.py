"""A mechanism that is not asked where fewer providers are eligible than its domain has."""

from __future__ import annotations

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.any_mechanism import Answer, AnyMechanism, Arrival, OneByOne
from proofs_checks.conformance.play.errors import OUTSIDE, MechanismError
from proofs_checks.oracle.rule_oracle import oracle_beside


class LeftDomainError(MechanismError):
    """An interaction came to a step outside the domain: the mechanism was not asked there."""

    def __init__(self, step: int) -> None:
        super().__init__(OUTSIDE, f"step {step} lies outside the domain")


class Watched(OneByOne):
    """A mechanism that was started so, with the rules beside it, asked one step at a time."""

    def __init__(
        self, mechanism: AnyMechanism, config: MechanismConfig, seed: int, law: DelayLaw | None, least: int
    ) -> None:
        self._mechanism, self._oracle, self._least = mechanism, oracle_beside(config, seed, law), least
        self._initial, self._provider = config.n_providers, -1
        self.finish, self.configuration_change = mechanism.finish, mechanism.configuration_change
        self.offers, self.restart, self.saved = mechanism.offers, mechanism.restart, mechanism.saved

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

    def handing_over(self, how: Arrival) -> Watched:
        """Return the mechanism: what arrives together is handed over in reverse, or two at a time by two threads."""
        self._mechanism.handing_over(how)
        return self

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""
        self._mechanism.settle(score, bid)
        self._oracle.settle(self._provider, score, bid)

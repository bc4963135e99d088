"""Mutants that begin differently."""

from __future__ import annotations

from proofs_checks.conformance.mutants.plain import Plain


class InitializationPaysLess(Plain):
    """Pays 0.9 c_max during initialization."""

    def _initial_payment(self) -> float:
        return 0.9 * self.bound


class InitializationPaysNothing(Plain):
    """Pays nothing during initialization."""

    def _initial_payment(self) -> float:
        return 0.0


class InitializationSkips(Plain):
    """Serves the first provider twice and the last never."""

    def _initial(self) -> int:
        return (self.step - 1) % (self.n_providers - 1)


class InitializesTwice(Plain):
    """Serves everybody twice before it decides anything."""

    def _decide(self) -> tuple[int, float]:
        if self.step <= 2 * self.n_providers:
            return (self.step - 1) % self.n_providers, self.bound
        return super()._decide()


class AuctionsTheLastInitialStep(Plain):
    """Holds an auction at step N already: one provider is still unserved."""

    def _decide(self) -> tuple[int, float]:
        if self.step != self.n_providers:
            return super()._decide()
        served = list(range(self.n_providers - 1))
        winner = self._winner(served)
        return winner, self._payment(winner, served)

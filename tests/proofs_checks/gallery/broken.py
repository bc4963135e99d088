"""Broken platforms whose logs the claims must refute: mutants of the gallery, and one that only an equality shows."""
# ruff: noqa: F401 the mutants are names of this module

from __future__ import annotations

from mechanism.tables import radius_table
from proofs_checks.conformance.mutants.allocation import (
    AlwaysLast,
    AlwaysSecond,
    LargestIndexWins,
    LowestBidWins,
    RoundRobin,
    ShunsTheCheapest,
)
from proofs_checks.conformance.mutants.corners import (
    EmptyPaysNothing,
    InitializationPaysLess,
    InitializationSkips,
    LoneProviderPaidItsBid,
)
from proofs_checks.conformance.mutants.draws import ExploresTheFirst
from proofs_checks.conformance.mutants.eligibility import NobodyIsExcluded, StaleQuality, WithoutOptimism
from proofs_checks.conformance.mutants.exploration import (
    ExplorationPaysThePrice,
    ExploresAtTheGoal,
    ExploresTheExcluded,
    GoalWithoutN,
    NeverExplores,
)
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.mutants.pricing import (
    DearestRival,
    Fee,
    FirstPrice,
    NoCap,
    OnePercentHigh,
    OnePercentLow,
    OwnIndexAmongRivals,
    PlainSecondPrice,
    RivalsAreAll,
    RoundedPayments,
)
from proofs_checks.conformance.mutants.radii import (
    CountsOneMore,
    LogarithmOfM,
    OneProviderMore,
    RadiusWithoutTheTwo,
    SlackInAllocationOnly,
    SlackInPaymentOnly,
)
from proofs_checks.conformance.mutants.standing_bids import FirstBidStands, LosersBidMoves


class StrictlyAbove(Plain):
    """qhat + beta > q_min instead of >=, with the radius of the tables to the last bit."""

    def _beta(self, count: int) -> float:
        return radius_table(self.n_providers, self.config.confidence)[count]

    def _is_eligible(self, provider: int) -> bool:
        return self._estimate(provider) + self._radius(provider) > self.config.quality_threshold

"""The gallery: every mutant with the checks that must catch it, and the correct mechanisms that none may accuse."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.mutants import (
    allocation,
    contract,
    corners,
    correct,
    draws,
    drift,
    eligibility,
    exploration,
    incentives,
    initialization,
    pricing,
    radii,
    standing_bids,
)
from proofs_checks.conformance.mutants.compiled_parts import CompiledParts
from proofs_checks.conformance.mutants.plain import Factory, Plain


@dataclass(frozen=True)
class Mutant:
    """A broken mechanism.

    Parameters
    ----------
    name : str
        Of its class.
    factory : callable
        From (configuration, generator) to the mechanism.
    breaks : str
        What it does wrong, in one line.
    caught_by : tuple of str
        Names of checks, each of which must catch it.
    """

    name: str
    factory: Factory
    breaks: str
    caught_by: tuple[str, ...]

    @property
    def theme(self) -> str:
        """The module that it stands in."""
        return self.factory.__module__.rpartition(".")[2]


_NAMED: tuple[tuple[type[Plain], str], ...] = (
    # What a winner is paid.
    (pricing.OnePercentHigh, "payment-range selection-threshold critical-payment"),
    (pricing.OnePercentLow, "selection-threshold critical-payment"),
    (pricing.FirstPrice, "own-bid-independence no-profitable-misreport critical-payment"),
    (pricing.OwnIndexAmongRivals, "own-bid-independence critical-payment"),
    (pricing.NoCap, "payment-range critical-payment"),
    (pricing.LowCap, "lone-payment critical-payment"),
    (pricing.Fee, "payment-range no-loss robust-no-loss critical-payment"),
    (pricing.RivalsAreAll, "critical-payment"),
    (pricing.ExcludedRivalsCount, "critical-payment"),
    (pricing.DearestRival, "selection-threshold critical-payment"),
    (pricing.MedianRival, "selection-threshold critical-payment"),
    (pricing.PlainSecondPrice, "selection-threshold critical-payment"),
    (pricing.RivalsRadius, "selection-threshold critical-payment"),
    (pricing.RoundedPayments, "critical-payment"),
    (pricing.SinglePrecision, "critical-payment"),
    # The radius, and its widening.
    (radii.RadiusWithoutTheTwo, "index-minimizer critical-payment"),
    (radii.LogarithmOfM, "index-minimizer critical-payment"),
    (radii.OneSided, "critical-payment"),
    (radii.OneProviderMore, "critical-payment"),
    (radii.WithoutN, "critical-payment"),
    (radii.ConfidenceForFailure, "critical-payment"),
    (radii.CountsOneMore, "critical-payment"),
    (radii.CountsOneLess, "critical-payment"),
    (radii.RadiusOfSteps, "critical-payment"),
    (radii.SlackIgnored, "widened-radius"),
    (radii.SlackInAllocationOnly, "widened-radius"),
    (radii.SlackInPaymentOnly, "widened-radius"),
    (radii.SlackAdded, "widened-radius"),
    (radii.SlackSquared, "widened-radius"),
    (radii.SlackInQuality, "widened-radius"),
    # Who is eligible.
    (eligibility.NobodyIsExcluded, "eligibility state-estimates"),
    (eligibility.WithoutOptimism, "state-estimates"),
    (eligibility.Pessimist, "state-estimates"),
    (eligibility.ExcludedForEver, "eligibility"),
    (eligibility.TrustsAGoodStart, "eligibility state-estimates"),
    (eligibility.RadiusOfTheLeastServed, "eligibility"),
    (eligibility.StaleQuality, "eligibility state-estimates"),
    (eligibility.LastScoreOnly, "state-estimates"),
    (eligibility.MovingAverage, "state-estimates"),
    (eligibility.OptimisticPrior, "eligibility state-estimates"),
    (eligibility.RoundedScores, "state-estimates"),
    (eligibility.TopScoresAreFull, "state-estimates"),
    (eligibility.BottomScoresAreNothing, "state-estimates"),
    (eligibility.PooledQuality, "eligibility state-estimates"),
    (eligibility.InitialScoreForgotten, "state-estimates"),
    # Exploration: when, whom, at which price.
    (exploration.ExploresAtTheGoal, "exploration-set"),
    (exploration.NeverExplores, "exploration-payment exploration-set"),
    (exploration.ExploresTheExcluded, "eligibility"),
    (exploration.ExploresAllEligible, "exploration-set"),
    (exploration.ExploresUnlessAllAgree, "exploration-payment exploration-set"),
    (exploration.GoalWithoutN, "critical-payment"),
    (exploration.GoalWithoutScale, "critical-payment"),
    (exploration.GoalOfTheLastStep, "exploration-payment"),
    (exploration.GoalOfTheNextStep, "critical-payment"),
    (exploration.GoalRoundedDown, "exploration-payment"),
    (exploration.ExponentOfTheComplement, "exploration-payment"),
    (exploration.ExplorationPaysThePrice, "exploration-payment"),
    (exploration.ExplorationPaysLess, "exploration-payment"),
    (exploration.ExplorationPaysTheBid, "own-bid-independence exploration-payment"),
    (exploration.ExplorationPaysHalf, "no-loss exploration-payment"),
    (exploration.ExploresTheCheapest, "no-profitable-misreport"),
    # Draws.
    (draws.ExploresTheFirst, "exploration-draw empty-draw"),
    (draws.PrefersTheCheapest, "exploration-draw"),
    (draws.ModuloBias, "exploration-draw empty-draw"),
    (draws.DrawsInTurn, "exploration-draw empty-draw"),
    (draws.LeastServedFirst, "exploration-draw"),
    (draws.StickyDraw, "exploration-draw empty-draw"),
    (draws.DrawsByScore, "exploration-draw"),
    (draws.SameDrawsForEverySeed, "exploration-draw"),
    (draws.PrefersTheSecond, "exploration-draw empty-draw"),
    (draws.RejectsToAHalf, "exploration-draw empty-draw"),
    (draws.RoundsTheDraw, "exploration-draw empty-draw"),
    (draws.StaysAfterAHighScore, "exploration-draw"),
    (draws.ObeysTheLastScore, "exploration-draw"),
    (draws.EmptyDrawsTheFirst, "empty-draw"),
    (draws.EmptyDrawsTheBest, "empty-draw"),
    (draws.EmptyDrawsAmongTheCheaper, "empty-draw"),
    (draws.EmptyDrawsTheLastLess, "empty-draw"),
    # Who wins.
    (allocation.LargestIndexWins, "monotone-allocation index-minimizer"),
    (allocation.LowestBidWins, "index-minimizer"),
    (allocation.RoundRobin, "index-minimizer"),
    (allocation.RandomWinner, "index-minimizer"),
    (allocation.ShunsTheCheapest, "index-minimizer"),
    (allocation.AlwaysSecond, "index-minimizer"),
    (allocation.AlwaysLast, "eligibility index-minimizer"),
    (allocation.QualityWeighted, "index-minimizer"),
    (allocation.OneRadiusForAll, "index-minimizer"),
    (allocation.IncumbentBonus, "index-minimizer"),
    (allocation.NeverTwiceRunning, "index-minimizer"),
    (allocation.NearTiesToTheDearest, "index-minimizer"),
    (allocation.ShunsLowBids, "monotone-allocation index-minimizer"),
    # Which bids stand.
    (standing_bids.FirstBidStands, "standing-bids"),
    (standing_bids.LowestBidStands, "standing-bids"),
    (standing_bids.BidsOneServiceLate, "standing-bids"),
    (standing_bids.AveragedBids, "past-bids standing-bids"),
    (standing_bids.LosersBidMoves, "standing-bids"),
    (standing_bids.BidsFade, "standing-bids"),
    (standing_bids.BidsClipped, "standing-bids"),
    (standing_bids.InitialBidIgnored, "standing-bids"),
    (standing_bids.MeanOfAllBids, "past-bids standing-bids"),
    # The first steps.
    (initialization.InitializationPaysLess, "initialization-payment"),
    (initialization.InitializationPaysNothing, "initialization-payment"),
    (initialization.InitializationSkips, "initialization-order"),
    (initialization.InitializesTwice, "index-minimizer"),
    (initialization.AuctionsTheLastInitialStep, "initialization-order initialization-payment"),
    # Nobody eligible, or one provider only.
    (corners.EmptyPaysNothing, "empty-payment"),
    (corners.EmptyPaysTheBid, "own-bid-independence empty-payment"),
    (corners.EmptyHoldsAnAuction, "empty-payment empty-draw"),
    (corners.LoneProviderPaidItsBid, "own-bid-independence lone-payment"),
    (corners.LoneProviderPaidHalf, "lone-payment"),
    (corners.LoneProviderMeetsTheExcluded, "lone-payment"),
    # A provider's own bids move its payment.
    (incentives.OwnBidLeak, "own-bid-independence critical-payment"),
    (incentives.SmallOwnBidLeak, "own-bid-independence critical-payment"),
    (incentives.LowBidsPaidLess, "own-bid-independence critical-payment"),
    (incentives.ExplorationLeak, "own-bid-independence exploration-payment"),
    (incentives.PreviousBidLeak, "past-bids critical-payment"),
    (incentives.FirstBidLeak, "past-bids critical-payment"),
    (incentives.MovingAverageLeak, "past-bids critical-payment"),
    (incentives.PastBidsCount, "past-bids critical-payment"),
    (incentives.TurnsAtTheBound, "strict-misreport robust-strict critical-payment"),
    (incentives.LateClawback, "robust-no-loss"),
    (incentives.LateFirstPrice, "robust-worst-case"),
    (incentives.LateTurns, "robust-strict"),
    # Wrong only after hundreds of steps.
    (drift.CountsWrap, "long-run"),
    (drift.CountsSaturate, "long-run"),
    (drift.RadiiFrozen, "long-run"),
    (drift.BidsReset, "long-run"),
    (drift.BidsSwapped, "long-run"),
    (drift.SettlementsDropped, "long-run"),
    (drift.ScoresForgotten, "long-run"),
    (drift.GoalInPercent, "long-run"),
    (drift.BudgetRunsOut, "long-run"),
    (drift.CoarseIndices, "long-run"),
    (drift.FirstScoresHalved, "state-estimates"),
    # The contract itself.
    (contract.Raises, "answers"),
    (contract.RaisesOnSettling, "answers"),
    (contract.ReturnsThree, "answers"),
    (contract.ReturnsNothing, "answers"),
    (contract.PaysNaN, "answers"),
    (contract.PaysInfinity, "answers"),
    (contract.PaysText, "answers"),
    (contract.NamesOneTooMany, "answers"),
    (contract.NamesMinusOne, "answers"),
    (contract.NamesByFloat, "answers"),
    (contract.SleepsForEver, "answers"),
    (contract.ChangesConfiguration, "configuration-unchanged"),
    (contract.HalvesItsConfidence, "configuration-unchanged critical-payment"),
    (contract.SharedBids, "independent-instances"),
    (contract.SharedClock, "independent-instances"),
    (contract.SharedRadii, "independent-instances"),
    (contract.UnseededDraws, "reproducible"),
    (contract.GlobalDraws, "reproducible"),
    (contract.RandomNoise, "own-bid-independence critical-payment"),
)


def _said(factory: type) -> str:
    """Return the first line of a class's docstring."""
    return (inspect.getdoc(factory) or "").partition("\n")[0]


#: Every mutant by name.
MUTANTS: Mapping[str, Mutant] = MappingProxyType(
    {made.__name__: Mutant(made.__name__, made, _said(made), tuple(names.split())) for made, names in _NAMED}
)

#: Every correct mechanism by name.
CORRECT: Mapping[str, Factory] = MappingProxyType(
    {
        "reference_mechanism": reference_mechanism,
        **{
            made.__name__: made
            for made in (
                Plain,
                correct.LastOfTies,
                correct.RandomOfTies,
                correct.MostServedOfTies,
                correct.InitializesBackwards,
                correct.InitializesAtRandom,
                correct.RunningMeans,
                correct.IntegerScores,
                correct.Logarithms,
                correct.ExactFractions,
                correct.DecimalMoney,
                correct.Arrays,
                correct.Heaps,
                correct.Functional,
                CompiledParts,
            )
        },
    }
)

#: Checks that no mutant needs alone or first in their group, and why they are kept.
KEPT_FOR: Mapping[str, str] = MappingProxyType(
    {
        "whole-interactions": "it is the only search whose settlements depend on the answers before them, and the "
        "machine behind it is what users extend in their own test-suites"
    }
)

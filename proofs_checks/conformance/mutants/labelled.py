"""The weakest property that each broken mechanism breaks, labelled by hand from its source.

How it was labelled: from the class and the docstring of every mutant, and of the mechanisms of `strangers`, by asking
which property of `proofs_checks.properties` fails first when one goes from the bottom up. The table was written and
committed before any program placed a mutant, and no label was changed afterwards. It was known which checks must catch
a mutant, since the classes name them, and a part of docs/mutants.md had been read.

Four decisions that could be taken otherwise:

- A wrong confidence radius is a breach of eligibility: that is the first place where the radius is used.
- A wrong standing bid is a breach of the allocation: the least adjusted bid is that of the bids that stand.
- What goes wrong only after some hundred steps, or from a late step on, breaks the rules in long runs; short runs show
  nothing. `FirstScoresHalved` begins at step 40, which short runs reach.
- A price at an exploration, or with nobody eligible, that is not c_max is a breach of the fixed payments; a lone
  eligible provider takes part in an auction, so its price is a breach of the critical payments.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_CRITICAL = """
    OnePercentHigh OnePercentLow FirstPrice OwnIndexAmongRivals NoCap LowCap Fee RivalsAreAll ExcludedRivalsCount
    DearestRival MedianRival PlainSecondPrice RivalsRadius RoundedPayments SinglePrecision
    LoneProviderPaidItsBid LoneProviderPaidHalf LoneProviderMeetsTheExcluded
    OwnBidLeak SmallOwnBidLeak LowBidsPaidLess PreviousBidLeak FirstBidLeak MovingAverageLeak
"""
_ELIGIBILITY = """
    RadiusWithoutTheTwo LogarithmOfM OneSided OneProviderMore WithoutN ConfidenceForFailure CountsOneMore CountsOneLess
    RadiusOfSteps
    NobodyIsExcluded WithoutOptimism Pessimist ExcludedForEver TrustsAGoodStart RadiusOfTheLeastServed StaleQuality
    LastScoreOnly MovingAverage OptimisticPrior RoundedScores TopScoresAreFull BottomScoresAreNothing PooledQuality
    InitialScoreForgotten
    ExploresTheExcluded AlwaysSecond AlwaysLast FirstScoresHalved
"""
_EXPLORATION = """
    ExploresAtTheGoal NeverExplores ExploresAllEligible ExploresUnlessAllAgree GoalWithoutN GoalWithoutScale
    GoalOfTheLastStep GoalOfTheNextStep GoalRoundedDown ExponentOfTheComplement
"""
_FIXED = """
    ExplorationPaysThePrice ExplorationPaysLess ExplorationPaysTheBid ExplorationPaysHalf ExplorationLeak
    EmptyPaysNothing EmptyPaysTheBid
"""
_DRAWS = """
    ExploresTheCheapest
    ExploresTheFirst PrefersTheCheapest ModuloBias DrawsInTurn LeastServedFirst StickyDraw DrawsByScore
    SameDrawsForEverySeed PrefersTheSecond RejectsToAHalf RoundsTheDraw StaysAfterAHighScore ObeysTheLastScore
    EmptyDrawsTheFirst EmptyDrawsTheBest EmptyDrawsAmongTheCheaper EmptyDrawsTheLastLess
"""
_ALLOCATION = """
    LargestIndexWins LowestBidWins RoundRobin RandomWinner ShunsTheCheapest QualityWeighted OneRadiusForAll
    IncumbentBonus NeverTwiceRunning NearTiesToTheDearest ShunsLowBids
    FirstBidStands LowestBidStands BidsOneServiceLate AveragedBids LosersBidMoves BidsFade BidsClipped InitialBidIgnored
    MeanOfAllBids
    InitializesTwice PastBidsCount TurnsAtTheBound
"""
_SLACK = "SlackIgnored SlackInAllocationOnly SlackInPaymentOnly SlackAdded SlackSquared SlackInQuality"
_LONG_RUNS = """
    LateClawback LateFirstPrice LateTurns
    CountsWrap CountsSaturate RadiiFrozen BidsReset BidsSwapped SettlementsDropped ScoresForgotten GoalInPercent
    BudgetRunsOut CoarseIndices
"""
_INITIALIZATION = """
    InitializationPaysLess InitializationPaysNothing InitializationSkips AuctionsTheLastInitialStep
"""
_ANSWERS = """
    Raises RaisesOnSettling ReturnsThree ReturnsNothing PaysNaN PaysInfinity PaysText NamesOneTooMany NamesMinusOne
    NamesByFloat SleepsForEver
"""
_REPEATABLE = """
    ChangesConfiguration HalvesItsConfidence SharedBids SharedClock SharedRadii UnseededDraws GlobalDraws RandomNoise
"""

_ONE_PROPERTY = {
    "answers": _ANSWERS,
    "repeatable": _REPEATABLE,
    "initialization": _INITIALIZATION,
    "eligibility": _ELIGIBILITY,
    "exploration": _EXPLORATION,
    "fixed-payments": _FIXED,
    "uniform-draws": _DRAWS,
    "allocation": _ALLOCATION,
    "critical-payments": _CRITICAL,
    "belief-slack": _SLACK,
    "long-runs": _LONG_RUNS,
}

#: By the name of the mutant: the names of its weakest broken properties. One breaks two that do not rest on each other.
LABELLED: Mapping[str, frozenset[str]] = MappingProxyType(
    {name: frozenset({weakest}) for weakest, names in _ONE_PROPERTY.items() for name in names.split()}
    | {"EmptyHoldsAnAuction": frozenset({"fixed-payments", "uniform-draws"})}
)

#: The same of the mechanisms of `strangers`, which were written in another style.
LABELLED_STRANGERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "RunningMeanSlips": frozenset({"eligibility"}),
        "PricedByTheLowestOffer": frozenset({"critical-payments"}),
        "FurthestBehindFirst": frozenset({"uniform-draws"}),
        "UnionOverTheAble": frozenset({"allocation"}),
        "GoalFromTheStart": frozenset({"exploration"}),
        "MedianGrade": frozenset({"eligibility"}),
        "FadingGrades": frozenset({"eligibility"}),
        "CostOfSwitching": frozenset({"allocation"}),
        "FourForgotten": frozenset({"eligibility"}),
        "BestOfTheBad": frozenset({"uniform-draws"}),
    }
)

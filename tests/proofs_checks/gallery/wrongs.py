"""What is wrong in the gallery, with the claims that must refute it and those that must not."""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import EDGE, STAGES, play

CHECKED = {label: claim for label, claim in all_claims().items() if claim.checks}

WHO_SERVES = {
    "eq:allocation",
    "eq:qualified-set",
    "prop:selection-threshold",
    "lem:forced-exploration-bound",
    "lem:unqualified-elimination",
    "lem:qualified-suboptimal-selection",
    "lem:ordinary-selection-gap",
    "thm:sample-complexity",
    "thm:quality-guarantee",
    "thm:generation-regret",
    "claim:T_id:repaired",
    "cor:eventual-ordinary-optimality:repaired",
}
WHAT_IS_PAID = {"eq:critical-payment", "eq:payment", "lem:ordinary-payment"}
PRICE = {"eq:critical-payment", "eq:payment", "alg:platform", "eq:provider-history"}
WINNER = {"eq:allocation", "alg:platform", "prop:selection-threshold", "eq:provider-history"}
RANGE = {"lem:payment-range", "lem:payment-range:repaired"}
WIDENED = {"eq:bayesian-mechanism"}


def forms(label: str, variants: str) -> set[str]:
    """Return the labels of a claim's variants; `paper` is the claim itself."""
    return {label if variant == "paper" else f"{label}:{variant}" for variant in variants.split()}


SELECTION_BOUNDS = {
    "lem:qualified-suboptimal-selection",
    *forms("thm:sample-complexity", "paper any-radius sharp sharpest"),
    *forms("claim:T_id", "any-radius sharp sharpest repaired repaired:in-flight"),
    *forms("lem:forced-exploration-bound", "sharpest"),
    *forms("thm:generation-regret", "paper sharp sharpest in-flight"),
    *forms("claim:B_id-tightened", "paper in-flight"),
    "cor:vanishing-nonoptimal-selections",
}
DEAR_WINNERS = {
    *forms("cor:eventual-ordinary-optimality", "repaired in-flight"),
    "lem:ordinary-selection-gap",
    "lem:ordinary-selection-threshold",
}
SCREENING_BOUNDS = {
    *forms("lem:unqualified-elimination", "paper any-radius sharp sharpest in-flight"),
    *forms("thm:quality-guarantee", "paper sharpest in-flight"),
    "thm:sample-complexity",
}
LATE_PAYMENTS = {
    *forms("thm:regret", "paper sharp sharpest in-flight"),
    "lem:two-sided-payment",
    "thm:payment-convergence",
}
DEVIATING_SELECTION = {"prop:deviation-selection", "thm:deviation-generation-regret"}
DEVIATING_PAYMENT = {"lem:deviation-payment", "thm:deviation-payment-convergence"}

#: Claims that no log can refute, and why; `test_power` shows that their comparisons work.
UNREFUTABLE = {
    "eq:quality-estimate": "compares the replay with exact fractions, not the platform",
    "eq:truthful-strategy": "compared only where the origin declares truthful bidders (see test_checks_by_hand)",
    "lem:one-step": "about the rules, which the counterfactuals apply themselves (see test_counterfactual)",
    "claim:robust-equilibrium": "about the rules, as lem:one-step",
    "lem:radius-sum": "true of every sequence of selections",
    "lem:unqualified-exclusion": "follows from the good event, whatever the platform does",
    "lem:selection-counting": "true of every log whose first N steps serve every provider once",
    **dict.fromkeys(
        [
            "lem:qualified-eligibility",
            "lem:adjusted-bid-bounds",
            "lem:bayesian-cost-concentration",
            "lem:deviation-adjusted-bid-bounds",
        ],
        "follows from the good event where every provider has served once",
    ),
}
#: What follows from the rules: none is refuted where initialization, which it assumes, skips a provider.
FOLLOWING = {label for label in CHECKED if label.split(":")[0] not in ("alg", "eq", "asmp")}


@dataclass(frozen=True)
class Broken:
    """A broken platform on a stage, the claims it must refute, and those it must not."""

    mechanism: str
    stage: str
    refutes: set[str]
    spares: set[str]

    def __str__(self) -> str:
        return f"{self.mechanism}-{self.stage}"

    def case(self) -> Case:
        return play(BROKEN_PLATFORMS[self.mechanism], {**STAGES, "edge": EDGE}[self.stage])


@dataclass(frozen=True)
class Tampered:
    """A log that was tampered with, the claims it must refute, and those it must not."""

    name: str
    log: str
    tampering: logs.Tampering
    refutes: set[str]
    spares: set[str]

    def __str__(self) -> str:
        return f"{self.name}-{self.log}"

    def case(self) -> Case:
        return logs.tampered(self.log, self.tampering)


GALLERY = [
    Broken("OnePercentHigh", "auctions", PRICE, WHO_SERVES | RANGE),
    Broken("OnePercentHigh", "widened", PRICE | RANGE | {"eq:bayesian-mechanism"}, WHO_SERVES),
    Broken("OnePercentLow", "auctions", PRICE | {"thm:robust-dominant"}, WHO_SERVES | RANGE),
    Broken("FirstPrice", "auctions", PRICE, WHO_SERVES | RANGE | {"thm:robust-dominant"}),
    Broken("NoCap", "widened", PRICE | RANGE | {"eq:bayesian-mechanism", "prop:bayesian-substitution"}, WHO_SERVES),
    Broken("RivalsAreAll", "screening", PRICE | {"thm:regret", "thm:regret:sharp"}, WHO_SERVES),
    Broken("DearestRival", "auctions", PRICE, WHO_SERVES | RANGE),
    Broken("PlainSecondPrice", "auctions", PRICE | {"thm:robust-dominant"}, WHO_SERVES | RANGE),
    Broken("OwnIndexAmongRivals", "auctions", PRICE, WHO_SERVES | RANGE),
    Broken("LoneProviderPaidItsBid", "lone", PRICE, WHO_SERVES | RANGE),
    Broken("InitializationPaysLess", "auctions", {"eq:payment", "alg:platform"}, WHO_SERVES | {"eq:critical-payment"}),
    Broken("InitializationSkips", "auctions", {"alg:platform"}, {"eq:payment", "eq:allocation", *FOLLOWING}),
    Broken(
        "ExplorationPaysThePrice", "screening", {"eq:payment", "alg:platform"}, WHO_SERVES | {"eq:critical-payment"}
    ),
    Broken("EmptyPaysNothing", "empty", {"eq:payment", "alg:platform"}, WHO_SERVES | {"eq:critical-payment"}),
    Broken("RoundedPayments", "auctions", PRICE, WHO_SERVES | RANGE),
    Broken(
        "Fee", "long", PRICE | RANGE | {"claim:payment-lower-appD", "lem:two-sided-payment", "thm:regret"}, WHO_SERVES
    ),
    Broken("RadiusWithoutTheTwo", "auctions", PRICE | WINNER, set()),
    Broken("LogarithmOfM", "auctions", PRICE | WINNER, set()),
    Broken("OneProviderMore", "auctions", PRICE | WINNER, set()),
    Broken("CountsOneMore", "auctions", PRICE | WINNER, set()),
    Broken("SlackInAllocationOnly", "widened", PRICE | {"eq:bayesian-mechanism"}, WHO_SERVES),
    Broken("SlackInPaymentOnly", "widened", WINNER | {"eq:bayesian-mechanism"}, WHAT_IS_PAID),
    Broken("ExploresAtTheGoal", "long", PRICE, set()),
    Broken("NeverExplores", "integer", {"eq:payment", "alg:platform"}, {"eq:critical-payment"}),
    Broken("NeverExplores", "screening", {"lem:ordinary-qualified-set", "lem:forced-exploration-bound"}, set()),
    Broken("ExploresTheExcluded", "screening", {"eq:qualified-set", "alg:platform"}, set()),
    Broken("ExploresTheFirst", "exploring", {"eq:allocation", "alg:platform"}, WHAT_IS_PAID | {"eq:qualified-set"}),
    Broken(
        "GoalWithoutN",
        "long",
        {"lem:forced-exploration-bound", "lem:forced-exploration-bound:in-flight", *PRICE},
        set(),
    ),
    Broken("NobodyIsExcluded", "screening", {"eq:qualified-set", *SCREENING_BOUNDS}, set()),
    Broken("StrictlyAbove", "edge", {"eq:payment", "alg:platform"}, set()),
    Broken("WithoutOptimism", "lone", WINNER | PRICE, set()),
    Broken("LargestIndexWins", "long", WINNER | DEAR_WINNERS | SELECTION_BOUNDS, WHAT_IS_PAID),
    Broken("LowestBidWins", "auctions", WINNER | RANGE | {"claim:payment-lower-appD"}, WHAT_IS_PAID),
    Broken("RoundRobin", "auctions", WINNER | {"thm:robust-dominant"}, WHAT_IS_PAID),
    Broken("StaleQuality", "fading", {"eq:qualified-set", "alg:platform"}, set()),
    Broken("FirstBidStands", "noisy", PRICE | WINNER, set()),
    Broken("LosersBidMoves", "auctions", PRICE | WINNER, set()),
    Broken("ShunsTheCheapest", "long", WINNER | DEAR_WINNERS | SELECTION_BOUNDS, WHAT_IS_PAID),
    Broken("AlwaysSecond", "long", {"eq:allocation", "lem:forced-exploration-bound", *SELECTION_BOUNDS}, set()),
    Broken("AlwaysLast", "screening", {"eq:qualified-set", "lem:unqualified-elimination"}, set()),
    Broken("InitializationSkips", "widened", {"alg:platform"}, FOLLOWING),
    Broken("InitializationSkips", "deviating", {"alg:platform"}, FOLLOWING),
    Broken("LargestIndexWins", "bayesian", WINNER | WIDENED | {"prop:bayesian-substitution"}, WHAT_IS_PAID),
    Broken("LargestIndexWins", "deviating", WINNER | DEVIATING_SELECTION, WHAT_IS_PAID),
    Broken("AlwaysSecond", "far", {"thm:deviation-generation-regret:anytime"}, set()),
    Broken("LargestIndexWins", "combined", WINNER | {"claim:summary-appC"}, WHAT_IS_PAID),
]

PAY_ALL, PAY_NOTHING = logs.auctions_pay(1.0), logs.auctions_pay(0.0)
EXCESS = {
    *forms("thm:excess-payment-general", "paper sharpest in-flight"),
    "cor:excess-payment-polynomial",
    "lem:ordinary-payment",
}
LOGS = [
    Tampered("one payment off by 1e-6", "short", logs.one_payment_off, PRICE, WHO_SERVES | RANGE),
    Tampered("one winner swapped", "short", logs.one_winner_swapped, WINNER, RANGE),
    Tampered("one bid off by 1e-3", "short", logs.one_bid_off, PRICE, RANGE | {"eq:qualified-set"}),
    Tampered("a row lost", "short", logs.a_row_lost, PRICE | WINNER, RANGE),
    Tampered("a row twice", "short", logs.a_row_twice, PRICE | WINNER, RANGE),
    Tampered("scores lost", "short", logs.scores_of_one_lost, PRICE | {"eq:qualified-set"}, RANGE),
    Tampered("scores all one", "drawn", logs.scores_all_one, {"lem:good-event"}, RANGE | {"eq:payment"}),
    Tampered("bids too high", "short", logs.bids_too_high, PRICE, RANGE | {"eq:qualified-set"}),
    Tampered("bids too high", "dear-deviating", logs.bids_too_high, PRICE | {"asmp:bounded-deviations"}, RANGE),
    Tampered("bids too high", "dear-bayesian", logs.bids_too_high, PRICE | {"asmp:beliefs"}, RANGE),
    Tampered("one provider", "short", logs.optimal_serves_all, {"lem:forced-exploration-bound:sharp"}, RANGE),
    Tampered("pays c_max", "cheap-truthful", PAY_ALL, PRICE | LATE_PAYMENTS | EXCESS, WHO_SERVES | RANGE),
    Tampered("pays c_max", "cheap-bayesian", PAY_ALL, PRICE | {"prop:bayesian-substitution"}, WHO_SERVES | RANGE),
    Tampered("pays c_max", "cheap-deviating", PAY_ALL, PRICE | DEVIATING_PAYMENT, WHO_SERVES | RANGE),
    Tampered("pays c_max", "cheap-combined", PAY_ALL, PRICE | {"claim:summary-appC"}, WHO_SERVES | RANGE),
    Tampered(
        "pays nothing",
        "dear-truthful",
        PAY_NOTHING,
        PRICE | LATE_PAYMENTS | {"lem:two-sided-payment:sharp", "thm:robust-dominant", "claim:payment-lower-appD"},
        WHO_SERVES | RANGE | EXCESS,
    ),
    Tampered("pays nothing", "dear-deviating", PAY_NOTHING, PRICE | DEVIATING_PAYMENT, WHO_SERVES | RANGE | EXCESS),
    Tampered("late wins", "edges", logs.competitor_wins_late, {"claim:own-unwidened-wins-stop"}, RANGE),
    Tampered("pays c_max", "unwidened", PAY_ALL, PRICE | {"claim:widening-necessary:repaired"}, RANGE),
    Tampered(
        "pays no second price", "dear-combined", PAY_NOTHING, {"claim:summary-appC", *WIDENED}, WHO_SERVES | RANGE
    ),
]


def judged(case: Case) -> dict[str, Evidence]:
    """What every claim says about a case."""
    return {label: claim.check(case) for label, claim in CHECKED.items()}

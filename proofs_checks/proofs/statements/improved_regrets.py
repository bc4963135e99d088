"""Improved bounds of what is lost and paid until T: with the improved caps, radius sum, band and start.

Sources: thm:quality-guarantee, thm:generation-regret, thm:excess-payment-general and thm:regret, improved; the first
branch of thm:deviation-generation-regret; the last paragraph of appendix C. Most obligations are those of the paper's
statements, which leave open by what caps and by what root they are bounded.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import INT, all_of, at_least, constant, equal, function, implies
from proofs_checks.proofs.language.vocabulary import COST_BOUND, ELIGIBLE, concluded, defining, every, provider, within
from proofs_checks.proofs.statements.accounting import COUNTED, NUMBER, together
from proofs_checks.proofs.statements.convergence import CHAIN, COMPOSITION, USES, each_side
from proofs_checks.proofs.statements.eligibility import ORDINARY_COUNTS
from proofs_checks.proofs.statements.excess import EXPLORATIONS, GENERAL_CHAIN
from proofs_checks.proofs.statements.payments import PAYMENT, TARGET_RADIUS
from proofs_checks.proofs.statements.regrets import COST_CHAIN, DEVIATION_GENERATION, QUALITY
from proofs_checks.proofs.statements.selection import ADJUSTED, GAP, WIDENED
from proofs_checks.proofs.statements.shared import COUNT, QUALIFIED, SECOND_COST, bids, qualified_are_eligible, to_real
from proofs_checks.proofs.statements.two_sided import TWO_SIDED_WITH_THREE, band, target_non_negative

REGRETS = Proof(
    "thm:generation-regret:sharp",
    together(QUALITY.obligations, COST_CHAIN),
    "As thm:quality-guarantee and thm:generation-regret, whose obligations hold for any caps and any bound of the "
    "radius sum: here those of lem:unqualified-elimination:sharp, lem:qualified-suboptimal-selection:sharp, "
    "lem:radius-sum:sharp.",
    uses=(
        "thm:quality-guarantee",
        "thm:generation-regret",
        "lem:unqualified-elimination:sharp",
        "lem:qualified-suboptimal-selection:sharp",
        "lem:radius-sum:sharp",
    ),
)
ANYTIME = Proof(
    "thm:deviation-generation-regret:anytime",
    DEVIATION_GENERATION.obligations,
    "The first bound of thm:deviation-generation-regret, which holds whatever the cost gaps.",
    uses=DEVIATION_GENERATION.uses,
)

_I, _J = provider("i"), provider("j")
#: floor(m*(epsilon_i)): the largest count m with epsilon_i <= 2 beta(m).
_LARGEST_COUNT, _LEVEL, _TARGET = (
    function("largest_count_of", INT),
    constant("largest_of_counts"),
    constant("target_now"),
)
ORDINARY_SET = Obligation(
    "ordinary-eligible-are-qualified-by-exact-inverse",
    "on E, in an auction with g(t) > max{1, max floor(m*(epsilon_i))}, the eligible providers are the qualified ones",
    {
        **qualified_are_eligible(),
        **concluded(
            "count-at-most-exact-inverse",
            unqualified_counts=every(implies(all_of(~QUALIFIED(_J), ELIGIBLE(_J)), COUNT(_J) <= _LARGEST_COUNT(_J))),
        ),
        **concluded("ordinary-counts", counts=every(implies(ELIGIBLE(_J), to_real(COUNT(_J)) >= _TARGET))),
        **defining(level=every(implies(~QUALIFIED(_J), to_real(_LARGEST_COUNT(_J)) <= _LEVEL))),
        **concluded("after-T0-target-above-thresholds", late=_TARGET > _LEVEL),
    },
    equal(ELIGIBLE(_I), QUALIFIED(_I)),
    (Mutant("at the level", replace={"late": _TARGET >= _LEVEL}),),
)
_FARTHER = at_least(SECOND_COST, COST_BOUND - SECOND_COST)
EARLY = Obligation(
    "early-deviation-in-range",
    "with bids in [0, c_max], |pi_t - c_(2)| <= max{c_(2), c_max - c_(2)} on any step",
    {
        "deviations-non-negative": bids()["deviations-non-negative"],
        **concluded("payment-in-range", payment=within(0, PAYMENT, COST_BOUND)),
    },
    each_side(_FARTHER),
    (Mutant("the smaller of the two", goal=each_side(SECOND_COST)),),
)
ORDINARY = Obligation(
    "auction-deviation-with-two",
    "in an auction after T_0 |pi_t - c_(2)| <= 2 R + max{d_-, d_+}",
    {**target_non_negative(), **concluded("two-sided-payment-with-two", two_sided=band(2))},
    each_side(2 * TARGET_RADIUS),
    (Mutant("1 for 2", goal=each_side(TARGET_RADIUS)),),
)
_CAPS = constant("caps_of_explorations")
COUNTED_PAYMENTS = Obligation(
    "initialization-and-capped-exploration",
    "c_max is paid on at most N steps of initialization and as many of exploration as their caps allow",
    {
        **defining(counted=equal(COUNTED, NUMBER + EXPLORATIONS)),
        **concluded("all-explorations-capped", explored=EXPLORATIONS <= _CAPS),
    },
    COUNTED <= NUMBER + _CAPS,
    (Mutant("without initialization", goal=COUNTED <= _CAPS),),
)
PAYMENTS = Proof(
    "thm:regret:sharp",
    together((ORDINARY_COUNTS, ORDINARY_SET, EARLY, ORDINARY, COUNTED_PAYMENTS), CHAIN, GENERAL_CHAIN),
    "The excess: as thm:excess-payment-general with the counts of lem:forced-exploration-bound:sharp and the root "
    f"of lem:radius-sum:sharp. The average: {COMPOSITION} Here T_0 is N max{{1, (M/k)^(1/alpha)}} for M = max{{1, max "
    "floor(m*(epsilon_i))}, E = max{c_(2), c_max - c_(2)}, and the band is of 2 radii, so that the last term has "
    "4/(2 - alpha) for 6/(2 - alpha).",
    uses=(
        *USES,
        "lem:payment-range",
        "lem:two-sided-payment:sharp",
        "lem:ordinary-qualified-set",
        "lem:unqualified-elimination:sharp",
        "lem:forced-exploration-bound:sharp",
        "lem:radius-sum:sharp",
        "thm:excess-payment-general",
        "thm:regret",
    ),
)
SUMMARY = Proof(
    "claim:summary-appC",
    (WIDENED, ADJUSTED, GAP, TWO_SIDED_WITH_THREE),
    "Every obligation of the statements below has d_-, d_+ and the radius (1 + gamma) c_max beta(m) as parameters, "
    "so they hold for both at once; L_i is M at a = (Delta_i - d_- - d_+)/((1 + gamma) c_max).",
    uses=(
        "lem:bayesian-cost-concentration",
        "lem:deviation-adjusted-bid-bounds",
        "prop:deviation-selection",
        "thm:quality-guarantee",
        "thm:deviation-generation-regret",
        "lem:deviation-payment",
        "thm:deviation-payment-convergence",
    ),
    beyond="The limits.",
)

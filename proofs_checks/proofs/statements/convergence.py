"""The payments converge to the second cost: the deviation of each step, its sum until T, its average.

Sources: thm:payment-convergence, thm:regret, thm:deviation-payment-convergence. The deviations d_-, d_+ and the scale
(1 + gamma) c_max are parameters, and so are what an early step contributes and how many radii the band of payments
has.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    Term,
    all_of,
    any_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    implies,
)
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, concluded, defining, induction, within
from proofs_checks.proofs.statements.accounting import HORIZON, TERM, TOTAL, together
from proofs_checks.proofs.statements.decays import (
    COEFFICIENT,
    DECAY,
    DECAYS,
    FACTOR,
    LAST,
    LAST_BOUND,
    RADII_CHAIN,
    SUM_CHAIN,
)
from proofs_checks.proofs.statements.excess import (
    ABOVE_SECOND,
    AVERAGE,
    CAPPED,
    CEILING_LESS_ONE,
    EXPLORATION_SHARE,
    EXPLORATIONS,
    EXPLORATIONS_BY_SHARE,
    GENERAL_CHAIN,
    POLYNOMIAL_CHAIN,
    SHARE_POWER,
)
from proofs_checks.proofs.statements.payments import PAYMENT, TARGET_RADIUS
from proofs_checks.proofs.statements.shared import OVERBID, SECOND_COST, UNDERBID
from proofs_checks.proofs.statements.two_sided import TWO_SIDED_WITH_THREE, band

_ABOVE = PAYMENT - SECOND_COST
#: |pi_t - c_(2)|, and what it may exceed a radius by.
_DISTANCE = either(_ABOVE >= 0, _ABOVE, -_ABOVE)
_LARGER = at_least(UNDERBID, OVERBID)
_SIDES = assuming(deviations_non_negative=all_of(UNDERBID >= 0, OVERBID >= 0))
_SECOND_IN_RANGE = concluded("second-cost-at-most-bound", second=within(0, SECOND_COST, COST_BOUND))


def each_side(bound: Term) -> Term:
    """Return that pi_t is at most a bound and d_+ above c_(2), d_- below it, the larger of them away from it.

    Examples
    --------
    >>> str(each_side(COST_BOUND).arguments[1])
    '(>= (+ cost_bound overbid) (- payment second_cost))'
    """
    return all_of(bound + _LARGER >= _DISTANCE, bound + OVERBID >= _ABOVE, bound + UNDERBID >= -_ABOVE)


EARLY = Obligation(
    "early-deviation",
    "on any step |pi_t - c_(2)| <= c_max + max{d_-, d_+}: with d_- = d_+ = 0 it is lem:payment-range",
    {
        **_SIDES,
        **_SECOND_IN_RANGE,
        **concluded("payment-range-under-deviations", payment=within(-UNDERBID, PAYMENT, COST_BOUND)),
    },
    each_side(COST_BOUND),
    (Mutant("without the deviations, as appendix C uses it", goal=_DISTANCE <= COST_BOUND),),
)
EXPLORED = Obligation(
    "exploration-deviation",
    "where c_max is paid, pi_t - c_(2) = c_max - c_(2), whatever the deviations",
    {**_SIDES, **_SECOND_IN_RANGE, **concluded("excess-of-bound-payment", paid=equal(_ABOVE, ABOVE_SECOND))},
    each_side(ABOVE_SECOND),
)
_TARGET_NON_NEGATIVE = defining(target_radius_non_negative=TARGET_RADIUS >= 0)
ORDINARY = Obligation(
    "auction-deviation",
    "in an auction after T_0 |pi_t - c_(2)| <= 3 R + max{d_-, d_+}",
    {**_TARGET_NON_NEGATIVE, **concluded("two-sided-payment", two_sided=band(3))},
    each_side(3 * TARGET_RADIUS),
    (
        Mutant("d_+ alone", goal=_DISTANCE <= 3 * TARGET_RADIUS + OVERBID),
        Mutant("d_- alone", goal=_DISTANCE <= 3 * TARGET_RADIUS + UNDERBID),
        Mutant("2 from a band of 3", goal=_DISTANCE <= 2 * TARGET_RADIUS + _LARGER),
    ),
)

_STEP = constant("step")
#: How many steps until t were at most T_0; T_0.
_EARLY_STEPS, _NEXT_EARLY, _START = constants("early_steps next_early_steps T0")
_IS_EARLY, _EXPLORES = constants("is_early explores", BOOL)
_ONE_IF_EARLY = either(_IS_EARLY, 1, 0)
EARLY_STEPS = Obligation(
    "early-steps-at-most-T0",
    "at most T_0 steps until t are at most T_0, step",
    {
        **induction(all_of(_EARLY_STEPS <= _STEP, _EARLY_STEPS <= _START)),
        **defining(
            early=equal(_IS_EARLY, _STEP + 1 <= _START), counted=equal(_NEXT_EARLY, _EARLY_STEPS + _ONE_IF_EARLY)
        ),
    },
    all_of(_NEXT_EARLY <= _STEP + 1, _NEXT_EARLY <= _START),
)
#: What an early step contributes at most: c_max.
_EARLY_EACH = constant("bound_of_early_term")
_IN_BAND = constant("radii_in_band_now")
_SHIFT, _NEXT_TOTAL, _NEXT_EXPLORATIONS, _ALL_STEPS = constants(
    "shift_of_each next_total next_explorations_of_all steps"
)


def _partitioned(total: Term, early: Term, explorations: Term, decays: Term, steps: Term) -> Term:
    """Return S <= n E + x (c_max - c_(2)) + F V + D t."""
    return total <= early * _EARLY_EACH + explorations * ABOVE_SECOND + COEFFICIENT * decays + _SHIFT * steps


_PARTITIONED = _partitioned(TOTAL, _EARLY_STEPS, EXPLORATIONS, DECAYS, _ALL_STEPS)
_IS_AUCTION = ~any_of(_IS_EARLY, _EXPLORES)
PARTITION = Obligation(
    "deviations-by-kind-of-step",
    "R_1: at most E, R_2: at most c_max - c_(2), R_3: at most F v_t, each with D besides; step",
    {
        **induction(_PARTITIONED),
        **concluded("early-deviation", early=implies(_IS_EARLY, TERM <= _EARLY_EACH + _SHIFT)),
        **concluded(
            "exploration-deviation", explored=implies(all_of(_EXPLORES, ~_IS_EARLY), TERM <= ABOVE_SECOND + _SHIFT)
        ),
        **concluded("auction-deviation", auction=implies(_IS_AUCTION, TERM <= _IN_BAND + _SHIFT)),
        **concluded("band-radii-by-decay", radii=implies(_IS_AUCTION, _IN_BAND <= COEFFICIENT * DECAY)),
        **defining(coefficient_non_negative=COEFFICIENT >= 0, decay_positive=DECAY > 0),
        **defining(
            total=equal(_NEXT_TOTAL, TOTAL + TERM),
            early_steps=equal(_NEXT_EARLY, _EARLY_STEPS + _ONE_IF_EARLY),
            explorations=equal(_NEXT_EXPLORATIONS, EXPLORATIONS + either(all_of(_EXPLORES, ~_IS_EARLY), 1, 0)),
        ),
    },
    _partitioned(_NEXT_TOTAL, _NEXT_EARLY, _NEXT_EXPLORATIONS, DECAYS + DECAY, _ALL_STEPS + 1),
)
PARTITION_BASE = Obligation(
    "deviations-of-no-step",
    "before the first step both sides are 0",
    defining(
        no_terms=equal(TOTAL, 0),
        none_early=equal(_EARLY_STEPS, 0),
        none_explored=equal(EXPLORATIONS, 0),
        no_decays=equal(DECAYS, 0),
        no_steps=equal(_ALL_STEPS, 0),
    ),
    _PARTITIONED,
)
_SHARE_OF_START = constant("T0_over_T")
_AVERAGE_BOUND = _SHARE_OF_START * _EARLY_EACH + FACTOR * SHARE_POWER * ABOVE_SECOND + LAST + _SHIFT
_EARLY_COST = _EARLY_STEPS * _EARLY_EACH <= _SHARE_OF_START * HORIZON * _EARLY_EACH
EARLY_COST = Obligation(
    "early-deviations-until-horizon",
    "at most T_0 times E",
    {
        **defining(early_non_negative=_EARLY_EACH >= 0),
        **defining(share=equal(_SHARE_OF_START * HORIZON, _START)),
        **concluded("early-steps-at-most-T0", early_steps=_EARLY_STEPS <= _START),
    },
    _EARLY_COST,
)
_EXPLORATION_COST = EXPLORATIONS * ABOVE_SECOND <= FACTOR * SHARE_POWER * HORIZON * ABOVE_SECOND
EXPLORATION_COST = Obligation(
    "exploration-deviations-until-horizon",
    "at most k (N/T)^(1 - alpha) T times c_max - c_(2)",
    {
        **_SECOND_IN_RANGE,
        **concluded("explorations-by-share", explorations=EXPLORATIONS <= FACTOR * SHARE_POWER * HORIZON),
    },
    _EXPLORATION_COST,
    (Mutant("any second cost", replace={"second": equal(SECOND_COST, COST_BOUND + 1)}),),
)
ASSEMBLED = Obligation(
    "deviations-until-horizon",
    "the deviations until T add up to at most T times (T_0/T) E + k (N/T)^(1-alpha)(c_max - c_(2)) + the last term + D",
    {
        **concluded("deviations-by-kind-of-step", partitioned=_PARTITIONED),
        **concluded("early-deviations-until-horizon", early=_EARLY_COST),
        **concluded("exploration-deviations-until-horizon", explorations=_EXPLORATION_COST),
        **concluded("last-term-times-horizon", last_term=LAST_BOUND),
        **defining(steps=equal(_ALL_STEPS, HORIZON)),
    },
    TOTAL <= _AVERAGE_BOUND * HORIZON,
    (Mutant("without D", goal=TOTAL <= (_AVERAGE_BOUND - _SHIFT) * HORIZON),),
)
CHAIN = (
    EARLY,
    CAPPED,
    EXPLORED,
    *RADII_CHAIN,
    *SUM_CHAIN,
    EARLY_STEPS,
    PARTITION_BASE,
    PARTITION,
    CEILING_LESS_ONE,
    EXPLORATION_SHARE,
    EXPLORATIONS_BY_SHARE,
    EARLY_COST,
    EXPLORATION_COST,
    ASSEMBLED,
    AVERAGE,
)
COMPOSITION = (
    "Steps t <= T_0, which include initialization, are R_1; later steps, on E, have somebody eligible, so they "
    "explore (R_2) or are auctions (R_3). Induction on t adds up what each contributes, with D besides; the v_t by "
    "induction from t = 1 (Bernoulli for t/(t + 1)); R_2 has at most N (ceil(g(T)) - 1) steps "
    "(sum-of-equally-bounded-terms). The sum of the v_t runs over all steps, as they are positive. Divided by T "
    "(average-at-most). v_T^2 = (N/T)^alpha, and ln(C g(T)^2) is the logarithm in the last term."
)
USES = (
    "lem:good-event",
    "lem:radius-inversion",
    "lem:qualified-eligibility",
    "lem:forced-exploration-bound",
    "lem:payment-range:repaired",
    "lem:deviation-payment",
)
_PAPER = "E = c_max, the band is of 3 radii. "
PAYMENT_CONVERGENCE = Proof(
    "thm:payment-convergence",
    (TWO_SIDED_WITH_THREE, ORDINARY, *CHAIN),
    f"The first claim is two-sided-payment. The second, with d_- = d_+ = gamma = 0: {_PAPER}{COMPOSITION}",
    uses=USES,
    beyond="That beta(g(t)) tends to 0, hence pi_t to c_(2) along the auctions.",
)
REGRET = Proof(
    "thm:regret",
    (ORDINARY, *CHAIN),
    f"The second claim of thm:payment-convergence. {_PAPER}{COMPOSITION}",
    uses=("thm:payment-convergence",),
    beyond="That the right side tends to 0 as T grows, hence the average payment to c_(2).",
)
DEVIATION_CONVERGENCE = Proof(
    "thm:deviation-payment-convergence",
    together((ORDINARY,), CHAIN, GENERAL_CHAIN, POLYNOMIAL_CHAIN),
    f"D = max{{d_-, d_+}}. {_PAPER}{COMPOSITION} The limits: the same sums for pi_t - c_(2), D = d_+, and c_(2) - "
    "pi_t, D = d_- (early-, exploration- and auction-deviation bound all three). The paper bounds R_1 by "
    f"lem:payment-range, which fails here: by lem:payment-range:repaired a step contributes c_max + max{{d_-, "
    "d_+}, of which the second part is charged anyway. The excess is cor:excess-payment-polynomial with d_+.",
    uses=(*USES, "cor:excess-payment-polynomial"),
    beyond="That the other terms tend to 0 as T grows, which gives the limits inferior and superior.",
)

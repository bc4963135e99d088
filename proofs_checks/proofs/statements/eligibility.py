"""Who is eligible on the good event: every qualified provider always, an unqualified one only while its count is low.

Sources: lem:qualified-eligibility, lem:unqualified-exclusion, lem:unqualified-elimination, lem:ordinary-qualified-set
with T_0. Bids play no part: all of it holds under any bids.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import expectation_monotone, power_monotone, power_product
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    at_least,
    constant,
    constants,
    equal,
    exists,
    function,
    implies,
    power,
)
from proofs_checks.proofs.language.vocabulary import (
    ELIGIBLE,
    Hypotheses,
    assuming,
    concluded,
    defining,
    every,
    only,
    provider,
    within,
)
from proofs_checks.proofs.statements.radii import inverted
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COUNT,
    QUALIFIED,
    QUALITY,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    eligibility,
    good_event,
    qualified_are_eligible,
    rounded_up,
    to_real,
)

_I, _J = provider("i"), provider("j")
#: M_i, the ceiling of `INVERSION_BOUND_OF`, and m_{i,t+1}.
THRESHOLD = function("unqualified_threshold", INT)
_BOUND = function("inversion_bound_of")
_GAP = QUALITY_THRESHOLD - QUALITY(_I)

_QUALITIES = only(good_event(), "qualities-concentrated")
_HIGHEST = QUALITY_ESTIMATE(_J) + QUALITY_RADIUS(_J)
QUALIFIED_ELIGIBLE = Obligation(
    "qualified-is-eligible",
    "on E, a qualified provider is eligible",
    _QUALITIES | eligibility() | assuming(qualified_provider=QUALIFIED(_I)),
    ELIGIBLE(_I),
    (Mutant("above the threshold", {"eligible": every(equal(ELIGIBLE(_J), _HIGHEST > QUALITY_THRESHOLD))}),),
)
SOMEBODY_ELIGIBLE = Obligation(
    "somebody-is-eligible",
    "on E, somebody is eligible, since somebody is qualified",
    qualified_are_eligible() | assuming(somebody_qualified=exists([_J], QUALIFIED(_J))),
    exists([_J], ELIGIBLE(_J)),
)
QUALIFIED_ELIGIBILITY = Proof(
    "lem:qualified-eligibility",
    (QUALIFIED_ELIGIBLE, SOMEBODY_ELIGIBLE),
    "For any provider and any step t > N, whose estimate and radius are those at the count m_{i,t}.",
    uses=("lem:good-event",),
    assumes=("qualified-is-eligible: qualities-concentrated qualified eligible",),
)

_EXCLUSION_FREE, _GOOD, _DELTA = constants("probability_of_no_exclusion probability_of_good_event delta")
NEVER_EXCLUDED = Obligation(
    "qualified-never-excluded-probability",
    "with probability at least 1 - delta, no qualified provider is ever excluded",
    concluded("good-event-has-probability", good_event=_GOOD >= 1 - _DELTA)
    | {"contains-good-event": expectation_monotone(_EXCLUSION_FREE, _GOOD)},
    _EXCLUSION_FREE >= 1 - _DELTA,
)
NEVER_EXCLUDED_PROOF = Proof(
    "claim:Q-subset-Qhat-probability",
    (NEVER_EXCLUDED,),
    "E implies that Q is contained in the eligible set at every t > N (lem:qualified-eligibility), so that event is at "
    "least as probable as E: the indicator of the one is at least that of the other.",
    uses=("lem:good-event", "lem:qualified-eligibility"),
    beyond="That an event which contains E is at least as probable as E.",
)

_IN_TWO_RADII = 2 * QUALITY_RADIUS(_I) >= _GAP
ELIGIBLE_RADIUS = Obligation(
    "eligible-unqualified-radius",
    "on E, an unqualified provider is eligible only while 0 < epsilon_i <= 2 beta(m_i)",
    _QUALITIES | eligibility() | assuming(unqualified=~QUALIFIED(_I), still_eligible=ELIGIBLE(_I)),
    all_of(_GAP > 0, _IN_TWO_RADII),
    (
        Mutant("19/10 for 2", goal=Fraction(19, 10) * QUALITY_RADIUS(_I) >= _GAP),
        Mutant("strictly", goal=2 * QUALITY_RADIUS(_I) > _GAP),
    ),
)
EXCLUDED = Obligation(
    "eligible-unqualified-below-threshold",
    "on E, an unqualified provider is eligible only while m_i < M_i, which is less than M_i + 1 of the paper",
    concluded("eligible-unqualified-radius", radius=all_of(_GAP > 0, _IN_TWO_RADII))
    | {"inverted": inverted(_IN_TWO_RADII, to_real(COUNT(_I)), _BOUND(_I))}
    | defining(threshold=rounded_up(THRESHOLD(_I), _BOUND(_I))),
    COUNT(_I) < THRESHOLD(_I),
    (
        Mutant("the paper's inversion", {"inverted": implies(_IN_TWO_RADII, to_real(COUNT(_I)) <= _BOUND(_I))}),
        Mutant("rounded down", {"threshold": to_real(THRESHOLD(_I)) <= _BOUND(_I)}),
    ),
)
UNQUALIFIED_EXCLUSION = Proof(
    "lem:unqualified-exclusion",
    (ELIGIBLE_RADIUS, EXCLUDED),
    "At any step t > N. The conclusion m < M_i is stronger than the paper's m <= M_i, as its inversion is strict.",
    uses=("lem:good-event", "lem:radius-inversion"),
    assumes=(
        "radius-inversion: bound",
        "radius-squared: logarithm radius",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "eligible-unqualified-radius: qualities-concentrated qualified eligible unqualified still-eligible",
    ),
)


def excluded() -> Hypotheses:
    """Return the conclusion of lem:unqualified-exclusion: an unqualified provider is eligible only while m < M."""
    formula = every(implies(all_of(~QUALIFIED(_J), ELIGIBLE(_J)), COUNT(_J) < THRESHOLD(_J)))
    return concluded("eligible-unqualified-below-threshold", excluded=formula)


_WINNER = AUCTION.winner
_EXPLORES, _TARGET = constant("explores", BOOL), constant("target_now")
_SOMEBODY = exists([_J], ELIGIBLE(_J))
SELECTED_ELIGIBLE = Obligation(
    "selected-is-eligible",
    "on E, who is selected after initialization is eligible, in exploration and otherwise",
    concluded("somebody-is-eligible", somebody_eligible=_SOMEBODY)
    | defining(
        exploration=implies(all_of(_SOMEBODY, _EXPLORES), all_of(ELIGIBLE(_WINNER), to_real(COUNT(_WINNER)) < _TARGET)),
        auction=implies(all_of(_SOMEBODY, ~_EXPLORES), ELIGIBLE(_WINNER)),
    ),
    ELIGIBLE(_WINNER),
)
SELECTED_BELOW = Obligation(
    "selected-unqualified-below-threshold",
    "on E, an unqualified provider is selected only while m < M",
    excluded()
    | concluded("selected-is-eligible", selected_eligible=ELIGIBLE(_WINNER))
    | assuming(unqualified=~QUALIFIED(_I), selected=equal(_WINNER, _I)),
    COUNT(_I) < THRESHOLD(_I),
)
GAP_IN_RANGE = Obligation(
    "quality-gap-in-range",
    "0 < epsilon_i <= 1, since somebody is qualified",
    only(eligibility(), "qualified")
    | defining(qualities_in_range=every(within(0, QUALITY(_J), 1)))
    | assuming(somebody_qualified=exists([_J], QUALIFIED(_J)), unqualified=~QUALIFIED(_I)),
    all_of(_GAP > 0, _GAP <= 1),
)
UNQUALIFIED_ELIMINATION = Proof(
    "lem:unqualified-elimination",
    (SELECTED_ELIGIBLE, SELECTED_BELOW, GAP_IN_RANGE),
    "capped-selections-base and -step with cap M_i, at least 1 by threshold-at-least-one for a = epsilon_i <= 1, by "
    "induction on t. As m < M_i at a selection, at most M_i - 1 of them happen. The last sentence (m > M_i) speaks of "
    "what never happens on E (unqualified-count-at-most-threshold).",
    uses=("lem:qualified-eligibility", "lem:unqualified-exclusion", "lem:selection-counting"),
    beyond="The induction on t that counts the selections: its base and its step are proved.",
)

_LARGEST = constant("largest_threshold")
ORDINARY_COUNTS = Obligation(
    "ordinary-counts",
    "in an auction, every eligible provider has m >= g(t)",
    defining(no_exploration=every(~all_of(ELIGIBLE(_J), to_real(COUNT(_J)) < _TARGET))),
    implies(ELIGIBLE(_I), to_real(COUNT(_I)) >= _TARGET),
    (Mutant("above", goal=implies(ELIGIBLE(_I), to_real(COUNT(_I)) > _TARGET)),),
)
ORDINARY_SET = Obligation(
    "ordinary-eligible-are-qualified",
    "on E, in an auction after T_0, the eligible providers are the qualified ones",
    qualified_are_eligible()
    | excluded()
    | concluded("ordinary-counts", counts=every(implies(ELIGIBLE(_J), to_real(COUNT(_J)) >= _TARGET)))
    | defining(largest=every(implies(~QUALIFIED(_J), to_real(THRESHOLD(_J)) <= _LARGEST)))
    | concluded("after-T0-target-above-thresholds", late=_TARGET > _LARGEST),
    equal(ELIGIBLE(_I), QUALIFIED(_I)),
)
_STEP, _N, _FACTOR, _LEVEL = constants("step providers_number target_factor level")
_START, _RATIO, _NEEDED, _MAXIMUM = constants("T0 step_over_N needed_ratio larger_of_1_and_needed")
_POWER_OF_NEEDED, _POWER_OF_RATIO, _ALPHA = constants("power_of_needed power_of_ratio alpha")
AFTER_START_RATIO = Obligation(
    "after-T0-ratio",
    "t > T_0 = N max{1, (M/k)^(1/alpha)} means t > N and t/N > (M/k)^(1/alpha)",
    assuming(two_providers=_N >= 2, late=_STEP > _START)
    | defining(
        start=equal(_START, _N * _MAXIMUM),
        maximum=equal(_MAXIMUM, at_least(_NEEDED, 1)),
        ratio=equal(_RATIO * _N, _STEP),
    ),
    all_of(_STEP > _N, _RATIO > _NEEDED),
    (
        Mutant("at T_0", {"late": _STEP >= _START}),
        Mutant("without the 1", {"maximum": equal(_MAXIMUM, _NEEDED)}),
        Mutant("without N", {"start": equal(_START, _MAXIMUM)}),
    ),
)
AFTER_START = Obligation(
    "after-T0-target-above-thresholds",
    "t > T_0 means g(t) = k (t/N)^alpha > M",
    assuming(factor_positive=_FACTOR > 0, needed_positive=_NEEDED > 0)
    | concluded("after-T0-ratio", ratio=_RATIO > _NEEDED)
    | {
        "needed": power_product(
            _POWER_OF_NEEDED * _FACTOR,
            _LEVEL,
            {_NEEDED: power(_LEVEL / _FACTOR, 1 / _ALPHA), _POWER_OF_NEEDED: power(_NEEDED, _ALPHA)},
        ),
        "powers": power_monotone(_NEEDED, _POWER_OF_NEEDED, _RATIO, _POWER_OF_RATIO, _ALPHA),
    }
    | defining(target=equal(_TARGET, _FACTOR * _POWER_OF_RATIO)),
    _TARGET > _LEVEL,
    (Mutant("at T_0", {"ratio": _RATIO >= _NEEDED}),),
)
ORDINARY_QUALIFIED_SET = Proof(
    "lem:ordinary-qualified-set",
    (ORDINARY_COUNTS, AFTER_START_RATIO, AFTER_START, ORDINARY_SET),
    "For any step t > N without exploration. M is max{1, max M_i} over unqualified providers; (M/k)^(1/alpha) is the "
    "number whose power alpha is M/k.",
    uses=("lem:qualified-eligibility", "lem:unqualified-exclusion"),
    assumes=(
        "after-T0-target-above-thresholds: factor-positive needed-positive needed powers target",
        "after-T0-ratio: ratio maximum start late two-providers",
        "ordinary-counts: no-exploration",
        "eligible-unqualified-below-threshold: threshold",
        "qualified-is-eligible: eligible qualified qualities-concentrated",
        "radius-squared: radius logarithm",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "radius-inversion: bound",
    ),
)

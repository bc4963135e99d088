"""Sums over steps, by kinds of steps and by providers.

For thm:quality-guarantee, thm:generation-regret, thm:excess-payment-general: a sum over steps is split by kinds of
steps (`classified-sum`), or turned into one over providers (`regret-by-provider`); both by induction on t.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.proofs.language.obligation import Mutant, Obligation
from proofs_checks.proofs.language.terms import BOOL, INT, all_of, any_of, constant, constants, either, equal, implies
from proofs_checks.proofs.language.vocabulary import assuming, concluded, defining, induction, within
from proofs_checks.proofs.statements.shared import to_real


def together(*chains: Sequence[Obligation]) -> tuple[Obligation, ...]:
    """Return the obligations of some chains, each once.

    Examples
    --------
    >>> len(together(ACCOUNTING, ACCOUNTING))
    3
    """
    return tuple({obligation.name: obligation for chain in chains for obligation in chain}.values())


#: The sum of some terms until t; a term of one step; how many steps were counted, and a bound of each of their terms.
TOTAL, TERM, COUNTED, EACH = constants("total term counted_steps bound_of_counted_term")
#: The sum of the radii of the steps with one, the radius of this step; how many they are, and what each adds besides.
RADII, THIS_RADIUS, WITH_RADIUS, SHIFT = constants("sum_of_radii this_radius steps_with_radius shift_of_each")
_NEXT_TOTAL, _NEXT_COUNTED, _NEXT_RADII, _NEXT_WITH_RADIUS = constants(
    "next_total next_counted_steps next_sum_of_radii next_steps_with_radius"
)
_IS_COUNTED, _HAS_RADIUS = constants("is_counted has_radius", BOOL)
#: S <= n b + A + D o.
CLASSIFIED = TOTAL <= COUNTED * EACH + RADII + SHIFT * WITH_RADIUS
_NEXT_CLASSIFIED = _NEXT_TOTAL <= _NEXT_COUNTED * EACH + _NEXT_RADII + SHIFT * _NEXT_WITH_RADIUS
CLASSIFIED_BASE = Obligation(
    "classified-sum-none",
    "an empty sum is at most an empty sum",
    defining(
        no_terms=equal(TOTAL, 0),
        none_counted=equal(COUNTED, 0),
        no_radii=equal(RADII, 0),
        no_radius=equal(WITH_RADIUS, 0),
    ),
    CLASSIFIED,
)
CLASSIFIED_STEP = Obligation(
    "classified-sum-one-more",
    "a step is counted, with a term of at most b, or has a radius r, with a term of at most r + D, or has no term",
    {
        **induction(CLASSIFIED),
        **assuming(
            counted_term=implies(_IS_COUNTED, TERM <= EACH),
            term_with_radius=implies(all_of(_HAS_RADIUS, ~_IS_COUNTED), TERM <= THIS_RADIUS + SHIFT),
            other_term=implies(~any_of(_IS_COUNTED, _HAS_RADIUS), TERM <= 0),
        ),
        **defining(
            total=equal(_NEXT_TOTAL, TOTAL + TERM),
            counted=equal(_NEXT_COUNTED, COUNTED + either(_IS_COUNTED, 1, 0)),
            radii=equal(_NEXT_RADII, RADII + either(all_of(_HAS_RADIUS, ~_IS_COUNTED), THIS_RADIUS, 0)),
            steps_with_radius=equal(_NEXT_WITH_RADIUS, WITH_RADIUS + either(all_of(_HAS_RADIUS, ~_IS_COUNTED), 1, 0)),
        ),
    },
    _NEXT_CLASSIFIED,
    (
        Mutant(
            "twice the radius",
            replace={"term-with-radius": implies(all_of(_HAS_RADIUS, ~_IS_COUNTED), TERM <= 2 * THIS_RADIUS + SHIFT)},
        ),
    ),
)
#: T, N and t.
HORIZON, NUMBER = constants("horizon providers_number")
_TIME = constant("time")
STEPS_WITH_RADIUS = Obligation(
    "steps-with-radius-at-most",
    "at most t - N steps until t have a radius: none of the initialization, step",
    {**induction(WITH_RADIUS <= _TIME - NUMBER), **defining(one_or_none=within(0, _NEXT_WITH_RADIUS - WITH_RADIUS, 1))},
    _NEXT_WITH_RADIUS <= _TIME + 1 - NUMBER,
)
ACCOUNTING = (CLASSIFIED_BASE, CLASSIFIED_STEP, STEPS_WITH_RADIUS)

#: Of one provider: what each of its selections costs, and how many there are until t; sums over the providers.
_WEIGHT, _SELECTED, _OF_PROVIDERS, _NEXT_OF_PROVIDERS = constants(
    "weight selections_of_one weighted_selections next_weighted_selections"
)
BY_PROVIDER_BASE = Obligation(
    "regret-by-provider-none",
    "before the first step both sums are 0",
    defining(no_steps=equal(TOTAL, 0), no_selections=equal(_OF_PROVIDERS, 0)),
    equal(TOTAL, _OF_PROVIDERS),
)
BY_PROVIDER = Obligation(
    "regret-by-provider",
    "the sum over steps of w_{I_t} is the sum over providers of their selections times w_i, step",
    {
        **induction(equal(TOTAL, _OF_PROVIDERS)),
        **defining(
            total=equal(_NEXT_TOTAL, TOTAL + _WEIGHT),
            one_more=equal(_NEXT_OF_PROVIDERS, _OF_PROVIDERS - _SELECTED * _WEIGHT + (_SELECTED + 1) * _WEIGHT),
        ),
    },
    equal(_NEXT_TOTAL, _NEXT_OF_PROVIDERS),
    (Mutant("not counted", replace={"one-more": equal(_NEXT_OF_PROVIDERS, _OF_PROVIDERS)}),),
)
_SERVED, _CAP = constants("selections_after_initialization cap", INT)
SELECTIONS = Obligation(
    "selections-with-initialization",
    "a provider selected at most K times after initialization is selected at most K + 1 times",
    {
        **concluded("capped-selections-step", capped=_SERVED <= _CAP),
        **defining(with_initialization=equal(_SELECTED, to_real(_SERVED) + 1)),
    },
    to_real(_CAP) + 1 >= _SELECTED,
    (
        Mutant("initialized twice", replace={"with-initialization": equal(_SELECTED, to_real(_SERVED) + 2)}),
        Mutant("without initialization", goal=to_real(_CAP) >= _SELECTED),
    ),
)
_MOST = constant("most_selections")
WEIGHTED = Obligation(
    "weighted-selections-at-most",
    "selections times w are at most their bound times w, for w >= 0",
    {
        **concluded("selections-with-initialization", selections=_SELECTED <= _MOST),
        **assuming(weight_non_negative=_WEIGHT >= 0),
    },
    _SELECTED * _WEIGHT <= _MOST * _WEIGHT,
)
_SUM, _SUM_OF_BOUNDS, _ONE, _ITS_BOUND = constants("sum_over_providers sum_of_bounds term_of_one bound_of_one")
ADDED_UP = Obligation(
    "weighted-selections-add-up",
    "terms that are at most their bounds add up to at most the sum of the bounds, step over the providers",
    {**induction(_SUM <= _SUM_OF_BOUNDS), **concluded("weighted-selections-at-most", one=_ONE <= _ITS_BOUND)},
    _SUM + _ONE <= _SUM_OF_BOUNDS + _ITS_BOUND,
)
_FIRST, _SECOND = constants("first_bound second_bound")
SMALLER = Obligation(
    "at-most-the-smaller",
    "what is at most two bounds is at most the smaller",
    assuming(first=TOTAL <= _FIRST, second=TOTAL <= _SECOND),
    either(_FIRST <= _SECOND, _FIRST, _SECOND) >= TOTAL,
)
PROVIDER_CHAIN = (BY_PROVIDER_BASE, BY_PROVIDER, SELECTIONS, WEIGHTED, ADDED_UP, SMALLER)

"""How often a provider is selected, and how often exploration selects it.

Sources: lem:selection-counting, lem:forced-exploration-bound. Inductions on t, one provider at a time: what is said of
it before a step stays true after the step, whether it is selected or not.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import BOOL, INT, all_of, constant, constants, either, equal, implies, number
from proofs_checks.proofs.language.vocabulary import assuming, concluded, defining, induction
from proofs_checks.proofs.statements.good_event import EQUAL_BOUNDS
from proofs_checks.proofs.statements.shared import rounded_up

_COUNT, _SERVED, _CAP, _NEXT_COUNT, _NEXT_SERVED = constants("count served cap next_count next_served", INT)
_SELECTED = constant("selected", BOOL)
_ONE = either(_SELECTED, number(1, INT), number(0, INT))
_COUNTED = equal(_COUNT, _SERVED + 1)

COUNTING_BASE = Obligation(
    "selection-counting-base",
    "after initialization, m = 1 and there was no selection since",
    defining(initialized=all_of(equal(_COUNT, 1), equal(_SERVED, 0))),
    _COUNTED,
    (Mutant("not initialized", {"initialized": all_of(equal(_COUNT, 0), equal(_SERVED, 0))}),),
)
COUNTING_STEP = Obligation(
    "selection-counting-step",
    "m is 1 more than the selections since initialization: the l-th of them happens at m = l",
    induction(_COUNTED, base="selection-counting-base")
    | defining(count=equal(_NEXT_COUNT, _COUNT + _ONE), served=equal(_NEXT_SERVED, _SERVED + _ONE)),
    equal(_NEXT_COUNT, _NEXT_SERVED + 1),
    (Mutant("counted twice", {"count": equal(_NEXT_COUNT, _COUNT + 2 * _ONE)}),),
)
CAPPED_BASE = Obligation(
    "capped-selections-base",
    "no selection is at most a cap that is at least 0",
    defining(initialized=equal(_SERVED, 0)) | assuming(cap_non_negative=_CAP >= 0),
    _SERVED <= _CAP,
)
CAPPED_STEP = Obligation(
    "capped-selections-step",
    "a provider that is selected at counts m <= cap only is selected at most cap times after initialization",
    induction(_SERVED <= _CAP, base="capped-selections-base")
    | concluded("selection-counting-step", counted=_COUNTED)
    | assuming(only_below_cap=implies(_SELECTED, _COUNT <= _CAP))
    | defining(served=equal(_NEXT_SERVED, _SERVED + _ONE)),
    _NEXT_SERVED <= _CAP,
    (
        Mutant("one above the cap", {"only-below-cap": implies(_SELECTED, _COUNT <= _CAP + 1)}),
        Mutant("not counted from 1", {"counted": equal(_COUNT, _SERVED)}),
    ),
)
_BOUND = constant("bound_of_counts")
FLOORED = Obligation(
    "whole-counts-below-a-bound",
    "a whole number that is at most B is at most the floor of B",
    assuming(at_most=_COUNT <= _BOUND) | defining(floor=all_of(_CAP <= _BOUND, _BOUND < _CAP + 1)),
    _COUNT <= _CAP,
    (Mutant("not the floor", {"floor": _CAP <= _BOUND}), Mutant("one less", goal=_COUNT <= _CAP - 1)),
)
SELECTION_COUNTING = Proof(
    "lem:selection-counting",
    (COUNTING_BASE, COUNTING_STEP, FLOORED, CAPPED_BASE, CAPPED_STEP),
    "Induction on t from the end of initialization. The second claim needs B >= 0: for B < 0 there is no selection, "
    "and floor(B) < 0 does not bound that.",
    beyond="The induction on t: its base and its step are proved.",
)

_TARGET, _TARGET_AT_END, _NOW, _END = constants("target_now target_at_end now end")
_EXPLORED = constant("explored", BOOL)
BELOW_TARGET = Obligation(
    "explored-below-target",
    "exploration selects a provider at m < g(t) <= g(T)",
    defining(exploration_set=implies(_EXPLORED, _COUNT < _TARGET))
    | assuming(
        explored=_EXPLORED,
        until_end=_NOW <= _END,
        target_non_decreasing=implies(_NOW <= _END, _TARGET <= _TARGET_AT_END),
    ),
    all_of(_COUNT < _TARGET, _TARGET <= _TARGET_AT_END, _COUNT < _TARGET_AT_END),
    (Mutant("at the target", {"exploration-set": implies(_EXPLORED, _COUNT <= _TARGET)}),),
)
_CEILING = constant("target_rounded_up", INT)
_CEILING_IS = defining(rounded_up=rounded_up(_CEILING, _TARGET_AT_END))
BELOW_CEILING = Obligation(
    "explored-at-most-ceiling",
    "a whole number m < g(T) is at most ceil(g(T)) - 1",
    _CEILING_IS | concluded("explored-below-target", below=_COUNT < _TARGET_AT_END),
    _COUNT <= _CEILING - 1,
    (
        Mutant("at g(T)", {"below": _COUNT <= _TARGET_AT_END}),
        Mutant("rounded up further", {"rounded-up": _CEILING >= _TARGET_AT_END - 1}),
        Mutant("one less", goal=_COUNT <= _CEILING - 2),
    ),
)
CAP_NON_NEGATIVE = Obligation(
    "exploration-cap-non-negative",
    "ceil(g(T)) - 1 >= 0, if g(T) > 0",
    _CEILING_IS | assuming(target_positive=_TARGET_AT_END > 0),
    _CEILING - 1 >= 0,
    (
        Mutant("g(T) = 0", {"target-positive": _TARGET_AT_END >= 0}),
        Mutant("rounded down", {"rounded-up": all_of(_CEILING <= _TARGET_AT_END, _TARGET_AT_END < _CEILING + 1)}),
    ),
)
_EXPLORATIONS, _NEXT_EXPLORATIONS = constants("explorations next_explorations", INT)
_EXPLORED_NOW = all_of(_SELECTED, _EXPLORED)
EXPLORATIONS_BASE = Obligation(
    "explorations-base",
    "before any exploration, there are at most ceil(g(T)) - 1 and at most m - 1",
    defining(initialized=all_of(equal(_EXPLORATIONS, 0), equal(_COUNT, 1)))
    | concluded("exploration-cap-non-negative", cap_non_negative=_CEILING - 1 >= 0),
    all_of(_EXPLORATIONS <= _CEILING - 1, _EXPLORATIONS <= _COUNT - 1),
)
EXPLORATIONS_STEP = Obligation(
    "explorations-step",
    "a provider is explored at most ceil(g(T)) - 1 times",
    induction(all_of(_EXPLORATIONS <= _CEILING - 1, _EXPLORATIONS <= _COUNT - 1), base="explorations-base")
    | concluded("explored-at-most-ceiling", below=implies(_EXPLORED_NOW, _COUNT <= _CEILING - 1))
    | defining(
        count=equal(_NEXT_COUNT, _COUNT + _ONE),
        explorations=equal(_NEXT_EXPLORATIONS, _EXPLORATIONS + either(_EXPLORED_NOW, number(1, INT), number(0, INT))),
    ),
    all_of(_NEXT_EXPLORATIONS <= _CEILING - 1, _NEXT_EXPLORATIONS <= _NEXT_COUNT - 1),
    (Mutant("one less", goal=_NEXT_EXPLORATIONS <= _CEILING - 2),),
)
FORCED_EXPLORATION = Proof(
    "lem:forced-exploration-bound",
    (BELOW_TARGET, BELOW_CEILING, CAP_NON_NEGATIVE, EXPLORATIONS_BASE, EXPLORATIONS_STEP, EQUAL_BOUNDS),
    "For one provider by induction on t. Each exploration step selects one provider, so the total is a sum over the N "
    "providers of terms of at most ceil(g(T)) - 1 each (sum-of-equally-bounded-terms). Needs g(T) > 0, which the paper "
    "does not say: for g(T) <= 0 the cap is negative.",
    uses=("lem:selection-counting",),
    beyond="The induction on t, and the sum over the N providers: bases and steps are proved.",
)

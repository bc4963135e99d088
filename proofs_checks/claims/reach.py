"""How far evidence reaches: the horizon that was missing, and comparisons whose bound was too large to fail.

Both depend on the setting and the horizon alone, so they are asked once of what all runs of a setting say together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.language.computed import Stated
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from proofs_checks.claims.model import trace_quantities
from proofs_checks.claims.model.claim import Check, Claim
from proofs_checks.claims.model.conditions import at_checkpoint
from proofs_checks.claims.model.evidence import AgainstTrivial, Evidence, Part, any_could_fail, combine
from proofs_checks.claims.model.relation import RELATIVE_TOLERANCE, Relation, is_searched
from proofs_checks.claims.model.start import start_of
from proofs_checks.claims.model.trace_evaluation import TraceEvaluation
from proofs_checks.verdict import Verdict

#: What a run adds to both sides, or only to a bound: at 0 it changes no answer. Where queries are in flight the bound
#: is larger, and the trivial value is the same: one that no run could break stays so.
_AT_ZERO = (*trace_quantities.IN_FLIGHT, trace_quantities.OPTIMAL_COUNT)


def with_horizons(stated: Claim, found: Evidence, setting: Setting, reached: int) -> Evidence:
    """Return evidence whose vacuous parts name the horizon that they need, if that is what was missing.

    Examples
    --------
    >>> from bounds.published import published
    >>> from proofs_checks.claims.registry import claim
    >>> stated = claim("claim:T_id:repaired")
    >>> nothing = combine(stated.parts(Verdict.VACUOUS))
    >>> with_horizons(stated, nothing, published("gsm8k-full").setting, 10_000).reason
    'needs T >= T_id = 63,740; here T = 10,000'
    """
    if found.verdict is Verdict.REFUTED or not any(part.verdict is Verdict.VACUOUS for part in found.parts):
        return found
    parts = [
        _with_horizon(check.on, part, setting, reached) if isinstance(check, Relation) else part
        for check, part in zip(stated.checks, found.parts, strict=True)
    ]
    return found if parts == list(found.parts) else replace(found, reason=combine(parts).reason, parts=tuple(parts))


def _with_horizon(mask: Any, part: Part, setting: Setting, reached: int) -> Part:
    start = start_of(mask)
    if start is None or part.verdict is not Verdict.VACUOUS:
        return part
    needed = start.needed(setting, reached)
    return part if needed is None else replace(part, reason=str(needed), horizon_needed=needed)


class Beside(NamedTuple):
    """Whether a bound was below its trivial value somewhere (None: not known), and both at the last horizon."""

    could_fail: bool | None
    last: AgainstTrivial | None = None


def with_trivial(
    stated: Claim, found: Evidence, played: Sequence[tuple[Setting, int]], tightest: Setting | None = None
) -> Evidence:
    """Return evidence whose compared parts say whether a comparison could fail, where the trivial value is known.

    No comparison can fail where the bound is at least the trivial value at every horizon that was reached. If the
    setting of the tightest comparison is given, both values are kept where that could not fail.

    Examples
    --------
    >>> from bounds.published import published
    >>> from proofs_checks.claims.model.tightness import Tightness
    >>> from proofs_checks.claims.registry import claim
    >>> stated = claim("claim:B_id-tightened")
    >>> held = combine([part.compared(Tightness(9, 0)) for part in stated.parts()])
    >>> (part,) = with_trivial(stated, held, [(published("gpqa-strong").setting, 10_000)]).parts
    >>> part.could_fail, str(part.against_trivial)
    (False, 'the bound 76,849 is above the trivial 9,999')
    """
    overrides = stated.regime.overrides
    parts = (
        _with_trivial(part, [_part_beside(check, part, setting, overrides, reached) for setting, reached in played])
        for check, part in zip(stated.checks, found.parts, strict=True)
    )
    found = replace(found, parts=tuple(parts))
    return found if tightest is None else _with_tightest(stated, found, tightest)


def _with_tightest(stated: Claim, found: Evidence, setting: Setting) -> Evidence:
    where, overrides = found.where or {}, stated.regime.overrides

    def seen(check: Check, part: Part) -> Part:
        if not part.could_fail or not isinstance(check, Relation) or part.name != where.get("relation"):
            return part
        trivial, step = check.trivial(no_underbids=overrides.get("underbid") == 0), where.get("step")
        if trivial is None or step is None:
            return part
        return replace(part, against_trivial=_over(check, trivial, setting, overrides, np.array([step])).last)

    return replace(found, parts=tuple(map(seen, stated.checks, found.parts)))


def _with_trivial(part: Part, beside: Sequence[Beside | None]) -> Part:
    known = [one for one in beside if one is not None]
    if part.verdict is not Verdict.NOT_REFUTED or len(known) < len(beside):
        return part
    could_fail = any_could_fail([each.could_fail for each in known])
    last = max((each.last for each in known if each.last), key=lambda each: each.horizon, default=None)
    return replace(part, could_fail=could_fail, against_trivial=last if could_fail is False else None)


def _part_beside(
    check: Check, part: Part, setting: Setting, overrides: Mapping[str, float], reached: int
) -> Beside | None:
    if not isinstance(check, Relation) or part.verdict is not Verdict.NOT_REFUTED:
        return None
    trivial = check.trivial(no_underbids=overrides.get("underbid") == 0)
    return None if trivial is None else _beside(check, trivial, setting, overrides, reached)


def _beside(check: Relation, trivial: Stated, setting: Setting, overrides: Mapping[str, float], reached: int) -> Beside:
    start = start_of(check.on)
    begins = None if start is None else start.value(setting)
    first = setting.n_providers if begins is None else int(begins)
    # Bounds grow more slowly than their trivial values: the last horizon decides nearly always.
    if first < reached and _over(check, trivial, setting, overrides, np.array([reached])).could_fail:
        return Beside(True)
    if first > reached:
        return Beside(False)  # nothing is compared there
    return _over(check, trivial, setting, overrides, np.arange(first, reached + 1))


def _over(
    check: Relation, trivial: Stated, setting: Setting, overrides: Mapping[str, float], horizons: NDArray[np.int64]
) -> Beside:
    """Return whether a bound is below its trivial value at one of consecutive horizons, and both at the last one."""
    reached = int(horizons[-1]) if horizons.size else 0
    # What a search finds is looked at where claims compare it, and its trivial value at the same horizons.
    chosen = at_checkpoint(horizons) | (horizons == reached) if is_searched(check.sides[1]) else horizons > 0
    bound, limit = (_at_horizons(side, setting, overrides, horizons, chosen) for side in (check.sides[1], trivial))
    if bound is None or limit is None or not np.isfinite(limit).all():
        return Beside(None)
    least = bound.min(axis=1) if bound.ndim > 1 else bound
    if (least < limit * (1 - RELATIVE_TOLERANCE)).any():
        return Beside(True)
    if not np.isfinite(least[-1]):
        return Beside(None)
    return Beside(False, AgainstTrivial(horizon=reached, bound=float(least[-1]), trivial=float(limit[-1])))


def _at_horizons(
    side: Stated, setting: Setting, overrides: Mapping[str, float], every: NDArray[np.int64], chosen: NDArray[np.bool_]
) -> NDArray[Any] | None:
    """Return a bound at the chosen ones of consecutive horizons, shape (T,) or (T, G); None if it has no value."""
    horizons = every[chosen]
    constants = {**{each.name: 0.0 for each in _AT_ZERO}, **formula_inputs(setting), **overrides}
    names = {quantity.name for quantity in side.inputs}
    columns = {"horizon": horizons} if "horizon" in names else {}
    if not horizons.size or not names <= {*constants, *columns}:
        return None
    try:
        # Of a trace as long: what its relations have computed of bounds is at hand, and what is computed here stays so.
        found = TraceEvaluation(constants, columns, horizons - 1, int(every[-1])).formula(side)
    except InputError:
        return None
    shape = (len(horizons), *found.shape[1 if columns else 0 :])
    return np.broadcast_to(found, shape) if 0 not in shape else None

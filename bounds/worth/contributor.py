"""The largest contributor to a bound: a provider or a term."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from bounds.documents import NonNegative, Probability, one_of
from bounds.formulas import selection
from bounds.language.computed import Stated
from bounds.language.evaluation import KNOWN, Evaluation, formula_of
from bounds.language.formula import Formula
from bounds.language.reductions import OverCompetitors, OverUnqualified
from bounds.methods import METHODS
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.worth.guarantee import Guarantee, number

GapKind = Annotated[str, one_of(("quality", "cost"))]


@dataclass(frozen=True, kw_only=True)
class Contributor:
    """The largest of the summands of a bound.

    Parameters
    ----------
    kind : {"provider", "term"}
        Whether a provider or a term of the formula contributes it.
    name : str
        Name of the provider, or what the term counts: initialization, exploration, radii, burn-in, deviating bids.
    value : float
        What it contributes, in the unit of the bound.
    total : float
        The bound.
    share : float
        Its part of the bound.
    provider : str or None
        Name of the provider behind it, of the burn-in the one that is eliminated last; None if there is none.
    gap : float or None
        How much quality that provider lacks, or its cost gap in money; None without a provider.
    gap_kind : {"quality", "cost"} or None
        Which of the two the gap is; None without a provider.
    """

    kind: Annotated[str, one_of(("provider", "term"))]
    name: str
    value: float
    total: float
    share: Probability
    provider: str | None = None
    gap: NonNegative | None = None
    gap_kind: GapKind | None = None


#: What a term counts, by a name in it without the prefix of its method; the first that is found says.
_TERMS = {
    "burn_in": "burn-in",
    "disturbance": "cheap unqualified providers",
    **dict.fromkeys(("exploration_cap", "exploration_steps_bound"), "exploration"),
    **dict.fromkeys(("radius_sum_bound", "unqualified_radius_sum", "others_radius_sum", "radii_at_target"), "radii"),
    **dict.fromkeys(("auction_excess", "plain_auction_excess", "confidence"), "radii"),
    "exploration_scale": "exploration",
    **dict.fromkeys(("underbid", "overbid"), "deviating bids"),
}
_SUMS_OVER_PROVIDERS = (OverUnqualified, OverCompetitors)
_PREFIX = re.compile("^(sharp|sharpest)_")


def largest_contributor(
    setting: Setting, guarantee: Guarantee, horizon: int, method: str = "paper"
) -> Contributor | None:
    """Return the provider or term that contributes most to a guarantee at a horizon; None if nothing contributes.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.worth.guarantee import guarantees_of
    >>> setting = published("gpqa-ladder").setting
    >>> found = largest_contributor(setting, guarantees_of(setting)["identification"], 70_000)
    >>> found.provider, found.value, found.total
    ('Qwen2.5-7B@2', 705391.0, 1218576.0)
    """
    finite = [branch for branch in guarantee.branches if math.isfinite(guarantee.of_branch(branch, horizon))]
    if not finite:
        return None
    formula = min(finite, key=lambda branch: guarantee.of_branch(branch, horizon)).formula
    total = guarantee.value(horizon)
    formulas = METHODS[method]
    index: int | None
    if all(summand.func in _SUMS_OVER_PROVIDERS for summand in _summands(formula.expression)):
        kind, (index, value) = "provider", _by_provider(setting, formula, {**guarantee.values, "horizon": horizon})
        name = "" if index is None else setting.providers[index].name
    else:
        kind, terms = "term", _by_term(formula, {**guarantee.values, "horizon": horizon})
        name, value = max(terms.items(), key=lambda part: part[1])
        index = _slowest(setting, formulas.unqualified_bound, guarantee.values) if name == "burn-in" else None
    if not value > 0:
        return None
    more = {} if index is None else _who(setting, index)
    return Contributor(kind=kind, name=name, value=value, total=total, share=value / total, **more)


def _by_provider(setting: Setting, formula: Formula, values: Mapping[str, Any]) -> tuple[int | None, float]:
    """Return the provider with the largest summand in a sum over providers, and the summand."""
    counts = (len(setting.unqualified), len(setting.competitors))
    found = dict(zip(_SUMS_OVER_PROVIDERS, map(np.zeros, counts), strict=True))
    evaluation = Evaluation(values, known=values.get(KNOWN))
    for summand in _summands(formula.expression):
        found[summand.func] = found[summand.func] + evaluation.part(summand.args[0], spread=True)
    parts = np.concatenate(list(found.values()))
    if not len(parts):
        return None, 0.0
    most = int(np.nan_to_num(parts, nan=np.inf).argmax())
    return (*setting.unqualified, *setting.competitors)[most], float(parts[most])


def _by_term(formula: Formula, values: Mapping[str, Any]) -> dict[str, float]:
    """Return the summands of a formula, together where they count the same."""
    terms: dict[str, float] = {}
    evaluation = Evaluation(values)
    for summand in _summands(formula.expression):
        names = {_PREFIX.sub("", symbol.name) for symbol in summand.free_symbols}
        kind = next((term for name, term in _TERMS.items() if name in names), "initialization")
        terms[kind] = terms.get(kind, 0.0) + float(evaluation.part(summand))
    return terms


def _summands(expression: Any) -> Iterator[Any]:
    """Yield the summands of a sum, and of the sums that its summands stand for."""
    if not expression.is_Add:
        yield expression
        return
    for part in expression.args:
        formula = formula_of(part)
        yield from [part] if formula is None else _summands(formula.expression)


def _slowest(setting: Setting, bound: Stated, values: Mapping[str, Any]) -> int | None:
    """Return the index of the unqualified provider with the largest bound M_i, if there is one."""
    return setting.unqualified[int(bound(values).argmax())] if setting.unqualified else None


def _who(setting: Setting, index: int) -> dict[str, Any]:
    kind = "quality" if index in setting.unqualified else "cost"
    gap = selection.QUALITY_GAP if kind == "quality" else selection.COST_GAP
    return {
        "provider": setting.providers[index].name,
        "gap": number(gap, formula_inputs(setting, among=(index,)), 1),
        "gap_kind": kind,
    }

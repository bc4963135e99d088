"""Every printed number that a published setting determines, beside ours, compared after rounding to its digits.

`determined.csv` holds the numbers of the paper's text and of its tables of settings, providers and bounds, as printed
but for thousands separators. Of the stochastic tables, what is printed of the routing rule that learns nothing is
determined too (`unfiltered_rule`). Inputs are the decimals of the setting, exactly; what is not a fraction is enclosed.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.formulas import payment, regret, selection
from bounds.formulas.identification import identification_horizon
from bounds.language.arithmetic import Enclosure
from bounds.language.formula import Formula
from bounds.published import PrintedNumber, PublishedSetting, printed_numbers
from bounds.published.rounding import decimals, exactly, rounded, written
from bounds.published.unfiltered_rule import ABLATION, UNFILTERED, unfiltered_numbers
from bounds.setting.formula_inputs import formula_inputs


@dataclass(frozen=True, kw_only=True)
class DeterminedNumber:
    """A printed number that the setting determines, and ours.

    Attributes
    ----------
    setting : str
    source : str
        Label of the table or section of the paper; for a stochastic table the short name of `PrintedNumber.table`.
    row : str
        The provider or policy; empty for a number of the whole setting.
    quantity : str
        What it is, such as ``"mean_cost"``; in a stochastic table its column.
    printed : str
        As printed, without thousands separators: its digits say how to round.
    ours : Enclosure
        An interval with exact ends that contains the value; of width zero where the value is a fraction.
    """

    setting: str
    source: str
    row: str
    quantity: str
    printed: str
    ours: Enclosure

    @property
    def agrees(self) -> bool:
        """Whether ours is certain to round to the printed number."""
        return rounded(self.ours, decimals(self.printed)) == Fraction(self.printed)

    @property
    def room(self) -> float:
        """How far ours is from rounding to another number, in units of the last printed digit; negative if it does."""
        size, printed = 10 ** decimals(self.printed), Fraction(self.printed)
        farthest = max(abs(self.ours.lower - printed), abs(self.ours.upper - printed))
        return float(Fraction(1, 2) - farthest * size)

    def to_data(self) -> dict[str, Any]:
        """Return it as plain JSON data, ours as a double."""
        named = {name: getattr(self, name) for name in ("source", "row", "quantity", "printed")}
        return {**named, "ours": float(self.ours.lower)}


def determined_numbers(paper: PublishedSetting) -> tuple[DeterminedNumber, ...]:
    """Return every printed number that a setting determines.

    Parameters
    ----------
    paper : PublishedSetting
        The name of its setting says which numbers are printed; its data give ours.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = determined_numbers(published("gpqa-strong"))
    >>> len(found), all(number.agrees for number in found)
    (89, True)
    """
    return (*_of_the_setting(paper), *_of_the_unfiltered_rule(paper))


def _of_the_setting(paper: PublishedSetting) -> Iterator[DeterminedNumber]:
    index = {provider.name: position for position, provider in enumerate(paper.setting.providers)}
    for row in _rows():
        if row["setting"] != paper.setting.name:
            continue
        name, quantity = row["provider"], row["quantity"]
        ours = _OF_PROVIDER[quantity](paper, index[name]) if name else _OF_SETTING[quantity](paper)
        yield DeterminedNumber(
            setting=paper.setting.name,
            source=row["source"],
            row=name,
            quantity=quantity,
            printed=row["printed"],
            ours=ours if isinstance(ours, Enclosure) else exactly(ours),
        )


@cache
def _rows() -> tuple[Mapping[str, str], ...]:
    text = files("bounds.published").joinpath("determined.csv").read_text(encoding="utf-8")
    return tuple(MappingProxyType(row) for row in csv.DictReader(io.StringIO(text)))


def _inputs(paper: PublishedSetting, index: int | None = None) -> dict[str, Any]:
    """Return the inputs of formulas as the decimals they are written as; with one provider only, if one is given."""
    values = formula_inputs(paper.setting, None if index is None else (index,))
    return {name: _as_written(value) for name, value in {**values, "horizon": paper.horizon}.items()}


def _as_written(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array([written(item) for item in value], dtype=object)
    return written(value) if isinstance(value, float) else value


def _enclosed(formula: Formula, paper: PublishedSetting, index: int | None = None) -> Enclosure:
    found: Any = formula.enclose(_inputs(paper, index))
    while isinstance(found, list):
        (found,) = found
    return Enclosure(found.lower, found.upper)


def _mean_cost(paper: PublishedSetting, index: int) -> Fraction:
    return written(paper.setting.providers[index].mean_cost)


def _query_price(paper: PublishedSetting, index: int) -> Fraction:
    return (1 + written(paper.margin)) * _mean_cost(paper, index)


def _tokens(paper: PublishedSetting, index: int) -> Fraction:
    return paper.setting.providers[index].multiplicity * written(paper.mean_tokens[index])


def _of_kind(unqualified: Formula, competitor: Formula, paper: PublishedSetting, index: int) -> Enclosure:
    """Enclose what a provider has by being unqualified or a competitor."""
    return _enclosed(unqualified if index in paper.setting.unqualified else competitor, paper, index)


def _optimal(paper: PublishedSetting) -> int:
    return [provider.name for provider in paper.setting.providers].index(paper.optimal_provider)


def _horizon_of_identification(paper: PublishedSetting) -> int:
    found = identification_horizon(_inputs(paper))
    return -1 if found is None else found


def _second_lowest(paper: PublishedSetting) -> Fraction:
    return min(_mean_cost(paper, index) for index in paper.setting.competitors)


_OF_PROVIDER: Mapping[str, Callable[[PublishedSetting, int], Enclosure | Fraction]] = {
    "listed_price": lambda paper, index: written(paper.setting.providers[index].listed_price or 0.0),
    "tokens": _tokens,
    "query_price": _query_price,
    "mean_cost": _mean_cost,
    "quality": lambda paper, index: written(paper.setting.providers[index].quality),
    "gap": partial(_of_kind, selection.QUALITY_GAP, selection.COST_GAP),
    "selection_bound": partial(_of_kind, selection.ELIMINATION_BOUND, selection.ORDINARY_BOUND),
    "selection_cap": partial(_of_kind, selection.ELIMINATION_BOUND, selection.COMPETITOR_CAP),
}
_OF_SETTING: Mapping[str, Callable[[PublishedSetting], Enclosure | Fraction | int]] = {
    "n_providers": lambda paper: paper.setting.n_providers,
    "n_qualified": lambda paper: len(paper.setting.qualified),
    "questions": lambda paper: paper.questions,
    "horizon": lambda paper: paper.horizon,
    "passes": lambda paper: Fraction(paper.horizon, paper.questions),
    "passes_begun": lambda paper: math.ceil(Fraction(paper.horizon, paper.questions)),
    "quality_threshold": lambda paper: written(paper.setting.platform.quality_threshold),
    "cost_bound": lambda paper: written(paper.setting.platform.cost_bound),
    "optimal_cost": lambda paper: _mean_cost(paper, _optimal(paper)),
    "optimal_query_price": lambda paper: _query_price(paper, _optimal(paper)),
    "second_lowest_cost": _second_lowest,
    "cost_advantage": lambda paper: _second_lowest(paper) - _mean_cost(paper, _optimal(paper)),
    "sum_quality_selection_bounds": partial(_enclosed, selection.SUM_ELIMINATION_BOUNDS),
    "sum_cost_selection_bounds": partial(_enclosed, selection.SUM_ORDINARY_BOUNDS),
    "exploration_cap": partial(_enclosed, selection.EXPLORATION_CAP),
    "identification_bound": partial(_enclosed, selection.IDENTIFICATION_BOUND),
    "identification_horizon": _horizon_of_identification,
    "quality_regret_bound": partial(_enclosed, regret.QUALITY_REGRET),
    "generation_regret_bound": partial(_enclosed, regret.GENERATION_REGRET),
    "excess_payment_bound_without_exploration": partial(_enclosed, payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION),
    "excess_payment_bound": partial(_enclosed, payment.EXCESS_PAYMENT),
}

#: Columns of the stochastic tables that hold numbers of the unfiltered rule.
_COLUMNS: Mapping[str, str] = {
    "Unqualified share": "unqualified_share",
    "R_qual/T": "quality_regret",
    "R_qual/t": "quality_regret",
    "R_gen/T": "generation_regret",
    "R_gen/t": "generation_regret",
    "Share of i*": "share_of_optimal",
    "Moving avg": "moving_share_of_optimal",
    "i* most selected": "optimal_most_selected",
}


def _of_the_unfiltered_rule(paper: PublishedSetting) -> Iterator[DeterminedNumber]:
    found = {
        "one-pass": unfiltered_numbers(paper.setting, paper.questions, 0),
        "long": unfiltered_numbers(paper.setting, paper.horizon, paper.questions),
    }
    for number in printed_numbers():
        if number.setting != paper.setting.name or number.row not in (UNFILTERED, ABLATION):
            continue
        ours = found[number.table].get(_COLUMNS.get(number.column, "")) if number.row == UNFILTERED else None
        if number.column == "|Qhat|":  # nobody is screened
            ours = Fraction(paper.setting.n_providers)
        if ours is not None:
            yield DeterminedNumber(
                setting=number.setting,
                source=number.table,
                row=number.row,
                quantity=number.column,
                printed=_as_printed(number),
                ours=exactly(ours),
            )


def _as_printed(number: PrintedNumber) -> str:
    """Return the digits of a printed number, whose last one is worth twice `half_ulp`."""
    return f"{number.printed:.{-round(math.log10(2 * number.half_ulp))}f}"

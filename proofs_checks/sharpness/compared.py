"""The rows of the comparison: the bound of each method, and what simulated runs amounted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.methods import METHODS
from bounds.names import name_of
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.formulas import SINGLE_TIME_BOUND
from bounds.sharpest.information import information_counts
from proofs_checks.sharpness.realized import Realized

#: The quantities of the comparison, and what they are called in a table.
QUANTITIES = {
    key: name_of(key)
    for key in (
        "identification_horizon",
        "identification",
        "quality_regret",
        "generation_regret",
        "exploration_steps",
        "excess_payment",
        "average_payment_deviation",
    )
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One quantity of one setting.

    Parameters
    ----------
    setting, quantity : str
        The quantity is one of `QUANTITIES`.
    bounds : dict of str to float or None
        By method; None where its theorem does not apply.
    mean, largest : float
        Over the runs; infinite where the optimum did not lead at the end of one.
    least : float or None
        Of the queries that miss the optimum: how many any platform must send to cheaper unqualified providers on
        average, with those of initialization (`bounds.sharpest.information`).
    """

    setting: str
    quantity: str
    bounds: dict[str, float | None]
    mean: float
    largest: float
    least: float | None = None

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data; an infinite number as None."""
        finite = {name: float(value) if np.isfinite(value) else None for name, value in self._realized.items()}
        return {
            "setting": self.setting,
            "quantity": self.quantity,
            "bounds": self.bounds,
            **finite,
            "least": self.least,
        }

    @property
    def _realized(self) -> dict[str, float]:
        return {"mean": self.mean, "largest": self.largest}


def compared(setting: Setting, found: Realized) -> list[Row]:
    """Return a row for every quantity of `QUANTITIES`, at the horizon of the runs.

    Examples
    --------
    >>> from bounds.published import published
    >>> from proofs_checks.sharpness.realized import realized
    >>> setting = published("gpqa-strong").setting
    >>> row = compared(setting, realized(setting, horizon=2_000, runs=2, seed=0))[0]
    >>> row.quantity, row.bounds["paper"], row.bounds["sharpest"]
    ('identification_horizon', 153697.0, 34879.0)
    """
    promised: dict[str, dict[str, float | None]] = {name: {} for name in QUANTITIES}
    for method in METHODS:
        report = evaluate_bounds(setting, found.horizon, method)
        known = {name: bound.value if bound.applies else None for name, bound in report.guarantees.items()}
        known |= {
            "identification_horizon": report.identification_horizon,
            "exploration_steps": report.exploration_steps_bound,
        }
        for name in QUANTITIES:
            value = known[name]
            promised[name][method] = None if value is None else float(value)
    information = float(information_counts(formula_inputs(setting)).sum())
    return [
        Row(
            setting=setting.name,
            quantity=name,
            bounds=promised[name],
            mean=float(found.of[name].mean()),
            largest=float(found.of[name].max()),
            least=information if name == "identification" else None,
        )
        for name in QUANTITIES
    ]


@dataclass(frozen=True, kw_only=True)
class Elimination:
    """How often one unqualified provider is selected after initialization.

    Parameters
    ----------
    setting, provider : str
    bounds : dict of str to float
        By method, and ``"hoeffding"``: one count with Hoeffding's bound in place of Chernoff's.
    mean, largest : float
        Over the runs.
    """

    setting: str
    provider: str
    bounds: dict[str, float]
    mean: float
    largest: float


def eliminations(setting: Setting, found: Realized) -> list[Elimination]:
    """Return a row for every unqualified provider, by quality alone: M_i and what takes its place."""
    values = formula_inputs(setting)
    counts = {name: method.unqualified_bound(values) for name, method in METHODS.items()}
    counts["hoeffding"] = SINGLE_TIME_BOUND(values)
    return [
        Elimination(
            setting=setting.name,
            provider=setting.providers[index].name,
            bounds={name: float(each[place]) for name, each in counts.items()},
            mean=float(found.selections[:, index].mean()),
            largest=float(found.selections[:, index].max()),
        )
        for place, index in enumerate(setting.unqualified)
    ]

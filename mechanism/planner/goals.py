"""Goals of a plan: what can be asked for, how it is written, and which bound answers it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from bounds.documents import FromTwo, NonNegative, Text, key, one_of
from bounds.errors import InputError
from bounds.glossary import name_of
from bounds.grid.axes import suffixed_number
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import evaluate_many
from bounds.limits import LARGEST_HORIZON
from bounds.setting.model import Setting

Floats = NDArray[np.float64]

#: A horizon of a plan.
Horizon = FromTwo
#: The method that a plan takes unless another one is asked for.
BEST_METHOD = "sharpest"
#: The methods whose bounds are largest at a corner of ranges; the best is last.
METHODS_FOR_RANGES = ("paper", "sharp")

IDENTIFY, PAYMENT, UNQUALIFIED, EXPLORATION = (
    "identify-by",
    "payment-within",
    "unqualified-at-most",
    "exploration-budget",
)


@dataclass(frozen=True, kw_only=True)
class GoalKind:
    """A kind of goal.

    Parameters
    ----------
    answered_by : str
        The guarantee or count that bounds it, as `bounds.grid.evaluate.ManyBounds.column` names them.
    quantity : str
        What is to be at most the limit, in words.
    label : str
        The statement that bounds it, in the paper.
    unit : str
    """

    answered_by: str
    quantity: str
    label: str
    unit: str


KINDS: Mapping[str, GoalKind] = {
    IDENTIFY: GoalKind(
        answered_by="identification_horizon",
        quantity=name_of("identification_horizon"),
        label="thm:sample-complexity",
        unit="queries",
    ),
    PAYMENT: GoalKind(
        answered_by="average_payment_deviation",
        quantity=name_of("average_payment_deviation"),
        label="thm:regret",
        unit="money per query",
    ),
    UNQUALIFIED: GoalKind(
        answered_by="unqualified_queries",
        quantity="queries to unqualified providers",
        label="lem:unqualified-elimination",
        unit="queries",
    ),
    EXPLORATION: GoalKind(
        answered_by="exploration_steps",
        quantity="paid in exploration steps",
        label="lem:forced-exploration-bound",
        unit="money",
    ),
}
_EXAMPLES = (
    "write identify-by=70000, payment-within=5@1M (or 10%@1M, of the second-lowest cost), "
    "unqualified-at-most=20000@70000 or exploration-budget=250000@70000"
)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a plan is to achieve.

    Parameters
    ----------
    text : str
        As it was written.
    kind : str
        What is asked for, one of `KINDS`.
    limit : float
        What it may be at most.
    horizon : int
        T.
    """

    text: Text
    kind: Annotated[str, one_of(KINDS)]
    limit: NonNegative
    horizon: Horizon

    @key
    def unit(self) -> Annotated[str, one_of(sorted({kind.unit for kind in KINDS.values()}))]:
        """Unit of the limit."""
        return KINDS[self.kind].unit

    @property
    def met_later(self) -> bool:
        """Whether a longer horizon helps to meet it: identification and payments, not counts and budgets."""
        return self.kind in (IDENTIFY, PAYMENT)


def goal_of(text: str, setting: Setting, horizon: int) -> Goal:
    """Return a goal as it is written: ``KIND=LIMIT@T``; without ``@T`` the horizon counts.

    Raises
    ------
    InputError
        It is not written so, or a number is out of range.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> goal_of("payment-within=10%@1M", setting, 70_000)
    Goal(text='payment-within=10%@1M', kind='payment-within', limit=5.07290355, horizon=1000000)
    """
    kind, _, given = text.partition("=")
    if kind not in KINDS or not given:
        raise InputError("goal", text, f"must begin with {', '.join(KINDS)}, and '='", _EXAMPLES)
    amount, at, steps = given.partition("@")
    relative = amount.endswith("%")
    limit = _number(text, amount.removesuffix("%"))
    if relative:
        second = setting.second_lowest_cost
        if kind != PAYMENT or second is None:
            raise InputError("goal", text, "has a share where none is defined", "state the limit as a number")
        limit = second * limit / 100
    if limit < 0:
        raise InputError("goal", text, "must have a limit of 0 or more", _EXAMPLES)
    if kind == IDENTIFY and at:
        raise InputError("goal", text, "has two horizons", "write identify-by=T")
    asked = limit if kind == IDENTIFY else _number(text, steps) if at else float(horizon)
    n = setting.n_providers
    if not (float(asked).is_integer() and n <= asked <= LARGEST_HORIZON):
        rule = f"must have a T that is a whole number of at least N = {n}, and at most 2^52"
        raise InputError("goal", text, rule, _EXAMPLES)
    return Goal(text=text, kind=kind, limit=limit, horizon=int(asked))


def _number(text: str, written: str) -> float:
    found = suffixed_number(re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", written))
    if not math.isfinite(found):
        raise InputError("goal", text, f"has {written[:40]!r} where a number must stand", _EXAMPLES)
    return found


def goal_values(
    goals: Sequence[Goal], columns: SettingColumns, method: str, latest_lead: int = LARGEST_HORIZON
) -> Floats:
    """Return the bound of every goal in every setting, shape (G, S); infinite where it is unbounded.

    Where the platform has another radius than the paper's, the bounds are those of `bounds.radius_caps`, and payments
    are unbounded. The horizons of the columns are ignored: each goal has its own. A T_id after `latest_lead` is not
    looked for.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> columns = SettingColumns(base=setting, horizon=np.array([10]))
    >>> goal_values([goal_of("identify-by=70000", setting, 0)], columns, "sharp").tolist()
    [[88614.0]]
    """
    found = np.full((len(goals), len(columns)), np.inf)
    for horizon in dict.fromkeys(goal.horizon for goal in goals):
        needed = {KINDS[goal.kind].answered_by for goal in goals if goal.horizon == horizon}
        many = evaluate_many(columns.at_horizon(horizon), method, latest_lead=latest_lead, only=needed)
        for place, goal in enumerate(goals):
            if goal.horizon == horizon:
                values = many.column(KINDS[goal.kind].answered_by)
                if goal.kind == EXPLORATION:
                    values = values * columns.of_platform("cost_bound")
                # Next to the threshold an unqualified provider is excluded ever later.
                endless = goal.kind == UNQUALIFIED and values >= LARGEST_HORIZON
                found[place] = np.where(np.isnan(values) | endless, np.inf, values)
    return found


def ratios(goals: Sequence[Goal], values: Floats) -> Floats:
    """Return values over limits: at most 1 where a goal is met."""
    limits = np.array([goal.limit for goal in goals])[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = values / limits
    return np.where(values <= limits, np.where(limits > 0, np.minimum(found, 1.0), 0.0), np.maximum(found, 1 + 1e-12))

"""The named quantities of the theory: a SymPy symbol each, with its meaning, unit and range."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import sympy

MONEY = "money per query"
QUERIES = "queries"
PURE = "1"


@dataclass(frozen=True)
class Quantity:
    """What a symbol stands for.

    Parameters
    ----------
    name : str
        Keyword under which values are given (``"confidence"``).
    latex : str
        How the paper writes it (``r"\\delta"``).
    meaning, unit : str
    lower, upper : float
        Range of meaningful values.
    lower_open, upper_open : bool
        Whether the ends are excluded.
    per_provider : bool
        Whether a value is a sequence with one entry a provider (its last axis).
    """

    name: str
    latex: str
    meaning: str
    unit: str
    lower: float = -math.inf
    upper: float = math.inf
    lower_open: bool = False
    upper_open: bool = False
    per_provider: bool = False

    @functools.cached_property
    def symbol(self) -> sympy.Symbol:
        """The SymPy symbol (real; positive where the range says so)."""
        if self.lower > 0 or (self.lower == 0 and self.lower_open):
            return sympy.Symbol(self.name, positive=True)
        return sympy.Symbol(self.name, nonnegative=True) if self.lower == 0 else sympy.Symbol(self.name, real=True)

    @property
    def range(self) -> str:
        """The range as an interval, ``"(0, 1)"``."""
        left, right = (
            "(" if self.lower_open or math.isinf(self.lower) else "[",
            ")" if self.upper_open or math.isinf(self.upper) else "]",
        )
        return f"{left}{self.lower:g}, {self.upper:g}{right}"

    def contains(self, value: float) -> bool:
        """Whether a finite value lies in the range."""
        above = value > self.lower if self.lower_open else value >= self.lower
        below = value < self.upper if self.upper_open else value <= self.upper
        return bool(above and below) and math.isfinite(value)


QUANTITIES: dict[sympy.Symbol, Quantity] = {}


def declare(
    name: str,
    latex: str,
    meaning: str,
    unit: str,
    lower: float = -math.inf,
    upper: float = math.inf,
    *,
    open_at: str = "",
    per_provider: bool = False,
) -> sympy.Symbol:
    """Register a quantity and return its symbol; ``open_at`` names excluded ends (``"lower"``, ``"both"``)."""
    quantity = Quantity(
        name,
        latex,
        meaning,
        unit,
        lower,
        upper,
        open_at in ("lower", "both"),
        open_at in ("upper", "both"),
        per_provider,
    )
    existing = QUANTITIES.setdefault(quantity.symbol, quantity)
    if existing != quantity:
        raise ValueError(f"quantity {name!r} is declared twice with different meanings")
    return quantity.symbol


# The setting.
N = declare("n_providers", "N", "number of providers", PURE, 2)
DELTA = declare("confidence", r"\delta", "failure probability of the guarantees", PURE, 0, 1, open_at="both")
C_MAX = declare("cost_bound", r"c_{\max}", "largest cost, bid and payment", MONEY, 0, open_at="lower")
Q_MIN = declare("quality_threshold", r"q_{\min}", "quality threshold", PURE, 0, 1)
K = declare("exploration_scale", "k", "scale of the target selection count", PURE, 0, open_at="lower")
ALPHA = declare("exploration_exponent", r"\alpha", "exponent of the target selection count", PURE, 0, 1, open_at="both")
GAMMA = declare("belief_slack", r"\gamma", "pull of the prior, in confidence radii", PURE, 0)
D_MINUS = declare("underbid", "d_-", "largest underbid", MONEY, 0)
D_PLUS = declare("overbid", "d_+", "largest overbid", MONEY, 0)
C_STAR = declare("optimal_cost", r"\bar c_{i^*}", "mean cost of the optimal provider", MONEY, 0)
C_2 = declare("second_lowest_cost", r"\bar c_{(2)}", "second-lowest qualified mean cost", MONEY, 0)
Q_UNQUALIFIED = declare(
    "unqualified_quality", "q_i", "qualities of the unqualified providers", PURE, 0, 1, per_provider=True
)
C_UNQUALIFIED = declare(
    "unqualified_cost", r"\bar c_i", "mean costs of the unqualified providers", MONEY, 0, per_provider=True
)
C_COMPETITOR = declare(
    "competitor_cost",
    r"\bar c_i",
    "mean costs of the qualified providers but the optimal one",
    MONEY,
    0,
    per_provider=True,
)

# Where a bound is evaluated.
HORIZON = declare("horizon", "T", "number of queries", QUERIES, 0, open_at="lower")
STEP = declare("step", "t", "time step, counted from 1", QUERIES, 0, open_at="lower")
COUNT = declare("count", "m", "selection count", QUERIES, 0, open_at="lower")
GAP = declare("gap", "x", "a gap, of qualities or of costs over the cost bound", PURE, 0, open_at="lower")


class OverUnqualified(sympy.Function):  # type: ignore[misc]
    """Sum over the providers outside Q."""

    latex_operator = r"\sum_{i \notin \mathcal{Q}}"


class OverCompetitors(sympy.Function):  # type: ignore[misc]
    """Sum over Q without the optimal provider."""

    latex_operator = r"\sum_{i \in \mathcal{Q} \setminus \{i^*\}}"


class LargestOverUnqualified(sympy.Function):  # type: ignore[misc]
    """Maximum over the providers outside Q; zero if there are none."""

    latex_operator = r"\max_{i \notin \mathcal{Q}}"


class LargestOverCompetitors(sympy.Function):  # type: ignore[misc]
    """Maximum over Q without the optimal provider; zero if there are none."""

    latex_operator = r"\max_{i \in \mathcal{Q} \setminus \{i^*\}}"


LARGEST = (LargestOverUnqualified, LargestOverCompetitors)
REDUCTIONS = (OverUnqualified, OverCompetitors, *LARGEST)

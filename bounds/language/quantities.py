"""The named quantities of the theory: symbol, meaning, unit and range of each."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MONEY = "money per query"
QUERIES = "queries"
PURE = "1"


def _operators(operation: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return an operator of a symbol with something on its right, and with something on its left."""
    return (lambda self, other: operation(self.symbol, other)), (lambda self, other: operation(other, self.symbol))


class Symbolic:
    """What stands for its SymPy symbol, in operations and wherever SymPy takes an expression.

    Examples
    --------
    >>> 4 * COUNT / GAP**2
    4*count/gap**2
    """

    symbol: Any

    def _sympy_(self) -> Any:
        """Return the symbol; SymPy's own way to read other objects."""
        return self.symbol

    def __neg__(self) -> Any:
        return -self.symbol

    __add__, __radd__ = _operators(operator.add)
    __sub__, __rsub__ = _operators(operator.sub)
    __mul__, __rmul__ = _operators(operator.mul)
    __truediv__, __rtruediv__ = _operators(operator.truediv)
    __pow__, __rpow__ = _operators(operator.pow)


@dataclass(frozen=True, repr=False)
class Quantity(Symbolic):
    """A named number of the theory.

    It is found among the `free_symbols` of a SymPy expression, for it hashes and compares like its symbol.

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
        Whether a value is a sequence with one entry per provider (its last axis).
    ascii : str
        The paper's symbol as one types it (``"delta"``); empty where it has none.
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
    ascii: str = ""

    def __hash__(self) -> int:
        return hash(self.symbol)

    def __repr__(self) -> str:
        return self.name

    @functools.cached_property
    def symbol(self) -> Any:
        """The SymPy symbol (real; positive where the range says so)."""
        import sympy

        positive = self.lower > 0 or (self.lower == 0 and self.lower_open)
        sign = "positive" if positive else "nonnegative" if self.lower == 0 else "real"
        return sympy.Symbol(self.name, **{sign: True})

    @property
    def range(self) -> str:
        """The range as an interval, ``"(0, 1)"``."""
        left = "(" if self.lower_open or math.isinf(self.lower) else "["
        right = ")" if self.upper_open or math.isinf(self.upper) else "]"
        return f"{left}{self.lower:g}, {self.upper:g}{right}"

    @property
    def rule(self) -> str:
        """What a value must satisfy, in words: ``"must lie in (0, 1)"``, ``"must be positive"``."""
        if self.lower == 0 and math.isinf(self.upper):
            return "must be positive" if self.lower_open else "must not be negative"
        return f"must lie in {self.range}"

    def contains(self, value: float) -> bool:
        """Whether a finite value lies in the range."""
        above = value > self.lower if self.lower_open else value >= self.lower
        below = value < self.upper if self.upper_open else value <= self.upper
        return bool(above and below) and math.isfinite(value)


#: What a formula computes, by its unit: name, LaTeX and meaning.
queries, money, pure = (functools.partial(Quantity, unit=unit) for unit in (QUERIES, MONEY, PURE))

#: Every quantity that was declared, and every one that a formula computes, by name.
QUANTITIES: dict[str, Quantity] = {}


def declare(*given: Any, open_at: str = "", **more: Any) -> Quantity:
    """Register a quantity, given as to `Quantity`, and return it; ``open_at`` names excluded ends: lower or both."""
    more |= {"lower_open": open_at in ("lower", "both"), "upper_open": open_at == "both"}
    quantity = Quantity(*given, **more)
    if QUANTITIES.setdefault(quantity.name, quantity) != quantity:
        raise ValueError(f"quantity {quantity.name!r} is declared twice with different meanings")
    return quantity


# The setting.
_fraction = functools.partial(declare, unit=PURE, lower=0, upper=1, open_at="both")
N = declare("n_providers", "N", "number of providers", PURE, 2, ascii="N")
DELTA = _fraction("confidence", r"\delta", "failure probability of the guarantees", ascii="delta")
C_MAX = declare("cost_bound", r"c_{\max}", "largest cost, bid and payment", MONEY, 0, open_at="lower", ascii="c_max")
Q_MIN = declare("quality_threshold", r"q_{\min}", "quality threshold", PURE, 0, 1, ascii="q_min")
K = declare("exploration_scale", "k", "scale of the target selection count", PURE, 0, open_at="lower", ascii="k")
ALPHA = _fraction("exploration_exponent", r"\alpha", "exponent of the target selection count", ascii="alpha")
GAMMA = declare("belief_slack", r"\gamma", "belief slack, in confidence radii", PURE, 0, ascii="gamma")
D_MINUS = declare("underbid", "d_-", "largest underbid", MONEY, 0, ascii="d_minus")
D_PLUS = declare("overbid", "d_+", "largest overbid", MONEY, 0, ascii="d_plus")
RADIUS_CHOICE = declare("radius_choice", r"\rho", "which confidence radius: its place in the list of them", PURE, 0)
C_STAR = declare("optimal_cost", r"\bar c_{i^*}", "mean cost of the optimal provider", MONEY, 0, ascii="c_opt")
C_2 = declare("second_lowest_cost", r"\bar c_{(2)}", "second-lowest qualified mean cost", MONEY, 0, ascii="c_2")
_each = functools.partial(declare, per_provider=True)
Q_UNQUALIFIED = _each("unqualified_quality", "q_i", "qualities of the unqualified providers", PURE, 0, 1, ascii="q")
C_UNQUALIFIED = _each("unqualified_cost", r"\bar c_i", "mean costs of the unqualified providers", MONEY, 0, ascii="c")
C_COMPETITOR = _each(
    "competitor_cost", r"\bar c_i", "mean costs of the qualified providers but the optimal one", MONEY, 0, ascii="c"
)

# Where a bound is evaluated.
HORIZON = declare("horizon", "T", "number of queries", QUERIES, 0, open_at="lower", ascii="T")
STEP = declare("step", "t", "time step, counted from 1", QUERIES, 0, open_at="lower", ascii="t")
COUNT = declare("count", "m", "selection count", QUERIES, 0, open_at="lower", ascii="m")
GAP = declare("gap", "x", "a gap, of qualities or of costs over the cost bound", PURE, 0, open_at="lower", ascii="x")

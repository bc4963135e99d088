"""Facts about numbers such as pi and e, decided by ball arithmetic; each with a tightened form that is false."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mpmath.ctx_iv import MPIntervalContext

_BALLS = MPIntervalContext()
#: Bits: the facts below are apart by more than 1e-6.
_BALLS.prec = 160


@dataclass(frozen=True)
class BallFact:
    """An inequality between numbers.

    Parameters
    ----------
    name, says : str
    sides : callable
        From the functions of ball arithmetic to the smaller and the larger side.
    tightened : callable
        The same for a stronger statement, which is false.
    """

    name: str
    says: str
    sides: Callable[[Any], tuple[Any, Any]]
    tightened: Callable[[Any], tuple[Any, Any]]

    def holds(self) -> bool:
        """Return whether balls show that the smaller side is smaller."""
        return _smaller(*self.sides(_BALLS))

    def tightened_fails(self) -> bool:
        """Return whether balls show that the stronger statement is false."""
        left, right = self.tightened(_BALLS)
        return _smaller(right, left)


def _smaller(left: Any, right: Any) -> bool:
    """Whether every number of one interval is below every number of another."""
    return bool(left.b < right.a)


_FACTS = (
    BallFact(
        "inversion-constant",
        "128 pi^2 / (3 e^2) < 57",
        lambda of: (128 * of.pi**2 / (3 * of.e**2), of.mpf(57)),
        lambda of: (128 * of.pi**2 / (3 * of.e**2), of.mpf("56.99")),
    ),
    BallFact(
        "inversion-logarithm",
        "7 ln 2 + 2 ln pi - ln 3 - 2 < ln 57",
        lambda of: (7 * of.ln(2) + 2 * of.ln(of.pi) - of.ln(3) - 2, of.ln(57)),
        lambda of: (7 * of.ln(2) + 2 * of.ln(of.pi) - of.ln(3) - 2, of.ln(of.mpf("56.99"))),
    ),
    BallFact(
        "radius-logarithm",
        "ln(2 pi^2 N m^2 / (3 delta)) > 2 for N >= 2, m >= 1, delta < 1: ln(4 pi^2 / 3) > 2",
        lambda of: (of.mpf(2), of.ln(4 * of.pi**2 / 3)),
        lambda of: (of.mpf(2), of.ln(2 * of.pi**2 / 3)),
    ),
    BallFact(
        "one-provider-logarithm",
        "ln(2 pi^2 / 3) - ln 0.891 < 2: for one provider the radius can increase",
        lambda of: (of.ln(2 * of.pi**2 / 3) - of.ln(of.mpf("0.891")), of.mpf(2)),
        lambda of: (of.ln(2 * of.pi**2 / 3) - of.ln(of.mpf("0.890")), of.mpf(2)),
    ),
)

#: Every fact by name.
BALL_FACTS: Mapping[str, BallFact] = MappingProxyType({fact.name: fact for fact in _FACTS})

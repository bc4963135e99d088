"""Facts about numbers such as pi and e, decided by ball arithmetic; each with a tightened form that is false.

A fact is stated once, with symbols for its logarithms; balls decide it with what the symbols stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mpmath.ctx_iv import MPIntervalContext

from bounds.errors import InputError
from proofs_checks.proofs.language.obligation import Hypothesis
from proofs_checks.proofs.language.terms import PI, Term, constants, exp, ln, substituted

_BALLS = MPIntervalContext()
#: Bits: the facts below are apart by more than 1e-6.
_BALLS.prec = 160


@dataclass(frozen=True)
class BallFact:
    """An inequality between numbers.

    Parameters
    ----------
    name, says : str
    formula : Term
        ``smaller < larger`` or ``larger > smaller``, with symbols for logarithms.
    names : tuple of (Term, Term)
        What the symbols stand for.
    tightened : Term
        A stronger statement, which is false; without symbols.
    """

    name: str
    says: str
    formula: Term
    names: tuple[tuple[Term, Term], ...]
    tightened: Term

    @property
    def closed(self) -> Term:
        """The formula with what the symbols stand for in their place."""
        return substituted(self.formula, dict(self.names))

    @property
    def hypothesis(self) -> Hypothesis:
        """The fact as an obligation may use it."""
        return Hypothesis(self.formula, "ball", self.name, names=self.names)

    def holds(self) -> bool:
        """Return whether balls show that the smaller side is smaller."""
        return _smaller(*sides(self.closed, _BALLS))

    def tightened_fails(self) -> bool:
        """Return whether balls show that the stronger statement is false."""
        left, right = sides(self.tightened, _BALLS)
        return _smaller(right, left)


def sides(formula: Term, arithmetic: Any) -> tuple[Any, Any]:
    """Return the smaller and the larger side of a strict inequality without symbols, as an arithmetic computes them."""
    if formula.head not in ("<", ">"):
        raise ValueError(f"{formula} is no strict inequality")
    left, right = (_value(argument, arithmetic) for argument in formula.arguments)
    return (left, right) if formula.head == "<" else (right, left)


def _value(term: Term, arithmetic: Any) -> Any:
    if term.number is not None:
        return arithmetic.mpf(term.number.numerator) / term.number.denominator
    if term == PI:
        return arithmetic.pi
    parts = [_value(argument, arithmetic) for argument in term.arguments]
    if term.head in ("ln", "exp") and len(parts) == 1:
        return getattr(arithmetic, term.head)(parts[0])
    if term.head == "-" and len(parts) == 1:
        return -parts[0]
    if term.head not in ("+", "-", "*", "/") or len(parts) != 2:
        raise ValueError(f"{term} is no number")
    first, second = parts
    match term.head:
        case "+":
            return first + second
        case "-":
            return first - second
        case "*":
            return first * second
    return first / second


def _smaller(left: Any, right: Any) -> bool:
    """Whether every number of one interval is below every number of another."""
    return bool(left.b < right.a)


_LOG_2, _LOG_3, _LOG_PI, _LOG_57 = constants("log_of_2 log_of_3 log_of_pi log_of_57")
(_LOG_CONSTANT,) = constants("log_of_4_pi_squared_over_3")
_SQUARED = PI * PI
_ALMOST_57 = Fraction(5699, 100)
_CONSTANT = 128 * _SQUARED / (3 * exp(2))
_FACTORS = 7 * _LOG_2 + 2 * _LOG_PI - _LOG_3 - 2
_OF_FACTORS = ((_LOG_2, ln(2)), (_LOG_PI, ln(PI)), (_LOG_3, ln(3)))
_FACTS = (
    BallFact("inversion-constant", "128 pi^2 / (3 e^2) < 57", _CONSTANT < 57, (), _CONSTANT < _ALMOST_57),
    BallFact(
        "inversion-logarithm",
        "7 ln 2 + 2 ln pi - ln 3 - 2 < ln 57",
        _FACTORS < _LOG_57,
        (*_OF_FACTORS, (_LOG_57, ln(57))),
        substituted(ln(_ALMOST_57) > _FACTORS, dict(_OF_FACTORS)),
    ),
    BallFact(
        "radius-logarithm",
        "ln(2 pi^2 N m^2 / (3 delta)) > 2 for N >= 2, m >= 1, delta < 1: ln(4 pi^2 / 3) > 2",
        _LOG_CONSTANT > 2,
        ((_LOG_CONSTANT, ln(4 * _SQUARED / 3)),),
        ln(2 * _SQUARED / 3) > 2,
    ),
)

#: Every fact by name.
BALL_FACTS: Mapping[str, BallFact] = MappingProxyType({fact.name: fact for fact in _FACTS})


def check_ball(hypothesis: Hypothesis) -> None:
    """Compare a hypothesis with the fact of ball arithmetic that it cites.

    Examples
    --------
    >>> check_ball(BALL_FACTS["radius-logarithm"].hypothesis)
    """
    fact = BALL_FACTS.get(hypothesis.of)
    if fact is None:
        rule = f"cites no fact of ball arithmetic {hypothesis.of!r}"
        raise InputError("hypothesis", str(hypothesis.formula), rule, f"there are {', '.join(BALL_FACTS)}")
    if hypothesis != fact.hypothesis:
        rule = f"is not the fact of ball arithmetic {fact.name}"
        raise InputError(
            "hypothesis", str(hypothesis.formula), rule, f"that says {fact.formula}: make it with ball_fact"
        )

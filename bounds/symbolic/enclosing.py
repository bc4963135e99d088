"""Intervals that contain the exact value of an expression in the paper's symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import sympy

from bounds.errors import InputError, did_you_mean, is_whole
from bounds.language.arithmetic import Enclosure, UndecidedError, double_above, rigorous
from bounds.language.evaluation import PRECISIONS, Evaluation
from bounds.language.quantities import QUANTITIES
from bounds.loading import AnySetting
from bounds.report import check_horizon
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.symbolic.symbols import Found, LargestOf, extreme, places, symbol_of, symbols
from bounds.symbolic.unfolding import exact, market_of, unfolded

#: How many bits hold so many decimal digits, with some to spare.
_BITS_PER_DIGIT, _SPARE = 3.33, 32
#: From which denominator on SymPy, which looks for roots of whole numbers, takes no power; and digits instead.
_LONGEST_POWER, _POWER_DIGITS = 2**12, 60
_NO_DERIVATIVE = "it holds a derivative that SymPy left open; roundings have none, so take the bound with smooth=True"
#: To how many digits an enclosure is narrowed where nothing is asked for: those of a double.
_DOUBLE = 17
_MOST_DIGITS = 10_000


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An interval that contains the exact value.

    Parameters
    ----------
    lower, upper : float
        Its ends, rounded outward.
    digits : tuple of str, optional
        Its ends in decimal, rounded outward to the digits that were asked for.
    exact : Enclosure
        Its ends as fractions, before they were rounded.
    """

    lower: float
    upper: float
    digits: tuple[str, ...] | None = None
    exact: Enclosure

    def __contains__(self, value: float | Fraction) -> bool:
        return bool(self.lower <= value <= self.upper)

    def __repr__(self) -> str:
        low, high = self.digits or (repr(self.lower), repr(self.upper))
        return f"[{low}, {high}]"


def substitutions(market: AnySetting, horizon: int | None = None) -> dict[Any, Any]:
    """Return the numbers of a market by symbol, each exactly the double that it is.

    Parameters
    ----------
    market : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T; without it T stays a symbol.

    Returns
    -------
    dict
        From SymPy symbols to rationals: N, n_Q, the platform's parameters, T; c_opt and c_2 where the market has them;
        and `eps[j]`, `Delta[j]`, `q[j]`, `c[j]` of its providers, counted as in `costproof.symbols`. An alpha such as
        0.7, whose fraction is long, is a `Float` of 60 digits: SymPy takes no powers with such fractions.

    Examples
    --------
    >>> numbers = substitutions("gpqa-strong", 70_000)
    >>> numbers[symbols.T], numbers[symbols.alpha], float(numbers[symbols.delta])
    (70000, 3/4, 0.05)
    """
    found = _numbers(market_of(market), horizon)
    if found[symbols.alpha].q > _LONGEST_POWER:
        found[symbols.alpha] = sympy.Float(found[symbols.alpha], _POWER_DIGITS)
    return found


def _numbers(market: Setting, horizon: int | None) -> dict[Any, Any]:
    """Return the numbers of a market by symbol, as rationals."""
    inputs = {name: value for name, value in formula_inputs(market).items() if name in QUANTITIES}
    quantities = [QUANTITIES[name] for name in inputs]
    found = {symbol_of(each): exact(inputs[each.name]) for each in quantities if each.ascii and not each.per_provider}
    if horizon is not None:
        found[symbols.T] = sympy.Integer(check_horizon(market, horizon))
    by_cost = sorted(market.qualified, key=lambda i: market.providers[i].mean_cost)
    for place, index in enumerate((*by_cost, *market.unqualified), 1):
        quality, cost = exact(market.providers[index].quality), exact(market.providers[index].mean_cost)
        found |= {symbols.q[place]: quality, symbols.c[place]: cost, symbols.eps[place]: found[symbols.q_min] - quality}
        if symbols.c_opt in found:
            found[symbols.Delta[place]] = cost - found[symbols.c_opt]
    return found


def enclose(
    expression: Any,
    market: AnySetting | None = None,
    *,
    horizon: int | None = None,
    digits: int | None = None,
    **values: Any,
) -> Interval:
    """Enclose the exact value of an expression in the paper's symbols, by ball or interval arithmetic.

    Parameters
    ----------
    expression : sympy.Expr or str
        A bound, a derivative, or anything made of them; or the name of a bound of the paper. Roundings are decided
        exactly; what a search finds counts as the double that it returns.
    market : Setting, PublishedSetting, str or path-like, optional
        Whose numbers stand for the symbols.
    horizon : int, optional
        T.
    digits : int, optional
        To how many significant digits the ends are also returned in decimal.
    **values
        Numbers by the name of the symbol, which win over those of the market. Floats are taken as the numbers that
        they are.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        A symbol has no number, a function cannot be enclosed, or the value does not exist.

    Examples
    --------
    >>> from sympy import Symbol, sqrt
    >>> enclose(sqrt(Symbol("T")), T=2, digits=30)
    [1.41421356237309504880168872420, 1.41421356237309504880168872421]
    """
    known = None if market is None else market_of(market)
    numbers = {} if known is None else _numbers(known, horizon)
    values = values if market is not None or horizon is None else {"T": horizon, **values}
    if isinstance(expression, str):
        expression = unfolded(expression, known)
    expression = checked(expression)
    if digits is not None and not (is_whole(digits) and 0 < digits <= _MOST_DIGITS):
        raise InputError("digits", digits, f"must be a whole number from 1 to {_MOST_DIGITS}", "30 is usual")
    names = {*map(str, expression.free_symbols), *dir(symbols)}
    for name, value in values.items():
        if name not in names:
            raise InputError(name, value, "is unknown", did_you_mean(name, names, "see dir(costproof.symbols)"))
        numbers[sympy.Symbol(name)] = _rational(name, value)
    written = _with_numbers(expression, numbers)
    inputs = {symbol.name: Fraction(int(n.p), int(n.q)) for symbol, n in numbers.items() if symbol.is_Symbol}
    if missing := sorted(map(str, written.free_symbols - numbers.keys())):
        remedy = f"give it as {missing[0]}=..., or a market" if missing[0].isidentifier() else "give a market"
        raise InputError("expression", str(expression), f"has no number for {', '.join(missing)}", remedy)
    box = _enclosure(written, inputs, digits or _DOUBLE)
    ends = ((box.lower, ROUND_FLOOR), (box.upper, ROUND_CEILING))
    told = None if digits is None else tuple(_decimal(end, digits, rounding) for end, rounding in ends)
    return Interval(lower=0.0 - double_above(-box.lower), upper=double_above(box.upper), digits=told, exact=box)


def checked(expression: Any) -> Any:
    """Return an expression, or raise an InputError if it is something else."""
    found = sympy.sympify(expression)
    if not isinstance(found, sympy.Expr):
        raise InputError("expression", expression, "must be a SymPy expression", "take one that `symbolic` returns")
    return found


def _with_numbers(expression: Any, numbers: Mapping[Any, Any]) -> Any:
    """Return an expression with sums written out and floats made exact; plain symbols stay, for SymPy would round."""
    if isinstance(expression, sympy.Float):
        return sympy.Rational(expression)
    if expression.is_Symbol or not expression.args:
        return expression
    if isinstance(expression, (sympy.Indexed, Found)):
        return expression.xreplace(numbers)
    if isinstance(expression, (sympy.Sum, LargestOf)):
        inside, (index, *ends) = expression.args
        first, last = (end.xreplace(numbers) for end in ends)
        if not (first.is_Integer and last.is_Integer):
            return expression
        terms = [_with_numbers(inside.xreplace({index: place}), numbers) for place in places(first, last)]
        return extreme(sympy.Max, [sympy.S.Zero, *terms]) if isinstance(expression, LargestOf) else sympy.Add(*terms)
    parts = [_with_numbers(part, numbers) for part in expression.args]
    extremes = isinstance(expression, (sympy.Max, sympy.Min))
    return extreme(expression.func, parts) if extremes else expression.func(*parts)


def _enclosure(expression: Any, inputs: Mapping[str, Fraction], digits: int) -> Enclosure:
    """Return a narrow enclosure: so many digits, or what the largest precision gives."""
    box, least = None, digits * _BITS_PER_DIGIT + _SPARE
    for precision in (*PRECISIONS, int(least) + PRECISIONS[-1]):
        if precision < least:
            continue
        try:
            with rigorous(precision) as arithmetic:
                box = arithmetic.enclosure(Evaluation(inputs, arithmetic).value_of(expression).item())
        except UndecidedError as error:
            reason: Exception = error
        except TypeError as error:
            told = _NO_DERIVATIVE if expression.has(sympy.Derivative) else str(error)
            raise InputError("expression", str(expression), "cannot be enclosed", told) from None
        else:
            if box.width * 10**digits <= abs(box.lower):
                return box
    if box is None:
        raise InputError("expression", str(expression), "has no value here that can be enclosed", str(reason))
    return box


def _rational(name: str, value: Any) -> Any:
    try:
        return sympy.Rational(Fraction(value))
    except (TypeError, ValueError, OverflowError):
        raise InputError(name, value, "must be a finite number", "give an int, a float or a Fraction") from None


def _decimal(end: Fraction, digits: int, rounding: str) -> str:
    return str(Context(prec=digits, rounding=rounding).divide(Decimal(end.numerator), Decimal(end.denominator)))

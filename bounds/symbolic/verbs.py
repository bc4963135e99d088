"""What a user calls by the name of a bound: its expression, and its derivatives."""

from __future__ import annotations

from typing import Any

import sympy

from bounds.errors import InputError, did_you_mean
from bounds.loading import AnySetting
from bounds.symbolic.enclosing import checked, enclose
from bounds.symbolic.horizon import IdentificationHorizon
from bounds.symbolic.symbols import symbols
from bounds.symbolic.unfolding import T_ID, market_of, unfolded


def symbolic(name: str, market: AnySetting | None = None, *, method: str = "paper", smooth: bool = False) -> Any:
    r"""Return a bound or definition of the paper as an ordinary SymPy expression.

    Its symbols are those of `costproof.symbols`: T, N, delta, k, alpha, gamma, c_max, q_min, d_minus, d_plus, c_opt
    and c_2 (mean costs of the optimal and the second-cheapest qualified provider), n_Q (the number of qualified
    providers), m, x and t. They have no assumptions, so that SymPy finds them by name: ``expression.diff("delta")``,
    ``expression.subs("T", 1000)``. SymPy has functions called N, gamma and beta: differentiate by
    ``costproof.symbols.gamma`` there, or use `derivatives`. The main text has gamma = d_minus = d_plus = 0.

    Parameters
    ----------
    name : str
        A key of ``costproof bounds --json`` that a formula states (``"identification_bound"``, ``"quality_regret"``,
        ``"quality_regret_anytime"``), the name of any other formula, or the paper's letter: ``"M"``, ``"L"``,
        ``"beta"``, ``"g"``, ``"m_star"``, ``"B_id"``, ``"T_0"``; or ``"T_id"``, which no expression states.
    market : Setting, PublishedSetting, str or path-like, optional
        Whose providers are written out, each with its quality and mean cost as the exact rational of the double.
        Parameters of the platform, N and n_Q stay symbols; who is qualified is fixed by the market's own q_min. Without
        a market, sums run over the index of the providers: ``Sum(..., (i, n_Q + 1, N))`` over the unqualified.
    method : {"paper", "sharp", "sharpest"}, optional
        As printed, or with improved bounds. Parts of the sharpest that a search finds stay functions, which become
        numbers once all their inputs are.
    smooth : bool, optional
        Leave out roundings: the expression inside each ceiling and floor, and g(T) in place of ceil(g(T)) - 1. Each
        lies within one of what it replaces.

    Returns
    -------
    sympy.Expr, dict or IdentificationHorizon
        For a quantity that each provider of the market has, such as ``"L"``: a dictionary by the providers' names. For
        T_id: an object with its equation, its number for the market, an enclosure and a closed upper bound.

    Raises
    ------
    InputError
        There is no such name or method, or the market leaves the bound undefined.

    Notes
    -----
    SymPy finds no limits of `Max` and `Min`, but of what it rewrites them into:
    ``limit(expression.rewrite(Abs) / T, T, oo)``. Its ``lambdify`` makes the exact inverses of the sharper bounds
    complex for NumPy: ``modules="mpmath"`` takes them one number at a time. ``xreplace`` puts all numbers in at once.
    ``subs`` puts in one after the other, and SymPy compares the parts of a maximum in between: that takes seconds for
    many providers, and fails for the sharper bounds.

    Examples
    --------
    >>> symbolic("M")
    ceiling(4*log(57*N/(delta*x**4))/x**2)
    >>> symbolic("M", smooth=True).diff("delta")
    -4/(delta*x**2)
    >>> symbolic("quality_regret_gap_dependent", smooth=True)
    Sum((4*log(57*N/(delta*eps[i]**4))/eps[i]**2 + 1)*eps[i], (i, n_Q + 1, N))
    >>> from bounds.symbolic.enclosing import substitutions
    >>> symbolic("identification_bound", "gpqa-strong").xreplace(substitutions("gpqa-strong", 70_000))
    76846
    """
    if name not in T_ID:
        return unfolded(name, market, method=method, smooth=smooth)
    if method != "paper":
        raise InputError("method", method, "has no T_id as an object", "take paper, or the number that `bounds` gives")
    return IdentificationHorizon(market=None if market is None else market_of(market), smooth=smooth)


def derivatives(
    bound: Any, *by: Any, market: AnySetting | None = None, horizon: int | None = None, method: str = "paper"
) -> dict[str, Any]:
    """Differentiate a bound by parameters, exactly.

    Parameters
    ----------
    bound : str or sympy.Expr
        A name as `symbolic` takes it, for the bound without its roundings; or an expression without roundings.
    *by : str or sympy.Symbol
        Symbols of the bound; by default all in which it has a derivative.
    market : Setting, PublishedSetting, str or path-like, optional
        Whose providers are written out.
    horizon : int, optional
        T: then the derivatives are enclosed at the numbers of the market, where one part of each maximum counts.
    method : {"paper", "sharp", "sharpest"}, optional

    Returns
    -------
    dict
        From the name of the symbol to the derivative: an expression, or its `Interval` where a horizon is given.

    Raises
    ------
    InputError
        A name is not a symbol of the bound, the bound has roundings, or it has no derivative in a symbol: a sum has as
        many terms as it says, a search takes it, or two parts of a maximum are equal at the numbers given.

    Examples
    --------
    >>> derivatives("beta", "delta")["delta"].subs({"m": 2, "N": 3, "delta": 1}).evalf(4)
    -0.1196
    >>> derivatives("B_id", "delta", market="gpqa-strong", horizon=70_000)
    {'delta': [-74186.33486396642, -74186.3348639664]}
    """
    expression = symbolic(bound, market, method=method, smooth=True) if isinstance(bound, str) else bound
    if isinstance(expression, dict):
        raise InputError("bound", bound, "is one of each provider", "differentiate symbolic(...)[name] of one of them")
    expression = checked(expression)
    if expression.has(sympy.ceiling, sympy.floor):
        remedy = "their derivative is 0 almost everywhere: take symbolic(..., smooth=True)"
        raise InputError("bound", str(expression), "has roundings", remedy)
    known = {str(each): each for each in sorted(expression.free_symbols, key=str)}
    known = {name: each for name, each in known.items() if isinstance(vars(symbols).get(name, each), sympy.Symbol)}
    if horizon is not None:
        expression = _without_extremes(expression, market, horizon)
    found = {}
    for symbol in map(str, by or known):
        if symbol not in known:
            remedy = did_you_mean(symbol, known, f"its symbols are {', '.join(known)}")
            raise InputError("by", symbol, "is not a symbol of the bound", remedy)
        derivative = expression.diff(known[symbol])
        if derivative.has(sympy.Derivative):
            if not by:
                continue
            remedy = "a sum has as many terms as it says, or a search takes it: give a market, or another method"
            raise InputError("by", symbol, "cannot be differentiated by", remedy)
        found[symbol] = derivative if horizon is None else enclose(derivative, market, horizon=horizon)
    return found


def _without_extremes(expression: Any, market: AnySetting | None, horizon: int) -> Any:
    """Return an expression with the largest part in place of each maximum, at the numbers of a market.

    Raises
    ------
    InputError
        Two parts are equal there: the bound has a kink, and no derivative.
    """
    if not expression.has(sympy.Max, sympy.Min):
        return expression
    parts = [_without_extremes(part, market, horizon) for part in expression.args]
    if not isinstance(expression, (sympy.Max, sympy.Min)):
        return expression.func(*parts)
    first, *others = dict.fromkeys(parts)
    for other in others:
        box = enclose(other - first, market, horizon=horizon).exact
        if box.lower <= 0 <= box.upper:
            raise InputError("bound", str(expression), "has a kink here", f"{first} and {other} are equal: move a bit")
        first = other if (box.lower > 0) == isinstance(expression, sympy.Max) else first
    return first

"""The facts of analysis that obligations may use, each a schema: from arguments to an instance that is true.

A solver knows no logarithm: ``ln x`` is a symbol, and what is used about it is stated, instance by instance, in one of
the forms below. An instance says what its symbols stand for (`Hypothesis.names`), and under which conditions it is
true (`Hypothesis.conditions`), which must be derived like anything else. `check_axiom` makes an instance again and
refuses what is none. The tests hold each form against ball arithmetic at random points.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, ParamSpec

from bounds.errors import InputError
from proofs_checks.proofs.language.logarithms import (
    combined,
    divisors,
    logarithm,
    logarithmic_sum,
    multiples,
    positive_atoms,
    rational,
)
from proofs_checks.proofs.language.names import names_realizable
from proofs_checks.proofs.language.obligation import Hypothesis
from proofs_checks.proofs.language.terms import (
    ANALYTIC,
    INT,
    PI,
    REAL,
    Number,
    Term,
    all_of,
    constant,
    equal,
    exp,
    implies,
    ln,
    number,
    parts_of,
    power,
    sqrt,
)

#: Symbols, each with something of it: the argument of a logarithm, the power that it stands for.
Each = Mapping[Term, Number] | tuple[tuple[Term, Number], ...]
_Arguments = ParamSpec("_Arguments")


@dataclass(frozen=True, kw_only=True)
class _Instance:
    """What a schema says of its arguments."""

    formula: Term
    conditions: Iterable[Term] = ()
    names: Iterable[tuple[Term, Term]] = ()


@dataclass(frozen=True, kw_only=True)
class _Schema:
    """An axiom: what it says, and what makes its instances."""

    says: str
    make: Callable[..., Hypothesis]


_SCHEMAS: dict[str, _Schema] = {}


def _schema(name: str, says: str) -> Callable[[Callable[_Arguments, _Instance]], Callable[_Arguments, Hypothesis]]:
    """Return what makes a schema of a function from arguments to an instance."""

    def declared(instance: Callable[_Arguments, _Instance]) -> Callable[_Arguments, Hypothesis]:
        @functools.wraps(instance)
        def made(*given: _Arguments.args, **named: _Arguments.kwargs) -> Hypothesis:
            bound = inspect.signature(instance).bind(*given, **named)
            bound.apply_defaults()
            try:
                found = instance(*bound.args, **bound.kwargs)
                conditions, names = tuple(found.conditions), tuple(found.names)
                _refuse_what_names_nothing(names)
                _refuse_what_no_script_says(found.formula, *conditions)
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise InputError(name, ", ".join(map(_shown, bound.args)), f"is no instance ({error})", says) from error
            arguments = tuple(tuple(one.items()) if isinstance(one, Mapping) else one for one in bound.args)
            return Hypothesis(found.formula, "axiom", name, arguments=arguments, conditions=conditions, names=names)

        _SCHEMAS[name] = _Schema(says=says, make=made)
        return made

    return declared


def _shown(argument: object) -> str:
    if isinstance(argument, Mapping):
        return "{" + ", ".join(f"{_shown(key)}: {_shown(value)}" for key, value in argument.items()) + "}"
    return str(argument)


def _refuse_what_names_nothing(names: tuple[tuple[Term, Term], ...]) -> None:
    for symbol, _ in names:
        for part in multiples(symbol) or [symbol]:
            if part.arguments or part.number is not None or part.head in ANALYTIC:
                raise ValueError(f"{part} cannot stand for anything: it is no constant")
    problem = names_realizable(names)
    if problem:
        raise ValueError(problem)


def _refuse_what_no_script_says(*formulas: Term) -> None:
    for part in {part for formula in formulas for part in parts_of(formula)}:
        if part.head in ANALYTIC:
            raise ValueError(f"{part} stands in a formula: write a symbol that stands for it")


def _term(value: Number) -> Term:
    term = value if isinstance(value, Term) else number(value)
    if term.sort not in (REAL, INT):
        raise ValueError(f"{term} is no number")
    return term


def _positive(*terms: Number) -> Iterator[Term]:
    """Yield that terms are positive; what is plainly so need not be said."""
    for term in dict.fromkeys(map(_term, terms)):
        if term.number is None:
            yield term > 0
        elif term.number <= 0:
            raise ValueError(f"{term} is not positive")


def _non_negative(term: Number) -> Iterator[Term]:
    value = _term(term)
    if value.number is None:
        yield value >= 0
    elif value.number < 0:
        raise ValueError(f"{value} is negative")


@_schema("log-tangent", "ln x <= x - 1 for x > 0")
def log_tangent(log: Term, x: Number) -> _Instance:
    """Return ln x <= x - 1, where `log` stands for ln x."""
    return _Instance(formula=log <= x - 1, conditions=_positive(x), names=[(log, ln(x))])


@_schema("log-strict-tangent", "ln x < x - 1 for x > 0, x not 1")
def log_strict_tangent(log: Term, x: Term) -> _Instance:
    """Return ln x < x - 1 for x other than 1, where `log` stands for ln x."""
    formula = implies(~equal(x, 1), log < x - 1)
    return _Instance(formula=formula, conditions=_positive(x), names=[(log, ln(x))])


@_schema("log-monotone", "x <= y implies ln x <= ln y, for x, y > 0")
def log_monotone(smaller: Term, log_smaller: Term, larger: Term, log_larger: Term) -> _Instance:
    """Return x <= y implies ln x <= ln y."""
    return _Instance(
        formula=implies(smaller <= larger, log_smaller <= log_larger),
        conditions=_positive(smaller, larger),
        names=[(log_smaller, ln(smaller)), (log_larger, ln(larger))],
    )


@_schema("log-product", "ln of a product or quotient of powers is the sum of the logarithms")
def log_product(left: Number, right: Number, of: Each) -> _Instance:
    """Return that two sums of multiples of logarithms are equal: the arguments of the logarithms are, multiplied.

    Parameters
    ----------
    left, right : Term or number
        Such as ``log_of_8 - log_of_2`` and ``2 * log_of_2``.
    of : mapping
        From each symbol in them to the argument of its logarithm: a product or quotient of powers.

    Raises
    ------
    InputError
        The two are not the same for all positive values of what they are made of.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, log_of_x, log_of_square = constants("x log_of_x log_of_square")
    >>> print(log_product(log_of_square, 2 * log_of_x, {log_of_square: x * x, log_of_x: x}).formula)
    (= log_of_square (* 2.0 log_of_x))
    """
    meanings = {symbol: _term(argument) for symbol, argument in dict(of).items()}
    left, right = _term(left), _term(right)
    first, second = logarithmic_sum(left, meanings), logarithmic_sum(right, meanings)
    if combined(first, second, rational(-1)):
        raise ValueError(f"{left} and {right} are the logarithms of different products")
    return _Instance(
        formula=equal(left, right),
        conditions=_where_powers_are(meanings.values(), {}),
        names=[(symbol, ln(argument)) for symbol, argument in meanings.items()],
    )


@_schema("exp-of-minus-log", "exp(-ln x) = 1/x for x > 0")
def exp_of_minus_log(tail: Term, exponent: Term, log: Term, x: Term) -> _Instance:
    """Return exp(-y) = 1/x for y = ln x, where `tail` stands for exp(-exponent) and `log` for ln x."""
    return _Instance(
        formula=implies(equal(exponent, log), equal(tail * x, 1)),
        conditions=_positive(x),
        names=[(tail, exp(-exponent)), (log, ln(x))],
    )


@_schema("square-root", "sqrt(x) is the s >= 0 with s s = x, for x >= 0")
def square_root(root: Term, of: Number) -> _Instance:
    """Return that `root` is the square root of a number."""
    formula = all_of(root >= 0, equal(root * root, of))
    return _Instance(formula=formula, conditions=_non_negative(of), names=[(root, sqrt(of))])


@_schema("square-root-not-negative", "sqrt(x) >= 0 for x >= 0")
def root_non_negative(root: Term, of: Number) -> _Instance:
    """Return that a square root is not negative."""
    return _Instance(formula=root >= 0, conditions=_non_negative(of), names=[(root, sqrt(of))])


@_schema("square-root-squared", "sqrt(x) sqrt(x) = x for x >= 0")
def root_squared(root: Term, of: Number) -> _Instance:
    """Return that the square of a square root is what it is the root of."""
    return _Instance(formula=equal(root * root, of), conditions=_non_negative(of), names=[(root, sqrt(of))])


@_schema("square-root-positive", "sqrt(x) > 0 for x > 0")
def root_positive(root: Term, of: Number) -> _Instance:
    """Return that the square root of a positive number is positive."""
    return _Instance(formula=root > 0, conditions=_positive(of), names=[(root, sqrt(of))])


@_schema("positive-square-root", "sqrt(x) is the s > 0 with s s = x, for x > 0")
def positive_root(root: Term, of: Number) -> _Instance:
    """Return that `root` is the square root of a positive number."""
    formula = all_of(root > 0, equal(root * root, of))
    return _Instance(formula=formula, conditions=_positive(of), names=[(root, sqrt(of))])


@_schema("exp-tangent", "exp(y) >= exp(z) (1 + y - z)")
def exp_tangent(value: Term, exponent: Number, at_value: Term, at_exponent: Number) -> _Instance:
    """Return exp(y) >= exp(z) (1 + y - z), where `value` stands for exp(y) and `at_value` for exp(z)."""
    formula = _above_tangent(value, exponent, at_value, at_exponent)
    return _Instance(formula=formula, names=[(value, exp(exponent)), (at_value, exp(at_exponent))])


@_schema("power-tangent", "x >= x^a (1 + ln x - a ln x) and 1 >= x^a (1 - a ln x), for x > 0")
def power_tangent(value: Term, exponent: Term, base: Term, log: Term, at: Literal[0, 1]) -> _Instance:
    """Return x^b >= x^a (1 + (b - a) ln x) for b = 0 or b = 1: `value` stands for x^a, `log` for ln x."""
    value_at, log_at = (base, log) if at else (number(1), number(0))
    return _Instance(
        formula=_above_tangent(value_at, log_at, value, exponent * log),
        conditions=_positive(base),
        names=[(log, ln(base)), (value, power(base, exponent))],
    )


def _above_tangent(value: Number, exponent: Number, at_value: Term, at_exponent: Number) -> Term:
    return value >= at_value * (1 + exponent - at_exponent)


@_schema("power-monotone", "0 < x < y implies x^a < y^a, for a > 0")
def power_monotone(smaller: Term, power_smaller: Term, larger: Term, power_larger: Term, exponent: Term) -> _Instance:
    """Return 0 < x < y implies x^a < y^a for a > 0; the powers stand for these."""
    return _Instance(
        formula=implies(all_of(smaller > 0, smaller < larger), power_smaller < power_larger),
        conditions=_positive(exponent),
        names=[(power_smaller, power(smaller, exponent)), (power_larger, power(larger, exponent))],
    )


@_schema("power-of-ratio-monotone", "x < y implies (x/n)^a < (y/n)^a, for x, y, n, a > 0")
def power_of_ratio_monotone(
    smaller: Term, power_smaller: Term, larger: Term, power_larger: Term, exponent: Term, over: Term
) -> _Instance:
    """Return x < y implies (x/n)^a < (y/n)^a for x, y, n, a > 0; the powers stand for these."""
    return _Instance(
        formula=implies(smaller < larger, power_smaller < power_larger),
        conditions=_positive(smaller, larger, over, exponent),
        names=[(power_smaller, power(smaller / over, exponent)), (power_larger, power(larger / over, exponent))],
    )


@_schema("power-product", "(x y)^a = x^a y^a and x^a x^b = x^(a + b), (x^a)^b = x^(a b), for x, y > 0")
def power_product(left: Number, right: Number, of: Each) -> _Instance:
    """Return that two products are equal: what their symbols stand for multiplies to the same powers.

    Parameters
    ----------
    left, right : Term or number
        Products and quotients.
    of : mapping
        From symbols in them, and in what these stand for, to products of powers.

    Raises
    ------
    InputError
        The two are not the same for all positive values of what they are made of.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, a, first, second = constants("x a x_to_a x_to_minus_a")
    >>> print(power_product(first * second, 1, {first: power(x, a), second: power(x, -a)}).formula)
    (= (* x_to_a x_to_minus_a) 1.0)
    """
    meanings = {symbol: _term(meaning) for symbol, meaning in dict(of).items()}
    left, right = _term(left), _term(right)
    if combined(logarithm(left, meanings), logarithm(right, meanings), rational(-1)):
        raise ValueError(f"{left} and {right} are different products")
    return _Instance(
        formula=equal(left, right),
        conditions=_where_powers_are([left, right, *meanings.values()], meanings),
        names=meanings.items(),
    )


def _where_powers_are(terms: Iterable[Term], meanings: Mapping[Term, Term]) -> Iterator[Term]:
    """Yield where products of powers are what `logarithms` says: bases positive, no exponent divided by 0."""
    every = list(terms)
    yield from _positive(*(atom for term in every for atom in positive_atoms(term) if atom not in meanings))
    yield from (~equal(divisor, 0) for divisor in dict.fromkeys(one for term in every for one in divisors(term)))


@_schema("expectation-monotone", "X >= Y surely implies E[X] >= E[Y]; the probability of an event is such")
def expectation_monotone(larger: Term, smaller: Number) -> _Instance:
    """Return that one expectation is at least another: 0, or what `smaller` stands for."""
    named = [one for one in (larger, _term(smaller)) if one.number is None]
    return _Instance(formula=larger >= smaller, names=[(one, _opaque("expectation", one)) for one in named])


@_schema("zeta-two", "the sum of 1/m^2 over m >= 1 is pi^2/6, and every partial sum is at most that")
def zeta_two(squares: Term, pi_squared: Term) -> _Instance:
    """Return that a partial sum of 1/m^2 is at most pi^2/6."""
    names = [(squares, _opaque("sum", squares)), (pi_squared, power(PI, 2))]
    return _Instance(formula=6 * squares <= pi_squared, names=names)


@_schema(
    "hoeffding",
    "the mean of m independent values in [0, 1] deviates from its mean by more than b with "
    "probability at most 2 exp(-2 m b^2), for each side exp(-2 m b^2)",
)
def hoeffding(failure: Term, tail: Term, count: Term, deviation: Term) -> _Instance:
    """Return that a mean deviates with probability at most twice `tail`, which stands for exp(-2 m b^2)."""
    names = [(failure, _opaque("probability", failure)), (tail, exp(-(2 * count * deviation * deviation)))]
    return _Instance(formula=failure <= 2 * tail, names=names)


@_schema(
    "one-sided-hoeffding",
    "the mean of m independent values in [0, 1] exceeds its mean by b or more with probability at most exp(-2 m b^2)",
)
def one_sided_hoeffding(failure: Term, tail: Term, count: Term, deviation: Term) -> _Instance:
    """Return that a mean exceeds its expectation with probability at most `tail`, which stands for exp(-2 m b^2)."""
    names = [(failure, _opaque("probability", failure)), (tail, exp(-(2 * count * deviation * deviation)))]
    return _Instance(formula=failure <= tail, names=names)


@_schema(
    "chernoff",
    "the mean of m independent values in [0, 1] with mean q reaches p > q with probability at most exp(-m kl(p, q))",
)
def chernoff(failure: Term, tail: Term, count: Term, divergence: Term, reached: Term, mean: Term) -> _Instance:
    """Return that a mean reaches p with probability at most `tail`, which stands for exp(-m kl(p, q)), where p > q.

    kl(p, q) = p ln(p/q) + (1 - p) ln((1 - p)/(1 - q)), for 0 < q < p < 1.
    """
    entropy = reached * ln(reached / mean) + (1 - reached) * ln((1 - reached) / (1 - mean))
    names = [(failure, _opaque("probability", failure)), (tail, exp(-(count * divergence))), (divergence, entropy)]
    conditions = [mean > 0, reached > mean, reached < 1]
    return _Instance(formula=failure <= tail, conditions=conditions, names=names)


@_schema(
    "data-processing",
    "n queries in the mean tell an event of probability x from y: n kl(q, p) >= kl(x, y), for scores of 0 and 1",
)
def data_processing(
    queries: Term,
    divergence: Term,
    here: Term,
    there: Term,
    log_happens: Term,
    log_fails: Term,
    quality: Term,
    other_quality: Term,
) -> _Instance:
    """Return n kl(q, p) >= x ln(x/y) + (1 - x) ln((1 - x)/(1 - y)), for any rule that says when to query and stop.

    Two markets differ in the mean of one provider's scores, q here and p there; n is the mean number of queries to it
    here. An event of the queries, their scores and anything else that both markets share has probability x here and y
    there. `log_happens` and `log_fails` stand for the two logarithms (Kaufmann, Cappe and Garivier 2016, lemma 1).
    """
    names = [
        (queries, _opaque("expectation", queries)),
        (here, _opaque("probability", here)),
        (there, _opaque("probability", there)),
        (divergence, quality * ln(quality / other_quality) + (1 - quality) * ln((1 - quality) / (1 - other_quality))),
        (log_happens, ln(here / there)),
        (log_fails, ln((1 - here) / (1 - there))),
    ]
    inside = [here > 0, here < 1, there > 0, there < 1, quality > 0, quality < 1, other_quality > 0, other_quality < 1]
    formula = queries * divergence >= here * log_happens + (1 - here) * log_fails
    return _Instance(formula=formula, conditions=inside, names=names)


@_schema("union-bound", "the probability that some event happens is at most the sum of theirs")
def union_bound(union: Term, families: Term, total: Term) -> _Instance:
    """Return that some event of so many families, each with a sum of probabilities, happens at most with their sum."""
    names = [(union, _opaque("probability", union)), (total, _opaque("sum", total))]
    return _Instance(formula=union <= families * total, names=names)


#: Axioms of probability: what their symbols stand for is no term of arithmetic, so that nothing can derive it.
OPAQUE = frozenset(
    {
        "expectation-monotone",
        "zeta-two",
        "hoeffding",
        "one-sided-hoeffding",
        "chernoff",
        "data-processing",
        "union-bound",
    }
)


def _opaque(head: str, symbol: Term) -> Term:
    """Return what stands for something of which no arithmetic speaks: its name alone says what."""
    return Term(head, (constant(f"of_{symbol.head}"),))


#: From the name of an axiom to what it says.
AXIOMS: Mapping[str, str] = MappingProxyType({name: schema.says for name, schema in _SCHEMAS.items()})


def check_axiom(hypothesis: Hypothesis) -> None:
    """Make an instance of an axiom again, and compare.

    Raises
    ------
    InputError
        The hypothesis is not what the axiom says of its arguments.

    Examples
    --------
    >>> check_axiom(square_root(constant("root"), constant("x")))
    >>> check_axiom(Hypothesis(constant("x") <= -1, "axiom", "hoeffding"))
    Traceback (most recent call last):
    ...
    bounds.errors.InputError: hypothesis='(<= x (- 1.0))' is no instance of the axiom hoeffding: make it with ...
    """
    schema = _SCHEMAS.get(hypothesis.of)
    if schema is None:
        rule, remedy = f"cites no axiom {hypothesis.of!r}", f"there are {', '.join(_SCHEMAS)}"
        raise InputError("hypothesis", str(hypothesis.formula), rule, remedy)
    if hypothesis != _made_again(schema, hypothesis.arguments):
        rule = f"is no instance of the axiom {hypothesis.of}"
        remedy = f"make it with {schema.make.__name__}, which says what the symbols stand for: {schema.says}"
        raise InputError("hypothesis", str(hypothesis.formula), rule, remedy)


def _made_again(schema: _Schema, arguments: tuple[Any, ...]) -> Hypothesis | None:
    try:
        return schema.make(*arguments)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None

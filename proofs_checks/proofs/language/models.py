"""Models: a value for every symbol, read from a solver's answer or made from an auction, to evaluate formulas in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechanism import rules
from proofs_checks.proofs.language.terms import PROVIDER, Term
from proofs_checks.proofs.solvers.smtlib import expressions

#: A value of a term: a number, a truth value, or a provider (its index).
Value = Any


@dataclass(frozen=True)
class Model:
    """Finitely many providers, and a value for every symbol on them.

    Parameters
    ----------
    providers : int
        How many; they are 0, 1, ...
    values : mapping
        From a symbol's name and its arguments' values, ``("bid", 0)``, to a value; constants have no arguments.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant
    >>> Model(0, {("x",): Fraction(1, 2)}).value(constant("x") + 1 > 1)
    True
    """

    providers: int
    values: Mapping[tuple[Any, ...], Value]

    def value(self, term: Term, bound: Mapping[Term, int] | None = None) -> Value:
        """Return the value of a term or formula.

        Raises
        ------
        KeyError
            A symbol has no value for some arguments.
        """
        bound = bound or {}
        if term in bound:
            return bound[term]
        if term.number is not None:
            return term.number
        if term.bound:
            return self._quantified(term, bound)
        arguments = [self.value(argument, bound) for argument in term.arguments]
        if term.head in _MEANING:
            return _MEANING[term.head](*arguments)
        return self.values[(term.head, *arguments)]

    def _quantified(self, term: Term, bound: Mapping[Term, int]) -> bool:
        first, *rest = term.bound
        if first.sort != PROVIDER:
            raise ValueError(f"{first} runs over {first.sort}: only providers are finitely many")
        body = Term(term.head, term.arguments, term.sort, None, tuple(rest)) if rest else term.arguments[0]
        values = (self.value(body, {**bound, first: k}) for k in range(self.providers))
        return all(values) if term.head == "forall" else any(values)


def _difference(first: Fraction, *others: Fraction) -> Fraction:
    return first - sum(others) if others else -first


def _implied(condition: bool, consequence: bool) -> bool:
    return not condition or consequence


def _product(*factors: Fraction) -> Fraction:
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result


_MEANING: Mapping[str, Any] = {
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "not": lambda part: not part,
    "=>": _implied,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "=": lambda left, right: left == right,
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": _difference,
    "*": _product,
    "/": lambda left, right: left / right,
    "ite": lambda condition, then, otherwise: then if condition else otherwise,
    "to_real": lambda value: value,
    "true": lambda: True,
    "false": lambda: False,
}


def model_of(values: Mapping[str, str]) -> Model:
    """Return the model that a solver's values say, over providers named ``provider_0``, ``provider_1``, ...

    Parameters
    ----------
    values : mapping
        From `proofs_checks.proofs.solvers.smtlib.values_of_model`.
    """
    found: dict[tuple[Any, ...], Value] = {}
    names = {word for text in values for word in re.findall(r"provider_\d+", text)}
    places: dict[str, int] = {name: int(name.removeprefix("provider_")) for name in names}
    for text, value in values.items():
        same = re.fullmatch(r"\(= (\S+) provider_(\d+)\)", text)
        if same and value == "true":
            places[same[1]] = int(same[2])
    for name, place in places.items():
        found[(name,)] = place
    for text, value in values.items():
        [term] = expressions(text)
        head, *arguments = [term] if isinstance(term, str) else term
        if head != "=" and all(isinstance(argument, str) and argument in places for argument in arguments):
            found[(head, *(places[argument] for argument in arguments))] = _read_value(value)
    return Model(len(names), found)


def _read_value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    [expression] = expressions(text)
    return _number(expression)


def _number(expression: Any) -> Fraction:
    if isinstance(expression, str):
        return Fraction(expression)
    operator, *parts = expression
    numbers = [_number(part) for part in parts]
    if operator == "/":
        return numbers[0] / numbers[1]
    return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]


def model_of_auction(
    bids: Sequence[Fraction],
    radii: Sequence[Fraction],
    able: Sequence[int],
    cost_bound: Fraction,
    *,
    winner: int | None = None,
    tag: str = "",
) -> Model:
    """Return the model of an auction that `mechanism.rules` holds.

    Parameters
    ----------
    bids, radii : sequence of Fraction
        Standing bids and cost radii of all providers.
    able : sequence of int
        The eligible ones; one or more.
    cost_bound : Fraction
    winner : int, optional
        Which of those that tie; by default the first.
    tag : str, optional
        Of the auction's symbols.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> model = model_of_auction([Fraction(0), half], [half, half], [0, 1], Fraction(1))
    >>> from proofs_checks.proofs.language.vocabulary import Auction
    >>> auction = Auction()
    >>> model.value(auction.payment(auction.winner))
    Fraction(1, 2)
    """
    adjusted = rules.adjusted_bids(bids, radii)
    tied = rules.lowest(able, adjusted)
    found: dict[tuple[Any, ...], Value] = {
        ("cost_bound",): cost_bound,
        (f"winner{tag}",): tied[0] if winner is None else winner,
    }
    for k, (bid, radius) in enumerate(zip(bids, radii, strict=True)):
        critical = rules.critical_payment(k, able, adjusted, radius)
        found[(f"bid{tag}", k)] = bid
        found[("cost_radius", k)] = radius
        found[("eligible", k)] = k in able
        found[("has_rival", k)] = critical is not None
        # Without a rival it may be anything: the vocabulary does not read it then.
        found[(f"least_rival{tag}", k)] = Fraction(0) if critical is None else critical - radius
    return Model(len(bids), found)

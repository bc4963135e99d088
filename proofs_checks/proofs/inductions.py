"""Whether inductions are such: each assumes its goal one step earlier, and begins with something.

An induction begins with an obligation that says the same of the first step (its base), with values of symbols before
the first step, for which it is plainly true, or with what the statement itself assumes of the first step. That a value
at one step is what the next one says it was is in the definitions; over which steps an induction runs is argued.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proofs_checks.proofs.language.matching import plain, readings_of
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation, Script
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.language.terms import Term, equal, parts_of
from proofs_checks.proofs.language.vocabulary import STATED


def induction_problems(obligations: Mapping[str, Obligation]) -> tuple[str, ...]:
    """Return what is wrong with the inductions of some obligations, without asking a solver.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant
    >>> x = constant("x")
    >>> endless = Obligation("endless", "", {"so-far": Hypothesis(x > 100, "induction")}, x + 1 > 100)
    >>> induction_problems({"endless": endless})
    ('endless: so-far: the induction does not begin with anything',)
    """
    found: list[str] = []
    for obligation in obligations.values():
        for name, hypothesis in _inductions(obligation):
            found += [
                f"{obligation.name}: {name}: {problem}" for problem in _problems(obligation, hypothesis, obligations)
            ]
    return tuple(found)


def start_questions(obligation: Obligation) -> tuple[Script, ...]:
    """Return what both solvers must say of the values with which inductions begin.

    The formula is true for them ("unsat" of its negation), and it is not true of everything ("sat").

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant
    >>> from proofs_checks.proofs.language.vocabulary import induction
    >>> x = constant("x")
    >>> [one.expected for one in start_questions(Obligation("o", "", induction(x >= 0, start={x: 0}), x + 1 >= 0))]
    ['unsat', 'sat']
    """
    return tuple(
        question
        for name, hypothesis in _inductions(obligation)
        if isinstance(hypothesis.start, tuple)
        for question in _start_questions(f"{obligation.name}.start.{name}", hypothesis.formula, hypothesis.start)
    )


def _inductions(obligation: Obligation) -> Iterator[tuple[str, Hypothesis]]:
    return ((name, one) for name, one in obligation.hypotheses.items() if one.source == "induction")


def _problems(obligation: Obligation, hypothesis: Hypothesis, obligations: Mapping[str, Obligation]) -> Iterator[str]:
    formula = hypothesis.formula
    if plain(formula) == plain(obligation.goal):
        yield "it assumes the goal itself, not what it was one step earlier"
    elif not readings_of(obligation.goal, formula, step=True):
        yield "it is not the goal one step earlier"
    if not hypothesis.start:
        yield "the induction does not begin with anything"
    elif isinstance(hypothesis.start, tuple):
        yield from _start_problems(formula, hypothesis.start)
    elif hypothesis.start != STATED:
        yield from _base_problems(obligation, hypothesis, obligations)


def _base_problems(
    obligation: Obligation, hypothesis: Hypothesis, obligations: Mapping[str, Obligation]
) -> Iterator[str]:
    base = obligations.get(str(hypothesis.start))
    if base is None:
        yield f"its base {hypothesis.start!r} is not there"
    elif not readings_of(base.goal, hypothesis.formula):
        yield f"its base {base.name} says something else"
    elif obligation.name in _below(base, obligations):
        yield f"its base {base.name} rests on it"


def _below(obligation: Obligation, obligations: Mapping[str, Obligation]) -> set[str]:
    """Return what an obligation rests on, itself included: what it cites and begins with, near and far."""
    found: set[str] = set()
    left = [obligation.name]
    while left:
        name = left.pop()
        if name in found or name not in obligations:
            continue
        found.add(name)
        for one in obligations[name].hypotheses.values():
            left += [one.of] if one.source == "obligation" else []
            left += [one.start] if one.source == "induction" and isinstance(one.start, str) else []
    return found


def _start_problems(formula: Term, start: tuple[tuple[Term, Term], ...]) -> Iterator[str]:
    symbols = [symbol for symbol, _ in start]
    known = parts_of(formula)
    for symbol, value in start:
        if symbol.arguments or symbol.number is not None or symbol not in known:
            yield f"it begins with a value of {symbol}, which is no symbol in it"
        elif symbols.count(symbol) > 1:
            yield f"it begins with two values of {symbol}"
        elif symbol.sort != value.sort:
            yield f"it begins with {value} for {symbol}, which is of sort {symbol.sort}"
        elif any(part in symbols for part in parts_of(value)):
            yield f"it begins with {value} for {symbol}, which has no value yet"


def _start_questions(name: str, formula: Term, start: tuple[tuple[Term, Term], ...]) -> Iterator[Script]:
    values = {f"start-{k}": equal(*pair) for k, pair in enumerate(start)}
    title = f"{name}: true before the first step"
    yield Script(
        name=name, text=script({**values, "negated": ~formula}, title=title, satisfiable=False), satisfiable=False
    )
    title = f"{name}: not true of everything"
    yield Script(
        name=f"{name}.anywhere", text=script({"negated": ~formula}, title=title, satisfiable=True), satisfiable=True
    )

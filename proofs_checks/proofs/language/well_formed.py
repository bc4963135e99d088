"""What proofs and lemmas must be before anything is asked of them: names, sources, and variables that mean one thing.

Matching tells symbols apart by how they begin, files and questions have the names of obligations, and a variable that
is bound twice could be taken for the other one. What could be confused is refused.
Somebody's subclass could say one thing here and another later: only exact types are taken, and copied once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from types import NoneType
from typing import TypeVar, get_args

from bounds.errors import InputError
from proofs_checks.proofs.language.matching import TAGS
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof, Source
from proofs_checks.proofs.language.terms import ANALYTIC, Term, subterms

_SOURCES = get_args(Source)
#: Without dots: those part the names of questions.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
#: More providers than a model is ever looked for with.
_MOST_PROVIDERS = 20
#: The classes of this language that are copied field by field, and what else they are made of.
_PARTS = (Proof, Obligation, Hypothesis, Mutant)
_LEAVES = (str, int, bool, float, Fraction, NoneType, Term)
_Part = TypeVar("_Part")
_PLAIN = "use Proof, Obligation, Hypothesis, Mutant and Term themselves, no subclasses"


def plain(value: _Part) -> _Part:
    """Return a copy that is made of exact types: the classes of this language, tuples, dicts, numbers and text.

    Examples
    --------
    >>> plain((True, {"a": [1]}))
    (True, {'a': (1,)})
    """
    kind = type(value)
    copied: object
    if kind in _LEAVES:
        return value
    if kind in _PARTS:
        copied = kind(**{one.name: plain(vars(value)[one.name]) for one in fields(kind)})  # type: ignore[arg-type]
    elif kind in (tuple, list):
        copied = tuple(map(plain, value))  # type: ignore[call-overload]
    elif isinstance(value, Mapping):
        copied = {plain(key): plain(held) for key, held in [*value.items()]}
    else:
        raise TypeError(f"a part is of type {kind.__name__}, which is not taken")
    return copied  # type: ignore[return-value]


def check_proofs(proofs: Mapping[str, Proof]) -> Mapping[str, Proof]:
    """Return plain copies of proofs that somebody hands in, each checked by itself.

    Examples
    --------
    >>> check_proofs({"lem:a": Proof("lem:a", (), "")})
    Traceback (most recent call last):
    ...
    bounds.errors.InputError: proofs='lem:a' has no obligation: a proof says something by its obligations
    """
    if not isinstance(proofs, Mapping):
        raise InputError("proofs", proofs, "is no mapping", "give proofs by their labels")
    try:
        proofs = plain(dict(proofs))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise InputError("proofs", [*proofs], f"are no plain proofs ({error})", _PLAIN) from error
    for label, proof in proofs.items():
        if type(proof) is not Proof:
            raise InputError("proofs", label, f"is {type(proof).__name__}, no Proof", "make one with Proof")
        if label != proof.label or not _LABEL.fullmatch(label):
            remedy = "give each proof under its own label, of letters, digits and : . _ -"
            raise InputError("proofs", label, f"is the label of a proof of {proof.label!r}", remedy)
        if not proof.obligations:
            raise InputError("proofs", label, "has no obligation", "a proof says something by its obligations")
        for obligation in proof.obligations:
            if type(obligation) is not Obligation:
                raise InputError("proofs", label, "has what is no Obligation", "make each with Obligation")
            check_obligation(obligation)
    return proofs


def check_obligation(obligation: Obligation) -> None:
    """Check the names, sources and variables of an obligation.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constant
    >>> check_obligation(Obligation("o", "", {}, constant("fixed_x") > 0))
    Traceback (most recent call last):
    ...
    bounds.errors.InputError: obligation='o' has a symbol 'fixed_x': the beginnings goal_, hypothesis_, fixed_, ...
    """
    for name in (obligation.name, *obligation.hypotheses):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            remedy = "names are made of letters, digits, _ and -: files and questions have them"
            raise InputError("obligation", obligation.name, f"has the name {name!r}", remedy)
    if not isinstance(obligation.says, str) or len(obligation.says.splitlines()) > 1:
        raise InputError("obligation", obligation.name, "says something in more than one line", "use one line")
    size = obligation.providers
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= _MOST_PROVIDERS:
        rule = f"has models of {size!r} providers"
        raise InputError("obligation", obligation.name, rule, f"a whole number from 1 to {_MOST_PROVIDERS}")
    check_sources(obligation)
    problem = _symbol_problem(obligation) or next(_variable_problems(obligation), None)
    if problem:
        raise InputError("obligation", obligation.name, *problem)


def check_sources(obligation: Obligation) -> None:
    """Check that every hypothesis has one of the sources: what has none would be taken for granted."""
    for name, hypothesis in obligation.hypotheses.items():
        if hypothesis.source not in _SOURCES:
            rule = f"has a hypothesis {name!r} of source {hypothesis.source!r}"
            raise InputError("obligation", obligation.name, rule, f"sources are {', '.join(_SOURCES)}")
        pairs = hypothesis.start if isinstance(hypothesis.start, tuple) else ()
        if (
            not _are_pairs(hypothesis.reading)
            or not _are_pairs(pairs)
            or not isinstance(hypothesis.start, (str, tuple))
        ):
            remedy = "write read(..., {symbol: term}) and induction(..., start={symbol: number})"
            raise InputError("obligation", obligation.name, f"has {name!r}, whose reading or start is no such", remedy)
        if hypothesis.start and hypothesis.source != "induction":
            rule = f"has a hypothesis {name!r} that begins with something"
            raise InputError("obligation", obligation.name, rule, "only an induction does")


def _are_pairs(value: object) -> bool:
    """Whether something is a tuple of pairs of terms."""
    pairs = value if isinstance(value, tuple) else (value,)
    return all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(term, Term) for term in pair) for pair in pairs
    )


def _formulas(obligation: Obligation) -> Iterator[Term]:
    yield obligation.goal
    for hypothesis in obligation.hypotheses.values():
        yield hypothesis.formula
        for left, right in hypothesis.reading:
            yield left
            yield right


def _symbol_problem(obligation: Obligation) -> tuple[str, str] | None:
    for head in {part.head: None for formula in _formulas(obligation) for part in subterms(formula)}:
        if head.startswith(TAGS):
            return f"has a symbol {head!r}", f"the beginnings {', '.join(TAGS)} are kept for reading what is cited"
        if head in ANALYTIC:
            return f"has {head!r} in a formula", "write a symbol that an axiom says to stand for it"
    return None


def _variable_problems(obligation: Obligation) -> Iterator[tuple[str, str]]:
    remedy = "give each variable a name of its own"
    said = (obligation.goal, *obligation.formulas.values())
    free = {name for formula in said for name in _free_names(formula, frozenset())}
    for formula in _formulas(obligation):
        for part in subterms(formula):
            names = {variable.head for variable in part.bound}
            again = {variable.head for inner in part.arguments for one in subterms(inner) for variable in one.bound}
            if len(names) != len(part.bound) or (names & again):
                yield f"binds {', '.join(sorted(names))} twice in {part}", remedy
            if names & free:
                yield f"has {', '.join(sorted(names & free))} both as a variable of 'for all' and as a symbol", remedy


def _free_names(term: Term, bound: frozenset[str]) -> Iterator[str]:
    if term.number is None and not term.arguments and term.head not in bound:
        yield term.head
    for argument in term.arguments:
        yield from _free_names(argument, bound.union(variable.head for variable in term.bound))

"""SMT-LIB 2 scripts: obligations written out, and read back by the checker of certificates."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from proofs_checks.proofs.language.sorts import BUILT_IN, Signature, signatures_of, sort_of_value
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    QUANTIFIERS,
    REAL,
    Term,
    number,
    open_subterms,
    parts_of,
    written,
)

#: An S-expression: a word or a list of S-expressions.
Expression = Any

# Text in quotes and anything beyond ASCII is in no script of ours (a comment may say what it likes): a solver could
# read it in another way than the checker does.
_TOKEN = re.compile(r'[ \t\r\n]+|;[^\n]*|(\|[^|\\]*\||[()]|(?:(?![()|;"])[!-~])+)')
_TOKENS = re.compile(f"(?:{_TOKEN.pattern})*+")


#: A script and its mutants have most formulas in common.
_once_each = functools.lru_cache(maxsize=16_384)


def script(formulas: Mapping[str, Term], *, title: str, satisfiable: bool, model: bool = False) -> str:
    """Return a script that asserts formulas by name and asks whether they can all be true."""
    if len(title.splitlines()) > 1:
        raise ValueError("the title of a script is one line")
    signatures = signatures_of(formulas)
    asked = _values(formulas) if model else []
    lines = [
        f"; {title}",
        f"(set-info :status {'sat' if satisfiable else 'unsat'})",
        *(["(set-option :produce-models true)"] if model else []),
        f"(set-logic {logic_of(formulas)})",
        *_declarations(formulas, signatures),
        # Labels live in the symbols' name space: a prefix that no symbol has keeps them apart.
        *(f"(assert (! {_written(formula)} :named |h:{name}|))" for name, formula in formulas.items()),
        "(check-sat)",
        *([f"(get-value ({' '.join(map(written, asked))}))"] if asked else []),
    ]
    return "\n".join(lines) + "\n"


def _values(formulas: Mapping[str, Term]) -> list[Term]:
    """Return the ground terms whose values say what a model is."""
    atoms = dict.fromkeys(atom for formula in formulas.values() for atom in _ground_atoms(formula))
    providers = sorted((t for t in atoms if t.sort == PROVIDER), key=str)
    named = [t for t in providers if t.head.startswith("provider_")]
    same = [Term("=", (t, name), BOOL) for t in providers if t not in named for name in named]
    return [*same, *(t for t in atoms if t.sort != PROVIDER)]


@_once_each
def _ground_atoms(formula: Term) -> tuple[Term, ...]:
    """Return the symbols of a formula, with their arguments, that no bound variable is in."""
    atoms = (t for t in open_subterms(formula) if t.head not in BUILT_IN and t.number is None)
    return tuple(dict.fromkeys(atoms))


def values_of_model(text: str) -> dict[str, str]:
    """Return what a solver answers to ``get-value``: values by term, as text.

    Examples
    --------
    >>> values_of_model("((x (/ 1.0 2.0)) ((= i p) true))")
    {'x': '(/ 1.0 2.0)', '(= i p)': 'true'}
    """
    [pairs] = expressions(text)
    return {_text(term): _text(value) for term, value in pairs}


def _text(found: Expression) -> str:
    return found if isinstance(found, str) else f"({' '.join(map(_text, found))})"


_written = _once_each(written)


def _declarations(formulas: Mapping[str, Term], signatures: Mapping[str, Signature]) -> Iterator[str]:
    if PROVIDER in _needs(formulas):
        yield f"(declare-sort {PROVIDER} 0)"
    for name, (arguments, result) in signatures.items():
        yield f"(declare-fun {name} ({' '.join(arguments)}) {result})"


def logic_of(formulas: Mapping[str, Term]) -> str:
    """Return the SMT-LIB logic that some formulas need.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, y = constants("x y")
    >>> logic_of({"h": x * y > 0}), logic_of({"h": x + 2 * y > 0})
    ('QF_NRA', 'QF_LRA')
    """
    needs = _needs(formulas)
    quantifiers = "" if "quantifiers" in needs else "QF_"
    uninterpreted = "UF" if needs & {PROVIDER, "functions"} else ""
    linear = "N" if "products" in needs else "L"
    numbers = ("I" if INT in needs else "") + ("R" if REAL in needs or INT not in needs else "")
    return f"{quantifiers}{uninterpreted}{linear}{numbers}A"


def _needs(formulas: Mapping[str, Term]) -> frozenset[str]:
    """Return what some formulas need: sorts, and whether quantifiers, functions and products of symbols."""
    return frozenset().union(*map(_needs_of, formulas.values()))


@_once_each
def _needs_of(formula: Term) -> frozenset[str]:
    parts = parts_of(formula)
    needs = {part.sort for part in parts}
    needs |= {"quantifiers" for part in parts if part.head in QUANTIFIERS}
    needs |= {"functions" for part in parts if part.arguments and part.head not in BUILT_IN}
    needs |= {"products" for part in parts if not _is_linear(part)}
    return frozenset(needs)


def _is_linear(term: Term) -> bool:
    if term.head == "*":
        return sum(not _is_number(argument) for argument in term.arguments) <= 1
    return term.head != "/" or _is_number(term.arguments[1])


def _is_number(term: Term) -> bool:
    return all(part.number is not None or part.head in {"-", "+", "*", "/", "to_real"} for part in parts_of(term))


def assertions(text: str) -> dict[str, Term]:
    """Return the named assertions of a script, read back."""
    try:
        declared, found = _stated(expressions(text))
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no script of this kind ({type(error).__name__}: {error})") from error
    for name, signature in signatures_of(found).items():
        if declared[name] != signature:
            raise ValueError(f"{name} is not used as it is declared")
    return found


def _stated(commands: list[Expression]) -> tuple[dict[str, Signature], dict[str, Term]]:
    declared: dict[str, Signature] = {}
    sorts: dict[str, str] = {}
    found: dict[str, Term] = {}
    asked = False
    for kind, *rest in commands:
        if asked and kind != "get-value":
            raise ValueError(f"{kind} after the question")
        if kind == "declare-fun":
            name, arguments, sort = rest
            if name in declared:
                raise ValueError(f"{name} is declared twice")
            declared[name], sorts[name] = (tuple(arguments), sort), sort
        elif kind == "assert":
            [[marker, body, _, label]] = rest
            name = label.strip("|").removeprefix("h:")
            if marker != "!" or name in found:
                raise ValueError(f"assertion {label} is not named, or named twice")
            found[name] = _read(body, sorts, {})
        elif kind not in ("set-info", "set-logic", "set-option", "declare-sort", "check-sat", "get-value"):
            raise ValueError(f"unknown command {kind}")
        asked |= kind == "check-sat"
    return declared, found


def read_term(text: str, signatures: Mapping[str, str]) -> Term:
    """Return a term from its text."""
    [found] = expressions(text)
    return _read(found, signatures, {})


def expressions(text: str) -> list[Expression]:
    """Return the S-expressions of a text.

    Examples
    --------
    >>> expressions("(assert (< x 1.0)) ; a comment")
    [['assert', ['<', 'x', '1.0']]]
    """
    stack: list[list[Expression]] = [[]]
    for word in _words(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            if len(stack) == 1:
                raise ValueError("a parenthesis too many")
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    if len(stack) != 1:
        raise ValueError("a parenthesis is open")
    return stack[0]


def _words(text: str) -> Iterator[str]:
    tokens = _TOKENS.match(text)
    end = tokens.end() if tokens else 0
    if end != len(text):
        raise ValueError(f"{text[end : end + 20]!r} is no part of a script")
    return filter(None, _TOKEN.findall(text))


def _read(found: Expression, signatures: Mapping[str, str], bound: Mapping[str, Term]) -> Term:
    if isinstance(found, str):
        return _word(found, signatures, bound)
    head, *rest = found
    if head in ("forall", "exists"):
        quantified, matrix = rest
        variables = tuple(Term(name, (), sort) for name, sort in quantified)
        body = _read(matrix, signatures, {**bound, **{v.head: v for v in variables}})
        return Term(head, (body,), BOOL, None, variables)
    if not rest:
        raise ValueError(f"{head} is applied to nothing")
    arguments = tuple(_read(part, signatures, bound) for part in rest)
    folded = _folded(head, arguments)
    if folded is not None:
        return folded
    if head in BUILT_IN:
        return Term(head, arguments, sort_of_value(head, tuple(argument.sort for argument in arguments)))
    if head not in signatures:
        raise ValueError(f"{head} is not declared")
    return Term(head, arguments, signatures[head])


@_once_each
def _number(word: str) -> Term:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", word):
        raise ValueError(f"{word} is no number")
    return number(Fraction(word), REAL if "." in word else INT)


def _folded(head: str, arguments: tuple[Term, ...]) -> Term | None:
    """Return the number that ``(- 1.0)`` or ``(/ 1.0 3.0)`` writes."""
    values = [argument.number for argument in arguments]
    if head == "-" and len(arguments) == 1 and values[0] is not None:
        return number(-values[0], arguments[0].sort)
    if head == "/" and len(arguments) == 2 and values[0] is not None and values[1]:
        return number(values[0] / values[1])
    return None


def _word(word: str, signatures: Mapping[str, str], bound: Mapping[str, Term]) -> Term:
    if word in bound:
        return bound[word]
    if word[0].isdigit():
        return _number(word)
    if word in ("true", "false"):
        return Term(word, (), BOOL)
    if word not in signatures:
        raise ValueError(f"{word} is not declared")
    return Term(word, (), signatures[word])

"""Breaks rules of the encoding, one at a time: generic changes of formulas, and what is no longer proved with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs_checks.proofs.language.models import with_providers
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.language.terms import BOOL, PROVIDER, Term, substituted, subterms

Rewriting = Callable[[Term], Term]

_FLIPPED = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<=")}
_OTHER_QUANTIFIER = {"forall": "exists", "exists": "forall"}
_OTHER_SIGN = {"+": "-", "-": "+"}


def broken(formula: Term) -> Iterator[tuple[str, Term]]:
    """Yield every formula that differs at one place, with what was done there."""
    yield from _here(formula)
    for place, argument in enumerate(formula.arguments):
        for what, changed in broken(argument):
            arguments = (*formula.arguments[:place], changed, *formula.arguments[place + 1 :])
            yield what, replace(formula, arguments=arguments)


def _here(term: Term) -> Iterator[tuple[str, Term]]:
    head, parts = term.head, term.arguments
    if term.number is not None:
        yield f"{term} for {term.number + 1}", replace(term, number=Fraction(term.number + 1))
    for other in _FLIPPED.get(head, ()):
        yield f"{head} for {other}", replace(term, head=other)
    if head == "=" and parts[0].sort not in (PROVIDER, BOOL):
        for other in ("<=", ">="):
            yield f"= for {other}", replace(term, head=other)
    if head == "=":
        yield "= denied", ~term
    if head in _OTHER_SIGN and len(parts) == 2:
        yield f"{head} for {_OTHER_SIGN[head]}", replace(term, head=_OTHER_SIGN[head])
    if head in _OTHER_QUANTIFIER:
        yield f"{head} for {_OTHER_QUANTIFIER[head]}", replace(term, head=_OTHER_QUANTIFIER[head])
    if head == "and":
        for place in range(len(parts)):
            rest = parts[:place] + parts[place + 1 :]
            yield f"without {parts[place]}", rest[0] if len(rest) == 1 else replace(term, arguments=rest)
        yield "or for and", replace(term, head="or")
    if head == "=>":
        yield "without its condition", parts[1]
        yield "the other way round", replace(term, arguments=parts[::-1])
    if head == "not":
        yield "without not", parts[0]
    if head == "ite":
        yield "the other choice", replace(term, arguments=(parts[0], parts[2], parts[1]))
    yield from _other_variable(term)


def _other_variable(term: Term) -> Iterator[tuple[str, Term]]:
    """Yield an application at the other provider variable of the vocabulary (j for k and k for j), one at a time."""
    other = {"j": "k", "k": "j"}
    for place, argument in enumerate(term.arguments):
        if argument.sort == PROVIDER and argument.head in other:
            swapped = Term(other[argument.head], (), PROVIDER)
            arguments = (*term.arguments[:place], swapped, *term.arguments[place + 1 :])
            yield f"{term.head} of {swapped} for {argument}", replace(term, arguments=arguments)


@dataclass(frozen=True)
class Break:
    """A rule that was changed: what was changed, and how formulas change with it."""

    name: str
    rewriting: Rewriting


def of_hypotheses(versions: list[Mapping[str, Term]]) -> Iterator[Break]:
    """Yield every change of shared hypotheses; versions are the same rules for several runs, and change together.

    Variables that a change leaves free are constants then: "for this one" instead of "for all".
    """
    for places in zip(*(version.items() for version in versions), strict=True):
        name = places[0][0]
        changes = [list(broken(formula)) for _, formula in places]
        truth = Term("true", (), BOOL)
        yield Break(f"{name}: dropped", _exchanging({formula: truth for _, formula in places}))
        for number, found in enumerate(zip(*changes, strict=True)):
            pairs = {formula: changed for (_, formula), (_, changed) in zip(places, found, strict=True)}
            yield Break(f"{name}: {found[0][0]} ({number})", _exchanging(pairs))


def of_terms(name: str, builders: list[Callable[[Term], Term]]) -> Iterator[Break]:
    """Yield every change of a term that is built for a provider, wherever it stands."""
    some = Term("someone", (), PROVIDER)
    for number, (what, _) in enumerate(broken(builders[0](some))):

        def rewriting(formula: Term, number: int = number) -> Term:
            people = {part for part in subterms(formula) if part.sort == PROVIDER}
            terms = {build(person) for person in people for build in builders}
            return substituted(formula, {term: list(broken(term))[number][1] for term in terms})

        yield Break(f"{name}: {what} ({number})", rewriting)


def _exchanging(pairs: Mapping[Term, Term]) -> Rewriting:
    return lambda formula: pairs.get(formula, formula)


def rewritten(obligation: Obligation, rewriting: Rewriting) -> Obligation:
    """Return an obligation whose hypotheses, goal and mutants are changed."""
    return replace(
        obligation,
        hypotheses={n: replace(h, formula=rewriting(h.formula)) for n, h in obligation.hypotheses.items()},
        goal=rewriting(obligation.goal),
        further_mutants=tuple(
            replace(
                mutant,
                replace={n: rewriting(formula) for n, formula in mutant.replace.items()},
                goal=None if mutant.goal is None else rewriting(mutant.goal),
            )
            for mutant in obligation.further_mutants
        ),
    )


def why_not_proved(obligation: Obligation) -> str:
    """Return why `prove` does not say PROVED of it, as z3 decides finite instances, or "" if none shows it.

    Each question is one that `prove` asks, or a finite instance of it: with a model the obligation is false.
    """
    size = obligation.providers or 3
    if _answer(with_providers(obligation.refutation, size)) == "sat":
        return "false"
    if _answer(with_providers(obligation.formulas, size)) == "unsat":
        return "vacuous"
    for mutant in obligation.mutants:
        if _answer(with_providers(obligation.mutated(mutant), mutant.providers or size)) == "unsat":
            return f"the mutant {mutant.name!r} is true as well"
    return ""


def _answer(formulas: Mapping[str, Term]) -> str:
    import z3

    solver = z3.Solver()
    solver.set("timeout", 1000)
    solver.from_string(script(formulas, title="broken", satisfiable=True).partition("(check-sat)")[0])
    return str(solver.check())


def survivors(breaks: list[Break], obligations: Mapping[str, Obligation]) -> dict[str, str]:
    """Return, for each broken rule, the first obligation that is not proved with it and why; "" for none."""
    found: dict[str, str] = {}
    for one in breaks:
        found[one.name] = ""
        for obligation in obligations.values():
            changed = rewritten(obligation, one.rewriting)
            if changed == obligation:
                continue
            why = why_not_proved(changed)
            if why:
                found[one.name] = f"{obligation.name}: {why}"
                break
    return found

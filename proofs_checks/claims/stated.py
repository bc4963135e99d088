"""What reports say of every claim in any case: its parts as formulas, its notation, what it rests on."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bounds.documents import Document
from bounds.language.computed import Stated
from bounds.language.latex import to_latex, with_values
from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.model.claim import Claim, ClaimKind
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.paper_statements import paper_uses
from proofs_checks.claims.registry import claim


@dataclass(frozen=True, kw_only=True)
class ReportedClaim:
    """What reports say beside each result about a claim.

    Parameters
    ----------
    number : str or None
        Number in the paper's PDF, as Theorem 4; None if it has none.
    name : str
        Short name of the claim.
    kind : str
        What kind of statement the label announces.
    statement : str
        The statement, in words and formulas.
    latex : tuple of str
        The inequalities that are compared, in LaTeX.
    assumptions : tuple of str
        Names of the assumptions that are checked first.
    documented_finding : str or None
        What is wrong with the paper's wording; None if nothing is known to be.
    stronger_reading : bool
        Whether it says more than the paper's text.
    repaired_by : str or None
        Label of the repaired statement; None if there is none.
    note : str or None
        What to know to weigh the verdict; None if nothing.
    compared_as : str or None
        Label of the claim that is compared in its place, where that says less; None if none is.
    """

    number: str | None
    name: str
    kind: ClaimKind
    statement: str
    latex: tuple[str, ...]
    assumptions: tuple[str, ...]
    documented_finding: str | None
    stronger_reading: bool
    repaired_by: str | None
    note: str | None
    compared_as: str | None


def reported(stated: Claim) -> ReportedClaim:
    """Return what reports say beside each result about a claim."""
    return ReportedClaim(
        number=stated.number,
        name=stated.name,
        kind=stated.kind,
        statement=stated.wording,
        latex=_latex(stated.label),
        assumptions=tuple(each.name for each in stated.assumptions),
        documented_finding=stated.finding or None,
        stronger_reading=stated.stronger_reading,
        repaired_by=stated.repaired_by or None,
        note=stated.note or None,
        compared_as=stated.compared_as or None,
    )


@functools.cache
def _latex(label: str) -> tuple[str, ...]:
    """Return the inequalities of a claim, which has a result for each setting."""
    return claim(label).latex()


@dataclass(frozen=True, kw_only=True)
class StatementPart:
    """A part of a statement.

    Parameters
    ----------
    name : str
        Name of the part.
    headline : bool
        Whether the claim is cited for it.
    latex : str or None
        Its inequality in LaTeX; None if it is none.
    """

    name: str
    headline: bool
    latex: str | None


@dataclass(frozen=True, kw_only=True)
class Statement(Document):
    """What a claim says in any case.

    Parameters
    ----------
    parts : tuple of StatementPart
        The parts of the statement.
    notation : tuple of str
        Names in its formulas, see `notation`.
    definitions : dict
        Formulas of these names, in LaTeX, where its assumptions fix a value (gamma = 0), in place of those in
        `notation`.
    stated_under : tuple of str
        Hypotheses under which it is stated, the paper's of its claims, ours of our variants; empty if none.
    commented_out : bool
        Whether it stands in a comment of the paper's source, so that the PDF does not have it.
    implies : tuple of str
        Labels of the claims that it implies.
    paper_uses : tuple of str
        Labels that the paper's proof cites.
    """

    parts: tuple[StatementPart, ...]
    notation: tuple[str, ...]
    definitions: Mapping[str, str]
    stated_under: tuple[str, ...]
    commented_out: bool
    implies: tuple[str, ...]
    paper_uses: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Notation(Document):
    """What a name in formulas stands for.

    Parameters
    ----------
    latex : str
        Its symbol in LaTeX.
    meaning : str
        What it is, in words.
    unit : str
        Its unit.
    formula : str or None
        Its definition in LaTeX; None if it is measured.
    """

    latex: str
    meaning: str
    unit: str
    formula: str | None


def statement(stated: Claim) -> Statement:
    """Return what a claim says: its parts with their formulas, its hypotheses, what it implies and rests on.

    Examples
    --------
    >>> from proofs_checks.claims.registry import claim
    >>> found = statement(claim("lem:ordinary-payment"))
    >>> found.parts[0].latex
    '\\\\pi_t \\\\leq \\\\min\\\\left(c_{\\\\max}, c_{\\\\max} \\\\beta(m) + \\\\bar c_{(2)}\\\\right)'
    >>> found.paper_uses
    ('lem:adjusted-bid-bounds', 'lem:qualified-eligibility')
    >>> found.stated_under
    ('truthful bids', 'the good event', 'at least two qualified providers and a unique i*')
    """
    overrides = stated.regime.overrides
    formulas = [check.latex(overrides) if isinstance(check, Relation) else None for check in stated.checks]
    return Statement(
        parts=tuple(
            StatementPart(name=part.name, headline=part.headline, latex=formula)
            for part, formula in zip(stated.parts(), formulas, strict=True)
        ),
        notation=tuple(_notation(stated)),
        definitions=_definitions(stated),
        stated_under=stated_under(stated),
        commented_out=stated.commented_out,
        implies=stated.implies,
        paper_uses=paper_uses().get(stated.label, ()),
    )


def notation(claims: Iterable[Claim]) -> dict[str, Notation]:
    """Return what the names in the formulas of some claims stand for, by name.

    Examples
    --------
    >>> from proofs_checks.claims.registry import claim
    >>> found = notation([claim("lem:ordinary-payment")])
    >>> found["payment"].meaning, found["payment"].unit, found["payment"].formula
    ('payment', 'money per query', None)
    >>> found["radius"].formula.split(" = ")[0]
    '\\\\beta(m)'
    """
    known: dict[str, Stated | None] = {}
    for stated in claims:
        known |= _notation(stated)
    return {name: _quantity(name, known[name]) for name in QUANTITIES if name in known}


def _quantity(name: str, formula: Stated | None) -> Notation:
    quantity = QUANTITIES[name]
    latex = None if formula is None else formula.latex()
    return Notation(latex=quantity.latex, meaning=quantity.meaning, unit=quantity.unit, formula=latex)


def _definitions(stated: Claim) -> dict[str, str]:
    """Return the formulas behind those of a claim that its assumptions shorten, in LaTeX and by name."""
    fixed = tuple(sorted(stated.regime.overrides.items()))
    formulas = ((name, formula) for name, formula in _notation(stated).items() if formula is not None)
    return {
        name: _shortened(formula, fixed)
        for name, formula in formulas
        if {symbol.name for symbol in formula.expression.free_symbols} & stated.regime.overrides.keys()
    }


@functools.cache
def _shortened(formula: Stated, fixed: tuple[tuple[str, float], ...]) -> str:
    return f"{formula.quantity.latex} = {to_latex(with_values(formula.expression, dict(fixed)))}"


def _notation(stated: Claim) -> dict[str, Stated | None]:
    found: dict[str, Stated | None] = {}
    for check in stated.checks:
        if isinstance(check, Relation):
            found |= check.notation(stated.regime.overrides)
    return found

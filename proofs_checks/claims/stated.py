"""What reports say once of every claim, whatever was found: its parts as formulas, its notation, what it rests on."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from bounds.language.computed import Stated
from bounds.language.latex import to_latex, with_values
from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.paper_uses import paper_uses


def statement_data(stated: Claim) -> dict[str, Any]:
    """Return under which hypotheses a claim is stated, its parts with their formulas, and what it implies and rests on.

    It is plain data, for reports.
    A part that is no inequality has no formula. `notation_data` says what the names mean; ``definitions`` has, by name,
    the formulas that read otherwise in this claim, since its assumptions fix a value: gamma = 0 for truthful bids.

    Examples
    --------
    >>> from proofs_checks.claims.registry import claim
    >>> found = statement_data(claim("lem:ordinary-payment"))
    >>> found["parts"][0]["latex"]
    '\\\\pi_t \\\\leq \\\\min\\\\left(c_{\\\\max}, c_{\\\\max} \\\\beta(m) + \\\\bar c_{(2)}\\\\right)'
    >>> found["paper_uses"]
    ['lem:adjusted-bid-bounds', 'lem:qualified-eligibility']
    >>> found["stated_under"]
    ['truthful bids', 'the good event', 'two qualified providers and a unique i*']
    """
    overrides = stated.regime.overrides
    formulas = [check.latex(overrides) if isinstance(check, Relation) else None for check in stated.checks]
    return {
        "parts": [
            {"name": part.name, "headline": part.headline, "latex": formula}
            for part, formula in zip(stated.parts(), formulas, strict=True)
        ],
        "notation": list(_notation(stated)),
        "definitions": _definitions(stated),
        "stated_under": list(stated_under(stated)),
        "commented_out": stated.commented_out,
        "implies": list(stated.implies),
        "paper_uses": list(paper_uses().get(stated.label, ())),
    }


def notation_data(claims: Iterable[Claim]) -> dict[str, dict[str, Any]]:
    """Return what the names in the formulas of some claims stand for, by name, as plain data.

    Examples
    --------
    >>> from proofs_checks.claims.registry import claim
    >>> found = notation_data([claim("lem:ordinary-payment")])
    >>> found["payment"]
    {'latex': '\\\\pi_t', 'meaning': 'payment', 'unit': 'money per query', 'formula': None}
    >>> found["radius"]["formula"].split(" = ")[0]
    '\\\\beta(m)'
    """
    known: dict[str, Stated | None] = {}
    for stated in claims:
        known |= _notation(stated)
    return {name: _quantity(name, known[name]) for name in QUANTITIES if name in known}


def _quantity(name: str, formula: Stated | None) -> dict[str, Any]:
    quantity = QUANTITIES[name]
    told = {"latex": quantity.latex, "meaning": quantity.meaning, "unit": quantity.unit}
    return {**told, "formula": None if formula is None else formula.latex()}


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

"""Which figures show what a claim says: a table by hand, since a figure shows quantities, not labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from proofs_checks.figures.catalogue import BY_NAME, FigureKind

#: By figure, the claims whose two sides it draws.
FIGURES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "bounds": (
            "thm:quality-guarantee",
            "thm:generation-regret",
            "thm:excess-payment-general",
            "cor:excess-payment-polynomial",
        ),
        "payment-bounds": ("lem:ordinary-payment", "lem:two-sided-payment", "lem:payment-range"),
        "payments": ("thm:payment-convergence",),
        "identification": ("thm:sample-complexity",),
        "identification-horizons": ("claim:T_id", "thm:sample-complexity"),
        "eligible": ("lem:unqualified-elimination",),
        "coverage": ("lem:good-event", "lem:unqualified-elimination"),
        "guarantees": ("thm:quality-guarantee", "thm:generation-regret", "thm:excess-payment-general", "thm:regret"),
        "regret": ("thm:quality-guarantee", "thm:generation-regret"),
    }
)


def figures_of(label: str) -> tuple[FigureKind, ...]:
    """Return the figures that show a claim.

    Examples
    --------
    >>> [kind.name for kind in figures_of("lem:good-event")]
    ['coverage']
    """
    return tuple(BY_NAME[name] for name, labels in FIGURES.items() if label in labels)

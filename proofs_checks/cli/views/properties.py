"""What `costproof check` and `costproof audit` print of the properties of a mechanism."""

from __future__ import annotations

from rich.console import Console

from proofs_checks.cli.views.console import say
from proofs_checks.properties.lattice import weaker
from proofs_checks.properties.placement import Placement, in_words
from proofs_checks.properties.tested_by import OF_CHECK


def show_properties(screen: Console, found: Placement, first: str = "") -> None:
    """Say which properties are refuted, from the weakest on, what stands, and what cannot be told.

    `first` is the check to start with, if there is one.
    """
    for place, sentence in enumerate(in_words(found.to_data())):
        say(screen, f"{sentence}{_related(found, first)}" if place == 0 else sentence)


def _related(found: Placement, first: str) -> str:
    """Return how the check to start with and the weakest refuted properties relate; nothing where they do not."""
    if first not in OF_CHECK:
        return ""
    tested = OF_CHECK[first].passed
    if any(first in told.by or told.name == tested for told in found.weakest_refuted):
        return f" The check to start with, {first}, tests it." if len(found.weakest_refuted) == 1 else ""
    if tested and weaker(tested) & found.names:
        return f" The check to start with, {first}, tests {tested}, which rests on it."
    return ""

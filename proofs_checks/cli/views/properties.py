"""What `costproof check` and `costproof audit` print of the properties of a mechanism."""

from __future__ import annotations

from rich.console import Console

from proofs_checks.cli.views.console import say
from proofs_checks.properties.placement import Placement, in_words


def show_properties(screen: Console, found: Placement) -> None:
    """Say which properties are refuted, from the weakest on, what stands, and what cannot be told."""
    for sentence in in_words(found.to_data()):
        say(screen, sentence)

"""What `costproof check` and `costproof audit` print of the properties of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rich.console import Console

from proofs_checks.cli.views.console import say
from proofs_checks.properties.lattice import weaker
from proofs_checks.properties.placement import Placement, in_words
from proofs_checks.properties.tested_by import OF_CHECK


def show_properties(
    screen: Console, found: Placement, first: str = "", steps: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Say which properties are refuted, from the weakest on, what stands, and what cannot be told.

    `first` is the check to start with, if there is one; `steps` has the step at which each check failed.
    """
    for place, sentence in enumerate(in_words(found.to_data(), of_checked=bool(first))):
        say(screen, f"{sentence}{_related(found, first, steps)}" if place == 0 else sentence)


def _related(found: Placement, first: str, steps: Mapping[str, int]) -> str:
    """Return why to start with the check of the first line, and what comes next; nothing where it is about neither."""
    if first not in OF_CHECK:
        return ""
    tested = OF_CHECK[first].passed
    if any(first in told.by or told.name == tested for told in found.weakest_refuted):
        return f" The check to start with, {first}, tests it." if len(found.weakest_refuted) == 1 else ""
    below = [told for told in found.weakest_refuted if tested and told.name in weaker(tested)]
    if not below:
        return ""
    weakest = " and ".join(told.name for told in below)
    others = [(steps[name], name) for told in below for name in told.by if name in steps]
    why = "its example tells the defect best"
    if first in steps and others and steps[first] < min(others)[0]:
        step, other = min(others)
        why = f"its example is shorter (step {steps[first]}; {other}: step {step})"
    return f" Start with {first} all the same: {why}. If {weakest} is still refuted once it passes, fix that next."

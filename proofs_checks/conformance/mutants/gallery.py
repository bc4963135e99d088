"""The gallery: every mutant with the checks that must catch it, and the correct mechanisms that none may accuse."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.mutants import correct
from proofs_checks.conformance.mutants.plain import Factory, Plain

#: The modules of mutants.
_THEMES = (
    *("pricing", "radii", "eligibility", "exploration", "draws", "allocation", "standing_bids", "corners"),
    *("incentives", "drift", "contract"),
)


@dataclass(frozen=True)
class Mutant:
    """A broken mechanism: its class, by its name; the checks that must catch it."""

    name: str
    factory: Factory
    caught_by: tuple[str, ...]


def _mutants() -> dict[str, Mutant]:
    themes = [importlib.import_module(f"{__package__}.{theme}") for theme in _THEMES]
    made = [each for theme in themes for each in vars(theme).values() if getattr(each, "caught_by", ())]
    return {each.__name__: Mutant(each.__name__, each, each.caught_by) for each in made}


#: Every mutant by name: the classes of the themes that name the checks which must catch them.
MUTANTS: Mapping[str, Mutant] = MappingProxyType(_mutants())

#: Every correct mechanism by name.
CORRECT: Mapping[str, Factory] = MappingProxyType(
    {
        "reference_mechanism": reference_mechanism,
        "Plain": Plain,
        **{name: made for name, made in vars(correct).items() if hasattr(made, "assign") and made is not Plain},
    }
)

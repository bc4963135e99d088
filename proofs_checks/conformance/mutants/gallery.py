"""The gallery: every mutant with the checks that must catch it, and the correct mechanisms that none may accuse."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.mutants import correct
from proofs_checks.conformance.mutants.compiled_parts import CompiledParts
from proofs_checks.conformance.mutants.plain import Factory, Plain

#: The modules of mutants, in the order in which they are shown.
_THEMES = [
    "pricing",
    "radii",
    "eligibility",
    "exploration",
    "draws",
    "allocation",
    "standing_bids",
    "corners",
    "incentives",
    "drift",
    "contract",
]


@dataclass(frozen=True)
class Mutant:
    """A broken mechanism: its class, by its name; what it does wrong, in one line; the checks that must catch it."""

    name: str
    factory: Factory
    breaks: str
    caught_by: tuple[str, ...]

    @property
    def theme(self) -> str:
        """The module that it stands in."""
        return self.factory.__module__.rpartition(".")[2]


def _mutants() -> dict[str, Mutant]:
    themes = [importlib.import_module(f"{__package__}.{theme}") for theme in _THEMES]
    made = [each for theme in themes for each in vars(theme).values() if getattr(each, "caught_by", ())]
    return {each.__name__: Mutant(each.__name__, each, _said(each), each.caught_by) for each in made}


def _said(factory: type[Plain]) -> str:
    """Return the first line of a class's docstring."""
    return (inspect.getdoc(factory) or "").partition("\n")[0]


#: Every mutant by name: the classes of the themes that name the checks which must catch them.
MUTANTS: Mapping[str, Mutant] = MappingProxyType(_mutants())

#: Every correct mechanism by name.
CORRECT: Mapping[str, Factory] = MappingProxyType(
    {
        "reference_mechanism": reference_mechanism,
        "Plain": Plain,
        **{name: made for name, made in vars(correct).items() if hasattr(made, "assign") and made is not Plain},
        "CompiledParts": CompiledParts,
    }
)

#: Checks that no mutant needs alone or first in their group, and why they are kept.
KEPT_FOR: Mapping[str, str] = MappingProxyType(
    {
        "whole-interactions": "it is the only search whose settlements depend on the answers before them, and the "
        "machine behind it is what users extend in their own test-suites"
    }
)

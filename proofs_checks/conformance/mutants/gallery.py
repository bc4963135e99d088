"""The gallery: every mutant with the checks that must catch it, and the correct mechanisms that none may accuse."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.mutants import correct
from proofs_checks.conformance.mutants.plain import Factory, Plain

#: The modules of mutants.
_THEMES = (
    *("pricing", "radii", "eligibility", "exploration", "draws", "allocation", "standing_bids", "corners"),
    *("incentives", "drift", "contract"),
)


@dataclass(frozen=True)
class GalleryMechanism:
    """A mechanism of the gallery.

    Parameters
    ----------
    name : str
    factory : callable
        From (configuration, numpy.random.Generator) to an object with `assign` and `settle`.
    caught_by : tuple of str, optional
        The checks that must catch it; none if it is right.
    """

    name: str
    factory: Factory
    caught_by: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What it does, or does otherwise than Algorithm 1 says: a line."""
        return (inspect.getdoc(self.factory) or "").partition("\n")[0]


def _mutants() -> dict[str, GalleryMechanism]:
    themes = [importlib.import_module(f"{__package__}.{theme}") for theme in _THEMES]
    made = [each for theme in themes for each in vars(theme).values() if getattr(each, "caught_by", ())]
    return {each.__name__: GalleryMechanism(each.__name__, each, each.caught_by) for each in made}


#: Every mutant by name: the classes of the themes that name the checks which must catch them.
MUTANTS: Mapping[str, GalleryMechanism] = MappingProxyType(_mutants())

#: Every correct mechanism by name.
CORRECT: Mapping[str, Factory] = MappingProxyType(
    {
        "reference_mechanism": reference_mechanism,
        "Plain": Plain,
        **{name: made for name, made in vars(correct).items() if hasattr(made, "assign") and made is not Plain},
    }
)


def mechanisms(right: bool | None = None) -> SearchStrategy[GalleryMechanism]:
    """Return a strategy for mechanisms of the gallery, equally often.

    Parameters
    ----------
    right : bool, optional
        True for those that no check may accuse: Algorithm 1 in other styles. False for those that get one thing wrong.
        None (default) for both, each kind in half of the draws.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(mechanisms(right=False), lambda mechanism: "no-loss" in mechanism.caught_by)
    >>> "no-loss" in found.caught_by, found.name in MUTANTS
    (True, True)
    """
    correct_ones = st.sampled_from([GalleryMechanism(name, factory) for name, factory in CORRECT.items()])
    wrong_ones = st.sampled_from([*MUTANTS.values()])
    return correct_ones | wrong_ones if right is None else correct_ones if right else wrong_ones

"""A proof of a claim: obligations that a solver or a checker decides, and how they compose to the statement."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from proofs_checks.proofs import statements as _proofs_package
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation


@dataclass(frozen=True)
class Proof:
    """Why a claim holds for all parameters.

    Parameters
    ----------
    label : str
        Of the claim, as in the paper; ``<label>:<variant>`` for a repaired or improved statement.
    obligations : tuple of Obligation
        In an order in which each uses only earlier ones.
    composition : str
        How the statement follows from the obligations: by which induction, by which sum, on which steps. It is part of
        what must be trusted.
    uses : tuple of str
        Labels of claims whose conclusions are hypotheses here.
    beyond : str
        What of the statement these obligations do not show (limits as T grows, probabilities), if anything.
    remark : str
        What a reader of "PROVED" must know at once, as "vacuous".
    instances : bool
        Whether the obligations are about some numbers of providers only: the claim is then not proved but `EXACT`.

    Raises
    ------
    ValueError
        An obligation uses a later or unknown one, or a ball fact that is none.
    """

    label: str
    obligations: tuple[Obligation, ...]
    composition: str
    uses: tuple[str, ...] = ()
    beyond: str = ""
    remark: str = ""
    instances: bool = False

    @property
    def qualifier(self) -> str:
        """What stands in parentheses beside the verdict: the remark, or that something is left out."""
        return self.remark or ("in part" if self.beyond else "")


@functools.cache
def all_proofs() -> Mapping[str, Proof]:
    """Return every proof by its label, in the order of the modules.

    A module of `proofs_checks.proofs.statements` need only define `Proof` objects: nothing registers them by hand.

    Raises
    ------
    ValueError
        Two proofs of one label, two obligations of one name, or a graph with a gap or a cycle.
    """
    found: dict[str, Proof] = {}
    for module in sorted(pkgutil.iter_modules(_proofs_package.__path__), key=lambda module: module.name):
        loaded = importlib.import_module(f"{_proofs_package.__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, Proof) and found.setdefault(value.label, value) is not value:
                raise ValueError(f"two proofs of {value.label}")
    _check_graph(found)
    return MappingProxyType(found)


def obligations_of(proofs: Mapping[str, Proof]) -> dict[str, Obligation]:
    """Return the obligations of some proofs by name; proofs may share them."""
    return {obligation.name: obligation for proof in proofs.values() for obligation in proof.obligations}


def _check_graph(proofs: Mapping[str, Proof]) -> None:
    known: dict[str, Obligation] = {}
    for proof in proofs.values():
        for obligation in proof.obligations:
            if known.setdefault(obligation.name, obligation) != obligation:
                raise ValueError(f"two obligations are named {obligation.name}")
    for label, proof in proofs.items():
        for used in proof.uses:
            if used not in proofs:
                raise ValueError(f"{label} uses {used}, which has no proof")
        allowed = _available(label, proofs, ())
        for obligation in proof.obligations:
            _check_sources(label, obligation, allowed)
            allowed.add(obligation.name)


def _available(label: str, proofs: Mapping[str, Proof], above: tuple[str, ...]) -> set[str]:
    """Return the obligations of the claims that a proof uses, near and far."""
    if label in above:
        raise ValueError(f"the proofs use each other in a circle: {' -> '.join((*above, label))}")
    names: set[str] = set()
    for used in proofs[label].uses:
        names |= {obligation.name for obligation in proofs[used].obligations}
        names |= _available(used, proofs, (*above, label))
    return names


def _check_sources(label: str, obligation: Obligation, earlier: set[str]) -> None:
    from proofs_checks.proofs.language.axioms import AXIOMS

    for name, hypothesis in obligation.hypotheses.items():
        known = {"obligation": earlier, "axiom": AXIOMS, "ball": BALL_FACTS}.get(hypothesis.source)
        if known is not None and hypothesis.of not in known:
            place = f"{label}, {obligation.name}, hypothesis {name}"
            raise ValueError(f"{place}: {hypothesis.source} {hypothesis.of!r} is not available there")

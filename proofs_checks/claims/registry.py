"""The registry: every claim object of `proofs_checks.claims.statements`, in the order of the paper."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from bounds.errors import InputError, did_you_mean
from proofs_checks.claims import statements as _statements
from proofs_checks.claims.model.claim import Claim


@functools.cache
def all_claims() -> Mapping[str, Claim]:
    """Return every claim by its label, in the order of the paper, variants after the original.

    A module of `proofs_checks.claims.statements` need only define `Claim` objects: nothing registers them by hand.

    Raises
    ------
    ValueError
        Two different claims share a label.
    """
    found: dict[str, Claim] = {}
    for module in sorted(pkgutil.iter_modules(_statements.__path__), key=lambda m: m.name):
        loaded = importlib.import_module(f"{_statements.__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, Claim) and found.setdefault(value.label, value) is not value:
                raise ValueError(f"two claims are labelled {value.label}")
    order = sorted(found.values(), key=_place)
    return MappingProxyType({claim.label: claim for claim in order})


def claim(label: str) -> Claim:
    """Return the claim with a label.

    Raises
    ------
    InputError
        No claim has it; the nearest labels are named.

    Examples
    --------
    >>> claim("lem:payment-range").kind
    'lemma'
    """
    known = all_claims()
    if not isinstance(label, str) or label not in known:
        otherwise = f"did you mean {', '.join(list(known)[:3])}?"
        remedy = did_you_mean(label, known, otherwise, most=3, cutoff=0.4)
        raise InputError("label", label, "is no label of the paper", remedy)
    return known[label]


def _place(stated: Claim) -> tuple[bool, int, int, str]:
    """Order claims by their line in the paper, originals before variants; statements of our own come last."""
    return (stated.source_line is None, stated.source_line or 0, stated.label.count(":"), stated.label)

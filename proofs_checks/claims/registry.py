"""The registry: every claim object of `proofs_checks.claims.statements`, in the order of the paper."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from proofs_checks.claims import statements as _statements
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.naming import meant


@functools.cache
def all_claims() -> Mapping[str, Claim]:
    """Return every claim by its label, in the order of the paper, variants after the original.

    A module of `proofs_checks.claims.statements` need only define `Claim` objects: nothing registers them by hand.
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
    """Return the claim that somebody means by its label, its number in the paper's PDF, or words.

    Parameters
    ----------
    label : str
        ``"thm:regret"``, ``"Theorem 4"`` or ``"thm 4"``, a name as ``"payment range"``, or words of one. Capitals do
        not matter. The paper's source does not say for sure which statements are counted together; see
        `proofs_checks.claims.numbers.stored`.

    Raises
    ------
    InputError
        It means no claim, or several; the nearest are named.

    Examples
    --------
    >>> claim("lem:payment-range").kind
    'lemma'
    >>> claim("Theorem 4").label, claim("payment range").label
    ('thm:regret', 'lem:payment-range')
    """
    claims = all_claims()
    # Labels are looked up ten thousand times a run; a text that is none has to be understood.
    return found if isinstance(label, str) and (found := claims.get(label)) else meant(label, claims).claim


def _place(stated: Claim) -> tuple[bool, int, int, str]:
    """Order claims by their line in the paper, originals before variants; statements of our own come last."""
    return (stated.source_line is None, stated.source_line or 0, stated.label.count(":"), stated.label)

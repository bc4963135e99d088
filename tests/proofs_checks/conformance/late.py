"""Mutants of the gallery in the ticket form: the same defect, with queries in flight."""

from __future__ import annotations

from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.tickets import Tickets


class Unheard(Tickets):
    """Algorithm 1 in the ticket form; a bid of c_max stands for one that has not arrived."""

    def _prepare(self) -> None:
        super()._prepare()
        self.bids = [self.bound] * self.n_providers


def late_mutant(name: str) -> type[Tickets]:
    """Return a mutant that replaces rules, and not how it is called, in the ticket form."""
    return type(f"Late{name}", (Unheard, MUTANTS[name].factory), {"__module__": __name__})

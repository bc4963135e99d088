"""Mutants of the gallery in the ticket form: the same defect, with queries in flight."""

from __future__ import annotations

import math

from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.tickets import Tickets


class Unheard(Tickets):
    """Algorithm 1 in the ticket form; of whom nothing has arrived, the radius is infinite wherever a rule asks.

    A bid of c_max stands for one that has not arrived.
    """

    def _prepare(self) -> None:
        super()._prepare()
        self.bids = [self.bound] * self.n_providers

    def _radius(self, provider: int) -> float:
        return super()._radius(provider) if self._count(provider) else math.inf

    def _adjusted_bid(self, provider: int) -> float:
        return super()._adjusted_bid(provider) if self.counts[provider] else -math.inf

    def _critical(self, winner: int, eligible: list[int]) -> float:
        return super()._critical(winner, eligible) if self.counts[winner] else math.inf


def late_mutant(name: str) -> type[Tickets]:
    """Return a mutant that replaces rules, and not how it is called, in the ticket form."""
    return type(f"Late{name}", (Unheard, MUTANTS[name].factory), {"__module__": __name__})

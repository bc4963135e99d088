"""Broken mechanisms of the gallery in the ticket form: the same defect, with queries in flight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

from proofs_checks.conformance.mutants.gallery import MUTANTS, Mutant
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.mutants.tickets import Tickets
from proofs_checks.conformance.suite import IN_FLIGHT_CHECKS

#: What the ticket form replaces itself: mutants that replace these are about feedback at once.
_OF_THE_FORM = frozenset({"assign", "settle", "__init__"})
#: These tell a first bid from others by the number that stands for none, which is another one here.
_HIDDEN = frozenset({"InitialBidIgnored", "FirstBidStands", "AveragedBids", "LowestBidStands"})


class _Unheard(Tickets):
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


def _own_methods(made: type[Plain]) -> dict[str, FunctionType]:
    """Return the methods that a mutant and its bases replace in `Plain`."""
    mutants = [base for base in made.__mro__ if issubclass(base, Plain) and base is not Plain]
    return {n: each for base in mutants for n, each in vars(base).items() if isinstance(each, FunctionType)}


def _names(code: CodeType) -> set[str]:
    """Return the names that a function reads, and those of the functions within it."""
    within = (each for each in code.co_consts if isinstance(each, CodeType))
    return {*code.co_names}.union(*map(_names, within))


def takes_tickets(mutant: Mutant) -> bool:
    """Return whether a mutant is one with queries in flight, too: it replaces rules, and not how it is called.

    Examples
    --------
    >>> takes_tickets(MUTANTS["FirstPrice"]), takes_tickets(MUTANTS["StickyDraw"])
    (True, False)
    """
    if not isinstance(mutant.factory, type) or not issubclass(mutant.factory, Plain):
        return False
    own = _own_methods(mutant.factory)
    asks_who_serves = any("serving" in _names(method.__code__) for method in own.values())
    hidden = mutant.name in _HIDDEN or asks_who_serves
    return not (_OF_THE_FORM & own.keys() or hidden) and bool(checks_in_flight(mutant))


def checks_in_flight(mutant: Mutant) -> list[str]:
    """Return the checks that must catch a mutant, of those that run with queries in flight."""
    return [name for name in mutant.caught_by if name in IN_FLIGHT_CHECKS]


def _late(mutant: Mutant) -> type[Plain]:
    bases: Any = (_Unheard, mutant.factory)
    made: type[Plain] = type(f"Late{mutant.name}", bases, {"__module__": __name__})
    return made


#: By the name of the mutant: the same defect in the ticket form.
LATE_MUTANTS: Mapping[str, type[Plain]] = MappingProxyType(
    {name: _late(mutant) for name, mutant in MUTANTS.items() if takes_tickets(mutant)}
)

# So that `costproof check proofs_checks.conformance.mutants.late:LateFirstPrice --in-flight 3` finds them.
globals().update({made.__name__: made for made in LATE_MUTANTS.values()})

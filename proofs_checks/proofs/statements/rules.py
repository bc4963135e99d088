"""The code of `mechanism.rules`, run on solver numbers, does what the paper's equations say.

eq:qualified-set, eq:allocation, eq:critical-payment and eq:payment for two providers, all estimates, radii, bids,
counts, targets and thresholds, and auctions among three: what the proofs assume is what the mechanism computes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mechanism import rules
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.symbolic import Lift, SolverNumber, paths
from proofs_checks.proofs.language.terms import BOOL, Term, all_of, any_of, constant, equal, implies

_BOUND, _THRESHOLD, _TARGET = constant("cost_bound"), constant("quality_threshold"), constant("target")


@dataclass(frozen=True)
class _Ran:
    """What the rules made of one path."""

    allocation: rules.Allocation
    payments: dict[int, Term]


def _symbols(name: str, n: int) -> list[Term]:
    return [constant(f"{name}_{k}") for k in range(n)]


def _run(n: int, lift: Lift) -> _Ran:
    """Run every rule for n providers."""

    def lifted(name: str) -> list[SolverNumber]:
        return [lift(symbol) for symbol in _symbols(name, n)]

    able = rules.eligible(lifted("estimate"), lifted("quality_radius"), lift(_THRESHOLD))
    adjusted = rules.adjusted_bids(lifted("bid"), lifted("cost_radius"))
    allocation = rules.allocate(able, lifted("count"), lift(_TARGET), adjusted)
    return _Ran(allocation, _paid(able, adjusted, lift) if allocation.kind == "auction" else {})


def _run_auction(n: int, lift: Lift) -> _Ran:
    """Run an auction among all of n providers."""
    able = tuple(range(n))
    adjusted = rules.adjusted_bids(*([lift(symbol) for symbol in _symbols(name, n)] for name in ("bid", "cost_radius")))
    return _Ran(rules.Allocation("auction", rules.lowest(able, adjusted), able), _paid(able, adjusted, lift))


def _paid(able: tuple[int, ...], adjusted: list[SolverNumber], lift: Lift) -> dict[int, Term]:
    """Return what each eligible provider would be paid."""
    payments = {}
    for k in able:
        critical = rules.critical_payment(k, able, adjusted, lift(constant(f"cost_radius_{k}")))
        payments[k] = rules.auction_payment(critical, lift(_BOUND)).term
    return payments


def _is_eligible(k: int) -> Term:
    return constant(f"estimate_{k}") + constant(f"quality_radius_{k}") >= _THRESHOLD


def _is_explored(k: int) -> Term:
    return all_of(_is_eligible(k), constant(f"count_{k}") < _TARGET)


def _adjusted(k: int) -> Term:
    return constant(f"bid_{k}") - constant(f"cost_radius_{k}")


def _sets(n: int, allocation: rules.Allocation) -> Term:
    """Return that exactly the eligible are eligible, and exactly the under-sampled of them explored."""
    if not _is_of_its_kind(n, allocation):
        return Term("false", (), BOOL)
    everybody = range(n)
    sets = [_is_eligible(k) if k in allocation.eligible else ~_is_eligible(k) for k in everybody]
    if allocation.kind != "empty":
        explored = allocation.candidates if allocation.kind == "exploration" else ()
        sets += [_is_explored(k) if k in explored else ~_is_explored(k) for k in everybody]
    return all_of(*sets)


def _is_of_its_kind(n: int, allocation: rules.Allocation) -> bool:
    """Whether somebody may be chosen, who is eligible; anybody if nobody is."""
    if allocation.kind == "empty":
        return not allocation.eligible and allocation.candidates == tuple(range(n))
    return bool(allocation.candidates) and set(allocation.candidates) <= set(allocation.eligible)


def _auction(ran: _Ran) -> Term:
    """Return that exactly the least adjusted bids may win, and that payments are min{P, c_max}."""
    able, winners = ran.allocation.eligible, ran.allocation.candidates
    best = [
        _adjusted(winner) <= _adjusted(k) if k in winners else _adjusted(winner) < _adjusted(k)
        for winner in winners
        for k in able
    ]
    return all_of(*best, *(_is_paid(k, able, paid) for k, paid in ran.payments.items()))


def _says_paper(n: int, ran: _Ran) -> Term:
    sets = _sets(n, ran.allocation)
    return all_of(sets, _auction(ran)) if ran.allocation.kind == "auction" else sets


def _is_paid(k: int, able: tuple[int, ...], paid: Term) -> Term:
    """Return that a payment is the least of c_max and the rivals' adjusted bids plus the own radius."""
    offers = [_BOUND, *(constant(f"cost_radius_{k}") + _adjusted(j) for j in able if j != k)]
    return all_of(*(paid <= offer for offer in offers), any_of(*(equal(paid, offer) for offer in offers)))


def _obligation(name: str, what: str, run: Callable[[Lift], _Ran], says: Callable[[_Ran], Term]) -> Obligation:
    found = [(condition, ran) for condition, ran in paths(run) if condition is not None]
    auctions = [(condition, ran) for condition, ran in found if ran.allocation.kind == "auction"]
    tied = [condition for condition, ran in auctions if len(ran.allocation.candidates) > 1]
    below = [implies(condition, paid < _BOUND) for condition, ran in auctions for paid in ran.payments.values()]
    return Obligation(
        name,
        f"on each of the {len(found)} paths of the rules: {what}",
        {},
        all_of(*(implies(condition, says(ran)) for condition, ran in found)),
        (
            Mutant("nobody ever ties", goal=all_of(*(~condition for condition in tied))),
            Mutant("always paid below the cost bound", goal=all_of(*below)),
        ),
    )


TWO_PROVIDERS = _obligation(
    "rules-for-two-providers",
    "who is eligible, who is explored, who wins, what is paid",
    lambda lift: _run(2, lift),
    lambda ran: _says_paper(2, ran),
)
THREE_PROVIDERS = _obligation(
    "rules-of-an-auction-among-three", "who wins and what is paid", lambda lift: _run_auction(3, lift), _auction
)
ALLOCATION = Proof(
    "eq:allocation",
    (TWO_PROVIDERS, THREE_PROVIDERS),
    "Every path through rules.eligible, allocate, lowest, critical_payment and auction_payment, with its condition.",
    instances=True,
    remark="two providers",
    beyond="Checked for two providers only, and for three in auctions: there the abstract auction is compared with the "
    "rules on random instances. That draws are uniform and pay c_max is not part of these rules.",
)

"""Random queries, and what the rules say of them: those in Python, those that Coq extracts, and those in Coq itself."""

import operator
import random
import types
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from tests.proofs_checks.proofs import extracted_rules as kernel

#: Exact fractions; Coq's rational numbers have x / 0 = 0 as well.
EXACT = kernel.Build_numbers(
    operator.add, operator.sub, lambda x, y: x / y if y else Fraction(0), Fraction, operator.le
)
#: Queries in one list: Coq is slow to read longer ones.
_TOGETHER = 500
_HEAD = """Require Import QArith List.
From Costproof Require Import Rules.
Import ListNotations.
Open Scope nat_scope.
Definition queried : Type := list (provider Q) * Q * Q * Q.
Definition answer : Type := kind * list nat * list Q.
Definition answered (q : queried) : answer :=
  let '(providers, threshold, cost_bound, goal) := q in
  let permitted := candidates rationals providers threshold goal in
  (kind_of_query rationals providers threshold goal, permitted,
   map (fun i => Qred (payment rationals providers threshold cost_bound goal i)) permitted).
Notation P a b c d n := (Build_provider a%Q b%Q c%Q d%Q n).
"""


class Auction(NamedTuple):
    """What is known before a query: a column for each number of a provider, and the numbers of the platform."""

    estimates: list[Fraction]
    radii: list[Fraction]
    bids: list[Fraction]
    cost_radii: list[Fraction]
    counts: list[int]
    threshold: Fraction
    cost_bound: Fraction
    goal: Fraction


class Answer(NamedTuple):
    """What rules say of a query: its kind, who may serve, what each of them is paid, and who is eligible."""

    kind: str
    candidates: tuple[int, ...]
    payments: tuple[Fraction, ...]
    eligible: tuple[int, ...]


def auctions(number: int, seed: int) -> list[Auction]:
    """Return queries among 2 to 8 providers in few different numbers, so that ties and bounds are met often."""
    rng = random.Random(seed)
    return [_auction(rng) for _ in range(number)]


def _auction(rng: random.Random) -> Auction:
    size, grid = rng.randint(2, 8), rng.choice([2, 4, 8])

    def numbers(high: int) -> list[Fraction]:
        return [Fraction(rng.randint(0, high * grid), grid) for _ in range(size)]

    quarters = [1, 2, 3, 4, 6, 8]
    return Auction(
        # Qualities 0 and 1, equal costs and equal radii come up by themselves.
        estimates=numbers(1),
        radii=numbers(1),
        bids=numbers(2),
        cost_radii=numbers(1),
        counts=[rng.randint(1, 5) for _ in range(size)],
        threshold=Fraction(rng.choice(quarters), 4),
        cost_bound=Fraction(2),
        goal=Fraction(rng.choice([0, 2, 2, 3, 4, 6, 12]), 2),
    )


def by_rules(auction: Auction, rules: types.ModuleType) -> Answer:
    """Return what `mechanism.rules` says, or a module in its place."""
    able = rules.eligible(auction.estimates, auction.radii, auction.threshold)
    adjusted = rules.adjusted_bids(auction.bids, auction.cost_radii)
    allocation = rules.allocate(able, auction.counts, auction.goal, adjusted)
    bound, paid = auction.cost_bound, []
    for i in allocation.candidates:
        critical = rules.critical_payment(i, able, adjusted, auction.cost_radii[i])
        paid.append(rules.auction_payment(critical, bound) if allocation.kind == "auction" else bound)
    return Answer(allocation.kind, allocation.candidates, tuple(paid), able)


def by_kernel(auction: Auction, programs: Any = kernel) -> Answer:
    """Return what the programs say that Coq extracts, or others in their place."""
    columns = zip(auction.estimates, auction.radii, auction.bids, auction.cost_radii, auction.counts, strict=True)
    providers = tuple(programs.Build_provider(*row) for row in columns)
    known = (EXACT, providers, auction.threshold)
    candidates = programs.candidates(*known, auction.goal)
    payments = tuple(programs.payment(*known, auction.cost_bound, auction.goal, i) for i in candidates)
    kind = programs.kind_of_query(*known, auction.goal).value.lower()
    return Answer(kind, candidates, payments, programs.eligible(*known))


def in_coq(found: Iterable[tuple[Auction, Answer]]) -> str:
    """Return a file that Coq accepts if it computes these answers itself."""
    pairs = [(_query(auction), _answer(answer)) for auction, answer in found]
    parts = [_HEAD]
    for first in range(0, len(pairs), _TOGETHER):
        queries, answers = zip(*pairs[first : first + _TOGETHER], strict=True)
        parts += [
            f"Definition queries_{first} : list queried := [{'; '.join(queries)}].",
            f"Definition answers_{first} : list answer := [{'; '.join(answers)}].",
            f"Example same_{first} : map answered queries_{first} = answers_{first}.",
            "Proof. vm_compute. reflexivity. Qed.",
        ]
    return "\n".join(parts) + "\n"


def _query(auction: Auction) -> str:
    columns = zip(auction.estimates, auction.radii, auction.bids, auction.cost_radii, auction.counts, strict=True)
    rows = [f"P {' '.join(map(_rational, row[:4]))} {row[4]}" for row in columns]
    numbers = [auction.threshold, auction.cost_bound, auction.goal]
    return f"([{'; '.join(rows)}], {', '.join(map(_rational, numbers))})"


def _answer(answer: Answer) -> str:
    candidates, payments = "; ".join(map(str, answer.candidates)), "; ".join(map(_rational, answer.payments))
    return f"({answer.kind.capitalize()}, [{candidates}], [{payments}])"


def _rational(number: Fraction) -> str:
    return f"({number.numerator}#{number.denominator})%Q"

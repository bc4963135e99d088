"""Random auctions as a file of Coq: what the rules in Python say of each, for the rules in Coq to say the same."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from mechanism import rules

#: Auctions in one list: longer ones are slow to read.
_TOGETHER = 500
_HEAD = """Require Import QArith List.
From Costproof Require Import Rules.
Import ListNotations.
Open Scope nat_scope.
Notation P a b c d n := (Build_provider a%Q b%Q c%Q d%Q n).
Notation A ps t c g k cs pay := (Build_answered ps t%Q c%Q g k cs (pay%Q)).
"""


class Auctions(NamedTuple):
    """A file of Coq, and how many auctions of each kind it holds; `ties` have several lowest, `alone` have no rival."""

    text: str
    kinds: Counter[str]
    ties: int
    alone: int


def auctions(number: int, rng: random.Random) -> Auctions:
    """Return a file that says of random auctions what the rules say."""
    found: list[tuple[str, str, int, int]] = [_auction(rng) for _ in range(number)]
    texts = [text for text, *_ in found]
    lists = [texts[first : first + _TOGETHER] for first in range(0, number, _TOGETHER)]
    parts = [
        f"Definition auctions_{place} : list answered := [{'; '.join(some)}].\n"
        f"Example as_python_{place} : forallb as_said auctions_{place} = true.\nProof. vm_compute. reflexivity. Qed.\n"
        for place, some in enumerate(lists)
    ]
    kinds = Counter(kind for _, kind, _, _ in found)
    ties = sum(kind == "auction" and among > 1 for _, kind, among, _ in found)
    alone = sum(kind == "auction" and able == 1 for _, kind, _, able in found)
    return Auctions("\n".join([_HEAD, *parts]), kinds, ties, alone)


def _auction(rng: random.Random) -> tuple[str, str, int, int]:
    """Return an auction among 2 to 8 providers in few different numbers, so that ties and bounds are met often."""
    size, grid = rng.randint(2, 8), rng.choice([2, 4, 8])

    def number(high: int) -> Fraction:
        return Fraction(rng.randint(0, high * grid), grid)

    estimates, radii = [number(1) for _ in range(size)], [number(1) for _ in range(size)]
    bids, cost_radii = [number(2) for _ in range(size)], [number(1) for _ in range(size)]
    counts = [rng.randint(1, 5) for _ in range(size)]
    threshold = rng.choice([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(3, 2), Fraction(2)])
    bound, target = Fraction(2), rng.choice([0, 1, 1, 2, 3, 6])
    able = rules.eligible(estimates, radii, threshold)
    adjusted = rules.adjusted_bids(bids, cost_radii)
    allocation = rules.allocate(able, counts, target, adjusted)
    paid = [
        rules.auction_payment(rules.critical_payment(i, able, adjusted, cost_radii[i]), bound)
        if allocation.kind == "auction"
        else bound
        for i in allocation.candidates
    ]
    rows = zip(estimates, radii, bids, cost_radii, strict=True)
    providers = [f"P {' '.join(map(_rational, row))} {count}" for row, count in zip(rows, counts, strict=True)]
    text = (
        f"A [{'; '.join(providers)}] {_rational(threshold)} {_rational(bound)} {target} {allocation.kind.capitalize()} "
        f"[{'; '.join(map(str, allocation.candidates))}] [{'; '.join(map(_rational, paid))}]"
    )
    return text, allocation.kind, len(allocation.candidates), len(able)


def _rational(number: Fraction) -> str:
    return f"({number.numerator}#{number.denominator})"

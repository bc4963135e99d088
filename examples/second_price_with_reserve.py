"""A proof of your own: a reverse second-price auction with a reserve price.

A platform pays at most a reserve r: a provider serves only if its adjusted bid is least among the eligible, and its own
bid is at most r; it is paid min{P, r}. Does a truthful provider ever lose? Can it gain by another bid? Both are proved
here for any number of providers, all bids, all radii; and the variant in which the reserve is subtracted from the
payment instead is refuted by numbers, which are replayed with the rules of `mechanism`.

Run it: ``python examples/second_price_with_reserve.py`` (needs ``pip install 'costproof[prove]'``).
"""

from __future__ import annotations

import sys
from fractions import Fraction

from mechanism import rules
from proofs_checks.proofs.lemma import (
    COST_BOUND,
    Auction,
    Model,
    Term,
    all_of,
    constant,
    constants,
    either,
    equal,
    market,
    prove_lemma,
    provider,
    same_others,
    within,
)

RESERVE, ESTIMATE, DEVIATION = constants("reserve estimate deviation")
CHOSEN = provider("i")
TRUTHFUL, DEVIATING = Auction("_truthful"), Auction("_deviating")


def gain(auction: Auction, bid: Term) -> Term:
    """Return what provider i nets: it serves if it is the winner and bids at most the reserve."""
    price = either(auction.payment(CHOSEN) <= RESERVE, auction.payment(CHOSEN), RESERVE)
    return either(all_of(equal(auction.winner, CHOSEN), bid <= RESERVE), price - ESTIMATE, 0)


ASSUMPTIONS = {
    **market(),
    **TRUTHFUL.definitions(),
    **DEVIATING.definitions(),
    "others bid the same": same_others(TRUTHFUL, DEVIATING, CHOSEN),
    "bids the estimate": equal(TRUTHFUL.bid(CHOSEN), ESTIMATE),
    "bids otherwise": equal(DEVIATING.bid(CHOSEN), DEVIATION),
    "estimate in range": within(0, ESTIMATE, COST_BOUND),
    "reserve in range": within(0, RESERVE, COST_BOUND),
}
DISCOUNT = constant("discount")
LEMMAS = {
    "a truthful provider never loses": (ASSUMPTIONS, gain(TRUTHFUL, ESTIMATE) >= 0),
    "no other bid gives more than the estimate": (ASSUMPTIONS, gain(TRUTHFUL, ESTIMATE) >= gain(DEVIATING, DEVIATION)),
    "(false) it never loses either if a discount is taken off the critical payment": (
        {**ASSUMPTIONS, "discount": DISCOUNT > 0},
        either(equal(TRUTHFUL.winner, CHOSEN), TRUTHFUL.payment(CHOSEN) - DISCOUNT - ESTIMATE, 0) >= 0,
    ),
}


def replayed(model: Model) -> Fraction:
    """Return the winner's net payment in a counterexample, by the rules of `mechanism` in exact fractions."""
    everybody = range(model.providers)
    bids = [model.values["bid_truthful", k] for k in everybody]
    radii = [model.values["cost_radius", k] for k in everybody]
    able = [k for k in everybody if model.values["eligible", k]]
    winner = model.values[("winner_truthful",)]
    critical = rules.critical_payment(winner, able, rules.adjusted_bids(bids, radii), radii[winner])
    paid = rules.auction_payment(critical, model.values[("cost_bound",)])
    return Fraction(paid - model.values[("discount",)] - bids[winner])


def main() -> int:
    """Prove two lemmas and refute a third."""
    for says, (assumptions, goal) in LEMMAS.items():
        lemma = prove_lemma(assumptions, goal)
        sys.stdout.write(f"{lemma.verdict.value} ({lemma.reason}): {says}\n")
        if lemma.counterexample is not None:
            sys.stdout.write(f"  the winner nets {replayed(lemma.counterexample)} by the rules of the mechanism\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

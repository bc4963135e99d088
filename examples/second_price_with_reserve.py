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
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import Term, all_of, constant, constants, either, equal
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    Auction,
    assuming,
    market,
    provider,
    same_others,
    within,
)
from proofs_checks.proofs.lemma import Lemma, prove_lemma

RESERVE, ESTIMATE, DEVIATION = constants("reserve estimate deviation")
CHOSEN = provider("i")
TRUTHFUL, DEVIATING = Auction("_truthful"), Auction("_deviating")


def gain(auction: Auction, bid: Term) -> Term:
    """Return what provider i nets: it serves if it is the winner and bids at most the reserve."""
    price = either(auction.payment(CHOSEN) <= RESERVE, auction.payment(CHOSEN), RESERVE)
    return either(all_of(equal(auction.winner, CHOSEN), bid <= RESERVE), price - ESTIMATE, 0)


HYPOTHESES = {
    **market(),
    **TRUTHFUL.definitions(),
    **DEVIATING.definitions(),
    **assuming(
        others_bid_the_same=same_others(TRUTHFUL, DEVIATING, CHOSEN),
        bids_the_estimate=equal(TRUTHFUL.bid(CHOSEN), ESTIMATE),
        bids_otherwise=equal(DEVIATING.bid(CHOSEN), DEVIATION),
        estimate_in_range=within(0, ESTIMATE, COST_BOUND),
        reserve_in_range=within(0, RESERVE, COST_BOUND),
    ),
}
NO_LOSS = Obligation("reserve-no-loss", "a truthful provider never loses", HYPOTHESES, gain(TRUTHFUL, ESTIMATE) >= 0)
NO_GAIN = Obligation(
    "reserve-no-profitable-deviation",
    "no other bid gives more than the estimate",
    HYPOTHESES,
    gain(TRUTHFUL, ESTIMATE) >= gain(DEVIATING, DEVIATION),
)
DISCOUNTED = Obligation(
    "reserve-as-a-discount",
    "(false) a truthful provider never loses either if a discount is taken off the critical payment",
    {**HYPOTHESES, **assuming(discount=constant("discount") > 0)},
    either(equal(TRUTHFUL.winner, CHOSEN), TRUTHFUL.payment(CHOSEN) - constant("discount") - ESTIMATE, 0) >= 0,
)


def replayed(lemma: Lemma) -> Fraction:
    """Return the winner's net payment in a counterexample, by the rules of `mechanism` in exact fractions."""
    model = lemma.counterexample
    if model is None:
        raise ValueError(f"{lemma.obligation.name} has no counterexample")
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
    for obligation in (NO_LOSS, NO_GAIN, DISCOUNTED):
        lemma = prove_lemma(obligation)
        sys.stdout.write(f"{obligation.name}: {lemma.verdict.value} ({lemma.reason}): {obligation.says}\n")
        if lemma.counterexample is not None:
            sys.stdout.write(f"  the winner nets {replayed(lemma)} by the rules of the mechanism\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

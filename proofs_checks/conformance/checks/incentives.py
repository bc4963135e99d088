"""What any learning procurement mechanism should satisfy, found by replaying a mechanism with other bids.

Nothing here knows which provider ought to win or what it ought to be paid: a mechanism is compared with itself. Only
the strict statements (lem:one-step c) rest on the rules: they speak of auctions and of critical payments.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from proofs_checks.conformance.check import Check, Group
from proofs_checks.conformance.checks.past_bids import past_bids
from proofs_checks.conformance.checks.robustness import ROBUST_CHECKS
from proofs_checks.conformance.play.deviations import BidDeviation, deviation_failure, fresh_spots, some, winner_spots
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.search import Find, Probe, searching
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.strategies import FAMILIES
from proofs_checks.conformance.strategies.scenarios import auctions
from proofs_checks.oracle.rule_oracle import money_rounding

#: Steps of one interaction that are replayed with other bids.
_STEPS = 4


def _payment_range(subject: Subject, interaction: Interaction) -> Probe:
    bound, rounding = interaction.config.cost_bound, money_rounding(interaction.config)
    for step, event in enumerate(interaction.events, 1):
        if not -rounding <= event.payment <= bound + rounding:
            message = f"provider {event.provider} is paid {event.payment:.12g}, outside [0, c_max] = [0, {bound:.12g}]"
            return Probe(
                step,
                failure_at(
                    interaction,
                    step,
                    message,
                    expected=[0.0, bound],
                    found=event.payment,
                    ending=f"assert -{rounding!r} <= payment <= {bound + rounding!r}",
                ),
            )
    return Probe(len(interaction.events))


#: Compares a spot with its alternatives: yields None for a comparison that holds, a failure for one that does not.
_Compare = Callable[[BidDeviation], Iterator[Failure | None]]
_Spots = Callable[[Subject, Interaction, int], Iterator[BidDeviation]]


def _comparing(compare: _Compare, *spots: _Spots, steps: int = _STEPS) -> Find:
    """Return what compares spots of an interaction until a comparison fails."""

    def find(subject: Subject, interaction: Interaction) -> Probe:
        compared = 0
        chosen = (spot for choose in spots for spot in choose(subject, interaction, steps))
        for spot in {(spot.step, spot.changed): spot for spot in chosen}.values():
            for failure in compare(spot):
                compared += 1
                if failure is not None:
                    return Probe(compared, failure)
        return Probe(compared)

    return find


def _own_bid(spot: BidDeviation) -> Iterator[Failure | None]:
    """The winner's other bids: as long as it wins it is paid the same."""
    paid = spot.interaction.events[spot.step - 1].payment
    for bid in dict.fromkeys([spot.bound, paid - spot.hair, (spot.bid + paid) / 2, spot.bid / 2, 0.0]):
        payment = spot.payment(bid) if 0 <= bid <= spot.bound and bid != spot.bid else None
        if payment is None:
            continue
        if abs(payment - paid) <= spot.rounding:
            yield None
            continue
        message = (
            f"provider {spot.provider} bid {spot.bid:.12g} and is paid {paid:.12g}; had it bid {bid:.12g} at step "
            f"{spot.changed} it would have won as well and been paid {payment:.12g}: its own bid moves its payment"
        )
        law = "abs(answers[0][1] - answers[1][1]) <= rounding"
        yield deviation_failure(spot, message, [spot.bid, bid], law, expected=paid, found=payment)


def _monotone(spot: BidDeviation) -> Iterator[Failure | None]:
    """A provider's bids in order: once one loses, no higher one wins.

    Where others served in between, a draw may have moved with the bid: only the outcomes of auctions are compared.
    """
    if not spot.fresh and spot.interaction.events[spot.step - 1].payment > spot.bound - spot.hair:
        return
    tried = [bid for bid in spot.bids() if spot.fresh or bid <= spot.bid]
    outcomes = [(bid, spot.wins(bid)) for bid in dict.fromkeys([*some(tried, 7), spot.bid])]
    for (low, wins_low), (high, wins_high) in itertools.pairwise(sorted(outcomes)):
        if wins_low is None or wins_high is None or high - low < spot.hair / 2:
            continue
        if wins_low or not wins_high:
            yield None
            continue
        message = (
            f"provider {spot.provider} wins with the bid {high:.12g} of step {spot.changed}, "
            f"but loses with the lower bid {low:.12g}"
        )
        law = "answers[1][0] == provider or answers[0][0] != provider"
        yield deviation_failure(spot, message, [high, low], law, expected=[spot.provider], found=_winner(spot, low))


def _winner(spot: BidDeviation, bid: float) -> int | None:
    answer = spot.answer(bid)
    return None if answer is None else answer.winner


def _threshold(spot: BidDeviation) -> Iterator[Failure | None]:
    """Where its bid decides, a provider wins with all bids below what it is then paid, and loses above.

    Whoever is paid c_max may have been drawn: there the payment says nothing about a threshold.
    """
    cheap = 0.0 if spot.fresh else spot.bid
    paid = spot.payment(cheap)
    if paid is None or paid > spot.bound - 2 * spot.hair or spot.wins(spot.bound) is not False:
        return
    for bid, must_win in ((paid - spot.hair, True), (paid + spot.hair, False)):
        wins = spot.wins(bid) if 0 <= bid <= spot.bound else None
        if wins is None:
            continue
        if wins is must_win:
            yield None
            continue
        message = (
            f"provider {spot.provider} is paid {paid:.12g} if it bids {cheap:.12g} at step {spot.changed}, but with "
            f"the bid {bid:.12g} it {'wins' if wins else 'loses'}: the payment is not the bid up to which it wins"
        )
        law = f"(answers[1][0] == provider) is {must_win}"
        expected = "wins" if must_win else "loses"
        yield deviation_failure(spot, message, [cheap, bid], law, expected=expected, found="wins" if wins else "loses")


def _no_loss(spot: BidDeviation) -> Iterator[Failure | None]:
    """Whoever bids its cost estimate is paid no less when it serves."""
    payment = spot.payment(spot.estimate)
    if payment is None:
        return
    if payment >= spot.estimate - spot.rounding:
        yield None
        return
    message = (
        f"provider {spot.provider} bids its mean cost {spot.estimate:.12g}, serves, and is paid {payment:.12g}: a loss"
    )
    law = "gains[0] >= -rounding"
    yield deviation_failure(spot, message, [spot.estimate], law, expected=f"at least {spot.estimate!r}", found=payment)


def _misreport(spot: BidDeviation) -> Iterator[Failure | None]:
    """No bid gains more than the cost estimate does."""
    truthful = spot.gain(spot.estimate)
    for bid in some(spot.bids(), 8):
        if spot.gain(bid) <= truthful + spot.rounding:
            yield None
            continue
        message = (
            f"provider {spot.provider} has the mean cost {spot.estimate:.12g} and gains {truthful:.12g} by bidding it "
            f"at step {spot.changed}, but {spot.gain(bid):.12g} with the bid {bid:.12g}: it pays to misreport"
        )
        law = "gains[0] >= gains[1] - rounding"
        yield deviation_failure(
            spot, message, [spot.estimate, bid], law, expected=f"at most {truthful!r}", found=spot.gain(bid)
        )


def _strict(spot: BidDeviation) -> Iterator[Failure | None]:
    """In an auction, a bid on the other side of the critical payment gains strictly less."""
    found = spot.auction()
    if found is None or abs(spot.estimate - found[1]) < 2 * spot.hair or found[1] > spot.bound - 2 * spot.hair:
        return
    critical = found[1]
    side = 2 * spot.hair if spot.estimate < critical else -2 * spot.hair
    for bid in (critical + side, spot.bound if side > 0 else 0.0):
        if not 0 <= bid <= spot.bound or (bid - critical) * side <= 0:
            continue
        if spot.gain(bid) < spot.gain(spot.estimate) - spot.rounding:
            yield None
            continue
        truthful, gains = f"{spot.gain(spot.estimate):.12g}", f"{spot.gain(bid):.12g}"
        message = (
            f"provider {spot.provider} bids {bid:.12g} instead of its mean cost {spot.estimate:.12g} at step "
            f"{spot.changed}, on the other side of the critical payment {critical:.12g}: it should gain strictly less "
            f"than the {truthful} of its mean cost, and gains {'the same' if gains == truthful else gains}"
        )
        yield deviation_failure(
            spot,
            message,
            [spot.estimate, bid],
            "gains[1] < gains[0]",
            expected=f"less than {spot.gain(spot.estimate)!r}",
            found=spot.gain(bid),
        )


def _check(
    name: str, claim: str, says: str, find: Find, families: Sequence[str], share: float = 1.0, group: Group = "economic"
) -> Check:
    # The auctions of the rule checks are longer than a replay from the start should be.
    short = {"auctions": functools.partial(auctions, horizon=16)}
    chosen = {family: short.get(family, FAMILIES[family]) for family in families}
    return Check(name, claim, group, says, searching(find, chosen, share))


#: From premises to consequences; the check that names a defect best comes before those that notice it too.
INCENTIVE_CHECKS: tuple[Check, ...] = (
    _check(
        "payment-range",
        "lem:payment-range",
        "every payment lies in [0, c_max]",
        _payment_range,
        ["auctions", "exploring", "widened", "lone", "empty"],
        share=0.7,
    ),
    _check(
        "own-bid-independence",
        "eq:critical-payment",
        "a winner is paid the same whichever bid it wins with",
        _comparing(_own_bid, winner_spots),
        ["auctions", "exploring", "lone", "empty"],
    ),
    _check(
        "past-bids",
        "eq:provider-history",
        "a bid that its provider has replaced moves no answer any more",
        past_bids,
        ["auctions", "exploring"],
    ),
    _check(
        "monotone-allocation",
        "prop:selection-threshold",
        "whoever wins with a bid wins with every lower one",
        _comparing(_monotone, fresh_spots, winner_spots),
        ["auctions", "widened"],
    ),
    _check(
        "selection-threshold",
        "prop:selection-threshold",
        "a bid wins below the critical payment and loses above",
        _comparing(_threshold, fresh_spots, winner_spots),
        ["auctions", "widened"],
    ),
    _check(
        "no-loss",
        "lem:one-step",
        "a) whoever bids its cost estimate never expects a loss",
        _comparing(_no_loss, fresh_spots, winner_spots),
        ["auctions", "exploring", "lone", "empty"],
    ),
    _check(
        "no-profitable-misreport",
        "lem:one-step",
        "b) no bid gains more than the cost estimate does",
        _comparing(_misreport, fresh_spots, steps=3),
        ["auctions", "exploring"],
    ),
    _check(
        # By the paper's critical payment: a mechanism with another index has another one.
        "strict-misreport",
        "lem:one-step",
        "c) a bid on the other side of the critical payment gains strictly less",
        _comparing(_strict, fresh_spots),
        ["auctions"],
        group="rules",
    ),
    *ROBUST_CHECKS,
)

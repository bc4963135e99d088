"""What any learning procurement mechanism should satisfy, found by replaying a mechanism with other bids.

Nothing here knows which provider ought to win or what it ought to be paid: a mechanism is compared with itself. Only
the strict statements (lem:one-step c) rest on the rules: they speak of auctions and of critical payments.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from proofs_checks.conformance.checks.check import Check, check_of
from proofs_checks.conformance.checks.deviations import (
    LATEST,
    BidDeviation,
    evenly_spaced,
    fresh_deviations,
    judged,
    winner_deviations,
)
from proofs_checks.conformance.checks.robustness import ROBUST_CHECKS
from proofs_checks.conformance.checks.search import Find, Probe, first_failure, searching
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.interaction import Interaction, answers_with_bids, told
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.conformance.report.step_kinds import of_kind
from proofs_checks.conformance.strategies.scenarios import FAMILIES, auctions
from proofs_checks.oracle.rule_oracle import money_rounding

#: Steps of one interaction that are replayed with other bids.
_STEPS = 4
#: Replaced bids of one interaction that are changed.
_REPLACED_BIDS = 4


#: Compares what an interaction and counterfactuals of it show: yields None where that holds, else a failure.
_CompareAll = Callable[[AnySubject, Interaction], Iterator[Failure | None]]


def _whole(compare: _CompareAll) -> Find:
    return lambda subject, interaction: first_failure(compare(subject, interaction), subject)


def _payments_in_range(subject: AnySubject, interaction: Interaction) -> Iterator[Failure | None]:
    bound, rounding = interaction.config.cost_bound, money_rounding(interaction.config)
    for step, event in enumerate(interaction.events, 1):
        holds = -rounding <= event.payment <= bound + rounding
        message = f"provider {event.provider} is paid {event.payment:.12g}, outside [0, c_max] = [0, {bound:.12g}]"
        law = f"assert -{rounding!r} <= payment <= {bound + rounding!r}"
        details = {"expected": [0.0, bound], "found": event.payment, "ending": law}
        yield None if holds else failure_at(interaction, step, message, **details)


#: Compares a bid with alternatives: yields None where that holds, else a failure.
_Compare = Callable[[BidDeviation], Iterator[Failure | None]]
_Choose = Callable[[AnySubject, Interaction, int], Iterator[BidDeviation]]


def _comparing(compare: _Compare, *choices: _Choose, steps: int = _STEPS) -> Find:
    """Return what looks at deviations of an interaction until a comparison fails."""

    def find(subject: AnySubject, interaction: Interaction) -> Probe:
        chosen = (deviation for choose in choices for deviation in choose(subject, interaction, steps))
        different = {(deviation.step, deviation.changed): deviation for deviation in chosen}.values()
        return first_failure(itertools.chain.from_iterable(map(compare, different)), subject)

    return find


def _others(deviation: BidDeviation) -> list[float]:
    """Return bids above and below what the winner bid and is paid."""
    paid = deviation.interaction.events[deviation.step - 1].payment
    others = [deviation.bound, paid - deviation.separation, (deviation.bid + paid) / 2, deviation.bid / 2, 0.0]
    return [bid for bid in dict.fromkeys(others) if 0 <= bid <= deviation.bound and bid != deviation.bid]


def _own_bid(deviation: BidDeviation) -> Iterator[Failure | None]:
    """The winner's other bids: as long as it wins it is paid the same."""
    paid = deviation.interaction.events[deviation.step - 1].payment
    law = "any(winner != provider for winner, _ in answers) or abs(answers[0][1] - answers[1][1]) <= rounding"
    for bid in _others(deviation):
        payment = deviation.payment(bid)
        if payment is None:
            continue
        holds = abs(payment - paid) <= deviation.rounding
        message = (
            f"provider {deviation.provider} bid {deviation.bid:.12g} and is paid {paid:.12g}; had it bid {bid:.12g} at "
            f"step {deviation.changed} it would have won as well and been paid {payment:.12g}: its own bid changes its "
            "payment"
        )
        yield judged(deviation, holds, message, [deviation.bid, bid], law, expected=paid, found=payment)


def _posted(subject: AnySubject, interaction: Interaction) -> Iterator[Failure | None]:
    """No payment depends on a bid, of the winner or of a rival, as long as the same providers serve."""
    last = min(len(interaction.events), LATEST)
    for changed in evenly_spaced(range(1, last), _REPLACED_BIDS):
        event, bound = interaction.events[changed - 1], interaction.config.cost_bound
        tried = [bid for bid in (0.0, event.bid / 2, bound) if bid != event.bid]
        asked = answers_with_bids(subject, interaction, tried, changed=changed, step=last)
        for bid, answers in zip(tried, asked, strict=True):
            yield from _moved(subject, interaction, changed, bid, told(answers))


def _moved(
    subject: AnySubject, interaction: Interaction, changed: int, bid: float, answers: list[Answer]
) -> Iterator[Failure | None]:
    """Compare payments with those of a replay in which a bid is another, while the same providers serve."""
    for step, (event, answer) in enumerate(zip(interaction.events, answers, strict=False), 1):
        if answer[0] != event.provider:
            return
        if step <= changed:
            continue
        deviation = BidDeviation(subject, interaction, changed, step)
        holds = abs(answer[1] - event.payment) <= deviation.rounding
        message = (
            f"provider {event.provider} is paid {event.payment:.12g}; had provider {deviation.provider} bid "
            f"{bid:.12g}, not {deviation.bid:.12g}, at step {changed}, it would be paid {answer[1]:.12g}: a bid "
            "changes the price"
        )
        expected, bids = [event.provider, event.payment], [deviation.bid, bid]
        yield judged(deviation, holds, message, bids, _SAME_PAYMENT, expected=expected, found=list(answer))


_SAME_PAYMENT = "answers[0][0] != answers[1][0] or abs(answers[0][1] - answers[1][1]) <= rounding"
_SAME_ANSWER = "answers[0][0] == answers[1][0] and abs(answers[0][1] - answers[1][1]) <= rounding"


def _past_bids(subject: AnySubject, interaction: Interaction) -> Iterator[Failure | None]:
    """No later answer remembers a bid that its provider has replaced (eq:provider-history).

    Every answer after a bid was replaced is compared with what it would be had that bid been another.
    """
    last = min(len(interaction.events), LATEST)
    for changed, replaced in evenly_spaced(_replaced(interaction), _REPLACED_BIDS):
        event, next_payment = interaction.events[changed - 1], interaction.events[replaced - 1].payment
        others = dict.fromkeys([next_payment, (event.bid + next_payment) / 2, 0.0])
        tried = [bid for bid in others if 0 <= bid <= interaction.config.cost_bound and bid != event.bid]
        asked = answers_with_bids(subject, interaction, tried, changed=changed, step=last)
        for bid, answers in zip(tried, asked, strict=True):
            yield from _tail(subject, interaction, changed, replaced, bid, told(answers))


def _replaced(interaction: Interaction) -> list[tuple[int, int]]:
    """Return the steps whose bid was replaced, and when that was, if a step is left to look at."""
    last = min(len(interaction.events), LATEST)
    services = (interaction.arrived_services(i, last) for i in range(interaction.config.n_providers))
    found = itertools.chain.from_iterable(map(itertools.pairwise, services))
    return sorted((changed, interaction.arrival(later)) for changed, later in found)


def _tail(
    subject: AnySubject, interaction: Interaction, changed: int, replaced: int, bid: float, answers: list[Answer]
) -> Iterator[Failure | None]:
    """Compare the answers to a replay with a replaced bid changed, after it was replaced."""
    if [provider for provider, _ in answers[:replaced]] != list(interaction.providers[:replaced]):
        return
    for step in range(replaced + 1, len(answers) + 1):
        event, answer = interaction.events[step - 1], answers[step - 1]
        served = answer[0] == event.provider
        if not served and not _undrawn(interaction, step, answer):
            return
        same = served and abs(answer[1] - event.payment) <= money_rounding(interaction.config)
        yield None if same else _remembered(BidDeviation(subject, interaction, changed, step), replaced, bid, answer)


def _undrawn(interaction: Interaction, step: int, answer: Answer) -> bool:
    """Return whether no draw can explain another winner: neither a tie nor a step that pays c_max."""
    decision, event = interaction.only_auction(step), interaction.events[step - 1]
    below = interaction.config.cost_bound - money_rounding(interaction.config)
    return decision is not None and len(decision.providers) == 1 and min(event.payment, answer[1]) < below


def _remembered(deviation: BidDeviation, replaced: int, bid: float, answer: Answer) -> Failure | None:
    event = deviation.interaction.events[deviation.step - 1]
    kind = of_kind(deviation.interaction.decisions[replaced - 1][0])
    message = (
        f"provider {event.provider} serves and is paid {event.payment:.12g}; had provider {deviation.provider} bid "
        f"{bid:.12g} at step {deviation.changed}, a bid that it replaced at step {replaced} ({kind}), provider "
        f"{answer[0]} would be paid {answer[1]:.12g}: a replaced bid still has an effect"
    )
    expected, bids = [event.provider, event.payment], [deviation.bid, bid]
    return judged(deviation, False, message, bids, _SAME_ANSWER, expected=expected, found=list(answer))


def _monotone(deviation: BidDeviation) -> Iterator[Failure | None]:
    """A provider's bids in order: once one loses, no higher one wins.

    Where others served in between, a draw may have moved with the bid: only the outcomes of auctions are compared.
    """
    law = "answers[1][0] == provider or answers[0][0] != provider"
    paid = deviation.interaction.events[deviation.step - 1].payment
    if not deviation.fresh and paid > deviation.bound - deviation.separation:
        return
    tried = [bid for bid in deviation.bids() if deviation.fresh or bid <= deviation.bid]
    chosen = dict.fromkeys([*evenly_spaced(tried, 7), deviation.bid])
    deviation.ask(chosen)
    outcomes = [(bid, deviation.wins(bid)) for bid in chosen]
    for (low, wins_low), (high, wins_high) in itertools.pairwise(sorted(outcomes)):
        if wins_low is None or wins_high is None or high - low < deviation.separation / 2:
            continue
        holds = wins_low or not wins_high
        message = (
            f"provider {deviation.provider} wins with the bid {high:.12g} of step {deviation.changed}, "
            f"but loses with the lower bid {low:.12g}"
        )
        answer = deviation.answer(low)
        winner = None if answer is None else answer[0]
        yield judged(deviation, holds, message, [high, low], law, expected=[deviation.provider], found=winner)


def _cheap(deviation: BidDeviation) -> float:
    """Return a bid with which a provider wins if it can, and nobody else serves before."""
    return 0.0 if deviation.fresh else deviation.bid


def _threshold(deviation: BidDeviation) -> Iterator[Failure | None]:
    """Where its bid decides, a provider wins with all bids below what it is then paid, and loses above.

    Whoever is paid c_max may have been drawn: there the payment is not a threshold.
    """
    cheap = _cheap(deviation)
    paid = deviation.payment(cheap)
    if paid is None or paid > deviation.bound - 2 * deviation.separation:
        return
    sides = ((paid - deviation.separation, True), (paid + deviation.separation, False))
    inside = [(bid, must_win) for bid, must_win in sides if 0 <= bid <= deviation.bound]
    deviation.ask([deviation.bound, *(bid for bid, _ in inside)])
    if deviation.wins(deviation.bound) is not False:
        return
    for bid, must_win in inside:
        wins = deviation.wins(bid)
        if wins is None:
            continue
        # Told of its own payment: a mended mechanism pays something else.
        law = f"answers[0][0] != provider or answers[0][1] {'<=' if must_win else '>='} {bid!r} or "
        law += f"(answers[1][0] == provider) is {must_win}"
        expected, found = ("wins", "loses") if must_win else ("loses", "wins")
        message = (
            f"provider {deviation.provider} is paid {paid:.12g} if it bids {cheap:.12g} at step {deviation.changed}, "
            f"but with the bid {bid:.12g} it {found}: the payment is not the bid up to which it wins"
        )
        yield judged(deviation, wins is must_win, message, [cheap, bid], law, expected=expected, found=found)


def _no_loss(deviation: BidDeviation) -> Iterator[Failure | None]:
    """Whoever bids its cost estimate is paid no less when it serves."""
    estimate = deviation.estimate
    payment = deviation.payment(estimate)
    if payment is None:
        return
    law = "gains[0] >= -rounding"
    holds = payment >= estimate - deviation.rounding
    start = f"provider {deviation.provider} bids its mean cost {estimate:.12g}, serves, and is paid"
    message = f"{start} {payment:.12g}: a loss"
    yield judged(deviation, holds, message, [estimate], law, expected=f"at least {estimate!r}", found=payment)


def _misreport(deviation: BidDeviation) -> Iterator[Failure | None]:
    """No bid gains more than the cost estimate does."""
    estimate, bids = deviation.estimate, evenly_spaced(deviation.bids(), 8)
    deviation.ask([estimate, *bids])
    truthful = deviation.gain(estimate)
    law = "gains[0] >= gains[1] - rounding"
    for bid in bids:
        if deviation.answer(estimate) is None or deviation.answer(bid) is None:
            continue  # others served before: another history, with costs of its own
        gain = deviation.gain(bid)
        holds = gain <= truthful + deviation.rounding
        message = (
            f"provider {deviation.provider} has the mean cost {estimate:.12g} and gains {truthful:.12g} by bidding it "
            f"at step {deviation.changed}, but {gain:.12g} with the bid {bid:.12g}: it pays to misreport"
        )
        expected = f"at most {truthful!r}"
        yield judged(deviation, holds, message, [estimate, bid], law, expected=expected, found=gain)


def _strict(deviation: BidDeviation) -> Iterator[Failure | None]:
    """In an auction, a bid on the other side of the critical payment gains strictly less."""
    critical, estimate, separation = deviation.distant_critical, deviation.estimate, deviation.separation
    if critical is None:
        return
    law = "gains[1] < gains[0]"
    side = 2 * separation if estimate < critical else -2 * separation
    beyond = (critical + side, deviation.bound if side > 0 else 0.0)
    tried = [bid for bid in beyond if 0 <= bid <= deviation.bound and (bid - critical) * side > 0]
    deviation.ask([estimate, *tried] if tried else ())
    for bid in tried:
        if deviation.answer(estimate) is None or deviation.answer(bid) is None:
            continue  # others served before: another history, with costs of its own
        least, gain = deviation.gain(estimate), deviation.gain(bid)
        holds = gain < least - deviation.rounding
        truthful, gains = f"{least:.12g}", f"{gain:.12g}"
        gained = "as much" if gains == truthful else f"{gains}, not less than {truthful}"
        message = (
            f"provider {deviation.provider} should gain less with the bid {bid:.12g} at step {deviation.changed} than "
            f"with its mean cost {estimate:.12g}, but gains {gained}; the critical payment {critical:.12g} lies between"
        )
        expected = f"less than {least!r}"
        yield judged(deviation, holds, message, [estimate, bid], law, expected=expected, found=gain)


#: The auctions of the rule checks are longer than a replay from the start should be.
_SHORT = {"auctions": functools.partial(auctions, horizon=16)}


def _check(name: str, find: Find, families: Sequence[str], share: float = 1.0) -> Check:
    chosen = {family: _SHORT.get(family, FAMILIES[family]) for family in families}
    return check_of(name, searching(find, chosen, share))


INCENTIVE_CHECKS: tuple[Check, ...] = (
    _check(
        "payment-range", _whole(_payments_in_range), ["auctions", "exploring", "widened", "lone", "empty"], share=0.7
    ),
    _check("own-bid-independence", _comparing(_own_bid, winner_deviations), ["auctions", "exploring", "lone", "empty"]),
    _check("bid-independence", _whole(_posted), ["auctions", "exploring", "noisy"], share=0.5),
    _check("past-bids", _whole(_past_bids), ["auctions", "exploring"]),
    _check("monotone-allocation", _comparing(_monotone, fresh_deviations, winner_deviations), ["auctions", "widened"]),
    _check("selection-threshold", _comparing(_threshold, fresh_deviations, winner_deviations), ["auctions", "widened"]),
    _check(
        "no-loss", _comparing(_no_loss, fresh_deviations, winner_deviations), ["auctions", "exploring", "lone", "empty"]
    ),
    _check("no-profitable-misreport", _comparing(_misreport, fresh_deviations, steps=3), ["auctions", "exploring"]),
    _check("strict-misreport", _comparing(_strict, fresh_deviations), ["auctions"]),
    *ROBUST_CHECKS,
)

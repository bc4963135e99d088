"""Bids that their providers have replaced (eq:provider-history): no later answer may remember them."""

from __future__ import annotations

from proofs_checks.conformance.play.deviations import LATEST, BidDeviation, deviation_failure, some
from proofs_checks.conformance.play.interaction import Answer, Interaction, answers_to
from proofs_checks.conformance.play.search import Probe
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.oracle.rule_oracle import money_rounding

#: Replaced bids of one interaction that are changed.
_BIDS = 4


def past_bids(subject: Subject, interaction: Interaction) -> Probe:
    """Compare every answer after a bid was replaced with what it would be had that bid been another.

    Parameters
    ----------
    subject : Subject
    interaction : Interaction
    """
    compared = 0
    for changed, replaced in some(_replaced(interaction), _BIDS):
        event, next_payment = interaction.events[changed - 1], interaction.events[replaced - 1].payment
        for bid in dict.fromkeys([next_payment, (event.bid + next_payment) / 2, 0.0]):
            if not 0 <= bid <= interaction.config.cost_bound or bid == event.bid:
                continue
            probe = _tail(subject, interaction, changed, replaced, bid)
            compared += probe.compared
            if probe.failure is not None:
                return Probe(compared, probe.failure)
    return Probe(compared)


def _replaced(interaction: Interaction) -> list[tuple[int, int]]:
    """Return the steps whose bid was replaced, and when that was, if a step is left to look at."""
    last = min(len(interaction.events), LATEST)
    again: list[tuple[int, int]] = []
    for changed in range(1, last):
        provider = interaction.events[changed - 1].provider
        services = (s for s in range(changed + 1, last) if interaction.events[s - 1].provider == provider)
        if (replaced := next(services, None)) is not None:
            again.append((changed, replaced))
    return again


def _tail(subject: Subject, interaction: Interaction, changed: int, replaced: int, bid: float) -> Probe:
    """Replay with a replaced bid changed, and compare the answers after it was replaced."""
    last = min(len(interaction.events), LATEST)
    settlements = list(interaction.settlements[: last - 1])
    settlements[changed - 1] = (settlements[changed - 1][0], bid)
    answers = answers_to(subject, interaction.config, interaction.scenario.seed, settlements)
    if [provider for provider, _ in answers[:replaced]] != list(interaction.providers[:replaced]):
        return Probe(0)
    rounding = money_rounding(interaction.config)
    for step in range(replaced + 1, last + 1):
        event, answer = interaction.events[step - 1], answers[step - 1]
        if answer[0] != event.provider:
            if not _undrawn(interaction, step, answer):
                return Probe(step - replaced - 1)
        elif abs(answer[1] - event.payment) <= rounding:
            continue
        spot = BidDeviation(subject, interaction, interaction.events[changed - 1].provider, changed, step)
        return Probe(step - replaced, _remembered(spot, replaced, bid, answer))
    return Probe(last - replaced)


def _undrawn(interaction: Interaction, step: int, answer: Answer) -> bool:
    """Return whether no draw can explain another winner: neither a tie nor a step that pays c_max."""
    decision, event = interaction.only_auction(step), interaction.events[step - 1]
    below = interaction.config.cost_bound - money_rounding(interaction.config)
    return decision is not None and len(decision.providers) == 1 and min(event.payment, answer[1]) < below


def _remembered(spot: BidDeviation, replaced: int, bid: float, answer: Answer) -> Failure:
    event = spot.interaction.events[spot.step - 1]
    message = (
        f"provider {event.provider} serves and is paid {event.payment:.12g}; had provider {spot.provider} bid "
        f"{bid:.12g} at step {spot.changed}, a bid that it replaced at step {replaced}, provider {answer[0]} would "
        f"be paid {answer[1]:.12g}: an old bid is remembered"
    )
    law = "answers[0][0] == answers[1][0] and abs(answers[0][1] - answers[1][1]) <= rounding"
    return deviation_failure(
        spot, message, [spot.bid, bid], law, expected=[event.provider, event.payment], found=list(answer)
    )

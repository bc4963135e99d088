"""The exact rules of the paper, step by step: what a mechanism answers against what its log prescribes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from proofs_checks.conformance.checks.check import Check, check_of
from proofs_checks.conformance.checks.search import Find, Probe, searching
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.report.decided import mistaken
from proofs_checks.conformance.report.failure import Failure, failure_at
from proofs_checks.oracle.rule_oracle import Decision, money_rounding
from proofs_checks.oracle.step_rules import STEP_RULES, Breach, applying, blamed, breaches, of_payment, one_of_providers

#: A payment of so few decimals looks rounded.
_MOST_DECIMALS = 8
#: Steps after which a run is long: what the check of long runs is about.
_LATE = 1000


def comparing(rules: frozenset[str], about_after: int = 0) -> Find:
    """Return what compares every step of an interaction with some of the rules.

    Comparisons count from the steps on that the check is about: who comes to none of them is not tested.
    """

    def find(subject: AnySubject, interaction: Interaction) -> Probe:
        rounding = money_rounding(interaction.config)
        compared = 0
        for step, (event, decisions) in enumerate(zip(interaction.events, interaction.decisions, strict=True), 1):
            if step > about_after:
                compared += any(rule in rules for decision in decisions for rule in applying(decision))
            for breach in blamed(breaches(decisions, event.provider, event.payment, rounding)):
                if breach.rule in rules:
                    return Probe(max(compared, 1), _failure(interaction, step, breach))
        error = interaction.unanswered
        if error is not None and any(rules == {_paid_by(decision)} for decision in interaction.open_decisions):
            return Probe(compared, unanswered=_unanswered(interaction, error))
        return Probe(compared)

    return find


def _paid_by(decision: Decision) -> str:
    """Return the rule that says what a step pays, beyond initialization, which is every mechanism's start."""
    if decision.kind == "initialization":
        return ""
    return next(rule for rule in applying(decision) if of_payment(rule))


def _unanswered(interaction: Interaction, error: MechanismError) -> Failure:
    """Return that a kind of step is not answered at all, where what is due there is known."""
    step, decision = len(interaction.events) + 1, interaction.open_decisions[0]
    due = float(decision.payments[decision.providers[0]])
    told = f"{error.message}, where {one_of_providers(decision.providers)} is to serve for {due:.12g}"
    return replace(failure_at(interaction, step, told, expected=due, misbehaviour=error.kind), message=told)


def _failure(interaction: Interaction, step: int, breach: Breach) -> Failure:
    event = interaction.events[step - 1]
    failure = failure_at(interaction, step, f"{breach}", expected=breach.expected, found=breach.found, rule=breach.rule)
    oracle = failure.oracle()
    other_kind = mistaken(oracle, breach, event.provider, event.payment) if oracle is not None else ""
    message = f"{failure.message}{other_kind}{_rounded(breach, interaction.config.cost_bound)}"
    return replace(failure, message=message).confirmed((event.provider, event.payment))


def _rounded(breach: Breach, cost_bound: float) -> str:
    """Return a remark on a payment that is the expected one, but for its decimals."""
    if not isinstance(breach.found, float):
        return ""
    places = next((k for k in range(_MOST_DECIMALS + 1) if round(breach.found, k) == breach.found), None)
    unit = cost_bound if places is None else 10.0**-places
    if unit > cost_bound / 100 or abs(breach.found - breach.expected) > 1.01 * unit:
        return ""
    return f" (rounded to {places} decimals? costproof docs check describes how to check a mechanism that rounds money)"


def _rule(name: str, families: Sequence[str], *, rules: Iterable[str] = ()) -> Check:
    compared = frozenset(rules or [name])
    long = "long run" in families
    return check_of(name, searching(comparing(compared, _LATE if long else 0), families, share=0.2 if long else 1.0))


EVERY_RULE = frozenset(STEP_RULES)

RULE_CHECKS = (
    _rule("initialization-order", ["auctions"]),
    _rule("initialization-payment", ["auctions"]),
    _rule("exploration-payment", ["exploring", "screening"]),
    _rule("empty-payment", ["empty"]),
    _rule("lone-payment", ["lone"]),
    _rule("eligibility", ["screening", "quality drop", "near threshold", "lone", "empty", "noisy", "band edge"]),
    _rule("exploration-set", ["exploring", "whole goals", "screening", "noisy"]),
    _rule("standing-bids", ["auctions"], rules=["index-minimizer", "critical-payment"]),
    _rule("index-minimizer", ["auctions", "noisy", "band edge", "many providers"]),
    _rule("critical-payment", ["auctions", "exploring", "screening", "noisy", "band edge", "many providers"]),
    _rule("widened-radius", ["widened", "widened screening", "widened noisy"], rules=EVERY_RULE),
    _rule("state-estimates", ["noisy", "quality drop", "near threshold", "band edge", "late drop"], rules=EVERY_RULE),
    _rule("long-run", ["long run"], rules=EVERY_RULE),
)

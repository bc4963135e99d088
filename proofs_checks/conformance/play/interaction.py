"""Interactions with a mechanism: a scenario played to its end, and a history replayed with a bid changed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, arrivals
from proofs_checks.conformance.play.any_mechanism import Answer, PlayedInteraction, Settlement, Told
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.calls import Call, Kind
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.scenario import Providers, Scenario
from proofs_checks.conformance.play.watched import LeftDomainError
from proofs_checks.oracle.rule_oracle import Decision, oracle_beside


class Event(NamedTuple):
    """One step of an interaction: who served, what was paid, and how it was settled."""

    provider: int
    payment: float
    score: float
    bid: float
    cost: float


@dataclass(frozen=True)
class Interaction:
    """A scenario as a mechanism played it: one event per step."""

    scenario: Scenario
    events: tuple[Event, ...]
    #: What the rules prescribed at each step, in every reading that rounding leaves open.
    decisions: tuple[tuple[Decision, ...], ...] = field(repr=False)
    #: Where the mechanism did not answer at the step after the last: what it did instead, and what the rules prescribe.
    unanswered: MechanismError | None = field(default=None, repr=False)
    open_decisions: tuple[Decision, ...] = field(default=(), repr=False)
    #: How late scores and bids arrived; None for at once.
    in_flight: DelayLaw | None = None

    @property
    def config(self) -> MechanismConfig:
        """The configuration."""
        return self.scenario.config

    @cached_property
    def settlements(self) -> tuple[tuple[float, float], ...]:
        """Score and bid of every step."""
        return tuple((event.score, event.bid) for event in self.events)

    @cached_property
    def providers(self) -> tuple[int, ...]:
        """Who served, step by step."""
        return tuple(event.provider for event in self.events)

    @cached_property
    def played(self) -> PlayedInteraction:
        """What a failure needs to be played again."""
        return PlayedInteraction(
            self.config, self.scenario.seed, self.settlements, self.providers, in_flight=self.in_flight
        )

    def arrival(self, step: int) -> int:
        """Return the last step assigned before the score and bid of a step arrived: the step itself, at once."""
        return step if self.in_flight is None else arrivals(self.in_flight, self.scenario.seed)(step)

    def only_auction(self, step: int) -> Decision | None:
        """Return the decision of a step if it is an auction in every reading, with the same eligible ones."""
        found = self.decisions[step - 1]
        return found[0] if len(found) == 1 and found[0].kind == "auction" else None

    def contested_payment(self, provider: int, step: int) -> float | None:
        """Return min{P, c_max} of a provider if the rules hold an auction at a step that it is in against rivals."""
        decision = self.only_auction(step)
        if decision is None or decision.lone or provider not in decision.eligible:
            return None
        return float(decision.payments[provider])

    def arrived_services(self, provider: int, step: int) -> list[int]:
        """Return the steps at which a provider served whose bids had arrived before `step`, in order of arrival."""
        served = (s for s in range(1, step) if self.events[s - 1].provider == provider)
        return [s for arrival, s in sorted((self.arrival(s), s) for s in served) if arrival < step]

    def last_service(self, provider: int, step: int) -> int | None:
        """Return the step at which a provider left the bid that stands at `step`: its last that had arrived."""
        return next(reversed(self.arrived_services(provider, step)), None)

    def cost_estimate(self, provider: int, step: int) -> float:
        """Return the running mean of a provider's costs before a step, at most c_max."""
        costs = [event.cost for event in self.events[: step - 1] if event.provider == provider]
        return min(sum(costs) / len(costs), self.config.cost_bound)


class BrokenOffError(MechanismError):
    """A mechanism failed within an interaction; `interaction` is what was played until then."""

    def __init__(self, cause: MechanismError, interaction: Interaction) -> None:
        super().__init__(cause.kind, cause.message)
        self.interaction = interaction


def play_scenario(subject: AnySubject, scenario: Scenario) -> Interaction:
    """Play a scenario to its horizon, or to where it leaves the domain of the subject.

    Raises
    ------
    BrokenOffError
        The mechanism failed; what was played until then is kept.
    """
    law = subject.in_flight
    oracle, providers = oracle_beside(scenario.config, scenario.seed, law), Providers(scenario)
    events: list[Event] = []
    decisions: list[tuple[Decision, ...]] = []

    def settling(answer: Answer) -> Settlement:
        provider, payment = answer
        decisions.append(oracle.decisions())
        score, cost, bid = providers.serve(provider, oracle)
        oracle.settle(provider, score, bid)
        events.append(Event(provider, payment, score, bid, cost))
        return score, bid

    try:
        mechanism = subject.start(scenario.config, scenario.seed)
        with contextlib.suppress(LeftDomainError):
            # With queries in flight it takes so much longer until anything is known.
            mechanism.play(scenario, scenario.horizon + (0 if law is None else law.most), settling)
        mechanism.finish()
    except MechanismError as error:
        played = Interaction(scenario, tuple(events), tuple(decisions), in_flight=law)
        if error.message.startswith(f"{Call(Kind.ASSIGN, oracle.step)} "):
            played = replace(played, unanswered=error, open_decisions=oracle.decisions())
        raise BrokenOffError(error, played) from error
    return Interaction(scenario, tuple(events), tuple(decisions), in_flight=law)


def answers_to(
    subject: AnySubject, config: MechanismConfig, seed: int, settlements: Sequence[Settlement]
) -> list[Answer]:
    """Return the answers of a fresh mechanism to a list of settlements, and its answer after the last of them."""
    return told(*subject.answers_after(config, seed, [(settlements, ())], 1))


def answers_with_bids(
    subject: AnySubject, interaction: Interaction, bids: Iterable[float], *, changed: int, step: int
) -> list[Told]:
    """Replay an interaction with the bid left at step `changed` replaced by others, each up to the answer of `step`."""
    before, after = interaction.settlements[: changed - 1], interaction.settlements[changed : step - 1]
    score, _ = interaction.settlements[changed - 1]
    plays = [((*before, (score, bid), *after), ()) for bid in bids]
    return subject.answers_after(interaction.config, interaction.scenario.seed, plays, 1)


def told(found: Told) -> list[Answer]:
    """Return answers, or raise the error that came in their place."""
    if isinstance(found, Exception):
        raise found
    return found

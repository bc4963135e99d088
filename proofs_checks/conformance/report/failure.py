"""A failure of a check: what was expected and found, and the history that leads there, as data and as a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NotRequired, TypedDict

from bounds.documents import Count, Document, FromOne, NonNegative, Probability
from mechanism.config import MechanismConfig
from proofs_checks.conformance.play.any_mechanism import Answer, PlayedInteraction
from proofs_checks.conformance.play.errors import Misbehaviour
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.late_feedback import arrival_list
from proofs_checks.conformance.report.decided import deciding
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, Decision, OracleNumbers, RuleOracle, Standing, oracle_beside
from proofs_checks.oracle.step_rules import Breach, blamed, breaches, one_of_providers

#: Longer histories are not replayed in fractions: their numbers grow with every step.
LONGEST = 2_000


class DrawCount(TypedDict):
    """How often somebody is drawn at random.

    Parameters
    ----------
    draws : int
        How many draws were looked at.
    times : float
        In how many of them they are drawn.
    who : str
        Who is drawn, in words.
    interactions : int
        How many interactions were played.
    """

    draws: Count
    times: NonNegative
    who: NotRequired[str]
    interactions: NotRequired[Count]


class Deviation(TypedDict, total=False):
    """What was changed in the history; empty if the failure compares no two histories.

    Parameters
    ----------
    step : int
        Step at which another bid was left, from 1.
    provider : int
        Index of who left it, from 0.
    bid : float
        The other bid, money.
    wins : bool
        Whether the provider then serves the step in question.
    payment : float
        What is then paid there, money.
    settlements : list of (float, float)
        Score and bid of each step from the changed one on.
    utilities : list of float
        What the provider has earned up to each later step, money.
    """

    step: FromOne
    provider: Count
    bid: float
    wins: bool
    payment: float
    settlements: list[tuple[float, float]]
    utilities: list[float]


class HistoryStep(TypedDict):
    """A step before the one in question.

    Parameters
    ----------
    step : int
        Step, from 1.
    provider : int
        Index of who served, from 0.
    score : float
        Score of the query.
    bid : float
        Standing bid from then on, money.
    settled : int or None
        With queries in flight: the last step assigned before score and bid arrived; None if never.
    """

    step: FromOne
    provider: Count
    score: Probability
    bid: float
    settled: NotRequired[FromOne | None]


class Counterexample(TypedDict):
    """A history that leads to a failure, and the answer that is wrong.

    Parameters
    ----------
    config : MechanismConfig
        What the mechanism received.
    seed : int
        Seed of the generator that the mechanism received.
    history : list of HistoryStep
        Every step before the one in question.
    step : int
        The step in question, from 1.
    expected : float, str, list of float, DrawCount or None
        What the check expected there: a payment, an index, a list of either, a text, or counts of random draws.
    found : float, str, list of float, DrawCount or None
        What it found there; None if the mechanism gave no answer.
    deviation : Deviation
        What was changed in the history; empty if the failure compares no two histories.
    exact : str
        What exact fractions say of the failure; empty if they were not asked.
    misbehaviour : str or None
        How the mechanism failed to answer, or harmed the process that runs it; None if it answered.
    providers : tuple of Standing
        The numbers that decide the step, by provider; empty before everybody has served.
    deciding : str
        What follows from them: the counts and g(t), and the kind of step that is due; else empty.
    """

    config: MechanismConfig
    seed: Count
    history: list[HistoryStep]
    step: FromOne
    expected: _Judged
    found: _Judged
    deviation: Deviation
    exact: str
    misbehaviour: Misbehaviour | None
    providers: tuple[Standing, ...]
    deciding: str


_Judged = float | str | list[float] | DrawCount | None


@dataclass(frozen=True, kw_only=True)
class Failure(PlayedInteraction, Document):
    """Where a mechanism breaks a property, after the steps before it; `expected` and `found` are JSON-able."""

    #: One line: step, what was expected, what was found.
    message: str
    expected: Any = None
    found: Any = None
    deviation: Deviation = field(default_factory=Deviation)
    #: What exact arithmetic says of the failure, or why it says nothing.
    exact: str = ""
    #: If the mechanism did not answer as the contract says: how (`MechanismError.kind`).
    misbehaviour: Misbehaviour | None = None
    #: The rule of `STEP_RULES` that breaks, where the check compares with rules.
    rule: str = ""
    #: Whether a right mechanism serves by the same providers before the step: no draw, tie or mistake comes first.
    forced: bool = True
    #: Python that a script runs before it imports the mechanism, and before it plays it.
    start: str = ""
    before: str = ""
    #: Python that shows the failure at the end of a script, after the mechanism was brought to the step; empty where
    #: `expected` says it: providers (a list) or a payment (a number).
    ending: str = ""

    @property
    def step(self) -> int:
        """The step in question."""
        return len(self.settlements) + 1

    def __repr__(self) -> str:
        """Return the message alone: histories are long."""
        return f"<Failure at step {self.step}: {self.message}>"

    @property
    def needs_its_history(self) -> bool:
        """Whether its expectation is of this history alone: another winner before the step makes it another one."""
        judged = not self.ending or bool(self.deviation)
        return judged and not self.misbehaviour and len(self.providers) == len(self.settlements)

    @property
    def portable(self) -> bool:
        """Whether its script comes to a verdict on every right mechanism."""
        return self.forced or not self.needs_its_history

    @property
    def size(self) -> tuple[bool, int, int, int]:
        """Whether it is less than portable, and how much there is to read: failures are shrunk by it."""
        numbers = {number for pair in self.settlements for number in pair}
        return not self.portable, len(self.settlements), self.config.n_providers, len(numbers)

    def document(self) -> Counterexample:
        """Return the counterexample, in the words of reports."""
        history: list[HistoryStep] = [
            {"step": step, "provider": provider, "score": score, "bid": bid}
            for step, (provider, (score, bid)) in enumerate(zip(self.providers, self.settlements, strict=True), 1)
        ]
        if self.in_flight is not None:
            for row, settled in zip(history, self.arrivals(len(history)), strict=True):
                row["settled"] = settled
        return {
            "config": self.config,
            "seed": self.seed,
            "history": history,
            "step": self.step,
            "expected": self.expected,
            "found": self.found,
            "deviation": self.deviation,
            "exact": self.exact,
            "misbehaviour": self.misbehaviour,
            "providers": self.standings(),
            "deciding": self.deciding,
        }

    def arrivals(self, steps: int) -> list[int | None]:
        """Return, of the first steps, the last one assigned before score and bid arrived; None if they never did."""
        return arrival_list(self.in_flight, self.seed, steps)

    def standings(self) -> tuple[Standing, ...]:
        """Return the numbers that decide the step in question, per provider; none before everybody has served.

        Examples
        --------
        >>> from proofs_checks.conformance.play.scenario import usual_config
        >>> played = {"settlements": ((1.0, 0.25), (1.0, 0.5)), "providers": (0, 1)}
        >>> failure = Failure(message="dear", config=usual_config(n_providers=2), seed=0, **played)
        >>> [(each.count, each.bid, each.critical_payment) for each in failure.standings()]
        [(1, 0.25, 0.5), (1, 0.5, 0.25)]
        """
        oracle = self.oracle()
        return () if oracle is None else oracle.standings()

    def oracle(self, numbers: OracleNumbers = FLOATS) -> RuleOracle | None:
        """Return what Algorithm 1 knows before the step in question; None where it is not known who served."""
        if len(self.providers) != len(self.settlements):
            return None
        oracle = oracle_beside(self.config, self.seed, self.in_flight, numbers)
        for provider, (score, bid) in zip(self.providers, self.settlements, strict=True):
            oracle.settle(provider, score, bid)
        return oracle

    @property
    def deciding(self) -> str:
        """What decides the step in question, in a sentence; empty where nothing judges it."""
        oracle = self.oracle()
        return "" if oracle is None else deciding(oracle)

    def allowed(self) -> tuple[tuple[int, float], ...]:
        """Return who may serve at the step in question and what it is then paid; nothing where nothing judges it.

        Examples
        --------
        >>> from proofs_checks.conformance.play.scenario import usual_config
        >>> played = {"settlements": ((1.0, 0.25), (1.0, 0.5)), "providers": (0, 1)}
        >>> Failure(message="dear", config=usual_config(n_providers=2), seed=0, **played).allowed()
        ((0, 0.5),)
        """
        oracle = self.oracle()
        decisions = () if oracle is None else oracle.decisions()
        pairs = ((i, float(each.payments[i])) for each in decisions for i in each.providers)
        return tuple(dict.fromkeys(pairs))

    def confirmed(self, answer: Answer) -> Failure:
        """Return the same failure with what exact fractions say of it: rounding is then no explanation.

        `answer`, who served at the step in question and what was paid, breaks a rule in floats.

        Examples
        --------
        >>> from proofs_checks.conformance.play.scenario import usual_config
        >>> played = {"settlements": ((1.0, 0.25), (1.0, 0.5)), "providers": (0, 1)}
        >>> failure = Failure(message="dear", config=usual_config(n_providers=2), seed=0, **played)
        >>> failure.confirmed((0, 0.75)).exact
        'confirmed in exact fractions: critical-payment expects a payment of 0.5, found 0.75'
        """
        return replace(self, exact=self._exact_verdict(answer))

    def _exact_verdict(self, answer: Answer) -> str:
        if len(self.settlements) > LONGEST:
            return f"not replayed in exact fractions: more than {LONGEST} steps"
        if (oracle := self.oracle(EXACT)) is None:
            return ""
        provider, payment = answer
        found = blamed(breaches(oracle.decisions(), provider, EXACT.number(payment), oracle.money_rounding))
        if not found:
            return "not confirmed in exact fractions: rounding explains it"
        return f"confirmed in exact fractions: {'; '.join(map(_told, found))}"


def _told(breach: Breach) -> str:
    """Return what a rule expects and what was found, a provider or a payment."""
    if isinstance(breach.found, float):
        return f"{breach.rule} expects a payment of {breach.expected:.12g}, found {breach.found:.12g}"
    return f"{breach.rule} expects {one_of_providers(breach.expected)}, found provider {breach.found}"


def failure_at(interaction: Interaction, step: int, message: str, **details: Any) -> Failure:
    """Return a failure at a step of an interaction; details are further fields of `Failure`."""
    forced = are_forced(interaction.providers[: step - 1], interaction.decisions, interaction.config.n_providers)
    return Failure(**vars(interaction.played.until(step)), message=f"step {step}: {message}", forced=forced, **details)


def are_forced(providers: Sequence[int], decisions: Iterable[Sequence[Decision]], n_providers: int) -> bool:
    """Return whether the rules leave each step to the provider that served there, the order of the first ones apart."""
    due = ({i for each in found for i in each.providers} for found in decisions)
    return all(
        step <= n_providers or may_serve == {served}
        for step, (served, may_serve) in enumerate(zip(providers, due, strict=False), 1)
    )

"""A failure of a check: what was expected and found, and the history that leads there, as data and as a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from proofs_checks.conformance.play.any_mechanism import Answer
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.late_feedback import arrival_list
from proofs_checks.conformance.report.decided import deciding
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, OracleNumbers, RuleOracle, Standing, oracle_beside
from proofs_checks.oracle.step_rules import Breach, blamed, breaches, one_of_providers

#: Longer histories are not replayed in fractions: their numbers grow with every step.
LONGEST = 2_000


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Where a mechanism breaks a property; `expected` and `found` are JSON-able."""

    #: One line: step, what was expected, what was found.
    message: str
    config: MechanismConfig
    #: Of the generator that the mechanism received.
    seed: int
    #: Score and bid of every step before the one in question, and who served there.
    settlements: tuple[tuple[float, float], ...] = ()
    providers: tuple[int, ...] = ()
    expected: Any = None
    found: Any = None
    #: What was changed in the history, for failures that compare two of them: ``step`` and ``bid``; else empty.
    deviation: Mapping[str, Any] = field(default_factory=dict)
    #: What exact arithmetic says of the failure, or why it says nothing.
    exact: str = ""
    #: If the mechanism did not answer as the contract says: how (`MechanismError.kind`).
    misbehaviour: str = ""
    #: The rule of `STEP_RULES` that breaks, where the check compares with rules.
    rule: str = ""
    #: Python that a script runs before it plays the mechanism.
    before: str = ""
    #: Python that shows the failure at the end of a script, after the mechanism was brought to the step; empty where
    #: `expected` says it: providers (a list) or a payment (a number).
    ending: str = ""
    #: How late scores and bids arrived; None for at once.
    in_flight: DelayLaw | None = None

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
    def size(self) -> tuple[int, int, int]:
        """How much there is to read: failures are shrunk by it."""
        numbers = {number for pair in self.settlements for number in pair}
        return len(self.settlements), self.config.n_providers, len(numbers)

    def to_data(self) -> dict[str, Any]:
        """Return the counterexample as plain JSON data."""
        history: list[dict[str, Any]] = [
            {"step": step, "provider": provider, "score": score, "bid": bid}
            for step, (provider, (score, bid)) in enumerate(zip(self.providers, self.settlements, strict=True), 1)
        ]
        if self.in_flight is not None:
            for row, settled in zip(history, self.arrivals(len(history)), strict=True):
                row["settled"] = settled
        data = {"config": self.config.to_data(), "seed": self.seed, "history": history, "step": self.step}
        found = {"expected": self.expected, "found": self.found, "deviation": dict(self.deviation)}
        said = {"exact": self.exact, "misbehaviour": self.misbehaviour or None}
        numbers = {"providers": [vars(each) for each in self.standings()], "deciding": self.deciding}
        return {**data, **found, **said, **numbers}

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
    return Failure(
        message=f"step {step}: {message}",
        config=interaction.config,
        seed=interaction.scenario.seed,
        settlements=interaction.settlements[: step - 1],
        providers=interaction.providers[: step - 1],
        in_flight=interaction.in_flight,
        **details,
    )

"""A failure of a check: what was expected and found, and the history that leads there, as data and as a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mechanism.config import MechanismConfig
from proofs_checks.conformance.play.interaction import Interaction


@dataclass(frozen=True)
class Failure:
    """Where a mechanism breaks a property.

    Parameters
    ----------
    message : str
        One line: step, what was expected, what was found.
    config : MechanismConfig
    seed : int
        Of the generator that the mechanism received.
    settlements : tuple of (float, float)
        Score and bid of every step before the one in question.
    providers : tuple of int
        Who served at these steps.
    expected, found : object
        JSON-able.
    deviation : mapping
        What was changed in the history, for failures that compare two of them: ``step`` and ``bid``; else empty.
    exact : str
        What exact arithmetic says of the failure, or why it says nothing.
    misbehaviour : str
        If the mechanism did not answer as the contract says: how (`MechanismError.kind`).
    before : str
        Python that a script runs before it plays the mechanism.
    ending : str
        Python that shows the failure at the end of a script, after the mechanism was brought to the step; empty where
        `expected` says it: providers (a list) or a payment (a number).
    """

    message: str
    config: MechanismConfig
    seed: int
    settlements: tuple[tuple[float, float], ...] = ()
    providers: tuple[int, ...] = ()
    expected: Any = None
    found: Any = None
    deviation: Mapping[str, Any] = field(default_factory=dict)
    exact: str = ""
    misbehaviour: str = ""
    before: str = ""
    ending: str = ""

    @property
    def step(self) -> int:
        """The step in question."""
        return len(self.settlements) + 1

    @property
    def size(self) -> tuple[int, int, int]:
        """How much there is to read: failures are shrunk by it."""
        numbers = {number for pair in self.settlements for number in pair}
        return len(self.settlements), self.config.n_providers, len(numbers)

    def to_data(self) -> dict[str, Any]:
        """Return the counterexample as plain JSON data."""
        history = [
            {"step": step, "provider": provider, "score": score, "bid": bid}
            for step, (provider, (score, bid)) in enumerate(zip(self.providers, self.settlements, strict=True), 1)
        ]
        return {
            "config": dict(vars(self.config)),
            "seed": self.seed,
            "history": history,
            "step": self.step,
            "expected": self.expected,
            "found": self.found,
            "deviation": dict(self.deviation),
            "exact": self.exact,
        }


def failure_at(
    interaction: Interaction,
    step: int,
    message: str,
    *,
    expected: Any = None,
    found: Any = None,
    deviation: Mapping[str, Any] | None = None,
    ending: str = "",
) -> Failure:
    """Return a failure at a step of an interaction."""
    scenario, before = interaction.scenario, step - 1
    return Failure(
        f"step {step}: {message}",
        scenario.config,
        scenario.seed,
        interaction.settlements[:before],
        interaction.providers[:before],
        expected,
        found,
        deviation or {},
        ending=ending,
    )

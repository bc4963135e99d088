"""A router with an interface of its own, and the adapter that lets `costproof` check it.

Run it as ``python examples/router_adapter.py``, or
``costproof check examples/router_adapter.py:make_checked_router``. The router knows nothing of this toolkit: models
have names, money is whole ticks, grades go from 0 to 100. Only `CheckedRouter`, at the end, translates.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Assignment:
    """Who serves a query, at which price in ticks."""

    model_name: str
    price: int


@dataclass(frozen=True)
class HouseRules:
    """How the router is set up: money in ticks, grades from 0 to 100.

    Parameters
    ----------
    ceiling : int
        Most that is ever paid for a query (c_max).
    pass_grade : float
        Least mean grade of a model that is good enough (q_min).
    risk : float
        Probability that the margins of error may fail (delta).
    trials, trials_growth : float
        A model is tried until it has served trials * (t / N) ** trials_growth queries (k, alpha).
    caution : float
        By how much margins in prices are wider than those in grades (gamma).
    """

    ceiling: int
    pass_grade: float
    risk: float
    trials: float
    trials_growth: float
    caution: float = 0.0


class ModelRecord:
    """What the router remembers of a model."""

    def __init__(self) -> None:
        self.served, self.grades, self.offer = 0, 0.0, 0
        self.doubt = math.inf  # margin of error of its mean grade, as a share of full marks

    def add(self, grade: float, offer: int, n_models: int, risk: float) -> None:
        """Enter a graded answer, and what the model asks from now on."""
        self.served, self.grades, self.offer = self.served + 1, self.grades + grade, offer
        odds = 2 * math.pi**2 * n_models * self.served**2 / (3 * risk)
        self.doubt = math.sqrt(math.log(odds) / (2 * self.served))

    def may_pass(self, pass_grade: float) -> bool:
        """Whether its true grade could be good enough."""
        return self.grades / self.served + 100 * self.doubt >= pass_grade


class HouseRouter:
    """Sends queries to cheap models that may be good enough, and pays what the next best offer would allow.

    Parameters
    ----------
    models : sequence of str
    rules : HouseRules
    dice : random.Random
    """

    def __init__(self, models: Sequence[str], rules: HouseRules, dice: random.Random) -> None:
        self._records = {name: ModelRecord() for name in models}
        self._rules, self._dice, self._asked = rules, dice, 0

    def route(self, query: str) -> Assignment:
        """Return who serves a query, and at which price."""
        self._asked += 1
        ceiling = self._rules.ceiling
        unknown = [name for name, record in self._records.items() if not record.served]
        if unknown:
            return Assignment(unknown[0], ceiling)
        able = [name for name, record in self._records.items() if record.may_pass(self._rules.pass_grade)]
        if not able:
            return Assignment(self._dice.choice(list(self._records)), ceiling)
        untried = [name for name in able if self._records[name].served < self._goal()]
        if untried:
            return Assignment(self._dice.choice(untried), ceiling)
        return self._auction(able)

    def report(self, model_name: str, grade: float, new_offer: int) -> None:
        """Enter how the answer was graded, and the model's new offer in ticks."""
        self._records[model_name].add(grade, new_offer, len(self._records), self._rules.risk)

    def _goal(self) -> float:
        per_model = self._asked / len(self._records)
        return self._rules.trials * math.pow(per_model, self._rules.trials_growth)

    def _auction(self, able: Sequence[str]) -> Assignment:
        best_case = {name: self._records[name].offer - self._margin(name) for name in able}
        winner = min(able, key=best_case.__getitem__)
        rivals = [best_case[name] for name in able if name != winner]
        price = min(rivals) + self._margin(winner) if rivals else self._rules.ceiling
        return Assignment(winner, min(price, self._rules.ceiling))

    def _margin(self, name: str) -> int:
        return round((1 + self._rules.caution) * self._rules.ceiling * self._records[name].doubt)


CEILING = 10**12  # ticks: a tick is then far below the 1e-9 of c_max to which payments are compared


class CheckedRouter:
    """The adapter: indices for names, c_max for the ceiling, scores for grades, one generator for the dice."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self._names = [f"model-{i}" for i in range(config.n_providers)]
        self._cost_bound, self._last = config.cost_bound, Assignment("", 0)
        rules = HouseRules(
            ceiling=CEILING,
            pass_grade=100 * config.quality_threshold,
            risk=config.confidence,
            trials=config.exploration_scale,
            trials_growth=config.exploration_exponent,
            caution=config.belief_slack,
        )
        self._router = HouseRouter(self._names, rules, random.Random(int(rng.integers(2**63))))

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query, and what the user pays."""
        self._last = self._router.route("a query")
        return self._names.index(self._last.model_name), self._last.price / CEILING * self._cost_bound

    def settle(self, score: float, bid: float) -> None:
        """Hand over the score and the standing bid."""
        self._router.report(self._last.model_name, 100 * score, round(bid / self._cost_bound * CEILING))


def make_checked_router(config: Any, rng: np.random.Generator) -> CheckedRouter:
    """Return the router as `costproof check` plays it."""
    return CheckedRouter(config, rng)


def main() -> int:
    """Check the router, show what was found, and return the exit code."""
    from proofs_checks.cli.views.check import show_conformance
    from proofs_checks.conformance import QUICK
    from proofs_checks.conformance.suite import check_mechanism

    report = check_mechanism(make_checked_router, name=f"{__file__}:make_checked_router", effort=QUICK)
    show_conformance(report)
    return 0 if report.conforms else 1


if __name__ == "__main__":
    sys.exit(main())

"""Ten broken mechanisms in another style than the gallery's, written before the list of the diagnosis was read.

They measure how often the first line of `costproof check` names a defect that nobody had in mind: docs/first-lines.md.
A defect that the diagnosis learns to name because it stands here would measure nothing: write new ones then.
"""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Indices = NDArray[np.intp]


class Desk:
    """A right mechanism over NumPy columns, one entry per provider; those below break one thing of it."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng
        self.served = np.zeros(config.n_providers, dtype=np.int64)
        self.grade = np.zeros(config.n_providers)
        self.offer = np.full(config.n_providers, config.cost_bound)
        self.query, self.at_work = 0, -1

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query, and what the user pays."""
        self.query += 1
        self.at_work, price = self.newcomer() if (self.served == 0).any() else self.choose()
        return self.at_work, price

    def settle(self, score: float, bid: float) -> None:
        """Take the grade and the new offer of the provider at work."""
        self.note(self.at_work, score)
        self.served[self.at_work] += 1
        self.offer[self.at_work] = bid

    def newcomer(self) -> tuple[int, float]:
        """Return the first provider that has not served."""
        return int(np.argmin(self.served > 0)), self.config.cost_bound

    def note(self, i: int, score: float) -> None:
        """Move the mean grade."""
        self.grade[i] += (score - self.grade[i]) / (self.served[i] + 1)

    def doubt(self) -> _Floats:
        """Return the confidence radius of every provider."""
        return self.doubt_among(self.config.n_providers)

    def doubt_among(self, n: int) -> _Floats:
        """Return the radii of a union over `n` providers."""
        inside = 2 * math.pi**2 * n * self.served**2 / (3 * self.config.confidence)
        return np.asarray(np.sqrt(np.log(inside) / (2 * self.served)))

    def able(self) -> _Indices:
        """Return who may be good enough."""
        return np.flatnonzero(self.grade + self.doubt() >= self.config.quality_threshold)

    def wanted(self) -> float:
        """Return how many queries everybody should have served by now."""
        return self.goal_after(self.query)

    def goal_after(self, queries: int) -> float:
        """Return k (t / N)^alpha."""
        share = queries / self.config.n_providers
        return float(self.config.exploration_scale * share**self.config.exploration_exponent)

    def hopes(self) -> _Floats:
        """Return what every provider asks less its margin."""
        return np.asarray(self.offer - self.margins())

    def margins(self) -> _Floats:
        """Return the margins of the offers."""
        return np.asarray((1 + self.config.belief_slack) * self.config.cost_bound * self.doubt())

    def choose(self) -> tuple[int, float]:
        """Return who serves after the start, and its price."""
        able = self.able()
        if not len(able):
            return self.nobody(), self.config.cost_bound
        behind = able[self.served[able] < self.wanted()]
        if len(behind):
            return self.one_of(behind), self.config.cost_bound
        winner = self.cheapest(able)
        return winner, min(self.price(winner, able[able != winner]), self.config.cost_bound)

    def nobody(self) -> int:
        """Return who serves where nobody is able."""
        return int(self.rng.integers(self.config.n_providers))

    def one_of(self, behind: _Indices) -> int:
        """Return one of those that are behind."""
        return int(self.rng.choice(behind))

    def cheapest(self, able: _Indices) -> int:
        """Return who wins."""
        return int(able[np.argmin(self.hopes()[able])])

    def price(self, winner: int, rivals: _Indices) -> float:
        """Return up to which offer the winner would have won."""
        return float(self.margins()[winner] + self.hopes()[rivals].min()) if len(rivals) else math.inf


class RunningMeanSlips(Desk):
    """Moves the running mean by 1/m of the difference instead of 1/(m + 1)."""

    def note(self, i: int, score: float) -> None:
        """Move the mean grade by a step of the count before it is counted up."""
        self.grade[i] += (score - self.grade[i]) / max(self.served[i], 1)


class PricedByTheLowestOffer(Desk):
    """Takes the rival with the lowest bid in P, less its radius, not the rival with the lowest adjusted bid."""

    def price(self, winner: int, rivals: _Indices) -> float:
        """Return the winner's margin and the hope of whoever offers least."""
        if not len(rivals):
            return math.inf
        nearest = rivals[np.argmin(self.offer[rivals])]
        return float(self.margins()[winner] + self.hopes()[nearest])


class FurthestBehindFirst(Desk):
    """Explores the provider with the fewest queries instead of drawing one."""

    def one_of(self, behind: _Indices) -> int:
        """Return the one that is furthest behind; of several, one by lot."""
        fewest = self.served[behind].min()
        return int(self.rng.choice(behind[self.served[behind] == fewest]))


class UnionOverTheAble(Desk):
    """Counts in the cost radius only those who are eligible: their number for N."""

    def margins(self) -> _Floats:
        """Return the margins of a union over the able."""
        wide = (1 + self.config.belief_slack) * self.config.cost_bound
        return np.asarray(wide * self.doubt_among(max(len(self.able()), 1)))


class GoalFromTheStart(Desk):
    """Counts the steps of the goal from the end of initialization: g(t - N)."""

    def wanted(self) -> float:
        """Return the goal after the queries that were decided."""
        return self.goal_after(self.query - self.config.n_providers)


class MedianGrade(Desk):
    """Takes the median of a provider's scores for their mean."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.book: list[list[float]] = [[] for _ in range(config.n_providers)]

    def note(self, i: int, score: float) -> None:
        """Enter a grade and take the middle one."""
        self.book[i].append(score)
        self.grade[i] = statistics.median(self.book[i])


class FadingGrades(Desk):
    """Weighs a new score with at least 1/20: grades fade once a provider has served twenty queries."""

    def note(self, i: int, score: float) -> None:
        """Move the grade by at least a twentieth of the difference."""
        self.grade[i] += (score - self.grade[i]) / min(self.served[i] + 1, 20)


class CostOfSwitching(Desk):
    """Keeps the provider of the last auction unless another is better by 1% of c_max."""

    last = -1

    def cheapest(self, able: _Indices) -> int:
        """Return the last winner, or who is clearly better."""
        best = super().cheapest(able)
        hopes = self.hopes()
        if self.last not in able or hopes[best] < hopes[self.last] - 0.01 * self.config.cost_bound:
            self.last = best
        return self.last


class FourForgotten(Desk):
    """Takes pi^2 N m^2 / (6 delta) inside the logarithm of the radius: a factor 4 is missing."""

    def doubt_among(self, n: int) -> _Floats:
        """Return the radii with the sum of 1/m^2, and nothing else, in front."""
        inside = math.pi**2 / 6 * n * self.served**2 / self.config.confidence
        return np.asarray(np.sqrt(np.log(np.maximum(inside, 1.0)) / (2 * self.served)))


class BestOfTheBad(Desk):
    """Serves the provider with the best estimate where nobody is eligible, instead of drawing one."""

    def nobody(self) -> int:
        """Return who has the best grade."""
        return int(np.argmax(self.grade))


#: Every broken mechanism of this module by its name.
STRANGERS: dict[str, type[Desk]] = {each.__name__: each for each in Desk.__subclasses__()}

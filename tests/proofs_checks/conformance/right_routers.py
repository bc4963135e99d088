"""Right routers, each written from the paper's pseudo-code in an arithmetic of its own, without the product."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np


class FractionRouter:
    """Sums, bands and payments are exact fractions of the floats that the paper's formulas give."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.rng, self.queries = config, rng, 0
        self.scores: list[list[Fraction]] = [[] for _ in range(config.n_providers)]
        self.bids = [Fraction(0)] * config.n_providers

    def radius(self, provider: int) -> Fraction:
        count, n = len(self.scores[provider]), self.config.n_providers
        inside = 2 * math.pi**2 * n * count**2 / (3 * self.config.confidence)
        return Fraction(math.sqrt(math.log(inside) / (2 * count)))

    def cost_radius(self, provider: int) -> Fraction:
        slack = 1 + Fraction(self.config.belief_slack)
        return slack * Fraction(self.config.cost_bound) * self.radius(provider)

    def assign(self) -> tuple[int, float]:
        self.serving, payment = self.decide()
        return self.serving, float(payment)

    def decide(self) -> tuple[int, Fraction]:
        config, most = self.config, Fraction(self.config.cost_bound)
        everybody = range(config.n_providers)
        if self.queries < config.n_providers:
            return self.queries, most
        threshold = Fraction(config.quality_threshold)
        eligible = [i for i in everybody if sum(self.scores[i]) / len(self.scores[i]) + self.radius(i) >= threshold]
        if not eligible:
            return int(self.rng.integers(config.n_providers)), most
        per_provider = (self.queries + 1) / config.n_providers
        goal = config.exploration_scale * per_provider**config.exploration_exponent
        if explored := [i for i in eligible if len(self.scores[i]) < goal]:
            return explored[int(self.rng.integers(len(explored)))], most
        adjusted = sorted((self.bids[i] - self.cost_radius(i), i) for i in eligible)
        winner = adjusted[0][1]
        if len(adjusted) == 1:
            return winner, most
        return winner, min(most, adjusted[1][0] + self.cost_radius(winner))

    def settle(self, score: float, bid: float) -> None:
        self.queries += 1
        self.scores[self.serving].append(Fraction(score))
        self.bids[self.serving] = Fraction(bid)


class ArrayRouter:
    """Arrays of running sums; all providers at once."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng
        self.served, self.total, self.bid = (np.zeros(config.n_providers) for _ in range(3))
        self.last = 0

    def assign(self) -> tuple[int, float]:
        config, step = self.config, int(self.served.sum()) + 1
        if not self.served.all():
            self.last = int(self.served.argmin())
            return self.last, config.cost_bound
        squared = np.log(2 * np.pi**2 * config.n_providers * self.served**2 / (3 * config.confidence))
        beta = np.sqrt(squared / (2 * self.served))
        eligible = self.total / self.served + beta >= config.quality_threshold
        if not eligible.any():
            self.last = int(self.rng.choice(config.n_providers))
            return self.last, config.cost_bound
        goal = config.exploration_scale * np.power(step / config.n_providers, config.exploration_exponent)
        explored = np.flatnonzero(eligible & (self.served < goal))
        if explored.size:
            self.last = int(self.rng.choice(explored))
            return self.last, config.cost_bound
        widths = (1 + config.belief_slack) * config.cost_bound * beta
        adjusted = np.where(eligible, self.bid - widths, np.inf)
        self.last = int(adjusted.argmin())
        rivals = np.delete(adjusted, self.last)
        critical = widths[self.last] + rivals.min(initial=np.inf)
        return self.last, float(min(critical, config.cost_bound))

    def settle(self, score: float, bid: float) -> None:
        self.served[self.last] += 1
        self.total[self.last] += score
        self.bid[self.last] = bid


class DecimalRouter:
    """Decimals of 40 digits, Welford's running mean, and ties to the last provider."""

    DIGITS = 40
    PI = Decimal("3.14159265358979323846264338327950288419717")

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng
        self.books = [{"count": 0, "mean": Decimal(0), "bid": Decimal(0)} for _ in range(config.n_providers)]
        self.now = -1

    def assign(self) -> tuple[int, float]:
        with localcontext() as context:
            context.prec = self.DIGITS
            self.now, payment = self._decided()
            return self.now, float(payment)

    def settle(self, score: float, bid: float) -> None:
        book = self.books[self.now]
        with localcontext() as context:
            context.prec = self.DIGITS
            book["count"] += 1
            book["mean"] += (Decimal(score) - book["mean"]) / book["count"]
        book["bid"] = Decimal(bid)

    def _decided(self) -> tuple[int, Decimal]:
        config, books, n = self.config, self.books, self.config.n_providers
        most = Decimal(config.cost_bound)
        unserved = [i for i in range(n) if books[i]["count"] == 0]
        if unserved:
            return unserved[0], most
        beta = [self._beta(book["count"]) for book in books]
        eligible = [i for i in range(n) if books[i]["mean"] + beta[i] >= Decimal(config.quality_threshold)]
        if not eligible:
            return int(self.rng.permutation(n)[0]), most
        goal = Decimal(config.exploration_scale) * self._share() ** Decimal(config.exploration_exponent)
        short = [i for i in eligible if books[i]["count"] < goal]
        if short:
            return int(self.rng.permutation(short)[0]), most
        width = [(1 + Decimal(config.belief_slack)) * most * each for each in beta]
        index = {i: books[i]["bid"] - width[i] for i in eligible}
        least = min(index.values())
        winner = max(i for i in eligible if index[i] == least)
        rivals = [value for i, value in index.items() if i != winner]
        return winner, min([most, *(value + width[winner] for value in [min(rivals)] if rivals)]) if rivals else most

    def _share(self) -> Decimal:
        """t / N."""
        return Decimal(sum(book["count"] for book in self.books) + 1) / self.config.n_providers

    def _beta(self, count: int) -> Decimal:
        inside = 2 * self.PI**2 * self.config.n_providers * count**2 / (3 * Decimal(self.config.confidence))
        return (inside.ln() / (2 * count)).sqrt()


class SortedRouter:
    """Generators and sorted lists; ties to the provider served least, payments as a lead over the winner's bid."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.draw = config, rng
        self.log: list[tuple[int, float, float]] = []
        self.pending = 0

    def assign(self) -> tuple[int, float]:
        c, served = self.config, [0] * self.config.n_providers
        scores: list[list[float]] = [[] for _ in served]
        bids = [math.nan] * len(served)
        for provider, score, bid in self.log:
            served[provider] += 1
            scores[provider].append(score)
            bids[provider] = bid
        if len(self.log) < len(served):
            self.pending = len(self.log)
            return self.pending, float(c.cost_bound)
        log_of = math.log(2) + 2 * math.log(math.pi) + math.log(len(served)) - math.log(3) - math.log(c.confidence)
        beta = [((log_of + 2 * math.log(m)) / (m + m)) ** 0.5 for m in served]
        able = [i for i in range(len(served)) if math.fsum(scores[i]) / served[i] >= c.quality_threshold - beta[i]]
        wanted = c.exploration_scale * math.exp(
            c.exploration_exponent * (math.log(len(self.log) + 1) - math.log(len(served)))
        )
        drawn = [i for i in able if served[i] < wanted] if able else list(range(len(served)))
        if drawn:
            self.pending = drawn[math.floor(self.draw.random() * len(drawn))]
            return self.pending, float(c.cost_bound)
        radius = [c.cost_bound * each + c.cost_bound * each * c.belief_slack for each in beta]
        ranked = sorted((bids[i] - radius[i], served[i], -i) for i in able)
        self.pending = -ranked[0][2]
        if len(ranked) == 1:
            return self.pending, float(c.cost_bound)
        lead = ranked[1][0] - ranked[0][0]
        return self.pending, min(float(c.cost_bound), bids[self.pending] + lead)

    def settle(self, score: float, bid: float) -> None:
        self.log.append((self.pending, score, bid))


class ScaledRouter:
    """Money in units of the cost bound, squared bands in place of roots, and ties to the last provider."""

    def __init__(self, config: Any, rng: np.random.Generator) -> None:
        self.config, self.rng = config, rng
        self.times, self.sums, self.offers, self.chosen = {}, {}, {}, 0

    def assign(self) -> tuple[int, float]:
        self.chosen, share = self._choice()
        return self.chosen, share * self.config.cost_bound

    def _squared(self, provider: int) -> float:
        times, c = self.times[provider], self.config
        return math.log(math.pi**2 / 1.5 * c.n_providers / c.confidence * times * times) / (2 * times)

    def _is_eligible(self, provider: int) -> bool:
        short = self.config.quality_threshold - self.sums[provider] / self.times[provider]
        return short <= 0 or short * short <= self._squared(provider)

    def _choice(self) -> tuple[int, float]:
        c, everybody = self.config, range(self.config.n_providers)
        if first := next((i + 1 for i in everybody if i not in self.times), 0):
            return first - 1, 1.0
        eligible = list(filter(self._is_eligible, everybody))
        if not eligible:
            return int(self.rng.choice(everybody)), 1.0
        ratio = (sum(self.times.values()) + 1) / c.n_providers
        behind = [i for i in eligible if self.times[i] / c.exploration_scale < ratio**c.exploration_exponent]
        if behind:
            return behind[int(self.rng.integers(0, len(behind)))], 1.0
        width = {i: (1 + c.belief_slack) * math.sqrt(self._squared(i)) for i in eligible}
        keys = {i: self.offers[i] - width[i] for i in eligible}
        winner = min(reversed(eligible), key=keys.__getitem__)
        return winner, min([1.0, *(keys[i] + width[winner] for i in sorted(eligible, key=keys.get) if i != winner)][:2])

    def settle(self, score: float, bid: float) -> None:
        i = self.chosen
        self.times[i] = self.times.get(i, 0) + 1
        self.sums[i] = self.sums.get(i, 0.0) + score
        self.offers[i] = bid / self.config.cost_bound


RIGHT_ROUTERS = (FractionRouter, ArrayRouter, DecimalRouter, SortedRouter, ScaledRouter)

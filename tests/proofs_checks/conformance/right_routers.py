"""Right routers in another arithmetic; one is written from the paper's pseudo-code without the product."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from proofs_checks.conformance.mutants.gallery import CORRECT


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


RIGHT_ROUTERS = (DecimalRouter, CORRECT["Arrays"])

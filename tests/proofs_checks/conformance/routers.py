"""Routers and posted-price mechanisms, right and wrong: each says what it is and which check must catch it."""

from collections import deque
from typing import Any, ClassVar

import numpy as np

from mechanism.config import MechanismConfig


class Cascade:
    """Asks the cheapest provider whose mean score reaches the threshold, else the best one; and some at random."""

    kind = "router"
    epsilon = 0.1

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.rng, self.n = config, rng, config.n_providers
        self.counts, self.sums, self.bids = np.zeros(self.n), np.zeros(self.n), np.zeros(self.n)
        self.step, self.provider = 0, -1

    def assign(self) -> tuple[int, float]:
        self.step += 1
        self.provider = self.step - 1 if self.step <= self.n else self.choose()
        return self.provider, self.price(self.provider)

    def choose(self) -> int:
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(self.n))
        means = self.sums / np.maximum(self.counts, 1)
        enough = np.flatnonzero(means >= self.config.quality_threshold)
        return int(min(enough, key=lambda i: (self.bids[i], i))) if enough.size else int(np.argmax(means))

    def price(self, provider: int) -> float:
        return 0.0

    def settle(self, score: float, bid: float) -> None:
        self.learn(self.provider, score)
        self.bids[self.provider] = bid

    def learn(self, provider: int, score: float) -> None:
        self.counts[provider] += 1
        self.sums[provider] += score


class UpperBounds(Cascade):
    """Asks the provider with the highest upper confidence bound; pays c_max."""

    def choose(self) -> int:
        return int(np.argmax(self.sums / self.counts + np.sqrt(np.log(self.step) / self.counts)))

    def price(self, provider: int) -> float:
        return self.config.cost_bound


class ThompsonTickets(Cascade):
    """Draws from beta posteriors; takes feedback by the number of its query."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.waiting: dict[int, int] = {}

    def assign(self) -> tuple[int, float]:
        answer = super().assign()
        self.waiting[self.step] = answer[0]
        return answer

    def choose(self) -> int:
        return int(np.argmax(self.rng.beta(1 + self.sums, 1 + self.counts - self.sums)))

    def settle(self, score: float, bid: float, query: int) -> None:  # type: ignore[override]
        self.learn(self.waiting.pop(query), score)


class StaysWithTheFirst(Cascade):
    """Explores nothing: what looks best after the first queries serves as long as it looks so."""

    caught_by = "continued-exploration"
    epsilon = 0.0


class NeverComesBack(Cascade):
    """Leaves a provider for good once its mean score is below the threshold."""

    caught_by = "continued-exploration"

    def choose(self) -> int:
        means = self.sums / np.maximum(self.counts, 1)
        return next((i for i in range(self.n) if means[i] >= self.config.quality_threshold), self.n - 1)


class CreditsTheNext(Cascade):
    """Credits scores to the provider after the one that served."""

    caught_by = "best-provider"

    def learn(self, provider: int, score: float) -> None:
        super().learn((provider + 1) % self.n, score)


class TakesTheWorst(Cascade):
    """Takes scores for losses."""

    caught_by = "best-provider"

    def learn(self, provider: int, score: float) -> None:
        super().learn(provider, 1.0 - score)


class GivesUp(UpperBounds):
    """Leaves a provider for good after three failures in a row, and takes provider 0 if none is left."""

    caught_by = "best-provider"

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.failures, self.out = np.zeros(self.n), np.zeros(self.n, dtype=bool)

    def choose(self) -> int:
        hoped = self.sums / self.counts + np.sqrt(np.log(self.step) / self.counts)
        return 0 if self.out.all() else int(np.argmax(np.where(self.out, -np.inf, hoped)))

    def learn(self, provider: int, score: float) -> None:
        super().learn(provider, score)
        self.failures[provider] = 0 if score else self.failures[provider] + 1
        self.out[provider] |= self.failures[provider] >= 3


class CheapestFirst(Cascade):
    """Asks the cheapest provider, whatever it scores."""

    caught_by = "quality-threshold"

    def choose(self) -> int:
        return int(self.rng.integers(self.n)) if self.rng.random() < self.epsilon else int(np.argmin(self.bids))


class RoundRobin(Cascade):
    """Asks one provider after another."""

    caught_by = "quality-threshold"

    def choose(self) -> int:
        return self.step % self.n


class SharesCounts(Cascade):
    """Keeps means in the class: instances learn from each other."""

    caught_by = "independent-instances"
    shared: ClassVar[dict[int, Any]] = {}

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.counts, self.sums = self.shared.setdefault(self.n, (self.counts, self.sums))


class WaitsForTheEarlier(ThompsonTickets):
    """Holds feedback back until that of every earlier query has come: what is lost blocks the rest."""

    caught_by = "feedback-recovery"

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.heard: dict[int, float] = {}
        self.next = 1

    def choose(self) -> int:
        return Cascade.choose(self)

    def settle(self, score: float, bid: float, query: int) -> None:  # type: ignore[override]
        self.heard[query] = score
        while self.next in self.heard:
            self.learn(self.waiting.pop(self.next), self.heard.pop(self.next))
            self.next += 1


class CreditsInOrder(ThompsonTickets):
    """Credits feedback to whoever has waited longest, though it names another query."""

    caught_by = "feedback-recovery"

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.line: deque[int] = deque()

    def assign(self) -> tuple[int, float]:
        answer = super().assign()
        self.line.append(answer[0])
        return answer

    def settle(self, score: float, bid: float, query: int) -> None:  # type: ignore[override]
        self.learn(self.line.popleft(), score)


class PriceList:
    """Has a price for every provider, the last one's c_max; asks the cheapest that accepts: its bid is not above."""

    kind = "posted-price"

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        self.config, self.step, self.provider = config, 0, -1
        self.bids = [config.cost_bound] * config.n_providers

    def assign(self) -> tuple[int, float]:
        self.step += 1
        initial = self.step <= self.config.n_providers
        self.provider = self.step - 1 if initial else next(i for i in range(self.config.n_providers) if self.accepts(i))
        return self.provider, self.config.cost_bound if initial else self.price(self.provider)

    def listed(self, provider: int) -> float:
        return self.config.cost_bound * (provider + 1) / self.config.n_providers

    def price(self, provider: int) -> float:
        return self.listed(provider)

    def accepts(self, provider: int) -> bool:
        return self.bids[provider] <= self.listed(provider)

    def settle(self, score: float, bid: float) -> None:
        self.bids[self.provider] = bid


class AsksNobody(PriceList):
    """Asks the cheapest provider, whether it accepts its price or not."""

    caught_by = "no-loss"

    def accepts(self, provider: int) -> bool:
        return True


class PaysTheBid(PriceList):
    """Pays a provider that would do it for less what it asks for."""

    kind = "auction"
    caught_by = "own-bid-independence"

    def price(self, provider: int) -> float:
        return min(self.bids[provider], self.listed(provider))


class FollowsTheMarket(PriceList):
    """Lowers a price to the highest bid of the others."""

    kind = "auction"
    caught_by = "bid-independence"

    def price(self, provider: int) -> float:
        return min(self.listed(provider), max(bid for i, bid in enumerate(self.bids) if i != provider))


class AddsAFee(PriceList):
    """Adds a fee of a tenth, which the bound on payments does not allow for."""

    caught_by = "payment-range"

    def price(self, provider: int) -> float:
        return 1.1 * self.listed(provider)


RIGHT = (Cascade, UpperBounds, ThompsonTickets, PriceList)
WRONG = tuple(each for each in vars().copy().values() if isinstance(each, type) and "caught_by" in vars(each))

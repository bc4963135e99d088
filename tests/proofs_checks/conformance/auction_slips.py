"""One correct procurement auction (Auction) and ten variants, each with exactly one realistic defect.

Every class is its own factory: Class(config, rng) -> object with assign() and settle(score, bid).
"""

import math

import numpy as np


class Auction:
    """Correct reference: the platform algorithm of the paper."""

    def __init__(self, config, rng):
        self.n = int(config.n_providers)
        self.q_min = float(config.quality_threshold)
        self.delta = float(config.confidence)
        self.c_max = float(config.cost_bound)
        self.k = float(config.exploration_scale)
        self.alpha = float(config.exploration_exponent)
        self.gamma = float(config.belief_slack)
        self.rng = rng
        self.t = 0  # step in progress, counted from 1
        self.counts = [0] * self.n
        self.quality = [0.0] * self.n
        self.bids = [self.c_max] * self.n
        self.served = None  # provider of the step in progress
        self.explored = False  # whether the step in progress is an exploration step

    # estimates
    def beta(self, i):
        m = self.counts[i]
        return math.sqrt(math.log(2 * math.pi**2 * self.n * m**2 / (3 * self.delta)) / (2 * m))

    def cost_radius(self, i):
        return (1 + self.gamma) * self.c_max * self.beta(i)

    def adjusted_bid(self, i):
        return self.bids[i] - self.cost_radius(i)

    def update_quality(self, i, score):
        self.quality[i] = (self.counts[i] * self.quality[i] + score) / (self.counts[i] + 1)
        self.counts[i] += 1

    # sets
    def is_eligible(self, i):
        return self.quality[i] + self.beta(i) >= self.q_min

    def eligible_set(self):
        return [i for i in range(self.n) if self.is_eligible(i)]

    def target(self):
        return self.k * (self.t / self.n) ** self.alpha

    def explore(self, under):
        return under[int(self.rng.integers(len(under)))]

    # auction
    def winner(self, eligible):
        return eligible[int(np.argmin([self.adjusted_bid(i) for i in eligible]))]

    def runner_up(self, eligible, winner):
        return min(self.adjusted_bid(j) for j in eligible if j != winner)

    def auction(self, eligible):
        if len(eligible) == 1:
            return eligible[0], self.c_max
        i = self.winner(eligible)
        critical = self.cost_radius(i) + self.runner_up(eligible, i)
        return i, min(critical, self.c_max)

    # protocol
    def choose(self):
        self.explored = False
        if self.t <= self.n:
            return self.t - 1, self.c_max
        eligible = self.eligible_set()
        if not eligible:
            return int(self.rng.integers(self.n)), self.c_max
        goal = self.target()
        under = [i for i in eligible if self.counts[i] < goal]
        if under:
            self.explored = True
            return self.explore(under), self.c_max
        return self.auction(eligible)

    def assign(self):
        self.t += 1
        provider, payment = self.choose()
        self.served = int(provider)
        return self.served, float(payment)

    def store_bid(self, i, bid):
        self.bids[i] = float(bid)

    def settle(self, score, bid):
        self.update_quality(self.served, float(score))
        self.store_bid(self.served, bid)


class DividesByOldCount(Auction):
    """The running mean is updated with the count before the new score (mean += (score - mean)/m instead of /(m+1))."""

    def update_quality(self, i, score):
        self.quality[i] += (score - self.quality[i]) / max(self.counts[i], 1)
        self.counts[i] += 1


class SlidingWindowMean(Auction):
    """The quality estimate averages only the provider's last 40 scores, while the radius uses the full count."""

    WINDOW = 40

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.recent = [[] for _ in range(self.n)]

    def update_quality(self, i, score):
        self.recent[i] = (self.recent[i] + [score])[-self.WINDOW :]
        self.quality[i] = sum(self.recent[i]) / len(self.recent[i])
        self.counts[i] += 1


class StaleRadiusAfterExploration(Auction):
    """The cached confidence radius is not refreshed after an exploration step, only after the other steps."""

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.beta_cache = [None] * self.n

    def beta(self, i):
        return self.beta_cache[i]

    def settle(self, score, bid):
        super().settle(score, bid)
        if not self.explored:
            self.beta_cache[self.served] = Auction.beta(self, self.served)


class EligibilityOnCostRadius(Auction):
    """Eligibility adds the cost radius (1+gamma)*c_max*beta to the quality estimate instead of plain beta."""

    def is_eligible(self, i):
        return self.quality[i] + self.cost_radius(i) >= self.q_min


class LatchedElimination(Auction):
    """A provider once found ineligible is struck off for good, even if its estimate recovers (after the set was
    empty).
    """

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.active = list(range(self.n))

    def eligible_set(self):
        self.active = [i for i in self.active if self.is_eligible(i)]
        return self.active


class ExploresLeastSampled(Auction):
    """Exploration takes the least-sampled eligible provider instead of drawing uniformly from the under-sampled
    ones.
    """

    def explore(self, under):
        return min(under, key=lambda i: self.counts[i])


class PositionForIndex(Auction):
    """The auction returns the winner's position in the filtered eligible list as if it were the provider's index."""

    def auction(self, eligible):
        if len(eligible) == 1:
            return eligible[0], self.c_max
        adjusted = np.array([self.adjusted_bid(i) for i in eligible])
        best = int(np.argmin(adjusted))
        critical = self.cost_radius(eligible[best]) + np.delete(adjusted, best).min()
        return best, min(critical, self.c_max)


class StrictRunnerUp(Auction):
    """The runner-up must have an adjusted bid strictly above the winner's, so a rival tied with the winner is
    skipped.
    """

    def runner_up(self, eligible, winner):
        best = self.adjusted_bid(winner)
        return min((a for a in map(self.adjusted_bid, eligible) if a > best), default=math.inf)


class ClampedRunnerUp(Auction):
    """In the payment the runner-up's adjusted bid is clamped at zero, so a negative one is taken as 0 (overpays)."""

    def runner_up(self, eligible, winner):
        return max(0.0, super().runner_up(eligible, winner))


class ZeroBidIgnored(Auction):
    """A bid of exactly 0 is taken for 'no new bid' (truth test on the number), so the old standing bid stays."""

    def store_bid(self, i, bid):
        if bid:
            self.bids[i] = float(bid)

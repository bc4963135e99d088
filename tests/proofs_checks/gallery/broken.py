"""Platforms that break one rule each."""

from __future__ import annotations

import math

from gallery.plain import Plain

from mechanism.tables import radius_table

# Payments.


class OnePercentHigh(Plain):
    def price(self, winner, able):
        return 1.01 * super().price(winner, able)


class OnePercentLow(Plain):
    def price(self, winner, able):
        return 0.99 * super().price(winner, able)


class FirstPrice(Plain):
    """Pays the winner its own bid."""

    def price(self, winner, able):
        return self.bids[winner]


class NoCap(Plain):
    def price(self, winner, able):
        critical = self.critical(winner, able)
        return critical if math.isfinite(critical) else self.c.cost_bound


class RivalsAreAll(Plain):
    """Takes the second price over all providers instead of the eligible ones."""

    def critical(self, winner, able):
        return super().critical(winner, list(range(self.n)))


class DearestRival(Plain):
    """Takes the largest adjusted bid of a rival instead of the smallest."""

    def critical(self, winner, able):
        return self.width(winner) + max((self.index(j) for j in able if j != winner), default=math.inf)


class PlainSecondPrice(Plain):
    """Pays the second bid, without radii."""

    def critical(self, winner, able):
        return min((self.bids[j] for j in able if j != winner), default=math.inf)


class OwnIndexAmongRivals(Plain):
    """Lets the winner's own adjusted bid set its price: it is paid its bid in disguise."""

    def critical(self, winner, able):
        return self.width(winner) + min(self.index(j) for j in able)


class LoneProviderPaidItsBid(Plain):
    def price(self, winner, able):
        return self.bids[winner] if able == [winner] else super().price(winner, able)


class InitializationPaysLess(Plain):
    def initial_price(self):
        return 0.9 * self.c.cost_bound


class InitializationSkips(Plain):
    """Serves the first provider twice and the last never."""

    def initial(self):
        return (self.t - 1) % (self.n - 1)


class ExplorationPaysThePrice(Plain):
    def exploration_price(self, winner, able):
        return self.price(winner, able)


class EmptyPaysNothing(Plain):
    def empty_price(self):
        return 0.0


class RoundedPayments(Plain):
    def price(self, winner, able):
        return round(super().price(winner, able), 2)


class Fee(Plain):
    """Keeps a fee of a whole cost bound."""

    def price(self, winner, able):
        return super().price(winner, able) - self.c.cost_bound


# Radii.


class RadiusWithoutTheTwo(Plain):
    def beta(self, m):
        return math.sqrt(2) * super().beta(m)


class LogarithmOfM(Plain):
    """ln(C m) instead of ln(C m^2)."""

    def beta(self, m):
        return math.sqrt(math.log(2 * math.pi**2 * self.n * m / (3 * self.c.confidence)) / (2 * m))


class OneProviderMore(Plain):
    """N + 1 instead of N in the radius."""

    def beta(self, m):
        return math.sqrt(math.log(2 * math.pi**2 * (self.n + 1) * m**2 / (3 * self.c.confidence)) / (2 * m))


class CountsOneMore(Plain):
    """Takes the radius at m + 1."""

    def beta(self, m):
        return super().beta(m + 1)


class SlackInAllocationOnly(Plain):
    def critical(self, winner, able):
        bound = self.c.cost_bound
        rivals = (self.bids[j] - bound * self.beta(self.count(j)) for j in able if j != winner)
        return bound * self.beta(self.count(winner)) + min(rivals, default=math.inf)


class SlackInPaymentOnly(Plain):
    def winner(self, able):
        return min(able, key=lambda i: self.bids[i] - self.c.cost_bound * self.beta(self.count(i)))


# Exploration.


class ExploresAtTheGoal(Plain):
    """m <= g(t) instead of m < g(t)."""

    def is_poor(self, i):
        return self.count(i) <= self.goal()


class NeverExplores(Plain):
    def is_poor(self, i):
        return False


class ExploresTheExcluded(Plain):
    def poor(self, able):
        return [i for i in range(self.n) if self.is_poor(i)]


class ExploresTheFirst(Plain):
    """No uniform draw: the first of the under-sampled."""

    def draw(self, among):
        return among[0]


class GoalWithoutN(Plain):
    """g(t) = k t^alpha."""

    def goal(self):
        return self.c.exploration_scale * self.t**self.c.exploration_exponent


# Eligibility and allocation.


class NobodyIsExcluded(Plain):
    def is_able(self, i):
        return True


class StrictlyAbove(Plain):
    """qhat + beta > q_min instead of >=, with the radius of the tables to the last bit."""

    def beta(self, m):
        return radius_table(self.n, self.c.confidence)[m]

    def is_able(self, i):
        return self.estimate(i) + self.beta(self.count(i)) > self.c.quality_threshold


class WithoutOptimism(Plain):
    """Judges quality by the estimate alone."""

    def is_able(self, i):
        return self.estimate(i) >= self.c.quality_threshold


class LargestIndexWins(Plain):
    def winner(self, able):
        return max(able, key=self.index)


class LowestBidWins(Plain):
    """No radius in the index."""

    def winner(self, able):
        return min(able, key=lambda i: self.bids[i])


class RoundRobin(Plain):
    def winner(self, able):
        return able[self.t % len(able)]


class StaleQuality(Plain):
    """Never updates a quality estimate after the first score."""

    def estimate(self, i):
        return self.scores[i][0] if self.scores[i] else math.nan


class FirstBidStands(Plain):
    """Ignores every bid but the first."""

    def settle(self, score, bid):
        first = self.bids[self.serving]
        super().settle(score, bid if math.isnan(first) else first)


class LosersBidMoves(Plain):
    """Raises the standing bid of somebody who did not serve."""

    def settle(self, score, bid):
        super().settle(score, bid)
        other = (self.serving + 1) % self.n
        self.bids[other] = min(self.bids[other] + 0.05 * self.c.cost_bound, self.c.cost_bound)


class ShunsTheCheapest(Plain):
    """Never lets the cheapest provider, the first, win against another."""

    def winner(self, able):
        return min((i for i in able if i > 0), key=self.index, default=0)


class AlwaysSecond(Plain):
    """After initialization provider 1 serves everything at c_max."""

    def decide(self):
        return (1, self.c.cost_bound) if self.t > self.n else super().decide()


class AlwaysLast(Plain):
    """After initialization the last provider serves everything at c_max."""

    def decide(self):
        return (self.n - 1, self.c.cost_bound) if self.t > self.n else super().decide()

"""Ten auction routers with one defect each, on top of one correct base (numpy and math only)."""

import math

import numpy as np


class Router:
    """Correct implementation."""

    def __init__(self, config, rng):
        self.cfg = config
        self.rng = rng
        n = int(config.n_providers)
        self.n = n
        self.count = np.zeros(n, dtype=np.int64)
        self.quality = np.zeros(n)
        self.bids = np.full(n, float(config.cost_bound))
        self.boot_order = rng.permutation(n)
        self.step = 0
        self.mode = None
        self.current = -1

    # ---- statistics -------------------------------------------------
    def _union_size(self):
        return self.n

    def _radius(self):
        m = self.count.astype(float)
        arg = 2.0 * math.pi**2 * self._union_size() * m * m / (3.0 * self.cfg.confidence)
        return np.sqrt(np.log(arg) / (2.0 * m))

    def _eligible_mask(self, beta):
        return self.quality + beta >= self.cfg.quality_threshold

    def _update_quality(self, i, score):
        m = self.count[i]
        self.quality[i] = (m * self.quality[i] + score) / (m + 1)

    # ---- exploration ------------------------------------------------
    def _target(self):
        return self.cfg.exploration_scale * (self.step / self.n) ** self.cfg.exploration_exponent

    def _sample_counts(self):
        return self.count

    # ---- auction ----------------------------------------------------
    def _pick(self, ids, index):
        return int(ids[np.argmin(index[ids])])

    def _rival_index(self, winner, ids, index):
        rivals = ids[ids != winner]
        return float(index[rivals].min())

    def _price(self, winner, ids, index, cost_radius):
        if ids.size == 1:
            return float(self.cfg.cost_bound)
        p = float(cost_radius[winner]) + self._rival_index(winner, ids, index)
        return min(p, float(self.cfg.cost_bound))

    def _when_none_eligible(self):
        return None  # None: uniform draw over everyone, at the cost bound

    # ---- protocol ---------------------------------------------------
    def assign(self):
        self.step += 1
        c_max = float(self.cfg.cost_bound)
        if self.step <= self.n:
            self.mode = "boot"
            self.current = int(self.boot_order[self.step - 1])
            return self.current, c_max
        beta = self._radius()
        ids = np.flatnonzero(self._eligible_mask(beta))
        if ids.size == 0:
            ids = self._when_none_eligible()
            if ids is None:
                self.mode = "fallback"
                self.current = int(self.rng.integers(self.n))
                return self.current, c_max
        pool = ids[self._sample_counts()[ids] < self._target()]
        if pool.size:
            self.mode = "explore"
            self.current = int(pool[self.rng.integers(pool.size)])
            return self.current, c_max
        self.mode = "auction"
        cost_radius = (1.0 + self.cfg.belief_slack) * c_max * beta
        index = self.bids - cost_radius
        self.current = self._pick(ids, index)
        return self.current, self._price(self.current, ids, index, cost_radius)

    def _store_bid(self, i, bid):
        self.bids[i] = bid

    def settle(self, score, bid):
        i = self.current
        self._update_quality(i, float(score))
        self.count[i] += 1
        self._store_bid(i, float(bid))


class QualityStepFloor(Router):
    """The running mean's step size is floored at 0.1 ("to follow drift"), so after ten services the quality estimate
    is an exponential average, not the mean.
    """

    def _update_quality(self, i, score):
        rate = max(1.0 / (self.count[i] + 1), 0.1)
        self.quality[i] += rate * (score - self.quality[i])
        if self.count[i] == 0:
            self.quality[i] = score


class ActiveUnionBound(Router):
    """The radius uses the number of providers eligible on the previous step in place of N in its logarithm."""

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.active = self.n

    def _union_size(self):
        return max(1, self.active)

    def _eligible_mask(self, beta):
        mask = super()._eligible_mask(beta)
        self.active = int(mask.sum())
        return mask


class StaleEligibility(Router):
    """The eligible set is cached and recomputed only once every N steps, so an expelled provider goes on being
    served until the next refresh.
    """

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.cached_mask = None

    def _eligible_mask(self, beta):
        if self.cached_mask is None or self.step % self.n == 1:
            self.cached_mask = super()._eligible_mask(beta)
        return self.cached_mask


class FailOpenWhenNoneEligible(Router):
    """When nobody is eligible everybody is treated as eligible and the usual exploration and auction are run, in
    place of a uniform draw at the cost bound.
    """

    def _when_none_eligible(self):
        return np.arange(self.n)


class ExplorationOnlyCounter(Router):
    """The exploration target is compared with a counter of initialization and exploration services only; auction
    wins are not counted.
    """

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.probes = np.zeros(self.n, dtype=np.int64)

    def _sample_counts(self):
        return self.probes

    def settle(self, score, bid):
        if self.mode in ("boot", "explore"):
            self.probes[self.current] += 1
        super().settle(score, bid)


class StickyWinner(Router):
    """The last auction winner keeps the query unless a rival's adjusted bid is lower by more than 2% of the cost
    bound ("to avoid flapping").
    """

    def __init__(self, config, rng):
        super().__init__(config, rng)
        self.incumbent = -1

    def _pick(self, ids, index):
        best = super()._pick(ids, index)
        slack = 0.02 * self.cfg.cost_bound
        if self.incumbent in ids and index[self.incumbent] <= index[best] + slack:
            return self.incumbent
        self.incumbent = best
        return best


class RunnerUpByRawBid(Router):
    """The price-setting rival is the one with the lowest raw standing bid, not the one with the lowest adjusted bid."""

    def _rival_index(self, winner, ids, index):
        ranked = ids[np.argsort(self.bids[ids], kind="stable")]
        runner_up = next(j for j in ranked if j != winner)
        return float(index[runner_up])


class CompactIndexExclusion(Router):
    """The winner is left out of the rivals by its provider number in an array that holds eligible providers only, so
    once a lower-numbered provider is expelled the wrong entry (or none) is left out.
    """

    def _rival_index(self, winner, ids, index):
        compact = index[ids]
        keep = np.arange(compact.size) != winner
        return float(compact[keep].min())


class BootBidSlotMixup(Router):
    """The initialization bids are written at the step's position in the (shuffled) serving order, not at the
    provider served, so first bids belong to the wrong providers.
    """

    def _store_bid(self, i, bid):
        slot = self.step - 1 if self.mode == "boot" else i
        self.bids[slot] = bid


class ExplorationBidDropped(Router):
    """A bid handed in after an exploration step is thrown away; only initialization and auction steps update the
    standing bid.
    """

    def _store_bid(self, i, bid):
        if self.mode != "explore":
            self.bids[i] = bid

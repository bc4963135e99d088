"""Providers' bidding strategies: what a provider that served leaves behind as its standing bid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Annotated, Literal, NamedTuple, Protocol, get_args

import numpy as np

from bounds.documents import limits
from bounds.errors import InputError
from bounds.formulas.belief import shrinkage_belief_slack
from bounds.setting.model import Setting
from mechanism.randomness import draw_key, squares64, unit_uniform

#: How providers bid, as `prepare_bidders` reads it.
Bidders = Annotated[str, limits(pattern="^(truthful|bayesian|deviating|independent|(bayesian|fixed|biased):.+)$")]
Deviation = Literal["random", "under", "over", "extremes"]


class Bidder(Protocol):
    """A provider's strategy; it sees the costs and scores of the queries it served, nothing else."""

    def observe(self, cost: float, score: float) -> float:
        """Take the cost and score of a query just served and return the standing bid from now on."""


class Strategy(NamedTuple):
    """A bidder's strategy as numbers, for the compiled episode.

    The base bid is the smaller of (prior_sum + costs)/(prior_weight + count) and `bound`, or `fixed` if that is a
    number. A deviation in [low, high] by a pattern of `DeviatingBidder` is added and the result clipped to [0, cap].
    `key` is that of the deviation's draws.
    """

    prior_sum: float = 0.0
    prior_weight: float = 0.0
    bound: float = math.inf
    fixed: float | None = None
    pattern: Deviation | None = None
    low: float = 0.0
    high: float = 0.0
    cap: float = math.inf
    key: int = 0


class BayesianBidder:
    """Bids a posterior mean: the empirical mean of its costs, shrunk to a prior mean (appendix B).

    Parameters
    ----------
    prior_mean : float
        mu_0, money per query.
    prior_strength : float
        n_0 >= 0: the observations the prior is worth.
    cost_bound : float, optional
        c_max, money per query: rounding must not lift the mean of costs at the bound above it.

    Examples
    --------
    >>> BayesianBidder(prior_mean=0.0, prior_strength=1.0).observe(1.0, 0.0)
    0.5
    """

    def __init__(self, prior_mean: float, prior_strength: float, cost_bound: float = math.inf) -> None:
        self._sum, self._weight = prior_mean * prior_strength, float(prior_strength)
        self._cost_bound = cost_bound

    def observe(self, cost: float, score: float) -> float:
        """Return the posterior mean."""
        self._sum += cost
        self._weight += 1
        return min(self._sum / self._weight, self._cost_bound)

    def strategy(self) -> Strategy:
        """Return this bidder, before its first bid, as numbers."""
        return Strategy(self._sum, self._weight, self._cost_bound)


class TruthfulBidder(BayesianBidder):
    """Bids the empirical mean of its costs, the equilibrium strategy (eq:truthful-strategy): without a prior.

    Parameters
    ----------
    cost_bound : float, optional
        As for `BayesianBidder`.

    Examples
    --------
    >>> bidder = TruthfulBidder()
    >>> bidder.observe(1.0, 0.0), bidder.observe(2.0, 1.0)
    (1.0, 1.5)
    """

    def __init__(self, cost_bound: float = math.inf) -> None:
        super().__init__(0.0, 0.0, cost_bound)


class DeviatingBidder:
    """Bids another strategy's bid plus a bounded deviation (asmp:bounded-deviations).

    Parameters
    ----------
    base : Bidder
    underbid, overbid : float
        d_- and d_+ >= 0.
    rng : numpy.random.Generator
    pattern : {"random", "under", "over", "extremes"}
        Uniform in [-d_-, d_+]; always one end; or a fair draw between the ends.
    cost_bound : float or None
        Bids are clipped to [0, cost_bound]; None leaves them as they are (finding E3).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bidder = DeviatingBidder(TruthfulBidder(), 0.25, 0.5, rng, "under", cost_bound=1.0)
    >>> bidder.observe(0.5, 1.0), bidder.observe(0.0, 1.0), bidder.observe(0.0, 1.0)
    (0.25, 0.0, 0.0)
    """

    def __init__(
        self,
        base: Bidder,
        underbid: float,
        overbid: float,
        rng: np.random.Generator,
        pattern: Deviation,
        cost_bound: float | None,
    ) -> None:
        if pattern not in get_args(Deviation):
            rule = f"must be one of {', '.join(get_args(Deviation))}"
            raise InputError("pattern", pattern, rule, "it shapes the deviation")
        self._base, self._low, self._high = base, -underbid, overbid
        self._pattern, self._cost_bound = pattern, cost_bound
        # The deviation of the m-th bid is a function of this key and m.
        self._key, self._count = draw_key(rng), 0

    def observe(self, cost: float, score: float) -> float:
        """Return the base bid plus a deviation."""
        self._count += 1
        bid = self._base.observe(cost, score) + self._deviation()
        return bid if self._cost_bound is None else min(max(bid, 0.0), self._cost_bound)

    def strategy(self) -> Strategy:
        """Return this bidder, before its first bid, as numbers.

        Raises
        ------
        InputError
            Bids are not clipped, or the base is not a truthful, Bayesian or fixed bidder.
        """
        if self._cost_bound is None or not isinstance(self._base, BayesianBidder | FixedBidder):
            rule, remedy = "has no compiled counterpart", "clip its bids, or run the plain episode"
            raise InputError("bidder", type(self._base).__name__, rule, remedy)
        return self._base.strategy()._replace(
            pattern=self._pattern, low=self._low, high=self._high, cap=self._cost_bound, key=self._key
        )

    def _deviation(self) -> float:
        if self._pattern in ("under", "over"):
            return self._low if self._pattern == "under" else self._high
        share = unit_uniform(squares64(self._key, self._count))
        if self._pattern == "extremes":
            return self._high if share < 0.5 else self._low
        return self._low + (self._high - self._low) * share


@dataclass(frozen=True)
class FixedBidder:
    """Always bids the same amount.

    Examples
    --------
    >>> FixedBidder(2.0).observe(0.5, 1.0)
    2.0
    """

    bid: float

    def observe(self, cost: float, score: float) -> float:
        """Return the fixed bid."""
        return self.bid

    def strategy(self) -> Strategy:
        """Return this bidder as numbers."""
        return Strategy(fixed=self.bid)


@dataclass(frozen=True)
class Prior:
    """A prior on mean costs.

    Parameters
    ----------
    share : float, optional
        Prior mean as a share of the cost bound, in [0, 1].
    strength : float, optional
        Observations that the prior is worth, 0 or more.

    Raises
    ------
    InputError
        A value out of its range.

    Examples
    --------
    >>> Prior(share=0.5, strength=5.0).mean(cost_bound=2.0)
    1.0
    """

    share: float = 0.5
    strength: float = 5.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError("share", self.share, "must lie in [0, 1]", "it is a share of the cost bound")
        if not 0 <= self.strength < math.inf:
            raise InputError("strength", self.strength, "must be 0 or more", "it counts observations")

    def mean(self, cost_bound: float) -> float:
        """Return the prior mean, money per query."""
        return self.share * cost_bound

    def belief_slack(self, setting: Setting) -> float:
        """Return the gamma that asmp:beliefs needs for this prior in a setting."""
        platform = setting.platform
        return shrinkage_belief_slack(
            self.mean(platform.cost_bound),
            self.strength,
            cost_bound=platform.cost_bound,
            n_providers=setting.n_providers,
            confidence=platform.confidence,
        )


BidderFactory = Callable[[Setting, np.random.Generator], list[Bidder]]


def truthful_bidders(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
    """Return one truthful bidder per provider."""
    return [TruthfulBidder(setting.platform.cost_bound) for _ in setting.providers]


def bayesian_bidders(prior: Prior) -> BidderFactory:
    """Return a factory of Bayesian bidders that share a prior."""

    def make(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        bound = setting.platform.cost_bound
        return [BayesianBidder(prior.mean(bound), prior.strength, bound) for _ in setting.providers]

    return make


def deviating_bidders(
    base: BidderFactory = truthful_bidders, pattern: Deviation | None = None, clip: bool = True
) -> BidderFactory:
    """Return a factory of bidders that deviate by the setting's underbid and overbid.

    Parameters
    ----------
    base : callable, optional
        Factory of the strategies they deviate from (default truthful).
    pattern : str, optional
        As in `DeviatingBidder`; by default all four, in turn over the providers.
    clip : bool, optional
        Whether bids are clipped to [0, c_max] (default).
    """
    patterns: tuple[Deviation, ...] = get_args(Deviation) if pattern is None else (pattern,)

    def make(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        platform = setting.platform
        bound = platform.cost_bound if clip else None
        return [
            DeviatingBidder(bidder, platform.underbid, platform.overbid, rng, pattern=shape, cost_bound=bound)
            for bidder, shape in zip(base(setting, rng), cycle(patterns), strict=False)
        ]

    return make


def biased_bidders(share: float) -> BidderFactory:
    """Return a factory of bidders whose beliefs are off: they bid the truthful bid and a share of the cost bound.

    Parameters
    ----------
    share : float
        In [-1, 1]; above 0 they think that they cost more than they do. Bids are clipped to [0, c_max].

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> biased_bidders(0.5)(setting, np.random.default_rng(0))[0].observe(1.0, 1.0)
    38.504
    """

    def make(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        bound = setting.platform.cost_bound
        under, over = max(-share, 0.0) * bound, max(share, 0.0) * bound
        pattern: Deviation = "over" if share >= 0 else "under"
        return [
            DeviatingBidder(bidder, under, over, rng, pattern=pattern, cost_bound=bound)
            for bidder in truthful_bidders(setting, rng)
        ]

    return make


def independent_bidders(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
    """Return bidders that draw each bid uniformly from [0, c_max], independently of what they cost."""
    bound = setting.platform.cost_bound
    return [
        DeviatingBidder(FixedBidder(0.0), 0.0, bound, rng, pattern="random", cost_bound=bound)
        for _ in setting.providers
    ]


def prepare_bidders(setting: Setting, kind: str, *, keep_gamma: bool = False) -> tuple[Setting, BidderFactory]:
    """Return the setting, with the slack its bidders need, and the bidders of a kind.

    Parameters
    ----------
    setting : Setting
    kind : str
        ``truthful``; ``bayesian``, with the paper's prior, or ``bayesian:SHARE:STRENGTH`` with a prior mean of SHARE
        c_max that is worth STRENGTH observations; ``deviating``; ``fixed:X`` with a bid X in [0, c_max]; ``biased:X``:
        the truthful bid and the share X of c_max, X in [-1, 1], clipped to [0, c_max]; ``independent``: a bid drawn
        uniformly from [0, c_max] each time, independent of the costs.
    keep_gamma : bool, optional
        Whether gamma stays as it is where a prior needs more; see `bids_are_covered`.

    Raises
    ------
    InputError
        The kind is unknown, its number out of range, or the setting allows no deviation.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting, _ = prepare_bidders(published("gpqa-strong").setting, "bayesian:0.5:5")
    >>> setting.platform.belief_slack > 0
    True
    """
    if kind == "truthful":
        return setting, truthful_bidders
    if kind == "deviating":
        if not (setting.platform.underbid or setting.platform.overbid):
            rule = "needs platform.underbid or platform.overbid above 0"
            raise InputError("bidders", kind, rule, "without them it would be truthful")
        return setting, deviating_bidders()
    prior = prior_of(kind)
    if prior is not None:
        least = 0.0 if keep_gamma else prior.belief_slack(setting)
        slack = max(setting.platform.belief_slack, least)
        return replace(setting, platform=replace(setting.platform, belief_slack=slack)), bayesian_bidders(prior)
    if kind == "independent":
        return setting, independent_bidders
    if kind.startswith("biased:"):
        return setting, biased_bidders(_number(kind, setting, -1.0, 1.0))
    bid = _number(kind, setting, 0.0, setting.platform.cost_bound)
    return setting, lambda _setting, _rng: [FixedBidder(bid) for _ in setting.providers]


#: The most observations that the prior of ``bayesian:SHARE:STRENGTH`` is worth: beyond it sums lose the costs.
STRONGEST_PRIOR = 1e9


def prior_of(kind: str) -> Prior | None:
    """Return the prior of Bayesian bidders; None of bidders of another kind.

    Parameters
    ----------
    kind : str
        As `prepare_bidders` takes it.

    Raises
    ------
    InputError
        SHARE or STRENGTH is out of range, or one of them is missing.

    Examples
    --------
    >>> prior_of("bayesian"), prior_of("bayesian:0.2:12"), prior_of("truthful")
    (Prior(share=0.5, strength=5.0), Prior(share=0.2, strength=12.0), None)
    """
    name, *parts = kind.split(":")
    if name != "bayesian":
        return None
    if not parts:
        return Prior()
    try:
        share, strength = map(float, parts)
    except ValueError:
        share = strength = math.nan
    if not (0 <= share <= 1 and 0 < strength <= STRONGEST_PRIOR):
        rule = "must be bayesian, or bayesian:SHARE:STRENGTH with SHARE in [0, 1] and STRENGTH above 0"
        remedy = "the prior mean is SHARE c_max, worth STRENGTH observations (1e9 at most); bayesian is bayesian:0.5:5"
        raise InputError("bidders", kind, rule, remedy)
    return Prior(share=share, strength=strength)


def bids_are_covered(setting: Setting, kind: str) -> bool:
    """Return whether the setting's gamma, d_- and d_+ allow for the bids of a kind, so that bounds on costs apply.

    Parameters
    ----------
    setting : Setting
        As it is played.
    kind : str
        As `prepare_bidders` takes it.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> bids_are_covered(setting, "bayesian"), bids_are_covered(prepare_bidders(setting, "bayesian")[0], "bayesian")
    (False, True)
    >>> bids_are_covered(setting, "truthful"), bids_are_covered(setting, "biased:0.1")
    (True, False)
    """
    platform, prior = setting.platform, prior_of(kind)
    if prior is not None:
        return platform.belief_slack >= prior.belief_slack(setting)
    if kind.startswith("biased:"):
        off = _number(kind, setting, -1.0, 1.0) * platform.cost_bound
        return -platform.underbid <= off <= platform.overbid
    return kind in ("truthful", "deviating")


def widening(setting: Setting, kind: str, *, keep_gamma: bool = False) -> str:
    """Return by how much bidders of a kind widen the platform's radius, in a sentence; empty where it is wide enough.

    Parameters
    ----------
    setting : Setting
    kind : str
    keep_gamma : bool, optional
        As `prepare_bidders` takes both.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> widening(setting, "bayesian")
    'γ = 0 does not cover the prior of bayesian bidders; the platform is widened by γ = 0.2631.'
    >>> widening(setting, "bayesian", keep_gamma=True)[43:]
    'bidders, who need γ = 0.2631; the platform keeps γ = 0, and of the guarantees only that on quality is promised.'
    >>> widening(setting, "truthful")
    ''
    """
    given, used = (each.platform.belief_slack for each in (setting, prepare_bidders(setting, kind)[0]))
    if given == used:
        return ""
    told = f"γ = {given:.4g} does not cover the prior of {kind} bidders"
    if keep_gamma:
        kept = f"the platform keeps γ = {given:.4g}, and of the guarantees only that on quality is promised"
        return f"{told}, who need γ = {used:.4g}; {kept}."
    return f"{told}; the platform is widened by γ = {used:.4g}."


def _number(kind: str, setting: Setting, least: float, most: float) -> float:
    """Return the X of ``fixed:X`` or ``biased:X``."""
    name, _, amount = kind.partition(":")
    try:
        found = float(amount) if name in ("fixed", "biased") else math.nan
    except ValueError:
        found = math.nan
    if not least <= found <= most:
        bound = setting.platform.cost_bound
        remedy = f"X is a bid in [0, {bound!r}], or of biased:X a share of the cost bound in [-1, 1]"
        rule = "must be truthful, bayesian, bayesian:SHARE:STRENGTH, deviating, fixed:X, biased:X or independent"
        raise InputError("bidders", kind, rule, remedy)
    return found

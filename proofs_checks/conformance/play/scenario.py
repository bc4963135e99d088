"""A scenario: everything that one interaction with a mechanism depends on, as data."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.config import MechanismConfig

if TYPE_CHECKING:  # it loads SymPy, which the process of a mechanism may not need
    from proofs_checks.oracle.rule_oracle import RuleOracle

NamedBid = Literal["truthful", "critical", "critical + ulp", "critical - ulp"]
#: What a provider bids: an amount, its running mean cost, or its critical value at the next step, give or take an ulp.
Bid = float | NamedBid

#: So little exploration that g(t) < 1 at every step that is played.
NO_EXPLORATION = 0.01

#: Makes a configuration from what is unusual in it; usual is a market of auctions among all, with c_max = 1.
usual_config = functools.partial(
    MechanismConfig,
    quality_threshold=0.0,
    confidence=0.05,
    cost_bound=1.0,
    exploration_scale=NO_EXPLORATION,
    exploration_exponent=0.5,
)


@dataclass(frozen=True)
class Query:
    """What one query yields at its provider.

    Parameters
    ----------
    score : float
        In [0, 1].
    cost : float
        In [0, c_max]; the mechanism never sees it.
    bid : float or str
        The standing bid left behind: an amount in [0, c_max], "truthful" (the running mean of the costs), or
        "critical", "critical + ulp", "critical - ulp": the bid that would be its critical payment next, limited to
        [0, c_max].
    """

    score: float
    cost: float
    bid: Bid = "truthful"


@dataclass(frozen=True)
class Scenario:
    """How a mechanism is configured, seeded and answered.

    Parameters
    ----------
    config : MechanismConfig
    seed : int
        Of the generator that the mechanism receives.
    queries : tuple of tuples of Query
        One tuple per provider: its queries yield these in turn, again from the start when they are used up.
    horizon : int
        Steps that are played.
    market : Setting, optional
        Whose providers these are; default none in particular.

    Examples
    --------
    >>> config = usual_config(n_providers=2)
    >>> Scenario(config, 0, ((Query(1.0, 0.25),), (Query(1.0, 0.5),)), 4).query(1, 7)
    Query(score=1.0, cost=0.5, bid='truthful')
    """

    config: MechanismConfig
    seed: int
    queries: tuple[tuple[Query, ...], ...]
    horizon: int
    market: Setting | None = None

    @property
    def setting(self) -> Setting:
        """The market, or the one whose providers have the means of these queries."""
        if self.market is not None:
            return self.market
        parameters = {name: value for name, value in vars(self.config).items() if name != "n_providers"}
        # A mean that was rounded up may exceed the largest cost.
        means = [tuple(map(_mean, zip(*((q.score, q.cost) for q in own), strict=True))) for own in self.queries]
        providers = (Provider(f"p{i}", score, cost) for i, (score, cost) in enumerate(means))
        return Setting("scenario", PlatformParameters(**parameters), tuple(providers))

    @property
    def follows_rules(self) -> bool:
        """Whether what a provider bids may depend on the rules: a bid is at its critical value."""
        return any(query.bid in _ULPS for own in self.queries for query in own)

    def query(self, provider: int, served: int) -> Query:
        """Return what a provider's query yields after `served` earlier ones."""
        own = self.queries[provider]
        return own[served % len(own)]


def _mean(values: tuple[float, ...]) -> float:
    return min(math.fsum(values) / len(values), max(values))


class Providers:
    """The providers of a scenario while it is played: their costs so far, and what they bid."""

    def __init__(self, scenario: Scenario) -> None:
        n = scenario.config.n_providers
        self._scenario, self._served, self._cost_sums = scenario, [0] * n, [0.0] * n

    def serve(self, provider: int, oracle: RuleOracle | None) -> tuple[float, float, float]:
        """Return score, cost and bid of a provider's next query, which the oracle has not settled yet.

        None will do for an oracle where the scenario does not follow the rules.
        """
        query = self._scenario.query(provider, self._served[provider])
        self._served[provider] += 1
        self._cost_sums[provider] += query.cost
        return query.score, query.cost, self._bid(query, provider, oracle)

    def _bid(self, query: Query, provider: int, oracle: RuleOracle | None) -> float:
        if not isinstance(query.bid, str):
            return query.bid
        mean = min(self._cost_sums[provider] / self._served[provider], self._scenario.config.cost_bound)
        if oracle is None or query.bid == "truthful":
            return mean
        return critical_bid(oracle, provider, query.score, _ULPS[query.bid], mean)


#: How many ulps bids lie beside the critical payment.
_ULPS: Mapping[Bid, int] = {"critical": 0, "critical + ulp": 1, "critical - ulp": -1}


def critical_bid(oracle: RuleOracle, provider: int, score: float, ulps: int, otherwise: float) -> float:
    """Return the bid that will be a provider's critical payment after a score, give or take an ulp, in [0, c_max].

    Where it will have none, return another bid.
    """
    critical = oracle.critical_after(provider, score)
    if critical is None:
        return otherwise
    amount = math.nextafter(float(critical), ulps * math.inf) if ulps else float(critical)
    return min(max(amount, 0.0), oracle.config.cost_bound)

"""Runs that the extracted programs judge: published markets and odd ones, every policy that is compiled.

Odd ones have what runs seldom meet: two providers, qualities 0 and 1, equal costs and equal bids, nobody eligible, one
eligible alone, thresholds 0 and 1, a whole g(t), and exploration without end.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import BidderFactory, biased_bidders, deviating_bidders, truthful_bidders
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.market.market import MarketLaws, market_laws
from mechanism.metrics.tally import Tally
from mechanism.plain_episode import PlainEpisode
from mechanism.policies import ALL_POLICIES
from mechanism.trace import Trace
from tests.proofs_checks.proofs.kernel_replay import Enclosed, Said, enclosed, judged

COMPILED = tuple(name for name, policy in ALL_POLICIES.items() if policy.compiled)
PLATFORM = "platform"
_BIDDERS: Mapping[str, BidderFactory] = {
    "truthful": truthful_bidders,
    "deviating": deviating_bidders(),
    "low": biased_bidders(-0.5),
    "high": biased_bidders(0.5),
}


def _odd(
    qualities: Sequence[float], costs: Sequence[float], *, laws: Mapping[str, Any] | None = None, **changed: float
) -> tuple[Setting, Mapping[str, Any]]:
    numbers = {
        "quality_threshold": 0.5, "confidence": 0.5, "cost_bound": 1.0, "exploration_scale": 2.0,
        "exploration_exponent": 0.5, "underbid": 0.25, "overbid": 0.25,
    }  # fmt: skip
    providers = tuple(
        Provider(f"p{i}", quality=q, mean_cost=c, listed_price=2.0 ** -(i % 2))
        for i, (q, c) in enumerate(zip(qualities, costs, strict=True))
    )
    setting = Setting(name="odd", platform=PlatformParameters(**(numbers | changed)), providers=providers)
    return setting, {"cost_law": "two-point"} | dict(laws or {})


_CERTAIN = {"score_law": "point-mass", "cost_law": "point-mass"}
ODD = {
    "two of equal cost": _odd([1.0, 1.0], [0.25, 0.25], laws=_CERTAIN),
    "two": _odd([0.75, 0.5], [0.5, 0.25]),
    "qualities 0 and 1": _odd([0.0, 1.0, 0.0, 1.0], [0.5] * 4, laws=_CERTAIN, quality_threshold=1.0),
    "equal costs": _odd([0.75, 0.5, 1.0, 0.0, 0.75], [0.5] * 5, laws={"cost_law": "point-mass"}),
    "nobody": _odd([0.25, 0.0, 0.125], [0.25, 0.5, 0.75], quality_threshold=1.0, confidence=0.9375),
    "alone": _odd([0.0, 1.0, 0.125], [0.125, 0.75, 0.25], quality_threshold=0.9375, exploration_scale=0.25),
    "threshold 0": _odd([0.0, 0.5, 1.0], [0.25, 0.375, 0.5], quality_threshold=0.0, exploration_exponent=0.25),
    "exploration": _odd([0.5, 0.75, 1.0], [0.5, 0.25, 0.75], exploration_scale=8.0, exploration_exponent=0.9375),
    "slack": _odd([0.75, 0.625, 1.0], [0.25, 0.3125, 0.5], belief_slack=0.5, laws={"score_law": "beta"}),
    "costs 0 and 1": _odd([1.0, 0.75, 0.5], [0.0, 1.0, 0.5], exploration_exponent=0.75),
    "costs at the bound": _odd([1.0, 0.75], [1.0, 1.0], laws=_CERTAIN),
    "many": _odd([i / 16 for i in range(17)], [0.5 + i / 64 for i in range(17)], exploration_exponent=0.75),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Case:
    """A run: a market, a policy, how providers bid, how long, and how late feedback comes."""

    market: str
    policy: str = PLATFORM
    bids: str = "truthful"
    horizon: int = 300
    seed: int = 0
    delay: DelayLaw | None = None

    @functools.cached_property
    def setting(self) -> Setting:
        return ODD[self.market][0] if self.market in ODD else published(self.market).setting

    @functools.cached_property
    def config(self) -> MechanismConfig:
        return MechanismConfig.of(self.setting)

    @property
    def laws(self) -> MarketLaws:
        return market_laws(self.setting, **(ODD[self.market][1] if self.market in ODD else {}))

    @property
    def prices(self) -> tuple[float, ...] | None:
        return ALL_POLICIES[self.policy].routing_prices(self.setting)

    @property
    def first(self) -> bool:
        """Whether the lowest index wins among equal adjusted bids."""
        return self.prices is None

    @property
    def _episode(self) -> CompiledEpisode:
        assert self.delay is None
        return CompiledEpisode(self.setting, ALL_POLICIES[self.policy], bidders=_BIDDERS[self.bids], laws=self.laws)

    def compiled(self) -> Trace:
        return self._episode.trace(horizon=self.horizon, seed=self.seed)

    def tally(self) -> Tally:
        """Return the totals of the compiled run."""
        return self._episode.tallies(horizon=self.horizon, seed=self.seed, runs=[0])[0]

    def plain(self) -> Trace:
        policy = ALL_POLICIES[self.policy]
        episode = PlainEpisode(
            setting=self.setting, policy=policy, bidders=_BIDDERS[self.bids], laws=self.laws, delay=self.delay
        )
        return episode.trace(horizon=self.horizon, seed=self.seed)

    def judged(self, trace: Trace, enclose: Callable[[MechanismConfig], Enclosed] = enclosed) -> list[Said | None]:
        """Return what the rules say of each step."""
        return list(judged(trace, enclose(self.config), ALL_POLICIES[self.policy], self.prices))

    def __str__(self) -> str:
        late = "" if self.delay is None else f", feedback {self.delay}"
        return f"{self.market}, {self.policy}, {self.bids}, {self.horizon} steps, seed {self.seed}{late}"


def runs() -> Iterator[Case]:
    """Yield 104 runs: 68 of the platform, 36 of the other policies that are compiled."""
    markets = [*ODD, *PUBLISHED_NAMES]
    lengths = itertools.cycle([100, 150, 200, 300])
    for seed, bids in enumerate(_BIDDERS):
        for market in markets:
            yield Case(market=market, bids=bids, horizon=next(lengths), seed=seed)
    for policy in COMPILED:
        if policy != PLATFORM:
            able = [case for m in markets if _possible(case := Case(market=m, policy=policy, horizon=200, seed=1))]
            yield from (able[place * len(able) // 4] for place in range(4))


def late_runs() -> Iterator[Case]:
    for seed, law in enumerate([DelayLaw(most=1), DelayLaw(most=6, least=0), DelayLaw(most=4, least=0, lost=0.05)]):
        for market in (*ODD, "gpqa-strong"):
            yield Case(market=market, horizon=200, seed=seed, delay=law)


def _possible(case: Case) -> bool:
    try:
        ALL_POLICIES[case.policy].check(case.setting)
    except InputError:
        return False
    return True

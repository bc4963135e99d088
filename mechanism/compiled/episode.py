"""Runs at the speed of machine code: the same episodes as `mechanism.episode`, step by step and bit by bit.

The kernel is compiled on first use and cached beside the package (or where NUMBA_CACHE_DIR says).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.arguments import number_of_queries
from mechanism.bidding import BidderFactory, Strategy, truthful_bidders
from mechanism.compiled import layout
from mechanism.compiled.kernel import run_episodes
from mechanism.compiled.keys import run_keys
from mechanism.compiled.vectors import MATCH
from mechanism.config import MechanismConfig
from mechanism.episode import OutcomeLaws
from mechanism.market.law_tables import LawTables
from mechanism.market.market import market_laws
from mechanism.metrics.tally import OF_PAPERS_RADIUS, ProviderField, RunField, Tally, checkpoint_steps
from mechanism.policies import ALL_POLICIES, POLICIES, Policy
from mechanism.randomness import RandomStream, stream_generator
from mechanism.tables import BAND_TOLERANCE, cost_table, quality_table, target_table
from mechanism.trace import Trace

_PATTERNS = {None: 0, "random": 1, "under": 2, "over": 3, "extremes": 4}
_NEVER = 2.0**62
_UNMEASURED = [RunField.ORDINARY_EXCESS, RunField.WINNING_BIDS, RunField.BAND_VIOLATIONS, RunField.PAYMENT_VIOLATIONS]
_NO_STEPS = np.zeros(0, dtype=np.int64)
#: Steps that one call plays, but for a single run that is longer.
_CALL_STEPS = 10_000_000


@dataclass(frozen=True)
class CompiledEpisode:
    """A setting's episode under one policy, ready for any number of runs.

    Parameters
    ----------
    setting : Setting
    policy : Policy, optional
        Default the platform.
    bidders : callable, optional
        Factory of truthful (default), Bayesian, fixed or deviating bidders.
    laws : OutcomeLaws, optional
        Laws or recorded generations; default `mechanism.market.market.market_laws`.
    measures : bool, optional
        False leaves the excess payments of auctions, winning bids and violations unmeasured (NaN).

    Raises
    ------
    InputError
        A policy that is not `compiled`: `mechanism.plain_episode.PlainEpisode` runs any mechanism.

    Examples
    --------
    >>> from bounds.published import published
    >>> episode = CompiledEpisode(published("gpqa-strong").setting)
    >>> (tally,) = episode.tallies(horizon=100, seed=0, runs=[0])
    >>> int(tally.provider(ProviderField.SELECTIONS).sum())
    100
    """

    setting: Setting
    policy: Policy = POLICIES["platform"]
    _: KW_ONLY
    bidders: BidderFactory = truthful_bidders
    laws: OutcomeLaws | None = None
    measures: bool = True

    def __post_init__(self) -> None:
        # By identity: a copy with another `make` says of itself that it is compiled, and is not.
        if not (self.policy.compiled and any(self.policy is policy for policy in ALL_POLICIES.values())):
            rule, remedy = "has no compiled counterpart", "take one that is `compiled`, or run the plain episode"
            raise InputError("policy", type(self.policy).__name__, rule, remedy)

    def tallies(self, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()) -> list[Tally]:
        """Simulate runs and return their totals.

        Parameters
        ----------
        horizon : int
            T >= 1.
        seed : int
        runs : sequence of int
            Which runs of the seed; their order changes no result.
        checkpoints : sequence of int, optional
            Steps in 1..T after which totals are taken, besides T.

        Returns
        -------
        list of Tally
            One per run.
        """
        return self.totals(horizon=horizon, seed=seed, runs=runs, checkpoints=checkpoints).each()

    def totals(self, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()) -> Tally:
        """Return what `tallies` does, of all runs together."""
        return self._run(checkpoint_steps(checkpoints, number_of_queries(horizon)), seed, runs, empty_log(0))

    def trace(self, *, horizon: int, seed: int, run: int = 0) -> Trace:
        """Simulate one run and return its trace, equal to that of `mechanism.episode.simulate`."""
        horizon = number_of_queries(horizon)
        log = empty_log(horizon)
        self._run((horizon,), seed, [run], log)
        return Trace(*log)

    def _run(self, steps: tuple[int, ...], seed: int, runs: Sequence[int], log: layout.Log) -> Tally:
        n = self.setting.n_providers
        tables, checkpoints = self.tables(), np.array(steps, dtype=np.int64)
        by_provider = np.zeros((len(runs), len(steps), len(ProviderField), n))
        overall = np.zeros((len(runs), len(steps), len(RunField)))
        rules, state = self.rules(steps[-1], tables), _state(n, tables.questions)
        for batch in self._batches(runs, steps[-1]):
            strategies = self.strategies(seed, runs[batch.start])
            keys = self.keys(seed, runs[batch])
            run = layout.Run(
                rules=rules,
                laws=tables,
                bidders=bidders_of(strategies),
                keys=_keys_of(keys, strategies),
                state=state,
                log=log,
                totals=layout.Totals(checkpoints, by_provider[batch.start], overall[batch.start]),
            )
            run_episodes(run, keys, by_provider[batch], overall[batch])
        self.mark_unmeasured(overall)
        return Tally(steps, by_provider, overall)

    def mark_unmeasured(self, overall: np.ndarray) -> None:
        """Set the totals of runs that are not measured to NaN; shape (..., len(RunField))."""
        if not self.measures:
            overall[..., _UNMEASURED] = np.nan
        if not self.setting.platform.papers_radius:
            overall[..., OF_PAPERS_RADIUS] = np.nan

    def tables(self) -> LawTables:
        """Return the market's tables.

        Raises
        ------
        InputError
            They are of another number of providers.
        """
        laws, n = market_laws(self.setting) if self.laws is None else self.laws, self.setting.n_providers
        tables = laws.tables()
        if len(tables.kinds) != n:
            raise InputError("laws", len(tables.kinds), f"must be laws of {n} providers", "build them for this setting")
        return tables

    def _batches(self, runs: Sequence[int], horizon: int) -> list[slice]:
        """Return the runs of each call: of the same bidders, and few enough that an interrupt is heard soon."""
        length = max(1, _CALL_STEPS // horizon) if self.bidders is truthful_bidders else 1
        return [slice(first, min(first + length, len(runs))) for first in range(0, len(runs), length)]

    def rules(self, horizon: int, laws: LawTables) -> layout.Rules:
        """Return what runs of a horizon know of the setting."""
        setting = self.setting
        config = MechanismConfig.of(setting)
        n = config.n_providers
        prices = self.policy.routing_prices(setting)
        radii, cost_radii = _radii(config, horizon)
        return layout.Rules(
            n_providers=n,
            threshold=float(config.quality_threshold),
            cost_bound=float(config.cost_bound),
            radii=radii,
            cost_radii=cost_radii,
            widths=_widths(config, horizon) if self.measures else np.zeros(0),
            rises=_rises(config, horizon) if self.policy.explores else _NO_STEPS,
            screens=self.policy.screens,
            explores=self.policy.explores,
            auctions=prices is None,
            prices=np.zeros(n) if prices is None else np.array(prices, dtype=float),
            qualities=np.array([provider.quality for provider in setting.providers], dtype=float),
            mean_costs=np.array([provider.mean_cost for provider in setting.providers], dtype=float),
            second_cost=float("nan") if setting.second_lowest_cost is None else float(setting.second_lowest_cost),
            steady=_shrink(config, horizon)
            and all(drawn.min(initial=0.0) >= 0 for drawn in (laws.values, laws.totals)),
            measures=self.measures,
        )

    def strategies(self, seed: int, run: int) -> list[Strategy]:
        """Return how each provider bids in a run."""
        n, bound = self.setting.n_providers, self.setting.platform.cost_bound
        bidders = self.bidders(self.setting, stream_generator(seed, run, RandomStream.BIDDERS))
        if len(bidders) != n:
            raise InputError("bidders", len(bidders), f"must be {n}", "make one per provider")
        return [_strategy(bidder, bound) for bidder in bidders]

    def keys(self, seed: int, runs: Sequence[int]) -> layout.RunKeys:
        """Return what is random about each of some runs."""
        return run_keys(self.setting, self.policy, seed, runs)


def _keys_of(keys: layout.RunKeys, strategies: Sequence[Strategy]) -> layout.Keys:
    """Return what is random about the first of some runs."""
    deviations = np.array([strategy.key for strategy in strategies], dtype=np.uint64)
    return layout.Keys(keys.outcomes[0], keys.draws[0], keys.orders[0], deviations)


def _strategy(bidder: object, cost_bound: float) -> Strategy:
    if not hasattr(bidder, "strategy"):
        rule = "has no compiled counterpart"
        raise InputError("bidder", type(bidder).__name__, rule, "run the plain episode (mechanism.episode.simulate)")
    found: Strategy = bidder.strategy()
    highest = found.cap if found.pattern else found.bound if found.fixed is None else found.fixed
    if not (highest <= cost_bound and (found.fixed is None or found.pattern or found.fixed >= 0)):
        rule = f"may bid outside [0, {cost_bound!r}]"
        raise InputError("bidder", type(bidder).__name__, rule, "give it the setting's cost bound")
    return found


def bidders_of(strategies: Sequence[Strategy]) -> layout.Bidders:
    """Return strategies by provider as columns."""

    def column(name: str) -> np.ndarray:
        return np.array([getattr(strategy, name) for strategy in strategies], dtype=float)

    return layout.Bidders(
        simple=all(strategy.fixed is None and strategy.pattern is None for strategy in strategies),
        truthful=all(strategy == Strategy(bound=strategies[0].bound) for strategy in strategies),
        common_bound=float(strategies[0].bound),
        **{name: column(name) for name in ("prior_sum", "prior_weight", "bound", "low", "high", "cap")},
        fixed=np.array([strategy.fixed is not None for strategy in strategies]),
        fixed_bid=np.array([0.0 if strategy.fixed is None else strategy.fixed for strategy in strategies]),
        pattern=np.array([_PATTERNS[strategy.pattern] for strategy in strategies], dtype=np.int64),
    )


@lru_cache(maxsize=16)
def _radii(config: MechanismConfig, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the radii of scores and costs by count, some further than any count of a run."""
    width = (1 + config.belief_slack) * config.cost_bound
    last = horizon + layout.TABLE_MARGIN
    return quality_table(config).upto(last), np.asarray(width * cost_table(config).upto(last))


@lru_cache(maxsize=4)
def _widths(config: MechanismConfig, horizon: int) -> np.ndarray:
    return np.asarray(config.cost_bound * _radii(config, horizon)[0] * BAND_TOLERANCE)


@lru_cache(maxsize=16)
def _shrink(config: MechanismConfig, horizon: int) -> bool:
    """Return whether no radius is above that of the count before."""
    return all(bool(np.all(table[2:] <= table[1:-1])) for table in _radii(config, horizon))


@lru_cache(maxsize=16)
def _targets(config: MechanismConfig, horizon: int) -> np.ndarray:
    table = target_table(config.n_providers, config.exploration_scale, config.exploration_exponent).upto(horizon)
    return np.where(np.isfinite(table), table, _NEVER).astype(np.int64)


@lru_cache(maxsize=16)
def _rises(config: MechanismConfig, horizon: int) -> np.ndarray:
    """Return, for every count below the last target, the first step whose target exceeds it."""
    targets = _targets(config, horizon)[1:]
    counts = np.arange(min(int(targets[-1]), horizon + 1))
    return np.asarray(1 + np.searchsorted(targets, counts, side="right"), dtype=np.int64)


def empty_log(horizon: int) -> layout.Log:
    """Return room for a trace."""
    return layout.Log(np.empty(horizon, dtype=np.int64), *(np.empty(horizon) for _ in range(4)))


def _state(n: int, questions: int) -> layout.State:
    return layout.State(
        books=_aligned(n * layout.BOOK_FIELDS),
        bids=_aligned(n * layout.BID_FIELDS),
        able=np.zeros(n, dtype=np.bool_),
        tournament=tournament(n),
        chosen=provider_set(n),
        ahead=np.zeros(layout.AHEAD, dtype=np.int64),
        order=np.zeros(questions, dtype=np.int64),
        overall=np.zeros(len(RunField)),
        block=step_block(),
    )


def tournament(n: int) -> layout.Tournament:
    """Return a tournament of n providers of which none is eligible."""
    levels, size = _levels(n)
    entries = _aligned(size)
    entries[:] = np.inf
    return layout.Tournament(entries, _aligned(size).view(np.int64), levels)


def provider_set(n: int) -> layout.ProviderSet:
    """Return an empty set for n providers."""
    words = -(-n // 64)
    levels, size = _levels(words)
    sums = _aligned(size).view(np.int32)[:size]
    return layout.ProviderSet(np.zeros(words, dtype=np.uint64), sums, levels if words > 1 else levels[:0])


def _aligned(size: int) -> np.ndarray:
    """Return zeros that begin with a pair of cache lines, which a processor fetches together."""
    room = np.zeros(size + MATCH)
    start = -(room.ctypes.data // 8) % MATCH
    return room[start : start + size]


def _levels(n: int) -> tuple[np.ndarray, int]:
    """Return where the levels of a tree of n begin, up to one of a single match, and how long they are together."""
    width = -(-n // MATCH)
    starts, size = [0], width * MATCH
    while width > 1:
        starts.append(size)
        width = -(-width // MATCH)
        size += width * MATCH
    return np.array(starts, dtype=np.int64), size


def step_block() -> layout.StepBlock:
    """Return empty room for the steps that are drawn ahead."""
    bits = np.zeros((2, 2 * layout.CHUNK), dtype=np.uint64)
    return layout.StepBlock(*bits, *np.zeros((len(layout.StepBlock._fields) - len(bits), layout.BLOCK + layout.CHUNK)))

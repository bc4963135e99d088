"""What is measured, and how: CPU seconds of one thread, the least of several tries."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import cache

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import simulate
from mechanism.market.market import MarketLaws, market_laws
from mechanism.policies import POLICIES

#: Providers, and the horizon of a compiled run: long enough that auctions, not exploration, are most of it.
SIZES = {9: 70_000, 100: 2_000_000, 1_000: 5_000_000, 100_000: 10_000_000}


def market_of(n_providers: int) -> tuple[Setting, MarketLaws]:
    """Return a market of N providers that serve the models of a published roster in turn, on independent queries."""
    base = published("gsm8k-full").setting
    models = base.providers
    providers = [dataclasses.replace(models[i % len(models)], name=f"provider {i}") for i in range(n_providers)]
    setting = Setting(f"{n_providers} providers", base.platform, providers)
    return setting, market_laws(setting, questions=0)


def cpu_seconds(function: Callable[[], object], tries: int = 3, spent: float = 0.0) -> float:
    """Return the least CPU time of a call, of as many tries, and of more until they have taken so many seconds."""
    taken: list[float] = []
    while len(taken) < tries or sum(taken) < spent:
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def compiled_rate(n_providers: int, *, measures: bool, tries: int = 3, spent: float = 1.0) -> float:
    """Return steps per second of the compiled episode, the Python around it included.

    A second of tries, since a try of a fiftieth of a second seldom finds the machine undisturbed.
    """
    setting, laws = market_of(n_providers)
    episode = CompiledEpisode(setting, laws=laws, measures=measures)
    horizon = SIZES[n_providers]
    runs = range(max(1, 2_000_000 // horizon))
    # Tables of radii and targets are computed once per setting, not once per run.
    episode.tallies(horizon=horizon, seed=0, runs=[])
    episode.tallies(horizon=n_providers, seed=0, runs=[0])
    seconds = cpu_seconds(lambda: episode.tallies(horizon=horizon, seed=0, runs=runs), tries, spent)
    return horizon * len(runs) / seconds


def plain_rate(n_providers: int, tries: int = 2) -> float:
    """Return steps per second of the plain episode after initialization; a step is linear in N."""
    setting, laws = market_of(n_providers)
    steps = max(20, 200_000 // n_providers)
    durations = [
        cpu_seconds(lambda t=horizon: simulate(setting, horizon=t, seed=0, laws=laws), tries)  # type: ignore[misc]
        for horizon in (n_providers, n_providers + steps)
    ]
    return steps / max(durations[1] - durations[0], 1e-9)


@cache
def _papers_episodes() -> tuple[CompiledEpisode, ...]:
    episodes = [
        CompiledEpisode(published(name).setting, policy) for name in PUBLISHED_NAMES for policy in POLICIES.values()
    ]
    for episode in episodes:
        episode.tallies(horizon=70_000, seed=0, runs=[])  # tables
    return tuple(episodes)


def papers_experiment() -> None:
    """Play the paper's experiment: 5 settings x 5 policies x 30 runs x 70,000 queries, all metrics, in one thread."""
    for episode in _papers_episodes():
        episode.tallies(horizon=70_000, seed=0, runs=range(30), checkpoints=[60_000])

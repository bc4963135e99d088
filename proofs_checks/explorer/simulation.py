"""The runs of a market, simulated at most once: more runs of the same market are added to those that are there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from threading import Lock

from mechanism.campaign.chunks import prepare, result_versions, simulate_chunk, split_runs
from mechanism.metrics.curves import Curves
from mechanism.parallel import open_workers
from mechanism.policy_names import PLATFORM
from proofs_checks.explorer.controls import SimulatedMarket

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Kept:
    """The curves of a market under one policy, once there are some, and what is held while it is simulated."""

    def __init__(self) -> None:
        self.curves: Curves | None = None
        self.simulating = Lock()


@lru_cache(maxsize=64)
def _kept_of(_: SimulatedMarket) -> _Kept:
    """Return what is kept of a market, of those that were asked for last."""
    return _Kept()


def simulated(market: SimulatedMarket) -> Mapping[str, Curves]:
    """Return the curves of every policy of a market.

    Examples
    --------
    >>> from bounds.published import published
    >>> simulated(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=3))["platform"].runs
    3
    """
    if (there := simulated_already(market)) is not None:
        return there
    with _kept_of(_key(market, PLATFORM)).simulating:  # other markets go on meanwhile
        found = _kept(market)  # with what another request has simulated meanwhile
        if not _whole(market, found):
            found = simulated_now(market, found)
            for policy, curves in found.items():
                _kept_of(_key(market, policy)).curves = curves
    return {policy: found[policy] for policy in market.policies}


def simulated_already(market: SimulatedMarket) -> Mapping[str, Curves] | None:
    """Return the curves of every policy of a market if they are there; it waits for nothing."""
    found = _kept(market)
    return found if _whole(market, found) else None


def simulated_now(market: SimulatedMarket, already: Mapping[str, Curves]) -> dict[str, Curves]:
    """Return the curves of every policy, each with the runs that are missing added to those that are there already."""
    part, versions = market.part, result_versions()
    tasks = []
    for policy in market.policies:
        missing = range(already[policy].runs if policy in already else 0, market.runs)
        tasks += [(part, policy, runs, False, True, versions) for runs in split_runs(part, missing, False, _CORES)]
    prepare(part)
    with open_workers("threads", _CORES) as workers:
        stored = [run for chunk in workers.run(simulate_chunk, tasks) for run in chunk.runs]
    window, n = min(part.window, part.horizon), part.setting.n_providers
    found = dict(already)
    for policy in market.policies:
        new = sorted((run for run in stored if run.policy == policy), key=lambda run: run.run)
        curves = [Curves.from_bytes(run.curves, window, n) for run in new if run.curves is not None]
        found[policy] = Curves.joined([*([already[policy]] if policy in already else []), *curves])
    return found


def _key(market: SimulatedMarket, policy: str) -> SimulatedMarket:
    return replace(market, runs=1, policies=(policy,))


def _kept(market: SimulatedMarket) -> dict[str, Curves]:
    """Return the curves of a market's first runs by policy, where there are some, be they fewer."""
    found = {policy: _kept_of(_key(market, policy)).curves for policy in market.policies}
    return {
        policy: curves if curves.runs <= market.runs else curves.first(market.runs)
        for policy, curves in found.items()
        if curves is not None
    }


def _whole(market: SimulatedMarket, found: Mapping[str, Curves]) -> bool:
    return all(policy in found and found[policy].runs == market.runs for policy in market.policies)

"""The runs of a market, simulated at most once: more runs of the same market are added to those that are there."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from weakref import WeakValueDictionary

from mechanism.campaign.chunks import prepare, result_versions, simulate_chunk, split_runs
from mechanism.metrics.curves import Curves
from mechanism.parallel import open_workers
from mechanism.policy_names import PLATFORM
from proofs_checks.explorer.controls import SimulatedMarket

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
#: The markets whose curves are kept, each for one policy.
_MOST_KEPT = 64


class _Kept:
    """The curves of the markets that were asked for last."""

    def __init__(self) -> None:
        self._curves: OrderedDict[SimulatedMarket, Curves] = OrderedDict()
        self._simulating: WeakValueDictionary[SimulatedMarket, Lock] = WeakValueDictionary()
        self._lock = Lock()

    def simulating(self, market: SimulatedMarket) -> Lock:
        """Return what is held while a market is simulated: others go on meanwhile."""
        with self._lock:
            return self._simulating.setdefault(_key(market, PLATFORM), Lock())

    def of(self, key: SimulatedMarket, runs: int) -> Curves | None:
        """Return the curves of the first runs of a market under a policy, fewer or none if there are no more."""
        with self._lock:
            found = self._curves.get(key)
            if found is not None:
                self._curves.move_to_end(key)
        return found if found is None or found.runs <= runs else found.first(runs)

    def keep(self, key: SimulatedMarket, curves: Curves) -> None:
        """Keep curves, and let go of those that were asked for longest ago."""
        with self._lock:
            self._curves[key] = curves
            self._curves.move_to_end(key)
            while len(self._curves) > _MOST_KEPT:
                self._curves.popitem(last=False)


_KEPT = _Kept()


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
    with _KEPT.simulating(market):
        found = _kept(market)  # with what another request has simulated meanwhile
        if not _whole(market, found):
            found = simulated_now(market, found)
            for policy, curves in found.items():
                _KEPT.keep(_key(market, policy), curves)
    return {policy: found[policy] for policy in market.policies}


def simulated_already(market: SimulatedMarket) -> Mapping[str, Curves] | None:
    """Return the curves of every policy of a market if they are there; it waits for nothing."""
    found = _kept(market)
    return found if _whole(market, found) else None


def simulated_now(market: SimulatedMarket, already: Mapping[str, Curves]) -> dict[str, Curves]:
    """Return the curves of every policy, each with the runs that are missing added to those that are there already."""
    part = market.part
    versions = result_versions()
    tasks = []
    for policy in market.policies:
        done = already[policy].runs if policy in already else 0
        missing = range(done, market.runs)
        if missing:
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
    found = {policy: _KEPT.of(_key(market, policy), market.runs) for policy in market.policies}
    return {policy: curves for policy, curves in found.items() if curves is not None}


def _whole(market: SimulatedMarket, found: Mapping[str, Curves]) -> bool:
    return all(policy in found and found[policy].runs == market.runs for policy in market.policies)

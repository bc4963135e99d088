"""Chunks of a campaign: consecutive runs of one setting under one policy, played by one worker."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.bidder_kinds import prepare_bidders
from mechanism.compiled import kernel
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import OutcomeLaws
from mechanism.market.market import market_laws
from mechanism.metrics.measures import Metrics, metrics_of, window_start
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import find_policy
from mechanism.tables import radius_table, target_table
from mechanism.tabular.traces import write_trace

#: About half a second of work, without and with writing traces, the most runs that share a transaction, and the most
#: numbers in their tallies (32 MB), which count where there are many providers.
_CHUNK_STEPS, _TRACED_STEPS, _CHUNK_RUNS, _CHUNK_NUMBERS = 10_000_000, 50_000, 64, 4_000_000


# Taken on import, with the kernel itself: a source tree may change while a campaign runs.
_KERNEL = hashlib.sha256(Path(kernel.__file__).read_bytes() + kernel.CONSTANTS.encode()).hexdigest()[:12]
#: Radii that are compared between processors; with 9 providers one of the first 43,290 is known to differ.
_LOOKED_AT = 65_535


@dataclass(frozen=True)
class CampaignPart:
    """One setting of a campaign, with everything that its runs depend on.

    Parameters
    ----------
    setting : Setting
        With the slack that its bidders need.
    bidders : str
        A kind of `mechanism.bidder_kinds`.
    horizon, seed, window : int
    checkpoints : tuple of int
        Steps in 1..T after which totals are kept besides.
    policies : tuple of str
    laws : tuple of (str, value), optional
        Options of `mechanism.market.market.market_laws`.
    recorded : OutcomeLaws, optional
        The market instead.
    """

    setting: Setting
    bidders: str
    horizon: int
    seed: int
    window: int
    checkpoints: tuple[int, ...]
    policies: tuple[str, ...]
    laws: tuple[tuple[str, Any], ...] = ()
    recorded: OutcomeLaws | None = None

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps after which totals are kept, increasing; the last is T."""
        return tuple(sorted({*self.checkpoints, *window_start(self.horizon, self.window), self.horizon}))

    def market(self) -> OutcomeLaws:
        """Return the laws of the setting's market, or the recorded generations that it serves."""
        return market_laws(self.setting, **dict(self.laws)) if self.recorded is None else self.recorded

    def episode(self, policy: str) -> CompiledEpisode:
        """Return the compiled episode under a policy."""
        setting, bidders = prepare_bidders(self.setting, self.bidders)
        return CompiledEpisode(setting, find_policy(policy), bidders, self.market())


@dataclass(frozen=True)
class PlayedChunk:
    """What a worker hands back: totals, metrics and, if asked, packed traces, one a run; `seconds` of simulating."""

    setting: str
    policy: str
    runs: tuple[int, ...]
    tallies: tuple[Tally, ...]
    metrics: tuple[Metrics, ...]
    traces: tuple[bytes, ...]
    seconds: float


def cut(part: CampaignPart, runs: Sequence[int], traces: bool, at_least: int) -> Iterator[tuple[int, ...]]:
    """Cut runs of a part into chunks of about half a second, and into `at_least` of them if there are so many runs.

    Parameters
    ----------
    part : CampaignPart
    runs : sequence of int
    traces : bool
        Whether traces are written too.
    at_least : int

    Yields
    ------
    tuple of int
        The runs of a chunk.
    """
    numbers = len(part.steps) * (len(ProviderField) * part.setting.n_providers + len(RunField))
    steps = _TRACED_STEPS if traces else _CHUNK_STEPS
    length = min(_CHUNK_RUNS, max(1, min(steps // part.horizon, _CHUNK_NUMBERS // numbers)))
    chunks = min(max(-(-len(runs) // length), at_least), len(runs))
    for i in range(chunks):
        yield tuple(runs[i * len(runs) // chunks : (i + 1) * len(runs) // chunks])


@lru_cache(maxsize=64)
def prepare(part: CampaignPart) -> None:
    """Compile or load the kernel and build the part's tables, so that no worker does it while it is timed."""
    platform, n = part.setting.platform, part.setting.n_providers
    radius_table(n, platform.confidence).upto(part.horizon)
    target_table(n, platform.exploration_scale, platform.exploration_exponent).upto(part.horizon)
    for policy in part.policies:
        part.episode(policy).tallies(horizon=n, seed=0, runs=[0])


def play_chunk(
    part: CampaignPart, policy: str, runs: tuple[int, ...], traces: bool, versions: dict[str, str]
) -> PlayedChunk:
    """Play runs of a part under a policy.

    Raises
    ------
    InputError
        This worker runs other versions than `versions`: its results might differ in the last digits.
    """
    if result_versions() != versions:
        rule = f"differ from {versions}"
        raise InputError("worker's versions", result_versions(), rule, "install the same on every worker")
    prepare(part)
    episode = part.episode(policy)
    start = time.perf_counter()
    tallies = tuple(episode.tallies(horizon=part.horizon, seed=part.seed, runs=runs, checkpoints=part.steps))
    seconds = time.perf_counter() - start
    metrics = tuple(metrics_of(episode.setting, tally, window=part.window) for tally in tallies)
    packed = tuple(_packed_trace(part, episode, run) for run in runs) if traces else ()
    return PlayedChunk(part.setting.name, policy, runs, tallies, metrics, packed, seconds)


def _packed_trace(part: CampaignPart, episode: CompiledEpisode, run: int) -> bytes:
    """Return a run's trace as it stands in its file; whoever started the campaign puts it there."""
    trace = episode.trace(horizon=part.horizon, seed=part.seed, run=run)
    with tempfile.TemporaryDirectory(prefix="costproof-") as folder:
        file = Path(folder) / "trace.csv.gz"
        write_trace(trace, file, episode.setting)
        return file.read_bytes()


@lru_cache(maxsize=1)
def result_versions() -> dict[str, str]:
    """Return the versions that results may depend on in their last digits.

    The kernel's is a digest of its source; that of radii tells processors apart whose vector instructions round
    logarithms differently.

    Examples
    --------
    >>> sorted(result_versions())
    ['costproof', 'kernel', 'numba', 'numpy', 'python', 'radii', 'scipy']
    """
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}", "kernel": _KERNEL}
    found["radii"] = hashlib.sha256(radius_table(9, 0.05).upto(_LOOKED_AT).tobytes()).hexdigest()[:12]
    for package in ("costproof", "numba", "numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree
            found[package] = "source"
    return found

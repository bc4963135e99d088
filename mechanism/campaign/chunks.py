"""Chunks of a campaign: consecutive runs of one setting under one policy, simulated by one worker."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bounds.errors import InputError
from mechanism.campaign.spec import CampaignPart
from mechanism.campaign.store import StoredRun
from mechanism.compiled import kernel
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import curves_of
from mechanism.metrics.measures import metrics_of_runs
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.plain_episode import PlainEpisode
from mechanism.tables import cost_table, quality_table, radius_table, target_table
from mechanism.tabular.traces import write_trace
from mechanism.versions import package_versions

Episode = CompiledEpisode | PlainEpisode

#: Steps of a chunk, without and with writing traces or in plain Python; the most runs that share a transaction, and the
#: most numbers in their tallies (32 MB), which count where there are many providers.
_CHUNK_STEPS, _TRACED_STEPS, _CHUNK_RUNS, _CHUNK_NUMBERS = 10_000_000, 50_000, 64, 4_000_000
# Taken on import, with the kernel itself: a source tree may change while a campaign runs.
_KERNEL = hashlib.sha256(Path(kernel.__file__).read_bytes() + kernel.CONSTANTS.encode()).hexdigest()[:12]
#: Radii that are compared between processors; with 9 providers one of the first 43,290 is known to differ.
_COMPARED_RADII = 65_535


@dataclass(frozen=True)
class FinishedChunk:
    """What a worker hands back: runs and, if asked, the packed trace of each."""

    runs: tuple[StoredRun, ...]
    traces: tuple[bytes, ...]


def split_runs(part: CampaignPart, runs: Sequence[int], traces: bool, at_least: int) -> Iterator[tuple[int, ...]]:
    """Yield runs of a part in chunks of one run or more, up to so many steps.

    There are `at_least` chunks or more, unless there are fewer runs.
    """
    numbers = len(part.played_steps) * (len(ProviderField) * part.setting.n_providers + len(RunField))
    steps = _TRACED_STEPS if traces or part.delay is not None else _CHUNK_STEPS
    length = min(_CHUNK_RUNS, max(1, min(steps // part.horizon, _CHUNK_NUMBERS // numbers)))
    chunks = min(max(-(-len(runs) // length), at_least), len(runs))
    for i in range(chunks):
        yield tuple(runs[i * len(runs) // chunks : (i + 1) * len(runs) // chunks])


@lru_cache(maxsize=64)
def prepare(part: CampaignPart) -> None:
    """Compile or load the kernel and build the part's tables, so that no worker does it while it is timed."""
    platform, n = part.setting.platform, part.setting.n_providers
    config = MechanismConfig.of(part.setting)
    for table in (quality_table(config), cost_table(config)):
        table.upto(part.horizon)
    target_table(n, platform.exploration_scale, platform.exploration_exponent).upto(part.horizon)
    for policy in part.policies:
        if part.policy(policy).compiled:
            part.episode(policy).tallies(horizon=n, seed=0, runs=[0])


def simulate_chunk(
    part: CampaignPart, policy: str, runs: tuple[int, ...], traces: bool, curves: bool, versions: dict[str, str]
) -> FinishedChunk:
    """Simulate runs of a part under a policy.

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
    tallies = episode.totals(horizon=part.horizon, seed=part.seed, runs=runs, checkpoints=part.played_steps)
    seconds = (time.perf_counter() - start) / len(runs)
    finished = finished_runs(part, policy, runs, tallies, seconds=seconds, curves=curves)
    return FinishedChunk(finished, tuple(_packed_trace(part, episode, run) for run in runs) if traces else ())


def finished_runs(
    part: CampaignPart, policy: str, runs: Sequence[int], tallies: Tally, *, seconds: float, curves: bool
) -> tuple[StoredRun, ...]:
    """Return what is kept of runs, given their totals after `part.steps`, or for curves after `part.played_steps`.

    `seconds`: how long each took to simulate; 0 where the clock ran backwards meanwhile.
    """
    episode = part.episode(policy)
    kept = tallies.at(part.steps)
    metrics = metrics_of_runs(episode.setting, kept, window=part.window)
    packed = [_packed_curves(part, episode, tally) for tally in tallies.each()] if curves else [None] * len(runs)
    return tuple(
        StoredRun(
            setting=part.setting.name,
            policy=policy,
            run=run,
            tally=totals.to_bytes(),
            metrics=measured,
            seconds=max(seconds, 0.0),
            curves=curve,
        )
        for run, totals, measured, curve in zip(runs, kept.each(), metrics, packed, strict=True)
    )


def _packed_curves(part: CampaignPart, episode: Episode, tally: Tally) -> bytes:
    margin = part.outcome_laws().tables().margin
    return curves_of(
        episode.setting, tally, steps=part.curve_steps, window=part.window, margin=margin, policy=episode.policy
    ).to_bytes()


def _packed_trace(part: CampaignPart, episode: Episode, run: int) -> bytes:
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
    logarithms differently. A package that runs from a source tree has the version "source".

    Examples
    --------
    >>> sorted(result_versions())
    ['costproof', 'kernel', 'numba', 'numpy', 'python', 'radii', 'scipy']
    """
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "kernel": _KERNEL,
        "radii": hashlib.sha256(radius_table(9, 0.05).upto(_COMPARED_RADII).tobytes()).hexdigest()[:12],
        **package_versions(("costproof", "numba", "numpy", "scipy"), absent="source"),
    }

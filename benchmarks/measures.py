"""What is measured, and how: CPU seconds of one thread, the best of several tries, ratios within one process."""

from __future__ import annotations

import dataclasses
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numba as nb
import numpy as np

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from costproof.market import curves
from mechanism.compiled.episode import CompiledEpisode, step_block
from mechanism.compiled.kernel import draws, outcomes
from mechanism.compiled.layout import CHUNK, OutcomeSource, StepBlock
from mechanism.episode import simulate
from mechanism.market.market import MarketLaws, market_laws
from mechanism.policies import POLICIES
from mechanism.randomness import RandomStream, stream_key
from mechanism.tabular.traces import write_trace

#: Providers, and the horizon of a compiled run: long enough that auctions, not exploration, are most of it.
SIZES = {9: 70_000, 12: 70_000, 100: 2_000_000, 1_000: 5_000_000, 10_000: 5_000_000, 100_000: 10_000_000}
_FLOOR_STEPS = 2**23


def market_of(n_providers: int) -> tuple[Setting, MarketLaws]:
    """Return a market of N providers that serve the models of a published roster in turn, on independent queries."""
    base = published("gsm8k-ladder" if n_providers == 12 else "gsm8k-full").setting
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


def beside_prototype(script: Path, times: int = 5) -> list[tuple[str, ...]]:
    """Return providers, steps, millions of our steps a second and their share of the prototype's, as a script says.

    The script is run several times: its shares differ by a half from one time to the next. Each row is that of the
    median share, followed by the least and the largest share.
    """
    rows: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for _ in range(times):
        done = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True)
        found = re.findall(r"N=([\d,]+) T=([\d,]+): ours ([\d.]+) M steps/s, ([\d.]+) of", done.stdout)
        for providers, steps, rate, share in found:
            rows.setdefault((providers, steps), []).append((float(share), rate))
    return [_median_row(*marks, sorted(runs)) for marks, runs in rows.items()]


def _median_row(providers: str, steps: str, runs: list[tuple[float, str]]) -> tuple[str, ...]:
    share, rate = runs[len(runs) // 2]
    return providers, steps, rate, f"{share:.2f}", f"{runs[0][0]:.2f}", f"{runs[-1][0]:.2f}"


@nb.njit(error_model="numpy", _nrt=False)  # type: ignore[untyped-decorator]
def _floor(source: OutcomeSource, provider: int, block: StepBlock) -> float:
    total, kind = 0.0, source.laws.kinds[provider]
    for step in range(1, _FLOOR_STEPS + 1, CHUNK):
        draws(source, step, provider, block, np.uint64(0))
        outcomes(source, (step, CHUNK), provider, kind, block, np.uint64(0), np.uint64(0))
        for j in range(CHUNK):
            total += block.scores[j] + block.costs[j]
    return total


def floor_rate(n_providers: int, tries: int = 5) -> float:
    """Return steps per second of drawing a score and a cost and adding them: no mechanism can be faster."""
    setting, market = market_of(n_providers)
    key = np.uint64(stream_key(0, 0, RandomStream.OUTCOMES))
    provider = setting.optimal if setting.optimal is not None else 4
    arguments = (OutcomeSource(market.tables(), np.zeros(0, dtype=np.int64), key), provider, step_block())
    _floor(*arguments)
    return _FLOOR_STEPS / cpu_seconds(lambda: _floor(*arguments), tries)


@lru_cache(maxsize=1)
def _headline_episodes() -> tuple[CompiledEpisode, ...]:
    return tuple(
        CompiledEpisode(published(name).setting, policy) for name in PUBLISHED_NAMES for policy in POLICIES.values()
    )


def headline(jobs: int) -> float:
    """Return the wall seconds of the paper's experiment, 5 settings x 5 policies x 30 runs x 70,000, all metrics."""
    from joblib import Parallel, delayed

    for episode in _headline_episodes():
        episode.tallies(horizon=70_000, seed=0, runs=[])  # tables
    start = time.perf_counter()
    Parallel(n_jobs=jobs, backend="threading")(
        delayed(episode.tallies)(horizon=70_000, seed=0, runs=range(first, first + 10), checkpoints=[60_000])
        for episode in _headline_episodes()
        for first in (0, 10, 20)
    )
    return time.perf_counter() - start


def curves_seconds(jobs: int) -> float:
    """Return the wall seconds of all curves of 30 runs of 70,000 queries with 9 providers, from Python."""
    curves("gsm8k-full", runs=1, policies="platform")  # tables and machine code
    start = time.perf_counter()
    curves("gsm8k-full", runs=30, policies="platform", jobs=jobs)
    return time.perf_counter() - start


def in_fresh_process(code: str, cache: str | None = None) -> tuple[float, float, int]:
    """Run Python code in a process of its own; return wall and CPU seconds, and the peak of its memory in MB."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    watch = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{watch}"], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - start, cpu, int(done.stdout.split()[-1]) // 1024


def audited_log(folder: Path, rows: int) -> Path:
    """Write the log of one run as Parquet, in a process of its own, whose memory ends with it."""
    path = folder / f"log-{rows}.parquet"
    in_fresh_process(f"from benchmarks.measures import write_log; write_log({str(path)!r}, {rows})")
    return path


def write_log(path: str, rows: int) -> None:
    """Simulate one run of the platform and write its log."""
    setting = published("gsm8k-full").setting
    write_trace(CompiledEpisode(setting).trace(horizon=rows, seed=7), path, setting)


ONE_RUN = """
from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
CompiledEpisode(published("gsm8k-full").setting).tallies(horizon={horizon}, seed=0, runs=range({runs}))
"""


def start_up() -> dict[str, tuple[float, float]]:
    """Return wall and CPU seconds of a first run of 1,000 steps: without a cache (it compiles), and with one."""
    code = ONE_RUN.format(horizon=1000, runs=1)
    with tempfile.TemporaryDirectory() as cache:
        return {name: in_fresh_process(code, cache)[:2] for name in ("cold", "cached")}


def memory_of_campaign(runs: int = 1000) -> int:
    """Return the peak memory in MB of a process that plays runs of 70,000 steps and keeps their tallies."""
    return in_fresh_process(ONE_RUN.format(horizon=70_000, runs=runs))[2]

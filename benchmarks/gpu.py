"""`python -m benchmarks.gpu`: how fast a GPU plays many short runs, as a table in Markdown.

Whether it plays the runs that the processor plays is what `tests/mechanism/test_gpu.py` looks at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

from numba import cuda

from benchmarks.measures import market_of
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.compiled.gpu import GpuEpisode
from mechanism.episode import OutcomeLaws

#: A setting and its laws by name, and how long its runs are.
CASES: dict[str, tuple[Callable[[], tuple[Setting, OutcomeLaws | None]], int]] = {
    "gpqa-strong": (lambda: (published("gpqa-strong").setting, None), 1_000),
    "gsm8k-full": (lambda: (published("gsm8k-full").setting, None), 1_000),
    "gsm8k-full, independent queries": (lambda: market_of(9), 1_000),
    "gsm8k-full, independent queries, long": (lambda: market_of(9), 10_000),
    "20 providers, independent queries": (lambda: market_of(20), 1_000),
}
_PROCESSOR_STEPS = 5_000_000


def seconds(call: Callable[[], object], tries: int = 2) -> float:
    """Return the least wall time of a call, after one that compiles and warms up."""
    call()
    found = []
    for _ in range(tries):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return min(found)


def played(episode: GpuEpisode, horizon: int, runs: int) -> int:
    """Play runs and return how many; their totals are dropped, as a campaign drops them once it has their metrics."""
    return sum(len(launch.overall) for launch in episode.tallies(horizon=horizon, seed=0, runs=range(runs)))


def row(name: str, runs: int) -> str:
    """Return a row of the table: steps per second of all, of what a further step costs, and of one processor thread."""
    build, horizon = CASES[name]
    setting, laws = build()
    episode = CompiledEpisode(setting, laws=laws)
    gpu = GpuEpisode(episode)
    n = setting.n_providers
    whole, start = (seconds(lambda steps=steps: played(gpu, steps, runs)) for steps in (horizon, n))
    few = _PROCESSOR_STEPS // horizon
    thread = few * horizon / seconds(lambda: episode.tallies(horizon=horizon, seed=0, runs=range(few)))
    further = runs * (horizon - n) / (whole - start)
    return (
        f"| {name} | {n} | {runs:,} x {horizon:,} | {whole:.2f} s | {runs * horizon / whole / 1e9:.2f} G "
        f"| {further / 1e9:.1f} G | {thread / 1e6:.1f} M |\n"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000, help="runs of each setting (default 1,000,000)")
    chosen = parser.parse_args(argv)
    sys.stdout.write(f"{cuda.get_current_device().name}; all metrics measured; keys drawn and totals fetched\n\n")
    sys.stdout.write("| market | providers | runs x steps | wall | steps/s | steps/s, a further step | one thread |\n")
    sys.stdout.write("|--|--|--|--|--|--|--|\n")
    for name in CASES:
        sys.stdout.write(row(name, chosen.runs))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

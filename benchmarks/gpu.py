"""`python -m benchmarks.gpu`: how fast a GPU plays many short runs, as a table in Markdown.

Whether it plays the runs that the processor plays is what `tests/mechanism/test_gpu.py` looks at.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from numba import cuda

from benchmarks.measures import market_of
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.compiled import gpu
from mechanism.compiled.episode import CompiledEpisode
from mechanism.episode import OutcomeLaws

#: Markets by name.
MARKETS: dict[str, Callable[[], tuple[Setting, OutcomeLaws | None]]] = {
    "gsm8k-full, in passes over its questions": lambda: (published("gsm8k-full").setting, None),
    "the same, independent queries": lambda: market_of(9),
    "gpqa-strong, in passes": lambda: (published("gpqa-strong").setting, None),
}
HORIZON, _THREAD_RUNS = 1_000, 5_000


class Watched:
    """A kernel whose launches are waited for; `seconds` is how long they took."""

    def __init__(self, kernel: Any) -> None:
        self._kernel, self.seconds = kernel, 0.0

    def __getitem__(self, launch: tuple[int, ...]) -> Callable[..., None]:
        started = self._kernel[launch]

        def call(*arguments: Any) -> None:
            cuda.synchronize()
            began = time.perf_counter()
            started(*arguments)
            cuda.synchronize()
            self.seconds += time.perf_counter() - began

        return call


def played(episode: gpu.GpuEpisode, runs: int) -> tuple[float, float]:
    """Play runs and return the wall time of all, and that of the GPU alone; totals are fetched and dropped."""
    kernel = gpu.play_runs
    gpu.play_runs = watched = Watched(kernel)
    try:
        began = time.perf_counter()
        for _ in episode.totals(horizon=HORIZON, seed=0, runs=range(runs)):
            pass
        return time.perf_counter() - began, watched.seconds
    finally:
        gpu.play_runs = kernel


def thread_rate(episode: CompiledEpisode) -> float:
    """Return the steps per second of one thread of the processor."""
    began = time.perf_counter()
    episode.tallies(horizon=HORIZON, seed=0, runs=range(_THREAD_RUNS))
    return _THREAD_RUNS * HORIZON / (time.perf_counter() - began)


def row(name: str, runs: int) -> str:
    """Return a row of the table, the better of two tries, after one that compiles."""
    setting, laws = MARKETS[name]()
    episode = CompiledEpisode(setting, laws=laws)
    device = gpu.GpuEpisode(episode)
    played(device, 1_000)
    wall, alone = (min(times) for times in zip(*(played(device, runs) for _ in range(2)), strict=True))
    thread = max(thread_rate(episode) for _ in range(2))
    rate = f"{runs * HORIZON / alone / 1e9:.1f} G"
    return f"| {name} | {setting.n_providers} | {rate} | {wall:.1f} s | {thread / 1e6:.0f} M steps/s |\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000_000, help="runs of each market (default 1,000,000)")
    chosen = parser.parse_args(argv)
    head = f"{chosen.runs:,} runs of {HORIZON:,} steps, wall"
    sys.stdout.write(f"{cuda.get_current_device().name}; all metrics\n\n")
    sys.stdout.write(f"| market | providers | steps/s of the GPU | {head} | one thread |\n|--|--|--|--|--|\n")
    for name in MARKETS:
        sys.stdout.write(row(name, chosen.runs))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

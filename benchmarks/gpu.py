"""`python -m benchmarks.gpu`: steps per second of the GPU, if it plays the runs that the processor plays.

One line of JSON for each setting, with the GPU's name.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence

import numpy as np
from numba import cuda

from benchmarks.measures import market_of
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.compiled.gpu import GpuEpisode
from mechanism.episode import OutcomeLaws
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import POLICIES

#: Totals that must be equal to the last bit: what counts something, and what is added step by step in both.
EQUAL = {
    *("SELECTIONS", "EXPLORATIONS", "ORDINARY", "LAST_SELECTION", "SCORE", "COST", "ELIGIBLE"),
    *("BAND_VIOLATIONS", "PAYMENT_VIOLATIONS", "EXPLORATION_COST"),
}


def differences(expected: Sequence[Tally], found: Sequence[Tally]) -> list[str]:
    """Return the totals that differ: those of `EQUAL` at all, other money by more than rounding."""
    wrong = set()
    for one, other in zip(expected, found, strict=True):
        for fields, mine, theirs in (
            (ProviderField, one.by_provider, other.by_provider),
            (RunField, one.overall, other.overall),
        ):
            for field in fields:
                pair = mine[:, field], theirs[:, field]
                exact = field.name in EQUAL
                same = np.array_equal(*pair, equal_nan=True) if exact else np.allclose(*pair, rtol=1e-11, atol=1e-9)
                wrong |= set() if same else {field.name}
    return sorted(wrong)


def measured(
    setting: Setting, laws: OutcomeLaws | None, policy: str, *, horizon: int, runs: int, tries: int
) -> dict[str, object]:
    """Return what the GPU makes of a setting: differences from the processor in some runs, and steps per second."""
    episode = CompiledEpisode(setting, POLICIES[policy], laws=laws)
    gpu = GpuEpisode(episode)
    few = {"horizon": horizon, "seed": 0, "runs": range(min(runs, 300)), "checkpoints": (1, horizon // 2)}
    wrong = differences(episode.tallies(**few), gpu.tallies(**few))
    keys, seconds, total = time.perf_counter(), [], runs * horizon
    episode.keys(0, range(runs))
    keys = time.perf_counter() - keys
    for _ in range(tries):
        began = time.perf_counter()
        gpu.tallies(horizon=horizon, seed=0, runs=range(runs))
        seconds.append(time.perf_counter() - began)
    began = time.perf_counter()
    alone = max(1, 10_000_000 // horizon)
    episode.tallies(horizon=horizon, seed=0, runs=range(alone))
    processor = alone * horizon / (time.perf_counter() - began)
    return {
        "setting": setting.name,
        "providers": setting.n_providers,
        "policy": policy,
        "horizon": horizon,
        "runs": runs,
        "different": wrong,
        "steps_per_second": total / min(seconds),
        "steps_per_second_without_keys": total / max(min(seconds) - keys, 1e-9),
        "seconds_for_keys": keys,
        "processor_thread_steps_per_second": processor,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for every setting, 1 if any total differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--tries", type=int, default=2)
    chosen = parser.parse_args(argv)
    device = cuda.get_current_device().name
    cases = [(published(name).setting, None, "platform", 1_000) for name in PUBLISHED_NAMES]
    cases += [(published("gsm8k-full").setting, None, policy, 1_000) for policy in POLICIES if policy != "platform"]
    cases += [(*market_of(n), "platform", horizon) for n, horizon in ((9, 1_000), (9, 10_000), (20, 1_000))]
    failed = False
    for setting, laws, policy, horizon in cases:
        found = measured(setting, laws, policy, horizon=horizon, runs=chosen.runs, tries=chosen.tries)
        failed |= bool(found["different"])
        sys.stdout.write(json.dumps({"device": device} | found) + "\n")
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())

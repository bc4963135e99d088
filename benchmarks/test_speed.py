"""Benchmarks that assert nothing about time: `pytest benchmarks -p benchmark --benchmark-only -n 0`."""

from __future__ import annotations

import os
from typing import Any

import pytest

from benchmarks import measures, tools


@pytest.mark.parametrize("metrics", [False, True], ids=["lean", "metrics"])
@pytest.mark.parametrize("n_providers", measures.SIZES)
def test_compiled_episode(benchmark: Any, n_providers: int, metrics: bool) -> None:
    rate = benchmark.pedantic(
        measures.compiled_rate, args=(n_providers,), kwargs={"measures": metrics, "tries": 1, "spent": 0.0}, rounds=3
    )
    floor, plain = measures.floor_rate(n_providers), measures.plain_rate(n_providers, tries=1)
    benchmark.extra_info.update(steps_per_second=rate, share_of_floor=rate / floor, times_plain=rate / plain)


@pytest.mark.parametrize("jobs", sorted({1, os.cpu_count() or 1}))
def test_headline_experiment(benchmark: Any, jobs: int) -> None:
    benchmark.pedantic(measures.headline, args=(jobs,), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("jobs", sorted({1, os.cpu_count() or 1}))
def test_curves(benchmark: Any, jobs: int) -> None:
    benchmark.pedantic(measures.curves_seconds, args=(jobs,), rounds=5, warmup_rounds=1)


def test_start_up(benchmark: Any) -> None:
    seconds = benchmark.pedantic(measures.start_up, rounds=1)
    benchmark.extra_info.update({f"{name}_seconds": wall for name, (wall, _) in seconds.items()})


def test_memory(benchmark: Any) -> None:
    benchmark.extra_info["peak_megabytes"] = benchmark.pedantic(measures.memory_of_campaign, rounds=1)


def test_audit(benchmark: Any) -> None:
    rows = benchmark.pedantic(tools.audited_rows, rounds=1)
    benchmark.extra_info.update(rows_per_second=rows, times_plain=rows / tools.plain_steps())


@pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
def test_conformance_suite(benchmark: Any, quick: bool) -> None:
    benchmark.pedantic(tools.suite_seconds, kwargs={"quick": quick}, rounds=1)


def test_proofs(benchmark: Any) -> None:
    benchmark.pedantic(tools.proving_seconds, rounds=1)

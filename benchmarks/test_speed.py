"""Benchmarks that assert nothing about time: `pytest benchmarks -p benchmark --benchmark-only -n 0`."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import measures


@pytest.mark.parametrize("metrics", [False, True], ids=["lean", "metrics"])
@pytest.mark.parametrize("n_providers", measures.SIZES)
def test_compiled_episode(benchmark: Any, n_providers: int, metrics: bool) -> None:
    rate = benchmark.pedantic(
        measures.compiled_rate, args=(n_providers,), kwargs={"measures": metrics, "tries": 1, "spent": 0.0}, rounds=3
    )
    plain = measures.plain_rate(n_providers, tries=1)
    benchmark.extra_info.update(steps_per_second=rate, times_plain=rate / plain)


def test_papers_experiment(benchmark: Any) -> None:
    benchmark.pedantic(measures.papers_experiment, rounds=3, warmup_rounds=1)

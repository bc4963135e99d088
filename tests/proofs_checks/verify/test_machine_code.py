"""Short verifications do without the compiled simulator where it is not there yet, and find the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from bounds.published import PUBLISHED_NAMES, published
from mechanism import running
from mechanism.compiled.episode import CompiledEpisode
from mechanism.compiled.kernel import at_hand
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verify import episodes
from proofs_checks.verify.episodes import DEFAULT, QUICK, Effort, in_machine_code, in_streaks
from proofs_checks.verify.run import verify

STRONG = published("gpqa-strong").setting
SETTINGS = [published(name).setting for name in PUBLISHED_NAMES]


def test_a_short_one_waits_for_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(episodes, "traces_at_hand", lambda: False)
    assert not in_machine_code(SETTINGS, QUICK)
    assert in_machine_code(SETTINGS, DEFAULT)
    monkeypatch.setattr(episodes, "traces_at_hand", lambda: True)
    assert in_machine_code(SETTINGS, QUICK)


def test_traces_are_played_step_by_step_until_they_are_many() -> None:
    assert not in_streaks(SETTINGS, DEFAULT)
    assert in_streaks(SETTINGS, replace(DEFAULT, runs=1_000))
    assert in_streaks(SETTINGS, replace(DEFAULT, runs=1, horizon=30_000_000))
    assert not in_streaks([], DEFAULT)


@pytest.mark.long("verifies twice")
def test_it_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    effort, found = Effort(runs=2, horizon=300, variant_horizon=200, instances=0), []
    for there in (True, False):
        monkeypatch.setattr(episodes, "traces_at_hand", lambda there=there: there)
        data = verify([STRONG], effort=effort, labels=["thm:regret", "lem:payment-range", "lem:one-step"]).to_data()
        found.append({key: part for key, part in data.items() if key != "seconds"})
    assert found[0] == found[1]


@pytest.mark.for_each("variant", VARIANTS)
def test_the_plain_run_is_the_compiled_one(variant: str) -> None:
    both = [play(STRONG, variant, horizon=400, seed=5, run=1, machine_code=code).trace for code in (True, False)]
    for column in ("provider", "payment", "score", "bid", "cost"):
        assert getattr(both[0], column).tolist() == getattr(both[1], column).tolist()


def test_copies_of_a_process_need_not_compile_what_long_runs_need(monkeypatch: pytest.MonkeyPatch) -> None:
    used, machine_code = set[tuple[str, ...]](), vars(running)["_machine_code"]

    def noted(function: Callable[..., None]) -> Callable[..., None]:
        def call(*arrays: NDArray[Any]) -> None:
            used.add((function.__name__, *(array.dtype.name for array in arrays)))
            machine_code(function)(*arrays)

        return call

    monkeypatch.setattr(running, "_machine_code", noted)
    running.load_machine_code()
    loaded = set(used)
    case = play(STRONG, "truthful", horizon=running.LONG // STRONG.n_providers, seed=0, run=0, machine_code=False)
    used.clear()
    for label in (stated.label for stated in all_claims().values() if stated.checks):
        claim(label).check(case)
    assert used
    assert used <= loaded


def _said(code: str, folder: str | None, **variables: str) -> str:
    """Return what code prints in a new process, whose machine code a folder keeps."""
    environment = {**os.environ, **variables, **({} if folder is None else {"NUMBA_CACHE_DIR": folder})}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout.strip()


KERNEL = "from mechanism.compiled.kernel import at_hand; print(at_hand())"
TRACES = "from mechanism.compiled.episode import traces_at_hand; print(traces_at_hand())"
CHANGED = """
from mechanism.compiled.steps import play_steps
play_steps._cache._cache_file._source_stamp = 0.0, 0  # when the source was changed, and how long it is
"""
PLAY = """
from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
CompiledEpisode(published("gpqa-strong").setting).trace(horizon=10, seed=0)
"""


@pytest.mark.long("compiles in new processes")
def test_what_was_compiled_before_is_at_hand(tmp_path: Path) -> None:
    CompiledEpisode(STRONG).tallies(horizon=10, seed=0, runs=[0])
    assert at_hand()
    assert _said(KERNEL, None) == "True"
    folder = str(tmp_path)
    assert _said(KERNEL, folder) == _said(TRACES, folder) == "False"
    # A first trace compiles what plays traces, and not the kernel.
    _said(PLAY, folder)
    assert _said(TRACES, folder) == "True"
    assert _said(KERNEL, folder) == "False"
    # What was compiled for another processor, or of an older source, is of no use.
    assert _said(TRACES, folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == "False"
    assert _said(CHANGED + TRACES, folder) == "False"


@pytest.mark.long("starts a process")
def test_without_a_compiler_everything_is_at_hand(tmp_path: Path) -> None:
    said = _said(f"{TRACES}\n{KERNEL}\n{PLAY}", str(tmp_path), NUMBA_DISABLE_JIT="1")
    assert said.split() == ["True", "True"]
    assert not list(tmp_path.rglob("*.nbi"))

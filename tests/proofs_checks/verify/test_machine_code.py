"""Short verifications do without the compiled simulator, and find the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from numpy.typing import NDArray

from bounds.published import PUBLISHED_NAMES, published
from mechanism import running
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verify import episodes
from proofs_checks.verify.episodes import DEFAULT, QUICK, Effort, in_machine_code
from proofs_checks.verify.run import verify

STRONG = published("gpqa-strong").setting
SETTINGS = [published(name).setting for name in PUBLISHED_NAMES]


def test_a_short_one_waits_for_no_compiler() -> None:
    assert not in_machine_code(SETTINGS, QUICK)
    assert in_machine_code(SETTINGS, DEFAULT)


@pytest.mark.long("verifies twice")
def test_it_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    effort, found = Effort(runs=2, horizon=300, variant_horizon=200, instances=0), []
    for least in (0, 10**9):
        monkeypatch.setattr(episodes, "_WORTH_MACHINE_CODE", least)
        assert in_machine_code([STRONG], effort) == (least == 0)
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

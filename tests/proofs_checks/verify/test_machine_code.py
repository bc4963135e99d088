"""Short verifications do without the compiled simulator, and find the same."""

from __future__ import annotations

import pytest

from bounds.published import published
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.verify import episodes
from proofs_checks.verify.episodes import Effort, in_machine_code
from proofs_checks.verify.run import verify

STRONG = published("gpqa-strong").setting


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

"""A violation never has a ratio below 1, whatever the comparisons beside it came to."""

from __future__ import annotations

import pytest

from proofs_checks.claims.model.tightness import Tightness, joined


@pytest.mark.for_each(("failed", "ratio", "kept"), [(0, 0.9, 0.9), (2, 0.9, None), (2, 0.0, None), (2, 2.0, 2.0)])
def test_a_ratio_below_1_is_kept_only_where_nothing_failed(failed: int, ratio: float, kept: float | None) -> None:
    assert Tightness(9, failed, -1.0, ratio).ratio == kept


def test_parts_of_a_trace_keep_the_rule() -> None:
    failed, fine = Tightness(3, 1, -50.0, None, {"step": 1}), Tightness(3, 0, 1.0, 0.7, {"step": 5})
    for parts in ((failed, fine), (fine, failed)):
        found = joined(*parts, by_ratio=False)
        assert (found.violations, found.ratio, found.where) == (1, None, {"step": 1})

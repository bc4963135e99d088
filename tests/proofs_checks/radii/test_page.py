"""docs/radii.md says what is computed, and the effects are what they are called."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import RADII
from mechanism.trace import Trace
from proofs_checks.radii.effects import lead_time, radius_effects
from proofs_checks.radii.page import HORIZON, PAGE, RUNS, row, table

# The page of the checkout: an installed package has none.
TEXT = (Path(__file__).parents[3] / "docs" / PAGE.name).read_text(encoding="utf-8")
ROWS = {tuple(line.split(" | ")[:2]): line for line in TEXT.splitlines() if line.startswith(("| gsm8k", "| gpqa"))}


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40), st.integers(0, 2))
def test_lead_time_is_brute_force(providers: list[int], optimal: int) -> None:
    ones = [1.0] * len(providers)
    found = lead_time(Trace(providers, ones, ones, ones), 3, optimal)

    def leads(steps: int) -> bool:
        counts = [providers[:steps].count(i) for i in range(3)]
        return all(counts[optimal] > count for i, count in enumerate(counts) if i != optimal)

    expected = [t for t in range(1, len(providers) + 1) if all(map(leads, range(t, len(providers) + 1)))]
    assert found == (expected[0] if expected else math.inf)


@pytest.mark.long("plays two runs of each radius in each setting")
@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_the_page_has_the_guarantees_of_every_radius(name: str) -> None:
    effects = radius_effects(published(name).setting, HORIZON, runs=2)
    assert [each.radius for each in effects] == list(RADII)
    for each in effects:
        computed = row(each).split(" | ")[:4]
        assert ROWS[(computed[0], computed[1])].split(" | ")[:4] == computed


@pytest.mark.long("plays the runs of the page")
def test_the_page_has_the_runs_of_a_radius() -> None:
    (effect,) = radius_effects(published("gpqa-strong").setting, HORIZON, runs=RUNS, radii=["stitched"])
    assert row(effect) in TEXT.splitlines()


def test_a_row_and_a_table_of_effects() -> None:
    effects = radius_effects(published("gpqa-strong").setting, 300, runs=2, radii=["stitched", "kl"])
    assert [each.radius for each in effects] == ["stitched", "kl"]
    lines = list(table([replace(each, horizon=HORIZON) for each in effects]))
    assert [line.split(" | ")[1] for line in lines[-2:]] == ["`stitched`", "`kl`"]
    # What is guaranteed does not depend on the runs.
    assert row(effects[0]).split(" | ")[3] == ROWS["| gpqa-strong", "`stitched`"].split(" | ")[3]

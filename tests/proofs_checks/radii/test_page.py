"""docs/radii.md says what is computed, and the effects are what they are called."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.names import RADII
from mechanism.trace import Trace
from proofs_checks.radii.effects import RadiusEffect, lead_time, radius_effects
from proofs_checks.radii.page import HORIZON, PAGE, RUNS, page, row, table

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


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_the_page_has_the_guarantees_of_every_radius(name: str) -> None:
    effects = radius_effects(published(name).setting, HORIZON, runs=2)
    assert [each.radius for each in effects] == list(RADII)
    for each in effects:
        computed = row(each).split(" | ")[:4]
        assert ROWS[(computed[0], computed[1])].split(" | ")[:4] == computed


def test_the_page_has_the_runs_of_a_radius() -> None:
    (effect,) = radius_effects(published("gpqa-strong").setting, HORIZON, runs=RUNS, radii=["stitched"])
    assert row(effect) in TEXT.splitlines()


def test_the_page_is_made_of_the_effects() -> None:
    def effect(setting: str, radius: str, scale: float) -> RadiusEffect:
        runs = np.array([1.0, 3.0])
        return RadiusEffect(
            setting=setting,
            radius=radius,
            horizon=HORIZON,
            identification_bound=math.inf if radius == "kl" else 100.0,
            identification_horizon=None if radius == "kl" else 1000,
            unqualified_share=0.1 * scale * runs,
            amount_paid=scale * runs,
            auction_payment=runs,
            lead=np.array([5.0, math.inf]),
        )

    scales = {name: 1 / (1 + i) for i, name in enumerate(RADII)}
    made = [effect("s", name, scale) for name, scale in scales.items()]
    assert (
        list(table(made))[3]
        == "| s | `kl` | - | - | 10.00 ± 5.00 | 1.00 ± 0.50 | 2.00 ± 1.00 | after 70,000 | after 70,000 |"
    )
    text = page(made)
    assert "`beta-binomial` by a factor of 3.0 to 3.0, `kl` by one of 2.0 to 2.0." in " ".join(text.split())
    for start, end in (("# Confidence radii", "At T ="), ("## Radii that depend", "already use")):
        parts = [whole[whole.index(start) : whole.index(end)] for whole in (TEXT, text)]
        assert parts[0] == parts[1]

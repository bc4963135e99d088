"""Providers beside each other: counts that resolve gaps, midpoints, and the price scale, against plain computations."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.explorer.comparison_pictures import landscape_picture, radii_picture
from proofs_checks.explorer.comparison_words import roster_sentences
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.cost_bound import least_cost_bound
from proofs_checks.explorer.roster_view import midpoints, next_midpoint, roster_view

GPQA = published("gpqa-strong").setting


def market(*providers: Provider, threshold: float = 0.5, **platform: float) -> Market:
    found = Setting("mine", PlatformParameters(threshold, 0.05, 1.0, 2.0, 0.75, **platform), list(providers))
    return Market(setting=found, horizon=1000)


def beta(m: int, providers: int, confidence: float) -> float:
    return math.sqrt(math.log(2 * math.pi**2 * providers * m**2 / (3 * confidence)) / (2 * m))


@pytest.mark.parametrize("slack", [0.0, 0.5])
def test_a_gap_is_resolved_at_the_first_count_whose_radius_is_below_half_of_it(slack: float) -> None:
    found = roster_view(
        market(
            Provider("best", 0.9, 0.2),
            Provider("dear", 0.8, 0.7),
            Provider("poor", 0.2, 0.1),
            Provider("near", 0.4, 0.3),
            belief_slack=slack,
        )
    )
    gaps = {"dear": 0.5 / (1 + slack), "poor": 0.3, "near": 0.1}
    for row in found.rows:
        if row.name not in gaps:
            assert row.resolved_at is None
            continue
        count = next(m for m in range(1, 100_000) if beta(m, 4, 0.05) < gaps[row.name] / 2)
        assert row.resolved_at == count
        assert row.level == pytest.approx(gaps[row.name] / 2)
    middle = len(found.counts) // 2
    assert found.radii[middle] == pytest.approx(beta(int(found.counts[middle]), 4, 0.05))


def test_midpoints_lie_halfway_between_neighbours_and_equal_qualities_have_none() -> None:
    setting = market(
        Provider("a", 0.2, 0.1), Provider("b", 0.2, 0.2), Provider("c", 0.5, 0.1), Provider("d", 0.9, 0.1)
    ).setting
    assert [Fraction(str(each)) for each in midpoints(setting)] == [Fraction(35, 100), Fraction(7, 10)]
    walked, threshold = [], 0.0
    while True:
        placed = replace(setting, platform=replace(setting.platform, quality_threshold=threshold))
        found = next_midpoint(placed, "later")
        if found is None:
            break
        walked.append(threshold := found)
    assert walked == [0.35, 0.7]
    assert next_midpoint(placed, "earlier") == 0.35


def least(*providers: Provider) -> float | None:
    return least_cost_bound(market(*providers).setting.to_data()["provider"])


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_the_least_c_max_of_the_papers_settings_is_their_c_max(name: str) -> None:
    setting = published(name).setting
    assert least_cost_bound(setting.to_data()["provider"]) == setting.platform.cost_bound


def test_the_least_c_max_is_512_tokens_or_the_dearest_mean_cost() -> None:
    cheap = Provider("a", 0.2, 0.1, listed_price=0.001)
    assert least(cheap, Provider("b", 0.2, 0.2, listed_price=0.0005, multiplicity=4)) == 512 * 0.002
    assert least(cheap, Provider("b", 0.2, 0.9, listed_price=0.0005)) == 0.9
    assert least(cheap, Provider("b", 0.2, 0.2)) is None
    assert least_cost_bound([{"listed_price": 0.0, "mean_cost": 0.0}] * 2) is None


@pytest.mark.parametrize(
    ("threshold", "costs", "reason"),
    [
        (0.99, (0.1, 0.2), "nobody is qualified"),
        (0.1, (0.2, 0.2), "several of the qualified ones share the lowest cost"),
    ],
)
def test_without_an_optimal_provider_the_reason_is_said(
    threshold: float, costs: tuple[float, float], reason: str
) -> None:
    found = roster_view(market(Provider("a", 0.8, costs[0]), Provider("b", 0.6, costs[1]), threshold=threshold))
    assert f"There is no single optimal provider i*: {reason}." in roster_sentences(found)
    for draw in (landscape_picture, radii_picture):
        assert draw(found, "light")["data"]


def test_the_pictures_show_the_view() -> None:
    found = roster_view(Market(setting=GPQA, horizon=500))
    landscape, radii = (
        {
            name: (x, y)
            for each in draw(found, "dark")["data"]
            if "customdata" in each
            for name, x, y in zip(each["customdata"], each["x"], each["y"], strict=True)
        }
        for draw in (landscape_picture, radii_picture)
    )
    assert {row.name: (row.cost, row.quality) for row in found.rows}.items() <= landscape.items()
    assert {name: x for name, (x, _) in radii.items()} == {
        row.name: row.resolved_at for row in found.rows if row.resolved_at
    }

"""Bounds of many settings at once say what the bounds of each say alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import ManyBounds, evaluate_many
from bounds.guarantees import GUARANTEES
from bounds.language import evaluation
from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.report import evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting

FULL = published("gsm8k-full").setting
#: Both sides sum over providers, in one order or another.
SUMMED = 1e-13


def drawn(rng: np.random.Generator, size: int, base: Setting = FULL) -> SettingColumns:
    """Return settings with ties of costs and of qualities with the threshold, equal costs, few or none qualified."""
    n, largest = base.n_providers, base.platform.cost_bound
    threshold = rng.choice([0.0, 0.5, 0.764, 0.9, 1.0], size)
    quality = rng.choice([0.0, 0.3, 0.499, 0.5, 0.764, 0.8, 1.0], (size, n))
    near = rng.random((size, n)) < 0.3
    quality = np.where(near, np.clip(rng.uniform(-1, 1, (size, n)) * 0.1 + threshold[:, None], 0, 1), quality)
    cost = np.where(rng.random((size, n)) < 0.3, rng.choice([0.0, 1.0, 1.5, largest], (size, n)), 0)
    cost = np.where(cost > 0, cost, rng.uniform(0, largest, (size, n)))
    return SettingColumns(
        base=base,
        horizon=rng.choice([n, n + 1, 1000, 70_000, 10**9], size),
        platform={
            "quality_threshold": threshold,
            "confidence": rng.uniform(1e-3, 0.99, size),
            "exploration_scale": rng.choice([1e-3, 0.5, 2.0, 30.0], size),
            "exploration_exponent": rng.choice([0.05, 0.5, 2 / 3, 0.75, 0.95], size),
            "belief_slack": rng.choice([0.0, 0.5], size),
            "underbid": rng.choice([0.0, 0.5, 1.0], size),
            "overbid": rng.choice([0.0, 0.0, 0.5], size),
        },
        quality=quality,
        mean_cost=cost,
    )


def compare(found: ManyBounds, columns: SettingColumns, rows: np.ndarray) -> None:
    """Hold rows to what `evaluate_bounds` says of each setting."""
    for row in rows:
        setting = columns.setting(row)
        report = evaluate_bounds(setting, int(columns.horizon[row]), found.method)
        for name, bound in report.guarantees.items():
            assert same(found.values[name][row], bound.value), (row, name)
            assert found.applies[name][row] == bound.applies, (row, name)
            assert found.informative[name][row] == bool(bound.worth.informative), (row, name)
        assert same(found.counts["identification_horizon"][row], report.identification_horizon), row
        # T_0 is a power, rounded in one way or another; a report shows it as a whole number where it is one.
        early = math.nan if report.burn_in is None else float(report.burn_in)
        assert same(found.counts["burn_in"][row], None if math.isnan(early) else early), row
        assert found.counts["exploration_cap"][row] == report.exploration_cap
        assert found.counts["exploration_steps"][row] == report.exploration_steps_bound
        caps = [each.selection_cap for each in report.providers if not each.qualified]
        total = None if None in caps else sum(caps) + len(caps)
        assert same(found.counts["unqualified_queries"][row], total), row
        assert same(found.second_lowest_cost[row], report.second_lowest_cost)
        assert found.optimal[row] == (-1 if setting.optimal is None else setting.optimal)


def same(value: float, told: float | None) -> bool:
    """Say whether a column's number is that of a report; whole numbers are equal to the last digit."""
    if told is None:
        return math.isnan(value)
    return value == told if isinstance(told, int) else math.isclose(value, told, rel_tol=SUMMED)


@pytest.mark.parametrize(("method", "size"), [("paper", 1000), ("sharp", 1000), ("sharpest", 60)])
def test_random_settings_equal_their_reports(method: str, size: int) -> None:
    columns = drawn(np.random.default_rng(17), size)
    found = evaluate_many(columns, method)
    compare(found, columns, np.random.default_rng(5).choice(len(columns), 6, replace=False))
    # Every shape that a setting can have is among them.
    few = columns.qualities >= columns.of_platform("quality_threshold")[:, None]
    assert size < 1000 or {0, 1, 2, 9} <= set(few.sum(axis=1).tolist())
    assert (found.optimal < 0).any()


@pytest.mark.for_each("radius", [name for name in RADII if name != PAPERS])
def test_counts_of_another_radius_equal_their_reports(radius: str) -> None:
    base = replace(FULL, platform=replace(FULL.platform, radius=radius))
    platform = {"exploration_scale": np.array([0.5, 2.0, 40.0]), "exploration_exponent": np.array([0.3, 0.75, 0.9])}
    quality = np.array([provider.quality for provider in FULL.providers])
    qualities = np.stack([quality, np.clip(quality + 0.02, 0, 1), np.where(quality > 0.9, quality, 0.0)])
    for columns in (
        SettingColumns(base=base, horizon=np.array([9, 5_000, 70_000]), platform=platform),
        SettingColumns(base=base, horizon=np.array([9, 5_000, 70_000]), platform=platform, quality=qualities),
    ):
        compare(evaluate_many(columns), columns, np.arange(3))


def test_a_provider_that_nothing_excludes_is_counted_all_the_same() -> None:
    """Its quality cannot be told from the threshold within 2^52 queries, so its cost alone bounds its selections."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75, radius="beta-binomial")
    providers = (Provider("best", 0.9, 0.2), Provider("second", 0.8, 0.6), Provider("near", 0.5 - 2**-40, 0.7))
    columns = SettingColumns(base=Setting("near", platform, providers), horizon=np.array([10_000]))
    found = evaluate_many(columns)
    compare(found, columns, np.arange(1))
    assert found.counts["unqualified_queries"][0] > 1


def test_what_is_not_asked_for_is_not_found() -> None:
    columns = drawn(np.random.default_rng(17), 40)
    whole, part = evaluate_many(columns, "sharp"), evaluate_many(columns, "sharp", only=["excess_payment", "burn_in"])
    np.testing.assert_array_equal(part.values["excess_payment"], whole.values["excess_payment"])
    np.testing.assert_array_equal(part.counts["burn_in"], whole.counts["burn_in"])
    assert np.isnan(part.values["identification"]).all()
    assert np.isnan(part.counts["identification_horizon"]).all()


def test_numbers_that_do_not_vary_may_be_left_out() -> None:
    columns = SettingColumns(base=FULL, horizon=np.array([9, 1000, 70_000]))
    compare(evaluate_many(columns, "sharp"), columns, np.arange(3))


def test_parts_join_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = drawn(np.random.default_rng(3), 50)
    whole = evaluate_many(columns)
    monkeypatch.setattr("bounds.grid.evaluate._MOST_NUMBERS", 9 * 7)
    parts = evaluate_many(columns)
    for name in GUARANTEES:
        np.testing.assert_array_equal(whole.values[name], parts.values[name])
        np.testing.assert_array_equal(whole.applies[name], parts.applies[name])


def test_a_target_that_is_a_whole_number_is_decided_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """k (T/N)^alpha = 2 * 16^(3/4) is exactly 16, which doubles may miss: ceil(g) - 1 is 15."""
    decided = []
    original = evaluation.decide
    monkeypatch.setattr(evaluation, "decide", lambda *given: decided.append(1) or original(*given))
    horizon = FULL.n_providers * 16
    platform = {"exploration_scale": np.array([2.0, 2.0, np.nextafter(2.0, 3)])}
    columns = SettingColumns(base=FULL, horizon=np.full(3, horizon), platform=platform)
    assert evaluate_many(columns).counts["exploration_cap"].tolist() == [15, 15, 16]
    assert decided


def test_costs_within_a_rounding_of_the_deviation_are_decided_exactly() -> None:
    """0.1 + 0.2 rounds up to above 0.3, and exactly the sum lies between: one cost is separated, the other is not."""
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75, underbid=0.1, overbid=0.2)
    base = Setting("near", platform, (Provider("a", 0.9, 0.0), Provider("b", 0.9, 0.1 + 0.2)))
    cost = np.array([[0.0, 0.1 + 0.2], [0.0, 0.3], [0.0, np.nextafter(0.3, 1)], [0.0, 0.5]])
    columns = SettingColumns(base=base, horizon=np.full(4, 1000), mean_cost=cost)
    found = evaluate_many(columns, "sharp")
    compare(found, columns, np.arange(4))
    assert len(set(found.applies["identification"].tolist())) == 2


@pytest.mark.for_each(
    ("given", "argument"),
    [
        ({"platform": {"confidence": np.array([0.5, 1.0])}}, "confidence"),
        ({"platform": {"quality_threshold": np.array([0.5, np.nan])}}, "quality_threshold"),
        ({"quality": np.full((2, 9), 1.5)}, "quality"),
        ({"mean_cost": np.full((2, 9), 103.0)}, "provider."),
        ({"horizon": np.array([8, 9])}, "horizon"),
        ({"horizon": np.array([9, 2**53])}, "horizon"),
    ],
)
def test_a_number_out_of_its_range_is_refused(given: dict[str, object], argument: str) -> None:
    with pytest.raises(InputError) as error:
        SettingColumns(**{"base": FULL, "horizon": np.array([9, 9]), **given})
    assert error.value.argument.startswith(argument)

"""The advice about another confidence radius is what the report of the changed setting says, and is the best one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bounds.published import published
from bounds.radii.names import PAPERS, RADII
from bounds.report import BoundsReport, evaluate_bounds
from bounds.setting.model import Setting
from bounds.worth.advice import Help
from proofs_checks.cli.main import main

OTHERS = [name for name in RADII if name != PAPERS]


def with_radius(setting: Setting, radius: str, horizon: int) -> BoundsReport:
    return evaluate_bounds(replace(setting, platform=replace(setting.platform, radius=radius)), horizon)


def advised(setting: Setting, horizon: int) -> list[Help]:
    helps = evaluate_bounds(setting, horizon, advice=True).identification.worth.helps
    return [help for help in helps if help.parameter == "radius"]


@pytest.mark.parametrize("name", ["gpqa-strong", "gpqa-ladder", "gpqa-full"])
def test_the_radius_with_the_least_bound_is_told_with_its_numbers(name: str) -> None:
    setting = published(name).setting
    reports = {radius: with_radius(setting, radius, 70_000) for radius in OTHERS}
    bounds = {radius: report.identification_bound for radius, report in reports.items()}
    (help,) = advised(setting, 70_000)
    assert help.radius is not None
    assert help.found
    assert bounds[help.radius] == min(bounds.values(), key=lambda bound: bound or 0) < 70_000 - setting.n_providers
    told = f"{bounds[help.radius]:,} of {70_000 - setting.n_providers:,} "
    assert help.effect.startswith(f"{told}(T_id = {reports[help.radius].identification_horizon:,}); ")
    assert "of regrets and payments nothing is proved for this radius" in help.effect
    assert not any(bound.applies for bound in reports[help.radius].bounds.values())


def test_where_none_is_enough_the_earliest_is_told_with_its_horizon() -> None:
    setting = published("gpqa-ladder").setting
    (help,) = advised(setting, 20_000)
    assert not help.found
    assert help.sooner is not None
    assert help.sooner.radius is not None
    start = help.sooner.informative_from

    def says_something(radius: str, horizon: int) -> bool:
        bound = with_radius(setting, radius, horizon).identification_bound
        return bound is not None and bound < horizon - setting.n_providers

    assert says_something(help.sooner.radius, start)
    assert not any(says_something(radius, start - 1) for radius in OTHERS)


def test_nothing_is_advised_where_the_bound_speaks_or_the_radius_is_another() -> None:
    assert advised(published("gsm8k-full").setting, 70_000) == []
    setting = published("gpqa-strong").setting
    other = replace(setting, platform=replace(setting.platform, radius="kl"))
    assert advised(other, 70_000) == []
    unheard = evaluate_bounds(setting, 70_000).identification.worth
    assert unheard.helps == ()


def test_the_command_tells_it_right_after_the_bounds_that_change_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "gpqa-strong"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    told = 'radius = "beta-binomial" (costproof docs radii) would help: 9,493 of 69,996 (T_id = 14,099); '
    assert out.index("--method sharpest is enough") < out.index(told) < out.index("quality_threshold = 0.15")
    assert main(["bounds", "gpqa-ladder", "--horizon", "20000"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert 'radius = "normal-mixture" (costproof docs radii): not enough at T = 20,000, but from T = 32,212; ' in out
    assert "is not listed if another guarantee is then not informative (radii excepted)." in out

"""Settings of many providers on the command line: whole where they are written, and short on the screen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bounds.report import evaluate_bounds
from bounds.setting.file import format_setting, parse_setting
from bounds.setting.model import Provider, Setting
from tests.mechanism.provider_tables import PLATFORM, random_providers, setting_with_table, table_rows, write_rows
from tests.proofs_checks.outcomes import Run, assert_bad_input


def test_bounds_of_many_providers_are_short_and_narrow(
    tmp_path: Path, passed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = setting_with_table(Path(), random_providers(2_000, rng=np.random.default_rng(1)))
    lines = passed("bounds", str(path), "--horizon", "6000").out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    text = " ".join(lines)
    assert "Changes that help are searched for up to 500 providers" in text
    document = passed("bounds", str(path), "--horizon", "6000", "--json").data
    assert len(document["providers"]) == 2_000
    assert text.count(document["optimal_provider"]) == 1


def test_settings_of_many_providers_are_printed_whole(tmp_path: Path, passed: Run) -> None:
    providers = random_providers(2500, rng=np.random.default_rng(2), priced=True)
    path = setting_with_table(tmp_path, providers)
    assert parse_setting(passed("settings", str(path)).out, "market").providers == providers
    assert len(passed("settings", str(path), "--json").data["provider"]) == 2500


def test_names_that_need_escapes_are_read_back_however_many_there_are() -> None:
    names = ['say "x"', "ünï", "a\\b", "\u202e", "two\nlines", "é'"]
    providers = [Provider(f"{names[i % 6]}{i}", 0.5, i / 7, multiplicity=1 + i % 2) for i in range(1200)]
    setting = Setting("many", replace(PLATFORM, cost_bound=200.0), tuple(providers))
    assert parse_setting(format_setting(setting), "many") == setting


@pytest.mark.parametrize("traces", [["--no-traces"], []], ids=["runs", "traces"])
def test_a_simulation_of_many_providers_is_short(
    tmp_path: Path, passed: Run, monkeypatch: pytest.MonkeyPatch, traces: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = setting_with_table(Path(), random_providers(300, rng=np.random.default_rng(3)), ".parquet")
    asked = ["simulate", str(path), "--horizon", "1000", "--runs", "2", "--jobs", "1", "--policy", "platform"]
    lines = passed(*asked, "--out", "out", *traces).out.splitlines()
    assert len(lines) <= 30
    everything = passed(*asked, "--out", "out", *traces, "--all").out.splitlines()
    assert len(everything) < 110
    assert max(map(len, lines + everything)) <= 80
    assert "260 more are in what --json prints" in " ".join(everything)
    document = passed(*asked, "--json").data
    assert len(document["policies"]["platform"]["selections"]["mean"]) == 300


def report_of(rows: list[tuple[float, float]], **platform: float) -> dict[str, object]:
    providers = tuple(Provider(f"p{i}", quality, cost) for i, (quality, cost) in enumerate(rows))
    setting = Setting("edge", replace(PLATFORM, **platform), providers)
    return evaluate_bounds(setting, max(10_000, len(rows))).to_data()


@pytest.mark.long("many providers")
def test_competitors_within_the_deviations_are_named_up_to_a_limit() -> None:
    found = report_of([(0.9, 5.0)] + [(0.9, 5.5)] * 500 + [(0.9, 9.0)], overbid=1.0)
    reason = found["reasons"]["identification_bound"]  # type: ignore[index]
    assert "p1, p2, " in reason
    assert "and 476 more does not exceed" in reason
    assert [each["selection_bound"] is None for each in found["providers"]].count(False) == 1  # type: ignore[attr-defined]


def test_what_is_wrong_with_a_table_is_one_line_and_exit_code_2(tmp_path: Path, run: Run) -> None:
    path = setting_with_table(tmp_path, random_providers(3, rng=np.random.default_rng(0)))
    rows = table_rows(random_providers(3, rng=np.random.default_rng(0)))
    write_rows(tmp_path / "providers.csv", [rows[0], rows[1] | {"quality": 7}, rows[2]])
    for command in ("bounds", "settings", "simulate"):
        assert_bad_input(run(command, path), "providers.csv:3:quality=7.0 must lie in [0, 1]")

"""Uncertain inputs on the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bounds.setting.file import parse_setting
from tests.proofs_checks.cli.test_bounds_output import market
from tests.proofs_checks.outcomes import Run, assert_bad_input

File = Callable[[str], str]

EXACT = market(0.5, 100, ("small", 0.655, 16.1), ("large", 0.9, 42.0), ("poor", 0.3, 5.0))
SETTLED = EXACT.replace("0.655", "{correct = 131, of = 200}").replace("42.0", "{low = 40, high = 44}")


@pytest.fixture
def file(tmp_path: Path) -> File:
    def written(text: str) -> str:
        path = tmp_path / "market.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def test_ranges_stand_beside_the_numbers(file: File, passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(file(SETTLED))
    monkeypatch.chdir(path.parent)
    shown = passed("bounds", path.name)
    assert "T_id over the region" in shown.told
    assert "at least 0.9;" in shown.told  # 1 - delta - (1 - confidence)
    assert "Warning" not in shown.out
    lines = shown.out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80


def test_what_is_unsettled_is_a_warning(file: File, passed: Run) -> None:
    said = passed("bounds", file(SETTLED.replace("quality_threshold = 0.5", "quality_threshold = 0.6"))).told
    assert "small is qualified by a small margin" in said
    assert "more questions on small would settle it" in said
    assert "it may be small or large" in said


@pytest.mark.for_each("threshold", (0.5, 0.6))
def test_documents_have_the_inputs_and_the_ranges(file: File, passed: Run, threshold: float) -> None:
    path = file(SETTLED.replace("quality_threshold = 0.5", f"quality_threshold = {threshold}"))
    found = passed("bounds", path, "--json").data
    assert [each["qualified"] for each in found["inputs"]["providers"]][1:] == ["yes", "no"]
    assert found["inputs"]["providers"][0]["qualified"] == ("yes" if threshold == 0.5 else "unsettled")
    assert (found["identification_bound_range"] is None) == (threshold == 0.6)
    assert all("range" in bound for bound in found["bounds"].values())
    stated = passed("settings", path, "--json").data
    assert stated["provider"][0]["quality"] == {"correct": 131, "of": 200}


def test_settings_prints_estimates_that_read_back(file: File, passed: Run) -> None:
    printed = passed("settings", file(SETTLED)).out
    assert parse_setting(printed, "market") == parse_setting(SETTLED, "market")


def test_exact_inputs_have_no_market_to_draw(file: File, run: Run) -> None:
    assert_bad_input(run("simulate", file(EXACT), "--draw-inputs", "--horizon", "100"), "--draw-inputs")

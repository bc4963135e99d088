"""Uncertain inputs on the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bounds.setting.file import parse_setting
from tests.proofs_checks.cli.test_bounds_output import market
from tests.proofs_checks.outcomes import Run, assert_bad_input

File = Callable[[str], str]

EXACT = market(0.5, 100, ("small", 0.655, 16.1), ("large", 0.9, 42.0), ("poor", 0.3, 5.0))
ESTIMATES = "Uncertain inputs and the optimum are point estimates"
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


def test_what_is_unsettled_is_a_warning(file: File, passed: Run, run: Run) -> None:
    path = file(SETTLED.replace("quality_threshold = 0.5", "quality_threshold = 0.6"))
    said = passed("bounds", path).told
    why = "it is open whether small is qualified: 0.5748 to 0.7293 contains 0.6; if its estimate stays 0.655, 207 more "
    optimum = "the optimum is unsettled: it may be small or large"
    assert f"{optimum}. Warning: {why}questions just settle it." in said
    assert "over the region one is, and the optimum is unsettled. At the point," in said
    assert "-: none holds in all of it. Warning" in said  # no standard error is given
    plan = run("plan", path, "--goal", "identify-by=70k", "--runs", "0").told
    assert f"Impossible with sharpest bounds: {optimum}; {why}" in plan
    assert "--advice" not in plan  # all guarantees are informative
    assert "all guarantees are informative at the point. --method" in passed("bounds", path, "--advice").out


def test_a_range_up_to_the_trivial_value_is_named(file: File, passed: Run) -> None:
    path = file(SETTLED)
    said = passed("bounds", path, "--horizon", "2300").told
    assert "2,139 to 2,429 yes, from 2,270" in said
    assert "Over the region not informative (trivial value at the point): identification bound (2,297)." in said
    assert "Over the region not informative" not in passed("bounds", path, "--horizon", "2500").out
    assert "at the point estimates of the inputs" in passed("bounds", path, "--latex-table").out


@pytest.mark.long("runs four commands on two markets")
@pytest.mark.for_each(
    "command",
    (
        ("simulate", "FILE", "--horizon", "200", "--runs", "2", "--jobs", "1"),
        ("compare", "platform", "uniform-eligible", "FILE", "--horizon", "200", "--runs", "2"),
        ("coverage", "FILE", "--horizon", "20"),
        ("sweep", "FILE", "--over", "k=1,2"),
    ),
)
def test_point_estimates_are_named(file: File, passed: Run, command: tuple[str, ...]) -> None:
    for text, uncertain in ((SETTLED, True), (EXACT, False)):
        path = file(text)
        assert (ESTIMATES in passed(*(path if word == "FILE" else word for word in command)).out) == uncertain


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


def test_the_next_command_draws_the_same_market(file: File, passed: Run) -> None:
    words = ("simulate", file(SETTLED), "--draw-inputs", "--horizon", "100", "--runs", "2")
    assert " --draw-inputs --all" in passed(*words).out

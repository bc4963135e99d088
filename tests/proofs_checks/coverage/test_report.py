"""The report of `coverage`: its numbers against their parts, its words, its width and corners of settings."""

import math
import re
from dataclasses import replace
from decimal import ROUND_FLOOR, Context
from pathlib import Path

import pytest

import costproof
from bounds.coverage.elimination import elimination_law
from bounds.coverage.tail import tail_bound
from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from proofs_checks.claims.band_exit import good_event_probability
from proofs_checks.cli.views.coverage import upwards
from proofs_checks.coverage.report import CoverageReport, coverage
from tests.bounds.by_hand import setting_of
from tests.proofs_checks.outcomes import Run
from tests.refusals import assert_refused

NAME = "gpqa-strong"
LONG = pytest.mark.long("computes the coverage of another setting")


def two(qualities: tuple[float, float], *, threshold: float = 0.5, delta: float = 0.05) -> Setting:
    pairs = [(q, 0.2 + 0.1 * i) for i, q in enumerate(qualities)]
    return replace(setting_of(pairs, quality_threshold=threshold, confidence=delta), name="two")


class TestNumbers:
    def test_parts_add_up(self) -> None:
        report = coverage(published(NAME).setting, counts=3000)
        tail = tail_bound(3000, n_providers=4, confidence=0.05)
        data = report.to_data()
        for each, row in zip(report.providers, data["providers"], strict=True):
            assert row["budget"] == 0.05 / 8
            assert row["tail_bound"] == tail
            assert each.share_of_budget * row["budget"] == pytest.approx(row["exact_score_failure"] + tail)
            assert (row["elimination"] is None) == row["qualified"] == (row["downward_failure"] is not None)
        scores = sum(row["exact_score_failure"] + tail for row in data["providers"])
        costs = sum(row["cost_failure"] for row in data["providers"])
        assert data["total"] == pytest.approx(scores + costs)
        assert data["total_at_least"] <= max(row["exact_score_failure"] for row in data["providers"]) <= data["total"]
        assert data["share_of_delta"] == pytest.approx(data["total"] / 0.05)
        # The chance of no failure in that many runs is 5%.
        assert (1 - data["total"]) ** data["runs_to_see_a_failure"] == pytest.approx(0.05, rel=1e-6)

    @pytest.mark.long("computes the good event of a setting twice")
    def test_agrees_with_the_evidence_of_the_claim(self) -> None:
        setting = published(NAME).setting
        report, evidence = coverage(setting), good_event_probability(setting)
        assert report.score_failure == pytest.approx(evidence.parameters["scores_fail_at_most"], rel=1e-9)
        assert report.cost_failure < evidence.parameters["costs_fail_at_most"]

    @pytest.mark.parametrize(
        "name", [NAME, *(pytest.param(name, marks=LONG) for name in PUBLISHED_NAMES if name != NAME)]
    )
    def test_delta_is_thousands_of_times_what_happens(self, name: str) -> None:
        report = coverage(published(name).setting, counts=2000)
        assert 1e-7 < report.total_at_least < report.total < 1e-5
        assert max(each.score_failure for each in report.providers) <= report.worst.at_most < report.providers[0].budget
        for each in report.providers:
            assert each.costs.upper < 1e-9
            if each.elimination is not None:
                counts = [count for _, count in each.elimination.quantiles]
                assert counts == sorted(counts)
                assert counts[0] < each.elimination.mean.upper < counts[1]

    def test_quantiles_are_those_of_the_function(self) -> None:
        setting = published(NAME).setting
        platform = setting.platform
        for each in coverage(setting, counts=10).providers:
            for share, count in () if each.elimination is None else each.elimination.quantiles:
                law = elimination_law(
                    each.provider.quality,
                    quality_threshold=platform.quality_threshold,
                    n_providers=4,
                    confidence=0.05,
                    failure=share,
                )
                assert count == law.quantile(share)


class TestCorners:
    @pytest.mark.for_each(
        ("qualities", "delta"),
        [((0.0, 1.0), 1e-12), ((0.25, 0.5), 1e-12), ((0.5, 0.5), 0.999999), ((0.25, 0.5), 0.999999)],
    )
    def test_extreme_qualities_and_deltas(self, qualities: tuple[float, float], delta: float) -> None:
        report = coverage(two(qualities, delta=delta), counts=100)
        assert 0 <= report.total_at_least <= report.total < delta
        told = [each.elimination is not None for each in report.providers]
        assert told == [quality < 0.5 for quality in qualities]

    def test_scores_that_never_vary(self) -> None:
        report = coverage(two((0.0, 1.0)), counts=100)
        assert [each.scores.lower for each in report.providers] == [0, 0]
        [told, none] = [each.elimination for each in report.providers]
        assert none is None
        assert len({count for _, count in told.quantiles}) == 1  # eliminated at one count, with certainty

    def test_a_provider_too_close_to_the_threshold_says_why(self) -> None:
        report = coverage(two((math.nextafter(0.5, 0), 0.9)), counts=10)
        assert report.providers[0].elimination is None
        assert "too close" in f"{report.providers[0].no_elimination}"

    @pytest.mark.parametrize("horizon", [0, 1_000_001, 2.5])
    def test_bad_horizons(self, horizon: int) -> None:
        assert_refused("horizon", costproof.coverage, NAME, horizon)

    def test_another_radius_is_refused(self) -> None:
        setting = published(NAME).setting
        with pytest.raises(InputError, match="radius='beta-binomial' is not the paper's"):
            coverage(replace(setting, platform=replace(setting.platform, radius="beta-binomial")), counts=10)


class TestWords:
    def test_no_number_is_rounded_down(self, passed: Run) -> None:
        data = passed("coverage", NAME, "--json").data
        out = passed("coverage", NAME).out
        text = " ".join(out.split())
        assert text.startswith(f"{NAME}: the good event (all bands hold) fails with probability at most 3.8e-06; ")
        assert "0.21 even if it failed as often as delta allows" in text
        assert max(map(len, out.splitlines())) <= 80
        for each in data["providers"]:
            line = next(line for line in out.splitlines() if line.startswith(each["name"]))
            scores, costs = (float(cell) for cell in re.findall(r"\d\.?\d*e-\d+", line)[:2])
            assert 1.01 * (each["exact_score_failure"] + each["tail_bound"]) >= scores >= each["exact_score_failure"]
            assert costs >= each["cost_failure"]


def test_the_front_door_takes_names() -> None:
    report = costproof.coverage(NAME, 50)
    assert report.to_frame().loc["Llama-3.2-1B", "selections_at_0.5"] == 8614
    assert repr(report).startswith("CoverageReport('gpqa-strong'")


PAGE = Path(__file__).parents[3] / "docs" / "reference" / "coverage.md"


def downwards(value: float) -> str:
    return f"{float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal_from_float(value)):.3g}"


def told(report: CoverageReport) -> list[str]:
    return [
        f"{report.confidence:g}",
        *(
            upwards(report.total),
            downwards(report.total_at_least),
            upwards(report.cost_failure),
            upwards(report.false_exclusion),
        ),
        *(upwards(report.worst.at_most), f"{report.providers[0].budget:.3g}"),
    ]


@pytest.mark.long("computes the coverage of each setting")
def test_the_table_of_the_five_settings() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("a test compares this table")[2]
    head, _, *lines = text.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *lines)]
    assert tuple(cells[0][1:]) == PUBLISHED_NAMES
    computed = [told(coverage(published(name).setting)) for name in PUBLISHED_NAMES]
    assert [row[1:] for row in cells[1:]] == [list(row) for row in zip(*computed, strict=True)]

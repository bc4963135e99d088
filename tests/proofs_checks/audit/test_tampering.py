"""What was tampered with is named first, wherever it shows; a right log is not accused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.conformance.mutants.plain import Plain
from tests.proofs_checks.audit.audited import edited
from tests.proofs_checks.audit.tampering import (
    HORIZON,
    PLACES,
    WAYS,
    ServesTheRunnerUp,
    SkipsAnExploration,
    audited,
    cases,
    deviating,
    far_apart,
    first,
    named_first,
    reorder,
    right,
)

STRONG = published("gpqa-strong").setting
late = partial(pytest.param, marks=pytest.mark.long("audits many logs"))


@pytest.mark.parametrize("told", [late(told) if told == "score changed" else told for told in WAYS])
def test_what_was_done_is_named_first(told: str) -> None:
    name = "gpqa-ladder" if told == "score changed" else "gpqa-strong"  # where eligibility hangs on a score
    [report] = cases(WAYS[told], name, places=(0.2,))
    assert first(report) in WAYS[told].named


@pytest.mark.long("audits 20 logs of 12,000 steps")
def test_what_was_done_is_named_first_on_the_other_settings() -> None:
    """A part of the table of docs/audit.md: each way at one place of one setting."""
    for i, (told, way) in enumerate(WAYS.items()):
        name, place = PUBLISHED_NAMES[i % 4], PLACES[i % 3]
        reports = list(cases(way, name, places=(place,), seed=2))
        assert len(reports) == 1 or told == "score changed"
        assert all(not named_first(report).isdisjoint(way.named) for report in reports), (told, name, place)


def assert_not_accused(setting: Setting, trace: Trace) -> None:
    report = audited(setting, (trace, np.arange(1, len(trace) + 1)))
    assert report.passed
    assert report.diagnosis == ()


def test_a_right_log_is_not_accused() -> None:
    assert_not_accused(STRONG, right("gpqa-strong"))


@pytest.mark.long("audits 15 logs")
@pytest.mark.for_each(("name", "variant"), [*product(PUBLISHED_NAMES, ("truthful", "bayesian", "deviating"))])
def test_no_right_log_is_accused(name: str, variant: str) -> None:
    case = play(published(name).setting, variant, horizon=6_000, seed=7, run=0)
    assert_not_accused(case.setting, case.trace)


class TestDecisions:
    @pytest.mark.parametrize(
        ("kind", "named"), [(ServesTheRunnerUp, "wrong decision"), (SkipsAnExploration, "exploration skipped")]
    )
    def test_one_is_told_with_its_place(self, kind: type[Plain], named: str) -> None:
        report = audited(STRONG, (deviating(kind, STRONG, 3000, 1), None))
        told, violation = report.diagnosis[0], report.violations[0]
        assert (told.hypothesis, told.share, told.alike) == (named, 1, ())
        provider = {"provider": violation.found} if named == "wrong decision" else {}
        assert told.where == {"step": violation.step, **provider}

    def test_what_leaves_the_same_log_is_named_beside_it(self) -> None:
        """Two rows exchanged of which one was an exploration: the same as an exploration put off by a step."""
        [report] = cases(WAYS["two rows exchanged, counted anew"], "gpqa-full", places=(0.2,))
        told, other = report.diagnosis[:2]
        assert (told.hypothesis, told.alike, told.share) == ("exploration skipped", ("rows exchanged",), 1)
        assert told.named == "exploration skipped, or rows exchanged"
        assert (other.hypothesis, other.where, other.share) == ("rows exchanged", {**(told.where or {}), "rows": 1}, 1)
        assert report.to_data()["diagnosis"][0]["alike"] == ["rows exchanged"]

    @pytest.mark.long("a second setting")
    def test_an_exploration_put_off_by_several_steps_too(self) -> None:
        """Of these steps all are explorations but the last, so that a single one breaks rules."""
        report = audited(
            published("gpqa-full").setting, reorder(far_apart(5), keeps_steps=False)(right("gpqa-full"), 2400)
        )
        told, other = report.diagnosis[:2]
        assert (told.hypothesis, told.alike, told.where) == ("exploration skipped", ("rows exchanged",), {"step": 2401})
        assert "exchanged with that of step 2,406" in told.text
        assert (other.hypothesis, other.where) == ("rows exchanged", {"step": 2401, "other_step": 2406})

    def test_two_wrong_decisions_are_none(self) -> None:
        """Test of the test: of two, none explains the log."""
        trace = deviating(ServesTheRunnerUp, STRONG, 3000, 1)
        other = int(np.flatnonzero(trace.payment < STRONG.platform.cost_bound)[-1])
        report = audited(STRONG, (edited("payment", lambda paid: 0.9 * paid)(trace, other), None))
        assert "wrong decision" not in [each.hypothesis for each in report.diagnosis]


@pytest.mark.parametrize("apart", [12, late(150), late(399)])
def test_two_rows_far_apart_are_told_with_their_places(apart: int) -> None:
    trace = right("gpqa-strong")
    auctions = np.flatnonzero(trace.payment < STRONG.platform.cost_bound)
    row = next(row for row in auctions[3000:].tolist() if trace.provider[row] != trace.provider[row + apart])
    report = audited(STRONG, reorder(far_apart(apart), keeps_steps=False)(trace, row))
    told = report.diagnosis[0]
    assert (told.hypothesis, told.share) == ("rows exchanged", 1)
    assert told.where == {"step": row + 1, "other_step": row + 1 + apart}
    total = sum(report.violation_counts.values())
    assert f"All {total:,} violations " in told.text


def test_an_exploration_far_from_its_place_is_told() -> None:
    """It is right where it stands, so only one of the two rows breaks a rule."""
    trace = right("gpqa-strong")
    explored = trace.payment == STRONG.platform.cost_bound
    row = next(r for r in range(3000, HORIZON) if explored[r] and not explored[r + 30])
    report = audited(STRONG, reorder(far_apart(30), keeps_steps=False)(trace, row))
    assert row + 31 not in {violation.step for violation in report.violations}
    told = report.diagnosis[0]
    assert (told.hypothesis, told.where) == ("rows exchanged", {"step": row + 1, "other_step": row + 31})


class TestOrder:
    """What explains only a part of the log does not stand before a wrong mechanism."""

    @staticmethod
    def uniform(setting: Setting, horizon: int) -> Trace:
        """The log of a router that draws uniformly and always pays c_max, of bidders that report their mean cost."""
        rng, n = np.random.default_rng(0), setting.n_providers
        provider = np.concatenate([np.arange(n), rng.integers(0, n, horizon - n)])
        score = rng.random(horizon) < np.array([each.quality for each in setting.providers])[provider]
        bid = np.array([each.mean_cost for each in setting.providers])[provider]
        return Trace(provider, np.full(horizon, setting.platform.cost_bound), score.astype(float), bid)

    @pytest.mark.parametrize("name", ["gpqa-strong", *map(late, PUBLISHED_NAMES[:-1])])
    @pytest.mark.parametrize("horizon", [3000, late(20_000)])
    def test_another_setting_that_comes_first_explains_the_whole_log(self, name: str, horizon: int) -> None:
        setting = published(name).setting
        trace = self.uniform(setting, horizon)
        report = audited(setting, (trace, None))
        kinds = [each.hypothesis for each in report.diagnosis]
        assert "wrong mechanism" in kinds
        for told in report.diagnosis[: kinds.index("wrong mechanism")]:
            assert told.hypothesis == "wrong setting"
            key, value = told.text.partition("another setting: ")[2].split()[0:3:2]
            other = replace(setting, platform=replace(setting.platform, **{key: float(value)}))
            left = sum(audited(other, (trace, None)).violation_counts.values())
            assert left <= 0.2 * sum(report.violation_counts.values())

"""A platform whose quality estimate is wrong: nothing breaks until eligibility hangs on it, and no edit explains it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from bounds.published import published
from proofs_checks.audit.diagnosis.eligibility import OTHERS_ELIGIBLE
from proofs_checks.audit.run import AuditReport
from proofs_checks.claims.cases.variants import play
from proofs_checks.conformance.mutants.plain import Plain
from tests.proofs_checks.audit.audited import kinds, with_columns
from tests.proofs_checks.audit.tampering import WAYS, audited, cases, deviating

STRONG = published("gpqa-strong").setting
late = partial(pytest.param, marks=pytest.mark.long("another log of thousands of steps"))


class ExplorationScoresLost(Plain):
    """Counts the steps that explore, but takes its estimate for their scores."""

    explores = False

    def assign(self) -> tuple[int, float]:
        self.explores = False
        return super().assign()

    def _draw(self, among: list[int]) -> int:  # type: ignore[override]
        self.explores = True
        return super()._draw(among)

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, self._estimate(provider) if self.explores else score)


class FirstScoreForgotten(Plain):
    """Updates its mean with the count before the step: the first score drops out."""

    first: dict[int, float]

    def _prepare(self) -> None:
        self.first = {}

    def _learn(self, provider: int, score: float) -> None:
        super()._learn(provider, score)
        self.first.setdefault(provider, score)

    def _estimate(self, provider: int) -> float:
        count = self.counts[provider]
        if count == 1:
            return super()._estimate(provider)
        return (self.score_sums[provider] - self.first[provider]) / (count - 1)


def of_platform(kind: type[Plain], seed: int, horizon: int) -> AuditReport:
    return audited(STRONG, (deviating(kind, STRONG, 0, seed).head(horizon), None))


# Of (5, 6000) one edited score explains all violations of the window and nine in ten of the log.
@pytest.mark.parametrize(("seed", "horizon"), [(2, 6000), late(5, 6000), late(7, 12_000)])
def test_a_wrong_estimate_comes_before_edits_that_leave_much(seed: int, horizon: int) -> None:
    report = of_platform(ExplorationScoresLost, seed, horizon)
    first = report.diagnosis[0]
    assert first.hypothesis == OTHERS_ELIGIBLE, kinds(report)
    assert "quality estimate" in first.text
    assert "no evidence against it" in first.text
    assert first.share > 0.95
    assert "gap or edit" not in kinds(report)
    assert "wrong setting" not in kinds(report)


@pytest.mark.long("audits 3 logs")
@pytest.mark.parametrize("seed", [1, 5, 8])
def test_a_log_that_ends_soon_does_not_tell_a_wrong_estimate_from_the_edit_of_a_cell(seed: int) -> None:
    """Each explains all violations: the first line names both, and says that nothing tells them apart."""
    report = of_platform(ExplorationScoresLost, seed, 3000)
    first = report.diagnosis[0]
    assert first.hypothesis in ("bid edited", "score edited")
    assert first.alike == (OTHERS_ELIGIBLE,)
    assert "nothing in this log tells the two apart" in first.text
    assert OTHERS_ELIGIBLE in kinds(report)


@pytest.mark.long("audits 6 logs")
def test_an_edit_that_a_wrong_estimate_does_not_explain_stands_alone() -> None:
    """A payment that is off fits no price, whoever is eligible; so does a bid that the others' prices hang on."""
    for told in ("payment 3% lower", "bid 30% higher"):
        for report in cases(WAYS[told], "gpqa-strong"):
            assert not report.diagnosis[0].alike, kinds(report)


def test_a_clean_start_is_no_evidence_where_all_that_is_wrong_pays_c_max() -> None:
    """A lone provider first, then draws: no auction tells an estimate from a change of the platform."""
    report = of_platform(ExplorationScoresLost, 3, 12_000)
    assert kinds(report) == ["wrong mechanism", "gap or edit"]
    assert "until eligibility depends on it" in report.diagnosis[1].text
    assert "likelier" not in report.diagnosis[1].text


def test_where_a_hair_decides_an_estimate_may_be_off() -> None:
    report = of_platform(FirstScoreForgotten, 2, 6000)
    decision, estimate = report.diagnosis
    assert (decision.hypothesis, estimate.hypothesis) == ("wrong decision", OTHERS_ELIGIBLE)
    assert "off by a little" in estimate.text
    assert estimate.where == decision.where


def test_no_hair_decides_where_the_runner_up_was_served() -> None:
    (report,) = cases(WAYS["runner-up served once"], "gpqa-strong", (0.2,))
    assert kinds(report) == ["wrong decision"]


@pytest.mark.long("audits 6 logs with other settings")
@pytest.mark.for_each("horizon", [1600, 4400, 12_000])
def test_another_setting_must_explain_the_last_steps_too(horizon: int) -> None:
    """The last steps count wherever they lie: among the rows behind the first violation, or beyond them."""
    other = replace(STRONG, platform=replace(STRONG.platform, exploration_scale=6.0))
    trace = play(other, "truthful", horizon=horizon, seed=1, run=0).trace
    assert kinds(audited(STRONG, (trace, None)))[0] == "wrong setting"
    wrong = np.where(np.arange(horizon) < horizon - 500, 1.0, np.random.default_rng(0).uniform(0.5, 0.9, horizon))
    report = audited(STRONG, (with_columns(trace, payment=wrong * trace.payment), None))
    assert "wrong setting" not in kinds(report)

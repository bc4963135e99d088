"""P-values of the good event: against all sequences of scores, in exact fractions, and on markets that are wrong."""

import functools
import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from bounds.formulas.radius import RADIUS
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.tables import TabulatedFunction, radius_table
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.band_exit import good_event_probability, qualified_never_excluded
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.evaluation import LOG
from proofs_checks.claims.model import band_walk
from proofs_checks.claims.model.band_failure import FALSE_ALARM, OUTLIERS, band_failure, upwards
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.joint_evidence import joint_p_value
from proofs_checks.claims.registry import claim
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import beta, setting_of

GOOD_EVENT = claim("lem:good-event")
#: A wide band, so that a dozen scores can leave it.
LOOSE = PlatformParameters(0.5, 0.9, 1.0, 1.0, 0.5)


def market(quality: float, platform: PlatformParameters = LOOSE) -> Setting:
    """Provider 1 always scores 1: only provider 0 can leave its band."""
    return Setting("two", platform, (Provider("a", quality, 0.5), Provider("b", 1.0, 0.5)))


def level_of(scores: tuple[int, ...], quality: float, n: int) -> float:
    """The least delta for whose radii some mean of the scores leaves its band, straight from the radius."""
    means = itertools.accumulate(scores)
    return min(
        2 * math.pi**2 * n * m**2 / 3 * math.exp(-2 * m * (s / m - quality) ** 2) for m, s in enumerate(means, 1)
    )


def weight(scores: tuple[int, ...], quality: float) -> Fraction:
    one = Fraction(quality)
    return one ** sum(scores) * (1 - one) ** (len(scores) - sum(scores))


def case_of(scores: tuple[int, ...], quality: float, costs: float = 0.5) -> Case:
    n = len(scores)
    trace = Trace([1, *[0] * n], [1.0] * (n + 1), [1.0, *map(float, scores)], [0.5] * (n + 1), [costs] * (n + 1))
    return Case(market(quality), trace, LOG)


@pytest.mark.parametrize("quality", [0.1, 0.85])
def test_a_p_value_is_at_most_x_no_more_often_than_x(quality: float) -> None:
    """Exactly, over all sequences of eight scores: the false-alarm probability of every threshold is kept."""
    found: dict[float, Fraction] = {}
    for scores in itertools.product((0, 1), repeat=8):
        failure = band_failure(case_of(scores, quality), "score")
        p = 1.0 if failure is None else failure.p_value
        found[p] = found.get(p, Fraction(0)) + weight(scores, quality)
        # It is less than 1 exactly where the good event fails.
        assert (p < 1) == (level_of(scores, quality, 2) < LOOSE.confidence)
    assert len(found) > 3
    below = Fraction(0)
    for p in sorted(found):
        below += found[p]
        assert below <= Fraction(p) * (1 + Fraction(1, 10**9))
        if p < 1:
            # And no more: the programme is exact, the only slack is that of nine counts for eight scores.
            assert below >= Fraction(p) / 2


def test_the_level_is_the_delta_whose_radius_is_the_distance() -> None:
    case = case_of((1,) * 9, 0.05)
    outlier = case.after_part(OUTLIERS).score
    assert (outlier.step, outlier.provider, outlier.count) == (10, 0, 9)
    assert RADIUS(count=9.0, n_providers=2, confidence=math.exp(outlier.log_level)) == pytest.approx(0.95, rel=1e-12)


def test_scores_that_are_not_binary_are_bounded_by_hoeffding() -> None:
    binary, other = case_of((1,) * 9, 0.05), case_of((1,) * 9, 0.05)
    other = replace(other, trace=replace(other.trace, score=np.where(other.trace.score == 1, 1 - 1e-12, 0.0)))
    exact, bounded = band_failure(binary, "score"), band_failure(other, "score")
    assert "binary" in exact.text
    assert "by Hoeffding" in bounded.text
    # All sequences of nine scores of 1, and no other, leave so far.
    assert exact.p_value == pytest.approx(0.05**9, rel=1e-6)
    assert exact.p_value < bounded.p_value < bounded.outlier.log_level + 100
    # Both sides of two providers, every count above 1: (1 - 6/pi^2) s / 2.
    assert bounded.p_value == pytest.approx((1 - 6 / math.pi**2) / 2 * math.exp(bounded.outlier.log_level), rel=1e-6)


def test_costs_are_bounded_by_hoeffding() -> None:
    found = band_failure(case_of((1,) * 40, 1.0, costs=1.0), "cost")
    assert found.outlier.count == 40
    expected = (1 - 6 / math.pi**2) / 2 * 2 * math.pi**2 * 2 * 40**2 / 3 * math.exp(-2 * 40 * 0.25)
    assert found.p_value == pytest.approx(expected, rel=1e-6)


def test_probabilities_below_all_doubles_are_bounded() -> None:
    """A mean of 3,000 scores of 0 where 1 is certain, and of costs: e^-6000 is no double."""
    case = case_of((0,) * 3000, 1.0, costs=1.0)
    for kind in ("score", "cost"):
        found = band_failure(case, kind)
        assert 0 < found.p_value <= 1e-200
    assert GOOD_EVENT.check(case).verdict is Verdict.REFUTED
    json.dumps(GOOD_EVENT.check(case).tightness.where, allow_nan=False)


def test_rounded_costs_are_read_in_favour_of_the_log() -> None:
    case = case_of((1,) * 40, 1.0, costs=1.0)
    exact, rounded = band_failure(case, "cost"), band_failure(replace(case, rounding=0.05), "cost")
    assert rounded.p_value > 10 * exact.p_value
    gone = band_failure(replace(case, rounding=0.5), "cost")
    assert gone.p_value > 0.1


class TestVerdict:
    def test_a_failure_that_is_not_too_improbable_is_told_and_not_refuted(self) -> None:
        found = GOOD_EVENT.check(case_of((1, 1, 1), 0.05))
        assert found.verdict is Verdict.NOT_REFUTED
        assert "the mean score of a at m = 3" in found.reason
        assert f"probability at most {upwards(0.05**3)}" in found.reason
        assert 0 < (found.tightness.ratio or 0) < 1

    def test_one_that_is_too_improbable_is_refuted(self) -> None:
        found = GOOD_EVENT.check(case_of((1,) * 9, 0.05))
        assert (found.verdict, found.tightness.violations) == (Verdict.REFUTED, 1)
        assert (found.tightness.ratio or 0) > 1
        assert [part.verdict for part in found.parts] == [Verdict.REFUTED, Verdict.NOT_REFUTED]
        dear = GOOD_EVENT.check(case_of((1,) * 80, 1.0, costs=1.0))
        assert [part.verdict for part in dear.parts] == [Verdict.NOT_REFUTED, Verdict.REFUTED]

    def test_half_the_level_each(self) -> None:
        for p in (0.55e-6, 0.45e-6):
            # Two scores of 1 leave no band; three do, with probability q^3.
            found = GOOD_EVENT.check(case_of((1, 1, 1), p ** (1 / 3)))
            assert found.parts[0].tightness.where["p_value"] == pytest.approx(p, rel=1e-9)
            assert found.verdict is (Verdict.REFUTED if p < FALSE_ALARM / 2 else Verdict.NOT_REFUTED)

    def test_without_costs_its_half_is_not_compared(self) -> None:
        case = case_of((1,) * 9, 0.9)
        columns = case.trace.columns()
        found = GOOD_EVENT.check(replace(case, trace=Trace(**{n: c for n, c in columns.items() if n != "cost"})))
        assert [part.verdict for part in found.parts] == [Verdict.NOT_REFUTED, Verdict.VACUOUS]
        assert found.verdict is Verdict.VACUOUS
        assert "logs no costs" in found.reason

    def test_chosen_scores_are_not_held_to_it(self) -> None:
        for origin in ({"kind": "steered"}, {"built": "by hand"}):
            found = GOOD_EVENT.check(replace(case_of((1,) * 9, 0.05), origin=origin))
            assert found.verdict is Verdict.ASSUMPTION_VIOLATED


@functools.cache
def shifted() -> Case:
    """A log of a market whose qualities are others than those of the setting it is held to."""
    setting = published("gpqa-strong").setting
    true = tuple(replace(p, quality=max(0.0, p.quality - 0.08)) for p in setting.providers)
    trace = play(replace(setting, providers=true), "truthful", horizon=20_000, seed=0, run=0).trace
    return Case(setting, trace, LOG)


class TestBrokenMarkets:
    def test_shifted_qualities_refute_it_and_say_how_improbable_they_are(self) -> None:
        case = shifted()
        report = audit([case.trace], case.setting)
        assert not any(report.violation_counts.values())
        assert [result.label for result in report.refuted] == ["lem:good-event"]
        assert not report.passed
        violated = [c for c in report.claims if c.evidence.verdict is Verdict.ASSUMPTION_VIOLATED]
        needing = [c for c in violated if "good event fails" in (c.evidence.reason or "")]
        assert len(needing) > 30
        p = band_failure(case, "score")
        assert 1e-80 < p.p_value < 1e-60
        assert all(f"probability at most {upwards(2 * p.p_value)}" in (c.evidence.reason or "") for c in needing)
        data = next(c for c in json.loads(json.dumps(report.to_data()))["claims"] if c["label"] == "lem:good-event")
        assert [part["verdict"] for part in data["parts"]] == ["REFUTED", "NOT_REFUTED"]
        assert data["where"]["p_value"] == p.p_value


class TestJointEvidence:
    def test_is_a_p_value(self) -> None:
        """Three p-values on a grid, each at most x with probability x: so is the joint one, or less often."""
        grid = [k / 40 for k in range(1, 41)]
        found = sorted(joint_p_value(three) for three in itertools.product(grid, repeat=3))
        for rank, p in enumerate(found, start=1):
            if rank == len(found) or found[rank] > p:
                assert rank / len(found) <= p * (1 + 1e-9)
        assert found[0] < 1e-2

    def test_many_moderate_failures_are_worse_than_one(self) -> None:
        assert joint_p_value([1.0] * 30) == 1.0
        one, two, all_of_them = (joint_p_value([2e-5] * k + [1.0] * (30 - k)) for k in (1, 2, 30))
        assert one == pytest.approx(2 * 30 * 2e-5)
        assert two == pytest.approx(4 * 435 * 4e-10)
        assert all_of_them < 1e-100

    def failing(self) -> Evidence:
        return GOOD_EVENT.check(case_of((1, 1, 1), 0.05))

    def holding(self) -> Evidence:
        return GOOD_EVENT.check(case_of((0, 0, 0), 0.05))

    def test_runs_that_fail_together_refute_it(self) -> None:
        assert self.failing().verdict is Verdict.NOT_REFUTED
        origins = [{"kind": "simulation", "run": run} for run in range(4)]
        once = GOOD_EVENT.over(origins, [self.failing(), *[self.holding()] * 3])
        assert once.verdict is Verdict.NOT_REFUTED
        assert "1 of 4 independent runs, together with probability at most 0.001" in (once.reason or "")
        always = GOOD_EVENT.over(origins, [self.failing()] * 4)
        assert (always.verdict, always.tightness.violations) == (Verdict.REFUTED, 1)
        assert GOOD_EVENT.over(origins, [self.holding()] * 4).verdict is Verdict.NOT_REFUTED

    def test_traces_of_one_run_are_not_independent(self) -> None:
        same = GOOD_EVENT.over([{"kind": "simulation", "run": 0}] * 4, [self.failing()] * 4)
        assert same.verdict is Verdict.NOT_REFUTED
        assert "1 of 1 independent runs" in (same.reason or "")


class TestTails:
    def test_one_draw_never_leaves_so_that_costs_fail_with_the_rest_of_their_budget(self) -> None:
        for n, delta in ((2, 0.999999), (4, 0.05), (12, 1e-6)):
            assert beta(1, n, delta) >= 1
            # Costs: N providers, two sides, m >= 2.
            m = np.arange(2, 1_000_000, dtype=float)
            total = 2 * n * float((3 * delta / (2 * np.pi**2 * n * m**2)).sum())
            assert total == pytest.approx((1 - 6 / math.pi**2) * delta / 2, rel=1e-5)
            pairs = [(0.5, i / n) for i in range(n)]
            setting = setting_of(pairs, confidence=delta, exploration_scale=1.0, exploration_exponent=0.5)
            found = good_event_probability(setting).parameters["costs_fail_at_most"]
            assert found == pytest.approx(total, rel=1e-5)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
class TestPublished:
    def test_evidence_adds_up(self, name: str) -> None:
        evidence = good_event_probability(published(name).setting)
        parts = evidence.parameters
        # A bound for one law of the scores is no proof for all.
        assert evidence.verdict is Verdict.NOT_REFUTED
        assert evidence.tightest_ratio == pytest.approx(
            (parts["scores_fail_at_most"] + parts["costs_fail_at_most"]) / parts["delta"]
        )
        assert 0.19 < evidence.tightest_ratio < 0.2  # (1 - 6/pi^2)/2 = 0.196: the costs' share
        assert evidence.checked == 1  # one probability against delta
        assert f"any of {2 * published(name).setting.n_providers} means" in evidence.tried

    def test_qualified_are_almost_never_excluded(self, name: str) -> None:
        setting = published(name).setting
        evidence = qualified_never_excluded(setting)
        assert evidence.verdict is Verdict.NOT_REFUTED
        assert evidence.checked == 1
        assert f"any of {len(setting.qualified)} qualified providers" in evidence.tried
        # Only one side of a few providers: far less than the budget.
        assert 0 < evidence.parameters["fails_at_most"] < 1e-5


def test_a_radius_too_small_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = published("gpqa-strong").setting
    narrow = TabulatedFunction(lambda m: 0.3 * radius_table(4, 0.05).upto(int(m[-1]))[m.astype(int)])
    monkeypatch.setattr(band_walk, "radius_table", lambda n, delta: narrow)
    assert good_event_probability(setting).verdict is Verdict.REFUTED
    assert qualified_never_excluded(setting).verdict is Verdict.REFUTED


def test_nobody_qualified_is_never_excluded() -> None:
    setting = Setting("none", PlatformParameters(0.9, 0.05, 1, 1, 0.5), [Provider("a", 0.1, 0), Provider("b", 0.2, 1)])
    evidence = qualified_never_excluded(setting)
    assert (evidence.verdict, evidence.checked, evidence.parameters["fails_at_most"]) == (Verdict.NOT_REFUTED, 0, 0)

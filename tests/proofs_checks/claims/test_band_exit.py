"""Exit probabilities against enumeration in exact fractions and against simulation; tails against direct sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.tables import TabulatedFunction, radius_table
from proofs_checks.claims.band_exit import good_event_probability, qualified_never_excluded
from proofs_checks.claims.model import band_walk
from proofs_checks.claims.model.band_walk import hoeffding_tail
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import beta, setting_of


class TestTails:
    @pytest.mark.for_each(("n", "delta", "counts"), [(2, 0.99, 10), (4, 0.05, 1000), (9, 1e-3, 50)])
    def test_bounds_the_direct_sum_closely(self, n: int, delta: float, counts: int) -> None:
        m = np.arange(counts + 1, 2_000_000, dtype=float)
        radii = np.sqrt(np.log(2 * np.pi**2 * n * m**2 / (3 * delta)) / (2 * m))
        total = float(np.exp(-2 * m * radii**2).sum())
        bound = hoeffding_tail(n, delta, counts, 1)
        assert total < bound < total * (1 + 2 / counts)
        assert hoeffding_tail(n, delta, counts, 2) == 2 * bound

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

"""The law of elimination against fractions, against numpy's draws and against the compiled simulator."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import example, given, strategies as st

from bounds.coverage.elimination import elimination_law, relative_entropy
from bounds.coverage.limits import paper_radii
from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.market.market import market_laws
from mechanism.metrics.tally import ProviderField
from tests.bounds.coverage.exact import eliminated

#: A right law fails the tests by simulation with at most this probability, over the choice of the seed.
FALSE_ALARM = 1e-9
EASY = {"quality_threshold": 0.9, "n_providers": 2, "confidence": 0.9}


@given(st.floats(0, 1), st.floats(0, 1))
@example(0.0, 0.0)
@example(1.0, 1.0)
@example(0.0, 1.0)
@example(1.0, 0.0)
@example(1.0, 5e-324)
@example(0.3, 0.3 + 2**-54)
def test_relative_entropy_is_that_of_scipy(p: float, q: float) -> None:
    rel_entr = scipy.special.rel_entr
    expected = rel_entr(p, q) + rel_entr(1 - p, 1 - q)
    # SciPy's two summands nearly cancel where p is near q, and show how 1 - p and 1 - q are rounded.
    spare = 4e-16 * (1 + abs(rel_entr(p, q)) + abs(rel_entr(1 - p, 1 - q))) if math.isfinite(expected) else 0.0
    assert float(relative_entropy(p, q)) == pytest.approx(max(expected, 0.0), rel=1e-15, abs=spare)


@given(st.floats(1e-12, 1 - 1e-12), st.floats(-14, -0.001), st.booleans())
@example(0.5, -4.0, True)
@example(1e-9, -9.0, False)
@example(0.4998261, -4.5, True)
@example(1 - 1e-9, -0.5, True)
def test_relative_entropy_has_all_digits_near_equal_means(q: float, size: float, above: bool) -> None:
    """The difference may be a part in 10^14 of the means, as it is of a provider just below the threshold."""
    difference = 10.0**size * min(q, 1 - q) * (1 if above else -1)
    p = q + difference
    with mpmath.workdps(60):
        exact, d = mpmath.mpf(q), mpmath.mpf(difference)
        mean = exact + d
        expected = mean * mpmath.log(mean / exact) + (1 - mean) * mpmath.log((1 - mean) / (1 - exact))
    assert float(relative_entropy(p, q, difference)) == pytest.approx(float(expected), rel=1e-13, abs=0.0)


@given(st.floats(0, 1), st.floats(-1, 1))
@example(1 - 2.0**-52, 0.3 * 2.0**-52)
def test_relative_entropy_is_not_negative(q: float, difference: float) -> None:
    assert float(relative_entropy(min(max(q + difference, 0.0), 1.0), q, difference)) >= 0


class TestAgainstFractions:
    @pytest.mark.parametrize("quality", [0.0, 0.1, 0.4])
    def test_probabilities_survival_and_quantiles(self, quality: float) -> None:
        law = elimination_law(quality, **EASY, failure=1e-3)
        exact = eliminated(quality, 0.9, paper_radii(law.counts, n_providers=2, confidence=0.9).tolist())
        assert law.counts >= 5
        alive = Fraction(1)
        for m, weight in enumerate(exact, 1):
            assert float(law.probabilities[m - 1]) == pytest.approx(float(weight), rel=1e-12, abs=1e-18)
            alive -= weight
            assert law.survival_lower[m] <= alive + Fraction(1, 10**300)
            assert alive <= law.survival_upper[m]
            assert law.survival_upper[m] - law.survival_lower[m] < 1e-12
        for failure in (0.5, 0.1, 1e-3):
            least = next(x for x in range(law.counts) if 1 - sum(exact[: x + 1], Fraction(0)) <= Fraction(failure))
            assert law.quantile(failure) == least
            assert elimination_law(quality, **EASY, failure=failure).quantile(failure) == least

    def test_scores_of_zero_are_eliminated_at_one_count(self) -> None:
        law = elimination_law(0.0, **EASY)
        first = int(np.flatnonzero(paper_radii(100, n_providers=2, confidence=0.9) < 0.9)[0]) + 1
        assert law.quantile(0.5) == law.quantile(1e-6) == first - 1
        assert law.mean.contains(first - 1)
        assert elimination_law(0.0, **EASY, failure=1e-300).quantile(1e-300) == first - 1

    def test_radii_of_ones_own(self) -> None:
        # Eligible at 1 and 2 whatever comes; at 3 only with three scores of 1, which 1/8 have; then never.
        radii = [1.0, 1.0, 0.25, 0.0]
        law = elimination_law(0.5, quality_threshold=1.0, n_providers=2, confidence=0.5, failure=0.07, radii=radii)
        assert law.probabilities.tolist() == [0.0, 0.0, 0.875, 0.0625]
        at = {"quality_threshold": 1.0, "n_providers": 2, "confidence": 0.5, "radii": radii}
        assert elimination_law(0.5, failure=0.2, **at).quantile(0.2) == 2
        assert elimination_law(0.5, failure=0.07, **at).quantile(0.07) == 3
        with pytest.raises(InputError, match="radii"):
            elimination_law(0.5, failure=0.01, **at)

    def test_a_mean_on_the_edge_is_eligible(self) -> None:
        at = {"quality_threshold": 0.75, "n_providers": 2, "confidence": 0.5, "failure": 0.3}
        # One score of 0 and a radius of 0.75: 0 + 0.75 is not below 0.75.
        law = elimination_law(0.5, radii=[0.75, 0.0], **at)
        assert law.probabilities.tolist() == [0.0, 0.75]
        assert elimination_law(0.5, radii=[math.nextafter(0.75, 0), 0.0], **at).probabilities[0] == 0.5


class TestPublished:
    def test_the_one_that_takes_longest_at_the_first_setting(self) -> None:
        """Notes, J3: mean about 2,096, and 4,000 at its share of what the good event leaves over."""
        setting = published("gsm8k-full").setting
        at = {"quality_threshold": setting.platform.quality_threshold, "n_providers": 9, "confidence": 0.05}
        quality = next(p.quality for p in setting.providers if p.name == "Llama-3.2-3B")
        law = elimination_law(quality, **at, failure=1e-9)
        assert law.mean.contains(2097.85211)
        assert law.mean.upper - law.mean.lower < 1e-5
        assert law.quantile((6 / math.pi**2) * 0.05 / 6) == 3999

    @pytest.mark.long("follows laws over many counts")
    @pytest.mark.for_each("name", ["gsm8k-full", "gsm8k-ladder", "gpqa-strong"])
    def test_below_single_time_elimination(self, name: str) -> None:
        """Audit I7: the provider is ineligible at a fixed count but for its share of the failure, by Chernoff."""
        setting = published(name).setting
        failure = (6 / math.pi**2) * 0.05 / len(setting.unqualified)
        radii = paper_radii(400_000, n_providers=setting.n_providers, confidence=0.05)
        for i in setting.unqualified:
            quality, threshold = setting.providers[i].quality, setting.platform.quality_threshold
            law = elimination_law(
                quality, quality_threshold=threshold, n_providers=setting.n_providers, confidence=0.05, failure=failure
            )
            quantile = law.quantile(failure)
            m = next(
                m
                for m in range(quantile // 2, 400_000)
                if threshold - radii[m - 1] > quality
                and m * relative_entropy(threshold - float(radii[m - 1]), quality) >= math.log(1 / failure)
            )
            assert quantile <= m - 1 < 1.5 * quantile + 10


class TestSimulators:
    @pytest.mark.long("plays 20,000 markets")
    def test_the_compiled_simulator(self) -> None:
        """An unqualified provider that costs nothing wins every auction until it is eliminated."""
        platform = PlatformParameters(0.9, 0.9, 1.0, 0.001, 0.01)
        providers = [Provider("cheap", 0.5, 0.0), Provider("dear", 1.0, 1.0)]
        setting, runs = Setting("eliminated", platform, providers), 20_000
        laws = market_laws(setting, cost_law="point-mass")
        tallies = CompiledEpisode(setting, laws=laws).tallies(horizon=200, seed=3, runs=range(runs))
        later = np.array([tally.by_provider[-1, ProviderField.SELECTIONS, 0] for tally in tallies]) - 1
        law = elimination_law(0.5, **EASY, failure=1e-9)
        assert later.max() < law.quantile(1e-9)  # beyond it with a probability of 1e-9 in each of 20,000 runs
        for x in (5, 15, 30):
            longer = int((later > x).sum())
            assert scipy.stats.binomtest(longer, runs, law.survival(x).middle).pvalue > FALSE_ALARM
        # Power: a law that is off by two counts differs.
        longer = int((later > 15).sum())
        assert scipy.stats.binomtest(longer, runs, law.survival(13).middle).pvalue < FALSE_ALARM
        assert scipy.stats.binomtest(longer, runs, law.survival(17).middle).pvalue < FALSE_ALARM


class TestArguments:
    @pytest.mark.for_each(
        ("quality", "threshold", "failure", "name"),
        [
            (0.5, 0.5, 0.1, "quality"),
            (0.7, 0.5, 0.1, "quality"),
            (-1.0, 0.5, 0.1, "quality"),
            (0.2, 1.5, 0.1, "quality"),
            (0.2, 0.5, 0.0, "failure"),
            (0.2, 0.5, math.nan, "failure"),
        ],
    )
    def test_bad_input(self, quality: float, threshold: float, failure: float, name: str) -> None:
        with pytest.raises(InputError) as caught:
            elimination_law(quality, quality_threshold=threshold, n_providers=2, confidence=0.05, failure=failure)
        assert caught.value.argument == name

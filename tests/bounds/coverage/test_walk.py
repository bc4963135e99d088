"""Exits and eliminations against every sequence and exact fractions; the worst quality against a grid."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import example, given, strategies as st

from bounds.coverage import kernel, walk as walks
from bounds.coverage.elimination import elimination_law, law_for_radii, relative_entropy
from bounds.coverage.lattice import LatticeLaw, beyond_counts, lattice_exit
from bounds.coverage.limits import RADIUS_ROUNDING, Limits, TwoLimits, band_limits, paper_radii
from bounds.coverage.tail import tail_bound, union_constant
from bounds.coverage.walk import Side, band_exit, exit_probability, walk
from bounds.coverage.worst import worst_quality
from bounds.formulas.radius import RADIUS
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.market.laws import TOTAL_WEIGHT, beta_shaped, point_mass, two_point
from mechanism.market.market import market_laws
from mechanism.market.provider import ProviderMarket
from mechanism.metrics.tally import ProviderField
from proofs_checks.coverage.costs import query_cost_law
from tests.bounds.coverage.exact import eliminated, enumerated, followed, leaving
from tests.refusals import refusal

SIDES: tuple[Side, ...] = ("both", "below", "above")


class TestEnumeration:
    @pytest.mark.for_each("side", SIDES)
    def test_radii_of_any_kind(self, side: Side) -> None:
        rng = np.random.default_rng(5)
        for _ in range(6):
            quality, radii = float(rng.random()), (0.1 + 0.7 * rng.random(9)).tolist()
            exact, found = enumerated(quality, radii, side), exit_probability(quality, radii, side)
            assert Fraction(found.lower) <= exact <= Fraction(found.upper)
            assert found.upper - found.lower <= 1e-12 * float(exact) + 1e-300

    def test_a_mean_on_the_edge_has_not_left(self) -> None:
        # 1/2 - 1/4 is the radius, and two scores of 1 are beyond it.
        for radii in ([1.0, 0.25], [0.75, 0.25], [1.0, 0.25, 0.25]):
            exact, found = enumerated(0.25, radii, "both"), exit_probability(0.25, radii)
            assert found.contains(float(exact))
        assert exit_probability(0.25, [0.75]).upper < 1e-300
        assert exit_probability(0.25, [math.nextafter(0.75, 0)]).contains(0.25)

    @pytest.mark.parametrize("quality", [0.1, 0.9])
    def test_fractions_at_more_counts(self, quality: float) -> None:
        radii = paper_radii(150, n_providers=2, confidence=0.99).tolist()
        exact, found = followed(quality, radii, "both"), band_exit(quality, n_providers=2, confidence=0.99, counts=150)
        assert Fraction(found.lower) <= exact <= Fraction(found.upper)
        assert float(exact) > 1e-6
        assert found.upper - found.lower < 1e-12 * float(exact)

    def test_a_wrong_boundary_is_caught(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Power: off by one at either end, at the first count, or a strict comparison, and the enumeration differs."""
        radii = paper_radii(11, n_providers=2, confidence=0.99).tolist()
        right = band_limits(0.9, np.array(radii))
        shifts = [(1, 0), (-1, 0), (0, -1)]

        def shifted(low: int, high: int) -> TwoLimits:
            moved = Limits(low=right.widest.low + low, high=right.widest.high + high)
            return TwoLimits(widest=moved, narrowest=moved)

        exact = enumerated(0.9, radii, "both")
        for low, high in shifts:
            wrong = walks.exit_within(0.9, shifted(low, high))
            assert not Fraction(wrong.lower) <= exact <= Fraction(wrong.upper)
        # A count too late: the radius of m + 1 at m.
        late = exit_probability(0.9, [*radii[1:], radii[-1]])
        assert not Fraction(late.lower) <= exact <= Fraction(late.upper)
        monkeypatch.setattr(walks, "band_limits", lambda *_, **__: shifted(1, 0))
        assert exit_probability(0.9, radii).lower > float(exact)


class TestWhatIsKnown:
    @pytest.mark.parametrize("quality", [0.0, 1.0])
    def test_scores_that_never_vary_never_leave(self, quality: float) -> None:
        found = band_exit(quality, n_providers=2, confidence=0.999, counts=5000)
        assert found.lower == 0
        assert found.upper < 1e-280

    def test_the_horizon_of_the_paper(self) -> None:
        """Audit E5: between 1e-8 and 1e-5 over the providers of a setting, where the budget is 0.025."""
        for name in ("gsm8k-full", "gpqa-strong"):
            setting = published(name).setting
            n = setting.n_providers
            exits = [band_exit(p.quality, n_providers=n, confidence=0.05) for p in setting.providers]
            assert sum(found.lower for found in exits) > 1e-8
            assert sum(found.upper for found in exits) + n * tail_bound(70_000, n_providers=n, confidence=0.05) < 1e-5
            assert all(found.upper - found.lower < 1e-10 * found.upper + 1e-280 for found in exits)

    def test_what_is_dropped_is_counted(self) -> None:
        limits = band_limits(0.3, paper_radii(500, n_providers=2, confidence=0.99)).widest
        whole, rough = walk(0.3, limits), walk(0.3, limits, trim=1e-9)
        assert rough.dropped > 0
        assert rough.left().lower <= whole.left().upper
        assert whole.left().lower <= rough.left().upper
        assert rough.remaining + math.fsum(rough.left_below) + math.fsum(rough.left_above) + rough.dropped == (
            pytest.approx(1, abs=1e-12)
        )

    def test_machine_code_is_what_is_written(self) -> None:
        limits = band_limits(0.3, paper_radii(40, n_providers=2, confidence=0.99)).widest
        room = [np.zeros(64), np.zeros(64), np.zeros(40), np.zeros(40)]
        plain = kernel.follow.py_func(0.3, 0.7, limits.low, limits.high, 0.0, 0.0, *room)  # type: ignore[attr-defined]
        found = walk(0.3, limits, trim=0.0)
        assert (plain[0], plain[2]) == (40, 0.0)
        assert np.allclose(room[2], found.left_below, rtol=1e-13, atol=0)
        assert np.allclose(room[3], found.left_above, rtol=1e-13, atol=0)


class TestLimits:
    def test_radii_are_as_close_as_is_said(self) -> None:
        for n, delta in ((2, 0.999999), (9, 0.05), (1000, 1e-200)):
            counts = np.unique(np.geomspace(1, 500_000, 60).astype(int))
            radii = paper_radii(int(counts[-1]), n_providers=n, confidence=delta)
            for m in counts.tolist():
                exact = RADIUS.enclose(count=float(m), n_providers=n, confidence=delta)
                share = Fraction(RADIUS_ROUNDING)
                assert exact.upper * (1 - share) <= Fraction(float(radii[m - 1])) <= exact.lower * (1 + share)

    def test_rounding_never_decides(self) -> None:
        rng = np.random.default_rng(7)
        for _ in range(300):
            m = int(rng.integers(1, 60))
            # Radii at which some sum lies exactly on the edge, and the doubles next to them.
            quality = float(rng.integers(0, 65)) / 64
            edge = abs(float(rng.integers(0, m + 1)) / m - quality)
            for radius in (edge, math.nextafter(edge, 1), math.nextafter(edge, 0)):
                found = band_limits(quality, np.full(m, radius)).widest
                inside = [j for j in range(m + 1) if abs(Fraction(j, m) - Fraction(quality)) <= Fraction(radius)]
                kept = range(int(found.low[-1]), int(found.high[-1]) + 1)
                assert list(kept) == inside

    def test_an_uncertain_radius_leaves_both_open(self) -> None:
        limits = band_limits(0.25, np.array([0.75, 0.75]), radius_rounding=2.0**-48)
        assert limits.widest.high.tolist() == [1, 2]
        assert limits.narrowest.high.tolist() == [0, 1]
        found = exit_probability(0.25, [0.75, 1.0], radius_rounding=2.0**-48)
        assert found.lower == 0
        assert found.upper >= 0.25


class TestTail:
    @pytest.mark.for_each(("n", "delta"), [(2, 0.99), (4, 0.05), (9, 1e-3), (12, 1e-9)])
    def test_below_the_union_over_counts_and_falling(self, n: int, delta: float) -> None:
        bounds = [tail_bound(counts, n_providers=n, confidence=delta) for counts in (1, 10, 1000, 70_000, 10**7)]
        assert bounds == sorted(bounds, reverse=True)
        for counts, bound in zip((1, 10, 1000, 70_000, 10**7), bounds, strict=True):
            assert 0 < bound <= 2 / (union_constant(n, delta) * counts) * (1 + 1e-8)
        assert bounds[3] < 2 / (union_constant(n, delta) * 70_000) / 500
        assert bounds[3] == pytest.approx(2 * tail_bound(70_000, n_providers=n, confidence=delta, sides=1))

    def test_bounds_what_is_found_beyond(self) -> None:
        for quality in (0.5, 0.9):
            near, far = (band_exit(quality, n_providers=2, confidence=0.99, counts=m) for m in (30, 20_000))
            beyond = far.upper - near.lower
            assert 0 < beyond < tail_bound(30, n_providers=2, confidence=0.99)


@pytest.mark.for_each(
    ("quality", "radii", "name"),
    [(-0.1, [1.0], "quality"), (math.nan, [1.0], "quality"), (0.5, [-1.0], "radii"), (0.5, [math.nan], "radii")],
)
def test_bad_input(quality: float, radii: list[float], name: str) -> None:
    assert refusal(exit_probability, quality, radii).argument == name


@pytest.mark.parametrize(("n", "delta"), [(2, 0.95), (4, 0.05), (9, 0.05)])
def test_no_quality_of_a_grid_is_worse(n: int, delta: float) -> None:
    counts = 150
    worst = worst_quality(n_providers=n, confidence=delta, counts=counts)
    radii = paper_radii(counts, n_providers=n, confidence=delta)
    # Half of the grid at random, half just beside the qualities at which a run of equal scores begins to leave.
    edges = radii[radii < 1]
    grid = np.concatenate([np.random.default_rng(3).random(300), edges + 1e-9, edges - 1e-9, 1 - edges + 1e-9])
    failures = [exit_probability(q, radii, radius_rounding=RADIUS_ROUNDING).lower for q in grid if 0 <= q <= 1]
    assert max(failures) <= worst.at_most
    assert max(failures) > 0.5 * worst.failure  # the grid comes near it
    assert worst.failure <= worst.at_most <= 1.011 * worst.failure + tail_bound(counts, n_providers=n, confidence=delta)


def test_it_is_as_bad_as_is_said_and_its_mirror_too() -> None:
    worst = worst_quality(n_providers=4, confidence=0.05, counts=300)
    for quality in (worst.quality, 1 - worst.quality):
        found = band_exit(quality, n_providers=4, confidence=0.05, counts=300)
        assert found.upper == pytest.approx(worst.failure, rel=1e-6)


def test_more_counts_leave_less_open() -> None:
    few, many = (worst_quality(n_providers=4, confidence=0.05, counts=counts) for counts in (200, 2000))
    assert many.at_most < few.at_most
    assert many.failure >= few.failure


EASY = {"n_providers": 2, "confidence": 0.99}


def law(masses: list[Fraction], bound: Fraction) -> LatticeLaw:
    mean = sum((point * mass for point, mass in enumerate(masses)), Fraction(0))
    return LatticeLaw(masses=np.array([float(mass) for mass in masses]), mean=mean, bound=bound)


def exact(masses: list[Fraction], bound: Fraction, counts: int) -> Fraction:
    """The probability of leaving the band, in fractions."""
    mean = sum((point * mass for point, mass in enumerate(masses)), Fraction(0))
    widths = [bound * Fraction(radius) for radius in paper_radii(counts, **EASY).tolist()]
    return Fraction(sum(leaving(masses, counts, lambda total, m: abs(Fraction(total, m) - mean) <= widths[m - 1])))


LAWS = {
    "three points": ([Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)], Fraction(2)),
    "a rare large one": ([Fraction(15, 16), Fraction(0), Fraction(0), Fraction(1, 16)], Fraction(3)),
    "two points": ([Fraction(1, 2), Fraction(0), Fraction(0), Fraction(0), Fraction(1, 2)], Fraction(4)),
}


class TestFollowed:
    @pytest.mark.parametrize("name", LAWS)
    def test_fractions(self, name: str) -> None:
        masses, bound = LAWS[name]
        for counts in (8, 60):
            found = lattice_exit(law(masses, bound), counts=counts, **EASY)
            expected = exact(masses, bound, counts)
            assert found.counts == counts
            assert Fraction(found.followed.lower) <= expected <= Fraction(found.followed.upper)
            assert found.followed.upper - found.followed.lower <= 1e-12 * float(expected) + 1e-300
        assert float(expected) > 1e-7

    def test_scores_are_costs_of_0_and_1(self) -> None:
        for quality in (0.125, 0.5):
            masses = [Fraction(1) - Fraction(quality), Fraction(quality)]
            found = lattice_exit(law(masses, Fraction(1)), n_providers=4, confidence=0.05, counts=700)
            same = band_exit(quality, n_providers=4, confidence=0.05, counts=700)
            assert found.followed.lower <= same.upper
            assert same.lower <= found.followed.upper
            # What is left out of the exact part is bounded, and not by far too much.
            assert found.failure.upper < 2 * same.upper

    def test_a_small_budget_follows_less_and_bounds_the_rest(self) -> None:
        masses, bound = LAWS["three points"]
        whole = lattice_exit(law(masses, bound), **EASY)
        for budget in (1e1, 1e3, 1e5):
            some = lattice_exit(law(masses, bound), budget=budget, **EASY)
            assert some.counts < whole.counts == 2000
            assert some.followed.lower <= whole.followed.upper
            assert whole.failure.lower <= some.failure.upper

    def test_a_wrong_mean_is_caught(self) -> None:
        """Power: a band around another mean, or of another width, gives another probability."""
        masses, bound = LAWS["three points"]
        right, expected = law(masses, bound), exact(masses, bound, 60)
        for wrong in (
            LatticeLaw(masses=right.masses, mean=right.mean + Fraction(1, 10), bound=bound),
            LatticeLaw(masses=right.masses, mean=right.mean, bound=bound * Fraction(19, 20)),
            LatticeLaw(masses=right.masses[::-1].copy(), mean=right.mean, bound=bound),
        ):
            found = lattice_exit(wrong, counts=60, **EASY).followed
            assert not Fraction(found.lower) <= expected <= Fraction(found.upper)


class TestBeyond:
    @pytest.mark.parametrize("name", LAWS)
    def test_bounds_what_is_followed_there(self, name: str) -> None:
        given = law(*LAWS[name])
        for first in (1, 5, 30):
            near, far = (lattice_exit(given, counts=counts, **EASY).followed for counts in (first, 1500))
            bound = beyond_counts(given, first, **EASY)
            assert far.upper - near.lower <= bound
            assert bound < 1000 * (far.upper - near.lower) + 1e-9


class TestLawsOfQueries:
    def test_candidates_share_their_difficulty(self) -> None:
        market = ProviderMarket(two_point(0.5, 1.0), beta_shaped(0.3, 1.0, 0.6, 16), multiplicity=3)
        found = query_cost_law(market, 3.0)
        points = np.arange(len(found.masses))
        unit = float(market.candidate_law.unit)
        assert float(found.masses.sum()) == pytest.approx(1, abs=1e-13)
        assert float(found.masses @ points) * unit == pytest.approx(float(market.mean_cost), rel=1e-13)
        second = float(found.masses @ points**2) * unit**2 - float(market.mean_cost) ** 2
        assert second == pytest.approx(float(market.cost_variance), rel=1e-11)

    def test_too_many_points_are_left_to_hoeffding(self) -> None:
        market = ProviderMarket(two_point(0.5, 1.0), beta_shaped(0.3, 1.0, 0.6, 1024), multiplicity=100)
        assert query_cost_law(market, 100.0) is None
        assert query_cost_law(ProviderMarket(point_mass(1), point_mass(2.0)), 4.0) is not None
        assert TOTAL_WEIGHT == 2**62


#: A right law fails the tests by simulation with at most this probability, over the choice of the seed.
FALSE_ALARM = 1e-9
EASY_TO_ELIMINATE = {"quality_threshold": 0.9, "n_providers": 2, "confidence": 0.9}


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
        law = elimination_law(quality, **EASY_TO_ELIMINATE, failure=1e-3)
        exact = eliminated(quality, 0.9, paper_radii(law.counts, n_providers=2, confidence=0.9).tolist())
        assert law.counts >= 5
        alive = Fraction(1)
        for m, weight in enumerate(exact, 1):
            assert float(law.longest.left_below[m - 1]) == pytest.approx(float(weight), rel=1e-12, abs=1e-18)
            alive -= weight
            assert law.survival_lower[m] <= alive + Fraction(1, 10**300)
            assert alive <= law.survival_upper[m]
            assert law.survival_upper[m] - law.survival_lower[m] < 1e-12
        for failure in (0.5, 0.1, 1e-3):
            least = next(x for x in range(law.counts) if 1 - sum(exact[: x + 1], Fraction(0)) <= Fraction(failure))
            assert law.quantile(failure) == least
            assert elimination_law(quality, **EASY_TO_ELIMINATE, failure=failure).quantile(failure) == least

    def test_scores_of_zero_are_eliminated_at_one_count(self) -> None:
        law = elimination_law(0.0, **EASY_TO_ELIMINATE)
        first = int(np.flatnonzero(paper_radii(100, n_providers=2, confidence=0.9) < 0.9)[0]) + 1
        assert law.quantile(0.5) == law.quantile(1e-6) == first - 1
        assert law.mean.contains(first - 1)
        assert elimination_law(0.0, **EASY_TO_ELIMINATE, failure=1e-300).quantile(1e-300) == first - 1

    def test_radii_of_ones_own(self) -> None:
        # Eligible at 1 and 2 whatever comes; at 3 only with three scores of 1, which 1/8 have; then never.
        radii = np.array([1.0, 1.0, 0.25, 0.0])
        law = law_for_radii(0.5, 1.0, radii, 0.07, 0.0)
        assert law.longest.left_below.tolist() == [0.0, 0.0, 0.875, 0.0625]
        assert [law_for_radii(0.5, 1.0, radii, failure, 0.0).quantile(failure) for failure in (0.2, 0.07)] == [2, 3]

    def test_a_mean_on_the_edge_is_eligible(self) -> None:
        # One score of 0 and a radius of 0.75: 0 + 0.75 is not below 0.75.
        law = law_for_radii(0.5, 0.75, np.array([0.75, 0.0]), 0.3, 0.0)
        assert law.longest.left_below.tolist() == [0.0, 0.75]
        below = np.array([math.nextafter(0.75, 0), 0.0])
        assert law_for_radii(0.5, 0.75, below, 0.3, 0.0).longest.left_below[0] == 0.5


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
        providers = [Provider("cheap", 0.5, 0.0), Provider("expensive", 1.0, 1.0)]
        setting, runs = Setting("eliminated", platform, providers), 20_000
        laws = market_laws(setting, cost_law="point-mass")
        tallies = CompiledEpisode(setting, laws=laws).tallies(horizon=200, seed=3, runs=range(runs))
        later = np.array([tally.by_provider[-1, ProviderField.SELECTIONS, 0] for tally in tallies]) - 1
        law = elimination_law(0.5, **EASY_TO_ELIMINATE, failure=1e-9)
        assert later.max() < law.quantile(1e-9)  # beyond it with a probability of 1e-9 in each of 20,000 runs
        for x in (5, 15, 30):
            longer = int((later > x).sum())
            assert scipy.stats.binomtest(longer, runs, law.survival_upper[x + 1]).pvalue > FALSE_ALARM
        # Power: a law that is off by two counts differs.
        longer = int((later > 15).sum())
        assert scipy.stats.binomtest(longer, runs, law.survival_upper[14]).pvalue < FALSE_ALARM
        assert scipy.stats.binomtest(longer, runs, law.survival_upper[18]).pvalue < FALSE_ALARM


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
        error = refusal(
            elimination_law, quality, quality_threshold=threshold, n_providers=2, confidence=0.05, failure=failure
        )
        assert error.argument == name

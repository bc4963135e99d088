"""Exit probabilities against every sequence and against fractions; the worst quality against a grid."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from bounds.coverage import kernel, walk as walks
from bounds.coverage.limits import RADIUS_ROUNDING, Limits, TwoLimits, band_limits, paper_radii
from bounds.coverage.tail import tail_bound, union_constant
from bounds.coverage.walk import Side, band_exit, exit_probability, walk
from bounds.coverage.worst import worst_quality
from bounds.errors import InputError
from bounds.formulas.radius import RADIUS
from bounds.published import published
from tests.bounds.coverage.exact import enumerated, followed

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
    with pytest.raises(InputError) as caught:
        exit_probability(quality, radii)
    assert caught.value.argument == name


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

"""Every radius against brute force: its equation, its coverage, its inversion."""

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from bounds.errors import InputError
from bounds.language.arithmetic import Array
from bounds.published import PUBLISHED_NAMES, published
from bounds.radii.beta_binomial import log_mixture
from bounds.radii.catalogue import radius_named
from bounds.radii.names import PAPERS, RADII
from bounds.radii.normal_mixture import tuned_weight
from bounds.radius_caps import RADIUS_COMPETITOR_CAP, RADIUS_UNQUALIFIED_CAP, RadiusCaps, largest_count
from bounds.report import evaluate_bounds
from bounds.setting.file import format_setting, parse_setting
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Setting
from tests.bounds.by_hand import with_radius

OTHERS = tuple(name for name in RADII if name != PAPERS)
N, DELTA = 4, 0.05
BUDGET = DELTA / (4 * N)
thresholds = st.floats(0.01, 0.99)


def quality(name: str, counts: Array, mean: float, n: int = N, delta: float = DELTA) -> Array:
    return radius_named(name).quality_radius(counts, mean=mean, n_providers=n, confidence=delta)


def cost(name: str, counts: Array, n: int = N, delta: float = DELTA) -> Array:
    return radius_named(name).cost_radius(counts, n_providers=n, confidence=delta)


def caps_at(setting: Setting, horizon: int) -> dict[int, float]:
    """Return the most selections of every provider but i* after initialization, by index."""
    values = {**formula_inputs(setting), "horizon": horizon}
    groups = (setting.unqualified, RADIUS_UNQUALIFIED_CAP), (setting.competitors, RADIUS_COMPETITOR_CAP)
    return {i: cap for group, formula in groups for i, cap in zip(group, formula(values).tolist(), strict=True)}


def exit_below(successes: float, bounds: Array) -> float:
    """Return the probability that a mean of Bernoulli scores is ever below its bound, by dynamic programming."""
    inside, left = np.ones(1), 0.0
    for m, bound in enumerate(bounds.tolist(), start=1):
        after = np.append(inside * (1 - successes), 0.0)
        after[1:] += inside * successes
        out = np.arange(m + 1) / m < bound
        left += after[out].sum()
        inside = np.where(out, 0.0, after)
    return left


@pytest.mark.for_each("name", RADII)
@hypothesis_settings(max_examples=8)
@given(mean=thresholds, n=st.integers(2, 40), delta=st.floats(1e-4, 0.99))
def test_no_radius_increases(name: str, mean: float, n: int, delta: float) -> None:
    counts = np.unique(np.concatenate([np.arange(1.0, 600), np.geomspace(600, 2**40, 600).round()]))
    for radius in (quality(name, counts, mean, n, delta), cost(name, counts, n, delta)):
        assert (np.diff(radius) <= 1e-10 * radius[1:]).all()
        assert (radius > 0).all()


@pytest.mark.for_each("name", RADII)
@pytest.mark.parametrize("mean", [0.02, 0.5, 0.764])
def test_exact_coverage_of_binary_scores(name: str, mean: float) -> None:
    """A qualified provider is ever excluded, or seen above its band, with probability delta/(4N) at most."""
    counts = np.arange(1.0, 1201)
    bounds = mean - quality(name, counts, mean)
    assert exit_below(mean, bounds) <= BUDGET
    better = (1 + mean) / 2
    assert exit_below(better, bounds) <= BUDGET
    # From above: the scores 1 - s of a provider of this quality.
    assert exit_below(1 - mean, 1 - mean - quality(name, counts, 1 - mean)) <= BUDGET


@pytest.mark.for_each("name", RADII)
def test_exact_coverage_of_scores_between(name: str) -> None:
    """Scores of 0, 1/2 and 1, which are not binary, on their lattice."""
    law = np.array([0.3, 0.5, 0.2])
    mean, counts = float(law @ [0, 0.5, 1]), np.arange(1.0, 401)
    inside, left = np.ones(1), 0.0
    for m, bound in enumerate(mean - quality(name, counts, mean), start=1):
        after = np.convolve(inside, law)
        out = np.arange(len(after)) / (2 * m) < bound
        left += after[out].sum()
        inside = np.where(out, 0.0, after)
    assert 0 <= left <= BUDGET


@pytest.mark.for_each("name", RADII)
def test_a_radius_that_is_too_small_is_caught(name: str) -> None:
    counts = np.arange(1.0, 1201)
    radius = quality(name, counts, 0.5)
    assert exit_below(0.5, 0.5 - 0.6 * radius) > BUDGET
    assert exit_below(0.5, 0.5 - radius) <= BUDGET


@pytest.mark.parametrize(("mean", "m"), [(0.05, 30), (0.4, 300), (0.9, 3000)])
def test_beta_binomial_is_the_mixture(mean: float, m: int) -> None:
    """ln M by quadrature; at the radius it is ln(4N/delta)."""
    budget = math.log(4 * N / DELTA)
    weight = tuned_weight(budget)
    below = float(quality("beta-binomial", np.array([float(m)]), mean)[0])
    with mpmath.workdps(30):
        q, s = mpmath.mpf(mean), m * (mpmath.mpf(mean) - below)
        a, b = weight * q, weight * (1 - q)

        def density(t: mpmath.mpf) -> mpmath.mpf:
            return t ** (a - 1) * (1 - t) ** (b - 1)

        def likelihood(t: mpmath.mpf) -> mpmath.mpf:
            return density(t) * (t / q) ** s * ((1 - t) / (1 - q)) ** (m - s)

        ends = mpmath.linspace(0, q, 30)
        value = mpmath.log(mpmath.quad(likelihood, ends) / mpmath.quad(density, ends))
    computed = float(log_mixture(np.array([below]), np.array([float(m)]), mean, weight)[0])
    assert float(value) == pytest.approx(computed, abs=1e-7)
    assert below == mean or computed == pytest.approx(budget, abs=1e-6)
    assert below < mean or computed <= budget


@pytest.mark.for_each("m", [1, 50, 5000])
def test_normal_mixture_is_the_mixture(m: int) -> None:
    budget = math.log(2 * N / DELTA)
    eta = tuned_weight(budget)
    deviation = m * float(cost("normal-mixture", np.array([float(m)]))[0])

    def integrand(x: mpmath.mpf) -> mpmath.mpf:
        rate = x * 2 / math.sqrt(eta)
        return mpmath.npdf(x) * mpmath.exp(rate * deviation - rate**2 * m / 8)

    value = mpmath.quad(integrand, mpmath.linspace(-40, 40, 161))
    assert float(mpmath.log(value)) == pytest.approx(budget, abs=1e-8)


@hypothesis_settings(max_examples=25)
@given(gap=st.floats(0.02, 1), power=st.floats(0.4, 1), scale=st.floats(0.01, 5))
def test_inversion_is_brute_force(gap: float, power: float, scale: float) -> None:
    # A comparison within rounding counts as reached.
    reached = [m for m in range(1, 20_000) if gap <= scale * m**-power * (1 + 1e-11)]
    found = largest_count(lambda counts: scale * counts**-power, gap)
    assert found == (reached[-1] if reached else 0) or found >= 20_000 - 1


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_with_the_papers_radius_the_caps_are_the_sharp_ones(name: str) -> None:
    setting = published(name).setting
    caps, sharp = RadiusCaps(setting), evaluate_bounds(setting, 70_000, "sharp")
    assert caps.identification_bounds(np.array([70_000.0])) == sharp.identification_bound
    assert caps.identification_horizon == sharp.identification_horizon
    for i, cap in caps_at(setting, 70_000).items():
        assert cap == sharp.providers[i].selection_cap


@pytest.mark.for_each("name", OTHERS)
def test_the_papers_theorems_do_not_apply_to_another_radius(name: str) -> None:
    setting = published("gpqa-strong").setting
    report = evaluate_bounds(with_radius(setting, name), 70_000)
    assert not any(bound.applies or bound.value is not None for bound in report.guarantees.values())
    assert name in (report.bounds["quality_regret"].reason or "")
    assert report.identification_horizon == RadiusCaps(with_radius(setting, name)).identification_horizon
    sharp = evaluate_bounds(setting, 70_000, "sharp").identification_horizon
    assert report.identification_horizon < sharp
    assert report.to_data()["radius"] == name
    assert "radius" not in evaluate_bounds(setting, 70_000).to_data()


@pytest.mark.for_each("name", RADII)
def test_a_setting_file_says_which_radius(name: str) -> None:
    setting = with_radius(published("gpqa-full").setting, name)
    text = format_setting(setting)
    assert ("radius" in text) == (name != PAPERS)
    assert parse_setting(text, setting.name) == setting
    assert ("radius" in setting.to_data()["platform"]) == (name != PAPERS)


@pytest.mark.for_each(
    ("given_name", "said"),
    [
        ("betabinomial", "did you mean beta-binomial?"),
        ("Normal_Mixture", "did you mean normal-mixture?"),
        ("kl", 'was removed: take "beta-binomial", and repeat what was run with it'),
        ("stitched", 'was removed: take "normal-mixture"'),
        ("no such thing", "the radii are paper, beta-binomial, normal-mixture"),
        (3, "must be the name of a radius"),
        ("empirical-bernstein", "its own past bids would move what it is paid"),
    ],
)
def test_other_names_are_refused(given_name: object, said: str) -> None:
    with pytest.raises(InputError, match=r"^radius=") as caught:
        PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75, radius=given_name)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_sure_scores_need_no_radius() -> None:
    counts = np.array([1.0, 100.0])
    assert [quality("beta-binomial", counts, mean).tolist() for mean in (0.0, 1.0)] == [[0, 0], [0, 0]]


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_the_page_has_the_horizons_of_every_radius(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "radii.md"
    (line,) = (line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {name} |"))
    found = [RadiusCaps(with_radius(published(name).setting, radius)).identification_horizon for radius in RADII]
    assert line.split(" | ")[1] == ", ".join(f"{horizon:,}" for horizon in found)

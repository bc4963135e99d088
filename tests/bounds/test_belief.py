"""The slack of shrinkage estimates, against the supremum by brute force and by exhaustive costs."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from bounds.errors import InputError
from bounds.formulas.belief import SHRINKAGE_SLACK, shrinkage_belief_slack

UNHURRIED = settings(deadline=None)
COUNTS = np.arange(1, 10**5 + 1, dtype=float)
CONFIDENCES = st.one_of(st.floats(1e-6, 0.999), st.sampled_from([1e-12, 0.05, 1 - 2**-53]))
STRENGTHS = st.one_of(st.floats(0, 1000), st.sampled_from([0.0, 1e-9, 1.0, 5.0, 6.0, 7.0, 7.5, 8.0, 20.0, 1000.0]))


def beta(m: Any, n: int, delta: float) -> Any:
    return np.sqrt(np.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))


@pytest.mark.parametrize(("strength", "slack"), [(1, 0.28), (20, 0.92), (1000, 5.0)])
def test_known_slacks(strength: float, slack: float) -> None:
    """N = 4, delta = .05 and a prior mean at an end of the range."""
    for prior_mean in (0.0, 75.008):
        found = shrinkage_belief_slack(prior_mean, strength, cost_bound=75.008, n_providers=4, confidence=0.05)
        assert found == pytest.approx(slack, abs=0.02 if strength == 1000 else 0.005)


@UNHURRIED
@given(
    strength=STRENGTHS,
    mean=st.floats(0, 1),
    n=st.sampled_from([2, 4, 9, 12, 1000]),
    delta=CONFIDENCES,
    bound=st.sampled_from([1.0, 102.4]),
)
@example(strength=7.0, mean=1.0, n=2, delta=1 - 2**-53, bound=1.0)
@example(strength=6.5, mean=0.5, n=2, delta=0.999, bound=1.0)
def test_slack_is_the_supremum_over_all_counts(
    strength: float, mean: float, n: int, delta: float, bound: float
) -> None:
    found = shrinkage_belief_slack(mean * bound, strength, cost_bound=bound, n_providers=n, confidence=delta)
    pulls = strength / (strength + COUNTS) * max(mean, 1 - mean) / beta(COUNTS, n, delta)
    assert found == pytest.approx(pulls.max(), rel=1e-10, abs=1e-300)
    assert (found + 1e-300 >= pulls * (1 - 1e-13)).all()


@pytest.mark.parametrize("strength", [3e4, 1e5])
def test_slack_of_strong_priors(strength: float) -> None:
    """The peak lies below n_0, so counts up to 10^5 hold it."""
    found = shrinkage_belief_slack(0.0, strength, cost_bound=1.0, n_providers=4, confidence=0.05)
    pulls = strength / (strength + COUNTS) / beta(COUNTS, 4, 0.05)
    assert 1 < np.argmax(pulls) + 1 < strength
    assert found == pytest.approx(pulls.max(), rel=1e-10)


def test_a_prior_worth_a_billion_observations_takes_no_time() -> None:
    found = shrinkage_belief_slack(0.0, 1e9, cost_bound=1.0, n_providers=4, confidence=0.05)
    counts = np.geomspace(1e6, 1e10, 10**5)
    pulls = 1e9 / (1e9 + counts) / beta(counts, 4, 0.05)
    assert pulls.max() <= found == pytest.approx(pulls.max(), rel=1e-6)


@UNHURRIED
@given(
    strength=st.floats(0, 100),
    mean=st.floats(0, 1),
    costs=st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=1, max_size=60),
)
def test_the_assumption_holds_for_every_sequence_of_costs(strength: float, mean: float, costs: list[float]) -> None:
    """asmp:beliefs, with c_max = 1: |e_m - chat_m| <= gamma beta(m)."""
    slack = shrinkage_belief_slack(mean, strength, cost_bound=1.0, n_providers=4, confidence=0.05)
    for m in range(1, len(costs) + 1):
        total = math.fsum(costs[:m])
        estimate = (strength * mean + total) / (strength + m)
        assert abs(estimate - total / m) <= slack * beta(m, 4, 0.05) + 1e-12


def test_no_prior_needs_no_slack() -> None:
    assert shrinkage_belief_slack(0.7, 0.0, cost_bound=1.0, n_providers=4, confidence=0.05) == 0.0


@given(st.floats(0.01, 1000), st.floats(0, 1), st.floats(0.01, 1000))
def test_slack_grows_with_the_strength(strength: float, mean: float, more: float) -> None:
    weak, strong = (
        shrinkage_belief_slack(mean, n0, cost_bound=1.0, n_providers=4, confidence=0.05)
        for n0 in (strength, strength + more)
    )
    assert 0 < weak <= strong


def test_formula_is_the_pull_in_radii() -> None:
    values = {"prior_strength": 3.0, "prior_spread": 8.0, "cost_bound": 10.0, "n_providers": 4, "confidence": 0.05}
    assert SHRINKAGE_SLACK.value(values, count=5) == pytest.approx(3 / 8 * 0.8 / beta(5, 4, 0.05))


@pytest.mark.for_each(
    ("changed", "argument"),
    [
        ({"prior_mean": 1.5}, "prior_mean"),
        ({"prior_mean": -0.1}, "prior_mean"),
        ({"prior_mean": math.nan}, "prior_mean"),
        ({"prior_strength": -1.0}, "prior_strength"),
        ({"prior_strength": math.inf}, "prior_strength"),
        ({"prior_strength": math.nan}, "prior_strength"),
        ({"confidence": 1.0}, "confidence"),
        ({"n_providers": 1}, "n_providers"),
        ({"cost_bound": 0.0, "prior_mean": 0.0}, "cost_bound"),
    ],
)
def test_values_out_of_range_are_named(changed: dict[str, float], argument: str) -> None:
    values: dict[str, Any] = {
        "prior_mean": 0.5,
        "prior_strength": 1.0,
        "cost_bound": 1.0,
        "n_providers": 4,
        "confidence": 0.05,
    }
    with pytest.raises(InputError) as caught:
        shrinkage_belief_slack(**{**values, **changed})
    assert caught.value.argument == argument

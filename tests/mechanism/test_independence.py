"""The bets against independence: a martingale under every premise, false alarms as rare as said, and power."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import InputError
from mechanism.comparison.independence import Floats, log_capital, rejected_after

ERROR = 1e-3
#: A right test is rejected too often here with at most this probability.
FALSE_ALARM = 1e-6


def test_the_capital_is_a_martingale_for_every_sequence() -> None:
    """The mean of the capital over all sequences of 8 scores, in exact weights, is 1 at every step."""
    quality, steps = Fraction(3, 8), 8
    total = np.zeros(steps)
    for scores in itertools.product((0.0, 1.0), repeat=steps):
        logs = log_capital(scores, [float(quality)] * steps, [0.5] * steps, largest=1.0, questions=3)
        total += float(quality ** int(sum(scores)) * (1 - quality) ** int(steps - sum(scores))) * np.exp(logs)
    assert np.allclose(total, 1, atol=1e-12)


def test_a_bet_that_looks_ahead_is_caught() -> None:
    """Power of the test above: with means that are off, the capital is no martingale."""
    steps = 6
    total = sum(
        0.5**steps * np.exp(log_capital(scores, [0.25] * steps, [0.5] * steps, largest=1.0, questions=3)[-1])
        for scores in itertools.product((0.0, 1.0), repeat=steps)
    )
    assert abs(total - 1) > 0.01


KINDS: dict[str, Callable[[np.random.Generator, int], tuple[Floats, float, float]]] = {
    "fair scores": (lambda rng, t: ((rng.random(t) < 0.5).astype(float), 0.5, 0.5)),
    "rare scores": (lambda rng, t: ((rng.random(t) < 0.05).astype(float), 0.05, 0.2)),
    "costs, spread guessed wrongly": (lambda rng, t: (10 * rng.beta(2, 5, t), 10 * 2 / 7, 5.0)),
    "as large as the past was small": (lambda rng, t: (0.5 + (rng.random(t) - 0.5) * np.linspace(0, 1, t), 0.5, 0.3)),
}


@pytest.mark.for_each("name", KINDS)
def test_independent_numbers_are_hardly_ever_rejected(name: str) -> None:
    runs, steps = 400, 1500
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(runs):
        values, mean, spread = KINDS[name](rng, steps)
        logs = log_capital(values, np.full(steps, mean), np.full(steps, spread), largest=10.0, questions=100)
        wrong += rejected_after(logs, ERROR) is not None
    # More than 7 of 400 at 1 in 1,000 has a probability below 1e-6 (binomial).
    assert wrong <= 7


@pytest.mark.parametrize(("questions", "latest"), [(2, 60), (50, 900), (500, 6000)])
def test_drawing_without_replacement_is_found(questions: int, latest: int) -> None:
    rng, found = np.random.default_rng(3), []
    fixed = (np.arange(questions) < questions // 2).astype(float)
    for _ in range(40):
        values = np.concatenate([rng.permutation(fixed) for _ in range(latest // questions)])
        half = np.full(len(values), 0.5)
        found.append(rejected_after(log_capital(values, half, half, largest=1.0, questions=questions), 1e-6))
    assert all(after is not None for after in found)
    # The same questions drawn with replacement are no witness.
    values = fixed[rng.integers(0, questions, latest)]
    half = np.full(latest, 0.5)
    assert rejected_after(log_capital(values, half, half, largest=1.0, questions=questions), 1e-6) is None


def test_scores_that_never_vary_say_nothing() -> None:
    ones = np.ones(100)
    assert np.allclose(log_capital(ones, ones, 0 * ones, largest=1.0, questions=10), 0)
    assert log_capital([], [], [], largest=1.0, questions=10).size == 0


@pytest.mark.for_each(
    ("values", "largest", "questions", "name"),
    [([1.5], 1.0, 3, "values"), ([np.nan], 1.0, 3, "values"), ([0.5], 0.0, 3, "largest"), ([0.5], 1.0, 0, "questions")],
)
def test_bad_input(values: list[float], largest: float, questions: int, name: str) -> None:
    with pytest.raises(InputError) as caught:
        log_capital(values, [0.5], [0.5], largest=largest, questions=questions)
    assert caught.value.argument == name
    with pytest.raises(InputError, match="error"):
        rejected_after(np.zeros(1), 1.0)

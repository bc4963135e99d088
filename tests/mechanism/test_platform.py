"""Algorithm 1 against a naive reading of its pseudo-code that recomputes everything from the history.

A statistical test fails for a right platform with probability FALSE_ALARM, over the choice of the seed.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism

FALSE_ALARM = 1e-9
C_MAX = 4.0
HAIR = 1e-9

CONFIG = MechanismConfig(3, 0.5, 0.05, C_MAX, 2.0, 0.75)
NO_EXPLORATION = replace(CONFIG, exploration_scale=1e-9)

Event = tuple[int, float, float]  # provider, score, bid


@dataclass
class Step:
    """What the pseudo-code permits at one step."""

    kind: str
    eligible: set[int]
    candidates: set[int]
    payments: dict[int, float]


def is_explored(config: Any, count: int, t: int) -> bool:
    """Whether m < k (t/N)^alpha, in whole numbers; alpha must be a multiple of 1/4."""
    quarters = int(config.exploration_exponent * 4)
    assert quarters / 4 == config.exploration_exponent
    growth = Fraction(t, config.n_providers) ** quarters
    return count**4 < Fraction(config.exploration_scale) ** 4 * growth


def naive_step(config: Any, history: Sequence[Event], *, screens: bool = True, explores: bool = True) -> Step | None:
    """Lines 5 to 17 of alg:platform; None where a comparison is too close for floats to be sure."""
    n, t, everybody = config.n_providers, len(history) + 1, set(range(config.n_providers))
    if t <= n:
        return Step("initialization", everybody, {t - 1}, {t - 1: C_MAX})
    count = [sum(1 for served, _, _ in history if served == i) for i in range(n)]
    quality = [sum(score for served, score, _ in history if served == i) / count[i] for i in range(n)]
    bid = [[b for served, _, b in history if served == i][-1] for i in range(n)]
    beta = [math.sqrt(1 / (2 * m) * math.log(2 * math.pi**2 * n * m**2 / (3 * config.confidence))) for m in count]
    if screens and any(abs(quality[i] + beta[i] - config.quality_threshold) < HAIR for i in range(n)):
        return None
    able = {i for i in range(n) if not screens or quality[i] + beta[i] >= config.quality_threshold}
    if not able:
        return Step("empty", able, everybody, dict.fromkeys(everybody, C_MAX))
    poor = {i for i in able if explores and is_explored(config, count[i], t)}
    if poor:
        return Step("exploration", able, poor, dict.fromkeys(poor, C_MAX))
    width = (1 + config.belief_slack) * config.cost_bound
    index = {i: bid[i] - width * beta[i] for i in able}
    least = min(index.values())
    winners = {i for i in able if index[i] <= least + HAIR}
    if len({(bid[i], count[i]) for i in winners}) > 1:
        return None  # a near tie; equal bids at equal counts are a true one
    payments = {}
    for i in winners:
        rivals = [index[j] for j in able - {i}]
        payments[i] = min(width * beta[i] + min(rivals), C_MAX) if rivals else C_MAX
    return Step("auction", able, winners, payments)


def compare(
    config: Any, outcomes: Sequence[tuple[float, float]], seed: int, *, ties: str = "first", **options: bool
) -> Counter[str]:
    """Run the platform beside the pseudo-code and count what was met."""
    platform = Platform(
        config,
        np.random.default_rng(seed),
        ties=ties,  # type: ignore[arg-type]
        quality_filter=options.get("screens", True),
        exploration=options.get("explores", True),
    )
    history: list[Event] = []
    met: Counter[str] = Counter()
    for score, bid in outcomes:
        expected = naive_step(config, history, **options)
        if expected is None:
            met["too close"] += 1
            return met
        assert set(platform.eligible) == expected.eligible
        provider, payment = platform.assign()
        assert provider in expected.candidates
        assert payment == pytest.approx(expected.payments[provider], rel=1e-12, abs=1e-12)
        if expected.kind == "auction" and ties == "first":
            assert provider == min(expected.candidates)
        if expected.kind != "auction":
            assert payment == C_MAX
        met[expected.kind] += 1
        met["lone"] += len(expected.eligible) == 1
        met["tie"] += expected.kind == "auction" and len(expected.candidates) > 1
        met["screened"] += len(expected.eligible) < config.n_providers
        met["paid below the bound"] += payment < C_MAX
        platform.settle(score, bid)
        history.append((provider, score, bid))
        assert_standing_bids_are_the_last_ones(platform, history)
    return met


def assert_standing_bids_are_the_last_ones(platform: Platform, history: Sequence[Event]) -> None:
    last = {provider: bid for provider, _, bid in history}
    for provider, bid in enumerate(platform.knowledge().standing_bids):
        assert bid == last[provider] if provider in last else math.isnan(bid)


CONFIGS = st.builds(
    MechanismConfig,
    n_providers=st.integers(2, 5),
    quality_threshold=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    confidence=st.sampled_from([0.05, 0.5, 0.95]),
    cost_bound=st.just(C_MAX),
    exploration_scale=st.sampled_from([1e-3, 0.5, 1.0, 2.0, 1e6]),
    exploration_exponent=st.sampled_from([0.25, 0.5, 0.75]),
    belief_slack=st.sampled_from([0.0, 0.5, 3.0]),
)
OUTCOMES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0, 3.0, C_MAX])), min_size=1, max_size=40
)


@given(CONFIGS, OUTCOMES, st.sampled_from(["first", "random"]), st.booleans(), st.booleans())
def test_the_platform_does_what_the_pseudo_code_says(
    config: MechanismConfig, outcomes: list[tuple[float, float]], ties: str, screens: bool, explores: bool
) -> None:
    compare(config, outcomes, 0, ties=ties, screens=screens, explores=explores)


def test_the_comparison_meets_every_kind_of_step() -> None:
    rng = np.random.default_rng(20)
    met: Counter[str] = Counter()
    for seed in range(60):
        choices = ([0.5, 0.9, 1.0], [0.05, 0.95], [C_MAX], [1e-3, 0.5, 2.0], [0.5, 0.75], [0.0, 1.0])
        config = MechanismConfig(int(rng.integers(2, 5)), *(float(rng.choice(each)) for each in choices))
        chance, length = rng.choice([0.0, 0.2, 0.9]), 100
        scores, bids = rng.random(length) < chance, rng.choice([0.0, 1.0, 2.0, C_MAX], length)
        ties = str(rng.choice(["first", "random"]))
        met += compare(config, [*zip(scores.astype(float), bids, strict=True)], seed, ties=ties)
    needed = {"initialization", "exploration", "auction", "empty", "lone", "tie", "screened"}
    assert all(met[kind] >= 30 for kind in needed | {"paid below the bound"})
    assert met["too close"] <= 3


def test_every_provider_is_initialized_once_in_the_given_order() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0), order=(2, 0, 1))
    served = []
    for _ in range(3):
        provider, payment = platform.assign()
        served.append(provider)
        assert payment == C_MAX
        platform.settle(0.0, 0.0)
    assert served == [2, 0, 1]
    assert platform.knowledge().counts == (1, 1, 1)


def initialized(
    config: MechanismConfig, rng: np.random.Generator, bids: Sequence[float], score: float, **options: Any
) -> Platform:
    platform = Platform(config, rng, **options)
    for bid in bids:
        platform.assign()
        platform.settle(score, bid)
    return platform


def assert_uniform(draw: Callable[[np.random.Generator], int], among: Sequence[int], seed: int) -> None:
    """Every share is tested exactly; with 4000 draws a share off by a fifth of itself does not pass."""
    rng = np.random.default_rng(seed)
    drawn = Counter(draw(rng) for _ in range(4000))
    assert set(drawn) == set(among)
    for provider in among:
        share = scipy.stats.binomtest(drawn[provider], 4000, 1 / len(among)).pvalue
        assert share > FALSE_ALARM / len(among)


def test_random_ties_are_uniform_among_the_tied() -> None:
    bids = (1.0, 2.0, 1.0, 1.0)
    config = replace(NO_EXPLORATION, n_providers=4)
    assert_uniform(lambda rng: initialized(config, rng, bids, 1.0, ties="random").assign()[0], (0, 2, 3), 1)
    first = initialized(config, np.random.default_rng(0), bids, 1.0)
    assert first.assign() == (0, pytest.approx(1.0, rel=1e-15))


def test_exploration_is_uniform_among_the_under_sampled() -> None:
    def draw(rng: np.random.Generator) -> int:
        platform = initialized(config, rng, (0.0, 1.0, 1.0), 1.0)
        explored = platform.assign()[0]
        platform.settle(1.0, 1.0)
        return 3 * explored + platform.assign()[0]

    config = replace(CONFIG, exploration_scale=1.2)
    assert is_explored(config, 1, 4)
    assert is_explored(config, 1, 5)
    assert not is_explored(config, 2, 5)  # so the two others are left
    assert_uniform(draw, [3 * i + j for i in range(3) for j in range(3) if i != j], 2)


def test_assign_and_settle_must_alternate() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"settle=1\.0 came without an assigned query: call assign first"):
        platform.settle(1.0, 1.0)
    platform.assign()
    with pytest.raises(InputError, match="assign=0 was called twice: settle"):
        platform.assign()
    platform.settle(1.0, 1.0)
    with pytest.raises(InputError, match="came without"):
        platform.settle(1.0, 1.0)


@pytest.mark.for_each(
    ("argument", "score", "bid"),
    [
        *(("score", score, 1.0) for score in (-0.1, 1.0000001, math.nan, math.inf)),
        *(("bid", 1.0, bid) for bid in (-1e-9, C_MAX * (1 + 1e-15), math.nan, math.inf, -math.inf)),
    ],
)
def test_scores_and_bids_out_of_range_are_refused(argument: str, score: float, bid: float) -> None:
    """A refused settlement changes nothing and can be repeated."""
    platform = Platform(CONFIG, np.random.default_rng(0))
    platform.assign()
    before = repr(platform.knowledge())
    with pytest.raises(InputError, match=f"^{argument}="):
        platform.settle(score, bid)
    assert repr(platform.knowledge()) == before
    platform.settle(1.0, C_MAX)
    assert platform.knowledge().counts == (1, 0, 0)


def test_bids_may_be_left_unchecked_but_not_infinite() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0), check_bids=False)
    platform.assign()
    with pytest.raises(InputError, match="bid=nan"):
        platform.settle(1.0, math.nan)
    platform.settle(1.0, -7.0)
    assert platform.knowledge().standing_bids[0] == -7


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ties": "last"}, "ties='last' must be"), ({"order": (0, 1)}, "order="), ({"order": (0, 1, 1)}, "order=")],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Platform(CONFIG, np.random.default_rng(0), **options)


@pytest.mark.for_each(
    ("changes", "argument"),
    [
        ({"n_providers": 1}, "n_providers"),
        ({"n_providers": True}, "n_providers"),
        ({"n_providers": 2.0}, "n_providers"),
        ({"quality_threshold": 1.5}, "quality_threshold"),
        ({"confidence": 0.0}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"cost_bound": 0.0}, "cost_bound"),
        ({"exploration_scale": math.nan}, "exploration_scale"),
        ({"exploration_exponent": 1.0}, "exploration_exponent"),
        ({"belief_slack": -1.0}, "belief_slack"),
    ],
)
def test_a_configuration_is_checked(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        replace(CONFIG, **changes)


def test_the_factory_takes_any_object_with_the_attributes_of_a_configuration() -> None:
    lookalike: Any = SimpleNamespace(**vars(CONFIG))
    mechanism = reference_mechanism(lookalike, np.random.default_rng(0))
    assert mechanism.assign() == (0, C_MAX)

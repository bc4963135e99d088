"""The oracle: what the rules prescribe, against the formulas written out by hand and against exact fractions."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from mechanism.config import MechanismConfig
from mechanism.platform import reference_mechanism
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.strategies.scenarios import FAMILIES
from proofs_checks.oracle.rule_oracle import EXACT, RuleOracle
from tests.parametrized import long_but
from tests.pseudo_code import prescribed, radius as beta

SHORT = sorted(set(FAMILIES) - {"long run", "steered", "late drop"})
SUBJECT = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


@pytest.mark.parametrize("family", long_but(len(SHORT), [*SHORT, "late drop"], reason="long interactions"))
def test_an_oracle_prescribes_what_the_formulas_say(family):
    @settings(max_examples=12, deadline=None)
    @given(FAMILIES[family]())
    def check(scenario):
        played = play_scenario(SUBJECT, scenario)
        n = scenario.config.n_providers
        for step in range(n + 1, scenario.horizon + 1):
            decisions = played.decisions[step - 1]
            if len(decisions) != 1:
                continue
            [decision] = decisions
            before = played.events[: step - 1]
            heard = [[(e.score, e.bid) for e in before if e.provider == i] for i in range(n)]
            expected = prescribed(scenario.config, step, heard)
            assert (decision.kind, list(decision.eligible)) == (expected.kind, expected.eligible)
            assert expected.candidates <= set(decision.providers)
            for i in range(n):
                assert abs(decision.payments[i] - expected.payments[i]) <= 1e-12 * scenario.config.cost_bound * 10

    check()


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["noisy", "screening", "empty"]).flatmap(lambda name: FAMILIES[name]()))
def test_floats_and_exact_fractions_decide_alike(scenario):
    exact = RuleOracle(scenario.config, EXACT)
    for event, decisions in zip(*[(p := play_scenario(SUBJECT, scenario)).events, p.decisions], strict=True):
        found = exact.decisions()
        assert [(d.kind, d.providers, d.eligible) for d in found] == [
            (d.kind, d.providers, d.eligible) for d in decisions
        ]
        for mine, theirs in zip(found, decisions, strict=True):
            assert all(type(mine.payments[i]) is Fraction for i in mine.payments)
            assert all(
                math.isclose(mine.payments[i], theirs.payments[i], rel_tol=1e-12, abs_tol=1e-12) for i in mine.payments
            )
        exact.settle(event.provider, event.score, event.bid)


def fed(config: MechanismConfig, *steps: tuple[int, float, float]) -> RuleOracle:
    oracle = RuleOracle(config)
    for provider, score, bid in steps:
        oracle.settle(provider, score, bid)
    return oracle


def test_a_quality_at_the_threshold_to_the_last_bit_is_read_both_ways():
    threshold = float(beta(1, 2, 0.99)) - 1.0  # provider 1 scores 0: qhat + beta(1) = 1.137... against q_min
    config = MechanismConfig(2, threshold, 0.99, 1.0, 0.01, 0.5)
    assert len(fed(config, (0, 1.0, 0.25), (1, 0.0, 0.5)).decisions()) == 1
    edge = float(beta(3, 2, 0.99))
    config = MechanismConfig(2, edge, 0.99, 1.0, 0.01, 0.5)
    decisions = fed(config, (0, 1.0, 0.25), (1, 0.0, 0.5), (1, 0.0, 0.5), (1, 0.0, 0.5)).decisions()
    assert sorted(decision.eligible for decision in decisions) == [(0,), (0, 1)]


@pytest.mark.for_each(("scale", "readings"), [(1.0, 1), (2.0, 1), (3.0, 2), (4.0, 2)])
def test_a_whole_target_is_strict_only_where_no_computation_of_it_rounds(scale, readings):
    """At t = 16 and N = 4, g(t) is 2 k; with k = 3 an order of evaluation might round, with k = 4 logarithms do."""
    config = MechanismConfig(4, 0.0, 0.05, 1.0, scale, 0.5)
    history = [(i, 1.0, 0.5) for i in range(4)] * 3 + [(0, 1.0, 0.5)] * 3
    oracle = fed(config, *history)
    assert oracle.step == 16
    assert len({decision.kind + str(decision.providers) for decision in oracle.decisions()}) <= readings
    assert len(oracle.targets()) == readings


#: Whether m < k (t / N)^alpha, computed otherwise than by a power.
COMPARISONS = {
    "separate powers": lambda m, k, r, t, n: m * n**r < k * t**r,
    "inverse": lambda m, k, r, t, n: (m / k) ** (1 / r) < t / n,
    "inverse times N": lambda m, k, r, t, n: n * (m / k) ** (1 / r) < t,
    "logarithms": lambda m, k, r, t, n: math.log(m) < math.log(k) + r * (math.log(t) - math.log(n)),
    "logarithms, k left": lambda m, k, r, t, n: math.log(m) - math.log(k) < r * math.log(t) - r * math.log(n),
    "logarithm of a ratio": lambda m, k, r, t, n: math.log(m / k) / r < math.log(t / n),
    "decimal logarithms": lambda m, k, r, t, n: math.log10(m) < math.log10(k) + r * (math.log10(t) - math.log10(n)),
    "exponential": lambda m, k, r, t, n: m < k * math.exp(r * math.log(t / n)),
    "exponential, with k": lambda m, k, r, t, n: m < math.exp(math.log(k) + r * math.log(t / n)),
    "exponential of a difference": lambda m, k, r, t, n: m < k * math.exp(r * math.log(t) - r * math.log(n)),
    "in decimals": lambda m, k, r, t, n: m < Decimal(k) * (Decimal(r) * (Decimal(t) / Decimal(n)).ln()).exp(),
}


@pytest.mark.for_each("name", COMPARISONS)
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_where_a_whole_target_is_strict_every_way_to_compare_agrees(name, scale):
    for step in (16, 64):
        goal = round(scale * math.sqrt(step / 4))
        config = MechanismConfig(4, 0.0, 0.05, 1.0, scale, 0.5)
        oracle = RuleOracle(config)
        oracle.step = step
        assert oracle.targets() == (goal,)
        assert not COMPARISONS[name](goal, scale, 0.5, step, 4)
        assert COMPARISONS[name](goal - 1, scale, 0.5, step, 4) or goal == 1


def test_an_unserved_provider_after_initialization_leaves_steps_unjudged():
    config = MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5)
    assert fed(config, (0, 1.0, 0.5), (0, 1.0, 0.5)).decisions() == ()


def test_bidding_the_critical_value_ties_an_auction():
    config = MechanismConfig(3, 0.0, 0.05, 1.0, 0.01, 0.5)
    oracle = fed(config, (0, 1.0, 0.5), (1, 1.0, 0.25))
    oracle.settle(2, 1.0, 0.75)
    critical = oracle.critical_after(0, 1.0)
    assert critical is not None
    oracle.settle(0, 1.0, critical)
    [decision] = oracle.decisions()
    assert decision.providers == (0, 1)


def test_exact_targets_are_found_for_any_exponent():
    """In symbols, a power of a double is a number of astronomically many digits."""
    config = MechanismConfig(3, 0.5, 0.123456789, 1.0, 0.7654321, 0.5730285714)
    goal = EXACT.target(config)(12_345)
    with mpmath.workdps(80):
        expected = mpmath.mpf(config.exploration_scale) * (mpmath.mpf(12_345) / 3) ** config.exploration_exponent
        assert abs(mpmath.mpf(goal.numerator) / goal.denominator - expected) < mpmath.mpf(10) ** -50
    assert abs(float(EXACT.radius(config)(7)) - float(beta(7, 3, config.confidence))) < 1e-15


def test_the_first_reading_takes_comparisons_as_the_numbers_have_them():
    """At a knife edge floats excuse either reading; exact fractions know which one is true."""
    above = float(beta(3, 2, 0.99)) - 5e-10
    config = MechanismConfig(2, above, 0.99, 1.0, 0.01, 0.5)
    history = [(0, 1.0, 0.25), (1, 0.0, 0.5), (1, 0.0, 0.5), (1, 0.0, 0.5)]
    plain, other = fed(config, *history).decisions()
    assert (plain.eligible, other.eligible) == ((0, 1), (0,))
    exact = RuleOracle(config, EXACT)
    for provider, score, bid in history:
        exact.settle(provider, score, bid)
    assert [decision.eligible for decision in exact.decisions()] == [(0, 1)]

"""What the rules prescribe against formulas by hand; every step against them, silent on right platforms."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bounds.setting.model import PlatformParameters, Provider, Setting
from costproof.strategies import traces
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.played import Played
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, RuleOracle
from proofs_checks.oracle.step_audit import StepAudit
from proofs_checks.oracle.step_rules import STEP_RULES, breaches
from tests.proofs_checks.audit.audited import parts, right_case, with_columns
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import EDGE, STAGES, play
from tests.pseudo_code import radius as beta


def audited(setting: Setting, trace: Trace, tolerance: float = 0.0) -> StepAudit:
    return StepAudit(setting, Replay(MechanismConfig.of(setting), trace), tolerance)


def broken_rules(setting: Setting, trace: Trace, tolerance: float = 0.0) -> list[tuple[int, str]]:
    audit = audited(setting, trace, tolerance)
    assert np.array_equal(audit.violating_rows, np.flatnonzero(np.any([*audit.flags.values()], axis=0)))
    return [(found.step, found.rule) for found in audit.violations()]


@given(traces(bidding=None, within_good_event=None, clip=False))
def test_the_reference_breaks_nothing(played: Played) -> None:
    assert broken_rules(played.setting, played.trace) == []


@given(st.integers(0, 2**32), st.sampled_from(sorted(STAGES)), st.permutations(range(4)))
def test_the_order_of_initialization_is_free(seed: int, name: str, order: list[int]) -> None:
    n = STAGES[name].config.n_providers
    case = play(Platform, STAGES[name], seed, ties="random", order=[i for i in order if i < n])
    assert broken_rules(case.setting, case.trace) == []


def exact_breaches(setting: Setting, trace: Trace) -> list[tuple[int, str]]:
    """What exact fractions say, one step after the other."""
    shadow, found = RuleOracle(MechanismConfig.of(setting), EXACT), []
    for row in range(len(trace)):
        provider = int(trace.provider[row])
        decisions, paid = shadow.decisions(), EXACT.number(trace.payment[row])
        broken_here = breaches(decisions, provider, paid, shadow.money_rounding) if decisions else ()
        found += [(row + 1, breach.rule) for breach in broken_here]
        shadow.settle(provider, trace.score[row], trace.bid[row])
    return found


#: With alpha = 1/2, which is a short fraction: exact powers stay small.
EXACT_STAGES = ("auctions", "noisy", "fading", "lone", "empty", "integer", "widened", "ties")


@given(st.sampled_from(EXACT_STAGES), st.integers(0, 2**32), st.sampled_from(["provider", "payment", "score", "bid"]))
@settings(max_examples=30)
def test_it_is_what_exact_fractions_say(name: str, seed: int, column: str) -> None:
    rng = np.random.default_rng(seed)
    case = play(Platform, STAGES[name], seed, ties="random")
    n, trace = case.setting.n_providers, case.trace.head(60)
    values = trace.columns()[column].copy()
    for row in rng.integers(n, len(trace), 3):  # after initialization: the shadow judges nothing without it
        values[row] = {
            "provider": rng.integers(n),
            "payment": values[row] * rng.choice([0.5, 1.5]),
            "score": rng.random(),
            "bid": rng.random() * case.setting.platform.cost_bound,
        }[column]
    tampered = with_columns(trace, **{column: values})
    assert sorted(broken_rules(case.setting, tampered)) == sorted(exact_breaches(case.setting, tampered))


BROKEN = [
    ("OnePercentHigh", "auctions", "critical-payment"),
    ("LoneProviderPaidItsBid", "lone", "lone-payment"),
    ("InitializationPaysLess", "auctions", "initialization-payment"),
    ("InitializationSkips", "auctions", "initialization-order"),
    ("ExplorationPaysThePrice", "screening", "exploration-payment"),
    ("EmptyPaysNothing", "empty", "empty-payment"),
    ("NeverExplores", "screening", "exploration-set"),
    ("NobodyIsExcluded", "screening", "eligibility"),
    ("LowestBidWins", "noisy", "index-minimizer"),
]


@pytest.mark.for_each(("name", "stage", "rule"), BROKEN)
def test_every_rule_can_be_broken(name: str, stage: str, rule: str) -> None:
    case = play(BROKEN_PLATFORMS[name], STAGES[stage])
    found = audited(case.setting, case.trace)
    assert found.counts[rule] > 0
    assert found.counts[rule] <= found.applicable[rule]
    assert found.first_steps[rule] == min(step for step, name in broken_rules(case.setting, case.trace) if name == rule)


def test_every_rule_is_tested() -> None:
    assert {rule for _, _, rule in BROKEN} == set(STEP_RULES)


def test_expected_and_found_are_told() -> None:
    case = play(Platform, STAGES["auctions"])
    row = int(np.flatnonzero(case.replay.auction)[10])
    served = int(case.trace.provider[row])
    other = (served + 1) % 4
    provider, payment = case.trace.provider.copy(), case.trace.payment.copy()
    provider[row], payment[row] = other, 0.123
    edited = with_columns(case.trace, provider=provider, payment=payment)
    found = {v.rule: v for v in audited(case.setting, edited).violations() if v.step == row + 1}
    assert found["index-minimizer"].expected == f"p{served}"
    assert found["index-minimizer"].found == f"p{other}"
    assert found["critical-payment"].found == 0.123
    # Of the one that served, who wins by no more than its index allows: the least index of the others plus its radius.
    expected = case.replay.cost_radii[row, other] + case.replay.adjusted_bids[row, served]
    assert found["critical-payment"].expected == pytest.approx(min(expected, 1.0), rel=1e-12)


@pytest.mark.for_each("rows", [1, 7, 64, 333])
@pytest.mark.parametrize("name", ["LowestBidWins", "LosersBidMoves", "InitializationSkips"])
def test_parts_say_what_the_whole_says(name: str, rows: int) -> None:
    case = play(BROKEN_PLATFORMS[name], STAGES["noisy"])
    before, found, applicable = None, [], dict.fromkeys(STEP_RULES, 0)
    for part in parts(case.trace, rows):
        audit = StepAudit(case.setting, Replay(MechanismConfig.of(case.setting), part, before))
        found += list(audit.violations())
        applicable = {rule: applicable[rule] + audit.applicable[rule] for rule in STEP_RULES}
        before = audit.replay.after
    whole = audited(case.setting, case.trace)
    assert found == list(whole.violations())
    assert applicable == dict(whole.applicable)


class TestRounding:
    @pytest.mark.for_each(
        ("auction", "off", "rule"),
        [
            (True, 1.9e-3, ""),
            (True, 2.1e-3, "critical-payment"),
            (False, -0.9e-3, ""),
            (False, -1.1e-3, "initialization-payment"),
        ],
    )
    def test_an_auction_may_be_off_twice_the_tolerance_and_the_cost_bound_once(
        self, auction: bool, off: float, rule: str
    ) -> None:
        case = right_case(0)
        row = int(np.flatnonzero(case.replay.auction & (case.trace.payment < 70))[5]) if auction else 0
        payment = case.trace.payment.copy()
        payment[row] += off
        found = broken_rules(case.setting, with_columns(case.trace, payment=payment), 1e-3)
        assert found == ([(row + 1, rule)] if rule else [])

    @pytest.mark.parametrize(("relative", "silent"), [(1e-11, True), (1e-7, False)])
    def test_floats_are_rounded(self, relative: float, silent: bool) -> None:
        case = right_case(0)
        changed = with_columns(case.trace, payment=case.trace.payment * (1 + relative))
        assert (broken_rules(case.setting, changed) == []) == silent


class TestKnifeEdges:
    @pytest.mark.for_each(
        ("answer", "rules"),
        [
            ((0, 1.0), set()),  # 16 < g(128), computed as 16.000000000000004: provider 0 is explored
            ((1, "critical"), set()),  # 16 < 16 does not hold: an auction, which provider 1 wins
            ((0, 0.1), {"exploration-payment"}),
            ((1, 0.1), {"critical-payment"}),
        ],
    )
    def test_a_whole_target_can_be_read_either_way(self, answer: tuple[int, float | str], rules: set[str]) -> None:
        """g(128) = 2 (128/2)^(1/2) = 16, and provider 0 has been selected 16 times."""
        config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.5)
        before = ReplayState(127, np.array([16, 111]), np.array([16.0, 111.0]), np.zeros(2), np.array([0.9, 0.1]))
        radii = [(np.log(4 * np.pi**2 * m**2 / 0.15) / (2 * m)) ** 0.5 for m in (16, 111)]
        assert 0.9 - radii[0] > 0.1 - radii[1]
        provider, paid = answer
        payment = min(1.0, radii[1] + 0.9 - radii[0]) if paid == "critical" else paid
        setting = Setting(
            "two", PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.5), (Provider("a", 1, 0.9), Provider("b", 1, 0.1))
        )
        found = StepAudit(setting, Replay(config, Trace([provider], [payment], [1.0], [0.5]), before))
        assert {violation.rule for violation in found.violations()} == rules
        assert found.undecided == 1

    @pytest.mark.parametrize("name", ["Plain", "StrictlyAbove"])
    def test_equality_with_the_threshold_can_be_read_either_way(self, name: str) -> None:
        case = play({**BROKEN_PLATFORMS, "Plain": Plain}[name], EDGE)
        found = audited(case.setting, case.trace)
        assert not any(found.counts.values())
        assert found.undecided > 0

    def test_an_edge_excuses_nothing_else(self) -> None:
        case = play(Plain, EDGE)
        payment = case.trace.payment.copy()
        payment[-1] = 0.2345
        assert audited(case.setting, case.trace).undecided > 0
        found = broken_rules(case.setting, with_columns(case.trace, payment=payment))
        assert [step for step, _ in found] == [len(payment)]


def test_a_log_shorter_than_the_initialization() -> None:
    case = play(Platform, STAGES["auctions"])
    assert broken_rules(case.setting, case.trace.head(2)) == []
    assert audited(case.setting, case.trace.head(2)).applicable["initialization-order"] == 2


SUBJECT = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


def fed(config: MechanismConfig, *steps: tuple[int, float, float], numbers: Any = FLOATS) -> RuleOracle:
    oracle = RuleOracle(config, numbers)
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


def test_an_unserved_provider_after_initialization_leaves_steps_unjudged():
    config = MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5)
    assert fed(config, (0, 1.0, 0.5), (0, 1.0, 0.5)).decisions() == ()


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
    exact = fed(config, *history, numbers=EXACT).decisions()
    assert [decision.eligible for decision in exact] == [(0, 1)]

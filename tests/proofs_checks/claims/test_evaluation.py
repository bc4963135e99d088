"""Claims on a log in parts say what they say of the whole log: verdict, comparisons, violations, ratio and place."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, settings as hypothesis_settings, strategies as st
from numpy.testing import assert_array_equal

from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AUCTION_PAYMENT_UPPER,
    EXCESS_PAYMENT,
    LATE_PAYMENT_LOWER,
)
from bounds.formulas.regret import GENERATION_REGRET_GAP_DEPENDENT, RADIUS_SUM_BOUND
from bounds.formulas.selection import COMPETITOR_CAP, NON_OPTIMAL_STEPS_BOUND
from bounds.language.evaluation import Evaluation
from bounds.language.formula import Formula
from bounds.language.quantities import pure
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.config import MechanismConfig
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.evaluation import LOG, ClaimsOnTrace
from proofs_checks.claims.model import counterfactual
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.tightness import Tightness, joined
from proofs_checks.claims.model.trace_evaluation import TraceEvaluation
from proofs_checks.claims.model.trace_quantities import EACH_RADIUS, QUALITY_ESTIMATE
from proofs_checks.claims.reach import with_horizons
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements.definitions import exact_sums
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.verdict import Verdict
from tests.proofs_checks.audit.audited import parts, right_case, rows_of, with_columns
from tests.proofs_checks.gallery import logs

PARTS = pytest.mark.long("reads a log in many parts")


def in_parts(setting: Setting, trace: Trace, rows: int, rounding: float = 0.0) -> dict[str, Evidence]:
    log = ClaimsOnTrace(setting, rounding=rounding, lenient=True)
    last = (len(trace) - 1) // rows
    for number, part in enumerate(parts(trace, rows)):
        log.feed(part, ends=number == last)
    return log.evidence()


def refuted(found: dict[str, Evidence]) -> list[str]:
    return [label for label, each in found.items() if claim(label).is_refuted_by(each.verdict)]


def whole(setting: Setting, trace: Trace) -> dict[str, Evidence]:
    case = Case(setting, trace, LOG)
    return {label: stated.check(case) for label, stated in all_claims().items() if stated.checks}


@st.composite
def traces(draw: st.DrawFn) -> tuple[Case, tuple[int, ...]]:
    """A right platform's trace or one tampered with in some rows, and where to cut it."""
    case = random_case(draw(st.integers(0, 50)), draw(st.integers(0, 3)))
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    length, bound = len(case.trace), case.setting.platform.cost_bound
    for _ in range(draw(st.integers(0, 3))):
        row, name = draw(st.integers(0, length - 1)), draw(st.sampled_from(sorted(columns)))
        new = {
            "provider": draw(st.integers(0, case.setting.n_providers - 1)),
            "score": draw(st.sampled_from([0.0, 0.5, 1.0])),
        }
        columns[name][row] = new.get(name, bound * draw(st.sampled_from([0.0, 0.25, 1.0, 5.0])))
    if draw(st.booleans()):
        del columns["cost"]
    cuts = draw(st.sets(st.integers(1, length - 1), max_size=4)) if length > 1 else set()
    return Case(case.setting, Trace(**columns), draw(st.sampled_from([case.origin, LOG]))), tuple(sorted(cuts))


@pytest.mark.long("thirty logs")
@given(traces(), st.booleans(), st.sampled_from([0.0, 0.005]))
@hypothesis_settings(max_examples=30, deadline=None)
def test_random_cuts_of_random_traces_say_the_same_to_the_last_bit(
    drawn: tuple[Case, tuple[int, ...]], lenient: bool, rounding: float
) -> None:
    case, cuts = drawn
    ends = (*cuts, len(case.trace))
    log = ClaimsOnTrace(case.setting, origin=case.origin, rounding=rounding, lenient=lenient)
    for start, end in zip((0, *cuts), ends, strict=True):
        log.feed(case.trace.rows(slice(start, end)), ends=end == len(case.trace))
    whole = replace(case, lenient=lenient, rounding=rounding)
    for label, found in log.evidence().items():
        assert found == claim(label).check(whole), label


@pytest.mark.parametrize(("instance", "rows"), [(5, 31), pytest.param(9, 97, marks=PARTS)])
def test_audit_and_verify_agree_on_the_same_trace(instance: int, rows: int) -> None:
    """An audit reads knife edges in favour of the log; where there are none it says what `verify` says."""
    case = random_case(1, instance)
    payment = case.trace.payment.copy()
    payment[len(payment) // 2] *= 0.75
    trace = with_columns(case.trace, payment=payment)
    report = audit(parts(trace, rows), case.setting)
    verified = Case(case.setting, trace, LOG, lenient=report.undecided > 0)
    assert any(result.evidence.verdict is Verdict.REFUTED for result in report.claims)
    for result in report.claims:
        found = with_horizons(claim(result.label), claim(result.label).check(verified), case.setting, len(trace))
        assert result.evidence == found, result.label


def same(setting: Setting, trace: Trace, *sizes: int) -> None:
    expected = whole(setting, trace)
    for rows in sizes:
        found = in_parts(setting, trace, rows)
        assert found.keys() == expected.keys()
        for label, one in expected.items():
            other = found[label]
            assert (other.verdict, other.tightness, other.parts) == (one.verdict, one.tightness, one.parts), label


TAMPERINGS = ("one_winner_swapped", "a_row_lost", "optimal_serves_all")


@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampered_logs(name: str) -> None:
    case = logs.tampered("short", getattr(logs, name))
    same(case.setting, case.trace, 1000, 11)


def test_without_costs_what_needs_them_is_skipped() -> None:
    case = right_case(0)
    trace = Trace(case.trace.provider, case.trace.payment, case.trace.score, case.trace.bid)
    same(case.setting, trace, 150)
    assert in_parts(case.setting, trace, 150)["thm:regret"].verdict is Verdict.SKIPPED


def test_an_assumption_that_fails_later() -> None:
    """The step is told, and what was compared before."""
    case = right_case(0)
    bid = case.trace.bid.copy()
    bid[234] += 0.5
    found = in_parts(case.setting, with_columns(case.trace, bid=bid), 100)["lem:adjusted-bid-bounds"]
    assert found.verdict is Verdict.ASSUMPTION_VIOLATED
    assert "step 235 " in found.reason
    assert found.until == 234
    head = Case(case.setting, case.trace.head(234), LOG, ends=False)
    assert found.before == claim("lem:adjusted-bid-bounds").check(head).tightness


def test_the_step_at_which_the_good_event_fails() -> None:
    case = right_case(0)
    score = np.where(np.arange(400) >= 100, 1 - case.trace.score, case.trace.score)
    trace = with_columns(case.trace, score=score)
    steps = [t for t in range(1, 401) if Case(case.setting, trace.head(t)).band_exit is not None]
    found = in_parts(case.setting, trace, 64)["lem:qualified-eligibility"]
    assert f"(at step {steps[0]}); so large a failure has probability at most " in found.reason


def test_counterfactuals_of_long_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more auctions than are kept, a sample as large, spread over the whole log, at auctions of it."""
    case = right_case(3)
    exact = in_parts(case.setting, case.trace, 300)["prop:selection-threshold"].tightness
    monkeypatch.setattr(counterfactual, "KEPT_AUCTIONS", 100)
    sampled = counterfactual.SampledAuctions.none(case.setting.n_providers)
    for part in parts(case.trace, 300):
        sampled = sampled.and_those_of(Case(case.setting, part).replay)
    assert len(sampled.steps) <= 100
    thinned = in_parts(case.setting, case.trace, 300)["prop:selection-threshold"]
    assert thinned.verdict is Verdict.NOT_REFUTED
    assert abs(thinned.tightness.checked - exact.checked) < 0.2 * exact.checked


def test_rounded_money_refutes_nothing_within_the_tolerance() -> None:
    case = right_case(1)
    trace = with_columns(
        case.trace,
        payment=np.round(case.trace.payment, 2),
        bid=np.round(case.trace.bid, 2),
        cost=np.round(np.asarray(case.trace.cost), 2),
    )
    assert "eq:payment" in refuted(in_parts(case.setting, trace, 500))
    tolerant = in_parts(case.setting, trace, 500, 0.005)
    assert refuted(tolerant) == []
    assert tolerant["lem:adjusted-bid-bounds"].verdict is Verdict.NOT_REFUTED


def test_the_tolerance_excuses_no_more() -> None:
    case = right_case(1)
    payment = case.trace.payment.copy()
    payment[np.flatnonzero(case.replay.auction)[40]] += 0.05
    found = in_parts(case.setting, with_columns(case.trace, payment=payment), 500, 0.005)
    assert found["eq:payment"].verdict is Verdict.REFUTED
    assert found["eq:payment"].tightness.violations == 1


def test_exact_sums() -> None:
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.random(1000), 2.0 ** -rng.integers(0, 1075, 200), [0.0, 1.0, 5e-324]])
    group = rng.integers(0, 3, len(numbers))
    expected = tuple(sum(map(Fraction, numbers[group == i].tolist()), Fraction(0)) for i in range(4))
    assert exact_sums(numbers, group, 4) == expected


class TestJoined:
    def test_the_worst_violation_is_the_place(self) -> None:
        parts_of_log = [
            Tightness(5, 0, 0.1, 0.9, {"step": 1, "left": 0.9, "right": 1.0}),
            Tightness(5, 1, -0.5, 1.5, {"step": 7, "left": 1.5, "right": 1.0}),
            Tightness(5, 2, -0.7, 1.2, {"step": 12, "left": 4.2, "right": 3.5}),
        ]
        found = parts_of_log[0]
        for part in parts_of_log[1:]:
            found = joined(found, part, by_ratio=True)
        assert found == Tightness(15, 3, -0.7, 1.5, {"step": 12, "left": 4.2, "right": 3.5})

    def test_an_undefined_side_leaves_no_margin(self) -> None:
        undefined = Tightness(1, 1, None, None, {"step": 3, "left": None, "right": 1.0})
        found = joined(undefined, Tightness(1, 1, -1.0, 2.0, {"step": 4, "left": 2.0, "right": 1.0}), by_ratio=True)
        assert found.margin is None
        assert found.where == undefined.where

    @pytest.mark.for_each(("failed", "ratio", "kept"), [(0, 0.9, 0.9), (2, 0.9, None), (2, 0.0, None), (2, 2.0, 2.0)])
    def test_a_ratio_below_1_is_kept_only_where_nothing_failed(
        self, failed: int, ratio: float, kept: float | None
    ) -> None:
        assert Tightness(9, failed, -1.0, ratio).ratio == kept
        fine = Tightness(3, 0, 1.0, 0.7, {"step": 5})
        for parts_of_log in ((Tightness(9, 1, -50.0, None, {"step": 1}), fine), (fine, Tightness(9, 1, -50.0, None))):
            found = joined(*parts_of_log, by_ratio=False)
            assert (found.violations, found.ratio) == (1, None)


class RoundedGoal(Plain):
    """Takes g(t) in other floats: a hair lower or higher than a power gives it."""

    factor = 1.0

    def _goal(self) -> float:
        return self.factor * super()._goal()


@pytest.mark.parametrize(
    ("scale", "factor"), [(4.4, 1 - 1e-12), pytest.param(4.6, 1 + 1e-12, marks=pytest.mark.long("two parts of a log"))]
)
def test_claims_read_a_whole_goal_as_the_log_does(scale: float, factor: float) -> None:
    """A whole g(t), at t = 1250, rounds to either side: a right platform is on the other one."""
    parameters = PlatformParameters(0.5, 0.05, 1.0, scale, 0.5)
    setting = Setting("edge", parameters, (Provider("a", 1.0, 0.0), Provider("b", 1.0, 1.0)))
    platform = RoundedGoal(MechanismConfig.of(setting), np.random.default_rng(0))
    platform.factor = factor
    steps = []
    for _ in range(1300):
        provider, payment = platform.assign()
        platform.settle(1.0, float(provider))
        steps.append((provider, payment, 1.0, float(provider), float(provider)))
    report = audit(parts(Trace(*(np.array(column) for column in zip(*steps, strict=True))), 777), setting, jobs=1)
    assert report.undecided
    assert not any(report.violation_counts.values())
    assert [result.label for result in report.refuted] == []


@pytest.mark.for_each("length", [1, 2, 3, 7])
def test_a_log_that_ends_early_is_no_wrong_initialization(length: int) -> None:
    case = right_case(1)
    trace = rows_of(case.trace, np.arange(length))
    same(case.setting, trace, 1, 2, length)
    assert audit([trace], case.setting, jobs=1).passed


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize("amount", [1.7e308])
def test_amounts_beyond_all_sense_are_told_without_a_warning(amount: float) -> None:
    case = right_case(1)
    trace = with_columns(case.trace, payment=np.full(len(case.trace), amount))
    report = audit([trace], case.setting, jobs=1)
    assert report.violation_counts["critical-payment"]
    json.dumps(report.to_data(), allow_nan=False)


BY_STEP = (
    EXCESS_PAYMENT,
    LATE_PAYMENT_LOWER,
    GENERATION_REGRET_GAP_DEPENDENT,
    RADIUS_SUM_BOUND,
    COMPETITOR_CAP,
    NON_OPTIMAL_STEPS_BOUND,
)
LENGTH = 300


def constants_of(name: str) -> dict[str, object]:
    return formula_inputs(published(name).setting)


def evaluated(formula: Formula, constants: dict[str, object], columns: dict[str, np.ndarray]) -> np.ndarray:
    """One number after the other, by the evaluator that knows no tables."""
    rows = [
        Evaluation({**constants, **{name: column[row] for name, column in columns.items()}}).formula(formula)
        for row in range(len(next(iter(columns.values()))))
    ]
    return np.array(rows)


@pytest.mark.for_each("formula", BY_STEP, ids=lambda formula: formula.quantity.name)
@given(st.integers(20, LENGTH - 1), st.integers(1, 5))
@settings(deadline=None, max_examples=4)
def test_functions_of_the_step(formula: Formula, first: int, many: int) -> None:
    rows = slice(first, min(first + many, LENGTH))
    steps = np.arange(1, LENGTH + 1)[rows]
    columns = {"step": steps, "horizon": steps}
    constants = constants_of("gsm8k-ladder")
    found = TraceEvaluation(constants, columns, rows, LENGTH).formula(formula)
    np.testing.assert_allclose(found, evaluated(formula, constants, columns), rtol=1e-13)


#: Bounds that know the horizon through ceil(g(T)) - 1 alone, and two that know it otherwise.
BY_CAP = (COMPETITOR_CAP, NON_OPTIMAL_STEPS_BOUND, GENERATION_REGRET_GAP_DEPENDENT)
NOT_BY_CAP = (EXCESS_PAYMENT, RADIUS_SUM_BOUND)


def far_out(formula: Formula) -> np.ndarray:
    """A part in which ceil(g(T)) grows now and then."""
    first, length = 1_000_001, 2_000
    horizons = {"horizon": first + np.arange(length)}
    return TraceEvaluation(constants_of("gsm8k-full"), horizons, slice(None), length, first=first).formula(formula)


@pytest.mark.for_each("formula", BY_CAP + NOT_BY_CAP, ids=lambda formula: formula.quantity.name)
def test_what_is_looked_up_where_the_cap_grows_is_the_bound_everywhere(formula: Formula) -> None:
    expected = Evaluation({**constants_of("gsm8k-full"), "horizon": 1_000_001 + np.arange(2_000)}).formula(formula)
    assert_array_equal(far_out(formula), expected)
    assert len(np.unique(expected)) > 1


@given(st.lists(st.integers(1, LENGTH), min_size=1, max_size=6))
@settings(deadline=None, max_examples=20)
def test_functions_of_a_count(counts: list[int]) -> None:
    columns = {"count": np.array(counts), "served_cost": np.linspace(3.0, 5.0, len(counts))}
    constants = constants_of("gpqa-full")
    for formula in (AUCTION_PAYMENT_UPPER, AUCTION_PAYMENT_LOWER_SERVED):
        found = TraceEvaluation(constants, columns, slice(0, len(counts)), LENGTH).formula(formula)
        np.testing.assert_allclose(found, evaluated(formula, constants, columns), rtol=1e-13)


def test_a_count_of_every_provider_inside_another_formula() -> None:
    counts = np.array([[1, 2], [4, 300], [7, 9]])
    estimates = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    side = Formula(pure("upper_edge_for_test", "u", "upper edge of a band"), QUALITY_ESTIMATE + EACH_RADIUS, "test")
    constants = constants_of("gpqa-strong")
    columns = {"selection_count": counts, "quality_estimate": estimates}
    found = TraceEvaluation(constants, columns, slice(5, 8), LENGTH).formula(side)
    np.testing.assert_allclose(found, Evaluation({**constants, **columns}).formula(side), rtol=1e-15)
    assert found.shape == (3, 2)


def test_before_the_first_selection_there_is_no_radius() -> None:
    counts = np.array([[0, 1]])
    constants = constants_of("gpqa-strong")
    found = TraceEvaluation(constants, {"selection_count": counts}, slice(0, 1), 10).formula(EACH_RADIUS)
    assert not np.isfinite(found[0, 0])
    assert np.isfinite(found[0, 1])


def test_settings_do_not_share_tables_and_slacks_count() -> None:
    steps = np.arange(1, LENGTH + 1)
    found = [
        TraceEvaluation(constants, {"horizon": steps}, slice(0, LENGTH), LENGTH).formula(EXCESS_PAYMENT)
        for constants in (
            constants_of("gpqa-strong"),
            constants_of("gpqa-full"),
            {**constants_of("gpqa-full"), "overbid": 1.0},
        )
    ]
    assert not np.allclose(found[0][50:], found[1][50:])
    n = constants_of("gpqa-full")["n_providers"]
    np.testing.assert_allclose((found[2] - found[1])[50:], (steps - n)[50:], rtol=1e-9)

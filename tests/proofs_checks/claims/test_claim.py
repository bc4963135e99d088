"""A claim on a case: each relation by hand, what its parts and several cases say, and what stands in the way."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import sympy
from hypothesis import given, strategies as st

from bounds.formulas.selection import ORDINARY_BOUND
from bounds.language.quantities import C_2, C_MAX, D_PLUS
from bounds.setting.model import PlatformParameters
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim, ClaimError
from proofs_checks.claims.model.conditions import each_provider, every_step
from proofs_checks.claims.model.evidence import NOTHING_MEETS_IT, Evidence, Part, combine, merge
from proofs_checks.claims.model.precondition import Precondition
from proofs_checks.claims.model.regime import Regime
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import (
    MEAN_COST,
    PAYMENT,
    QUALITY_ESTIMATE,
    SELECTION_COUNT,
    SELECTIONS,
)
from proofs_checks.claims.statements.eligibility import UNQUALIFIED_SELECTIONS
from proofs_checks.claims.statements.identification import COMPETITOR_SELECTIONS, NON_OPTIMAL_STEPS
from proofs_checks.claims.statements.regrets import RADIUS_SUM
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import setting_of

MARKET = SmallMarket((0.2, 0.4), (1.0, 1.0), 30, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5, overbid=0.25))
CASE = Case(MARKET.setting, MARKET.run([TruthfulBidder(), TruthfulBidder()]), {})

AT_MOST_C_MAX = Relation(PAYMENT, C_MAX, every_step, "at most c_max")
AT_MOST_C_2 = Relation(PAYMENT, C_2, every_step, "at most the second cost")
NOWHERE = Relation(PAYMENT, C_2, lambda case: np.zeros(len(case.trace), bool), "nowhere")

MET = Precondition("met", lambda case: None)
BROKEN = Precondition("broken", lambda case: "it rains")
BLIND = Precondition("blind", lambda case: None, needs_costs=True)


def stated(*checks: object, **options: object) -> Claim:
    return Claim(
        label="lem:example", name="Example", statement="an example", source_line=1, checks=tuple(checks), **options
    )  # type: ignore[arg-type]


def part(tightness: Tightness = NOTHING_COMPARED, *, headline: bool = True, name: str = "a part") -> Part:
    return Part(name=name, headline=headline, verdict=Verdict.SKIPPED).compared(tightness)


def exercised(found: Evidence) -> tuple[bool, ...]:
    return tuple(part.tightness.checked > 0 for part in found.parts)


def compared(checked: int, violations: int = 0, margin: float = 1.0, ratio: float | None = 0.5) -> Tightness:
    return Tightness(checked, violations, margin, ratio, {"relation": f"margin {margin}"})


class TestCheck:
    def test_one_violated_part_refutes_the_whole(self) -> None:
        found = stated(AT_MOST_C_MAX, AT_MOST_C_2).check(CASE)
        assert found.verdict is Verdict.REFUTED
        assert found.tightness.checked == 60
        assert found.tightness.where["relation"] == "at most the second cost"

    def test_nothing_to_compare_is_vacuous(self) -> None:
        found = stated(NOWHERE).check(CASE)
        assert combine([]).verdict is Verdict.VACUOUS
        assert merge([]).verdict is Verdict.SKIPPED
        assert (found.verdict, exercised(found)) == (Verdict.VACUOUS, (False,))
        assert found.reason

    def test_a_headline_that_never_applied_is_vacuous_whatever_else_was_compared(self) -> None:
        for claim in (stated(AT_MOST_C_MAX, NOWHERE, headline=(NOWHERE,)), stated(AT_MOST_C_MAX, NOWHERE)):
            found = claim.check(CASE)
            assert (found.verdict, found.tightness.checked, found.tightness.violations) == (Verdict.VACUOUS, 30, 0)
            assert "nowhere" in found.reason
            assert "at most c_max" not in found.reason
            assert [p.verdict for p in found.parts] == [Verdict.NOT_REFUTED, Verdict.VACUOUS]

    def test_a_side_part_that_never_applied_is_not(self) -> None:
        found = stated(AT_MOST_C_MAX, NOWHERE, headline=(AT_MOST_C_MAX,)).check(CASE)
        assert (found.verdict, found.reason) == (Verdict.NOT_REFUTED, None)
        assert [p.headline for p in found.parts] == [True, False]

    def test_a_refuted_side_part_refutes_the_whole(self) -> None:
        for headline in (NOWHERE, AT_MOST_C_MAX):
            found = stated(AT_MOST_C_MAX, AT_MOST_C_2, NOWHERE, headline=(headline,)).check(CASE)
            assert (found.verdict, found.reason) == (Verdict.REFUTED, None)
            assert [p.verdict for p in found.parts] == [Verdict.NOT_REFUTED, Verdict.REFUTED, Verdict.VACUOUS]

    def test_where_an_assumption_fails_no_part_is_known(self) -> None:
        found = stated(AT_MOST_C_MAX, NOWHERE, assuming=(BROKEN,)).check(CASE)
        assert [(p.verdict, p.reason) for p in found.parts] == [(Verdict.ASSUMPTION_VIOLATED, "broken: it rains")] * 2

    def test_a_headline_is_one_of_the_checks(self) -> None:
        with pytest.raises(ValueError, match="lem:example: a headline"):
            stated(AT_MOST_C_MAX, headline=(AT_MOST_C_2,))

    def test_a_failed_precondition_names_itself(self) -> None:
        found = stated(AT_MOST_C_2, assuming=(MET, BROKEN)).check(CASE)
        assert (found.verdict, found.reason) == (Verdict.ASSUMPTION_VIOLATED, "broken: it rains")
        assert found.tightness.checked == 0

    def test_without_costs_it_is_skipped(self) -> None:
        found = stated(AT_MOST_C_2, assuming=(BLIND,)).check(without_costs())
        assert found.verdict is Verdict.SKIPPED
        assert "blind" in found.reason
        assert stated(AT_MOST_C_MAX).check(without_costs()).verdict is Verdict.NOT_REFUTED

    def test_the_regimes_values_replace_the_settings(self) -> None:
        shifted = Relation(PAYMENT, C_MAX - D_PLUS, every_step, "at most c_max less the overbid")
        assert stated(shifted).check(CASE).verdict is Verdict.REFUTED
        assert stated(shifted, regime=Regime("none", (), {"overbid": 0.0})).check(CASE).verdict is Verdict.NOT_REFUTED

    def test_functions_check_as_relations_do(self) -> None:
        @trace_check()
        def by_hand(case: Case) -> Tightness:
            """Count something. Then more."""
            return compared(1, violations=1, margin=-1.0)

        claim = stated(AT_MOST_C_MAX, by_hand)
        assert claim.check(CASE).verdict is Verdict.REFUTED
        assert [p.name for p in claim.parts()] == ["at most c_max", "Count something"]
        assert len(claim.latex()) == 1

    def test_an_incomplete_condition_is_a_defect_of_the_claim(self) -> None:
        # L_i has no value where the gap does not exceed the overbid; nothing guards this claim.
        bound = Relation(PAYMENT, sympy.Max(0, ORDINARY_BOUND), every_step, "guardless")
        market = SmallMarket((0.2, 0.4), (1.0, 1.0), 5, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5, overbid=0.3))
        case = Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]), {})
        with pytest.raises(ClaimError, match="lem:example cannot be compared on 'witness'"):
            stated(bound).check(case)


def without_costs() -> Case:
    trace = CASE.trace
    return Case(CASE.setting, type(trace)(trace.provider, trace.payment, trace.score, trace.bid), {})


class TestCombine:
    @pytest.mark.for_each("order", list(itertools.permutations(range(3))))
    def test_shows_the_violated_part_before_the_tightest(self, order: tuple[int, ...]) -> None:
        parts = [compared(1, margin=0.0, ratio=1.0), compared(1, 1, margin=-0.5, ratio=None), compared(1, margin=2.0)]
        found = combine([part(parts[i]) for i in order]).tightness
        assert (found.margin, found.ratio, found.where) == (-0.5, 1.0, {"relation": "margin -0.5"})

    @pytest.mark.for_each("order", list(itertools.permutations(range(3))))
    def test_shows_the_tightest_part(self, order: tuple[int, ...]) -> None:
        parts = [compared(1, margin=5.0, ratio=0.9), compared(1, margin=1.0, ratio=0.2), compared(1, margin=3.0)]
        found = combine([part(parts[i]) for i in order]).tightness
        assert (found.margin, found.ratio) == (5.0, 0.9)

    def test_an_undefined_margin_is_shown_where_it_violates(self) -> None:
        undefined = Tightness(1, 1, None, None, {"relation": "undefined"})
        for parts in ([undefined, compared(1, ratio=1.0)], [compared(1, ratio=1.0), undefined]):
            found = combine([part(one) for one in parts])
            assert found.verdict is Verdict.REFUTED
            assert (found.tightness.margin, found.tightness.where) == (None, {"relation": "undefined"})


TIGHTNESSES = st.one_of(
    st.just(NOTHING_COMPARED),
    st.builds(compared, st.integers(1, 9), st.integers(0, 1), st.floats(-1, 1), st.floats(0, 2)),
)


@st.composite
def findings_of_one_claim(draw: st.DrawFn) -> list[Evidence]:
    headline = draw(st.lists(st.booleans(), min_size=1, max_size=4).filter(any))
    one = st.tuples(*(TIGHTNESSES.map(lambda t, cited=cited: part(t, headline=cited)) for cited in headline))
    other = st.sampled_from([Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED]).map(
        lambda v: [Part(name="a part", headline=cited, verdict=v, reason="so") for cited in headline]
    )
    return [combine(parts) for parts in draw(st.lists(st.one_of(one, other), min_size=1, max_size=5))]


@given(findings_of_one_claim())
def test_a_claim_is_known_no_better_than_its_headline_on_one_trace_and_on_many(findings: list[Evidence]) -> None:
    merged = merge(findings)
    for found in (*findings, merged):
        cited = [p for p in found.parts if p.headline]
        if any(p.tightness.violations for p in found.parts):
            assert found.verdict is Verdict.REFUTED
        elif all(p.tightness.checked for p in cited):
            assert found.verdict is Verdict.NOT_REFUTED
        else:
            assert found.verdict in {p.verdict for p in cited if not p.tightness.checked}
            assert found.reason
    assert merged.tightness.checked == sum(found.tightness.checked for found in findings)
    # A part is compared if it was compared anywhere, in whatever order, and at once or in two steps.
    assert exercised(merged) == tuple(map(any, zip(*map(exercised, findings), strict=True)))
    for again in (merge(findings[::-1]), merge([merge(findings[:2]), *findings[2:]])):
        assert (again.verdict, again.tightness.checked) == (merged.verdict, merged.tightness.checked)
        assert [p.verdict for p in again.parts] == [p.verdict for p in merged.parts]


def unmet(verdict: Verdict, reason: str) -> Evidence:
    return combine([Part(name=name, verdict=verdict, reason=reason) for name in "ab"])


class TestMerge:
    EMPTY = combine([part(name="a"), part(name="b")])
    UNMET = unmet(Verdict.ASSUMPTION_VIOLATED, "ties")
    SKIPPED = unmet(Verdict.SKIPPED, "no costs")

    @pytest.mark.for_each(
        ("findings", "reason"),
        [((UNMET, EMPTY), NOTHING_MEETS_IT), ((SKIPPED, UNMET), "ties"), ((SKIPPED,), "no costs")],
    )
    def test_otherwise_the_most_telling_reason(self, findings: tuple[Evidence, ...], reason: str) -> None:
        assert merge(findings).reason == reason


NO_SLACK = {"belief_slack": 0.0, "underbid": 0.0, "overbid": 0.0}


def make_case(
    payments: list[float], providers: list[tuple[float, float]], served: list[int] | None = None, bound: float = 10.0
) -> Case:
    """A case with payments; providers are (quality, mean cost), q_min is 0.5."""
    setting = setting_of(providers, cost_bound=bound, exploration_scale=1.0, exploration_exponent=0.5)
    n = len(payments)
    return Case(setting, Trace([0] * n if served is None else served, payments, [1.0] * n, [1.0] * n), {})


TWO = [(0.9, 2.0), (0.8, 4.0)]


class TestByHand:
    case = make_case([1.0, 5.0, 3.0], TWO)
    below_second = Relation(PAYMENT, C_2, every_step, "a payment is at most the second cost")

    def test_margin_ratio_and_place(self) -> None:
        assert self.below_second.check(self.case, {}) == Tightness(
            3, 1, -1.0, 1.25, {"relation": self.below_second.name, "step": 2, "left": 5.0, "right": 4.0}
        )

    def test_overrides_replace_the_cases_values(self) -> None:
        lifted = replace(self.below_second, right=C_2 + D_PLUS)
        assert lifted.check(self.case, {"overbid": 1.0}).violations == 0
        assert lifted.check(self.case, {"overbid": 1.0}).margin == 0.0
        assert lifted.check(self.case, {}).violations == 1
        assert replace(self.below_second).check(self.case, {"second_lowest_cost": 2.5}).violations == 2

    def test_latex_is_the_papers_notation(self) -> None:
        assert self.below_second.latex() == r"\pi_t \leq \bar c_{(2)}"
        assert replace(self.below_second, strict=True).latex() == r"\pi_t < \bar c_{(2)}"

    def test_a_violation_is_shown_before_a_larger_rounding(self) -> None:
        # 5 off is rounding at 10^10; 1 off is not at 2.
        case = make_case([1e10, 3.0], [(0.9, 0.0), (0.9, 2.0)], bound=1e11)
        relation = Relation(PAYMENT, sympy.Max(C_2, PAYMENT - 5), every_step, "at most the second cost, nearly")
        found = relation.check(case, {})
        assert (found.violations, found.margin) == (1, -5.0)
        assert found.where == {"relation": relation.name, "step": 2, "left": 3.0, "right": 2.0}


class TestAxes:
    """Steps against providers, where as many steps are compared as there are providers."""

    payments_below_costs = Relation(PAYMENT, MEAN_COST, each_provider(every_step), "every payment below every cost")
    costs_below_payments = Relation(MEAN_COST, PAYMENT, each_provider(every_step), "every cost below every payment")

    @pytest.mark.for_each("n", [2, 3])
    def test_as_many_steps_as_providers(self, n: int) -> None:
        payments, costs = [1.0, 6.0, 2.5][:n], [4.0, 2.0, 8.0][:n]
        case = make_case(payments, [(0.9, c) for c in costs])
        down, up = self.payments_below_costs.check(case, {}), self.costs_below_payments.check(case, {})
        assert down.checked == up.checked == n * n
        assert down.violations == sum(p > c for p in payments for c in costs)
        assert up.violations == sum(c > p for p in payments for c in costs)
        assert down.margin == min(c - p for p in payments for c in costs)
        assert down.where["step"] == 2
        assert down.where["provider"] == f"p{costs.index(min(costs))}"
        assert (up.where["step"], up.where["provider"]) == (1, f"p{costs.index(max(costs))}")

    def test_as_many_marked_steps_as_members_of_a_group(self) -> None:
        # Steps 2 and 4 are marked, and the group has two members: p1 and p2.
        case = make_case([9.0, 1.0, 9.0, 6.0], [(0.9, 1.0), (0.9, 4.0), (0.9, 7.0)])

        def even(case: Case) -> np.ndarray:
            return case.replay.steps % 2 == 0

        relation = replace(self.payments_below_costs, on=each_provider(even, "competitors"), among="competitors")
        found = relation.check(case, {})
        assert (found.checked, found.violations, found.margin) == (4, 1, -2.0)
        assert found.where == {"relation": relation.name, "step": 4, "left": 6.0, "right": 4.0, "provider": "p1"}

    def test_a_constant_side_is_spread_over_steps_and_providers(self) -> None:
        case = make_case([1.0, 5.0], TWO)
        found = Relation(C_2, MEAN_COST, each_provider(every_step), "constants").check(case, {})
        assert (found.checked, found.violations, found.margin) == (4, 2, -2.0)


class TestTolerance:
    @staticmethod
    def violations(payment: float, cost: float, bound: float = 10.0, **options: bool) -> int:
        case = make_case([payment], [(0.9, 0.0), (0.9, cost)], bound=bound)
        return Relation(PAYMENT, C_2, every_step, "tolerance", **options).check(case, {}).violations

    def test_rounding_is_forgiven_and_more_is_not(self) -> None:
        assert self.violations(4.0 * (1 + 5e-10), 4.0) == 0
        assert self.violations(4.0 * (1 + 5e-9), 4.0) == 1

    def test_near_zero_the_scale_of_money_counts(self) -> None:
        for payment, violations in ((5e-12, 0), (5e-11, 1)):
            relation = Relation(PAYMENT, 0 * C_2, every_step, "nothing is paid")
            assert relation.check(make_case([payment], TWO), {}).violations == violations
        # At a bound of a thousandth the scale is a thousandth as well.
        small = make_case([5e-13], [(0.9, 0.0), (0.9, 1e-4)], bound=1e-3)
        assert Relation(PAYMENT, 0 * C_2, every_step, "nothing is paid").check(small, {}).violations == 1

    def test_whole_numbers_are_compared_exactly(self) -> None:
        assert self.violations(4.0 * (1 + 5e-10), 4.0, exact=True) == 1
        assert self.violations(4.0, 4.0, exact=True) == 0

    def test_strict_refuses_equality(self) -> None:
        assert self.violations(4.0, 4.0, strict=True) == 1
        assert self.violations(3.0, 4.0, strict=True) == 0
        assert self.violations(4.0 * (1 - 1e-12), 4.0, strict=True) == 0

    def test_an_undefined_side_is_a_violation_and_not_a_pass(self) -> None:
        # Before its first query a provider has no quality estimate.
        case = make_case([1.0, 1.0], TWO)
        found = Relation(0 * QUALITY_ESTIMATE, QUALITY_ESTIMATE, each_provider(every_step), "estimates").check(case, {})
        assert (found.checked, found.violations, found.margin) == (4, 3, None)
        assert (found.where["step"], found.where["right"]) == (1, None)
        assert json.dumps(vars(found), allow_nan=False)


class TestEmptyGroups:
    def test_nobody_is_unqualified(self) -> None:
        case = make_case([1.0, 1.0, 1.0], TWO, served=[0, 1, 0])
        assert UNQUALIFIED_SELECTIONS.check(case, NO_SLACK) == Tightness(0, 0)
        # A sum over nobody is 0: B_id consists of the competitor's cap.
        assert NON_OPTIMAL_STEPS.check(case, NO_SLACK).checked == 2

    def test_nobody_competes(self) -> None:
        case = make_case([1.0, 1.0, 1.0], [(0.9, 2.0), (0.1, 4.0)], served=[0, 1, 0])
        assert case.setting.competitors == ()
        assert COMPETITOR_SELECTIONS.check(case, NO_SLACK) == Tightness(0, 0)
        assert UNQUALIFIED_SELECTIONS.check(case, NO_SLACK).checked == 1

    def test_a_trace_that_ends_with_initialization(self) -> None:
        case = make_case([1.0, 1.0], TWO, served=[0, 1])
        assert COMPETITOR_SELECTIONS.check(case, NO_SLACK) == Tightness(0, 0)
        assert RADIUS_SUM.check(case, NO_SLACK).margin == 0.0


def test_undeclared_symbols_are_refused() -> None:
    nonsense = Relation(sympy.Symbol("nonsense"), C_MAX, every_step, "nonsense")
    with pytest.raises(ValueError, match="nonsense"):
        nonsense.check(make_case([1.0], TWO), {})


def test_selections_lag_counts_by_the_initialization() -> None:
    case = make_case([1.0] * 5, TWO, served=[0, 1, 0, 0, 1])
    relation = Relation(SELECTIONS, SELECTION_COUNT, each_provider(every_step), "n <= m", exact=True)
    # n counts the current step and m does not: before it serves, a provider has one selection more than n.
    found = relation.check(case, {})
    assert (found.checked, found.violations, found.margin) == (10, 0, 0.0)

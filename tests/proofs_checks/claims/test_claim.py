"""A claim on a case: what its parts say together, what several cases say, and what stands in the way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy

from bounds.formulas.selection import ORDINARY_BOUND
from bounds.language.quantities import C_2, C_MAX, D_PLUS
from bounds.setting.model import PlatformParameters
from mechanism.bidding import TruthfulBidder
from proofs_checks.claims.cases.steered import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim, ClaimError, Finding, combine, merge
from proofs_checks.claims.model.conditions import every_step
from proofs_checks.claims.model.precondition import Precondition
from proofs_checks.claims.model.regime import Regime
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import PAYMENT
from proofs_checks.verdict import Verdict

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


def compared(checked: int, violations: int = 0, margin: float = 1.0, ratio: float | None = 0.5) -> Tightness:
    return Tightness(checked, violations, margin, ratio, {"relation": f"margin {margin}"})


class TestCheck:
    def test_holds(self) -> None:
        found = stated(AT_MOST_C_MAX).check(CASE)
        assert (found.verdict, found.tightness.checked, found.exercised) == (Verdict.NOT_REFUTED, 30, (True,))

    def test_one_violated_part_refutes_the_whole(self) -> None:
        found = stated(AT_MOST_C_MAX, AT_MOST_C_2).check(CASE)
        assert found.verdict is Verdict.REFUTED
        assert found.tightness.checked == 60
        assert found.tightness.where is not None
        assert found.tightness.where["relation"] == "at most the second cost"

    def test_nothing_to_compare_is_vacuous(self) -> None:
        found = stated(NOWHERE).check(CASE)
        assert (found.verdict, found.exercised) == (Verdict.VACUOUS, (False,))
        assert found.reason

    def test_an_unexercised_part_is_remembered(self) -> None:
        assert stated(NOWHERE, AT_MOST_C_MAX).check(CASE).exercised == (False, True)

    def test_a_failed_precondition_names_itself(self) -> None:
        found = stated(AT_MOST_C_2, assuming=(MET, BROKEN)).check(CASE)
        assert (found.verdict, found.reason) == (Verdict.ASSUMPTION_VIOLATED, "broken: it rains")
        assert found.tightness.checked == 0

    def test_the_regimes_preconditions_come_first(self) -> None:
        claim = stated(AT_MOST_C_2, regime=Regime("r", (BROKEN,)), assuming=(BLIND,))
        assert claim.preconditions == (BROKEN, BLIND)
        assert claim.check(without_costs()).verdict is Verdict.ASSUMPTION_VIOLATED

    def test_without_costs_it_is_skipped(self) -> None:
        found = stated(AT_MOST_C_2, assuming=(BLIND,)).check(without_costs())
        assert found.verdict is Verdict.SKIPPED
        assert found.reason is not None
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
        assert claim.part_names() == ("at most c_max", "Count something")
        assert len(claim.latex()) == 1

    def test_an_incomplete_condition_is_a_defect_of_the_claim(self) -> None:
        # L_i has no value where the gap does not exceed the overbid; nothing guards this claim.
        bound = Relation(PAYMENT, sympy.Max(0, ORDINARY_BOUND.symbol), every_step, "guardless", where=(ORDINARY_BOUND,))
        market = SmallMarket((0.2, 0.4), (1.0, 1.0), 5, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5, overbid=0.3))
        case = Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]), {})
        with pytest.raises(ClaimError, match="lem:example cannot be compared on 'witness'"):
            stated(bound).check(case)


def without_costs() -> Case:
    trace = CASE.trace
    return Case(CASE.setting, type(trace)(trace.provider, trace.payment, trace.score, trace.bid), {})


class TestCombine:
    def test_nothing(self) -> None:
        assert combine([]).verdict is Verdict.VACUOUS
        assert combine([Tightness(0, 0)]).verdict is Verdict.VACUOUS

    def test_adds_up(self) -> None:
        found = combine([compared(3), Tightness(0, 0), compared(4, violations=2, margin=-1.0)])
        assert (found.tightness.checked, found.tightness.violations) == (7, 2)
        assert found.exercised == (True, False, True)

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_shows_the_violated_part_before_the_tightest(self, order: tuple[int, ...]) -> None:
        parts = [compared(1, margin=0.0, ratio=1.0), compared(1, 1, margin=-0.5, ratio=None), compared(1, margin=2.0)]
        found = combine([parts[i] for i in order]).tightness
        assert (found.margin, found.ratio, found.where) == (-0.5, 1.0, {"relation": "margin -0.5"})

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
    def test_shows_the_tightest_part(self, order: tuple[int, ...]) -> None:
        parts = [compared(1, margin=5.0, ratio=0.9), compared(1, margin=1.0, ratio=0.2), compared(1, margin=3.0)]
        found = combine([parts[i] for i in order]).tightness
        assert (found.margin, found.ratio) == (5.0, 0.9)

    def test_an_undefined_margin_is_shown_where_it_violates(self) -> None:
        undefined = Tightness(1, 1, None, None, {"relation": "undefined"})
        for parts in ([undefined, compared(1, ratio=1.0)], [compared(1, ratio=1.0), undefined]):
            found = combine(parts)
            assert found.verdict is Verdict.REFUTED
            assert (found.tightness.margin, found.tightness.where) == (None, {"relation": "undefined"})


class TestMerge:
    REFUTED = Finding(Verdict.REFUTED, compared(2, 1, -1.0), exercised=(True, False))
    HOLDS = Finding(Verdict.NOT_REFUTED, compared(3), exercised=(False, True))
    EMPTY = Finding(Verdict.VACUOUS, reason="short", exercised=(False, False))
    UNMET = Finding(Verdict.ASSUMPTION_VIOLATED, reason="ties")
    SKIPPED = Finding(Verdict.SKIPPED, reason="no costs")

    def test_nothing(self) -> None:
        assert merge([]).verdict is Verdict.SKIPPED

    def test_one_refutation_is_enough(self) -> None:
        for order in itertools.permutations([self.REFUTED, self.HOLDS, self.EMPTY, self.UNMET, self.SKIPPED]):
            found = merge(order)
            assert found.verdict is Verdict.REFUTED
            assert (found.tightness.checked, found.tightness.violations) == (5, 1)
            assert found.exercised == (True, True)

    def test_what_was_compared_anywhere_counts(self) -> None:
        found = merge([self.UNMET, self.EMPTY, self.HOLDS])
        assert (found.verdict, found.exercised) == (Verdict.NOT_REFUTED, (False, True))

    @pytest.mark.parametrize(
        ("findings", "reason"), [((UNMET, EMPTY), "short"), ((SKIPPED, UNMET), "ties"), ((SKIPPED,), "no costs")]
    )
    def test_otherwise_the_most_telling_reason(self, findings: tuple[Finding, ...], reason: str) -> None:
        assert merge(findings).reason == reason


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("thm:a", "theorem"),
        ("lem:a", "lemma"),
        ("prop:a", "proposition"),
        ("cor:a:repaired", "corollary"),
        ("eq:a", "definition"),
        ("alg:a", "algorithm"),
        ("asmp:a", "assumption"),
        ("claim:a", "claim"),
    ],
)
def test_kind_is_what_the_label_announces(label: str, kind: str) -> None:
    assert Claim(label=label, name="Name", statement="statement", source_line=1).kind == kind

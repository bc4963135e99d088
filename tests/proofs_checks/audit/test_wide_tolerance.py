"""A wide tolerance hides what is wrong: the audit says how much, and takes what could not fail for no test."""

import functools

import numpy as np
import pytest

from bounds.published import published
from mechanism.episode import simulate
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.verdict import Verdict
from tests.proofs_checks.audit.audited import parts, with_columns

pytestmark = pytest.mark.usefixtures("undiagnosed")
SETTING = published("gpqa-strong").setting
BOUND = SETTING.platform.cost_bound
CLAIMS = ["eq:payment", "eq:quality-estimate", "lem:payment-range", "thm:robust-dominant"]
OF_PAYMENTS = {"initialization-payment", "exploration-payment", "critical-payment"}


@functools.cache
def constant() -> Trace:
    """A log in which every payment is the same: wrong nearly everywhere."""
    trace = simulate(SETTING, horizon=400, seed=1)
    return with_columns(trace, payment=np.full(len(trace), 0.35 * BOUND))


@functools.cache
def audited(tolerance: float) -> AuditReport:
    return audit(parts(constant(), 150), SETTING, labels=CLAIMS, tolerance=tolerance)


def test_rules_that_no_payment_could_break_decide_nothing() -> None:
    report = audited(BOUND)
    assert OF_PAYMENTS < set(report.covered_rules) <= OF_PAYMENTS | {"index-minimizer"}
    rules = report.to_data()["rules"]
    for rule in report.covered_rules:
        assert (rules[rule]["steps"], rules[rule]["could_fail"]) == (0, False)
    assert rules["eligibility"]["could_fail"]
    assert not rules["eligibility"]["covered_by_tolerance"]
    plain = audited(0.0)
    assert {r: report.applicable[r] + report.covered[r] for r in STEP_RULES} == plain.applicable
    assert plain.covered_rules == plain.tolerance_hides == ()
    assert not plain.excused


@pytest.mark.parametrize("share", [0.05, 0.4, 1.0])
def test_a_step_is_covered_exactly_where_no_payment_in_range_breaks_it(share: float) -> None:
    trace, tolerance = constant(), share * BOUND
    broken = dict.fromkeys(OF_PAYMENTS, False)
    for paid in (0.0, BOUND):
        found = audit(
            [with_columns(trace, payment=np.full(len(trace), paid))], SETTING, labels=CLAIMS[:1], tolerance=tolerance
        )
        broken = {rule: broken[rule] or found.violation_counts[rule] > 0 for rule in OF_PAYMENTS}
    assert broken == {rule: audited(tolerance).applicable[rule] > 0 for rule in OF_PAYMENTS}


def test_a_payment_out_of_range_breaks_them_all_the_same() -> None:
    trace = with_columns(constant(), payment=np.full(len(constant()), 9 * BOUND))
    report = audit([trace], SETTING, labels=CLAIMS, tolerance=BOUND)
    assert report.violation_counts["critical-payment"] == report.applicable["critical-payment"] > 0
    assert {row.label: row.evidence.verdict for row in report.claims}["eq:payment"] is Verdict.REFUTED


def test_claims_that_no_amount_could_fail_are_skipped() -> None:
    rows = {row["label"]: row for row in audited(BOUND).to_data()["claims"]}
    assert (rows["eq:payment"]["verdict"], rows["eq:payment"]["could_fail"]) == ("SKIPPED", False)
    assert rows["eq:payment"]["tightest_ratio"] is None
    assert "no amount in [0, c_max] could have failed" in rows["eq:payment"]["reason"]
    assert rows["eq:quality-estimate"]["verdict"] == "NOT_REFUTED"


def test_no_ratio_above_1_stands_beside_not_refuted_without_a_word() -> None:
    for tolerance in (0.2 * BOUND, 0.24 * BOUND, BOUND):
        for row in audited(tolerance).to_data()["claims"]:
            if row["verdict"] == "NOT_REFUTED" and (row["tightest_ratio"] or 0) > 1 + 1e-9:
                assert row["excused_by_tolerance"]
    assert any(row.evidence.tightness.excused for row in audited(0.24 * BOUND).claims)


def test_the_excused_steps_are_those_of_an_audit_without_tolerance() -> None:
    assert audited(BOUND).excused == audited(0.0).violating_steps
    some = audited(0.05 * BOUND)
    assert some.violating_steps > 0
    assert some.excused == audited(0.0).violating_steps - some.violating_steps


@pytest.mark.parametrize("share", [0.24, 1.0])
def test_parts_do_not_matter(share: float) -> None:
    labels = [*CLAIMS, "lem:adjusted-bid-bounds", "lem:ordinary-payment"]
    whole, cut = (
        audit(pieces, SETTING, labels=labels, tolerance=share * BOUND)
        for pieces in ([constant()], parts(constant(), 150))
    )
    assert whole.covered == cut.covered
    assert whole.excused == cut.excused
    assert [row.evidence for row in whole.claims] == [row.evidence for row in cut.claims]

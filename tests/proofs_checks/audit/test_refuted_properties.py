"""The weakest property that a log refutes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mechanism.trace import Trace
from proofs_checks.audit.properties import placement_of
from proofs_checks.audit.report import AuditReport, ClaimAudit
from proofs_checks.audit.run import audit
from proofs_checks.claims.implications import implications
from proofs_checks.claims.model.finding import Finding
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.properties.lattice import SHORT
from proofs_checks.verdict import Verdict
from tests.proofs_checks.gallery.logs import right_log

Columns = dict[str, np.ndarray]
RULES = dict.fromkeys(STEP_RULES, 9)


def audited(tamper: Callable[[Columns], None] = lambda columns: None) -> AuditReport:
    """What is said of a short right log that somebody tampered with."""
    case = right_log("short")
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    tamper(columns)
    return audit([Trace(**columns)], case.setting)


def claim_found(label: str, verdict: Verdict) -> ClaimAudit:
    """What a log says about a claim, without its parts."""
    return ClaimAudit(label=label, finding=Finding(verdict), until=None, before=None)


class TestLogs:
    def test_a_right_log_refutes_nothing_and_shows_no_other_bids(self) -> None:
        found = audited().properties
        assert found.names == frozenset()
        untold = {told.name for told in found.untold}
        assert {"answers", "repeatable", "truthfulness", "strict-truthfulness", "robust-truthfulness"} <= untold
        assert {"allocation", "critical-payments"} <= {told.name for told in found.standing}

    def test_payments_cut_by_a_tenth_in_auctions_spare_who_serves(self) -> None:
        def cut(columns: Columns) -> None:
            columns["payment"][columns["payment"] < columns["payment"].max()] *= 0.9

        found = audited(cut).properties
        assert found.names == {"critical-payments"}
        assert {"eligibility", "allocation"} <= {told.name for told in found.standing}


class TestRules:
    @pytest.mark.parametrize(
        ("broken", "weakest"),
        [
            ({"critical-payment": 1}, {"critical-payments"}),
            ({"critical-payment": 1, "index-minimizer": 1}, {"allocation"}),
            ({"critical-payment": 1, "exploration-payment": 1}, {"critical-payments", "fixed-payments"}),
            ({"critical-payment": 9, "eligibility": 1}, {"eligibility"}),
            ({}, set()),
        ],
    )
    def test_the_weakest_is_named(self, broken: dict[str, int], weakest: set[str]) -> None:
        assert placement_of(broken, RULES, 500, []).names == weakest

    def test_long_runs_stand_only_where_the_log_is_long(self) -> None:
        for steps, broken, stands in ((SHORT, {}, False), (SHORT + 1, {}, True), (999, {"eligibility": 1}, False)):
            found = placement_of(broken, RULES, steps, [])
            assert ("long-runs" in {told.name for told in found.standing}) == stands

    def test_a_rule_that_never_applied_is_not_tested(self) -> None:
        found = placement_of({}, {"index-minimizer": 1}, 9, [])
        assert [told.name for told in found.standing] == ["allocation"]


class TestClaims:
    def test_of_refuted_claims_the_weakest_count(self) -> None:
        strong, weak = "thm:sample-complexity", "cor:vanishing-nonoptimal-selections"
        assert weak in implications()[strong]
        found = placement_of({}, RULES, 9, [claim_found(label, Verdict.REFUTED) for label in (strong, weak)])
        assert [(told.name, told.by) for told in found.weakest_refuted] == [("bounds", (weak,))]

    def test_what_restates_rules_adds_nothing(self) -> None:
        assert placement_of({}, {}, 9, [claim_found("alg:platform", Verdict.REFUTED)]).names == frozenset()

    def test_what_was_not_compared_does_not_stand(self) -> None:
        for verdict in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED):
            assert placement_of({}, {}, 9, [claim_found("lem:payment-range", verdict)]).standing == ()

    def test_a_documented_finding_refutes_nothing(self) -> None:
        found = placement_of({}, {}, 9, [claim_found("cor:eventual-ordinary-optimality", Verdict.REFUTED)])
        assert found.names == frozenset()

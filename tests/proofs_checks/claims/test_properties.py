"""Every claim that a trace can decide, on random cases full of corners: never refuted, but for documented findings."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from costproof.strategies import markets, settings as any_settings, traces
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.precondition import BELIEFS_AND_DEVIATIONS
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict

CHECKED = {label: claim for label, claim in all_claims().items() if claim.checks}
#: Their verdict is whether the bids satisfied them, which arbitrary bids need not.
ABOUT_BIDS = {"asmp:beliefs", "asmp:bounded-deviations"}


def refuted(case: Case) -> dict[str, Evidence]:
    """The claims that a case refutes against expectation."""
    found = {label: claim.check(case) for label, claim in CHECKED.items() if not claim.finding}
    as_assumed = BELIEFS_AND_DEVIATIONS.failure(case) is None
    return {
        label: finding
        for label, finding in found.items()
        if finding.verdict is Verdict.REFUTED and (as_assumed or label not in ABOUT_BIDS)
    }


def quiet(examples: int) -> settings:
    """Time on shared machines varies: no deadline and no complaint about slow draws."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def never_refuted(case: Case) -> None:
    assert case.band_exit is None
    assert refuted(case) == {}


def cases(longest: int = 150) -> st.SearchStrategy[Case]:
    """Cases on the good event, however providers bid, clipped or not; most settings satisfy the assumptions."""
    return st.booleans().flatmap(
        lambda clip: traces(
            any_settings(n_providers=(2, 4)) | markets(slacks=True), horizon=(1, longest), bidding=None, clip=clip
        ).map(lambda played: played.case)
    )


@quiet(8)
@given(cases())
def test_no_claim_is_refuted(case: Case) -> None:
    never_refuted(case)


@pytest.mark.long("100 cases")
@quiet(100)
@given(cases(300))
def test_no_claim_is_refuted_on_many(case: Case) -> None:
    never_refuted(case)

"""eq:truthful-strategy: bidders declared truthful are held to it; others are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bounds.published import published
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import claim
from proofs_checks.verdict import Verdict

CLAIM = claim("eq:truthful-strategy")
CASE = play(published("gpqa-strong").setting, "truthful", horizon=300, seed=0, run=0)


def test_truthful_bidders_follow_it() -> None:
    finding = CLAIM.check(CASE)
    assert (finding.verdict, finding.tightness.checked) == (Verdict.NOT_REFUTED, 300)


@pytest.mark.parametrize("step", [0, 150, 299])
def test_one_other_bid_refutes_it(step: int) -> None:
    bids = np.array(CASE.trace.bid)
    bids[step] += 1e-6
    lying = Case(CASE.setting, replace(CASE.trace, bid=bids), CASE.origin)
    finding = CLAIM.check(lying)
    assert (finding.verdict, finding.tightness.violations) == (Verdict.REFUTED, 1)
    assert finding.tightness.where is not None
    assert finding.tightness.where["step"] == step + 1


@pytest.mark.parametrize("origin", [{}, {"variant": "deviating"}, {"kind": "trace"}])
def test_others_are_not_held_to_it(origin: dict[str, str]) -> None:
    finding = CLAIM.check(Case(CASE.setting, CASE.trace, origin))
    assert finding.verdict is Verdict.ASSUMPTION_VIOLATED


def test_without_costs_it_is_unknown() -> None:
    blind = Case(CASE.setting, replace(CASE.trace, cost=None), CASE.origin)
    assert CLAIM.check(blind).verdict is Verdict.SKIPPED

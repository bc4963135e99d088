"""An assumption that fails late hides no violation before it, wherever the reader of the log cuts it in parts."""

from functools import cache

import pytest

from bounds.published import published
from mechanism.episode import simulate
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import CHUNK_ROWS, audit
from proofs_checks.verdict import Verdict
from tests.proofs_checks.audit.audited import parts, with_columns

SETTING = published("gpqa-strong").setting
STEPS, UNDERPAID, OVERBID = 6_000, 3_000, 5_900
#: An auction pays less than its winner's cost: only claims that assume truthful bids say so, besides the rules.
NO_LOSS = ("thm:robust-dominant", "claim:payment-lower-appD")


@cache
def right() -> Trace:
    return simulate(SETTING, horizon=STEPS, seed=0)


def edited(*, payment: int | None = None, bid: int | None = None, score: bool = False) -> Trace:
    """The right log with the payment of a step at 0.01, the bid of another raised by 0.1%, and scores that fall off."""
    columns = {name: column.copy() for name, column in right().columns().items()}
    if payment is not None:
        columns["payment"][payment - 1] = 0.01
    if bid is not None:
        columns["bid"][bid - 1] *= 1.001
    if score:
        columns["score"][4_000:] = 0.0
    return with_columns(right(), **columns)


def told(report: AuditReport) -> dict[str, Verdict]:
    return {row.label: row.evidence.verdict for row in report.claims}


@cache
def underpaid_and_overbid() -> AuditReport:
    return audit([edited(payment=UNDERPAID, bid=OVERBID)], SETTING)


@pytest.mark.parametrize("label", NO_LOSS)
def test_a_violation_before_the_assumption_fails_stays_one(label: str) -> None:
    [row] = (row for row in underpaid_and_overbid().claims if row.label == label)
    assert row.evidence.verdict is Verdict.REFUTED
    assert row.counts_as_refuted
    assert row.evidence.tightness.where is not None
    assert row.evidence.tightness.where["step"] == UNDERPAID
    assert row.evidence.reason is not None
    assert row.evidence.reason.startswith("compared up to step 5,899 only: truthful bids: the bid left at step 5,900 ")
    assert row.evidence.until == OVERBID - 1
    assert sum(part.checked for part in row.evidence.parts) == row.evidence.tightness.checked


@pytest.mark.usefixtures("undiagnosed")
def test_a_violation_after_the_assumption_fails_is_none() -> None:
    verdicts = told(audit([edited(payment=OVERBID, bid=UNDERPAID)], SETTING))
    assert {verdicts[label] for label in NO_LOSS} == {Verdict.ASSUMPTION_VIOLATED}


@pytest.mark.usefixtures("undiagnosed")
@pytest.mark.parametrize(
    "edits",
    [
        {"payment": 2_500, "bid": 2_501},  # the first step of a part of 2,500
        {"payment": UNDERPAID, "bid": OVERBID, "score": True},  # two assumptions fail, at different steps
        {"bid": 1},
    ],
)
def test_the_length_of_the_parts_changes_nothing(edits: dict[str, int]) -> None:
    trace = edited(**edits)
    found = [audit(parts(trace, rows), SETTING).to_data() for rows in (STEPS, 2_500, CHUNK_ROWS)]
    assert found[0] == found[1] == found[2]


@pytest.mark.long("audits 54,000 steps")
def test_a_long_log_is_compared_up_to_the_edit_not_to_the_part() -> None:
    step = CHUNK_ROWS + 4_000
    trace = simulate(SETTING, horizon=step + 1_000, seed=1)
    bid = trace.bid.copy()
    bid[step - 1] *= 1.001
    report = audit(parts(with_columns(trace, bid=bid), CHUNK_ROWS), SETTING, labels=NO_LOSS)
    assert [row.evidence.until for row in report.claims] == [step - 1, step - 1]

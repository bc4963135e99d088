"""Edits far apart are told one by one, and before what explains only some of their rows."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from bounds.published import published
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.audit.run import AuditReport, audit
from proofs_checks.cli.views.audit import show_audit
from tests.proofs_checks.audit.audited import parts, with_columns

SETTING = published("gpqa-strong").setting
BOUND = SETTING.platform.cost_bound


@functools.cache
def right() -> Trace:
    return simulate(SETTING, horizon=12_000, seed=1)


@functools.cache
def auctions() -> np.ndarray:
    return np.flatnonzero(right().payment < BOUND)


def changed(trace: Trace, column: str, row: int, value: float) -> Trace:
    values = trace.columns()[column].copy()
    values[row] = value
    return with_columns(trace, **{column: values})


def paid(trace: Trace, row: int) -> Trace:
    return changed(trace, "payment", row, 0.9 * trace.payment[row])


def audited(trace: Trace) -> AuditReport:
    return audit(parts(trace, 3000), SETTING, labels=["lem:payment-range"])


def auction_from(row: int) -> int:
    return int(auctions()[np.searchsorted(auctions(), row)])


@pytest.mark.parametrize("rows", [(3000, 3010), (1500, 11_000), (2000, 5000, 11_000)])
def test_payments_anywhere(rows: tuple[int, ...]) -> None:
    edited, trace = [auction_from(row) for row in rows], right()
    for row in edited:
        trace = paid(trace, row)
    first = audited(trace).diagnosis[0]
    assert first.share == 1
    if rows[1] - rows[0] < 400:  # one window holds both
        assert first.where == {"steps": [row + 1 for row in edited]}
        return
    assert first.hypothesis == "several edits"
    assert first.where == {"places": [{"hypothesis": "payment edited", "step": row + 1} for row in edited]}
    assert "alone" not in first.text


def edited_bid() -> tuple[Trace, int]:
    """A bid that decides at least five payments, and its row."""
    for row in range(5000, 11_000):
        trace = changed(right(), "bid", row, right().bid[row] + 0.02 * BOUND)
        if audited(trace).violating_steps > 10:
            return trace, row
    raise AssertionError("no such bid")


def payment_and_bid() -> Trace:
    """A log with an edited payment, and an edited bid far behind it."""
    return paid(edited_bid()[0], auction_from(3000))


def test_a_payment_and_a_bid() -> None:
    _, row = edited_bid()
    payment = auction_from(3000)
    first, *others = audited(payment_and_bid()).diagnosis
    name = SETTING.providers[int(right().provider[row])].name
    assert first.hypothesis == "several edits"
    assert first.where == {
        "places": [
            {"hypothesis": "payment edited", "step": payment + 1},
            {"hypothesis": "bid edited", "step": row + 1, "provider": name},
        ]
    }
    assert first.text.startswith("The violations are consistent with two edits. ")
    assert "payments scaled" not in [each.hypothesis for each in others[:1]]


def test_what_explains_nothing_by_itself_does_not_say_that_it_explains_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Of seven payments two hypotheses say that no change was found; the edit below them explains a violation."""
    trace = functools.reduce(paid, (auction_from(row) for row in range(1000, 11_500, 1500)), right())
    report = audited(trace)
    found = {each.hypothesis: each for each in report.diagnosis}
    assert "several edits" not in found
    for name in ("gap or edit", "wrong mechanism"):
        assert (found[name].share, found[name].to_data()["explains"]) == (0, "no violation by itself")
    assert found["payment edited"].explains.startswith("the only violation of the rows looked at ")
    assert "No single change that was tried explains all violations." in shown(report, capsys)


def test_a_bid_that_only_a_winner_shows() -> None:
    """No payment says what the bid was: the bids that explain the winner are told, and they do."""
    row = next(r for r in auctions()[2000:] if right().provider[r] == right().provider[r + 1] and r + 1 in auctions())
    served = int(right().provider[row])
    critical = float(Replay(MechanismConfig.of(SETTING), right()).critical_payments[row + 1, served])
    trace = changed(right(), "bid", row, critical + 0.001 * BOUND)
    report = audited(trace)
    assert {rule for rule, count in report.violation_counts.items() if count} == {"index-minimizer"}
    first = report.diagnosis[0]
    assert first.hypothesis == "bid edited"
    assert f"any bid up to {critical:.9g} explains the winner" in first.text
    assert not audited(changed(trace, "bid", row, critical - 1e-6 * BOUND)).violating_steps


def shown(report: AuditReport, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command prints, in one line."""
    show_audit(report)
    return " ".join(capsys.readouterr().out.split())


class TestTheFirstLines:
    """Thousands of steps may follow from one changed cell: that it seems changed is said first."""

    def test_of_one_edit(self, capsys: pytest.CaptureFixture[str]) -> None:
        report = audited(edited_bid()[0])
        text = shown(report, capsys)
        assert text.startswith(f"One bid seems edited. {report.violating_steps:,} of 12,000 steps break a rule, first ")
        total = sum(report.violation_counts.values())
        assert re.search(rf"All {total:,} violations up to step [\d,]+ follow from it\.", text)

"""What refutes a hypothesis early says what an audit of all rows says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.edits import edits
from proofs_checks.audit.diagnosis.window import EARLY, ViolationRecorder, Window
from proofs_checks.oracle.step_audit import StepAudit
from tests.proofs_checks.audit.audited import right_case
from tests.proofs_checks.audit.tampering import WAYS, Tampered

#: Kinds of edits of a log whose windows are looked at.
KINDS = (
    "payment 3% lower",
    "bid halved",
    "a row lost, counted anew",
    "a row twice, counted anew",
    "two rows exchanged, counted anew",
)


@functools.cache
def window(kind: str) -> Window:
    case = right_case(3)
    tamper: Callable[[Trace, int], Tampered] = WAYS[kind].tamper  # type: ignore[assignment]
    tampered, _ = tamper(case.trace, 1_203)
    before = ReplayState.initial(case.setting.n_providers)
    rows = StepAudit(case.setting, Replay(MechanismConfig.of(case.setting), tampered)).violating_rows
    recorder = ViolationRecorder(case.setting, 0.0)
    recorder.feed(before, tampered, rows)
    found = recorder.window()
    assert found is not None
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_is_quiet_where_an_audit_of_all_rows_is(kind: str) -> None:
    logged = window(kind)
    quiet = []
    for edit in list(edits(logged))[::7]:
        rows = edit.undone.audit.violating_rows
        inserted = range(len(edit.undone.trace))[edit.inserted]
        for until in (logged.first, logged.first + 20):
            quiet.append(edit.is_quiet(until))
            assert quiet[-1] == all(row > until or row in inserted for row in rows.tolist()), edit.text
    assert not all(quiet)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_right_where_the_log_with_them_is(kind: str) -> None:
    logged, n = window(kind), window(kind).setting.n_providers
    found = []
    for row in range(logged.first - 3, logged.first + 4):
        right = logged.audit.are_right(row, np.arange(n), np.full(n, logged.trace.payment[row]))
        for provider in range(n):
            other = logged.edited(row, provider=provider)
            assert right[provider] == (row not in other.audit.violating_rows)
        found += right.tolist()
    assert {True, False} == set(found)


@pytest.mark.parametrize("settled", [False, True])
def test_violations_are_counted_up_to_a_number(settled: bool) -> None:
    case = right_case(3)
    payment = np.where(np.arange(len(case.trace)) % 50 == 7, 0.9 * case.trace.payment, case.trace.payment)
    columns = {**case.trace.columns(), "payment": payment}
    if settled:
        columns["settled"] = np.arange(1, len(payment) + 1)
        columns["settled"][EARLY - 3 : EARLY + 3] += 5
    rows = Window(case.setting, 0.0, ReplayState.initial(case.setting.n_providers), Trace(**columns), 0)
    assert rows.violations > 10
    few = replace(rows, trace=rows.trace.head(2 * EARLY - 1))
    for each in (rows, few):
        assert each.violations_up_to(each.violations) == each.violations
        assert each.violations_up_to(each.violations - 1) is None
        assert each.violations_up_to(0) is None

"""A single edit of a log is found again; a wrong mechanism is called one."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.setting.model import Setting
from mechanism.trace import Trace
from proofs_checks.audit.run import AuditReport, audit
from proofs_checks.conformance.mutants.plain import Plain
from tests.proofs_checks.audit.audited import edited, kinds, parts, right_case, rows_of
from tests.proofs_checks.gallery import logs
from tests.proofs_checks.gallery.broken import BROKEN_PLATFORMS
from tests.proofs_checks.gallery.stages import NOISY, STAGES, play, stage


def audited(setting: Setting, trace: Trace) -> AuditReport:
    return audit([trace], setting, labels=["lem:payment-range"])


def test_an_edited_bid_is_recovered() -> None:
    """The value that was logged before the edit, and the provider and the step of it."""
    case = right_case(0)
    critical = case.replay.critical_payments
    for row in range(60, 300):
        report = audited(case.setting, edited("bid", lambda x: 0.9 * x)(case.trace, row))
        if not report.diagnosis:
            continue
        found = next(h for h in report.diagnosis if h.hypothesis == "bid edited")
        if found.where != {"step": row + 1, "provider": case.setting.providers[int(case.trace.provider[row])].name}:
            continue
        assert f"{case.trace.bid[row]:.6g}"[:6] in found.text
        return
    pytest.fail(f"no bid was found, of {len(critical)}")


@pytest.mark.long("another start is in the window of hypotheses")
def test_a_lost_beginning() -> None:
    case = right_case(1)
    report = audited(case.setting, rows_of(case.trace, np.arange(700, len(case.trace))))
    assert kinds(report)[0] == "beginning missing"


WRONG = [
    ("OnePercentHigh", "noisy"),
    ("FirstPrice", "widened"),
    ("DearestRival", "noisy"),
    ("LoneProviderPaidItsBid", "lone"),
    ("InitializationPaysLess", "noisy"),
    ("ExplorationPaysThePrice", "screening"),
    ("EmptyPaysNothing", "empty"),
    ("RadiusWithoutTheTwo", "noisy"),
    ("LogarithmOfM", "widened"),
    ("CountsOneMore", "noisy"),
    ("SlackInPaymentOnly", "widened"),
    ("NobodyIsExcluded", "screening"),
    ("LowestBidWins", "noisy"),
    ("RoundRobin", "screening"),
    ("FirstBidStands", "noisy"),
    ("LosersBidMoves", "noisy"),
    ("AlwaysLast", "lone"),
    ("AlwaysSecond", "empty"),
    ("ExploresTheExcluded", "screening"),
    ("ShunsTheCheapest", "ties"),
]


#: Some cannot be told from a right mechanism in another setting: gamma = sqrt(2) - 1, or a q_min that all meet. Of one
#: it is also told how wrong it is.
TOLD_AS_WELL = {
    "RadiusWithoutTheTwo": ["wrong setting"],
    "NobodyIsExcluded": ["wrong setting"],
    "OnePercentHigh": ["payments scaled"],
}


@pytest.mark.parametrize(("name", "stage"), WRONG)
def test_a_wrong_mechanism_is_no_edit(name: str, stage: str) -> None:
    case = play(BROKEN_PLATFORMS[name], STAGES[stage])
    assert kinds(audited(case.setting, case.trace)) == [*TOLD_AS_WELL.get(name, ()), "wrong mechanism"]


@pytest.mark.parametrize("values", [{"belief_slack": 0.1}, {"confidence": 0.01}])
def test_another_setting(values: dict[str, float]) -> None:
    """The log of a platform that was run with other parameters than the setting says."""
    case = play(Plain, stage(NOISY, 250, **values))
    report = audited(STAGES["noisy"].setting, case.trace)
    found = next(h for h in report.diagnosis if h.hypothesis == "wrong setting")
    assert f"{next(iter(values))} = {next(iter(values.values())):g}" in found.text


def test_the_diagnosis_does_not_depend_on_the_parts() -> None:
    case = logs.tampered("short", logs.a_row_lost)
    found = [
        audit(parts(case.trace, rows), case.setting, labels=["lem:payment-range"]).diagnosis for rows in (1000, 50, 7)
    ]
    assert found[0] == found[1] == found[2]

"""A rule that decides no step of a log is not told to be kept there: the log says nothing of it."""

import re
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.pages.page import page_of
from tests.proofs_checks.outcomes import Run
from tests.proofs_checks.pages.parsed import parsed

SETTING = published("gpqa-strong").setting
#: Everybody stays eligible so early, so no step is empty and none has a single provider.
SILENT = ("empty-payment", "lone-payment")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate(SETTING, horizon=300, seed=1)


def test_they_are_named(trace: Trace, tmp_path: Path, run: Run) -> None:
    report = audit([trace], SETTING, labels=["eq:payment"])
    assert report.silent_rules == SILENT
    assert parsed(page_of(report.to_data())).text().count("nothing to decide") == len(SILENT)
    write_trace(trace, tmp_path / "log.csv", SETTING)
    command = ("audit", tmp_path / "log.csv", "--setting", "gpqa-strong", "--claim", "eq:payment", "--jobs", 1)
    shown = run(*command, "--all").told
    assert f"2 of the 9 rules decide no step, so they were not tested: {', '.join(SILENT)}. " in shown
    for rule in STEP_RULES:
        assert (re.search(rf" {rule} [a-z]+:[\w-]+ 0 - ", shown) is not None) is (rule in SILENT)


def test_a_log_of_the_first_steps_says_nothing_of_auctions(trace: Trace) -> None:
    report = audit([trace.rows(slice(0, SETTING.n_providers))], SETTING, labels=["eq:payment"])
    assert len(report.silent_rules) == 7

"""A rule that decides no step of a log is not told to be kept there: the log says nothing of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit.run import audit
from proofs_checks.cli.main import main
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.pages.page import page_of
from tests.proofs_checks.pages.parsed import parsed

SETTING = published("gpqa-strong").setting
#: Everybody stays eligible so early, so no step is empty and none has a single provider.
SILENT = ("empty-payment", "lone-payment")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return simulate(SETTING, horizon=300, seed=1)


def printed(trace: Trace, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    write_trace(trace, path, SETTING)
    main(["audit", str(path), "--setting", "gpqa-strong", "--claim", "eq:payment", "--jobs", "1"])
    return capsys.readouterr().out


def test_the_first_lines_name_them(trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = " ".join(printed(trace, tmp_path / "log.csv", capsys).split())
    first = "No rule is broken in 300 steps. 2 of the 9 rules decide no step, so the log says nothing of them: "
    assert shown.startswith(f"{first}{', '.join(SILENT)}. ")


def test_a_log_of_the_first_steps_says_nothing_of_auctions(
    trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(trace.rows(slice(0, SETTING.n_providers)), tmp_path / "log.csv", capsys)
    told = "7 of the 9 rules decide no step, so the log says nothing of them: eligibility, "
    assert told in " ".join(shown.split())


def test_the_table_has_a_dash_and_no_zero(trace: Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(trace, tmp_path / "log.csv", capsys)
    found = {
        rule: re.search(rf"^{rule} +[a-z]+:[\w-]+ +([\d,]+) +([\d,]+|-) +-$", shown, re.MULTILINE)
        for rule in STEP_RULES
    }
    cells = {rule: row.groups() for rule, row in found.items() if row}
    assert list(cells) == list(STEP_RULES)
    assert {rule for rule, row in cells.items() if row == ("0", "-")} == set(SILENT)
    assert all(broken == "0" for rule, (_, broken) in cells.items() if rule not in SILENT)
    assert "A dash: none, so nothing is said of the rule." in " ".join(shown.split())


def test_the_page_says_so_too(trace: Trace) -> None:
    report = audit(iter([trace]), SETTING, labels=["eq:payment"])
    assert report.silent_rules == SILENT
    page = parsed(page_of(report.to_data())).text()
    assert f"The log says nothing of {', '.join(SILENT)}: these rules decide no step of it." in page
    assert page.count("nothing to decide") == len(SILENT)

"""`--report` and `costproof page`: the page on disk is the page of the JSON, and says no more."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bounds.published import published
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.pages.page import page_of
from tests.proofs_checks.cli.known import KNOWN_VERIFY
from tests.proofs_checks.outcomes import Outcome, Run, assert_bad_input
from tests.proofs_checks.pages.parsed import parsed
from tests.proofs_checks.pages.reports import audit_report, check_reports, verify_report

NAME = "gpqa-strong"
SMALL = ("--runs", "1", "--horizon", "200", "--instances", "2", "--jobs", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write in; no solver is asked by `verify`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    monkeypatch.setattr("proofs_checks.verify.run.verify", KNOWN_VERIFY)
    return tmp_path


def page_is_that_of_the_json(folder: Path, told: Outcome) -> Any:
    """Return the JSON that was printed, whose page lies in the folder."""
    assert told.err.endswith("report written to report.html\n")
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(told.data)
    return told.data


@pytest.mark.long("verifies all claims and draws")
def test_verify(folder: Path, passed: Run) -> None:
    told = passed("verify", NAME, *SMALL, "--report", "report.html", "--json")
    assert page_is_that_of_the_json(folder, told)["reproduction"]["settings"] == [NAME]


@pytest.mark.long("verifies and draws in several processes")
def test_a_page_is_written_by_several_processes(folder: Path) -> None:
    """In a process with one thread, as the program is: its copies are handed their tasks pickled."""
    asked = ["verify", NAME, *SMALL[:-1], "2", "--report", "report.html", "--json"]
    program = ["-c", "from proofs_checks.cli.program import program; program()", *asked]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *program], capture_output=True, text=True, timeout=600, env=environment)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(json.loads(done.stdout))


@pytest.mark.long("verifies all claims")
@pytest.mark.parametrize(
    ("error", "code", "told"),
    [(TypeError("no ink"), 0, "drawing failed (TypeError: no ink)"), (KeyboardInterrupt(), 130, "")],
)
def test_verdicts_are_told_and_the_page_is_written_where_drawing_ends(
    error: BaseException, code: int, told: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("proofs_checks.figures.report_page.figures_on_page", fail)
    said = run("verify", NAME, *SMALL, "--report", "report.html", "--json")
    assert said.code == code
    assert told in said.err
    data = said.data
    assert ("figures" in data, "reproduction" in data, data["interrupted"]) == (False, True, False)
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(data)


def test_audit(folder: Path, passed: Run) -> None:
    case = play(published(NAME).setting, "truthful", horizon=200, seed=0, run=0)
    write_trace(case.trace, folder / "log.csv", case.setting)
    told = passed("audit", "log.csv", "--setting", NAME, "--jobs", "1", "--report", "report.html", "--json")
    page_is_that_of_the_json(folder, told)


@pytest.mark.long("a process that loads SymPy")
def test_check(folder: Path, run: Run) -> None:
    mechanism = "proofs_checks.conformance.mutants.pricing:FirstPrice"
    told = run("check", mechanism, "--only", "critical-payment", "--quick", "--report", "report.html", "--json")
    assert told.code == 1
    page_is_that_of_the_json(folder, told)


class TestPage:
    def saved(self, folder: Path) -> list[str]:
        reports = {"a": audit_report(), "c1": check_reports()[0], "c2": check_reports()[1]}
        for name, report in reports.items():
            (folder / f"{name}.json").write_text(json.dumps(report), encoding="utf-8")
        return [f"{name}.json" for name in reports]

    def test_of_each_report(self, folder: Path, passed: Run) -> None:
        for name in self.saved(folder):
            told = passed("page", name, "--out", f"{name}.html")
            assert (told.out, told.err) == ("", f"page written to {name}.html\n")
            expected = page_of(json.loads((folder / name).read_text(encoding="utf-8")))
            assert (folder / f"{name}.html").read_text(encoding="utf-8") == expected

    def test_of_two_mechanisms_to_standard_output(self, folder: Path, passed: Run) -> None:
        self.saved(folder)
        assert passed("page", "c1.json", "c2.json").out == page_of(check_reports())

    @pytest.mark.long("verifies all claims")
    def test_of_a_report_that_was_edited(self, folder: Path, run: Run) -> None:
        report = verify_report()
        row = next(row for row in report["claims"] if (row["label"], row["setting"]) == ("eq:payment", None))
        row["verdict"] = "PROVED"
        (folder / "f.json").write_text(json.dumps(report), encoding="utf-8")
        told = run("page", "f.json", "--out", "f.html", "--json")
        assert told.code == 1
        said = "eq:payment: verdict is PROVED, and no proof beside it says so"
        assert said in told.err
        assert told.data["contradictions"][0] == said
        page = parsed((folder / "f.html").read_text(encoding="utf-8"))
        banner = next(e.text() for e in page.all("div") if "banner" in e.attributes.get("class", "").split())
        assert "This report contradicts itself, or the proofs of this version, in 3 places" in banner
        assert said in banner

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["none.json"], "REPORT.json='none.json' cannot be read"),
            (["bad.json"], "REPORT.json='bad.json' is not JSON"),
            (["c1.json", "--out", "no/page.html"], "--out='no/page.html' cannot be written"),
        ],
    )
    def test_what_it_refuses(self, arguments: list[str], told: str, folder: Path, run: Run) -> None:
        self.saved(folder)
        (folder / "bad.json").write_text("{", encoding="utf-8")
        assert_bad_input(run("page", *arguments), told)

"""`--report` and `costproof page`: the page on disk is the page of the JSON, and says no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mechanism.tabular.traces import write_trace
from proofs_checks.cli.main import main
from proofs_checks.pages.page import page_of
from tests.proofs_checks.cli.known import KNOWN_VERIFY
from tests.proofs_checks.pages.parsed import parsed
from tests.proofs_checks.pages.reports import SETTING, audit_report, check_reports, verify_report

NAME = "gpqa-strong"
SMALL = ("--runs", "1", "--horizon", "200", "--instances", "2", "--jobs", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write in; no solver is asked by `verify`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    monkeypatch.setattr("proofs_checks.verify.run.verify", KNOWN_VERIFY)
    return tmp_path


def test_verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", NAME, *SMALL, "--report", "report.html", "--json"]) == 0
    told = capsys.readouterr()
    assert told.err.endswith("report written to report.html\n")
    data = json.loads(told.out)
    assert data["reproduction"]["settings"] == [NAME]
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(data)


def test_a_page_is_written_by_several_processes(folder: Path) -> None:
    """In a process with one thread, as the program is: its copies are handed their tasks pickled."""
    asked = ["verify", NAME, "gpqa-full", *SMALL[:-1], "2", "--report", "report.html", "--json"]
    program = ["-c", "from proofs_checks.cli.program import program; program()", *asked]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *program], capture_output=True, text=True, timeout=600, env=environment)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    data = json.loads(done.stdout)
    assert {each["setting"] for each in data["figures"]["drawn"]} == {None, NAME, "gpqa-full"}
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(data)


def test_verdicts_are_told_and_the_page_is_written_where_drawing_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("no ink")

    monkeypatch.setattr("proofs_checks.figures.report_page.figures_on_page", fail)
    assert main(["verify", NAME, *SMALL, "--report", "report.html", "--json"]) == 0
    told = capsys.readouterr()
    assert "no figures on the page: drawing failed (TypeError: no ink)" in told.err
    data = json.loads(told.out)
    assert "figures" not in data
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(data)


def test_an_interruption_of_the_drawing_keeps_the_verdicts(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("proofs_checks.figures.report_page.figures_on_page", interrupted)
    assert main(["verify", NAME, *SMALL, "--report", "report.html", "--json"]) == 130
    data = json.loads(capsys.readouterr().out)
    assert ("figures" in data, "reproduction" in data, data["interrupted"]) == (False, True, False)
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(data)


def test_the_tables_are_those_of_the_papers_settings_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["settings", NAME])
    (folder / f"{NAME}.toml").write_text(
        capsys.readouterr().out.replace("confidence = 0.05", "confidence = 0.06"), encoding="utf-8"
    )
    main(["verify", f"{NAME}.toml", *SMALL, "--report", "report.html", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert (data["built_in"], "reproduction" in data) == ([], False)
    assert f"costproof verify {NAME}" not in (folder / "report.html").read_text(encoding="utf-8")
    main(["verify", NAME, *SMALL, "--claim", "thm:regret", "--report", "report.html", "--json"])
    assert "reproduction" not in json.loads(capsys.readouterr().out)


def test_audit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bounds.published import published
    from proofs_checks.claims.cases.variants import play

    case = play(published(NAME).setting, "truthful", horizon=200, seed=0, run=0)
    write_trace(case.trace, folder / "log.csv", case.setting)
    assert main(["audit", "log.csv", "--setting", NAME, "--jobs", "1", "--report", "report.html", "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == "report written to report.html\n"
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(json.loads(told.out))


def test_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = "proofs_checks.conformance.mutants.pricing:FirstPrice"
    asked = ["check", mechanism, "--only", "critical-payment", "--quick", "--report", "report.html", "--json"]
    assert main(asked) == 1
    told = capsys.readouterr()
    assert told.err.endswith("report written to report.html\n")
    assert (folder / "report.html").read_text(encoding="utf-8") == page_of(json.loads(told.out))


class TestPage:
    def saved(self, folder: Path) -> list[str]:
        reports = {"v": verify_report(), "a": audit_report(), "c1": check_reports()[0], "c2": check_reports()[1]}
        for name, report in reports.items():
            (folder / f"{name}.json").write_text(json.dumps(report), encoding="utf-8")
        return [f"{name}.json" for name in reports]

    def test_of_each_report(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name in self.saved(folder):
            assert main(["page", name, "--out", f"{name}.html"]) == 0
            told = capsys.readouterr()
            assert (told.out, told.err) == ("", f"page written to {name}.html\n")
            expected = page_of(json.loads((folder / name).read_text(encoding="utf-8")))
            assert (folder / f"{name}.html").read_text(encoding="utf-8") == expected

    def test_of_two_mechanisms_to_standard_output(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.saved(folder)
        assert main(["page", "c1.json", "c2.json"]) == 0
        assert capsys.readouterr().out == page_of(check_reports())

    def test_json_says_what_was_written(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.saved(folder)
        assert main(["page", "a.json", "--out", "a.html", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        written = (folder / "a.html").read_text(encoding="utf-8")
        expected = {"reports": ["a.json"], "kind": "audit", "out": "a.html", "characters": len(written)}
        assert told == expected | {"contradictions": []}

    def test_of_a_report_that_was_edited(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        report = verify_report()
        row = next(row for row in report["claims"] if (row["label"], row["setting"]) == ("eq:payment", None))
        row["verdict"] = "PROVED"
        (folder / "f.json").write_text(json.dumps(report), encoding="utf-8")
        assert main(["page", "f.json", "--out", "f.html", "--json"]) == 1
        told = capsys.readouterr()
        said = "eq:payment: verdict is PROVED, and no proof beside it says so"
        assert said in told.err
        assert json.loads(told.out)["contradictions"][0] == said
        page = parsed((folder / "f.html").read_text(encoding="utf-8"))
        banner = next(e.text() for e in page.all("div") if "banner" in e.attributes.get("class", "").split())
        assert "This report contradicts itself, or the proofs of this version, in 3 places" in banner
        assert said in banner

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["none.json"], "REPORT.json='none.json' cannot be read"),
            (["bad.json"], "REPORT.json='bad.json' is no JSON"),
            (["other.json"], "is no report"),
            (["c1.json", "a.json"], "do not fit on one page"),
            (["c1.json", "--out", "no/page.html"], "--out='no/page.html' cannot be written"),
        ],
    )
    def test_what_it_refuses(
        self, arguments: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.saved(folder)
        (folder / "bad.json").write_text("{", encoding="utf-8")
        (folder / "other.json").write_text('{"answer": 42}', encoding="utf-8")
        assert main(["page", *arguments]) == 2
        found = capsys.readouterr()
        assert found.out == ""
        assert found.err.count("\n") == 1
        assert told in found.err


def test_a_setting_of_any_name_is_checked_and_shown(folder: Path) -> None:
    """The reports that the other tests read are of a setting whose names are hostile; such a file is read as well."""
    from bounds.loading import load_setting
    from bounds.setting.file import format_setting

    (folder / "hostile.toml").write_text(format_setting(SETTING), encoding="utf-8")
    assert [p.name for p in load_setting("hostile.toml").providers] == [p.name for p in SETTING.providers]
    main(["verify", "hostile.toml", *SMALL, "--claim", "lem:payment-range", "--report", "report.html"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page

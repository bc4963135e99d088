"""`--json-file`, `--junit`, `--sarif` and annotations: what programs of continuous integration read of a run."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from bounds.published import published
from mechanism.config import MechanismConfig
from mechanism.tabular.traces import write_trace
from proofs_checks.cli.ci.cases import Case, FileLine, Finding, cases_of_check
from proofs_checks.cli.ci.formats import github_annotations, junit, sarif
from proofs_checks.conformance.descriptions import DESCRIPTIONS, QUICK
from proofs_checks.conformance.factory_place import factory_place
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.report import CheckResult, ConformanceReport
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.oracle.step_rules import STEP_RULES
from tests.parametrized import long_but
from tests.proofs_checks.audit.audited import edited, right_case
from tests.proofs_checks.conformance import misbehaving
from tests.proofs_checks.conformance.slips import SLIPS
from tests.proofs_checks.outcomes import Outcome, outcome_of

Run = Callable[..., Outcome]
MODULE = Path(misbehaving.__file__)
PLACE = FileLine(path="my router.py", line=7)

# What the standard demands, and no key beside those that we use: SARIF 2.1.0, sections 3.13 to 3.30.
ONLY: dict[str, Any] = {"type": "object", "additionalProperties": False}
TEXT = {**ONLY, "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
ARTIFACT = {**ONLY, "required": ["uri"], "properties": {"uri": {"pattern": r"^[\w./%~-]+$|^file:///"}, "uriBaseId": {}}}
REGION = {**ONLY, "required": ["startLine"], "properties": {"startLine": {"type": "integer", "minimum": 1}}}
PHYSICAL = {**ONLY, "required": ["artifactLocation"], "properties": {"artifactLocation": ARTIFACT, "region": REGION}}
RESULT = {
    **ONLY,
    "required": ["ruleId", "ruleIndex", "level", "message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"items": {**ONLY, "properties": {"physicalLocation": PHYSICAL}}},
    },
}
RULE = {
    **ONLY,
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "properties": {"type": "object"}},
}
DRIVER = {
    **ONLY,
    "required": ["name"],
    "properties": {"name": {}, "version": {}, "rules": {"items": RULE, "uniqueItems": True}},
}
INVOCATION = {**ONLY, "required": ["executionSuccessful"], "properties": {"executionSuccessful": {"type": "boolean"}}}
RUN = {
    **ONLY,
    "required": ["tool", "results"],
    "properties": {
        "tool": {**ONLY, "required": ["driver"], "properties": {"driver": DRIVER}},
        "invocations": {"items": INVOCATION},
        "results": {"type": "array", "items": RESULT},
    },
}
SARIF = {
    **ONLY,
    "required": ["version", "runs"],
    "properties": {"$schema": {}, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": RUN}},
}
#: By element of JUnit: the attributes that it must have, those that it may have, and the elements in it.
JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, set(), {"testcase"}),
    "testcase": ({"classname", "name"}, {"file", "line"}, {"failure", "error", "skipped"}),
    **{name: ({"message"}, set(), set()) for name in ("failure", "error", "skipped")},
}


def read_sarif(text: str) -> dict[str, Any]:
    """Return the only run of a document that is valid, and whose results name their rules."""
    document = json.loads(text)
    jsonschema.validate(document, SARIF)
    [run] = document["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def read_junit(text: str) -> dict[str, str]:
    """Return what became of each test case of a document that is valid, and whose totals are right."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, inside = JUNIT[element.tag]
        assert needed <= set(element.attrib) <= needed | allowed
        assert {child.tag for child in element} <= inside
    [suite] = root
    found = {case.attrib["name"]: case[0].tag if len(case) else "passed" for case in suite}
    told = [*found.values()]
    totals = {"tests": len(suite), "failures": told.count("failure"), "errors": told.count("error")}
    totals["skipped"] = told.count("skipped")
    assert {name: int(suite.attrib[name]) for name in totals} == totals
    assert len(found) == len(suite)
    return found


def read_annotation(line: str) -> tuple[dict[str, str], str]:
    """Return properties and message of a command of GitHub's runner, by its rules of escapes."""

    def decoded(text: str, escapes: str) -> str:
        return re.sub(escapes, lambda found: chr(int(found[0][1:], 16)), text)

    properties, message = re.fullmatch(r"::error ([^:]*)::(.*)", line).groups()
    named = dict(each.split("=", 1) for each in properties.split(","))
    return (
        {name: decoded(value, "%(25|0D|0A|3A|2C)") for name, value in named.items()},
        decoded(message, "%(25|0D|0A)"),
    )


def result(name: str, status: str, message: str = "", **more: Any) -> CheckResult:
    stated = DESCRIPTIONS[name]
    return CheckResult(
        name=name, claim=stated.claim, group=stated.group, says=stated.says, status=status, message=message, **more
    )


def report_of(*checks: CheckResult, **more: Any) -> ConformanceReport:
    return ConformanceReport(
        mechanism="router:make", seed=0, effort=QUICK, checks=checks, generated=len(checks), **more
    )


FAILED = result(
    "critical-payment",
    "failed",
    "step 3: <paid> \x1b[1m & \ud800 100%\r\n50%",
    failure=Failure(message="step 3", config=MechanismConfig(2, 0.0, 0.05, 1.0, 1.0, 0.5), seed=0),
    script="assert 1 < 0\n",
)
PASSED, EMPTY = result("answers", "passed"), result("empty-payment", "skipped", "nothing to compare: never reached")
EXPECTED = result("lone-payment", "expected_failure", "step 4: paid 0.5 (expected: a reserve)")


class TestChecks:
    @pytest.mark.parametrize(
        ("report", "outcomes"),
        [
            (report_of(PASSED, EXPECTED), {"answers": "passed", "lone-payment": "skipped"}),
            (
                report_of(PASSED, EMPTY, FAILED),
                {"critical-payment": "failure", "answers": "passed", "empty-payment": "skipped"},
            ),
            (report_of(PASSED, EMPTY), {"answers": "passed", "empty-payment": "skipped"}),
            # Strictly, the run does not pass, and no check failed: the one that compared nothing is why.
            (replace(report_of(PASSED, EMPTY), strict=True), {"answers": "passed", "empty-payment": "error"}),
            (replace(report_of(PASSED), interrupted=True), {"answers": "passed", "whole-run": "error"}),
        ],
    )
    def test_a_document_is_red_where_the_command_is(self, report: ConformanceReport, outcomes: dict[str, str]) -> None:
        cases = cases_of_check(report, PLACE)
        found = read_junit(junit("costproof.check", cases))
        assert found == outcomes
        assert [*found] == [*outcomes]
        passes = report.conforms and not report.interrupted
        wrong = {name for name, outcome in found.items() if outcome in ("failure", "error")}
        assert passes == (not wrong)
        read = read_sarif(sarif("1.0", cases, whole=not report.interrupted))
        assert {each["ruleId"] for each in read["results"]} == wrong
        assert read["invocations"] == [{"executionSuccessful": not report.interrupted}]
        assert len(github_annotations("costproof.check", cases)) == len(wrong)

    def test_hostile_texts_and_names_of_files(self) -> None:
        place = FileLine(path="my: router, é.py", line=7)
        cases = cases_of_check(report_of(FAILED), place)
        text = junit("costproof.check", cases)
        assert read_junit(text) == {"critical-payment": "failure"}
        failure = ElementTree.fromstring(text).find(".//failure")
        assert failure.attrib["message"].startswith(r"step 3: <paid> \x1b[1m & \ud800 100%")
        assert failure.text.endswith("assert 1 < 0")
        [told] = read_sarif(sarif("1.0", cases, whole=True))["results"]
        assert told["locations"][0]["physicalLocation"] == {
            "artifactLocation": {"uri": "my%3A%20router%2C%20%C3%A9.py", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 7},
        }
        [line] = github_annotations("costproof.check", cases)
        assert "\n" not in line
        properties, message = read_annotation(line)
        assert properties == {"file": place.path, "line": "7", "title": "costproof.check: critical-payment"}
        assert message == FAILED.message.replace("\x1b", r"\x1b").replace("\ud800", r"\ud800")

    def test_the_check_to_start_with_says_the_cause(self) -> None:
        says = "takes the least, or 0 if that is negative, of the rivals' adjusted bids in P"
        report = check_mechanism(SLIPS[says], only=["critical-payment"])
        [case] = cases_of_check(report, PLACE)
        assert case.message.startswith(f"it {says}: step ")
        assert report.seems == "This seems to be an auction with one mistake."

    def test_at_most_ten_annotations_the_first_failure_first(self) -> None:
        finding = (Finding(message="wrong"),)
        cases = [Case(name=f"{i}", group="", says="s", outcome="failed", findings=finding) for i in range(30)]
        lines = github_annotations("costproof.check", cases)
        assert [read_annotation(line)[0]["title"][-1:] for line in lines] == list("0123456789")

    def test_a_file_elsewhere_has_an_absolute_address(self) -> None:
        [told] = read_sarif(
            sarif("1.0", cases_of_check(report_of(FAILED), FileLine(path="/a b.py", line=None)), whole=True)
        )["results"]
        assert told["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "file:///a%20b.py"}}

    def test_the_command_leaves_them_with_exit_code_1(
        self, own_folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (own_folder / "routers").mkdir()
        (own_folder / "routers" / "ci_router.py").write_text(MODULE.read_text())
        monkeypatch.setattr(sys, "path", [*sys.path])
        files = {"--json-file": "all.json", "--junit": "all.xml", "--sarif": "all.sarif"}
        named = [part for pair in files.items() for part in pair]
        asked = ["check", "routers/ci_router.py:NaN", "--quick", "--in-process", "--only", "answers", "--json", *named]
        plain = outcome_of(capfd, *asked)
        assert (plain.code, "::error" in plain.err) == (1, False)
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        outcome = outcome_of(capfd, *asked)
        assert outcome.data == json.loads(Path("all.json").read_text())
        assert read_junit(Path("all.xml").read_text()) == {"answers": "failure"}
        [told] = read_sarif(Path("all.sarif").read_text())["results"]
        place = told["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "routers/ci_router.py"
        line = place["region"]["startLine"]
        assert MODULE.read_text().splitlines()[line - 1].startswith("NaN = ")
        [annotation] = [line for line in outcome.err.splitlines() if line.startswith("::")]
        assert read_annotation(annotation)[0]["file"] == "routers/ci_router.py"


#: Another package whose import would end the test, a class in a class, and names that are assigned and imported.
SOURCES = {
    "pack/__init__.py": "raise SystemExit('imported')\n",
    "pack/inner.py": "\n\nclass Outer:\n    def first(self): ...\n\n    class make:\n        pass\n",
    "alone.py": "from pack.inner import Outer as there\nmake = there\nagain: object = make\ndef make(): ...\n",
    "broken.py": "def make(:\n",
}


@pytest.mark.parametrize(
    ("factory", "place"),
    [
        ("pack.inner:Outer.make", ("pack/inner.py", 6)),
        ("pack.inner:Outer", ("pack/inner.py", 3)),
        ("pack.inner:Outer.unknown", ("pack/inner.py", 3)),
        ("alone.py:there", ("alone.py", 1)),
        ("alone:again", ("alone.py", 3)),
        ("alone:make", ("alone.py", 4)),
        ("alone:unknown", ("alone.py", 1)),
        ("broken.py:make", ("broken.py", 1)),
        ("math:sin", None),
        ("pack.absent:make", None),
        ("alone.inner:make", None),
        ("absent.py:make", None),
    ],
)
def test_a_factory_is_found_without_importing_it(factory: str, place: tuple[str, int] | None, own_folder: Path) -> None:
    (own_folder / "pack").mkdir()
    for name, text in SOURCES.items():
        (own_folder / name).write_text(text)
    found = factory_place(factory)
    assert found == (place and (place[0] if ".py:" in factory else str(own_folder / place[0]), place[1]))


SETTING = published("gpqa-strong").setting
#: What costs least of an audit: one claim.
AUDIT = ["audit", "log.csv", "--setting", SETTING.name, "--claim", "eq:payment"]
FILES = ["--junit", "log.xml", "--sarif", "log.sarif"]
#: The step whose payment is another, and what it is.
STEP, PAID = 40, 12.375


def tampered() -> Any:
    return edited("payment", lambda _: PAID)(right_case(0).trace.head(60), STEP - 1)


class TestAudit:
    def test_a_right_log(self, run: Run, own_folder: Path) -> None:
        write_trace(right_case(0).trace.head(60), own_folder / "log.csv", SETTING)
        assert run(*AUDIT, *FILES, "--json-file", "log.json").code == 0
        found = read_junit(Path("log.xml").read_text())
        assert [*found] == [*STEP_RULES, "steps-count", "bid-range", "cost-range", "eq:payment"]
        assert set(found.values()) == {"passed", "skipped"}
        rules = json.loads(Path("log.json").read_text())["rules"]
        assert {name for name, told in found.items() if told == "skipped"} == {
            name for name, rule in rules.items() if not rule["could_fail"]
        }
        assert read_sarif(Path("log.sarif").read_text())["results"] == []

    @pytest.mark.parametrize("how", long_but(["where"], ["plain", "where", "order", "jsonl"], reason="audits a log"))
    def test_a_violation_is_at_its_line(
        self, run: Run, own_folder: Path, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        write_trace(tampered(), path := own_folder / f"log.{'jsonl' if how == 'jsonl' else 'csv'}", SETTING)
        lines, options = path.read_text().splitlines(), []
        if how == "where":  # a row that is left out, and a blank line, before every row
            head, *rows = lines
            lines = [f"{head},status", *(part for row in rows for part in (f"{row},failed", "", f"{row},ok"))]
            options = ["--where", "status = 'ok'"]
        if how == "order":
            lines, options = [lines[0], *reversed(lines[1:])], ["--order-by", "step"]
        path.write_text("".join(f"{line}\n" for line in lines))
        outcome = run("audit", path.name, *AUDIT[2:], *FILES, *options)
        assert outcome.code == 1
        found = read_junit(Path("log.xml").read_text())
        wrong = {name for name, told in found.items() if told == "failure"}
        results = read_sarif(Path("log.sarif").read_text())["results"]
        assert {each["ruleId"] for each in results} == wrong
        assert wrong & {*STEP_RULES}
        places = [each["locations"][0]["physicalLocation"] for each in results]
        assert {place["artifactLocation"]["uri"] for place in places} == {path.name}
        assert all(f"{PAID}" in lines[place["region"]["startLine"] - 1] for place in places)
        assert all("failed" not in lines[place["region"]["startLine"] - 1] for place in places)
        told = [read_annotation(line)[0] for line in outcome.err.splitlines() if line.startswith("::")]
        assert [int(each["line"]) for each in told] == [place["region"]["startLine"] for place in places]

    def test_what_an_earlier_audit_found_is_not_red_again(self, run: Run, own_folder: Path) -> None:
        write_trace(tampered(), own_folder / "log.csv", SETTING)
        assert [run(*AUDIT, *FILES, "--state", "state").code for _ in range(2)] == [1, 0]
        assert set(read_junit(Path("log.xml").read_text()).values()) == {"passed", "skipped"}
        assert read_sarif(Path("log.sarif").read_text())["results"] == []

    def test_steps_and_amounts_that_keep_a_log_from_passing(self, run: Run, own_folder: Path) -> None:
        trace = edited("bid", lambda _: 1e6)(right_case(0).trace.head(60), 59)
        write_trace(trace, own_folder / "log.csv", SETTING)
        lines = (own_folder / "log.csv").read_text().splitlines()
        (own_folder / "log.csv").write_text("\n".join([*lines[:-1], lines[-1].replace("60,", "61,", 1)]) + "\n")
        assert run(*AUDIT, *FILES).code == 1
        found = read_junit(Path("log.xml").read_text())
        assert {name for name, told in found.items() if told == "failure"} == {"steps-count", "bid-range"}

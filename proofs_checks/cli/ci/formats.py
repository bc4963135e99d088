"""Test cases as JUnit XML, as SARIF, and as annotations of GitHub: pure functions to text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from bounds.characters import escaped
from proofs_checks.cli.ci.cases import Case, FileLine, Finding

#: GitHub shows so many errors of a step.
_MOST_ANNOTATIONS = 10
#: The elements of JUnit for cases that did not pass.
_ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def junit(suite: str, cases: Sequence[Case]) -> str:
    """Return test cases as JUnit XML.

    Parameters
    ----------
    suite : str
        Name of the suite, as ``costproof.check``.
    cases : sequence of Case

    Examples
    --------
    >>> print(junit("costproof.check", [Case(name="answers", group="contract", says="it answers")]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="costproof.check" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="costproof.check.contract" name="answers" />
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    outcomes = Counter(case.outcome for case in cases)
    counts = {"failures": outcomes["failed"], "errors": outcomes["error"], "skipped": outcomes["skipped"]}
    totals = {name: f"{count}" for name, count in {"tests": len(cases), **counts}.items()}
    root = ElementTree.Element("testsuites")
    found = ElementTree.SubElement(root, "testsuite", {"name": suite, **totals})
    for case in cases:
        place = next((finding.place for finding in case.findings if finding.place), None)
        attributes = {"classname": f"{suite}.{case.group}", "name": case.name, **_attributes(place)}
        element = ElementTree.SubElement(found, "testcase", attributes)
        if case.outcome != "passed":
            said = ElementTree.SubElement(element, _ELEMENTS[case.outcome], {"message": escaped(case.message)})
            said.text = escaped("\n".join(_lines(case)), keep="\n") or None
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _attributes(place: FileLine | None) -> dict[str, str]:
    if place is None:
        return {}
    return {"file": escaped(place.path)} | ({} if place.line is None else {"line": f"{place.line}"})


def _lines(case: Case) -> Iterator[str]:
    """Yield the lines of a case that did not pass."""
    yield from (f"{_where(finding)}{finding.message}" for finding in case.findings)
    if case.details:
        yield from ("", case.details.rstrip("\n"))


def _where(finding: Finding) -> str:
    if finding.place is None:
        return ""
    line = "" if finding.place.line is None else f":{finding.place.line}"
    return f"{finding.place.path}{line}: "


def sarif(version: str, cases: Sequence[Case], *, whole: bool) -> str:
    """Return the findings of test cases as SARIF 2.1.0.

    Parameters
    ----------
    version : str
        Version of costproof.
    cases : sequence of Case
    whole : bool
        Whether the run came to its end.
    """
    wrong = [case for case in cases if case.outcome in ("failed", "error")]
    rules = [
        {"id": case.name, "shortDescription": {"text": case.says}, "properties": {"group": case.group}}
        for case in cases
    ]
    places = {case.name: number for number, case in enumerate(cases)}
    results = [_result(case, places[case.name], finding) for case in wrong for finding in case.findings]
    driver = {"name": "costproof", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "invocations": [{"executionSuccessful": whole}], "results": results}
    document = {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2) + "\n"


def _result(case: Case, rule: int, finding: Finding) -> dict[str, Any]:
    result = {"ruleId": case.name, "ruleIndex": rule, "level": "error", "message": {"text": finding.message}}
    if finding.place is None:
        return result
    physical: dict[str, Any] = {"artifactLocation": _artifact(finding.place.path)}
    if finding.place.line is not None:
        physical["region"] = {"startLine": finding.place.line}
    return {**result, "locations": [{"physicalLocation": physical}]}


def _artifact(path: str) -> dict[str, str]:
    """Return the address of a file: relative to the root of the sources, unless it lies elsewhere."""
    return {"uri": f"file://{quote(path)}"} if path.startswith("/") else {"uri": quote(path), "uriBaseId": "%SRCROOT%"}


def github_annotations(suite: str, cases: Sequence[Case]) -> list[str]:
    """Return a line for each of the first cases that failed or could not run, for GitHub to show beside the sources.

    Examples
    --------
    >>> finding = Finding(message="paid 0.7,\\nexpected 0.5", place=FileLine(path="router.py", line=3))
    >>> failed = Case(name="critical-payment", group="rules", says="", outcome="failed", findings=(finding,))
    >>> github_annotations("costproof.check", [failed])
    ['::error file=router.py,line=3,title=costproof.check%3A critical-payment::paid 0.7,%0Aexpected 0.5']
    """
    found = [(case, case.findings[0]) for case in cases if case.outcome in ("failed", "error")]
    return [_annotation(suite, case, finding) for case, finding in found[:_MOST_ANNOTATIONS]]


def _annotation(suite: str, case: Case, finding: Finding) -> str:
    named = {**_attributes(finding.place), "title": f"{suite}: {case.name}"}
    properties = ",".join(f"{name}={_property(value)}" for name, value in named.items())
    return f"::error {properties}::{_data(finding.message)}"


def _data(text: str) -> str:
    return escaped(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

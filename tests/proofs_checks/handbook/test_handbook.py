"""Every claim, check, policy, command and schema has its page, and a page says what its registry says."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from mechanism.policies import ALL_POLICIES
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS
from proofs_checks.handbook.checks import check_pages
from proofs_checks.handbook.claims import claim_pages
from proofs_checks.handbook.commands import command_pages
from proofs_checks.handbook.files import write_pages
from proofs_checks.handbook.names import claim_file
from proofs_checks.handbook.policies import policy_pages
from proofs_checks.handbook.proofs import proof_pages, proofs_index
from proofs_checks.handbook.schemas import schema_pages
from proofs_checks.handbook.tightest import STORED, cases_of, tightest_cases
from proofs_checks.headings import anchor_of
from proofs_checks.proofs.catalogue import all_proofs, proved_whole_in_coq
from proofs_checks.proofs.documentation import current_page
from proofs_checks.proofs.kernel.theorems import kernel_theorems
from proofs_checks.verify.claim_verdicts import foreseen_verdict

ROOT = Path(__file__).parents[3]


@functools.cache
def claims() -> dict[str, str]:
    """The pages of the claims: a second's work that no worker does before a test of them comes."""
    return dict(claim_pages())


def test_every_claim_has_a_page_of_its_own() -> None:
    labels = all_claims()
    assert len({claim_file(label) for label in labels}) == len(labels)
    assert claims().keys() == {"index.md", *map(claim_file, labels)}


@pytest.mark.for_each("label", all_claims())
def test_the_page_of_a_claim_says_what_is_known(label: str) -> None:
    page, stated = claims()[claim_file(label)], all_claims()[label]
    assert f"`{label}`" in page
    assert f"**`{foreseen_verdict(label).value}`**" in page
    assert all(formula in page for formula in stated.latex())
    assert stated.source_line is None or f"line {stated.source_line:,} of" in page
    assert (label in kernel_theorems()) == ("Theorem checked by Coq" in page)
    assert bool(stated.finding) == ("Documented finding" in page)


def test_links_between_claims_lead_somewhere() -> None:
    linked = {name for page in claims().values() for name in re.findall(r"\]\(([\w.-]+\.md)\)", page)}
    assert linked <= claims().keys()


def test_every_check_policy_command_and_schema_has_a_page() -> None:
    assert check_pages().keys() == {"index.md", *(f"{name}.md" for name in {**ALL_CHECKS, **IN_FLIGHT_CHECKS})}
    assert policy_pages().keys() == {"index.md", *(f"{name}.md" for name in ALL_POLICIES)}
    assert command_pages().keys() == {"index.md", *(f"{name}.md" for name in SUMMARIES)}
    assert {name for name in schema_pages() if name.endswith(".md")} == {
        "index.md",
        *(f"{name}.md" for name in SUMMARIES),
    }


class TestProofs:
    def test_every_proof_has_a_page_of_its_own(self) -> None:
        assert proof_pages().keys() == set(map(claim_file, all_proofs()))
        index = proofs_index(current_page())
        for label in all_proofs():
            assert f'| <a id="{anchor_of(label)}"></a>[{label}](generated/proofs/{claim_file(label)}) |' in index

    def test_links_lead_to_pages_and_back(self) -> None:
        for name, page in proof_pages().items():
            linked = set(re.findall(r"\]\(([^)]*)\)", page))
            assert f"../claims/{name}" in linked
            assert "../../proofs.md" in linked
            assert linked - {"../../proofs.md", f"../claims/{name}"} <= proof_pages().keys()
            label = next(label for label in all_proofs() if claim_file(label) == name)
            assert f"](../proofs/{name})" in claims()[claim_file(label)]


def test_a_theorem_that_proves_a_claim_comes_before_the_steps_and_leaves_nothing_to_english() -> None:
    for label in proved_whole_in_coq():
        page = claims()[claim_file(label)]
        assert page.index("### Theorem checked by Coq") < page.index("### Its steps, proved by the solvers")
        assert "**Left to English.**" not in page
    assert "**Left to English.**" in claims()[claim_file("lem:selection-counting")]


@pytest.mark.for_each("label", all_claims())
def test_a_verdict_is_told_of_the_claim_and_not_of_a_run(label: str) -> None:
    known = claims()[claim_file(label)].partition("## What is known")[2].partition("\n##")[0]
    assert not re.search("this run|these parameters|does not hold here|the reason given|what was run", known)


class TestTightestCases:
    def test_they_are_of_the_parts_that_claims_have(self) -> None:
        """A part that was renamed, added or taken out since the run that is stored."""
        now = {label: [part.name for part in stated.parts()] for label, stated in all_claims().items()}
        stored = {label: [case.part for case in cases] for label, cases in tightest_cases().items()}
        assert stored == {label: parts for label, parts in now.items() if parts}

    def test_only_documented_findings_are_refuted(self) -> None:
        refuted = {
            label for label, cases in tightest_cases().items() if any(case.verdict == "REFUTED" for case in cases)
        }
        assert refuted <= {label for label, stated in all_claims().items() if stated.finding}

    def test_the_tightest_of_two_settings_is_taken(self) -> None:
        def evidence(ratio: float | None, verdict: str) -> dict[str, object]:
            part = {"name": "one", "verdict": verdict, "checked": 2, "tightest_ratio": ratio}
            return {"parts": [part], "where": {"relation": "one", "step": 7}}

        report = {
            "claims": [
                {"label": "lem:a", "setting": "here", "evidence": [evidence(0.25, "NOT_REFUTED")]},
                {"label": "lem:a", "setting": "there", "evidence": [evidence(0.5, "NOT_REFUTED")]},
                {"label": "lem:a", "setting": None, "evidence": [evidence(None, "SKIPPED")]},
            ]
        }
        [case] = cases_of(report)["lem:a"]
        assert (case.found_on, case.ratio, case.compared, case.verdict, case.step) == (
            "there",
            0.5,
            6,
            "NOT_REFUTED",
            7,
        )
        assert STORED.exists()


def test_pages_are_written_and_old_ones_taken_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_checks.handbook.files.all_pages", lambda: {"a/one.md": "1", "two.md": "2"})
    (tmp_path / "old.md").write_text("0", encoding="utf-8")
    write_pages(tmp_path)
    written = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.md")}
    assert written == {"a/one.md": "1", "two.md": "2"}

"""Under which hypotheses a claim is stated: for every claim, and in the same words wherever it is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.paper_assumptions import paper_assumptions
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.pages.page import page_of
from proofs_checks.pages.words import set_words
from tests.proofs_checks.pages.parsed import parsed
from tests.proofs_checks.pages.reports import audit_report, verify_report

#: Variants of what assumes nothing assume nothing, too.
WITHOUT = {
    "eq:experimental-generation-cost:discount",
    "lem:radius-monotone:one-provider",
    "claim:own-information-bound",
}


def test_every_variant_has_hypotheses_and_every_claim_of_the_paper_has_the_papers() -> None:
    for label, stated in all_claims().items():
        if label in paper_assumptions():
            assert "; ".join(stated_under(stated)) == paper_assumptions()[label]
        else:
            assert bool(stated_under(stated)) == (label not in WITHOUT), label


@pytest.mark.parametrize("label", ["claim:T_id:tightened", "lem:radius-sum:sharp", "lem:payment-range"])
def test_claims_and_its_json_say_the_same(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", label, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert main(["claims", label]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for row in data["claims"]:
        assert row["stated_under"] == list(stated_under(all_claims()[row["label"]]))
        assert f"Stated under: {'; '.join(row['stated_under'])} " in told


@pytest.mark.parametrize("report", [verify_report, audit_report])
def test_pages_say_of_every_claim_what_their_report_says(report: Callable[[], Any]) -> None:
    data = report()
    told = [each.text() for each in parsed(page_of(data)).all("p") if each.attributes.get("class") == "assumes"]
    for row in data["claims"]:
        hypotheses = data["statements"][row["label"]]["stated_under"]
        assert hypotheses == list(stated_under(all_claims()[row["label"]]))
        for head, names in (("Stated under", hypotheses), ("Tested only where", row["assumptions"])):
            shown = " ".join(parsed(f"{set_words(name)} ").text() for name in names)
            assert not names or f"{head}: {shown}" in told


def test_what_the_papers_source_comments_out_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["claims"]
    assert [row["label"] for row in rows if row["commented_out"]] == ["lem:selection-counting"]
    data = verify_report()
    marked = {label for label, stated in data["statements"].items() if stated["commented_out"]}
    assert marked == {"lem:selection-counting"} & set(data["statements"])


def test_the_page_of_verify_says_what_is_known_of_the_numbered_statements() -> None:
    data = verify_report()
    assert data["known_in_words"].startswith("The paper has 39 numbered statements:")
    page = parsed(page_of(data)).text()
    assert data["known_in_words"] in page
    assert "lem:selection-counting · commented out in the paper's source" in page

"""The list of what rests on what has every use that proofs and the paper name, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proofs_checks.claims.paper_uses import paper_uses
from proofs_checks.claims.registry import all_claims
from proofs_checks.pages.rests import rests_of
from proofs_checks.proofs.catalogue import all_proofs
from tests.proofs_checks.proofs.citing import cited

LIST = Path(__file__).parents[1] / "claims" / "paper_labels.csv"
#: The paper's own list of its labels.
LABELS = [line.split(",")[0] for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]


def test_every_use_is_listed_once_under_its_strongest_source() -> None:
    proofs = all_proofs()
    citing = {label: cited(label) if label in proofs else {} for label in all_claims()}
    statements: dict[str, Any] = {
        label: {
            "cited_proofs": citing[label],
            "proof_uses": proofs[label].uses if label in proofs else (),
            "paper_uses": paper_uses().get(label, ()),
        }
        for label in all_claims()
    }
    checked, named, said = (
        {(used, label) for label, stated in statements.items() for used in stated[source]}
        for source in ("cited_proofs", "proof_uses", "paper_uses")
    )
    found = rests_of(all_claims(), statements)
    assert {(used, label) for label, its in found.items() for used in its.cited} == checked
    assert {(used, label) for label, its in found.items() for used in its.named} == named - checked
    assert {(used, label) for label, its in found.items() for used in its.paper} == said - named - checked
    assert {(label, other) for label, its in found.items() for other in its.carries} == checked | named | said
    assert found.keys() == {label for pair in checked | named | said for label in pair}
    assert all(its.cited[one] == citing[label][one] for label, its in found.items() for one in its.cited)


def test_what_a_report_does_not_have_is_left_out() -> None:
    statements = {"lem:a": {"cited_proofs": {"lem:c": ["a-step"]}, "proof_uses": ["lem:b", "lem:c"]}}
    found = rests_of(["lem:a", "lem:b"], statements)
    assert (found["lem:a"].cited, found["lem:a"].named, found["lem:b"].carries) == ({}, ("lem:b",), ("lem:a",))


def test_the_stored_uses_of_the_paper_are_about_its_labels() -> None:
    assert paper_uses().keys() == set(LABELS)
    assert {used for uses in paper_uses().values() for used in uses} <= set(LABELS)

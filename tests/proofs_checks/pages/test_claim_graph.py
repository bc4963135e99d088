"""The graph of the claims: it draws what the claims say of each other, and the list says the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from proofs_checks.claims.paper_uses import paper_uses
from proofs_checks.claims.registry import all_claims
from proofs_checks.pages.claim_graph import Claim, claim_graph
from proofs_checks.pages.verdicts import VERDICTS
from proofs_checks.proofs.catalogue import all_proofs
from tests.proofs_checks.proofs.citing import cited

LIST = Path(__file__).parents[1] / "claims" / "paper_labels.csv"
#: The paper's own list of its labels.
LABELS = [line.split(",")[0] for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]


def claims_of(
    proof: dict[str, tuple[str, ...]],
    paper: dict[str, tuple[str, ...]],
    citing: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({}),
) -> list[Claim]:
    mark = VERDICTS["PROVED"]
    return [
        Claim(
            label=label,
            name="",
            number=None,
            mark=mark,
            anchor=label,
            cited=citing.get(label, {}),
            proof_uses=proof.get(label, ()),
            paper_uses=paper.get(label, ()),
        )
        for label in dict.fromkeys([*proof, *paper])
    ]


def closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """All pairs that a path joins, by brute force."""
    found = set(edges)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


@pytest.fixture(scope="module")
def theory() -> tuple[Any, set[tuple[str, str]], set[tuple[str, str]], set[tuple[str, str]]]:
    citing = {label: cited(label) if label in all_proofs() else {} for label in all_claims()}
    proof = {label: all_proofs()[label].uses if label in all_proofs() else () for label in all_claims()}
    paper = {label: paper_uses().get(label, ()) for label in all_claims()}
    checked = {(one, label) for label, found in citing.items() for one in found}
    named = {(used, label) for label, uses in proof.items() for used in uses}
    said = {(used, label) for label, uses in paper.items() for used in uses}
    return claim_graph(claims_of(proof, paper, citing)), checked, named, said


def test_lines_reach_what_the_claims_rest_on(theory: Any) -> None:
    graph, checked, named, said = theory
    drawn = {(edge.above, edge.below) for edge in graph.edges}
    assert drawn <= checked | named | said
    assert closure(drawn) == closure(checked | named | said)
    for edge in graph.edges:
        pair = edge.above, edge.below
        assert edge.kind == ("cited" if pair in checked else "named" if pair in named else "paper")
    assert {edge.kind for edge in graph.edges} == {"cited", "named", "paper"}


def test_the_list_has_every_line(theory: Any) -> None:
    graph, checked, named, said = theory
    assert {(c.label, e.claim.label) for e in graph.entries for c in e.cited} == checked
    assert {(c.label, e.claim.label) for e in graph.entries for c in e.named} == named - checked
    assert {(c.label, e.claim.label) for e in graph.entries for c in e.paper} == said - named - checked
    assert {(e.claim.label, c.label) for e in graph.entries for c in e.carries} == checked | named | said


def test_every_claim_is_drawn_or_named(theory: Any) -> None:
    graph, checked, named, said = theory
    linked = {label for edge in checked | named | said for label in edge}
    assert {node.claim.label for node in graph.nodes} == linked
    assert {claim.label for claim in graph.alone} == all_claims().keys() - linked


def test_where_the_paper_would_close_a_circle_the_certificates_are_drawn() -> None:
    graph = claim_graph(claims_of({"lem:a": ("lem:b",), "lem:b": ()}, {"lem:b": ("lem:a",)}))
    assert [(edge.above, edge.below) for edge in graph.edges] == [("lem:b", "lem:a")]
    assert [[c.label for c in e.paper] for e in graph.entries] == [[], ["lem:a"]]


def test_a_name_alone_is_no_solid_line() -> None:
    """What the proof of lem:a only names, and what a report without citations says, is dashed."""
    uses = {"lem:a": ("lem:b", "lem:c"), "lem:b": (), "lem:c": ()}
    graph = claim_graph(claims_of(uses, {}, {"lem:a": {"lem:c": ("a-step",)}}))
    assert {(edge.above, edge.kind) for edge in graph.edges} == {("lem:b", "named"), ("lem:c", "cited")}
    assert {edge.kind for edge in claim_graph(claims_of(uses, {})).edges} == {"named"}


def test_the_stored_uses_of_the_paper_are_about_its_labels() -> None:
    assert paper_uses().keys() == set(LABELS)
    assert {used for uses in paper_uses().values() for used in uses} <= set(LABELS)

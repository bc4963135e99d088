"""The registry against the paper: all 62 labels, in order, none twice, every finding with its repair."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from proofs_checks.claims import registry
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import rate

#: The labelled statements of the paper, their kinds, and the lines of paper.tex they start at.
COPY = Path(__file__).with_name("paper_labels.csv")
PAPER = {row["label"]: row for row in csv.DictReader(COPY.read_text(encoding="utf-8").splitlines())}
LINES = {label: int(row["source_line"]) for label, row in PAPER.items()}
#: Where the copy was taken from, if that is at hand.
ORIGINAL = Path(__file__).parents[4] / "shared" / "paper" / "claims.json"
CLAIMS = list(all_claims().values())


def base(label: str) -> str:
    """The paper's label of a variant: two parts, the rest is ours."""
    return ":".join(label.split(":")[:2])


def of_our_own(stated: Claim) -> bool:
    """Whether a claim is no statement of the paper."""
    return stated.label.startswith("claim:own-")


def test_a_claim_of_our_own_needs_no_line_and_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Claim(label="claim:own-example", name="Example", statement="an example of our own")
    monkeypatch.setattr(rate, "OWN", own, raising=False)
    found = registry.all_claims.__wrapped__()
    of_the_paper = [place for place, stated in enumerate(found.values()) if stated.source_line is not None]
    assert list(found).index(own.label) > max(of_the_paper)


def test_the_copy_of_the_papers_list_is_whole_and_current() -> None:
    assert len(PAPER) == 62
    if ORIGINAL.exists():
        listed = json.loads(ORIGINAL.read_text(encoding="utf-8"))
        assert [{name: str(entry[name]) for name in ("label", "kind", "source_line")} for entry in listed] == [
            *PAPER.values()
        ]


def test_every_label_has_a_claim_and_every_claim_a_label() -> None:
    assert PAPER.keys() - all_claims().keys() == set()
    assert {base(stated.label) for stated in CLAIMS if not of_our_own(stated)} == PAPER.keys()


@pytest.mark.for_each("stated", CLAIMS, ids=lambda c: c.label)
class TestEveryClaim:
    def test_points_to_its_line(self, stated: Claim) -> None:
        assert of_our_own(stated) == (stated.source_line is None)
        if of_our_own(stated):
            return
        assert (stated.source_line == LINES[base(stated.label)]) != (stated.label in _LINES_OF_VARIANTS)

    def test_is_of_the_papers_kind(self, stated: Claim) -> None:
        """A statement without a label of its own is a claim to us."""
        kind = "claim" if of_our_own(stated) else PAPER[base(stated.label)]["kind"].split()[0]
        assert stated.kind == {"unlabelled": "claim", "numeric": "claim"}.get(kind, kind)

    def test_states_itself(self, stated: Claim) -> None:
        assert all(text.strip() for text in (stated.name, stated.statement, stated.kind))
        assert stated.checks or stated.on_setting or stated.everywhere, "nothing would ever be compared"

    def test_has_latex_for_every_relation(self, stated: Claim) -> None:
        relations = [check for check in stated.checks if isinstance(check, Relation)]
        assert len(stated.latex()) == len(relations)
        for text in stated.latex():
            assert text.count("{") == text.count("}")
            assert r"\leq" in text or "<" in text

    def test_names_its_parts_apart(self, stated: Claim) -> None:
        names = [part.name for part in stated.parts()]
        assert len(set(names)) == len(names) == len(stated.checks)
        assert all(names)
        assert any(part.headline for part in stated.parts()) == bool(stated.checks)

    def test_has_a_repair_for_its_finding(self, stated: Claim) -> None:
        assert bool(stated.finding) == bool(stated.repaired_by)
        if stated.finding:
            repair = claim(stated.repaired_by)
            assert not repair.finding
            assert repair.checks or repair.on_setting or repair.everywhere


#: The wording that a variant is about stands elsewhere than its label.
_LINES_OF_VARIANTS = {
    "lem:payment-range:under-deviations",
    "lem:payment-range:repaired",
    "eq:experimental-generation-cost:discount",
}


def test_order_is_the_papers_with_variants_after_the_original() -> None:
    labels = list(all_claims())
    lines = [c.source_line for c in CLAIMS if c.source_line is not None]
    assert lines == sorted(lines)
    for label in labels[: len(lines)]:
        if label != base(label) and label not in _LINES_OF_VARIANTS:
            assert labels.index(base(label)) < labels.index(label)


def test_two_claims_of_one_label_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = Claim(label="lem:payment-range", name="Twin", statement="another claim of the same label", source_line=1)
    monkeypatch.setattr(rate, "TWIN", twin, raising=False)
    with pytest.raises(ValueError, match="lem:payment-range"):
        registry.all_claims.__wrapped__()
    monkeypatch.setattr(rate, "TWIN", claim("lem:payment-range"))
    assert registry.all_claims.__wrapped__().keys() == all_claims().keys(), "an imported claim is no twin"

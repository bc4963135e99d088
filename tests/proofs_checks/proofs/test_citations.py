"""What a proof cites is told apart from what it names, and what ends in English is named."""

from __future__ import annotations

import pytest

from proofs_checks.proofs.catalogue import (
    all_proofs,
    assumed_by,
    left_to_english,
    proofs_for,
    proved_whole_in_coq,
    verdict_if_it_stands,
)
from proofs_checks.proofs.evidence import certificate_evidence
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation, Proof
from proofs_checks.proofs.language.terms import constants
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import solvers
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.citing import below, cited, used_by_no_other

BY_STEPS = [label for label, one in all_proofs().items() if verdict_if_it_stands(one) is Verdict.PROVED_STEPS]
X, Y = constants("x y")


@pytest.fixture(scope="module")
def proved() -> dict[str, dict[str, tuple[str, ...]]]:
    """What each claim cites, as every proof put to both solvers says."""
    return {one.proof.label: dict(one.cited_proofs) for one in prove(mutants=False).claims}


def test_what_is_cited_is_what_the_hypotheses_cite(proved) -> None:
    assert {label: {one: tuple(sorted(names)) for one, names in found.items()} for label, found in proved.items()} == {
        label: cited(label) for label in all_proofs()
    }


def test_what_is_cited_is_named_near_or_far(proved) -> None:
    assert all(set(found) <= below(label) for label, found in proved.items())


def test_sample_complexity_cites_what_it_does_not_name_and_names_what_it_does_not_cite(proved) -> None:
    assert proved["thm:sample-complexity"] == {"lem:selection-counting": ("capped-selections-step",)}
    assert "lem:selection-counting" not in all_proofs()["thm:sample-complexity"].uses
    assert "lem:good-event" in all_proofs()["thm:sample-complexity"].uses


def test_a_claim_that_is_only_named_is_not_cited(theory, stored) -> None:
    named = Proof("thm:named", theory["lem:cost"].obligations, "by name", uses=("lem:sum",), beyond="all")
    both = {"lem:sum": theory["lem:sum"], "thm:product": theory["thm:product"], "thm:named": named}
    found = {one.proof.label: one.cited_proofs for one in prove(proofs=both).claims}
    assert found == {"lem:sum": {}, "thm:product": {"lem:sum": ("sum-positive",)}, "thm:named": {}}


def test_a_citation_that_does_not_follow_is_none(theory) -> None:
    """The hypothesis says more than what it cites: nothing is checked of it."""
    stronger = Obligation("too-much", "more", {"sum": Hypothesis(X + Y > 1, "obligation", "sum-positive")}, X + Y > 0)
    proofs = {"lem:sum": theory["lem:sum"], "thm:more": Proof("thm:more", (stronger,), "", uses=("lem:sum",))}
    *_, found = prove(["thm:more"], proofs=proofs, mutants=False).claims
    assert (found.verdict, found.cited_proofs) == (Verdict.SKIPPED, {})


def test_without_solvers_only_instances_count(monkeypatch) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    found = certificate_evidence(list(all_proofs()))
    by_coq = proved_whole_in_coq()
    assert {label for label, piece in found.items() if piece.verdict is Verdict.PROVED} == by_coq
    assert {piece.verdict for label, piece in found.items() if label not in by_coq} == {Verdict.SKIPPED}
    for label, piece in found.items():
        assert {name for names in piece.cited.values() for name in names} <= {
            name for names in cited(label).values() for name in names
        }
    assert found["lem:two-sided-payment"].cited


@pytest.mark.for_each("label", BY_STEPS)
def test_what_no_other_obligation_uses_is_named_or_is_the_one_conclusion(label: str) -> None:
    ends = used_by_no_other(label)
    said = left_to_english(all_proofs()[label], proofs_for([label], all_proofs()))
    assert len(ends) == 1 or all(name in said for name in ends)


def test_an_end_that_is_not_named_is_caught() -> None:
    """The test above has something to say: its own list differs from what the hand-written words name."""
    silent = {label for label in BY_STEPS if len(used_by_no_other(label)) > 1}
    assert any(name not in all_proofs()[label].beyond for label in silent for name in used_by_no_other(label))
    assert used_by_no_other("thm:sample-complexity") == [
        "others-are-unqualified-or-competitors",
        "competitor-cap-by-target",
        "sample-complexity",
    ]


@pytest.mark.parametrize("label", ["thm:sample-complexity", "claim:B_id-tightened"])
def test_the_two_sums_are_named(label: str) -> None:
    beyond = all_proofs()[label].beyond
    for words in ("caps_of_unqualified, the sum over the unqualified of M_i", "caps_of_competitors, the sum over"):
        assert words in beyond


def test_a_cap_below_the_sum_is_an_assumption_and_named() -> None:
    proof = all_proofs()["claim:T_id:repaired"]
    assert proof.obligations[0].hypotheses["cap-in-bound"].source == "assumption"
    assert "cap of each rival is at most B_id(T)" in proof.beyond


def test_axioms_are_assumed_by_name_and_not_left_to_english() -> None:
    proofs = all_proofs()
    for label, proof in proofs.items():
        own = {h.of for o in proof.obligations for h in o.hypotheses.values() if h.source == "axiom"}
        assert own <= assumed_by(proof, proofs).keys(), label
        assert "axiom" not in proof.beyond, label
    # What is cited or joined in English counts as well; what is only named by a claim that is PROVED does not.
    assert "hoeffding" in assumed_by(proofs["thm:sample-complexity"], proofs)
    assert assumed_by(proofs["lem:unqualified-exclusion"], proofs).keys() == {"log-tangent", "log-product"}
    assert assumed_by(proofs["lem:qualified-eligibility"], proofs) == {}


def test_proofs_that_leave_the_paper_say_so() -> None:
    told = {label for label, proof in all_proofs().items() if proof.unlike_paper}
    assert told == {
        "lem:two-sided-payment",
        "lem:radius-monotone",
        "lem:radius-sum",
        "thm:payment-convergence",
        "thm:regret",
        "thm:deviation-payment-convergence",
        "cor:optimal-alpha",
    }

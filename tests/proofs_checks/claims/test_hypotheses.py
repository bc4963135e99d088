"""Under which hypotheses a claim is stated: for every claim, and with which symbols."""

from __future__ import annotations

import json

import pytest

from bounds.language.quantities import QUANTITIES
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.paper_assumptions import paper_assumptions
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.stated import notation, statement
from proofs_checks.cli.main import main

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


@pytest.mark.parametrize("label", ["claim:T_id:tightened"])
def test_claims_and_its_json_say_the_same(label: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", label, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert main(["claims", label]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for row in data["claims"]:
        assert row["stated_under"] == list(stated_under(all_claims()[row["label"]]))
        assert f"Stated under: {'; '.join(row['stated_under'])} " in told


def test_what_the_papers_source_comments_out_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["claims"]
    assert [row["label"] for row in rows if row["commented_out"]] == ["lem:selection-counting"]


#: What an assumption about bids may fix at 0.
FIXED = ("belief_slack", "underbid", "overbid")


@pytest.mark.for_each("label", sorted(all_claims()))
def test_what_an_assumption_fixes_is_in_no_formula_and_not_in_the_notation(label: str) -> None:
    stated = statement(claim(label))
    known = notation([claim(label)])
    formulas = [stated.definitions.get(name, known[name].formula) for name in stated.notation]
    shown = " ".join(filter(None, [*formulas, *(part.latex for part in stated.parts)]))
    for name in FIXED:
        assert (QUANTITIES[name].latex in shown) == (name in stated.notation), name


def test_theorem_3_is_about_truthful_bids() -> None:
    stated = statement(claim("thm:sample-complexity"))
    assert not set(FIXED) & set(stated.notation)
    assert {"ordinary_bound", "elimination_bound", "horizon", "confidence"} <= set(stated.notation)
    assert stated.definitions.keys() == {"ordinary_bound"}


def test_under_deviations_they_stay() -> None:
    labels = [label for label, stated in all_claims().items() if stated.regime.name == "bounded deviations"]
    named = {name for label in labels for name in statement(claim(label)).notation}
    assert {"underbid", "overbid"} <= named
    assert "belief_slack" not in named

"""The registry against the paper: all 62 labels, in order, none twice, every finding with its repair."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.claims import registry
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.claims.statements import rate

#: The labelled statements of the paper with the lines of paper.tex they start at.
PAPER = {
    "eq:quality-estimate": 154,
    "eq:qualified-set": 158,
    "claim:Q-subset-Qhat-probability": 163,
    "eq:allocation": 167,
    "eq:critical-payment": 183,
    "eq:payment": 188,
    "alg:platform": 201,
    "prop:selection-threshold": 252,
    "eq:provider-history": 265,
    "eq:utilities": 279,
    "eq:truthful-strategy": 288,
    "thm:robust-dominant": 292,
    "claim:robust-equilibrium": 308,
    "eq:optimal-provider": 323,
    "thm:sample-complexity": 330,
    "claim:B_id-tightened": 1752,
    "claim:T_id": 453,
    "thm:regret": 352,
    "claim:rate-after-thm-regret": 364,
    "lem:good-event": 526,
    "lem:radius-inversion": 567,
    "lem:qualified-eligibility": 615,
    "lem:forced-exploration-bound": 657,
    "lem:adjusted-bid-bounds": 721,
    "lem:ordinary-selection-gap": 743,
    "lem:ordinary-selection-threshold": 766,
    "lem:unqualified-elimination": 796,
    "lem:qualified-suboptimal-selection": 837,
    "cor:vanishing-nonoptimal-selections": 910,
    "cor:eventual-ordinary-optimality": 934,
    "lem:radius-sum": 955,
    "thm:quality-guarantee": 1002,
    "thm:generation-regret": 1050,
    "lem:ordinary-payment": 1081,
    "claim:payment-lower-appD": 1752,
    "thm:excess-payment-general": 1111,
    "cor:excess-payment-polynomial": 1145,
    "lem:radius-monotone": 1180,
    "lem:unqualified-exclusion": 1199,
    "lem:ordinary-qualified-set": 1217,
    "lem:payment-range": 1234,
    "lem:two-sided-payment": 1248,
    "thm:payment-convergence": 1297,
    "cor:optimal-alpha": 1357,
    "lem:one-step": 1379,
    "asmp:beliefs": 1438,
    "lem:bayesian-cost-concentration": 1448,
    "eq:bayesian-mechanism": 1471,
    "claim:widening-necessary": 1475,
    "prop:bayesian-substitution": 1477,
    "asmp:bounded-deviations": 1509,
    "lem:deviation-adjusted-bid-bounds": 1522,
    "prop:deviation-selection": 1538,
    "claim:condition-cannot-be-dropped": 1562,
    "thm:deviation-generation-regret": 1565,
    "lem:deviation-payment": 1582,
    "thm:deviation-payment-convergence": 1607,
    "claim:summary-appC": 1627,
    "eq:experimental-generation-cost": 1686,
    "eq:experimental-cmax": 1719,
    "claim:table-numbers": 1640,
    "lem:selection-counting": 638,
}
SHARED = Path(__file__).parents[4] / "shared" / "paper"
CLAIMS = list(all_claims().values())


def base(label: str) -> str:
    """The paper's label of a variant: two parts, the rest is ours."""
    return ":".join(label.split(":")[:2])


def test_the_list_above_is_the_papers() -> None:
    assert len(PAPER) == 62
    listed = SHARED / "claims.json"
    if listed.exists():
        assert {entry["label"]: entry["source_line"] for entry in json.loads(listed.read_text())} == PAPER


def test_every_label_has_a_claim_and_every_claim_a_label() -> None:
    assert PAPER.keys() - all_claims().keys() == set()
    assert {base(label) for label in all_claims()} == PAPER.keys()


@pytest.mark.parametrize("stated", CLAIMS, ids=lambda c: c.label)
class TestEveryClaim:
    def test_points_to_its_line(self, stated: Claim) -> None:
        assert stated.source_line == PAPER[base(stated.label)] or stated.label in _LINES_OF_VARIANTS

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
        names = stated.part_names()
        assert len(set(names)) == len(names) == len(stated.checks)
        assert all(names)

    def test_names_its_preconditions(self, stated: Claim) -> None:
        names = [precondition.name for precondition in stated.preconditions]
        assert len(set(names)) == len(names)

    def test_has_a_repair_for_its_finding(self, stated: Claim) -> None:
        assert bool(stated.finding) == bool(stated.repaired_by)
        if stated.finding:
            repair = claim(stated.repaired_by)
            assert not repair.finding
            assert repair.checks or repair.on_setting or repair.everywhere


#: The wording that a variant is about stands elsewhere than its label.
_LINES_OF_VARIANTS = {"lem:payment-range:under-deviations", "lem:payment-range:repaired"}


def test_order_is_the_papers_with_variants_after_the_original() -> None:
    labels = list(all_claims())
    assert [c.source_line for c in CLAIMS] == sorted(c.source_line for c in CLAIMS)
    for label in labels:
        if label != base(label) and label not in _LINES_OF_VARIANTS:
            assert labels.index(base(label)) < labels.index(label)


def test_an_unknown_label_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"lem:payment-rage.*lem:payment-range") as error:
        claim("lem:payment-rage")
    assert error.value.argument == "claim"


def test_a_label_like_no_other_still_gets_examples() -> None:
    with pytest.raises(InputError, match="did you mean eq:quality-estimate"):
        claim("")


def test_two_claims_of_one_label_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = Claim(label="lem:payment-range", name="Twin", statement="another claim of the same label", source_line=1)
    monkeypatch.setattr(rate, "TWIN", twin, raising=False)
    with pytest.raises(ValueError, match="lem:payment-range"):
        registry.all_claims.__wrapped__()


def test_a_claim_imported_by_another_module_is_no_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "SAME", claim("lem:payment-range"), raising=False)
    assert registry.all_claims.__wrapped__().keys() == all_claims().keys()


def test_the_registry_is_read_only() -> None:
    with pytest.raises(TypeError):
        all_claims()["lem:new"] = CLAIMS[0]  # type: ignore[index]

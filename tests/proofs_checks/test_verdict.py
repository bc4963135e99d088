"""Verdicts: which of several pieces of evidence speaks, and that evidence is plain data."""

from __future__ import annotations

import itertools
import json

import pytest

from proofs_checks.claims.model.evidence import exact_evidence, not_applicable
from proofs_checks.verdict import MEANING, Evidence, PartEvidence, Verdict, joint, overall


def test_the_eight_verdicts_of_the_contract() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "PROVED",
        "PROVED_STEPS",
        "EXACT",
        "NOT_REFUTED",
        "REFUTED",
        "VACUOUS",
        "ASSUMPTION_VIOLATED",
        "SKIPPED",
    ]
    assert MEANING.keys() == set(Verdict)


class TestOverall:
    def test_nothing_is_skipped(self) -> None:
        assert overall([]) is Verdict.SKIPPED

    @pytest.mark.for_each("verdict", Verdict)
    def test_one_speaks_for_itself(self, verdict: Verdict) -> None:
        assert overall([verdict]) is verdict
        assert overall([verdict, verdict]) is verdict

    @pytest.mark.for_each("verdict", Verdict)
    def test_a_refutation_outweighs_everything(self, verdict: Verdict) -> None:
        assert overall([verdict, Verdict.REFUTED]) is Verdict.REFUTED

    @pytest.mark.for_each("verdict", [Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED])
    @pytest.mark.parametrize("found", [Verdict.PROVED, Verdict.PROVED_STEPS, Verdict.EXACT, Verdict.NOT_REFUTED])
    def test_a_comparison_outweighs_none(self, found: Verdict, verdict: Verdict) -> None:
        assert overall([verdict, found]) is found

    def test_a_sampled_part_is_not_lifted_by_an_exact_one(self) -> None:
        assert overall([Verdict.EXACT, Verdict.NOT_REFUTED, Verdict.VACUOUS]) is Verdict.NOT_REFUTED

    def test_what_is_proved_stays_so_and_the_whole_proof_speaks_first(self) -> None:
        assert overall([Verdict.PROVED_STEPS, Verdict.NOT_REFUTED, Verdict.EXACT]) is Verdict.PROVED_STEPS
        assert overall([Verdict.PROVED_STEPS, Verdict.PROVED]) is Verdict.PROVED

    def test_why_nothing_was_compared(self) -> None:
        assert overall([Verdict.SKIPPED, Verdict.ASSUMPTION_VIOLATED]) is Verdict.ASSUMPTION_VIOLATED
        assert overall([Verdict.ASSUMPTION_VIOLATED, Verdict.VACUOUS]) is Verdict.VACUOUS

    def test_order_does_not_matter(self) -> None:
        for chosen in itertools.combinations(Verdict, 3):
            assert len({overall(list(order)) for order in itertools.permutations(chosen)}) == 1


class TestJoint:
    """Parts of one statement: what is known of one part does not lift another."""

    def test_nothing_is_skipped(self) -> None:
        assert joint([]) is Verdict.SKIPPED

    @pytest.mark.for_each("verdict", Verdict)
    def test_one_speaks_for_itself(self, verdict: Verdict) -> None:
        assert joint([verdict, verdict]) is joint([verdict]) is verdict

    @pytest.mark.for_each("verdict", Verdict)
    def test_a_refuted_part_refutes_the_whole(self, verdict: Verdict) -> None:
        assert joint([verdict, Verdict.REFUTED]) is Verdict.REFUTED

    @pytest.mark.for_each("known", [Verdict.PROVED, Verdict.EXACT])
    @pytest.mark.parametrize("other", sorted(set(Verdict) - {Verdict.PROVED, Verdict.EXACT}))
    def test_a_known_part_does_not_lift_the_other(self, known: Verdict, other: Verdict) -> None:
        assert joint([known, other]) is joint([other, known]) is other

    def test_proved_and_exact_is_exact(self) -> None:
        assert joint([Verdict.PROVED, Verdict.EXACT]) is Verdict.EXACT

    def test_what_is_argued_about_one_part_is_not_lifted_and_lifts_none(self) -> None:
        assert joint([Verdict.PROVED, Verdict.PROVED_STEPS]) is Verdict.PROVED_STEPS
        assert joint([Verdict.EXACT, Verdict.PROVED_STEPS]) is Verdict.PROVED_STEPS
        for weaker in (Verdict.NOT_REFUTED, Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED):
            assert joint([Verdict.PROVED_STEPS, weaker]) is weaker

    def test_a_compared_part_outweighs_one_that_was_not(self) -> None:
        for verdict in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED):
            assert joint([verdict, Verdict.NOT_REFUTED]) is Verdict.NOT_REFUTED


class TestEvidence:
    def test_is_json(self) -> None:
        evidence = Evidence(
            kind="simulation",
            tried="two runs",
            verdict=Verdict.REFUTED,
            checked=10,
            violations=1,
            tightest_ratio=1.25,
            tightest_margin=-0.5,
            where={"step": 3},
            reason=None,
            witness={"kind": "trace"},
            parts=(PartEvidence(name="a part", headline=False, verdict=Verdict.VACUOUS, reason="never"),),
            parameters={"seed": 0},
        )
        data = json.loads(json.dumps(evidence.to_data(), allow_nan=False))
        [part] = data.pop("parts")
        assert (part["name"], part["verdict"]) == ("a part", "VACUOUS")
        assert part["could_fail_unknown"] == "nothing was compared"
        assert data["could_fail_unknown"] == "a violation was found: it could fail"
        assert (data["verdict"], data["unexercised"], data["parameters"]) == ("REFUTED", ["a part"], {"seed": 0})
        assert (data["tightest_ratio"], data["tightest_margin"]) == (1.25, -0.5)
        assert (data["where"], data["witness"]) == ({"step": 3}, {"kind": "trace"})

    def test_does_not_share_its_parameters(self) -> None:
        evidence = Evidence(kind="exact", tried="nothing", verdict=Verdict.EXACT, parameters={"a": 1})
        evidence.to_data()["parameters"]["a"] = 2
        assert evidence.parameters["a"] == 1

    def test_exact_evidence_says_which_way(self) -> None:
        right, wrong = exact_evidence("sum", True, checked=3), exact_evidence("sum", False, witness={"kind": "table"})
        assert (right.verdict, right.checked, right.violations, right.kind) == (Verdict.EXACT, 3, 0, "exact")
        assert (wrong.verdict, wrong.violations, wrong.witness) == (Verdict.REFUTED, 1, {"kind": "table"})

    def test_not_applicable_gives_the_reason(self) -> None:
        evidence = not_applicable("sum", "no numbers")
        assert (evidence.verdict, evidence.reason, evidence.checked) == (Verdict.ASSUMPTION_VIOLATED, "no numbers", 0)
        assert not_applicable("sum", "later", Verdict.SKIPPED).verdict is Verdict.SKIPPED

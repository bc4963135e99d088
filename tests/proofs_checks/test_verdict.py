"""Verdicts: which of several pieces of evidence speaks, and that evidence is plain data."""

import itertools
import json

from proofs_checks.claims.model.evidence import Evidence, Part, exact_evidence, not_applicable
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.verdict import MEANING, Verdict, joint

#: Which of several verdicts speaks, the first of these that is among them: what is known of a part lifts no other.
JOINT = ["REFUTED", "NOT_REFUTED", "VACUOUS", "ASSUMPTION_VIOLATED", "SKIPPED", "PROVED_STEPS", "EXACT", "PROVED"]


def test_the_eight_verdicts_of_the_contract() -> None:
    assert {verdict.value for verdict in Verdict} == set(JOINT)
    assert MEANING.keys() == set(Verdict)


def test_the_first_in_the_order_speaks_for_all() -> None:
    assert joint([]) is Verdict.SKIPPED
    for size in (1, 2, 3):
        for given in itertools.product(Verdict, repeat=size):
            assert joint(given) is Verdict(min(given, key=lambda verdict: JOINT.index(verdict.value)))


class TestEvidence:
    def test_is_json(self) -> None:
        evidence = Evidence(
            kind="simulation",
            tried="two runs",
            verdict=Verdict.REFUTED,
            tightness=Tightness(10, 1, -0.5, 1.25, {"step": 3}),
            witness={"kind": "trace"},
            parts=(Part(name="a part", headline=False, verdict=Verdict.VACUOUS, reason="never"),),
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

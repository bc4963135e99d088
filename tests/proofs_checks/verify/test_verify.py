"""`verify` at small efforts: what it reports, that it repeats itself, can say no, and notices an edited report."""

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from proofs_checks.claims import registry
from proofs_checks.claims.cases.late_boundary import LATE_BOUNDARY
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.claims.implications import ContradictionError
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import every_step
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import PAYMENT
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.witness import replays
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.proofs.prove import labels_with_proofs
from proofs_checks.verdict import PROOFS, Verdict, joint
from proofs_checks.verify import episodes, run as engine
from proofs_checks.verify.consistency import contradictions
from proofs_checks.verify.run import ClaimResult, Effort, VerifyReport, _forbid_refuted_proofs, _verdict, verify
from tests.bounds.by_hand import setting_of
from tests.refusals import refusal

EFFORT = Effort(runs=2, horizon=300, variant_horizon=150, instances=15)
STRONG, FULL = published("gpqa-strong").setting, published("gsm8k-full").setting


def market(*providers: tuple[float, float], name: str = "market", **platform: float) -> Setting:
    return replace(
        setting_of(providers, **{"exploration_scale": 1.0, "exploration_exponent": 0.5, **platform}), name=name
    )


@pytest.fixture(scope="module")
def report() -> VerifyReport:
    return verify([STRONG, FULL], seed=3, effort=EFFORT)


#: Cited for what holds after T_0, which no run of a published setting reaches.
CITED_FOR_LATE_STEPS = {
    "thm:regret:sharp",
    "thm:deviation-payment-convergence",
    "lem:deviation-payment",
    "lem:ordinary-qualified-set",
    "prop:bayesian-substitution",
    "claim:summary-appC",
}


@pytest.mark.long("plays five settings")
def test_on_the_published_settings_no_claim_is_known_by_what_it_is_not_cited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(episodes, "certificate_evidence", lambda labels: {})
    effort = Effort(runs=1, horizon=2_000, variant_horizon=2_000, instances=1)
    report = verify([published(name).setting for name in PUBLISHED_NAMES], effort=effort)
    on_settings = [result for result in report.results if result.setting is not None]
    assert len({result.setting for result in on_settings}) == 5
    for result in on_settings:
        for piece in result.evidence:
            if piece.parts and not all(part.checked for part in piece.parts if part.headline):
                assert result.verdict in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED), result.label
                assert piece.reason
    vacuous = Counter(r.label for r in on_settings if r.verdict is Verdict.VACUOUS and r.evidence[0].checked)
    assert vacuous == dict.fromkeys(CITED_FOR_LATE_STEPS, 5)


class TestReport:
    def test_every_claim_on_every_setting_and_on_none(self, report: VerifyReport) -> None:
        found = Counter((result.label, result.setting) for result in report.results)
        assert set(found.values()) == {1}
        for label, claim in all_claims().items():
            for setting in ("gpqa-strong", "gsm8k-full"):
                assert ((label, setting) in found) == bool(claim.checks or claim.on_setting), label
            anywhere = claim.checks or claim.everywhere or label in labels_with_proofs()
            assert ((label, None) in found) == bool(anywhere), label

    def test_order_is_the_papers(self, report: VerifyReport) -> None:
        order = list(all_claims())
        positions = [order.index(result.label) for result in report.results]
        assert positions == sorted(positions)

    def test_counts_add_up(self, report: VerifyReport) -> None:
        data = report.to_data()
        assert contradictions(data) == ()
        assert len(data["claims"]) == report.ran["results"]
        per_setting, late = EFFORT.runs + len(VARIANTS) - 1, len(LATE_BOUNDARY) + EFFORT.instances // 10
        assert report.ran["episodes"] == 2 * per_setting + EFFORT.instances + late
        assert report.ran["claims"] == len(all_claims())
        assert report.ran["steps"] > 2 * (EFFORT.runs * 300 + (len(VARIANTS) - 1) * 150)
        evidence = [piece for result in report.results for piece in result.evidence]
        compared = sum(piece.checked for piece in evidence if piece.kind != "certificate")
        assert report.ran["comparisons"] == compared > 10_000

    def test_the_verdict_is_that_of_the_evidence(self, report: VerifyReport) -> None:
        for result in report.results:
            verdicts = {piece.verdict for piece in result.evidence}
            tried = [piece.verdict for piece in result.evidence if piece.kind != "certificate"]
            # What is proved, whole or step by step, is proved, whatever was tried beside it.
            proof = next((verdict for verdict in PROOFS if verdict in verdicts), None)
            assert result.verdict is (proof or joint(tried))
            assert (Verdict.REFUTED in verdicts) == (result.verdict is Verdict.REFUTED)

    def test_every_proof_is_shown_beside_what_was_tested(self, report: VerifyReport) -> None:
        shown = {r.label for r in report.results for piece in r.evidence if piece.kind == "certificate"}
        assert shown == set(labels_with_proofs())
        proved = {r.label for r in report.results if r.verdict in PROOFS}
        # Its condition never holds: VACUOUS.
        assert proved == shown - {"cor:eventual-ordinary-optimality"}

    @pytest.mark.parametrize("proof", PROOFS)
    def test_a_certificate_speaks_unless_a_test_refutes(self, proof: Verdict) -> None:
        shown = Evidence(kind="certificate", tried="a proof", verdict=proof)
        for verdict in set(Verdict) - {Verdict.PROVED, Verdict.PROVED_STEPS, Verdict.REFUTED}:
            tested = Evidence(kind="property", tried="a test", verdict=verdict)
            assert _verdict([tested, shown]) is proof
        assert _verdict([Evidence(kind="property", tried="a test", verdict=Verdict.REFUTED), shown]) is Verdict.REFUTED

    @pytest.mark.parametrize("proof", PROOFS)
    def test_a_claim_that_is_proved_and_refuted_fails_loudly(self, proof: Verdict) -> None:
        wrong = Evidence(kind="certificate", tried="a proof of what is false", verdict=proof)
        refuted = Evidence(kind="property", tried="a test", verdict=Verdict.REFUTED)
        results = [
            ClaimResult(label="lem:a", setting=None, verdict=proof, evidence=(wrong,)),
            ClaimResult(label="lem:a", setting="m", verdict=refuted.verdict, evidence=(refuted,)),
        ]
        with pytest.raises(ContradictionError, match=f"lem:a is {proof} by a certificate and REFUTED on m"):
            _forbid_refuted_proofs(results)
        _forbid_refuted_proofs(results[:1])

    def test_nothing_but_findings_is_refuted(self, report: VerifyReport) -> None:
        assert report.refuted == ()
        refuted = {result.label for result in report.results if result.verdict is Verdict.REFUTED}
        assert refuted
        assert all(all_claims()[label].finding for label in refuted)

    def test_a_refutation_comes_with_a_witness_that_replays(self, report: VerifyReport) -> None:
        pieces = [piece for result in report.results for piece in result.evidence if piece.verdict is Verdict.REFUTED]
        assert len(pieces) >= 6
        for piece in pieces:
            assert replays(json.loads(json.dumps(piece.witness)))

    def test_what_was_not_compared_says_why(self, report: VerifyReport) -> None:
        for result in report.results:
            for piece in result.evidence:
                if piece.verdict in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED):
                    assert piece.reason
                    assert piece.checked == 0 or any(part.headline and not part.checked for part in piece.parts)

    def test_no_claim_is_known_better_than_the_parts_that_it_is_cited_for(self, report: VerifyReport) -> None:
        sampled = [piece for result in report.results for piece in result.evidence if piece.parts]
        assert len(sampled) > 100
        for piece in sampled:
            headline = [part for part in piece.parts if part.headline]
            assert headline
            assert piece.checked == sum(part.checked for part in piece.parts)
            assert piece.violations == sum(part.violations for part in piece.parts)
            for part in piece.parts:
                assert (part.checked > 0) == (part.verdict in (Verdict.NOT_REFUTED, Verdict.REFUTED))
                assert part.checked or part.reason
            if piece.verdict is Verdict.NOT_REFUTED:
                assert all(part.verdict is Verdict.NOT_REFUTED for part in headline)


class TestRepeats:
    LABELS = ("eq:payment", "lem:payment-range", "thm:sample-complexity")
    SMALL = Effort(runs=2, horizon=120, variant_horizon=60, instances=4)

    def data(self, seed: int, jobs: int = 1) -> str:
        """Return all that a report says, but for how long it took."""
        data = verify([STRONG], seed=seed, effort=self.SMALL, labels=self.LABELS, jobs=jobs).to_data()
        return json.dumps({**data, "seconds": None}, sort_keys=True)

    def test_another_seed_gives_other_data(self) -> None:
        one, two = json.loads(self.data(seed=0)), json.loads(self.data(seed=1))
        assert one["claims"] != two["claims"]

    def test_the_number_of_processes_changes_nothing(self) -> None:
        assert self.data(seed=0, jobs=2) == self.data(seed=0, jobs=1)


class TestSelection:
    def labels(self, *wanted: str) -> list[str]:
        effort = Effort(runs=1, horizon=30, variant_horizon=20, instances=2)
        return list(dict.fromkeys(r.label for r in verify([STRONG], effort=effort, labels=wanted).results))

    def test_a_label_brings_its_variants(self) -> None:
        assert self.labels("lem:payment-range") == [
            "lem:payment-range",
            "lem:payment-range:repaired",
            "lem:payment-range:under-deviations",
        ]

    def test_a_report_tells_variants_from_what_was_asked_for(self) -> None:
        effort = Effort(runs=1, horizon=30, variant_horizon=20, instances=2)
        data = verify([STRONG], effort=effort, labels=["lem:payment-range", "thm:regret:sharp"]).to_data()
        assert data["asked"] == ["lem:payment-range", "thm:regret:sharp"]
        assert (data["ran"]["claims"], data["ran"]["variants"]) == (4, 2)

    def test_a_prefix_of_a_label_is_none(self) -> None:
        assert self.labels("lem:radius-sum") == ["lem:radius-sum"]
        refusal(self.labels, "lem:radius")


ODD = {
    "one qualified": market((0.9, 0.2), (0.1, 0.3)),
    "none qualified": market((0.1, 0.2), (0.1, 0.3)),
    "a tie for the cheapest": market((0.9, 0.2), (0.9, 0.2), (0.1, 0.1)),
}
HARMLESS_ODD = {
    "deviations beyond every gap": market((0.9, 0.2), (0.9, 0.3), (0.1, 0.1), underbid=0.3, overbid=0.3),
    "everything at once": market((0.9, 0.2), (0.9, 0.3), (0.1, 0.1), underbid=0.3, belief_slack=0.7),
    "all qualified for free": market((0.0, 0.0), (0.0, 1.0), quality_threshold=0.0),
}
ODD_EFFORT = Effort(runs=1, horizon=200, variant_horizon=100, instances=0)


@pytest.mark.long("verifies all claims")
@pytest.mark.parametrize("name", ODD)
def test_settings_without_an_optimal_provider_violate_an_assumption(name: str) -> None:
    found = verify([ODD[name]], effort=ODD_EFFORT)
    assert found.refuted == ()
    on_setting = {r.label: r for r in found.results if r.setting == "market"}
    for label in ("thm:sample-complexity", "thm:regret", "lem:two-sided-payment", "claim:T_id", "eq:optimal-provider"):
        assert on_setting[label].verdict is Verdict.ASSUMPTION_VIOLATED
        assert "theory needs" in (on_setting[label].evidence[0].reason or "")
    # The rules and the incentives need no optimal provider.
    for label in ("alg:platform", "prop:selection-threshold", "lem:one-step"):
        assert on_setting[label].verdict in (Verdict.NOT_REFUTED, Verdict.VACUOUS)
    assert on_setting["eq:payment"].verdict is Verdict.NOT_REFUTED


@pytest.mark.long("verifies all claims")
@pytest.mark.parametrize("name", HARMLESS_ODD)
def test_odd_settings_pass(name: str) -> None:
    found = verify([HARMLESS_ODD[name]], effort=ODD_EFFORT)
    assert found.refuted == ()
    assert found.ran["comparisons"] > 1000


def test_a_horizon_below_n_is_raised_to_n() -> None:
    tiny = Effort(runs=1, horizon=1, variant_horizon=1, instances=0)
    assert verify([STRONG], effort=tiny, labels=["eq:payment"]).ran["steps"] == 4 * STRONG.n_providers


def know(monkeypatch: pytest.MonkeyPatch, stated: Claim) -> None:
    known = {**all_claims(), stated.label: stated}
    for module in (registry, engine):
        monkeypatch.setattr(module, "all_claims", lambda: known)


@pytest.fixture
def false_claim(monkeypatch: pytest.MonkeyPatch) -> Claim:
    """A claim that every auction breaks, known to the registry."""
    relation = Relation(0 * PAYMENT, -PAYMENT, every_step, "nothing is ever paid")
    stated = Claim(
        label="lem:nothing-is-paid", name="Nothing", statement="nothing is ever paid", source_line=1, checks=(relation,)
    )
    know(monkeypatch, stated)
    return stated


class TestFalse:
    EFFORT = Effort(runs=2, horizon=50, variant_horizon=20, instances=3)

    def run(self) -> VerifyReport:
        return verify([STRONG], seed=1, effort=self.EFFORT, labels=["lem:nothing-is-paid"])

    def test_is_refuted_with_witnesses_that_replay(self, false_claim: Claim) -> None:
        found = self.run()
        assert [(r.setting, r.verdict) for r in found.refuted] == [
            ("gpqa-strong", Verdict.REFUTED),
            (None, Verdict.REFUTED),
        ]
        data = json.loads(json.dumps(found.to_data()))
        assert data["counts"]["REFUTED"] == 2
        for result in data["claims"]:
            (piece,) = result["evidence"]
            assert piece["violations"] > 0
            assert piece["tightest_margin"] < 0
            assert piece["where"]["relation"] == "nothing is ever paid"
            assert piece["witness"]["claim"] == "lem:nothing-is-paid"
            assert replays(piece["witness"])
        kinds = [result["evidence"][0]["witness"]["kind"] for result in data["claims"]]
        assert kinds == ["simulation", "steered"]

    def test_a_documented_finding_is_shown_and_does_not_count(
        self, false_claim: Claim, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        know(monkeypatch, replace(false_claim, finding="as we know."))
        found = self.run()
        assert found.refuted == ()
        assert found.to_data()["counts"]["REFUTED"] == 2
        assert found.to_data()["claims"][0]["documented_finding"] == "as we know."

    def test_one_bad_run_of_many_refutes(self, false_claim: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
        def rarely(case: object) -> np.ndarray:
            flags = np.zeros(len(case.trace), bool)  # type: ignore[attr-defined]
            flags[0] = case.origin.get("run") == 1  # type: ignore[attr-defined]
            return flags

        relation = Relation(0 * PAYMENT, -PAYMENT, rarely, "nothing is ever paid")
        know(monkeypatch, replace(false_claim, checks=(relation,)))
        (refuted,) = self.run().refuted
        assert refuted.setting == "gpqa-strong"
        assert refuted.evidence[0].checked == 1
        assert (refuted.evidence[0].witness or {})["run"] == 1


def test_evidence_carries_what_repeats_it(report: VerifyReport) -> None:
    sampled = [p for r in report.results for p in r.evidence if p.kind == "simulation"]
    assert all(isinstance(piece, Evidence) and piece.parameters["seed"] == 3 for piece in sampled)
    assert {piece.parameters["horizon"] for piece in sampled} == {300}


#: A claim that is proved in steps here: its theorem is said to state a step.
STEPS = "lem:selection-counting"
LABELS = (STEPS, "lem:payment-range", "thm:robust-dominant:best-reply")


@pytest.fixture(scope="module", autouse=True)
def _a_step() -> Iterator[None]:
    step = replace(kernel.kernel_theorems()[STEPS], states="steps", beyond="the sum.")
    changed = {**kernel.kernel_theorems(), STEPS: step}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "kernel_theorems", lambda: changed)
        yield


@pytest.fixture(scope="module")
def report_of(_a_step: None) -> dict[str, Any]:
    """Return a report of three claims: proved in steps, proved, false as a stronger reading."""
    effort = Effort(runs=1, horizon=200, variant_horizon=200, instances=2)
    return verify([published("gpqa-strong").setting], labels=LABELS, effort=effort).to_data()


def row_of(report_of: dict[str, Any], label: str) -> dict[str, Any]:
    return next(row for row in report_of["claims"] if row["label"] == label and row["setting"] is None)


def promote_the_proof(report_of: dict[str, Any]) -> None:
    for row in report_of["claims"]:
        for piece in row["evidence"]:
            if piece["verdict"] == "PROVED_STEPS":
                piece["verdict"] = "PROVED"


def promote_the_row(report_of: dict[str, Any]) -> None:
    row_of(report_of, STEPS)["verdict"] = "PROVED"


def clear_a_refutation(report_of: dict[str, Any]) -> None:
    for row in report_of["claims"]:
        for piece in row["evidence"]:
            if piece["witness"] is not None:
                piece["verdict"] = "NOT_REFUTED"


def count_one_more(report_of: dict[str, Any]) -> None:
    report_of["counts"]["PROVED"] += 1


def leave_out_a_claim(report_of: dict[str, Any]) -> None:
    report_of["claims"] = [row for row in report_of["claims"] if row["label"] != "lem:payment-range"]


def rename_a_claim(report_of: dict[str, Any]) -> None:
    row_of(report_of, "lem:payment-range")["label"] = "lem:payment-rang"


def test_a_report_as_it_was_written_agrees_with_itself(report_of: dict[str, Any]) -> None:
    assert {row["verdict_of_claim"] for row in report_of["claims"] if row["label"] == STEPS} == {"PROVED_STEPS"}
    assert contradictions(report_of) == ()


def test_a_report_may_say_less_where_no_theorem_in_coq_counted() -> None:
    piece = {"kind": "certificate", "verdict": "PROVED_STEPS", "witness": None}
    row = {
        "label": "lem:radius-sum",
        "verdict": "PROVED_STEPS",
        "verdict_of_claim": "PROVED_STEPS",
        "evidence": [piece],
    }
    assert contradictions({"claims": [row]}) == ()


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (promote_the_proof, f"{STEPS}: a proof is PROVED in the report; the proof of this version comes to"),
        (promote_the_row, f"{STEPS}: verdict is PROVED, and no proof beside it says so"),
        (clear_a_refutation, "a witness of a violation is listed with the verdict NOT_REFUTED"),
        (count_one_more, "counts has PROVED"),
        (leave_out_a_claim, "counts_of_claims has PROVED"),
        (rename_a_claim, "this version knows no such claim"),
    ],
)
def test_what_was_changed_by_hand_is_named(
    report_of: dict[str, Any], edit: Callable[[dict[str, Any]], None], said: str
) -> None:
    changed = copy.deepcopy(report_of)
    edit(changed)
    assert any(said in one for one in contradictions(changed))

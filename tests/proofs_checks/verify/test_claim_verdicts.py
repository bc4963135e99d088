"""The verdict on a claim itself: it needs no setting, and what a finding says is shown somewhere."""

from __future__ import annotations

import json

import pytest

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.cli.main import main
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import finding_shown_on, stored_verdict, verdict_of_claim

FALSE = [label for label in all_claims() if stored_verdict(label) is Verdict.REFUTED]


@pytest.mark.for_each("label", FALSE)
def test_what_is_called_false_as_worded_is_refuted_somewhere(label: str) -> None:
    """The rule looks at the finding's text alone; settings and witnesses are asked here."""
    assert finding_shown_on(label)


def test_the_others() -> None:
    empty = [label for label in all_claims() if stored_verdict(label) is Verdict.VACUOUS]
    assert empty == ["cor:eventual-ordinary-optimality"]
    assert {label for label in FALSE if not claim(label).finding} == set()
    assert len(FALSE) == 16


def test_what_is_computed_of_each_published_setting_is_exact() -> None:
    """A claim that is computed is EXACT in lists, which compute nothing."""
    for label in (label for label in all_claims() if stored_verdict(label) is Verdict.EXACT):
        if (compute := claim(label).on_setting) is not None:
            found = {compute(published(name).setting).verdict for name in PUBLISHED_NAMES}
            assert found - {Verdict.SKIPPED} == {Verdict.EXACT}, label


def test_a_proof_counts_only_if_it_stands() -> None:
    stated = claim("lem:payment-range")
    assert verdict_of_claim(stated, Verdict.PROVED) is Verdict.PROVED
    assert verdict_of_claim(stated, Verdict.SKIPPED) is Verdict.NOT_REFUTED
    assert verdict_of_claim(stated, None) is Verdict.NOT_REFUTED
    # Proved for some numbers of providers only: that is no proof for all parameters.
    assert stored_verdict("eq:allocation") is Verdict.NOT_REFUTED
    assert verdict_of_claim(claim("eq:optimal-provider"), None) is Verdict.EXACT


def test_a_finding_is_told_on_whichever_setting(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    asked = ["verify", "gpqa-strong", "--claim", "claim:T_id:tightened", "--quick", "--instances", "0", "--jobs", "1"]
    assert main(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("claim:T_id:tightened (Identification horizon of appendix D) is refuted.")
    assert "gpqa-strong: computed exactly" in text
    assert "shown on gsm8k-full" in text
    assert main([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    [row] = [row for row in data["claims"] if (row["label"], row["setting"]) == ("claim:T_id:tightened", "gpqa-strong")]
    assert (row["verdict"], row["verdict_of_claim"]) == ("EXACT", "REFUTED")
    assert row["finding_shown_on"] == ["gsm8k-full"]
    assert sum(data["counts_of_claims"].values()) == len({row["label"] for row in data["claims"]})

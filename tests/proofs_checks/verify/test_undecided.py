"""`verify` where theorems in Coq do not count: said once, first, with the reason; nothing is called proved."""

from __future__ import annotations

import pytest

from proofs_checks.cli.views.verify import show_verification
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.verdict import Verdict
from proofs_checks.verify.run import Effort, verify

EFFORT = Effort(runs=1, horizon=60, variant_horizon=60, instances=1)
LABELS = ["lem:qualified-eligibility", "lem:payment-range", "cor:eventual-ordinary-optimality"]


def test_it_is_said_first_and_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    changed = {**kernel.sources(), "Radius.v": ""}
    monkeypatch.setattr(kernel, "sources", lambda: changed)
    report = verify([], effort=EFFORT, labels=LABELS)
    assert set(LABELS) <= report.certificates.keys()
    assert {piece.verdict for piece in report.certificates.values()} == {Verdict.SKIPPED}
    assert report.proofs.proofs == report.proofs.skipped == len(report.certificates)
    assert report.proofs.reason.startswith("what is stored was checked for other sources (Radius.v changed since)")
    for label in LABELS:
        assert report.claim_verdict(label) in (Verdict.NOT_REFUTED, Verdict.SKIPPED)
    show_verification(report)
    said = " ".join(capsys.readouterr().out.split())
    many = sum(report.kernel_of(rows[0].label) is not None for rows in report.by_claim)
    assert said.startswith(f"{many} theorems in Coq do not count: what is stored was checked for other sources")
    assert said.count("in Coq do") == 1
    show_verification(report, everything=True)
    assert "proved, certificate" not in capsys.readouterr().out


def test_where_all_count_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    report = verify([], effort=EFFORT, labels=["lem:payment-range"])
    assert (report.proofs.skipped, report.proofs.reason) == (0, None)
    show_verification(report)
    assert "in Coq do" not in capsys.readouterr().out

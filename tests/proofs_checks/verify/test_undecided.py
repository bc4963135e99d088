"""`verify` without z3 and cvc5: said once, first, with counts and the remedy; only what Coq proves is called proved."""

from __future__ import annotations

from proofs_checks.cli.views.verify import show_verification
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.solvers import solvers
from proofs_checks.verdict import Verdict
from proofs_checks.verify.run import Effort, verify

EFFORT = Effort(runs=1, horizon=60, variant_horizon=60, instances=1)
LABELS = ["lem:qualified-eligibility", "lem:payment-range", "lem:selection-counting", "claim:widening-necessary"]


def test_it_is_said_first_and_once(monkeypatch, capsys) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    report = verify([], effort=EFFORT, labels=LABELS)
    labels = [label for label in report.certificates if label in all_proofs()]
    open_ones = [label for label in labels if not report.certificates[label].rests_on_kernel]
    steps = {one.name for label in open_ones for one in all_proofs()[label].obligations}
    assert set(LABELS) <= set(labels)
    assert 0 < len(open_ones) < len(labels)
    for label, piece in report.certificates.items():
        assert piece.verdict is (Verdict.SKIPPED if label in open_ones else Verdict.PROVED)
        assert piece.reason.startswith("not decided here")
    assert (report.proofs.proofs, report.proofs.undecided) == (len(labels), len(open_ones))
    assert (report.proofs.steps, report.proofs.rechecked) == (len(steps), len(steps))
    show_verification(report)
    said = " ".join(capsys.readouterr().out.split())
    why = "not decided here: z3 and cvc5 are not installed (pip install 'costproof[prove]')"
    assert said.startswith(f"{len(open_ones)} of {len(labels)} proofs were {why}; the stored certificates of all")
    assert said.count("not installed") == 1
    show_verification(report, every_row=True)
    said = capsys.readouterr().out
    assert "obligations proved" not in said
    assert "says missing" not in said


def test_with_both_solvers_nothing_is_said(capsys) -> None:
    report = verify([], effort=EFFORT, labels=["lem:payment-range"])
    assert (report.proofs.undecided, report.proofs.why_undecided) == (0, "")
    show_verification(report)
    assert "not installed" not in capsys.readouterr().out

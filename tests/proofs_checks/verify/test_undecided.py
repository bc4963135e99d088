"""`verify` without z3 and cvc5: said once, first, with counts and the remedy; nothing is called proved."""

from __future__ import annotations

from proofs_checks.cli.main import main
from proofs_checks.cli.views.verify import show_verification
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.solvers import solvers
from proofs_checks.verdict import Verdict
from proofs_checks.verify.run import Effort, verify

EFFORT = Effort(runs=1, horizon=60, variant_horizon=60, instances=1)
LABELS = ["lem:qualified-eligibility", "lem:ordinary-payment", "lem:payment-range"]


def test_it_is_said_first_and_once(monkeypatch, capsys) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    report = verify([], effort=EFFORT, labels=LABELS)
    labels = [label for label in report.certificates if label in all_proofs()]
    steps = {one.name for label in labels for one in all_proofs()[label].obligations}
    assert set(LABELS) <= set(labels)
    assert {piece.verdict for piece in report.certificates.values()} == {Verdict.SKIPPED}
    assert (report.proofs.proofs, report.proofs.undecided) == (len(labels), len(labels))
    assert (report.proofs.steps, report.proofs.rechecked) == (len(steps), len(steps))
    show_verification(report)
    said = " ".join(capsys.readouterr().out.split())
    why = "not decided here: z3 and cvc5 are not installed (pip install 'costproof[prove]')"
    assert said.startswith(f"{len(labels)} of {len(labels)} proofs were {why}; the stored certificates of all")
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


def test_a_claim_by_prove_has_the_same_reason(monkeypatch, capsys) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    report = verify([], effort=EFFORT, labels=["lem:payment-range"])
    assert main(["prove", "--claim", "lem:payment-range", "--json"]) == 1
    assert report.certificates["lem:payment-range"].reason in capsys.readouterr().out

"""`costproof prove LABEL`: what the theorem states and what must be trusted come first, and no promise is left open."""

from __future__ import annotations

import re

import pytest

from proofs_checks.cli.main import main
from proofs_checks.cli.views.prove import show_proofs
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.kernel.theorems import kernel_theorems

LABEL = "lem:payment-range"


def test_the_reason_is_given_for_each_hypothesis_that_is_not_shown_to_be_needed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`verify` says how many there are and sends the reader here for the reason."""
    assert main(["prove", LABEL]) == 0
    out = " ".join(capsys.readouterr().out.split())
    told = re.findall(r"not shown to be needed: ([\w, -]+) \(", out)
    redundant = [one.redundant for one in all_proofs()[LABEL].obligations if one.redundant]
    assert redundant
    assert sorted(name for names in told for name in names.split(", ")) == sorted(
        name for reasons in redundant for name in reasons
    )
    assert all(f"({reason})" in out for reasons in redundant for reason in reasons.values())


def test_what_is_trusted_and_the_theorem_as_written_stand_before_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    show_proofs(proving.prove([LABEL], mutants=False), in_full=True, kernel_text=True)
    out = capsys.readouterr().out
    heads = ("theorem in Coq: ", "what must be trusted: ", "  Theorem lem_payment_range_always")
    heads = (
        *heads,
        f"\n  {kernel_theorems()[LABEL].statement.splitlines()[-1]}",
        "What must be trusted, whichever",
        "The steps of ",
        "payment-in-range (UFLRA",
    )
    places = [out.index(head) for head in heads]
    assert places == sorted(places), places

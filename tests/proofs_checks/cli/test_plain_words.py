"""Sentences that a newcomer read twice, in the words that took their place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_checks.cli.views.console import console
from proofs_checks.cli.views.properties import show_properties
from proofs_checks.conformance.diagnosis.guess import Guess
from proofs_checks.properties.lattice import weaker
from proofs_checks.properties.placement import Trial, placement

GUESS = Guess(name="n", sentence="it pays twice", checks=(), explained=2_600, unexplained_before=12)


def test_a_guess_tells_how_many_answers_break_the_rule() -> None:
    assert "all 2,600 answers that were looked at, 12 of which break the paper's rule." in GUESS.told
    assert "looked at, 1 of which breaks the paper's rule." in replace(GUESS, unexplained_before=1).told


TRIALS = [
    Trial(test="index-minimizer", of="allocation", outcome="failed"),
    Trial(test="past-bids", of="bid-independence", outcome="failed"),
]


@pytest.mark.parametrize(
    ("first", "steps", "told"),
    [
        ("past-bids", None, "Start with past-bids all the same: its example tells the defect best."),
        ("index-minimizer", None, "The check to start with, index-minimizer, tests it."),
        ("eligibility", None, ""),
        ("past-bids", {"past-bids": 7, "index-minimizer": 9}, "its example is shorter (step 7; index-min"),
        ("past-bids", {"past-bids": 7, "index-minimizer": 7}, "its example tells the defect best"),
    ],
)
def test_the_check_to_start_with_is_related_to_the_weakest_property_refuted(
    first: str, steps: dict[str, int] | None, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show_properties(console(), placement(TRIALS), first, *([] if steps is None else [steps]))
    lines = " ".join(capsys.readouterr().out.split())
    assert lines.startswith("Weakest property refuted of those checked: allocation (")
    assert told in lines
    assert bool(told) == ("The check to start with" in lines or "Start with" in lines)


def test_the_weakest_of_those_checked_is_said_to_be_that(capsys: pytest.CaptureFixture[str]) -> None:
    below = [Trial(test="it", of=name, outcome="passed") for name in weaker("critical-payments")]
    payment = Trial(test="critical-payment", of="critical-payments", outcome="failed")
    for trials, words in (([payment], "refuted of those checked: critical"), ([payment, *below], "refuted: critical")):
        show_properties(console(), placement(trials), "critical-payment")
        assert f"Weakest property {words}" in " ".join(capsys.readouterr().out.split())

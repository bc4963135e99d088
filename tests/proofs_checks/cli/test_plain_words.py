"""Sentences that a newcomer read twice, in the words that took their place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_checks.cli.views.console import console
from proofs_checks.cli.views.properties import show_properties
from proofs_checks.conformance.diagnosis.guess import Guess
from proofs_checks.properties.placement import Trial, placement

GUESS = Guess(name="n", sentence="it pays twice", checks=(), explained=2_600, unexplained_before=12)


def test_a_guess_tells_how_many_answers_break_the_rule() -> None:
    assert "all 2,600 answers that were looked at, 12 of which break the paper's rule." in GUESS.told
    assert "looked at, 1 of which breaks the paper's rule." in replace(GUESS, unexplained_before=1).told


def test_of_uneven_draws_each_is_allowed() -> None:
    told = replace(GUESS, unexplained_before=0).told
    assert "The paper's rule allows each draw by itself: only how often each provider is drawn is wrong." in told
    assert "0 of which" not in told


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("past-bids", "The check to start with, past-bids, tests bid-independence, which rests on it."),
        ("index-minimizer", "The check to start with, index-minimizer, tests it."),
        ("", ""),
        ("eligibility", ""),
    ],
)
def test_the_check_to_start_with_is_related_to_the_weakest_property_refuted(
    first: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [
        Trial(test="index-minimizer", of="allocation", outcome="failed"),
        Trial(test="past-bids", of="bid-independence", outcome="failed"),
    ]
    show_properties(console(), placement(trials), first)
    lines = " ".join(capsys.readouterr().out.split())
    assert lines.startswith("Weakest property refuted: allocation (")
    assert told in lines
    assert bool(told) == ("The check to start with" in lines)

"""Sentences that a newcomer read twice, in the words that took their place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bounds.published.defaults import EXCESS_IN_WORDS
from proofs_checks.cli.main import main
from proofs_checks.cli.views.console import console
from proofs_checks.cli.views.properties import show_properties
from proofs_checks.conformance.diagnosis.guess import Guess
from proofs_checks.properties.lattice import weaker
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
        (
            "past-bids",
            "Start with past-bids all the same: its example tells the defect best. If allocation is still refuted once "
            "it passes, fix that next.",
        ),
        ("index-minimizer", "The check to start with, index-minimizer, tests it."),
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
    assert lines.startswith("Weakest property refuted of those checked: allocation (")
    assert told in lines
    assert bool(told) == ("The check to start with" in lines or "Start with" in lines)


@pytest.mark.parametrize(
    ("seen", "told"),
    [(9, "Start with past-bids all the same: its example is shorter (step 7; index-minimizer: step 9)"), (7, "tells")],
)
def test_a_shorter_example_is_named_with_its_step(seen: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    trials = [
        Trial(test="index-minimizer", of="allocation", outcome="failed"),
        Trial(test="past-bids", of="bid-independence", outcome="failed"),
    ]
    show_properties(console(), placement(trials), "past-bids", {"past-bids": 7, "index-minimizer": seen})
    lines = " ".join(capsys.readouterr().out.split())
    assert told in lines
    assert ("is shorter" in lines) == (seen > 7)


def test_the_weakest_of_those_checked_is_said_to_be_that(capsys: pytest.CaptureFixture[str]) -> None:
    below = [Trial(test="it", of=name, outcome="passed") for name in weaker("critical-payments")]
    payment = Trial(test="critical-payment", of="critical-payments", outcome="failed")
    for trials, words in (([payment], "refuted of those checked: critical"), ([payment, *below], "refuted: critical")):
        show_properties(console(), placement(trials), "critical-payment")
        assert f"Weakest property {words}" in " ".join(capsys.readouterr().out.split())


def test_the_excess_payment_is_said_to_be_one_thing_wherever_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It may be large where users pay less than c_(2) on average: nothing that is paid less lowers it."""
    commands = (["bounds", "gpqa-strong"], ["simulate", "gpqa-strong", "--horizon", "2000", "--runs", "2"])
    for command in commands:
        assert main(command) == 0
        assert EXCESS_IN_WORDS in " ".join(capsys.readouterr().out.split()), command
    assert main(["claims", "Theorem 20"]) == 0
    assert "what each query is paid above c_(2) adds up" in " ".join(capsys.readouterr().out.split())

"""Sentences that a newcomer read twice, in the words that took their place."""

from __future__ import annotations

from dataclasses import replace

from proofs_checks.conformance.diagnosis.guess import Guess

GUESS = Guess(name="n", sentence="it pays twice", checks=(), explained=2_600, unexplained_before=12)


def test_a_guess_tells_how_many_answers_break_the_rule() -> None:
    assert "all 2,600 answers that were looked at, 12 of which break the paper's rule." in GUESS.told
    assert "looked at, 1 of which breaks the paper's rule." in replace(GUESS, unexplained_before=1).told

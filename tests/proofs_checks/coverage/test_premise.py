"""Where questions come in passes independence is rejected, and where they do not it is not."""

from __future__ import annotations

import pytest

from bounds.published import PUBLISHED_NAMES, published
from mechanism.market.market import market_laws
from proofs_checks.cli.main import main
from proofs_checks.coverage.premise import FALSE_ALARM, premise_witness, premise_witnesses

NAME = "gpqa-strong"


def test_a_built_in_market() -> None:
    market, fixed = premise_witnesses(published(NAME).setting)
    assert (market.case, fixed.case) == ("market", "fixed answers")
    assert market.false_alarm == FALSE_ALARM
    # A question says nothing about its answer there, but something about its cost.
    assert market.scores_rejected_after is None
    assert market.costs_rejected_after is not None
    assert fixed.scores_rejected_after is not None
    assert fixed.scores_rejected_after < 70_000


def test_independent_queries_are_not_rejected() -> None:
    setting = published(NAME).setting
    independent = market_laws(setting, questions=0)
    [found] = premise_witnesses(setting, independent)
    assert (found.questions, found.scores_rejected_after, found.costs_rejected_after) == (0, None, None)
    # A right premise is rejected in any of these with a probability of 2e-5 at most.
    for run in range(3):
        again = premise_witness(setting, laws=independent, queries=20_000, run=run)
        assert (again.scores_rejected_after, again.costs_rejected_after) == (None, None)


def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", NAME, "--horizon", "50", "--premise", "--seed", "3"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.count("Premise, on a run of the platform of 70,000 queries") == 2
    assert "each always answered alike: independence of scores is rejected after" in text
    assert "false alarm 1e-06 each" in text


@pytest.mark.long("plays 70,000 queries several times")
@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_power_and_false_alarms(name: str) -> None:
    """As in the table of docs/coverage.md, which has 20 runs in each setting."""
    setting = published(name).setting
    fixed, independent = market_laws(setting, score_difficulty_bits=16), market_laws(setting, questions=0)
    for run in range(2):
        assert premise_witness(setting, laws=fixed, run=run).scores_rejected_after is not None
        market = premise_witness(setting, run=run)
        assert (market.scores_rejected_after is None, market.costs_rejected_after is None) == (True, False)
        quiet = premise_witness(setting, laws=independent, run=run)
        assert (quiet.scores_rejected_after, quiet.costs_rejected_after) == (None, None)

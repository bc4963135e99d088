"""What decides a step, in words: the kind of step that is due, and the one that a mechanism seems to have held."""

from __future__ import annotations

import re
from typing import Any

import pytest

from proofs_checks.conformance import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.report.decided import deciding, mistaken
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.oracle.rule_oracle import RuleOracle
from proofs_checks.oracle.step_rules import Breach, breaches


def oracle_of(*settled: tuple[int, float, float], **unusual: Any) -> RuleOracle:
    """The rules after some steps: who served, its score and its bid; all providers have scored and bid alike."""
    oracle = RuleOracle(usual_config(**{"n_providers": 2, **unusual}))
    for provider, score, bid in settled:
        oracle.settle(provider, score, bid)
    return oracle


ONCE = ((0, 1.0, 0.5), (1, 1.0, 0.5))
TWICE_AND_ONCE = (*ONCE, (0, 1.0, 0.5))


@pytest.mark.for_each(
    ("oracle", "told"),
    [
        (oracle_of(ONCE[0]), "Step 2 of the first 2: provider 1 is due its first query, for c_max."),
        (oracle_of(*ONCE), "g(3) = 0.0122: no eligible provider has fewer selections, so an auction is due."),
        (
            oracle_of(*TWICE_AND_ONCE, exploration_scale=1.1),
            "g(4) = 1.56: provider 1 (1 selection) is below it, so it must be explored, for c_max.",
        ),
        (
            oracle_of(*TWICE_AND_ONCE, exploration_scale=2.0),
            "g(4) = 2.83: providers 0 (2 selections), 1 (1 selection) are below it, so one of them must be explored, "
            "for c_max.",
        ),
        (
            oracle_of(*((i, 0.0, 0.5) for i in (0, 1) * 20), quality_threshold=1.0, confidence=0.9),
            "Nobody is eligible: any provider may be drawn, for c_max.",
        ),
        (
            oracle_of(*((i, float(i), 0.5) for i in (0, 1) * 20), quality_threshold=1.0, confidence=0.9),
            "g(41) = 0.0453: provider 1 alone is eligible, and it has 20 selections, enough: it serves and is paid "
            "c_max.",
        ),
        (oracle_of(*ONCE, exploration_scale=1e-9), "g(3) = 1.22e-09: no eligible provider has fewer selections,"),
        (oracle_of(*ONCE, exploration_scale=1e12), "g(3) = 1.22e+12: providers 0 (1 selection), 1 (1 selection) are"),
        (oracle_of(), "Step 1 of the first 2: one of providers 0, 1 is due its first query, for c_max."),
    ],
)
def test_the_kind_of_step_that_is_due(oracle: RuleOracle, told: str) -> None:
    assert deciding(oracle).startswith(told)


def test_a_whole_goal_is_told_from_a_near_one() -> None:
    config = {"exploration_scale": 2.0, "exploration_exponent": 0.5}
    assert deciding(oracle_of(*ONCE, *ONCE, *ONCE, ONCE[0], **config)).startswith("g(8) = 4: ")
    near = deciding(oracle_of(*ONCE, *ONCE, *ONCE, ONCE[0], **{**config, "exploration_scale": 1.999999}))
    assert near.startswith("g(8) = 3.999998: ")


def only(oracle: RuleOracle, provider: int, payment: float) -> Breach:
    [breach] = breaches(oracle.decisions(), provider, payment, oracle.money_rounding)
    return breach


EXPLORED = {"exploration_scale": 1.0}


@pytest.mark.for_each(
    ("oracle", "provider", "payment", "told"),
    [
        (
            oracle_of(*ONCE, *ONCE, **EXPLORED),
            0,
            1.0,
            ": the mechanism pays c_max, as in an exploration; an auction is due (selections 2, 2; target g(5) = 1.58)",
        ),
        (  # where somebody may be excluded, explorations are not the only steps that pay c_max
            oracle_of(*ONCE, *ONCE, quality_threshold=0.5),
            0,
            1.0,
            ": the mechanism pays c_max, as in an exploration or without a rival; an auction is due (selections 2, 2; "
            "target g(5) = 0.0158)",
        ),
        (
            oracle_of(*ONCE, **EXPLORED),
            0,
            0.5,
            ": the mechanism pays the price of an auction; exploration is due (selections 1, 1; target g(3) = 1.22)",
        ),
        (oracle_of(*ONCE, **EXPLORED), 0, 0.7, ""),
        (oracle_of(*ONCE), 0, 0.3, ""),
    ],
)
def test_another_kind_of_step_is_told(oracle: RuleOracle, provider: int, payment: float, told: str) -> None:
    assert mistaken(oracle, only(oracle, provider, payment), provider, payment) == told


def test_who_may_serve_is_named() -> None:
    assert "expected provider 1 (rule" in str(Breach(rule="eligibility", expected=[1], found=0))
    assert "expected one of providers 1, 2 (rule" in str(Breach(rule="eligibility", expected=[1, 2], found=0))


@pytest.mark.parametrize(
    ("mutant", "check", "told"),
    [
        ("GoalWithoutN", "critical-payment", "as in an exploration; an auction is due (selections "),
        ("NeverExplores", "exploration-payment", "the price of an auction; exploration is due (selections "),
    ],
)
def test_the_message_of_a_check_names_it(mutant: str, check: str, told: str) -> None:
    report = check_mechanism(MUTANTS[mutant].factory, only=[check], effort=QUICK, explain=False)
    assert told in report.headline
    assert re.search(r"; target g\(\d+\) = [\d.]+\)\.$", report.headline)

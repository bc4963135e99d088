"""Draws: a right mechanism passes, a biased one is found (see test_mutants) and told."""

from __future__ import annotations

import itertools
import json
import math
import re
from typing import Any

import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.checks.draws import (
    DRAW_CHECKS,
    EMPTY_SOURCES,
    EXPLORATION_SOURCES,
    FALSE_ALARM,
    MOST_PROVIDERS,
    SUSPICIONS,
    Past,
    bets,
)
from proofs_checks.conformance.checks.uniformity import gamblers
from proofs_checks.conformance.descriptions import DEFAULT, QUICK
from proofs_checks.conformance.mutants import draws
from proofs_checks.conformance.mutants.correct import RandomOfTies
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.script import to_script
from tests.proofs_checks.conformance.draw_power import power

EXPLORATION, EMPTY = DRAW_CHECKS


class DrawsFromAllEligible(Plain):
    """Breaks exploration-set; its draws that fall into the set are uniform there."""

    def _explored(self, eligible: list[int]) -> list[int]:
        return eligible if super()._explored(eligible) else []


class BiasedWhenExploring(draws.RejectsToAHalf):
    """Draws among the first half of the under-sampled only."""

    def _draw_empty(self) -> int:
        return Plain._draw(self, range(self.n_providers))


def subject(factory: Any) -> Subject:
    return Subject(factory, f"{factory.__module__}:{factory.__name__}")


each_check = pytest.mark.parametrize("check", DRAW_CHECKS, ids=lambda check: check.name)


@each_check
@pytest.mark.parametrize("fair", [reference_mechanism, RandomOfTies])
def test_fair_draws_pass(check: Check, fair: Any) -> None:
    outcome = check.run(subject(fair), 0, QUICK)
    assert (outcome.failure, outcome.compared) == (None, QUICK.draws)


def test_each_kind_of_draw_is_one_checks_business() -> None:
    for biased, responsible in ((BiasedWhenExploring, EXPLORATION), (draws.EmptyDrawsTheFirst, EMPTY)):
        failing = [check for check in DRAW_CHECKS if check.run(subject(biased), 1, QUICK).failure is not None]
        assert failing == [responsible]


def test_a_wrong_set_is_another_checks_business() -> None:
    assert EXPLORATION.run(subject(DrawsFromAllEligible), 0, QUICK).failure is None


def test_the_failure_names_the_bias_and_its_history_replays() -> None:
    failure = EXPLORATION.run(subject(draws.PrefersTheCheapest), 3, QUICK).failure
    assert failure is not None
    assert re.match(
        r"in [\d,]+ draws \(.*\), one of those with the lowest standing bid was drawn [\d,]+ times, ", failure.message
    )
    assert failure.found["times"] > failure.expected["times"]
    assert failure.found["draws"] == failure.expected["draws"]
    json.dumps(failure.to_data())
    mechanism = subject(draws.PrefersTheCheapest).start(failure.config, failure.seed)
    for provider, settlement in zip(failure.providers, failure.settlements, strict=True):
        assert mechanism.assign()[0] == provider
        mechanism.settle(*settlement)


@pytest.mark.parametrize(
    ("check", "biased", "shows"),
    [
        (EXPLORATION, draws.SameDrawsForEverySeed, ": 1000"),
        (EMPTY, draws.ExploresTheFirst, "{0: 1000, 1: 0}"),
        (EXPLORATION, draws.StaysAfterAHighScore, "served so far"),
    ],
)
def test_the_script_of_a_failure_runs(
    check: Check, biased: type[Plain], shows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = check.run(subject(biased), 0, QUICK).failure
    assert failure is not None
    exec(to_script(subject(biased).name, check.name, check.claim, failure), {})
    assert shows in capsys.readouterr().out


@each_check
def test_a_run_is_a_function_of_its_seed(check: Check) -> None:
    first, again = (check.run(subject(draws.StickyDraw), 5, QUICK) for _ in range(2))
    assert first == again


def test_a_mechanism_that_never_draws_ends_the_check() -> None:
    class ServesOne(Platform):
        def assign(self) -> tuple[int, float]:
            self.in_flight[self.step] = 0
            self.step += 1
            return 0, self.config.cost_bound

    outcome = EXPLORATION.run(subject(ServesOne), 0, QUICK)
    assert (outcome.failure, outcome.compared) == (None, 0)


def test_a_mechanism_that_stops_answering_fails_at_that_step() -> None:
    class Stops(Platform):
        def assign(self) -> tuple[int, float]:
            return super().assign() if self.knowledge().step < 5 else (self.config.n_providers, 0.0)

    failure = EXPLORATION.run(subject(Stops), 0, QUICK).failure
    assert failure is not None
    assert failure.misbehaviour == "no such provider"
    assert failure.step == 5


@pytest.mark.parametrize("sources", [EXPLORATION_SOURCES, EMPTY_SOURCES])
def test_the_shares_of_the_streams_sum_to_one(sources: tuple) -> None:
    assert all(check.false_alarm == FALSE_ALARM <= 2e-7 for check in DRAW_CHECKS)
    assert math.fsum(source.share for source in sources) == pytest.approx(1)
    assert len({source.name for source in sources}) == len(sources)
    assert all(source.config.n_providers <= MOST_PROVIDERS for source in sources)
    assert {source.config.n_providers for source in sources} == {2, 3, 4, 5}


@pytest.mark.parametrize(
    ("effort", "times_its_share"), [(DEFAULT, (1.25, 1.3, 1.35, 1.4)), (QUICK, (1.5, 1.6, 1.7, 1.8))]
)
@pytest.mark.parametrize(
    ("sources", "which"), [(EXPLORATION_SOURCES, "all under-sampled"), (EMPTY_SOURCES, "none eligible")]
)
def test_the_power_that_is_stated(effort, times_its_share, sources, which) -> None:
    among = gamblers(SUSPICIONS, [source.name for source in sources])
    for size, times in zip((2, 3, 4, 5), times_its_share, strict=True):
        source = next(s for s in sources if s.name == f"{size} providers, {which}")
        draws = round(source.share * effort.draws)
        found = power(times / size, size=size, draws=draws, among=among, false_alarm=FALSE_ALARM)
        assert found >= 0.99, (size, draws, found)


def test_suspicions_name_members_by_the_past_alone() -> None:
    past = Past(MechanismConfig(4, 0.0, 0.05, 1.0, 1.0, 0.5), {5: 3})
    for provider, (score, bid) in enumerate([(1.0, 0.5), (0.0, 0.25), (0.5, 1.0), (0.5, 0.25)]):
        past.settle(provider, score, bid)
    past.draw(5, 2)
    named: dict[str, tuple[int, ...]] = {}
    for drawn in (1, 2, 3):
        for name, (size, count, hit) in itertools.chain.from_iterable(
            slip.bets for slip in bets(past, (1, 2, 3), drawn)
        ):
            assert size == 3
            named[name] = (*named.get(name, ()), *((drawn,) if hit else ()))
            assert len(named[name]) == count or drawn < 3
    assert named.keys() <= {*SUSPICIONS}
    assert "provider 0" not in named, "it is no member, and who names nobody does not bet"
    assert named["provider 3"] == (3,)
    assert named["one of those with the lowest standing bid"] == (1, 3)
    assert named["one of those with the highest standing bid"] == (2,)
    assert named["one of those with the best mean score"] == (2, 3)
    assert "one of those who have served least often" not in named, "all have: who names all does not bet"
    assert named["the next provider in turn, upwards by index,"] == (3,)
    assert named["the next provider in turn, downwards by index,"] == (1,)
    assert named["after a high score the provider drawn just before, else another one,"] == (2,)
    assert named["the provider that an instance with another seed drew at the same step"] == (3,)

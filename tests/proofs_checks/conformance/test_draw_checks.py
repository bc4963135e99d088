"""Draws: a right mechanism passes, whatever the seed; a biased one is found, whatever the seed."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from mechanism.rules import Allocation
from proofs_checks.conformance.checks.check import DEFAULT, QUICK, Check
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
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.script import to_script
from tests.parametrized import long_but
from tests.proofs_checks.conformance.draw_power import power

EXPLORATION, EMPTY = DRAW_CHECKS
REFERENCE = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


class DrawsOtherwise(Platform):
    """The rules with draws of its own; the sets and payments are right."""

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, rng)
        self.rng, self.last = rng, -1
        self.last_score = 1.0

    def _choose(self, allocation: Allocation) -> int:
        if allocation.kind == "auction":
            return super()._choose(allocation)
        self.last = self.draw(allocation.candidates)
        return self.last

    def settle(self, score: float, bid: float) -> None:
        super().settle(score, bid)
        self.last_score = score

    def draw(self, members: tuple[int, ...]) -> int:
        return self.weighted(members, [1.0] * len(members))

    def weighted(self, members: tuple[int, ...], weights: list[float]) -> int:
        return int(self.rng.choice(members, p=np.array(weights) / sum(weights)))


def drawing(name: str, draw: Callable[[Any, tuple[int, ...]], int]) -> type[DrawsOtherwise]:
    """Return a mechanism that draws otherwise."""
    return type(name, (DrawsOtherwise,), {"draw": draw})


def preferring(it: DrawsOtherwise, members: tuple[int, ...], one: int, weight: float) -> int:
    return it.weighted(members, [weight if i == one else 1.0 for i in members])


def least_served(it: DrawsOtherwise, members: tuple[int, ...]) -> int:
    least = min(it._counts[i] for i in members)
    return DrawsOtherwise.draw(it, tuple(i for i in members if it._counts[i] == least))


DrawsTheFirst = drawing("DrawsTheFirst", lambda it, members: members[0])
DrawsInTurn = drawing("DrawsInTurn", lambda it, members: next((i for i in members if i > it.last), members[0]))
PrefersTheCheapest = drawing(
    "PrefersTheCheapest", lambda it, members: preferring(it, members, min(members, key=lambda i: it._bids[i]), 1.5)
)
PrefersOneProvider = drawing("PrefersOneProvider", lambda it, members: preferring(it, members, 1, 1.3))
DrawsTheLeastServed = drawing("DrawsTheLeastServed", least_served)
RejectsToAHalf = drawing("RejectsToAHalf", lambda it, members: DrawsOtherwise.draw(it, members[: len(members) // 2]))
ObeysTheLastScore = drawing("ObeysTheLastScore", lambda it, members: members[0 if it.last_score >= 0.5 else -1])
#: Rounds a uniform number to the nearest position: half as likely at both ends.
RoundsTheDraw = drawing("RoundsTheDraw", lambda it, members: members[round(it.rng.random() * (len(members) - 1))])


class RepeatsDraws(DrawsOtherwise):
    def draw(self, members: tuple[int, ...]) -> int:
        return self.last if self.last in members and self.rng.random() < 0.5 else super().draw(members)


class StaysAfterAHighScore(DrawsOtherwise):
    def draw(self, members: tuple[int, ...]) -> int:
        return preferring(self, members, self.last if self.last_score >= 0.25 else -1, 2.0)


class IgnoresTheSeed(DrawsOtherwise):
    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        super().__init__(config, np.random.default_rng(0))


class DrawsFromAllEligible(DrawsOtherwise):
    """Breaks exploration-set; its draws that fall into the set are uniform there."""

    def _choose(self, allocation: Allocation) -> int:
        if allocation.kind == "exploration":
            return self.draw(allocation.eligible)
        return super()._choose(allocation)


#: In every kind of draw.
BIASED = [
    DrawsTheFirst,
    DrawsInTurn,
    RepeatsDraws,
    PrefersTheCheapest,
    PrefersOneProvider,
    DrawsTheLeastServed,
    RejectsToAHalf,
    ObeysTheLastScore,
    StaysAfterAHighScore,
    RoundsTheDraw,
    IgnoresTheSeed,
]
#: With nobody eligible the scores are low; these two tell only high ones apart.
BLIND_WHEN_EMPTY = (ObeysTheLastScore, StaysAfterAHighScore)


def subject(factory: type[Platform]) -> Subject:
    return Subject(factory, f"gallery:{factory.__name__}")


def only_when(kind: str, biased: type[DrawsOtherwise]) -> type[Platform]:
    """Return a mechanism that is biased in one kind of draw."""

    class Sometimes(biased):  # type: ignore[misc, valid-type]
        def _choose(self, allocation: Allocation) -> int:
            return super()._choose(allocation) if allocation.kind == kind else Platform._choose(self, allocation)

    return Sometimes


each_check = pytest.mark.parametrize("check", DRAW_CHECKS, ids=lambda check: check.name)


def passes(check: Check, mechanism: Subject, seed: int) -> bool:
    outcome = check.run(mechanism, seed, QUICK)
    return outcome.failure is None and outcome.compared == QUICK.draws


@each_check
def test_the_reference_passes(check: Check) -> None:
    assert passes(check, REFERENCE, 0)


@each_check
def test_fair_draws_of_another_generator_pass(check: Check) -> None:
    assert passes(check, subject(DrawsOtherwise), 0)


@each_check
@pytest.mark.parametrize("biased", long_but(5, BIASED, reason="all biases"))
def test_bias_is_found(biased: type[Platform], check: Check) -> None:
    if check is EXPLORATION or biased not in BLIND_WHEN_EMPTY:  # draws with nobody eligible cannot show all of them
        assert check.run(subject(biased), 0, QUICK).failure is not None


def test_each_kind_of_draw_is_one_checks_business() -> None:
    kinds = {"exploration": EXPLORATION, "empty": EMPTY}
    for kind, responsible in kinds.items():
        biased = subject(only_when(kind, RejectsToAHalf))
        assert [check for check in DRAW_CHECKS if check.run(biased, 1, QUICK).failure is not None] == [responsible]


def test_a_wrong_set_is_another_checks_business() -> None:
    assert EXPLORATION.run(subject(DrawsFromAllEligible), 0, QUICK).failure is None


def test_the_failure_names_the_bias_and_its_history_replays() -> None:
    failure = EXPLORATION.run(subject(PrefersTheCheapest), 3, QUICK).failure
    assert failure is not None
    assert re.match(
        r"in [\d,]+ draws \(.*\), one of those with the lowest standing bid was drawn [\d,]+ times, ", failure.message
    )
    assert failure.found["times"] > failure.expected["times"]
    assert failure.found["draws"] == failure.expected["draws"]
    json.dumps(failure.to_data())
    mechanism = subject(PrefersTheCheapest).start(failure.config, failure.seed)
    for provider, settlement in zip(failure.providers, failure.settlements, strict=True):
        assert mechanism.assign()[0] == provider
        mechanism.settle(*settlement)


@pytest.mark.parametrize(
    ("check", "biased", "shows"),
    [
        (EXPLORATION, IgnoresTheSeed, ": 1000"),
        (EMPTY, DrawsTheFirst, "{0: 1000, 1: 0}"),
        (EXPLORATION, RepeatsDraws, "served so far"),
    ],
)
def test_the_script_of_a_failure_runs(
    check: Check, biased: type[Platform], shows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = check.run(subject(biased), 0, QUICK).failure
    assert failure is not None
    exec(to_script(f"{__file__}:{biased.__name__}", check.name, check.claim, failure), {})
    assert shows in capsys.readouterr().out


@each_check
def test_a_run_is_a_function_of_its_seed(check: Check) -> None:
    first, again = (check.run(subject(RepeatsDraws), 5, QUICK) for _ in range(2))
    assert first == again


def test_a_mechanism_that_never_draws_ends_the_check() -> None:
    class ServesOne(Platform):
        def assign(self) -> tuple[int, float]:
            self._in_flight[self._step] = 0
            self._step += 1
            return 0, self._config.cost_bound

    outcome = EXPLORATION.run(subject(ServesOne), 0, QUICK)
    assert (outcome.failure, outcome.compared) == (None, 0)


def test_a_mechanism_that_stops_answering_fails_at_that_step() -> None:
    class Stops(Platform):
        def assign(self) -> tuple[int, float]:
            return super().assign() if self.knowledge().step < 5 else (self._config.n_providers, 0.0)

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

"""Draws and bids: a right mechanism passes, a biased one is found, as often as exact arithmetic says, and told."""

import itertools
import json
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings, strategies as st

from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from proofs_checks.claims.model.alternative_bids import alternative_bids
from proofs_checks.conformance.checks.check import Check
from proofs_checks.conformance.checks.deviations import BidDeviation, bid_separation, sampled_steps
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
from proofs_checks.conformance.checks.incentives import INCENTIVE_CHECKS
from proofs_checks.conformance.checks.robustness import RIVALS, STEPS, Position, truthful
from proofs_checks.conformance.checks.uniformity import WEIGHTS, UniformityTest, gamblers, log_return
from proofs_checks.conformance.descriptions import DEFAULT, QUICK
from proofs_checks.conformance.mutants import draws
from proofs_checks.conformance.mutants.correct import RandomOfTies
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.interaction import Interaction, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.script import to_script
from proofs_checks.oracle.rule_oracle import money_rounding
from tests.refusals import assert_refused

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


@pytest.mark.long("runs every check of draws twice")
def test_each_kind_of_draw_is_one_checks_business() -> None:
    for biased, responsible in ((BiasedWhenExploring, EXPLORATION), (draws.EmptyDrawsTheFirst, EMPTY)):
        failing = [check for check in DRAW_CHECKS if check.run(subject(biased), 1, QUICK).failure is not None]
        assert failing == [responsible]


def test_a_wrong_set_is_another_checks_business() -> None:
    assert EXPLORATION.run(subject(DrawsFromAllEligible), 0, QUICK).failure is None


def test_the_failure_names_the_bias_and_its_history_replays() -> None:
    failure = EXPLORATION.run(subject(draws.PrefersTheCheapest), 3, QUICK).failure
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
        for name, (size, count, hit) in bets(past, (1, 2, 3), drawn):
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


def power(probability: float, *, size: int, draws: int, among: int, false_alarm: float) -> float:
    """Return a lower bound on how likely a test rejects `draws` that favour or avoid one of `size` members.

    The member is drawn with `probability`; the test has `among` gamblers (see `gamblers`) and the level `false_alarm`.
    The money of one gambler after the last draw is a function of a binomial count: the bound is exact arithmetic.
    """
    hits = np.arange(draws + 1)[:, None]
    money = hits * log_return(size, 1, True) + (draws - hits) * log_return(size, 1, False)
    found = money.max(axis=1) >= math.log(among / false_alarm)
    return float(scipy.stats.binom.pmf(np.arange(draws + 1), draws, probability)[found].sum())


def bet(size: int, hit: bool) -> list[tuple[str, tuple[int, int, bool]]]:
    """Return the bet of "first" on one member of a set of so many."""
    return [("first", (size, 1, hit))]


@given(st.integers(2, 9).flatmap(lambda size: st.tuples(st.just(size), st.integers(1, size - 1))))
def test_a_gambler_plays_at_fair_odds(sets: tuple[int, int]) -> None:
    size, named = sets
    returns = np.exp([log_return(size, named, drawn) for drawn in (False, True)])
    chance = named / size
    np.testing.assert_allclose((1 - chance) * returns[0] + chance * returns[1], 1, rtol=1e-14)
    # A return is a likelihood ratio: the member's probability under the weight over its fair one.
    for weight, (other, hit) in zip(WEIGHTS, returns.T, strict=True):
        total = weight * named + size - named
        assert hit == pytest.approx(weight / total * size)
        assert other == pytest.approx(1 / total * size)


def exact_mean_money(sequence: tuple[int, ...], sizes: list[int]) -> Fraction:
    """Return the mean money of gamblers on "first" and on "again" after a sequence of draws, in fractions."""
    weights = [Fraction(weight).limit_denominator(1000) for weight in WEIGHTS]
    total = Fraction(0)
    for rule, weight in itertools.product((0, 1), weights):
        money = Fraction(1)
        for t, (drawn, size) in enumerate(zip(sequence, sizes, strict=True)):
            named = 0 if rule == 0 or t == 0 else sequence[t - 1]
            if named < size:
                money *= (weight if drawn == named else 1) * Fraction(size) / (weight + size - 1)
        total += money
    # One stream: its gamblers and those of all streams together see the same.
    return 2 * total / gamblers(["first", "again"], ["only"])


def test_the_mean_money_is_a_martingale_and_equals_the_exact_one() -> None:
    sizes, chance, mean = [3, 2, 3, 2, 3], Fraction(1), Fraction(0)
    for size in sizes:
        chance /= size
    for sequence in itertools.product(*(range(size) for size in sizes)):
        exact = exact_mean_money(sequence, sizes)
        mean += exact * chance
        test = UniformityTest(["first", "again"], ["only"], 1e-3)
        for t, (drawn, size) in enumerate(zip(sequence, sizes, strict=True)):
            named = {"first": 0, "again": sequence[t - 1] if t else 0}
            betting = [name for name, member in named.items() if member < size]
            test.observe("only", [(name, (size, 1, named[name] == drawn)) for name in betting])
        assert math.exp(test.log_wealth()) == pytest.approx(float(exact), rel=1e-9)
    assert mean == 1


def reject(random: np.random.Generator, chances: list[float], draws: int, false_alarm: float) -> bool:
    test = UniformityTest(["first"], ["only"], false_alarm)
    for drawn in random.choice(len(chances), size=draws, p=chances).tolist():
        test.observe("only", bet(len(chances), drawn == 0))
        if test.due() and test.rejected():
            return True
    return test.rejected()


def test_fair_draws_are_rejected_no_more_often_than_stated() -> None:
    random, alpha, runs = np.random.default_rng(2), 0.05, 600
    alarms = sum(reject(random, [1 / 3] * 3, 150, alpha) for _ in range(runs))
    # Were the probability above alpha, so few alarms or fewer could still happen; so many hardly.
    assert scipy.stats.binom.sf(alarms - 1, runs, alpha) > 1e-6


@pytest.mark.parametrize(("probability", "size", "draws"), [(0.7, 2, 200), (0.45, 3, 400), (0.05, 5, 260)])
def test_the_stated_power_is_a_lower_bound(probability: float, size: int, draws: int) -> None:
    random, alpha, runs = np.random.default_rng(3), 1e-3, 200
    chances = [probability] + [(1 - probability) / (size - 1)] * (size - 1)
    stated = power(probability, size=size, draws=draws, among=gamblers(["first"], ["only"]), false_alarm=alpha)
    found = sum(reject(random, chances, draws, alpha) for _ in range(runs))
    assert 0.2 < stated < 1
    assert scipy.stats.binom.cdf(found, runs, stated) > 1e-6


def test_the_suspicion_is_that_of_the_stream_that_is_biased() -> None:
    test, random = UniformityTest(["first", "second"], ["fair", "biased"], 1e-6), np.random.default_rng(0)
    for stream, chance in (("fair", 0.5), ("biased", 0.8)):
        for first in (random.random(400) < chance).tolist():
            test.observe(stream, bet(2, first))
    suspicion = test.suspicion()
    assert test.rejected()
    assert (suspicion.name, suspicion.where, suspicion.draws, suspicion.expected) == ("first", "biased", 400, 200.0)
    assert suspicion.hits > 280
    assert suspicion.probability == pytest.approx(math.exp(-test.log_wealth()))


def test_evidence_adds_up_over_streams() -> None:
    streams = ["one", "two", "three"]
    test, random = UniformityTest(["first"], streams, 1e-6), np.random.default_rng(1)
    for stream in streams:
        for first in (random.random(300) < 0.62).tolist():
            test.observe(stream, bet(2, first))
    assert test.suspicion().where is None
    assert test.suspicion().draws == 900
    assert test.rejected()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_the_false_alarm_is_a_probability(alpha: float) -> None:
    assert_refused(r"false_alarm=.* must lie in \(0, 1\)", UniformityTest, ["first"], ["only"], alpha)


CHECKS = {check.name: check for check in INCENTIVE_CHECKS}
REFERENCE = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


@pytest.mark.parametrize("name", ["selection-threshold", "monotone-allocation"])
def test_nothing_is_compared_where_nobody_wins_or_loses_by_its_bid(name):
    """Who serves everything at c_max has no threshold: that is no pass."""

    class ServesAll(Plain):
        def _decide(self):
            return 0, self.bound

    outcome = CHECKS[name].run(Subject(ServesAll, "ServesAll"), 0, QUICK)
    assert outcome.failure is None
    assert (outcome.compared == 0) == (name == "selection-threshold")


def test_a_mechanism_that_fails_on_another_bid_is_a_failure():
    class RejectsZero(Plain):
        def settle(self, score, bid):
            if bid == 0.0 and self.step > self.n_providers + 2:
                raise ValueError("bid")
            super().settle(score, bid)

    failure = CHECKS["no-profitable-misreport"].run(Subject(RejectsZero, "RejectsZero"), 0, QUICK).failure
    assert failure.misbehaviour == "raised"


# By hand: two providers, c_max = 1, equal radii after initialization.


def interaction(bids: tuple[float, float], costs: tuple[float, float], horizon: int) -> Interaction:
    config = MechanismConfig(2, 0.0, 0.5, 1.0, 0.01, 0.5)
    queries = tuple((Query(1.0, cost, bid),) for bid, cost in zip(bids, costs, strict=True))
    return play_scenario(REFERENCE, Scenario(config, 0, queries, horizon))


def test_a_deviation_answers_by_hand():
    """At step 3 the radii are equal: a bid wins below the other's, and is paid it."""
    deviation = BidDeviation(REFERENCE, interaction((0.25, 0.5), (0.125, 0.5), 4), 1, 3)
    assert deviation.fresh
    assert (deviation.bid, deviation.estimate) == (0.25, 0.125)
    assert [deviation.wins(bid) for bid in (0.0, 0.4375, 0.5625, 1.0)] == [True, True, False, False]
    assert deviation.payment(0.0) == pytest.approx(0.5)
    assert deviation.gain(0.0) == pytest.approx(0.375)
    assert deviation.gain(1.0) == 0.0
    assert deviation.critical == pytest.approx(0.5)


def test_a_future_is_an_episode_of_the_rules():
    """The gains of a future against payments recomputed from its own log."""
    position = Position(REFERENCE, interaction((0.25, 0.5), (0.125, 0.5), 6), 2, 3)
    assert (position.provider, position.estimate) == (1, 0.5)
    [future] = position.futures([(truthful(position), RIVALS[0])])
    platform = Plain(position.interaction.config, np.random.default_rng(0))
    platform.assign()
    platform.settle(1.0, 0.25)
    platform.assign()
    expected = 0.0
    for settlement, utility in zip(future.settlements, future.utilities, strict=False):
        platform.settle(*settlement)
        winner, payment = platform.assign()
        expected += payment - 0.5 if winner == 1 else 0.0
        assert utility == pytest.approx(expected, abs=1e-12)
    assert len(future.utilities) == STEPS
    assert any(future.services)
    assert future.worst == min(future.utilities) == future.utilities[future.horizon - 3]


@settings(max_examples=40, deadline=None)
@given(horizon=st.integers(2, 60), most=st.integers(1, 6), latest=st.integers(2, 60))
def test_sampled_steps_lie_after_initialization_and_include_every_kind(horizon, most, latest):
    played = interaction((0.25, 0.5), (0.125, 0.5), horizon)
    steps = sampled_steps(played, most, latest)
    assert steps == sorted(set(steps))
    assert all(2 < step <= min(horizon, latest) for step in steps)
    assert bool(steps) == (min(horizon, latest) > 2)
    assert len(steps) <= most


def test_bids_that_differ_are_further_apart_than_all_rounding_of_a_comparison():
    config = MechanismConfig(2, 0.0, 0.5, 1.0, 0.01, 0.5, 0.5)
    assert bid_separation(config) == pytest.approx(1000 * money_rounding(config))
    assert money_rounding(config) == pytest.approx(1.5e-9)


def test_alternative_bids_stay_in_range_and_hold_the_corners():
    assert alternative_bids(2.0, [-1.0, 0.5, 2.0, math.inf], 0.25) == (0.0, 0.25, 0.5, 0.75, 1.0, 1.75, 2.0)

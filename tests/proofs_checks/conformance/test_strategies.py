"""Strategies draw what they promise, corners as often as the page says, and the machine reaches every rule."""

import collections
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import hypothesis
import numpy as np
import pytest
from hypothesis import find, given, strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from bounds.setting.model import Setting
from costproof.strategies import EDGES, FAMILIES, bid_profiles, bids, markets, mechanisms, misreports, settings, traces
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from proofs_checks.claims.model import precondition
from proofs_checks.conformance import DEFAULT, QUICK
from proofs_checks.conformance.checks.whole_interactions import WHOLE_INTERACTIONS
from proofs_checks.conformance.mutants import contract, corners, drift, exploration, pricing
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.played import Played
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.strategies.machine import BrokenRuleError, mechanism_machine
from proofs_checks.conformance.strategies.runs import Bidding
from proofs_checks.oracle.step_rules import STEP_RULES, applying
from tests.bounds.by_hand import beta
from tests.drawn import drawn
from tests.parametrized import long_but
from tests.refusals import assert_refused

SUBJECT = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")
ROOT = Path(__file__).parents[3]
COVERED = {
    "truthful": precondition.TRUTHFUL_BIDS,
    "bayesian": precondition.BOUNDED_BELIEFS,
    "deviating": precondition.BOUNDED_DEVIATIONS,
    "combined": precondition.BELIEFS_AND_DEVIATIONS,
}


def gaps(setting: Setting) -> list[float]:
    """Return the cost gaps beyond the deviations in shares of c_max, and the quality gaps."""
    platform, providers = setting.platform, setting.providers
    least = providers[setting.optimal].mean_cost + platform.underbid + platform.overbid
    costs = [(providers[i].mean_cost - least) / platform.cost_bound for i in setting.competitors]
    return [*costs, *(platform.quality_threshold - providers[i].quality for i in setting.unqualified)]


#: By edge, what a market at it is.
AT: dict[str, Callable[[Setting], bool]] = {
    "ordinary": lambda s: not s.unmet_assumptions,
    "tie": lambda s: (
        min(b - a for a, b in itertools.pairwise(sorted(s.providers[i].mean_cost for i in s.qualified)))
        <= math.ulp(s.platform.cost_bound)
    ),
    "threshold": lambda s: any(abs(p.quality - s.platform.quality_threshold) <= 1.01e-9 for p in s.providers),
    "lone": lambda s: len(s.qualified) == 1,
    "none": lambda s: not s.qualified,
    "all": lambda s: not s.unqualified,
    "equal-costs": lambda s: len({p.mean_cost for p in s.providers}) == 1,
    "extremes": lambda s: all({p.quality, p.mean_cost / s.platform.cost_bound} <= {0.0, 1.0} for p in s.providers),
    "two": lambda s: s.n_providers == 2,
    "no-exploration": lambda s: s.platform.exploration_scale * 1000**s.platform.exploration_exponent < 1.001,
    "tiny-delta": lambda s: s.platform.confidence <= 1e-12,
    "small-gaps": lambda s: np.allclose(gaps(s), 1e-9, rtol=1e-5),
}


@pytest.mark.for_each("edge", EDGES)
def test_markets_lie_at_their_edge(edge: str) -> None:
    assert all(map(AT[edge], drawn(markets(edge, slacks=True), 10)))


@pytest.mark.long("shrinks a second each")
@pytest.mark.for_each("edge", EDGES)
def test_markets_shrink_to_a_small_one(edge: str) -> None:
    small = find(markets(edge), lambda setting: True)
    assert small.n_providers == 2
    assert (small.platform.quality_threshold, small.platform.cost_bound) == (0.5, 1.0)
    assert {p.mean_cost for p in small.providers} <= {0.0, 0.25, 0.25 + 1e-9, 0.5}


@given(settings(n_providers=(3, 4), assumptions=True, least_gap=0.2))
def test_settings_to_which_the_theory_applies(setting: Setting) -> None:
    assert not setting.unmet_assumptions
    assert not setting.unseparated
    assert setting.n_providers in (3, 4)
    assert min(gaps(setting)) >= 0.2 * (1 - 1e-12)


def test_an_edge_that_is_none_is_refused() -> None:
    assert_refused("near='ties' is unknown: did you mean tie", markets, "ties")


def within_bands(played: Played) -> list[bool]:
    """Return whether the means have lain in their bands before each step, and after the last."""
    setting, holds, sums = played.setting, [True], np.zeros((played.setting.n_providers, 3))
    for i, score, cost in zip(played.trace.provider, played.trace.score, played.trace.cost, strict=True):
        sums[i] += 1, score, cost
        provider, m = setting.providers[i], sums[i, 0]
        radius = beta(m, setting.n_providers, setting.platform.confidence) * (1 + 1e-11)
        inside = abs(sums[i, 1] / m - provider.quality) <= radius
        inside &= abs(sums[i, 2] / m - provider.mean_cost) <= setting.platform.cost_bound * radius
        holds.append(holds[-1] and bool(inside))
    return holds


class TestTraces:
    @given(traces(bidding=None) | traces(bidding=None, within_good_event=None))
    def test_the_good_event_is_that_of_the_running_means(self, played: Played) -> None:
        assert played.good_event.tolist() == within_bands(played)

    @given(st.sampled_from(get_args(Bidding)), st.data())
    def test_bids_lie_within_the_slacks_of_the_setting(self, bidding: Bidding, data: st.DataObject) -> None:
        played = data.draw(traces(markets(slacks=True), bidding=bidding, horizon=(5, 60)))
        assert played.good_event.all()
        assert max(5, played.setting.n_providers) <= played.horizon <= 60
        if bidding != "arbitrary":
            assert COVERED[bidding].failure(played.case) is None
        assert precondition.BIDS_IN_RANGE.failure(played.case) is None

    @pytest.mark.long("shrinks some seconds")
    def test_they_shrink_to_a_small_one(self) -> None:
        played = find(traces(), lambda played: bool(played.replay.auction.any()))
        assert (played.horizon, played.trace.payment.tolist()) == (3, [1.0, 1.0, 0.5])
        assert repr(played).endswith("3,0,0.5,0.75,0.25,0.25\n")

    def test_misreports_are_bids_at_which_something_may_change(self) -> None:
        for played in drawn(traces(horizon=40), 3):
            bound, critical = played.setting.platform.cost_bound, played.replay.critical_payments[-1, 0]
            found = np.array(drawn(misreports(played, 40, 0), 60))
            assert ((found >= 0) & (found <= bound)).all()
            assert not 0 < critical < bound or np.abs(found - critical).min() <= math.ulp(bound)


def test_mechanisms_are_those_of_the_gallery() -> None:
    assert {found.name for found in drawn(mechanisms(True), 200)} <= CORRECT.keys()
    wrong = drawn(mechanisms(False), 200)
    assert all(found is MUTANTS[found.name] and found.caught_by and found.description for found in wrong)
    assert {bool(found.caught_by) for found in drawn(mechanisms(), 100)} == {True, False}


#: By family, the kinds of steps that it is made for.
REACHED = {
    **dict.fromkeys(["auctions", "widened"], "auction tie"),
    **dict.fromkeys(["noisy", "exploring", "whole goals", "widened noisy"], "auction exploration"),
    **dict.fromkeys(["screening", "widened screening"], "strict-subset excluded"),
    **dict.fromkeys(["band edge", "long run"], "auction exploration excluded"),
    **{"lone": "lone", "empty": "empty", "quality drop": "auction excluded", "near threshold": "auction"},
}


@pytest.mark.long("plays a hundred interactions of every family")
@pytest.mark.parametrize("family", REACHED)
def test_every_family_reaches_the_steps_it_is_made_for(family: str) -> None:
    met: Counter[str] = Counter()
    for scenario in drawn(FAMILIES[family](), 100):
        for decision in itertools.chain.from_iterable(play_scenario(SUBJECT, scenario).decisions):
            strict = decision.kind == "exploration" and len(decision.providers) < len(decision.eligible)
            met["lone" if decision.lone else decision.kind] += 1
            met["strict-subset"] += strict
            met["tie"] += decision.kind == "auction" and len(decision.providers) > 1
            met["excluded"] += decision.kind == "auction" and len(decision.eligible) < scenario.config.n_providers
    assert all(met[kind] >= 100 for kind in REACHED[family].split()), met


def test_bids_lie_in_range_or_have_a_meaning_and_profiles_tie_in_a_good_part_of_the_draws() -> None:
    named = ("truthful", "critical", "critical + ulp", "critical - ulp")
    assert all(bid in named or 0 <= bid <= 2.0 for bid in drawn(bids(2.0), 100))
    profiles = drawn(bid_profiles(3, 1.0), 200)
    assert all(len(profile) == 3 and all(0 <= bid <= 1.0 for bid in profile) for profile in profiles)
    assert sum(len(set(profile)) < 3 for profile in profiles) > 100


def _tied(played: Played) -> bool:
    """Whether the least standing bids, or the least adjusted bids, of an auction are equal."""
    able = played.replay.eligible & played.replay.auction[:, None]
    both = (played.replay.standing_bids, played.replay.adjusted_bids)
    least = (np.sort(np.where(able, amounts, np.inf), axis=1)[:, :2] for amounts in both)
    return any(bool(((two[:, 0] == two[:, 1]) & np.isfinite(two[:, 1])).any()) for two in least)


#: By the words of the page, what is counted in settings.
OF_SETTINGS: dict[str, Callable[[Setting], bool]] = {
    "N = 2": AT["two"],
    "all qualified": AT["all"],
    "none qualified": AT["none"],
    "one qualified": AT["lone"],
    "the cheapest qualified cost is tied": lambda s: bool(s.qualified) and s.optimal is None,
    "all costs equal": AT["equal-costs"],
    "a quality at q_min, or within 1e-9 of it": AT["threshold"],
    "a quality of 0 or 1": lambda s: any(p.quality in (0.0, 1.0) for p in s.providers),
    "a cost of 0 or c_max": lambda s: any(p.mean_cost in (0.0, s.platform.cost_bound) for p in s.providers),
    "g(100 N) < 1": lambda s: s.platform.exploration_scale * 100**s.platform.exploration_exponent < 1,
    "delta at most 1e-12": AT["tiny-delta"],
}
#: The same of traces.
OF_TRACES: dict[str, Callable[[Played], bool]] = {
    "T = N": lambda p: p.horizon == p.setting.n_providers,
    "an exploration": lambda p: bool(p.replay.exploration.any()),
    "an auction": lambda p: bool(p.replay.auction.any()),
    "an auction with equal least bids": _tied,
    "an auction of one eligible provider": lambda p: bool(
        (p.replay.auction & (p.replay.eligible.sum(axis=1) == 1)).any()
    ),
    "nobody eligible": lambda p: bool(p.replay.empty.any()),
    "g(T) < 1": lambda p: p.replay.targets[-1] <= 1,
    "the good event fails": lambda p: not p.good_event.all(),
}
HOSTILE = traces(bidding="arbitrary", within_good_event=None)


@pytest.mark.long("draws 2,000 settings and 2,000 traces")
def test_the_page_says_how_often_each_edge_comes_up() -> None:
    """Counted anew, each share lies within 8 percentage points of what the page says."""
    page = (ROOT / "docs" / "reference" / "strategies.md").read_text(encoding="utf-8")
    told = {
        cells[0].strip(): [int(share.strip(" %")) for share in cells[1:]]
        for cells in (re.split(r"\s\|\s", row.strip("| ")) for row in page.splitlines() if row.endswith("% |"))
    }
    assert told.keys() == OF_SETTINGS.keys() | OF_TRACES.keys()
    counted = {**shares(OF_SETTINGS, settings(), markets()), **shares(OF_TRACES, traces(), HOSTILE)}
    off = {name: (told[name], found) for name, found in counted.items() if not np.allclose(told[name], found, atol=8)}
    assert off == {}


def shares(counted: dict[str, Callable[[Any], bool]], *columns: st.SearchStrategy[Any]) -> dict[str, list[float]]:
    """Return in how many of a hundred draws each is so, for every column."""
    found = [drawn(column, 1000) for column in columns]
    return {name: [100 * sum(map(so, values)) / len(values) for values in found] for name, so in counted.items()}


SHORT = hypothesis.settings(
    max_examples=30,
    stateful_step_count=30,
    database=None,
    deadline=None,
    print_blob=False,
    verbosity=hypothesis.Verbosity.quiet,
    suppress_health_check=list(hypothesis.HealthCheck),
)


long = pytest.mark.long("plays whole interactions")


#: By mutant, the rules that a failure may name.
BROKEN = {
    pricing.FirstPrice: {"critical-payment"},
    exploration.GoalOfTheLastStep: {"exploration-set", "exploration-payment"},
    drift.FirstScoresHalved: set(STEP_RULES),
    corners.EmptyPaysNothing: {"empty-payment"},
    contract.RaisesOnSettling: {"raised"},
}


def subject(factory: type[Any]) -> Subject:
    return Subject(factory, f"gallery:{factory.__name__}")


def rule_of(failure: Failure) -> str:
    return failure.misbehaviour or failure.message.rpartition("(rule ")[2].partition(")")[0]


def caught(broken: type[Any], seed: int) -> bool:
    # Wrong scores that are forgotten late need more interactions than a quick run has.
    effort = DEFAULT if broken is drift.FirstScoresHalved else QUICK
    failure = WHOLE_INTERACTIONS.run(subject(broken), seed, effort).failure
    return failure is not None and rule_of(failure) in BROKEN[broken]


def test_the_reference_passes() -> None:
    outcome = WHOLE_INTERACTIONS.run(Subject(reference_mechanism, "reference"), 0, QUICK)
    assert outcome.failure is None
    assert outcome.examples >= QUICK.examples
    assert outcome.compared > 20 * outcome.examples


@long
def test_other_ties_and_another_order_pass() -> None:
    def other(config: MechanismConfig, rng: np.random.Generator) -> Platform:
        return Platform(config, rng, ties="random", order=range(config.n_providers - 1, -1, -1))

    assert WHOLE_INTERACTIONS.run(Subject(other, "other"), 1, DEFAULT).failure is None


@pytest.mark.parametrize("broken", long_but(1, BROKEN, reason="plays whole interactions"))
def test_broken_mechanisms_are_caught(broken: type[Any]) -> None:
    assert caught(broken, 0)


def test_a_failure_is_small_and_replays() -> None:
    failure = WHOLE_INTERACTIONS.run(subject(pricing.FirstPrice), 0, DEFAULT).failure
    assert failure.config.n_providers == 2
    assert len(failure.settlements) <= 4
    assert failure.exact.startswith("confirmed")
    json.dumps(failure.to_data())
    mechanism = subject(pricing.FirstPrice).start(failure.config, failure.seed)
    for provider, settlement in zip(failure.providers, failure.settlements, strict=True):
        assert mechanism.assign()[0] == provider
        mechanism.settle(*settlement)
    assert mechanism.assign()[1] == failure.found


@long
def test_a_run_is_a_function_of_its_seed() -> None:
    for factory in (Platform, exploration.GoalOfTheLastStep):
        first, again, other = (WHOLE_INTERACTIONS.run(subject(factory), seed, QUICK) for seed in (4, 4, 5))
        assert first == again
        assert first.compared != other.compared


def test_interactions_reach_every_rule() -> None:
    reached: collections.Counter[str] = collections.Counter()

    class Watched(mechanism_machine(reference_mechanism)):
        def _assign(self) -> None:
            reached.update({name for decision in self.oracle.decisions() for name in applying(decision)})
            super()._assign()

    run_state_machine_as_test(hypothesis.seed(1)(Watched), settings=hypothesis.settings(SHORT, max_examples=45))
    assert set(reached) == set(STEP_RULES)
    assert min(reached.values()) >= 10, reached


@long
def test_the_machine_names_the_rule_in_a_test_of_anybodys() -> None:
    machine = hypothesis.seed(0)(mechanism_machine(pricing.FirstPrice))
    with pytest.raises(BrokenRuleError, match=r"step \d+: paid [\d.]+, expected [\d.]+ \(rule [a-z]+-payment\)"):
        run_state_machine_as_test(machine, settings=SHORT)


@long
def test_subclasses_add_rules() -> None:
    settled = []

    class Mine(mechanism_machine(reference_mechanism)):
        @rule(score=st.just(0.125))
        def strange_answer(self, score: float) -> None:
            self.settle(score, 0.0)
            settled.append(self.settlements[-1])

    run_state_machine_as_test(hypothesis.seed(0)(Mine), settings=SHORT)
    assert set(settled) == {(0.125, 0.0)}


def test_bids_at_the_critical_value_are_critical() -> None:
    machine = mechanism_machine(reference_mechanism)()
    machine.begin(MechanismConfig(2, 0.0, 0.05, 1.0, 0.01, 0.5), 0, [1.0, 1.0])
    machine.good_answer(1.0, 0.5)
    machine.good_answer(1.0, 0.25)
    assert machine.provider == 1
    machine.critical_bid(1.0, 0)
    # beta falls with the count: the provider that has served twice must underbid by the difference.
    [decision] = machine.oracle.decisions()
    assert decision.providers == (0, 1)
    machine.teardown()

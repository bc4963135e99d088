"""Further policies and bidders: what each step must be, said anew over a log, and compiled runs equal to plain ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.bidding import bids_are_covered, prepare_bidders
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import simulate
from mechanism.policies import ALL_POLICIES, FURTHER_POLICIES, POLICIES, find_policy
from mechanism.trace import Trace
from tests import pseudo_code
from tests.mechanism.random_episodes import trace_differences

SETTING = published("gpqa-strong").setting
FULL = published("gsm8k-full").setting
COMPILED = [name for name, policy in FURTHER_POLICIES.items() if policy.compiled]
PLAIN = [name for name in FURTHER_POLICIES if name not in COMPILED]
MARGIN = 1.25


class Known(pseudo_code.Known):
    """What a router knows before a step: the same, and invoices."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(MechanismConfig.of(setting), step=0)
        self.setting, self.bound = setting, setting.platform.cost_bound
        self.invoices: list[list[float]] = [[] for _ in self.everybody]

    def listed(self, i: int) -> float:
        provider = self.setting.providers[i]
        assert provider.listed_price is not None
        return provider.listed_price * provider.multiplicity

    def invoiced(self, i: int) -> float:
        return float(np.mean(self.invoices[i]))


Allowed = tuple[list[int], Callable[[int], float | None]]


def lowest(among: list[int], index: Callable[[int], float]) -> list[int]:
    least = min(map(index, among))
    return [i for i in among if index(i) <= least + 1e-9 * max(1.0, abs(least))]


def cheapest_bid(known: Known) -> Allowed:
    return lowest(known.everybody, known.bid), lambda i: known.bid(i)


def quality_greedy(known: Known) -> Allowed:
    return lowest(known.everybody, lambda i: -known.estimate(i)), lambda i: None


def greedy_cheapest(known: Known) -> Allowed:
    able = known.able() or known.everybody
    return lowest(able, known.invoiced), lambda i: None


def invoice_lcb(known: Known) -> Allowed:
    able = known.able() or known.everybody
    return lowest(able, lambda i: known.invoiced(i) - known.width(i)), lambda i: None


def auction(known: Known) -> Allowed:
    able = known.able()
    if not able:
        return known.everybody, lambda i: known.bound
    return lowest(able, known.index), lambda i: known.price(i, able)


def explored_first(known: Known, payment: Callable[[int, list[int]], float]) -> Allowed:
    able = known.able()
    explored = known.poor(able)
    if explored or not able:
        return explored or known.everybody, lambda i: known.bound
    return lowest(able, known.index), lambda i: payment(i, able)


def platform(known: Known) -> Allowed:
    return explored_first(known, known.price)


def pay_your_bid(known: Known) -> Allowed:
    return explored_first(known, lambda i, able: known.bid(i))


def no_quality_filter(known: Known) -> Allowed:
    return lowest(known.everybody, known.index), lambda i: known.price(i, known.everybody)


def uniform_eligible(known: Known) -> Allowed:
    return known.able() or known.everybody, lambda i: None


def lowest_price_eligible(known: Known) -> Allowed:
    return lowest(known.able() or known.everybody, known.listed), lambda i: None


def lowest_price(known: Known) -> Allowed:
    return lowest(known.everybody, known.listed), lambda i: None


def explore_runner_up(known: Known) -> Allowed:
    able = sorted(known.able(), key=known.index)
    if len(able) > 1 and known.count(able[1]) < known.goal():
        return [able[1]], lambda i: known.bound
    return auction(known)


RULES: Mapping[str, Callable[[Known], Allowed]] = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        *(platform, uniform_eligible, lowest_price_eligible, lowest_price, no_quality_filter),
        *(cheapest_bid, quality_greedy, greedy_cheapest, invoice_lcb, pay_your_bid, explore_runner_up),
    )
}


def breaches(setting: Setting, trace: Trace, rule: Callable[[Known], Allowed]) -> Iterator[int]:
    """Yield the steps of a log that a rule does not allow."""
    known = Known(setting)
    for row, provider in enumerate(trace.provider.tolist()):
        known.step = row + 1
        invoice = MARGIN * trace.cost[row]
        if row >= len(known.everybody):
            allowed, payment = rule(known)
            due = payment(provider)
            if provider not in allowed or trace.payment[row] != pytest.approx(invoice if due is None else float(due)):
                yield row + 1
        known.heard[provider].append((trace.score[row], trace.bid[row]))
        known.invoices[provider].append(invoice)


def played(name: str, setting: Setting = SETTING, horizon: int = 1_500, **more: object) -> Trace:
    return simulate(setting, horizon=horizon, seed=5, policy=ALL_POLICIES[name], **more)


@pytest.mark.parametrize("name", RULES)
def test_every_step_is_what_the_policy_says(name: str) -> None:
    assert list(breaches(SETTING, played(name, horizon=700), RULES[name])) == []


@pytest.mark.long("plays 60 runs step by step")
@pytest.mark.for_each("name", RULES)
def test_a_log_is_that_of_its_policy_alone(name: str) -> None:
    assert list(breaches(FULL, played(name, FULL), RULES[name])) == []
    for other in ALL_POLICIES:
        if other != name and name in FURTHER_POLICIES:
            assert next(breaches(SETTING, played(other), RULES[name]), None) is not None, other


def test_additive_exploration_comes_beside_the_auctions() -> None:
    trace, known, explored = played("explore-additively", horizon=800), Known(SETTING), [1, 1, 1, 1]
    wins = [0, 0, 0, 0]
    for row, provider in enumerate(trace.provider.tolist()):
        known.step = row + 1
        if row >= 4:
            goal = known.goal()
            due = [i for i in known.able() if explored[i] < goal]
            if due:
                assert provider in due
                assert trace.payment[row] == SETTING.platform.cost_bound
                explored[provider] += 1
            else:
                allowed, payment = auction(known)
                assert provider in allowed
                assert trace.payment[row] == pytest.approx(float(payment(provider)))
                wins[provider] += 1
        known.heard[provider].append((trace.score[row], trace.bid[row]))
    assert max(wins) > 100  # none of which counted
    assert min(explored) >= known.goal() - 1


@pytest.mark.for_each(
    ("name", "among"),
    [
        ("oracle-optimal", (SETTING.optimal,)),
        ("oracle-quality", (3,)),
        ("oracle-qualified", SETTING.qualified),
        ("uniform-random", range(4)),
    ],
)
def test_oracles_draw_among_whom_they_know_to_be_best(name: str, among: tuple[int, ...]) -> None:
    served = np.bincount(played(name).provider[4:], minlength=4)
    assert set(np.flatnonzero(served).tolist()) == set(among)
    # Fair draws lie farther from their mean with probability below 1e-6.
    fair = served.sum() / len(among)
    assert np.abs(served[list(among)] - fair).max() < 5 * np.sqrt(fair)


def test_the_oracle_of_costs_learns_who_is_able() -> None:
    """The cheapest provider of the eligible: in turn those whose quality is not yet refuted."""
    trace, known = played("oracle-costs", horizon=6_000), Known(SETTING)
    costs = [provider.mean_cost for provider in SETTING.providers]
    for row, provider in enumerate(trace.provider.tolist()):
        if row >= 4 and row % 97 == 0:
            assert provider == min(known.able(), key=costs.__getitem__)
        known.heard[provider].append((trace.score[row], trace.bid[row]))
    assert len(set(trace.provider[4:].tolist())) > 1


@pytest.mark.for_each("name", [*COMPILED, "platform"])
@pytest.mark.parametrize("kind", ["truthful", "biased:0.2", "biased:-0.3", "independent", "bayesian:0.9:40"])
def test_compiled_runs_are_equal_to_the_last_bit(name: str, kind: str) -> None:
    for setting in (SETTING, FULL):
        prepared, bidders = prepare_bidders(setting, kind)
        arguments = {"horizon": 1_000, "seed": 9, "run": 1}
        plain = simulate(prepared, policy=ALL_POLICIES[name], bidders=bidders, **arguments)
        compiled = CompiledEpisode(prepared, ALL_POLICIES[name], bidders=bidders)
        assert trace_differences(plain, compiled.trace(**arguments)) == []


@pytest.mark.for_each("name", PLAIN)
def test_what_is_not_compiled_is_refused_there(name: str) -> None:
    with pytest.raises(InputError, match="has no compiled counterpart"):
        CompiledEpisode(SETTING, ALL_POLICIES[name])


@pytest.mark.for_each("name", PLAIN)
def test_queries_in_flight(name: str) -> None:
    """Feedback of a query comes after later ones were assigned; without delay the ticket form decides the same."""
    assert len(played(name, horizon=300, delay=DelayLaw(most=3))) == 300
    at_once = played(name, horizon=300, delay=DelayLaw(most=0))
    plain = played(name, horizon=300)
    assert (at_once.provider.tolist(), at_once.payment.tolist()) == (plain.provider.tolist(), plain.payment.tolist())


def test_biased_bids_are_the_truthful_ones_and_a_share() -> None:
    bound = SETTING.platform.cost_bound
    for share in (0.1, -0.1):
        _, bidders = prepare_bidders(SETTING, f"biased:{share}")
        [bidder, *_], costs = bidders(SETTING, np.random.default_rng(0)), [10.0, 30.0, 70.0]
        bids = [bidder.observe(cost, 1.0) for cost in costs]
        means = [10.0, 20.0, 110 / 3]
        assert bids == pytest.approx([min(max(mean + share * bound, 0.0), bound) for mean in means])


def test_independent_bids_do_not_know_the_costs() -> None:
    _, bidders = prepare_bidders(SETTING, "independent")
    cheap, dear = (bidders(SETTING, np.random.default_rng(3))[0].observe(cost, 1.0) for cost in (0.0, 75.0))
    assert cheap == dear
    many = bidders(SETTING, np.random.default_rng(3))[0]
    bids = [many.observe(1.0, 1.0) for _ in range(2_000)]
    assert 0 <= min(bids) < 1 < 74 < max(bids) <= SETTING.platform.cost_bound


@pytest.mark.parametrize(("share", "strength"), [(0.0, 1.0), (0.2, 12.5), (1.0, 0.1), (0.5, 5.0), (0.35, 300.0)])
def test_bayesian_bids_are_posterior_means_of_the_prior_that_is_named(share: float, strength: float) -> None:
    """Also their gamma: the largest pull of the prior after m costs, written out for costs at both ends."""
    kind, bound = f"bayesian:{share}:{strength}", SETTING.platform.cost_bound
    prepared, bidders = prepare_bidders(SETTING, kind)
    [bidder, *_], costs = bidders(SETTING, np.random.default_rng(0)), [10.0, 30.0, 70.0]
    for m, bid in enumerate([bidder.observe(cost, 1.0) for cost in costs], 1):
        assert bid == pytest.approx((share * bound * strength + sum(costs[:m])) / (strength + m))
    counts = np.arange(1, 20_001)
    radii = np.sqrt(np.log(2 * np.pi**2 * 4 * counts**2 / (3 * SETTING.platform.confidence)) / (2 * counts))
    pulls = [abs((share * strength + mean * counts) / (strength + counts) - mean) / radii for mean in (0.0, 1.0)]
    assert prepared.platform.belief_slack == pytest.approx(np.max(pulls), rel=1e-9)
    assert bids_are_covered(prepared, kind)
    less = replace(prepared, platform=replace(prepared.platform, belief_slack=0.999 * np.max(pulls)))
    assert not bids_are_covered(less, kind)
    assert prepare_bidders(less, kind, keep_gamma=True)[0] == less


def test_which_bids_a_setting_covers() -> None:
    def slack(**more: float) -> Setting:
        return replace(SETTING, platform=replace(SETTING.platform, **more))

    bound = SETTING.platform.cost_bound
    assert bids_are_covered(SETTING, "truthful")
    assert not any(bids_are_covered(SETTING, kind) for kind in ("biased:0.1", "biased:-0.1", "fixed:3", "independent"))
    assert bids_are_covered(SETTING, "biased:0")
    assert bids_are_covered(slack(overbid=0.1 * bound), "biased:0.1")
    assert not bids_are_covered(slack(overbid=0.1 * bound), "biased:-0.1")
    assert bids_are_covered(slack(underbid=0.1 * bound), "biased:-0.1")


@pytest.mark.for_each("prior", ["", "0.5", "0.5:0", "0.5:-1", "1.1:5", "-0.1:5", "nan:5", "0.5:inf", "a:5", "0.5:5:1"])
def test_a_prior_out_of_its_range_is_refused(prior: str) -> None:
    with pytest.raises(InputError, match=r"SHARE in \[0, 1\] and STRENGTH above 0"):
        prepare_bidders(SETTING, f"bayesian:{prior}")


@pytest.mark.for_each("kind", ["biased:2", "biased:", "biased:nan", "honest:1", "independent:1", "fixed:-1"])
def test_unknown_bidders_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="biased:X or independent"):
        prepare_bidders(SETTING, kind)


def test_nobody_gets_further_policies_unasked() -> None:
    assert not FURTHER_POLICIES.keys() & POLICIES.keys()
    assert find_policy("invoice-lcb") is FURTHER_POLICIES["invoice-lcb"]
    tie = replace(SETTING, providers=tuple(replace(each, mean_cost=40.0) for each in SETTING.providers))
    with pytest.raises(InputError, match=r"has no unique i\*"):
        FURTHER_POLICIES["oracle-optimal"].check(tie)

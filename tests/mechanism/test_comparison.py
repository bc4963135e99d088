"""Policies on common outcomes: when pairs are decided, and each step of every policy said anew over a log."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import ttest_rel

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from mechanism.bidding import bids_are_covered, prepare_bidders
from mechanism.campaign.spec import Campaign
from mechanism.comparison import compare
from mechanism.comparison.compare import compare_policies
from mechanism.comparison.confidence_sequence import SHARES, WEIGHTS, decided_after, mean_interval
from mechanism.comparison.names import COMPARED, FIRST_COMPARED
from mechanism.comparison.ranges import largest_value
from mechanism.compiled.episode import CompiledEpisode
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import simulate
from mechanism.metrics.measures import measure, metrics_of
from mechanism.policies import ALL_POLICIES, FURTHER_POLICIES, POLICIES, Policy, find_policy
from mechanism.trace import Trace
from tests import pseudo_code
from tests.mechanism.random_episodes import trace_differences
from tests.refusals import assert_refused, refusal

SETTING = published("gpqa-strong").setting
PLATFORM = SETTING.platform
CAMPAIGN = Campaign(SETTING, horizon=2_000, runs=100, seed=3, window=500, policies=("uniform-eligible", "lowest-price"))
ERROR = 0.05


def own(policy: str, pay: float | None = None) -> Policy:
    """A policy of one's own: one of ours behind another interface, with other payments if asked."""

    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> object:
        mechanism = POLICIES[policy].make(setting, rng)
        if pay is not None:
            assign = mechanism.assign
            mechanism.assign = lambda: (assign()[0], pay)
        return mechanism

    return replace(POLICIES[policy], make=make, compiled=False)


def test_pairs_meet_the_same_outcomes() -> None:
    found = compare_policies(replace(CAMPAIGN, horizon=300, runs=10), metrics=COMPARED)
    for place, policy in enumerate(map(POLICIES.__getitem__, CAMPAIGN.policies)):
        traces = [simulate(SETTING, horizon=300, seed=3, run=run, policy=policy) for run in range(found.runs)]
        runs = [measure(SETTING, trace, window=500, policy=policy) for trace in traces]
        for row in found.metrics:
            mean = np.mean([getattr(run, row.metric) for run in runs])
            assert (row.first_mean, row.second_mean)[place] == pytest.approx(mean, rel=1e-9, abs=1e-12)
    for row in found.metrics:
        assert row.mean_difference == pytest.approx(row.first_mean - row.second_mean, abs=1e-6 * row.largest_difference)
        assert row.low <= row.mean_difference <= row.high


def test_the_paired_interval_is_that_of_scipy() -> None:
    """Of the same runs with the same share of the error; none for one pair, and cut to the range of the metric."""
    found = compare_policies(replace(CAMPAIGN, horizon=300, runs=8), metrics=["accuracy", "amount_paid"])
    values = [
        [
            getattr(
                measure(SETTING, simulate(SETTING, horizon=300, seed=3, run=run, policy=policy), window=500), metric
            )
            for policy in map(POLICIES.__getitem__, CAMPAIGN.policies)
            for run in range(found.runs)
        ]
        for metric in ("accuracy", "amount_paid")
    ]
    for row, both in zip(found.metrics, values, strict=True):
        test = ttest_rel(both[: found.runs], both[found.runs :])
        assert (row.paired_low, row.paired_high) == pytest.approx(
            test.confidence_interval(1 - found.error_each), rel=1e-9
        )
    (alone,) = compare_policies(replace(CAMPAIGN, horizon=300, runs=1), metrics=["accuracy"]).metrics
    assert (alone.paired_low, alone.paired_high) == (None, None)
    (two,) = compare_policies(replace(CAMPAIGN, horizon=300, runs=2), metrics=["accuracy"], error=1e-9).metrics
    assert (two.paired_low, two.paired_high) == (-1.0, 1.0)


def test_stops_at_the_run_that_decides_the_last_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare_policies(CAMPAIGN)
    assert [row.metric for row in found.metrics] == list(FIRST_COMPARED)
    assert found.decided == 3
    assert found.runs == max(row.decided_after for row in found.metrics) < 100
    assert found.error_each == pytest.approx(ERROR / 3)
    assert [row.lower for row in found.metrics] == ["uniform-eligible", "lowest-price", "lowest-price"]
    monkeypatch.setattr(compare, "_AT_ONCE", 7)  # how many are played at once is nobody's business
    again = compare_policies(CAMPAIGN)
    assert replace(again, seconds=0.0).to_data() == replace(found, seconds=0.0).to_data()


def test_plain_policies_give_the_same_numbers_as_compiled_ones() -> None:
    short = replace(CAMPAIGN, horizon=300, runs=8)
    mine = replace(short, policies=("my:router", "lowest-price"), own_policies={"my:router": own("uniform-eligible")})
    for ours, theirs in zip(compare_policies(short).metrics, compare_policies(mine).metrics, strict=True):
        assert theirs.first_mean == pytest.approx(ours.first_mean, rel=1e-12)
        assert theirs.low == pytest.approx(ours.low, rel=1e-9)


def test_policies_that_serve_alike_are_not_until_distinct() -> None:
    same = replace(
        CAMPAIGN, horizon=200, runs=30, policies=("my:router", "platform"), own_policies={"my:router": own("platform")}
    )
    found = compare_policies(same)
    assert (found.decided, found.runs) == (0, 30)
    assert all(row.mean_difference == 0 for row in found.metrics if row.metric != "amount_paid")
    assert all(row.low < 0 < row.high for row in found.metrics)


@pytest.mark.for_each("policy", POLICIES)
def test_ranges_are_kept(policy: str) -> None:
    setting = published("gsm8k-ladder").setting
    runs = CompiledEpisode(setting, POLICIES[policy]).tallies(horizon=500, seed=1, runs=range(20))
    for metric in COMPARED:
        most = largest_value(metric, setting, horizon=500, largest_payment=1.25 * setting.platform.cost_bound)
        values = [getattr(metrics_of(setting, run, window=500), metric) for run in runs]
        assert 0 <= min(values) <= max(values) <= most


def test_ranges_are_the_worst_that_can_happen() -> None:
    """Beside always serving the worst provider at the highest payment."""
    worst = {"quality_regret": 0, "generation_regret": 3}
    for metric, provider in worst.items():
        each = SETTING.providers[provider]
        short = max(PLATFORM.quality_threshold - each.quality, 0.0)
        dear = max(each.mean_cost - SETTING.providers[SETTING.optimal].mean_cost, 0.0)
        total = 100 * (short if metric == "quality_regret" else dear)
        assert largest_value(metric, SETTING, horizon=100, largest_payment=1.0) == pytest.approx(total)
    assert largest_value("excess_payment", SETTING, horizon=100, largest_payment=1.0) == 0


def test_what_cannot_differ_is_left_out_or_refused() -> None:
    everybody = replace(SETTING, platform=replace(PLATFORM, quality_threshold=0.0))
    campaign = replace(CAMPAIGN, settings=everybody, horizon=100, runs=2)
    assert [row.metric for row in compare_policies(campaign).metrics] == ["generation_regret", "amount_paid"]
    assert_refused("is always 0 in gpqa-strong", compare_policies, campaign, metrics=["quality_regret"])
    nobody = replace(campaign, settings=replace(SETTING, platform=replace(PLATFORM, quality_threshold=0.99)))
    assert_refused("is not defined in gpqa-strong", compare_policies, nobody, metrics=["share_of_optimal"])
    assert_refused("must be one of", compare_policies, campaign, metrics=["payoffs"])


@pytest.mark.parametrize("policies", [("platform",), ("platform", "platform"), ("platform", "lowest-price", "x")])
def test_two_different_policies_are_needed(policies: tuple[str, ...]) -> None:
    mine = {"x": POLICIES["no-quality-filter"]}
    assert_refused("two different policies", compare_policies, replace(CAMPAIGN, policies=policies, own_policies=mine))


@pytest.mark.parametrize("pay", [-1.0, 200.0])
def test_a_payment_out_of_its_range_is_no_silent_lie(pay: float) -> None:
    mine = {"policies": ("my:router", "platform"), "own_policies": {"my:router": own("platform", pay)}}
    with pytest.raises(InputError, match=r"of my:router, run 0, lies outside \[0, 93.76\]"):
        compare_policies(replace(CAMPAIGN, horizon=50, runs=2, **mine))


@pytest.mark.parametrize("chance", [0.01, *(pytest.param(c, marks=pytest.mark.long("all paths")) for c in (0.5, 0.9))])
def test_the_exact_probability_of_ever_being_wrong(chance: float) -> None:
    """Of numbers with two values the capital depends on how many of each there were: every path can be counted."""
    high, low = 2 * (1 - chance), -2 * chance  # their mean is 0
    largest = max(abs(high), abs(low))
    alive, rejected = {0: 1.0}, 0.0
    for runs in range(1, 151):
        after: dict[int, float] = {}
        for highs, weight in alive.items():
            for more, share in ((1, chance), (0, 1 - chance)):
                after[highs + more] = after.get(highs + more, 0.0) + weight * share
        alive = {}
        for highs, weight in after.items():
            # The last of these sequences decides: earlier ones were looked at before, and are gone if they decided.
            ordered = np.array([high] * highs + [low] * (runs - highs))
            if capital_reached(ordered, largest):
                rejected += weight
            else:
                alive[highs] = weight
    assert 0 < rejected + sum(alive.values()) <= 1 + 1e-9
    assert rejected <= ERROR


def capital_reached(differences: np.ndarray, largest: float) -> bool:
    """Whether a capital has reached 2 / error after the last number, written down anew."""
    scaled = (differences / largest + 1) / 2
    capitals = [
        sum(
            weight * math.prod(1 + share * (x / 0.5 - 1) for x in side)
            for share, weight in zip(SHARES, WEIGHTS, strict=True)
        )
        for side in (scaled.tolist(), (1 - scaled).tolist())
    ]
    return max(capitals) >= 2 / ERROR * (1 - 1e-12)


def test_no_bet_risks_all_and_all_together_begin_with_less_than_1() -> None:
    """So the capital is a nonnegative martingale whose mean is the sum of the weights."""
    assert 0 < sum(map(Fraction, WEIGHTS.tolist())) < 1
    assert 0 < SHARES.min() < SHARES.max() < 1


LISTS = st.lists(st.integers(-8, 8), min_size=1, max_size=40)


@given(LISTS)
def test_decisions_are_those_of_a_loop_over_runs(values: list[int]) -> None:
    differences = np.array(values, dtype=float)
    first = next((n for n in range(1, len(values) + 1) if capital_reached(differences[:n], 8.0)), 0)
    assert decided_after(differences, largest=8.0, error=ERROR) == first


@given(LISTS)
def test_an_interval_excludes_zero_once_it_is_decided(values: list[int]) -> None:
    low, high = mean_interval(values, largest=8.0, error=ERROR)
    assert -8 <= low <= high <= 8
    assert (low >= 0 or high <= 0) == bool(decided_after(values, largest=8.0, error=ERROR))
    mirrored = mean_interval([-value for value in values], largest=8.0, error=ERROR)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)
    shorter = mean_interval(values[:-1], largest=8.0, error=ERROR)
    assert shorter[0] <= low + 1e-9
    assert high <= shorter[1] + 1e-9


def test_an_interval_holds_the_means_that_no_bet_refutes() -> None:
    """Beside a grid of candidates, each tried by shifting the numbers so that the candidate is 0."""
    differences = np.random.default_rng(5).uniform(-0.2, 0.6, 80)
    low, high = mean_interval(differences, largest=1.0, error=ERROR)
    for candidate in np.linspace(-0.9, 0.9, 181):
        scaled, mean = (differences + 1) / 2, (candidate + 1) / 2
        reached = False
        for side, centre in ((scaled, mean), (1 - scaled, 1 - mean)):
            capital = np.cumprod(1 + SHARES[:, None] * (side / centre - 1), axis=1)
            reached = reached or bool((WEIGHTS @ capital >= 2 / ERROR).any())
        assert reached == (not low <= candidate <= high), candidate


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.2), (-0.1, 0.9), (0.0, 0.1)])
def test_means_that_differ_are_until_distinct(low: float, high: float) -> None:
    differences = np.random.default_rng(3).uniform(low, high, (50, 2_000))
    assert (decided_after(differences, largest=1.0, error=ERROR) > 0).all()


def test_what_leaves_the_range_is_refused() -> None:
    assert_refused(r"lies outside \[-1.0, 1.0\]", decided_after, [0.5, 1.5], largest=1.0, error=ERROR)
    assert_refused("differences=nan", decided_after, [0.5, math.nan], largest=1.0, error=ERROR)
    for largest, error in ((0.0, ERROR), (math.inf, ERROR), (1.0, 0.0), (1.0, 1.0)):
        refusal(mean_interval, [0.0], largest=largest, error=error)


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
    assert_refused("has no compiled counterpart", CompiledEpisode, SETTING, ALL_POLICIES[name])


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
    assert_refused(r"SHARE in \[0, 1\] and STRENGTH above 0", prepare_bidders, SETTING, f"bayesian:{prior}")


@pytest.mark.for_each("kind", ["biased:2", "biased:", "biased:nan", "honest:1", "independent:1", "fixed:-1"])
def test_unknown_bidders_are_refused(kind: str) -> None:
    assert_refused("biased:X or independent", prepare_bidders, SETTING, kind)


def test_nobody_gets_further_policies_unasked() -> None:
    assert not FURTHER_POLICIES.keys() & POLICIES.keys()
    assert find_policy("invoice-lcb") is FURTHER_POLICIES["invoice-lcb"]
    tie = replace(SETTING, providers=tuple(replace(each, mean_cost=40.0) for each in SETTING.providers))
    assert_refused(r"has no unique i\*", FURTHER_POLICIES["oracle-optimal"].check, tie)

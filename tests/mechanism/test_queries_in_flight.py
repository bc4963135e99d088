"""Queries in flight: what had arrived, told by plain Python; platforms that answer concurrently; laws of delay."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from bounds.errors import InputError
from bounds.published import published
from costproof.strategies import scenarios
from mechanism import episode
from mechanism.bidding import truthful_bidders
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, delay_law
from mechanism.episode import run_concurrent_episode, simulate
from mechanism.market.market import market_laws
from mechanism.metrics.measures import measure
from mechanism.platform import Platform
from mechanism.policies import POLICIES
from mechanism.replay import Replay, ReplayState
from mechanism.tabular.traces import read_trace
from mechanism.trace import NEVER_SETTLED, Trace
from tests.pseudo_code import refused
from tests.refusals import assert_refused, refusal

CONFIG = MechanismConfig(3, 0.6, 0.05, 2.0, 1.5, 0.6, 0.1)
LONG = pytest.mark.long("plays 20 runs step by step")
LAWS = ("0", "1", "3", "0-5", "0-5,in-order", "2-4,lost=0.1")


@st.composite
def delayed_logs(draw: st.DrawFn) -> Trace:
    """A log whose feedback comes late, out of order or never."""
    length = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    settled = np.arange(1, length + 1) + rng.integers(0, draw(st.integers(1, 12)), length)
    settled[rng.random(length) < draw(st.sampled_from([0.0, 0.2]))] = NEVER_SETTLED
    payment, score, bid, cost = (rng.random(length) for _ in range(4))
    costs = cost if draw(st.booleans()) else None
    return Trace(rng.integers(0, 3, length), payment, score, 2 * bid, costs, settled)


def arrived(trace: Trace, step: int) -> list[int]:
    """The rows that the decision at a step knows, in the order of arrival: the contract, read aloud."""
    known = [(int(when), row) for row, when in enumerate(trace.settled) if when < step]
    return [row for _, row in sorted(known)]


@given(delayed_logs())
def test_every_decision_knows_exactly_what_had_arrived(trace: Trace) -> None:
    replay = Replay(CONFIG, trace)
    for step in range(1, len(trace) + 1):
        rows, before = arrived(trace, step), trace.provider[: step - 1]
        for i in range(CONFIG.n_providers):
            mine = [row for row in rows if trace.provider[row] == i]
            total = 0.0
            for row in mine:
                total += trace.score[row]
            assert replay.counts[step - 1, i] == len(mine)
            assert replay.assigned[step - 1, i] == np.count_nonzero(before == i)
            assert replay.in_flight[step - 1, i] == np.count_nonzero(before == i) - len(mine)
            expected = (total / len(mine), trace.bid[mine[-1]]) if mine else (math.nan, math.nan)
            assert_array_equal([replay.quality_estimates[step - 1, i], replay.standing_bids[step - 1, i]], expected)


@given(delayed_logs())
def test_what_settles_is_told_in_the_order_of_arrival(trace: Trace) -> None:
    replay, last = Replay(CONFIG, trace), len(trace)
    rows = arrived(trace, last + 1)
    assert (replay.settlements.steps - 1).tolist() == rows
    counts, scores = [0] * 3, [0.0] * 3
    for place, row in enumerate(rows):
        i = int(trace.provider[row])
        counts[i], scores[i] = counts[i] + 1, scores[i] + trace.score[row]
        assert (replay.counts_after[place], replay.quality_estimates_after[place]) == (counts[i], scores[i] / counts[i])
        assert replay.settled_rows[place] == trace.settled[row] - 1
    assert replay.final_counts.tolist() == counts


@given(delayed_logs())
def test_feedback_before_the_next_query_is_a_log_without_the_column(trace: Trace) -> None:
    columns = trace.columns() | {"settled": np.arange(1, len(trace) + 1)}
    late, plain = Replay(CONFIG, Trace(**columns)), Replay(CONFIG, Trace(**{**columns, "settled": None}))
    assert (late.delayed, plain.delayed) == (True, False)
    for name in ("counts", "quality_estimates", "standing_bids", "counts_after", "final_counts", "assigned"):
        assert_array_equal(getattr(late, name), getattr(plain, name))


def test_a_row_cannot_settle_before_its_own_step() -> None:
    state = ReplayState.initial(3)
    with pytest.raises(InputError, match=r"settled at step 2=1 must be at least 2"):
        Replay(CONFIG, Trace([0, 1], [2.0, 2.0], [1.0, 1.0], [0.1, 0.1], None, [1, 1]), state)


@pytest.mark.for_each("name", ["platform", "no-quality-filter"])
@pytest.mark.parametrize("law", [LAWS[-1], *(pytest.param(law, marks=LONG) for law in LAWS[:-1])])
def test_policies_decide_on_what_has_arrived(name: str, law: str) -> None:
    setting, policy = published("gpqa-strong").setting, POLICIES[name]
    trace = simulate(setting, horizon=400, seed=4, policy=policy, delay=delay_law(law))
    found = refused(MechanismConfig.of(setting), trace, screens=policy.screens, explores=policy.explores)
    assert list(found) == []


def test_a_router_serves_who_is_eligible_by_what_has_arrived() -> None:
    setting = published("gpqa-strong").setting
    strict = replace(setting, platform=replace(setting.platform, quality_threshold=0.95))
    trace = simulate(strict, horizon=400, seed=4, policy=POLICIES["uniform-eligible"], delay=delay_law(LAWS[-1]))
    eligible = Replay(MechanismConfig.of(strict), trace).eligible[4:]
    assert (eligible[np.arange(396), trace.provider[4:]] | ~eligible.any(axis=1)).all()
    assert not eligible.all()


def test_immediate_feedback_is_the_plain_episode() -> None:
    setting = published("gsm8k-full").setting
    late, plain = simulate(setting, horizon=500, seed=2, delay=DelayLaw(most=0)), simulate(setting, horizon=500, seed=2)
    assert late.settled is not None
    assert Trace(**{**late.columns(), "settled": None}) == plain


def test_bidders_bid_the_mean_cost_of_what_they_have_finished() -> None:
    trace = simulate(published("gpqa-strong").setting, horizon=600, seed=3, delay=delay_law("0-9"))
    replay = Replay(MechanismConfig.of(published("gpqa-strong").setting), trace)
    np.testing.assert_allclose(replay.settlements.rows.bid, replay.cost_estimates_after, rtol=1e-12)


class TestPlatform:
    """The ticket form."""

    @staticmethod
    def platform(*, concurrent: bool = True) -> Platform:
        return Platform(CONFIG, np.random.default_rng(0), concurrent=concurrent)

    def test_feedback_names_its_query(self) -> None:
        platform = self.platform()
        served = [platform.assign()[0] for _ in range(3)]
        platform.settle(0.5, 0.25, query=3)
        platform.settle(1.0, 0.75, query=1)
        state = platform.knowledge()
        assert (served, state.counts, state.step) == ([0, 1, 2], (1, 0, 1), 4)
        assert_array_equal(state.quality_estimates, [1.0, math.nan, 0.5])
        assert_array_equal(state.standing_bids, [0.75, math.nan, 0.25])

    def test_which_query_may_be_left_out_where_one_is_in_flight(self) -> None:
        platform = self.platform()
        platform.assign()
        platform.settle(1.0, 0.1)
        platform.assign()
        platform.assign()
        assert_refused("must be given: 2 queries are in flight", platform.settle, 1.0, 0.1)

    def test_a_query_is_settled_once(self) -> None:
        platform = self.platform()
        platform.assign()
        platform.settle(1.0, 0.1, query=1)
        for query in (1, 0, 2, -1):
            assert_refused("is not a query in flight", platform.settle, 1.0, 0.1, query=query)


@st.composite
def saved_runs(draw: st.DrawFn) -> tuple[MechanismConfig, int, list[tuple[float, float]], list[int], int]:
    """A configuration, a seed, scores and bids with ties, when they arrive, and when the platform is saved."""
    drawn = draw(st.sampled_from(["auctions", "noisy", "exploring", "lone", "empty"]).flatmap(scenarios))
    config, steps = drawn.config, drawn.horizon
    outcomes = [(each.score, each.cost) for each in (drawn.query(0, served) for served in range(steps))]
    settled = draw(delay_laws()).settled(steps, np.random.default_rng(draw(st.integers(0, 99)))).tolist()
    return config, draw(st.integers(0, 99)), outcomes, settled, draw(st.integers(1, steps))


def delay_laws() -> st.SearchStrategy[DelayLaw]:
    return st.builds(DelayLaw, most=st.integers(0, 5), least=st.just(0), lost=st.sampled_from([0.0, 0.2]))


class TestRestart:
    """A platform made anew from a saved state answers as the one that was saved."""

    @given(saved_runs(), st.sampled_from(["first", "random"]))
    def test_no_later_answer_changes(self, run: Any, ties: Any) -> None:
        config, seed, outcomes, settled, saved = run
        platform = Platform(config, np.random.default_rng(seed), ties=ties, concurrent=True)
        restarted = None
        for step in range(1, len(outcomes) + 1):
            both = [platform] if restarted is None else [platform, restarted]
            for query in sorted(range(1, step), key=lambda q: (settled[q - 1], q)):
                if settled[query - 1] == step - 1:
                    for each in both:
                        each.settle(*outcomes[query - 1], query)
            if step == saved:
                restarted = Platform(config, np.random.default_rng(seed + 1), ties=ties, concurrent=True)
                restarted.assign()
                restarted.restore(json.loads(json.dumps(platform.state())))
                both = [platform, restarted]
            assert len({each.assign() for each in both}) == 1
            assert len({json.dumps(each.state()) for each in both}) == 1

    def test_a_state_stays_as_it_was_saved(self) -> None:
        platform = TestPlatform.platform()
        platform.assign()
        saved = platform.state()
        before = json.dumps(saved)
        platform.settle(1.0, 0.1)
        platform.assign()
        restored = TestPlatform.platform()
        restored.restore(saved)
        restored.settle(0.5, 0.25)
        assert json.dumps(saved) == before

    def test_what_is_no_state_is_refused(self) -> None:
        platform = TestPlatform.platform()
        with pytest.raises(InputError, match="lacks draw_key"):
            platform.restore({key: value for key, value in platform.state().items() if key != "draw_key"})
        assert_refused("an entry for each of 3 providers", platform.restore, {**platform.state(), "bids": [None]})


class TestCampaigns:
    """Campaigns with queries in flight are the plain episode, whoever runs them."""

    SETTING = published("gpqa-strong").setting

    def campaign(self, **given: Any) -> Campaign:
        law = DelayLaw(most=4, least=0, lost=0.05)
        return Campaign(self.SETTING, **{"horizon": 300, "runs": 3, "seed": 5, "window": 50, "delay": law, **given})

    def test_every_run_is_the_plain_episode(self) -> None:
        campaign = self.campaign()
        result = run_campaign(campaign)
        (part,) = campaign.parts
        for policy in part.policies:
            for run, found in enumerate(result.metrics["gpqa-strong", policy]):
                chosen = POLICIES[policy]
                trace = simulate(self.SETTING, horizon=300, seed=5, run=run, policy=chosen, delay=campaign.delay)
                told = measure(self.SETTING, trace, window=50, policy=chosen)
                # What is totalled at other steps differs in nothing.
                assert found.to_data() == told.to_data()

    def test_folders_and_processes_change_nothing(self, tmp_path: Path) -> None:
        kept = run_campaign(self.campaign(runs=1), out=str(tmp_path), curves=True)
        more = run_campaign(self.campaign(), out=str(tmp_path), jobs=2, curves=True)
        plain = run_campaign(self.campaign())
        assert kept.resumed == 0
        assert more.resumed == len(more.metrics)
        assert more.metrics == plain.metrics
        log = read_trace(next(tmp_path.rglob("platform-0*.csv.gz")), self.SETTING)
        assert log.settled is not None
        refusal(run_campaign, self.campaign(delay=None), out=str(tmp_path))


class TestLaws:
    @given(st.integers(0, 6), st.integers(0, 6), st.booleans(), st.integers(0, 2**32))
    def test_feedback_keeps_to_the_law(self, one: int, other: int, in_order: bool, seed: int) -> None:
        least, most = sorted((one, other))
        law = DelayLaw(most=most, least=least, in_order=in_order, lost=0.1)
        found = law.settled(300, np.random.default_rng(seed))
        late = found - np.arange(1, 301)
        kept = found != NEVER_SETTLED
        assert late[kept].min() >= least
        assert late[kept].max() <= most
        assert 3 <= np.count_nonzero(~kept) <= 90
        assert not in_order or (np.diff(found[kept]) >= 0).all()

    @pytest.mark.for_each(
        ("text", "law"),
        [
            ("3", DelayLaw(most=3)),
            ("0-5", DelayLaw(most=5, least=0)),
            ("0-5,in-order", DelayLaw(most=5, least=0, in_order=True)),
            ("3,lost=0.01", DelayLaw(most=3, lost=0.01)),
            ("1-2,in-order,lost=5e-1", DelayLaw(most=2, least=1, in_order=True, lost=0.5)),
        ],
    )
    def test_laws_have_names(self, text: str, law: DelayLaw) -> None:
        assert delay_law(text) == law

    @pytest.mark.for_each("text", ["", "-1", "x", "1-", "3,lost=2", "3,lost=--", "5-1", "3, in-order", "9" * 20])
    def test_what_is_no_law_is_refused(self, text: str) -> None:
        refusal(delay_law, text)


def test_a_run_that_breaks_off_leaves_what_was_assigned_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `numpy.empty` finds in memory may be anything, also what no trace may hold."""
    setting = published("gpqa-strong").setting

    class Fails(Platform):
        def settle(self, score: float, bid: float, query: int | None = None) -> None:
            raise RuntimeError("no answer")

    kept: list[Trace] = []
    mechanism = Fails(MechanismConfig.of(setting), np.random.default_rng(0), concurrent=True)
    market, bidders = market_laws(setting).market(0, 0), truthful_bidders(setting, np.random.default_rng(0))
    monkeypatch.setattr(
        episode.np, "empty", lambda size, dtype=float: np.full(size, -1 if dtype is np.int64 else np.nan)
    )
    with pytest.raises(RuntimeError, match="no answer"):
        run_concurrent_episode(mechanism, bidders, market, np.arange(3, 103), broken_off=kept.append)
    assert [len(trace) for trace in kept] == [3]

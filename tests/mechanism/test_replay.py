"""A replayed trace gives back the state that the platform had, to the last bit; under other rules; with other bids."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from costproof.strategies import histories, markets
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.platform import Platform
from mechanism.replay import ALGORITHM_1, Replay, ReplayState, RuleTable, beta
from mechanism.standing_bids import left_behind, stood_in_auction
from mechanism.tables import TabulatedFunction, window
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.conformance.play.played import played_by
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.oracle.step_audit import StepAudit
from tests.drawn import drawn
from tests.mechanism.test_queries_in_flight import delayed_logs
from tests.mechanism.trace_samples import standing_bids


def check(history: Scenario, ties: str = "first") -> Counter[str]:
    """Replay a platform's log: its payments come out bit for bit, and its last state; count the kinds of steps."""
    config, steps = history.config, history.horizon
    platform = Platform(config, np.random.default_rng(history.seed), ties=ties)  # type: ignore[arg-type]
    replay, final = played_by(platform, history).replay, platform.knowledge()
    assert replay.steps.tolist() == list(range(1, steps + 1))
    assert (replay.final_counts.tolist(), final.step) == (list(final.counts), steps + 1)
    assert_array_equal(replay.final_quality_estimates, final.quality_estimates, strict=True)
    critical = replay.of_served(replay.critical_payments)
    expected = np.where(replay.auction, np.minimum(critical, config.cost_bound), config.cost_bound)
    assert_array_equal(replay.trace.payment, expected)
    flags = ("initialization", "exploration", "auction", "empty")
    met = Counter({kind: int(getattr(replay, kind).sum()) for kind in flags})
    assert met.total() == steps
    return met


@given(histories(markets(slacks=True), horizon=(1, 40), bidding=None), st.sampled_from(["first", "random"]))
def test_a_replay_gives_back_the_platform(history: Scenario, ties: str) -> None:
    check(history, ties)


def test_a_replay_gives_back_long_runs_with_every_kind_of_step() -> None:
    met: Counter[str] = Counter()
    for history in drawn(histories(markets("none") | markets(slacks=True), horizon=150, bidding="arbitrary"), 20):
        met += check(history)
    assert all(met[kind] > 50 for kind in ("exploration", "auction", "empty")), met


@pytest.mark.parametrize(("provider", "row", "value"), [([0, 3, 1], 1, 3), ([0, 2, -1], 2, -1)])
def test_providers_of_another_setting_are_refused(provider: list[int], row: int, value: int) -> None:
    config = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)
    with pytest.raises(InputError, match=rf"provider\[{row}\]={value} must lie in 0\.\.2"):
        Replay(config, Trace(provider, [1] * 3, [1] * 3, [1] * 3))


def test_cost_estimates_need_costs() -> None:
    replay = Replay(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), Trace([0], [1], [1], [1]))
    with pytest.raises(InputError, match="cost=None is missing"):
        _ = replay.cost_estimates


CONFIG = MechanismConfig(3, 0.6, 0.05, 2.0, 1.5, 0.6, 0.1)
BY_STEP = (
    "steps",
    "served",
    "counts",
    "quality_estimates",
    "standing_bids",
    "radii",
    "cost_radii",
    "adjusted_bids",
    "targets",
    "initialization",
    "eligible",
    "under_sampled",
    "exploration",
    "empty",
    "auction",
    "critical_payments",
    "counts_after",
    "quality_estimates_after",
    "radii_after",
)
COSTS = ("cost_estimates", "cost_estimates_after")


@st.composite
def logs(draw: st.DrawFn) -> tuple[Trace, list[int]]:
    """A log of amounts whose sums are rounded, and where to cut it; feedback may be late or lost."""
    trace = draw(delayed_logs())
    cuts = sorted(draw(st.lists(st.integers(0, len(trace)), max_size=5)))
    return trace if draw(st.booleans()) else replace(trace, settled=None), cuts


def parts_of(trace: Trace, cuts: list[int]) -> list[Replay]:
    found: list[Replay] = []
    before = None
    for start, end in zip([0, *cuts], [*cuts, len(trace)], strict=True):
        found.append(Replay(CONFIG, trace.rows(slice(start, end)), before))
        before = found[-1].after
    return found


@given(logs())
def test_parts_are_the_whole(log: tuple[Trace, list[int]]) -> None:
    trace, cuts = log
    whole, parts = Replay(CONFIG, trace), parts_of(trace, cuts)
    for name in BY_STEP + (COSTS if trace.cost is not None else ()):
        assert_array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name), name)
    assert_array_equal(np.concatenate([part.settlements.steps for part in parts]), whole.settlements.steps)
    for name in ("steps", "counts", "score_sums", "bids"):
        assert_array_equal(getattr(parts[-1].after, name), getattr(whole.after, name))


def test_far_steps_and_counts() -> None:
    """Beyond what tables keep: the radii and targets of a part that begins at step 3 million."""
    before = ReplayState(3_000_000, np.array([2_900_000, 60_000, 40_000]), *(np.full(3, 1e4) for _ in range(3)))
    replay = Replay(CONFIG, Trace([0, 1, 0], [1.0] * 3, [1.0] * 3, [0.5] * 3), before)
    counts = [[2_900_000, 60_000, 40_000], [2_900_001, 60_000, 40_000], [2_900_001, 60_001, 40_000]]
    radii = np.sqrt(np.log(2 * np.pi**2 * 3 * np.square(counts, dtype=float) / 0.15) / (2 * np.array(counts)))
    np.testing.assert_allclose(replay.radii, radii, rtol=1e-13)
    goal = 1.5 * (np.arange(3_000_001, 3_000_004) / 3) ** 0.6
    assert_array_equal(replay.targets, np.ceil(goal))


def test_an_empty_window() -> None:
    assert len(window(TabulatedFunction(lambda n: n), 10, 9, kept=1)) == 0


STRONG = published("gpqa-strong").setting
STRONG_CONFIG = MechanismConfig.of(STRONG)
PARTS = [field.name for field in fields(RuleTable) if field.name not in ("logged", "parameters")]
ROWS = np.array([0, 3, 4, 150, 151, 299])


def replayed(law: str = "") -> Replay:
    more = {"delay": delay_law(law)} if law else {}
    return Replay(STRONG_CONFIG, simulate(STRONG, horizon=300, seed=3, **more))


@pytest.mark.parametrize("law", ["", "0-3"])
def test_some_rows_are_as_all_rows(law: str) -> None:
    whole = replayed(law)
    some = whole.at(ROWS)
    for part in PARTS:
        expected, found = getattr(whole, part), getattr(some, part)
        assert np.array_equal(expected[ROWS] if np.ndim(expected) else expected, found, equal_nan=True), part
    assert np.array_equal(whole.eligible[ROWS], some.eligible)
    assert np.array_equal(whole.targets[ROWS], some.targets)


def test_other_parameters_are_another_configuration() -> None:
    trace = replayed().trace
    changed = {"belief_slack": 0.5, "confidence": 0.2}
    under = Replay(STRONG_CONFIG, trace).under(replace(ALGORITHM_1, parameters=changed))
    other = Replay(replace(STRONG_CONFIG, **changed), trace)
    assert np.array_equal(under.width, other.width, equal_nan=True)
    assert np.array_equal(under.eligible, other.eligible)


def test_the_radius_at_any_number_is_that_of_the_tables() -> None:
    replay = replayed()
    served = replay.counts > 0
    assert beta(replay.counts, 4, STRONG_CONFIG.confidence)[served] == pytest.approx(replay.radii[served], rel=1e-12)


#: A part, what is put in its place, and the attributes that change with it.
REPLACED = {
    "radius": (lambda r: 2 * r.right_radii, {"hoped", "width", "index", "price_width", "price"}),
    "estimate": (lambda r: r.mean_scores - 9, {"hoped", "screened", "rivals"}),
    "bid": (lambda r: 0.5 * r.standing_bids, {"index", "ranked", "price"}),
    "goal": (lambda r: 0 * r.right_goals, {"behind"}),
    "tally": (lambda r: r.counts + 9, {"behind"}),
    "width": (lambda r: 0 * r.radius, {"index", "ranked", "price_width", "price"}),
    "rivals": (lambda r: np.zeros_like(r.eligible), {"price"}),
    "present": (lambda r: np.arange(4) > 0, {"behind", "rivals"}),
}


@pytest.mark.parametrize("part", REPLACED)
def test_a_replaced_part_changes_what_rests_on_it(part: str) -> None:
    """Each attribute that is named changes, and those that the part does not decide stay."""
    function, changed = REPLACED[part]
    right = replayed()
    other = right.under(replace(ALGORITHM_1, **{part: function}))
    differ = {name for name in PARTS if not np.array_equal(getattr(right, name), getattr(other, name), equal_nan=True)}
    assert changed <= differ
    assert not differ & {"count", "n", "flat", "cap", "initial"}


def test_a_step_by_hand() -> None:
    """P = width of who serves + least adjusted bid of its rivals; without a rival infinite."""
    config = MechanismConfig(2, 0.0, 0.05, 1.0, 0.01, 0.75)
    replay = Replay(config, Trace([0, 1, 0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.2, 0.3, 0.25]))
    assert replay.critical[2] == pytest.approx(0.3)  # both have served once: the radii cancel
    alone = replay.under(replace(ALGORITHM_1, rivals=lambda r: np.zeros_like(r.eligible)))
    assert alone.price[2] == np.inf


BID_CONFIG = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)


def in_auction(trace: Trace) -> dict[str, np.ndarray]:
    """The columns with the bid that stood when the row was decided."""
    return {**trace.columns(), "bid": np.array(standing_bids(trace))}


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1)), min_size=1, max_size=30))
def test_what_stands_next_was_left(rows: list[tuple[int, float]]) -> None:
    provider, bid = map(np.array, zip(*rows, strict=True))
    ones = np.ones(len(rows))
    trace = Trace(provider, ones, ones, bid)
    found, unknown = left_behind(BID_CONFIG, in_auction(trace))
    last = [max(at for at, (served, _) in enumerate(rows) if served == i) for i in set(provider.tolist())]
    assert unknown == len(last)
    known = np.setdiff1d(np.arange(len(rows)), last)
    assert found.bid[known].tolist() == bid[known].tolist()
    assert ((found.bid >= 0) & (found.bid <= BID_CONFIG.cost_bound)).all()


@pytest.mark.for_each("name", PUBLISHED_NAMES)
@pytest.mark.parametrize("variant", ["truthful", "deviating"])
def test_a_right_log_breaks_no_rule(name: str, variant: str) -> None:
    case = play(published(name).setting, variant, horizon=1500, seed=4, run=0)
    config = MechanismConfig.of(case.setting)
    columns = in_auction(case.trace)
    if variant == "deviating":
        columns.pop("cost")
    found, _ = left_behind(config, columns)
    assert not sum(StepAudit(case.setting, Replay(config, found)).counts.values())
    back = stood_in_auction(config, Trace(**{**columns, "bid": case.trace.bid}))
    first = np.isnan(columns["bid"])
    assert np.array_equal(back.bid[~first], columns["bid"][~first])


def test_a_bid_that_is_lacking_later_is_refused() -> None:
    ones = np.ones(3)
    columns = {"provider": np.array([0, 1, 0]), "payment": ones, "score": ones, "bid": np.array([np.nan] * 3)}
    with pytest.raises(InputError, match="bid at step 3=nan must be a number, as its provider has served before"):
        left_behind(BID_CONFIG, columns)

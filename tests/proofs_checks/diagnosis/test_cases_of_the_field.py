"""What happens to logs in the field, by kind: which rows, how many, which provider and when is drawn at random.

Each log is that of a right platform; what a person expects is the cause with its rows, provider, step and factor.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw
from mechanism.episode import run_concurrent_episode, simulate
from mechanism.market.market import market_laws
from mechanism.platform import concurrent_mechanism
from mechanism.tabular.logs import LogReading
from mechanism.tabular.steps import StepFault
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.audit.reading import log_parts
from proofs_checks.diagnosis.cause import Trial
from proofs_checks.diagnosis.diagnose import diagnose
from proofs_checks.diagnosis.log import RecordedLog
from tests.proofs_checks.audit.audited import with_columns
from tests.proofs_checks.diagnosis.accidents_corpus import KINDS, market

HORIZON = 1200
_THREE = (Provider("small", 0.6, 1.0), Provider("middle", 0.8, 3.0), Provider("large", 0.95, 5.0))
OTHER = Setting("other", PlatformParameters(0.5, 0.05, 10.0, 2.0, 0.75), _THREE)
STRONG = published("gpqa-strong").setting

Rng = np.random.Generator


class Case(NamedTuple):
    """A log, and what is expected of its first diagnosis."""

    log: RecordedLog
    cause: str
    told: dict[str, Any]
    kind: str = "log"
    said: str = ""


def drawn(rng: Rng, horizon: int = HORIZON) -> tuple[Setting, Trace]:
    """A setting and the log of a right platform."""
    setting = (STRONG, OTHER, market(rng))[rng.integers(3)]
    return setting, simulate(setting, horizon=horizon, seed=int(rng.integers(2**31)))


def name(setting: Setting, provider: Any) -> str:
    return setting.providers[int(provider)].name


def pricing(rng: Rng, trace: Trace) -> Any:
    """One of the providers that serve the later half."""
    return rng.choice(np.unique(trace.provider[HORIZON // 2 :]))


def log_of(setting: Setting, trace: Trace, **more: Any) -> RecordedLog:
    return RecordedLog.of(trace, setting, **more)


def _lost_rows(rng: Rng) -> Case:
    """Several rows are lost of a log that has its steps."""
    setting, trace = drawn(rng)
    lost = np.sort(rng.choice(np.arange(150, HORIZON - 200, 120), int(rng.integers(2, 5)), replace=False))
    lost += rng.integers(60, size=len(lost))
    rows = lost + 1 - np.arange(len(lost))
    faults = [
        StepFault(kind="missing", row=row, line=row + 1, step=step)
        for row, step in zip(rows.tolist(), (lost + 1).tolist(), strict=True)
    ]
    log = log_of(setting, trace.rows(np.delete(np.arange(HORIZON), lost)), faults=faults)
    return Case(log, "row missing", {"rows": tuple(rows.tolist())})


def _failed_requests(rng: Rng) -> Case:
    """Failed requests are left out, and the log has no steps."""
    setting, trace = drawn(rng)
    lost = rng.choice(np.arange(60, HORIZON), int(rng.integers(5, 17)), replace=False)
    return Case(log_of(setting, trace.rows(np.delete(np.arange(HORIZON), lost))), "row", {}, said="missing before row")


def _third_of_three_files(rng: Rng) -> Case:
    setting, trace = drawn(rng, 2 * HORIZON)
    first, size = int(rng.integers(500, 900)), int(rng.integers(500, 900))
    fault = StepFault(kind="missing", row=first + 1, line=first + 2, step=first + 1, rows=size)
    log = log_of(setting, trace.rows(np.delete(np.arange(2 * HORIZON), slice(first, first + size))), faults=[fault])
    return Case(log, "rows missing", {"rows": (first + 1,), "value": size})


def _cache_hits(rng: Rng) -> Case:
    """Answers that are given again are logged with the payment 0."""
    setting, trace = drawn(rng)
    number = int(rng.choice([2, 3, 12, 40, 85]))
    for row in np.sort(rng.integers(100, HORIZON, number))[::-1].tolist():
        trace = trace.rows(np.insert(np.arange(len(trace)), row, row - int(rng.integers(1, 60))))
        trace = with_columns(trace, payment=np.where(np.arange(len(trace)) == row, 0.0, trace.payment))
    return Case(log_of(setting, trace), "rows paid alike", {"value": 0.0})


def _logged_again(rng: Rng) -> Case:
    """Requests are logged again some rows later."""
    setting, trace = drawn(rng)
    order = np.arange(HORIZON)
    for row in np.sort(rng.choice(np.arange(100, HORIZON, 70), int(rng.integers(1, 9)), replace=False))[::-1]:
        order = np.insert(order, row, row - int(rng.integers(1, 60)))
    return Case(log_of(setting, trace.rows(order)), "row duplicated", {})


def played(kind: str, setting: Setting, rng: Rng) -> Trace:
    """Return the log of a kind of accident that a platform plays."""
    play = KINDS[kind].play
    assert play is not None
    return play(setting, rng, HORIZON)


def _changes(kind: str, parameter: str) -> Callable[[Rng], Case]:
    def case(rng: Rng) -> Case:
        # In the other market a larger q_min looks as if providers left one after the other.
        setting = OTHER if kind.startswith("q_min") else (STRONG, OTHER)[rng.integers(2)]
        log = log_of(setting, played(kind, setting, rng))
        # A change that shows at the end alone may be anything.
        return Case(log, "wrong setting", {}, "setting", parameter) if Trial(log).left > 50 else case(rng)

    return case


def _unit_changes(rng: Rng) -> Case:
    setting, trace = drawn(rng)
    first, factor = int(rng.integers(100, 900)), float(rng.choice([0.01, 100.0, 1000.0]))
    by = np.where(np.arange(HORIZON) < first, 1.0, factor)
    log = log_of(setting, with_columns(trace, payment=trace.payment * by, bid=trace.bid * by))
    return Case(log, "another unit", {"value": factor, "from_step": first + 1})


def _one_providers_money(*columns: str, cause: str, after: Sequence[int] = (0, 300, 700)) -> Callable[[Rng], Case]:
    def case(rng: Rng) -> Case:
        setting, trace = drawn(rng)
        who, factor, first = pricing(rng, trace), round(rng.uniform(0.7, 0.95), 3), int(rng.choice(after))
        by = np.where((trace.provider == who) & (np.arange(HORIZON) >= first), factor, 1.0)
        log = log_of(setting, with_columns(trace, **{column: trace.columns()[column] * by for column in columns}))
        return Case(log, cause, {"value": factor, "provider": name(setting, who)})

    return case


def _leaves(rng: Rng) -> Case:
    return Case(log_of(OTHER, played("a provider leaves", OTHER, rng)), "provider leaves", {}, "setting")


def _joins(rng: Rng) -> Case:
    setting = (OTHER, STRONG)[rng.integers(2)]
    last, trace = len(setting.providers) - 1, played("a provider joins", setting, rng)
    first = int(np.argmax(trace.provider == last)) + 1
    return Case(
        log_of(setting, trace), "provider joins", {"provider": name(setting, last), "rows": (first,)}, "setting"
    )


def _rounded(rng: Rng) -> Case:
    setting, trace = drawn(rng)
    step = float(rng.choice([0.3, 0.5, 0.05])) * 10.0 ** round(np.log10(setting.platform.cost_bound / 75))
    payment = np.floor(trace.payment / step + 1e-9) * step
    return Case(log_of(setting, with_columns(trace, payment=payment)), "payments rounded", {"value": step})


def _in_flight(rng: Rng) -> Case:
    setting, number = (STRONG, OTHER)[rng.integers(2)], int(rng.integers(1, 5))
    trace = simulate(setting, horizon=HORIZON, seed=int(rng.integers(99)), delay=DelayLaw(most=number))
    return Case(log_of(setting, replace(trace, settled=None)), "queries in flight", {"value": number})


def _scores_missing(rng: Rng) -> Case:
    """The platform knew scores that the log does not have."""
    setting, trace = drawn(rng)
    rows = rng.choice(np.arange(100, HORIZON), int(rng.integers(3, 60)), replace=False)
    settled = np.arange(1, HORIZON + 1)
    settled[rows] = NEVER_SETTLED
    score = np.where(np.isin(np.arange(HORIZON), rows), 0.0, trace.score)
    return Case(log_of(setting, with_columns(trace, score=score, settled=settled)), "scores missing", {})


def _outage(rng: Rng) -> Case:
    """For a while no feedback comes."""
    setting, seed = (STRONG, OTHER)[rng.integers(2)], int(rng.integers(99))
    first, size = int(rng.integers(100, 1000)), int(rng.integers(30, 200))
    settled = np.arange(1, 1501)
    settled[first : first + size] = NEVER_SETTLED
    bidders = truthful_bidders(setting, np.random.default_rng(seed))
    mechanism = concurrent_mechanism(MechanismConfig.of(setting), np.random.default_rng(seed))
    trace = run_concurrent_episode(mechanism, bidders, market_laws(setting).market(seed, 0), settled)
    log = log_of(setting, replace(trace, settled=None))
    return Case(log, "feedback lost", {"rows": (first + 1,), "value": size})


CASES = {
    "A: rows lost, with their steps": _lost_rows,
    "A: failed requests left out": _failed_requests,
    "A: a file of a log missing": _third_of_three_files,
    "A: cache hits paid 0": _cache_hits,
    "A: requests logged again": _logged_again,
    "B: c_max changes": _changes("c_max changes", "cost_bound"),
    "B: k changes": _changes("k changes", "exploration_scale"),
    "B: delta changes": _changes("delta changes", "confidence"),
    "B: gamma changes": _changes("gamma changes", "belief_slack"),
    "B: q_min changes": _changes("q_min changes", "quality_threshold"),
    "B: another unit of money": _unit_changes,
    "B: one provider's money": _one_providers_money("payment", "bid", cause="one provider's money"),
    "B: one provider's bids": _one_providers_money("bid", cause="one provider's money"),
    "B: one provider's payments": _one_providers_money("payment", cause="payments scaled", after=range(10, 700)),
    "B: a provider leaves": _leaves,
    "B: a provider joins": _joins,
    "G: some queries in flight": _in_flight,
    "G: scores that only the log lacks": _scores_missing,
    "G: an outage of feedback": _outage,
    "H: payments rounded down": _rounded,
}


@pytest.mark.long("tries every cause on logs of 1,200 steps")
@pytest.mark.parametrize("kind", CASES)
def test_what_happened_is_named(kind: str) -> None:
    rng = np.random.default_rng([0, *map(ord, kind)])
    case = next(each for each in iter(lambda: CASES[kind](rng), None) if Trial(each.log).left)
    first, *_ = diagnose(case.log)
    assert first.kind == case.kind, first
    # What explains as much is named in the same line.
    assert any(named.startswith(case.cause) for named in (first.cause, *first.alike)), first
    assert case.said in first.sentence
    assert first.explains >= 0.95, first
    for key, value in case.told.items():
        assert getattr(first, key) == (pytest.approx(value) if isinstance(value, float) else value), first


@pytest.mark.long("tries every cause on a log")
def test_rows_are_missing_under_a_setting_whose_exploration_never_ends() -> None:
    setting, trace = drawn(np.random.default_rng(0))
    wrong = replace(setting, platform=replace(setting.platform, exploration_scale=1e12))
    first, *_ = diagnose(log_of(wrong, trace.rows(np.delete(np.arange(HORIZON), slice(600, 700)))))
    assert first.cause.startswith("wrong setting"), first
    assert "exploration_scale" in first.sentence


@pytest.mark.parametrize("size", [70, 1000])
def test_a_bid_without_a_score_is_kept(size: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(size)
    trace = simulate(STRONG, horizon=300, seed=1)
    empty = rng.choice(np.arange(4, 300), 9, replace=False)
    cells = zip(trace.provider.tolist(), trace.payment.tolist(), trace.score.tolist(), trace.bid.tolist(), strict=True)
    lines = [f"{i},{paid!r},{'' if row in empty else score},{bid!r}" for row, (i, paid, score, bid) in enumerate(cells)]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["provider,payment,score,bid", *lines]) + "\n")
    *_, read = log_parts(path, STRONG, LogReading(), rows=size)
    assert np.array_equal(read.bid, trace.bid[-len(read) :])

"""The test of drift against its plain definition, on right and drifting logs, in parts and at the ends of the range."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bounds.published import published
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.audit.drift import FALSE_ALARM, DriftReport, DriftTest, Stream
from tests.proofs_checks.audit.audited import parts, with_columns

SETTING = published("gpqa-strong").setting
CONFIG = MechanismConfig.of(SETTING)
PROVIDERS = SETTING.providers


def drifting_log(queries: int, provider: int, factor: float, seed: int) -> Trace:
    """A right platform; from query 1,500 on one provider's costs are multiplied, up to c_max."""
    rng, rows = np.random.default_rng(seed), []
    platform, costs = Platform(CONFIG, rng), [[] for _ in PROVIDERS]
    for query in range(1, queries + 1):
        served, payment = platform.assign()
        cost = PROVIDERS[served].mean_cost * rng.uniform(0.6, 1.4)
        costs[served].append(min(cost * factor, CONFIG.cost_bound) if served == provider and query >= 1500 else cost)
        score, bid = float(rng.random() < PROVIDERS[served].quality), float(np.mean(costs[served]))
        platform.settle(score, bid)
        rows.append((served, payment, score, bid, costs[served][-1]))
    return Trace(*zip(*rows, strict=True))


def report_of(log: Trace, rows: int = 10**6) -> DriftReport:
    test, before = DriftTest(SETTING), None
    for part in parts(log, rows):
        replay = Replay(CONFIG, part, before)
        test.feed(replay, SETTING)
        before = replay.after
    return test.report


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_is_that_of_the_plain_definition(seed: int) -> None:
    rng, level = np.random.default_rng(seed), 2.0
    numbers = rng.beta(*((1, 30), (2, 2), (30, 1))[seed], 32 * 11 + 5)
    low, high = 0.0, 1.0
    for end in range(32, len(numbers) + 1, 32):
        for size in (32 * 2**k for k in range(4) if end % (32 * 2**k) == 0):
            block, number = range(end - size, end), end // size
            chance = level + math.log(
                (size // 32).bit_length() * ((size // 32).bit_length() + 1) * number * (number + 1)
            )
            ends = []
            for side in (numbers, 1 - numbers):
                widths = []
                for c, u in [(1, 0.8 / 2**k) for k in range(8)] + [(4.0**-k, u) for k in (1, 2, 3) for u in (0.8, 0.4)]:
                    guess = {t: side[t - t % 32 - 32 : t - t % 32].mean() if t >= 32 else 0.5 for t in block}
                    v = sum((side[t] - min(guess[t], c)) ** 2 for t in block)
                    widths.append(((-math.log(1 - u) - u) * v / c**2 + chance) * c / (u * size))
                ends.append(side[block].mean() - min(widths))
            low, high = max(low, ends[0]), min(high, 1 - ends[1])
    stream = Stream()
    list(stream.differences(numbers, np.arange(1, len(numbers) + 1), level, 0.5, 0.0))
    assert (stream.low[0], stream.high[0]) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.long("plays 8 logs")
@pytest.mark.parametrize("logged", [True, False])
@pytest.mark.parametrize("provider", [1, 2])
def test_a_cost_that_triples_is_named(provider: int, logged: bool) -> None:
    log = drifting_log(3000, provider, 3.0, seed=int(np.random.default_rng().integers(2**31)))
    found = report_of(log if logged else with_columns(log, cost=None))
    past = next(each for each in found.found if each.against == "past")
    assert (past.provider, past.quantity) == (PROVIDERS[provider].name, "cost" if logged else "implied cost")
    assert {each.provider for each in found.found} == {past.provider}
    assert past.step > 1500
    assert past.expected == pytest.approx(PROVIDERS[provider].mean_cost, rel=0.1)
    assert past.found > 1.5 * past.expected
    assert found == report_of(log if logged else with_columns(log, cost=None), rows=97)


@pytest.mark.long("draws 600 streams")
@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_false_alarms_and_power(shift: float) -> None:
    """Without a shift more than 20 of 200 report one with probability below 0.002; docs say 90% of shifts by 0.3."""
    rng, level = np.random.default_rng(), math.log(4 * 2 * 2 * 14 / FALSE_ALARM)
    alarms = 0
    for _ in range(200):
        scores = (rng.random(2048) < np.repeat([0.4, 0.4 + shift], 1024)).astype(float)
        found = Stream().differences(scores, np.arange(1, 2049), level, 0.4, 0.0)
        alarms += bool([against for against, *_ in found if shift == 0 or against == "past"])
    assert alarms >= 180 if shift else alarms <= 20


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("rows", [2, 31, 500])
def test_the_ends_of_the_range(value: float, rows: int) -> None:
    stated = (replace(each, quality=value, mean_cost=value * CONFIG.cost_bound) for each in PROVIDERS[:2])
    setting, costs = replace(SETTING, providers=tuple(stated)), np.full(rows, value * CONFIG.cost_bound)
    log = Trace(np.arange(rows) % 2, np.full(rows, CONFIG.cost_bound), np.full(rows, value), costs, costs)
    for case in (log, with_columns(log, cost=None)):
        test = DriftTest(setting)
        test.feed(Replay(MechanismConfig.of(setting), case), setting)
        assert test.report.found == ()
        assert test.report.untested == 0


def test_bids_that_are_no_means_of_costs_are_left_alone() -> None:
    log = drifting_log(600, 0, 1.0, seed=1)
    bids = log.bid + np.where(np.arange(600) > 400, 20.0, 0.0)
    report = report_of(with_columns(log, bid=bids, cost=None))
    assert (report.found, report.untested) == ((), len(PROVIDERS))

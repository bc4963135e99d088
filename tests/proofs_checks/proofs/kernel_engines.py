"""Every engine that decides or judges a step beside the extracted programs, and the same engines with a rule changed.

An engine is given as the module that holds it, so that a changed copy of its source can take its place.
`tests/mechanism/test_kernel.py` changes the compiled episode.
"""

from __future__ import annotations

import functools
import inspect
import random
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from mechanism import platform, policies, replay, rules
from mechanism.delays import DelayLaw
from mechanism.trace import Trace
from proofs_checks.oracle import rule_oracle, step_audit
from tests.proofs_checks.proofs.kernel_auctions import Answer, Auction, auctions, by_kernel, by_rules
from tests.proofs_checks.proofs.kernel_replay import (
    READ_EITHER_WAY,
    Said,
    enclosed,
    of_log,
    of_oracle,
    of_replay,
    of_truthful_bids,
    refused,
)
from tests.proofs_checks.proofs.kernel_runs import Case

#: Short runs that meet every rule.
CASES = (
    Case(market="equal costs", horizon=100),
    Case(market="alone", horizon=120),
    Case(market="nobody", horizon=60),
    Case(market="slack", horizon=120, bids="deviating"),
    Case(market="costs 0 and 1", horizon=120),
    Case(market="two of equal cost", horizon=40),
    Case(market="costs at the bound", horizon=60),
    Case(market="gpqa-strong", horizon=150),
)
LATE_CASES = (
    Case(market="equal costs", horizon=100, delay=DelayLaw(most=8, least=0)),
    Case(market="alone", horizon=100, delay=DelayLaw(most=5)),
    Case(market="two", horizon=60, delay=DelayLaw(most=3, least=0, lost=0.1)),
)
ALL_CASES = (*CASES, *LATE_CASES)
Differences = Iterator[str]


def _close(config: Any) -> Any:
    return enclosed(config, READ_EITHER_WAY)


@functools.cache
def _logged(case: Case) -> tuple[Trace, list[Said | None]]:
    trace = case.plain()
    return trace, case.judged(trace, _close)


def immediate(cases: Sequence[Case]) -> list[Case]:
    """Return the cases whose feedback comes before the next query."""
    return [case for case in cases if case.delay is None]


def of_rules(module: types.ModuleType, cases: Sequence[Case] = ()) -> Differences:
    """Yield the random queries of which `mechanism.rules`, or its copy, says something else."""
    for auction, answer in _asked():
        if by_rules(auction, module) != answer:
            yield str(auction)


@functools.cache
def _asked() -> list[tuple[Auction, Answer]]:
    return [(auction, by_kernel(auction)) for auction in auctions(400, seed=3)]


def of_platform(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield what differs in runs of the plain platform, immediate and late."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policies, "Platform", module.Platform)
        for case in cases:
            yield from of_trace(case, case.plain())


def of_trace(case: Case, trace: Trace) -> Differences:
    margin = case.laws.options.margin
    yield from of_log(trace, case.judged(trace), first=case.first, margin=margin).differences
    if case.bids == "truthful" and case.delay is None:
        yield from of_truthful_bids(trace, case.config.cost_bound)


def of_replays(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield what a replay of logs, immediate and late, says otherwise."""
    for case in cases:
        trace, said = _logged(case)
        yield from of_replay(module.Replay(case.config, trace), said)


def of_oracles(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield what the oracle beside a log, in floats and exact, decides otherwise."""
    for case in immediate(cases):
        trace, said = _logged(case)
        for numbers in (module.FLOATS, module.EXACT):
            yield from of_oracle(module.RuleOracle(case.config, numbers), trace, said)


def of_late_oracle(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield what the oracle beside a log with queries in flight decides otherwise."""
    for case in cases:
        if case.delay is None:
            continue
        trace, said = _logged(case)
        settled = trace.settled.tolist()
        yield from of_oracle(module.RuleOracle(case.config, settled=lambda step: settled[step - 1]), trace, said)  # noqa: B023


def of_audit(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield the steps of honest and of tampered logs that the audit refuses and the rules permit, or the reverse."""
    return _audited(module.StepAudit, replay.Replay, cases)


def of_audited_replays(module: types.ModuleType, cases: Sequence[Case] = ALL_CASES) -> Differences:
    """Yield the same of the audit of another replay, whose prices it takes."""
    return _audited(step_audit.StepAudit, module.Replay, cases)


def _audited(audited: Any, replayed: Any, cases: Sequence[Case]) -> Differences:
    for case in immediate(cases):
        honest, _ = _logged(case)
        for trace in (honest, *tampered(honest, case)):
            audit = audited(case.setting, replayed(case.config, trace))
            said = case.judged(trace, _close)
            found, expected = {one.step for one in audit.violations()}, refused(trace, said)
            undecided = {row + 1 for row, one in enumerate(said) if one is None or _whole_goal(case, row + 1)}
            yield from (f"{case}: step {step}" for step in sorted((found ^ expected) - undecided))


def _whole_goal(case: Case, step: int) -> bool:
    """Whether g(t) is a whole number within rounding: the audit reads it either way."""
    low, high = enclosed(case.config).goal(step)
    return abs(low - round(low)) <= READ_EITHER_WAY * high


def tampered(trace: Trace, case: Case) -> Iterator[Trace]:
    """Yield a log with other payments, one in which others serve, and one in which these are paid what is right."""
    rng, n = random.Random(str(case)), case.config.n_providers
    payments, served = trace.payment.copy(), trace.provider.copy()
    for row in rng.sample(range(len(trace)), len(trace) // 6):
        payments[row] *= rng.choice([0.5, 0.99, 1.01, 2.0])
    for row in rng.sample(range(n, len(trace)), len(trace) // 6):
        served[row] = rng.randrange(n)
    yield Trace(trace.provider, payments, trace.score, trace.bid, trace.cost)
    others = Trace(served, trace.payment, trace.score, trace.bid, trace.cost)
    yield others
    prices = [one.price if one and one.price is not None else 0 for one in case.judged(others)]
    yield Trace(served, [float(price) for price in prices], trace.score, trace.bid, trace.cost)


#: An engine by name: the module that holds it, and what compares that or a copy.
ENGINES: dict[str, tuple[types.ModuleType, Callable[..., Differences]]] = {
    "rules": (rules, of_rules),
    "platform": (platform, of_platform),
    "replay": (replay, of_replays),
    "oracle": (rule_oracle, of_oracles),
    "late oracle": (rule_oracle, of_late_oracle),
    "audit": (step_audit, of_audit),
    "audited replay": (replay, of_audited_replays),
}


class Change(NamedTuple):
    """A part of the source of an engine, which stands there once, and what becomes of it."""

    engine: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.engine}: {' '.join(self.was.split())} -> {' '.join(self.now.split())}"


CHANGES = [
    Change("rules", "quality_estimate + radius >= threshold", "quality_estimate + radius > threshold"),
    Change("rules", "quality_estimate + radius >= threshold", "quality_estimate - radius >= threshold"),
    Change("rules", "quality_estimate + radius >= threshold", "quality_estimate >= threshold"),
    Change("rules", "zip(quality_estimates, radii,", "zip(quality_estimates, radii[::-1],"),
    Change("rules", "counts[i] < target", "counts[i] <= target"),
    Change("rules", "counts[i] < target", "counts[i - 1] < target"),
    Change("rules", "bid - radius for", "bid + radius for"),
    Change("rules", "bid - radius for", "bid for"),
    Change("rules", "zip(bids, cost_radii,", "zip(bids, cost_radii[::-1],"),
    Change("rules", "least = min([adjusted[i] for i in among])", "least = min(adjusted)"),
    Change("rules", "least = min([adjusted[i] for i in among])", "least = max([adjusted[i] for i in among])"),
    Change("rules", "if adjusted[i] == least])", "if adjusted[i] == least])[:1]"),
    Change("rules", "for j in among if j != provider]", "for j in among]"),
    Change("rules", "return cost_radius + min(rivals)", "return min(rivals)"),
    Change("rules", "cost_radius + min(rivals)", "cost_radius + max(rivals)"),
    Change("rules", "if rivals else None", "if rivals else cost_radius"),
    Change("rules", "j in among if j != provider]", "j in range(len(adjusted)) if j != provider]"),
    Change("rules", "not critical < cost_bound", "critical < cost_bound"),
    Change("rules", "critical is None or not critical < cost_bound", "critical is None"),
    Change("rules", "under_sampled(among, counts", "under_sampled(range(len(counts)), counts"),
    Change("rules", "if chosen := explored(able):", "if False:"),
    Change("rules", "lowest(among, adjusted)", "lowest(tuple(range(len(counts))), adjusted)"),
    Change("rules", "if not able:", "if len(able) < 2:"),
    Change("platform", "radius = self._quality_table[count]", "radius = 0.0"),
    Change("platform", "self._width * self._cost_table[count]", "0.0"),
    Change("platform", "self._width * self._cost_table[count]", "self._width * self._cost_table[count + 1]"),
    Change("platform", "self.counts[provider] += 1", "self.counts[provider] += 2"),
    Change("platform", "self.score_sums[provider] += score", "self.score_sums[provider] = score"),
    Change("platform", "self._targets[self.step] if", "self._targets[self.step] + 1 if"),
    Change("platform", "rules.auction_payment(critical, self.config.cost_bound)", "critical or 0.0"),
    Change("platform", "(1 + config.belief_slack) * config.cost_bound", "config.cost_bound"),
    Change("platform", "self.bids[provider] - cost_radius", "self.bids[provider]"),
    Change("platform", "return allocation.candidates[0]", "return allocation.candidates[-1]"),
    Change("platform", "<= self.config.n_providers else", "< self.config.n_providers else"),
    Change("replay", "self.quality_estimates_after + self.radii_after", "self.quality_estimates_after"),
    Change("replay", "r.tally < r.targets[:, None]", "r.tally <= r.targets[:, None]"),
    Change("replay", "lambda r: r.bid - r.width", "lambda r: r.bid"),
    Change("replay", "(1 + r.config.belief_slack) * r.config.cost_bound", "r.config.cost_bound"),
    Change("replay", "self.cost_radii + rival, np.nan", "rival, np.nan"),
    Change("replay", "least_of_others(self.contenders)", "across(np.minimum, self.contenders)[:, None]"),
    Change("replay", "np.ones(len(served), dtype=np.int64)", "2 * np.ones(len(served), dtype=np.int64)"),
    Change("replay", "able | (self.count == 0) if self.delayed else able", "able"),
    Change("replay", 'following, side="left"', 'following, side="right"'),
    Change("oracle", "total / count + radius - self._threshold", "total / count - self._threshold"),
    Change("oracle", "self._width * self._cost_radius(count)", "0 * self._cost_radius(count)"),
    Change("oracle", "(1 + number(config.belief_slack)) * self._bound", "self._bound"),
    Change("oracle", "count = self.counts[provider] + 1", "count = self.counts[provider] + 2"),
    Change(
        "oracle",
        "rules.auction_payment(self._critical(i, able), self._bound)",
        "self._critical(i, able) or self._bound",
    ),
    Change("oracle", "[i for i in able if adjusted[i] <= most]", "[i for i in able]"),
    Change("late oracle", "arrived(self.step - 1)", "arrived(self.step)"),
    Change("late oracle", "arrived(self.step - 1)", "arrived(self.step - 2)"),
    Change("audited replay", "self.of_served(self.price_width) + across", "across"),
    Change("audit", "np.minimum(replay.price, replay.cap)", "replay.price"),
    Change("audited replay", "others[np.arange(len(others)), self.provider] = np.inf", "pass"),
    Change("audit", "under_sampled=replay.of_served(under)", "under_sampled=inside"),
    Change("audit", "least=~(replay.of_served(replay.ranked) > least + slack.twice)", "least=inside"),
    Change(
        "audit",
        "paid_bound=~(np.abs(replay.payment - logged(replay.flat)) > slack.once)",
        "paid_bound=inside | ~inside",
    ),
    Change(
        "audit", "paid_price=~(np.abs(replay.payment - logged(price)) > slack.twice)", "paid_price=inside | ~inside"
    ),
    Change("audit", "eligible=inside", "eligible=inside | ~inside"),
]


def changed(change: Change) -> types.ModuleType:
    module, _ = ENGINES[change.engine]
    return _module(module, _replaced(inspect.getsource(module), change.was, change.now))


def _replaced(source: str, was: str, now: str) -> str:
    assert source.count(was) == 1, was
    return source.replace(was, now)


def _module(original: types.ModuleType, source: str) -> types.ModuleType:
    module = types.ModuleType(original.__name__)  # dataclasses look their module up by this name
    module.__dict__["__file__"] = original.__file__
    exec(compile(source, f"changed {original.__name__}", "exec"), module.__dict__)
    return module


def seen(change: Change) -> bool:
    """Whether a changed engine says something else than the rules, or fails."""
    _, differences = ENGINES[change.engine]
    module = changed(change)
    try:
        return next(differences(module), None) is not None
    except Exception:  # noqa: BLE001
        return True

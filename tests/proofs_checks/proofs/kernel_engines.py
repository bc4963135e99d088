"""Every engine that decides or judges a step beside the extracted programs, and the same engines with a rule changed.

An engine is given as the module that holds it, so that a changed copy of its source can take its place.
`tests/mechanism/test_kernel.py` changes the compiled episode.
"""

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
from tests.tabled import rows_of

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
    yield from of_log(trace, case.judged(trace), first=case.first, margin=margin)
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


CHANGES = [Change(*row) for row in rows_of(__file__, "engine_changes.csv")]


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

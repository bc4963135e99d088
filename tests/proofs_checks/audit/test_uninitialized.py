"""Logs in which some provider is not served once in the first N steps: what follows from the rules is not refuted."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.views.audit import show_audit
from proofs_checks.pages.page import page_of
from proofs_checks.verdict import Verdict
from tests.proofs_checks.audit.audited import parts, right_case, rows_of
from tests.proofs_checks.pages.parsed import parsed

#: What states the rules themselves, which such a log breaks.
RULES = ("alg", "eq", "asmp")
Tamper = Callable[[Trace, int, np.random.Generator], Trace]


def joins_late(trace: Trace, late: int, rng: np.random.Generator) -> Trace:
    """Nobody logs a provider before some step."""
    first = int(rng.integers(20, 200))
    rows = np.arange(len(trace))
    return rows_of(trace, rows[(trace.provider != late) | (rows >= first)])


def never_appears(trace: Trace, late: int, rng: np.random.Generator) -> Trace:
    return rows_of(trace, np.flatnonzero(trace.provider != late))


def served_twice(trace: Trace, late: int, rng: np.random.Generator) -> Trace:
    """A row of initialization is logged twice."""
    row = int(rng.integers(0, late + 1)) if late else 0
    rows = np.insert(np.arange(len(trace)), row, row)
    return rows_of(trace, rows)


def beginning_lost(trace: Trace, late: int, rng: np.random.Generator) -> Trace:
    start = int(rng.integers(40, 200))
    while trace.provider[start] != trace.provider[start + 1]:
        start += 1
    return rows_of(trace, np.arange(start, len(trace)))


def audited(number: int, tamper: Tamper, seed: int) -> tuple[AuditReport, Trace, list[str]]:
    """Return what is said of a right run that somebody tampered with, the log, and the providers' names."""
    case, rng = right_case(number), np.random.default_rng(seed)
    n = case.setting.n_providers
    trace = tamper(case.trace, int(rng.integers(0, n)), rng)
    return audit(parts(trace, 150), case.setting), trace, [each.name for each in case.setting.providers]


def first_steps(trace: Trace, n: int) -> list[int]:
    """Return the first step of each provider, 0 for one that never serves, found one by one."""
    found = [0] * n
    for step, provider in enumerate(trace.provider.tolist(), 1):
        found[provider] = found[provider] or step
    return found


@pytest.mark.usefixtures("undiagnosed")
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("tamper", [joins_late, never_appears, served_twice, beginning_lost], ids=lambda t: t.__name__)
def test_the_provider_and_its_first_step_are_named_and_nothing_that_follows_is_refuted(
    tamper: Tamper, number: int
) -> None:
    report, trace, names = audited(number, tamper, seed=number)
    n = len(names)
    first = first_steps(trace, n)
    again = next(step for step, served in enumerate(trace.provider[:n].tolist(), 1) if first[served] < step)
    late = [
        f"{name} first serves at step {step:,}" if step else f"{name} never serves"
        for name, step in zip(names, first, strict=True)
        if not 0 < step <= n
    ]
    assert late
    sentence = f"at step {again:,} {names[int(trace.provider[again - 1])]} serves again; {', '.join(late[:6])}"
    found = {each.label: each.evidence for each in report.claims}
    following = [label for label in found if label.split(":")[0] not in RULES]
    assert [label for label in following if found[label].verdict is Verdict.REFUTED] == []
    ended = [label for label in following if sentence in (found[label].reason or "")]
    assert len(ended) >= 15
    assert all(found[label].verdict is Verdict.ASSUMPTION_VIOLATED for label in ended)
    # The rules are judged at every step: the log is not accepted.
    assert not report.passed
    assert any(each.rule.startswith("initialization") for each in report.violations)


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize("tamper", [joins_late, beginning_lost])
def test_a_missing_beginning_is_diagnosed(tamper: Tamper) -> None:
    assert "missing" in audited(0, tamper, 0)[0].diagnosis[0].cause


@pytest.mark.parametrize("number", [0, 1])
def test_who_serves_first_in_another_order_is_initialized(number: int) -> None:
    case, rng = right_case(number), np.random.default_rng(number)
    n = case.setting.n_providers
    rows = np.concatenate([rng.permutation(n)[::-1], np.arange(n, len(case.trace))])
    report = audit(parts(rows_of(case.trace, rows), 150), case.setting)
    assert not any("serves again" in (each.evidence.reason or "") for each in report.claims)
    refuted = {each.label for each in report.claims if each.evidence.verdict is Verdict.REFUTED}
    assert all(all_claims()[label].finding for label in refuted)


def without(trace: Trace, rows: np.ndarray) -> Trace:
    """Return a log with queries in flight without some rows: what settles at a step settles at as many kept ones."""
    assert trace.settled is not None
    kept, steps = np.flatnonzero(~rows), np.cumsum(~rows)
    settled = trace.settled[kept]
    arrived = np.maximum(steps[np.minimum(settled, len(trace)) - 1], np.arange(1, len(kept) + 1))
    return replace(rows_of(trace, kept), settled=np.where(settled < NEVER_SETTLED, arrived, NEVER_SETTLED))


@pytest.mark.usefixtures("undiagnosed")
@pytest.mark.parametrize("late", [0, 3])
@pytest.mark.parametrize("until", [0, 60, 1000])
def test_a_provider_that_is_late_with_queries_in_flight_is_named(late: int, until: int) -> None:
    setting = right_case(0).setting
    run = simulate(setting, horizon=400, seed=5, delay=delay_law("0-5,lost=0.02"))
    trace = without(run, (run.provider == late) & (np.arange(400) < until))
    first = first_steps(trace, setting.n_providers)[late]
    report = audit([trace], setting)
    assert report.passed == (until == 0)
    when = f"{setting.providers[late].name} {f'first serves at step {first:,}' if first else 'never serves'}"
    assert any(when in (each.evidence.reason or "") for each in report.claims) == (until > 0)
    refuted = [each.label for each in report.claims if each.evidence.verdict is Verdict.REFUTED]
    assert all(label.split(":")[0] in RULES or all_claims()[label].finding for label in refuted)


@pytest.mark.usefixtures("undiagnosed")
@pytest.mark.parametrize("seed", [0, 1])
def test_a_provider_that_joins_a_log_with_queries_in_flight_is_named(seed: int) -> None:
    """Auctions are held while it has no count: no value of k explains them."""
    case, rng = right_case(0), np.random.default_rng(seed)
    setting = replace(case.setting, name="three", providers=case.setting.providers[:3])
    bound = setting.platform.cost_bound
    provider = np.concatenate([rng.integers(0, 2, 60), [2], rng.integers(0, 3, 20)])
    steps = np.arange(1, len(provider) + 1)
    trace = Trace(
        provider,
        np.where(rng.random(len(steps)) < 0.5, bound, 0.4 * bound),
        rng.integers(0, 2, len(steps)).astype(float),
        np.full(len(steps), 0.2 * bound),
        settled=steps + rng.integers(0, 3, len(steps)),
    )
    report = audit([trace], setting)
    assert not report.passed
    name = setting.providers[2].name
    assert any(f"{name} first serves at step 61" in (each.evidence.reason or "") for each in report.claims)


@pytest.mark.long("audits with all claims")
def test_who_serves_without_an_estimate_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """The third of three providers serves at step 4, and another one in its place at step 3."""
    setting = right_case(0).setting
    setting = replace(setting, name="three", providers=setting.providers[:3])
    bound = setting.platform.cost_bound
    trace = Trace([0, 1, 1, 2], [bound] * 4, [1.0] * 4, [0.1 * bound] * 4)
    report = audit([trace], setting, labels=["eq:qualified-set"])
    show_audit(report, everything=True)
    text = " ".join(capsys.readouterr().out.split())
    assert "right not defined: who served had not served before, and has no estimate" in text
    assert "None" not in text
    assert "right without a finite value" in parsed(page_of(report.to_data())).text()


@pytest.mark.long("audits with all claims")
@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_log_that_ends_before_initialization_does_lacks_nothing(steps: int) -> None:
    case = right_case(2)
    assert steps < case.setting.n_providers
    report = audit([case.trace.head(steps)], case.setting)
    assert not any("serves again" in (each.evidence.reason or "") for each in report.claims)
    assert report.passed
    again = replace(case.trace.head(steps + 1), provider=np.zeros(steps + 1, dtype=int))
    found = audit([again], case.setting)
    assert any("at step 2" in (each.evidence.reason or "") for each in found.claims)

"""Payments that are all off by the same factor or amount are told as that, and nothing else is."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

from bounds.published import published
from mechanism.episode import simulate
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.evidence import Explanation
from proofs_checks.audit.run import AuditReport, audit
from tests.proofs_checks.audit.audited import edited, right_case, with_columns

SETTING = published("gsm8k-full").setting
BOUND = SETTING.platform.cost_bound
FROM = 3000

Change = Callable[[np.ndarray], np.ndarray]


@functools.cache
def right() -> Trace:
    return simulate(SETTING, horizon=6000, seed=1)


def below() -> np.ndarray:
    return right().payment < BOUND


def changed(change: Change, rows: slice = slice(FROM, None), trace: Trace | None = None) -> Trace:
    trace = trace or right()
    payment = trace.payment.copy()
    payment[rows] = change(payment[rows])
    return with_columns(trace, payment=payment)


def audited(trace: Trace, tolerance: float = 0.0) -> AuditReport:
    return audit([trace], SETTING, labels=["lem:payment-range"], tolerance=tolerance)


def told(report: AuditReport) -> Explanation | None:
    return next((h for h in report.diagnosis if h.hypothesis == "payments scaled"), None)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda paid: np.minimum(1.02 * paid, BOUND), "1.02 times what"),
        (lambda paid: np.where(paid < BOUND, 1.02 * paid, paid), "1.02 times what"),
        (lambda paid: 0.5 * paid, "0.5 times what"),
        (lambda paid: np.minimum(7 * paid, BOUND), "7 times what"),  # often cut off at c_max
        (lambda paid: paid + 0.25, "0.25 more than what"),
        (lambda paid: np.where(paid < BOUND, paid - 0.25, paid), "0.25 less than what"),
    ],
)
def test_a_factor_or_an_amount_comes_first(change: Change, text: str) -> None:
    report = audited(changed(change))
    first = report.diagnosis[0]
    assert first.hypothesis == "payments scaled"
    assert f"payments that are {text} the rules prescribe, from step 3,0" in first.text
    assert " on: so are all " in first.text
    assert first.share == 1
    assert "gap or edit" not in [h.hypothesis for h in report.diagnosis]


@pytest.mark.long("a second stretch")
def test_a_stretch() -> None:
    first = audited(changed(lambda paid: 1.02 * paid, slice(FROM, FROM + 300))).diagnosis[0]
    assert first.hypothesis == "payments scaled"
    assert "from step 3,001 to step 3,300: so are all" in first.text


def test_the_payments_of_one_provider() -> None:
    """Some payments only: it is told of how many that is so."""
    provider = int(np.bincount(right().provider[FROM:]).argmax())
    mine = (right().provider == provider) & below() & (np.arange(len(right())) >= FROM)
    first = audited(with_columns(right(), payment=np.where(mine, 1.02 * right().payment, right().payment))).diagnosis[0]
    assert first.hypothesis == "payments scaled"
    last = int(np.flatnonzero(mine)[-1])
    paid = np.count_nonzero(below()[first.where["step"] - 1 : last + 1])
    assert f"so are {np.count_nonzero(mine):,} of the {paid:,} pay" in first.text


def test_nearly_all_will_do() -> None:
    payment = changed(lambda paid: np.where(paid < BOUND, 1.02 * paid, paid)).payment.copy()
    wrong = np.flatnonzero(below())[-40:]
    payment[wrong] *= np.linspace(1.1, 1.2, 40)
    found = audited(with_columns(right(), payment=payment)).diagnosis[0]
    number = np.count_nonzero(below()[FROM:])
    assert found.hypothesis == "payments scaled"
    assert (found.explained, found.violations) == (number - 40, number)


@pytest.mark.long("a whole log under two rounding rules")
def test_rounded_money() -> None:
    rounded = with_columns(
        right(), payment=np.round(changed(lambda paid: 1.02 * paid).payment, 2), bid=np.round(right().bid, 2)
    )
    first = audited(rounded, tolerance=0.005).diagnosis[0]
    assert first.hypothesis == "payments scaled"
    assert float(first.text.split("that are ")[1].split()[0]) == pytest.approx(1.02, abs=1e-3)


@pytest.mark.long("a wide tolerance")
def test_amounts_that_hardly_differ_tell_both() -> None:
    first = audited(changed(lambda paid: np.where(paid < BOUND, 1.02 * paid, paid)), tolerance=0.2).diagnosis[0]
    assert first.hypothesis == "payments scaled"
    assert " times, or " in first.text


SILENT: dict[str, Change] = {
    "right": lambda paid: paid,
    "scattered": lambda paid: paid * np.random.default_rng(0).uniform(1, 1.1, len(paid)),
    "two factors": lambda paid: np.where(np.arange(len(paid)) % 2, 1.02 * paid, 1.03 * paid),
    "all c_max": lambda paid: np.full_like(paid, BOUND),
    "nothing is paid in exploration": lambda paid: np.where(paid < BOUND, paid, 0.0),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert told(audited(changed(SILENT[name]))) is None


@pytest.mark.parametrize("row", [60, 150, 230])
def test_an_edited_bid_comes_before(row: int) -> None:
    """What it sets as the price is off by the same amount too."""
    case = right_case(0)
    report = audit([edited("bid", lambda x: 1.3 * x)(case.trace, row)], case.setting, labels=["lem:payment-range"])
    found = [hypothesis.hypothesis for hypothesis in report.diagnosis]
    assert not report.violating_steps or "bid edited" in found
    assert "payments scaled" not in found or found.index("bid edited") < found.index("payments scaled")

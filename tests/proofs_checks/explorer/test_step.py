"""One step beside the oracle in exact fractions, and another bid beside the oracle fed with that bid."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.config import MechanismConfig
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.explorer.auction_view import step_view
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.runs import replay_of_step, run_trace
from proofs_checks.explorer.words import beside, number, step_sentences, what_if_sentences
from proofs_checks.oracle.rule_oracle import EXACT, FLOATS, RuleOracle
from tests.proofs_checks.explorer.states import small_state

BIDDERS = ("truthful", "deviating", "bayesian")
NEVER = Setting(
    "never", PlatformParameters(1.0, 0.5, 1.0, 2.0, 0.5), [Provider("a", 0.0, 0.1), Provider("b", 0.0, 0.2)]
)
#: The threshold excludes nobody, and two providers of one kind tie.
TWINS = Setting(
    "twins", PlatformParameters(0.0, 0.5, 1.0, 0.01, 0.5), [Provider("a", 1.0, 1.0), Provider("b", 1.0, 1.0)]
)


def oracle_before(
    state: PageState, trace: Trace, numbers: Any = FLOATS, instead: dict[int, float] | None = None
) -> RuleOracle:
    """Return the oracle before the step, with other last bids of some providers."""
    oracle = RuleOracle(MechanismConfig.of(state.market.prepared), numbers)
    last = {int(provider): row for row, provider in enumerate(trace.provider[: state.focus.step - 1])}
    for row in range(state.focus.step - 1):
        provider, bid = int(trace.provider[row]), float(trace.bid[row])
        if instead and provider in instead and last[provider] == row:
            bid = instead[provider]
        oracle.settle(provider, float(trace.score[row]), bid)
    return oracle


@pytest.mark.parametrize("bidders", BIDDERS)
@pytest.mark.parametrize("step", [1, 4, 5, 6, 47, 150, 299, 300])
def test_a_step_is_what_the_oracle_prescribes_in_exact_fractions(bidders: str, step: int) -> None:
    state = small_state(bidders=bidders, horizon=300, step=step, run=2)
    view, trace = step_view(state), run_trace(state.market, 2)
    oracle = oracle_before(state, trace, EXACT)
    decision = oracle.decisions()[0]
    assert view.kind == decision.kind
    served = next(i for i, row in enumerate(view.rows) if row.served)
    assert served in decision.providers
    assert view.payment == pytest.approx(float(decision.payments[served]), rel=1e-12)
    assert [row.count for row in view.rows] == oracle.counts
    if view.kind == "initialization":
        assert not any(row.eligible for row in view.rows)
        return
    assert tuple(i for i, row in enumerate(view.rows) if row.eligible) == decision.eligible
    for row, known in zip(view.rows, oracle.standings(), strict=True):
        pairs = [
            (row.quality_estimate, known.quality_estimate),
            (row.radius, known.radius),
            (row.bid, known.bid),
            (row.adjusted_bid, known.adjusted_bid),
        ]
        for ours, exact in pairs:
            assert ours == pytest.approx(float(exact), rel=1e-12, abs=1e-12)
        if known.critical_payment is None:
            assert row.critical in (None, math.inf)
        else:
            assert row.critical == pytest.approx(float(known.critical_payment), rel=1e-12, abs=1e-12)
        assert row.under_sampled == (row.eligible and Fraction(row.count) < EXACT.target(oracle.config)(step))


@settings(max_examples=40)
@given(st.sampled_from(BIDDERS), st.integers(5, 300), st.integers(0, 3), st.floats(0, 1))
def test_another_bid_changes_what_the_oracle_says_that_it_does(
    bidders: str, step: int, provider: int, share: float
) -> None:
    bound = small_state().market.setting.platform.cost_bound
    state = small_state(bidders=bidders, horizon=300, step=step, provider=provider, bid=share * bound)
    view, trace = step_view(state), run_trace(state.market, 0)
    if view.what_if is None:
        assert view.kind != "auction" or not view.rows[provider].eligible
        return
    decision = oracle_before(state, trace, EXACT, {provider: share * bound}).decisions()[0]
    assert view.what_if.winners == tuple(state.market.setting.providers[i].name for i in decision.providers)
    assert view.what_if.wins is (
        None if len(decision.providers) > 1 and provider in decision.providers else provider in decision.providers
    )
    paid = {float(decision.payments[i]) for i in decision.providers}
    if view.what_if.payment is not None:
        assert view.what_if.payment == pytest.approx(paid.pop(), rel=1e-9)
    assert len(what_if_sentences(view.what_if)) == 3


@pytest.mark.parametrize("step", [1, 2, 3, 77, 1000])
def test_the_replay_of_one_step_is_that_row_of_the_whole_to_the_last_bit(step: int) -> None:
    market = small_state(bidders="bayesian").market
    trace = run_trace(market, 0)
    whole, one = Replay(MechanismConfig.of(market.prepared), trace), replay_of_step(market, trace, step)
    for name in (
        "counts",
        "quality_estimates",
        "cost_estimates",
        "standing_bids",
        "adjusted_bids",
        "critical_payments",
        "eligible",
        "under_sampled",
    ):
        np.testing.assert_array_equal(getattr(one, name)[0], getattr(whole, name)[step - 1])
    assert one.targets[0] == whole.targets[step - 1]


def test_nobody_is_eligible_or_two_tie() -> None:
    assert step_view(PageState.of(NEVER)).kind == "empty"
    state = small_state(setting=TWINS, horizon=40, runs=1)
    views = [step_view(replace(state, focus=replace(state.focus, step=step))) for step in range(3, 41)]
    [said, *_] = [view.what_if for view in views if view.what_if is not None and view.what_if.wins is None]
    assert " ties with " in what_if_sentences(said)[0]


def test_a_lone_provider_is_paid_the_cost_bound() -> None:
    lone = Setting(
        "lone", PlatformParameters(0.9, 0.5, 1.0, 0.01, 0.5), [Provider("a", 1.0, 0.2), Provider("b", 0.0, 0.1)]
    )
    view = step_view(small_state(setting=lone, horizon=300, runs=1))
    assert [row.eligible for row in view.rows] == [True, False]
    assert view.what_if is not None
    assert view.what_if.critical == math.inf
    assert view.payment == 1.0
    assert "no rival" in " ".join(what_if_sentences(view.what_if))
    assert "no rival" in " ".join(step_sentences(view))


@settings(max_examples=200)
@given(st.floats(0, 2), st.floats(0, 1))
def test_a_number_beside_a_threshold_never_looks_equal_to_it(value: float, threshold: float) -> None:
    said = beside(value, threshold)
    if value == threshold:
        assert said == number(threshold)
    else:
        assert said != number(threshold)
        assert ("below by" in said) <= (value < threshold)

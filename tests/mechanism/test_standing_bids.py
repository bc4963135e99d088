"""Bids that stood in the auction, turned into those left behind: a right log stays right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from mechanism.config import MechanismConfig
from mechanism.replay import Replay
from mechanism.standing_bids import left_behind, stood_in_auction
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.oracle.step_audit import StepAudit
from tests.mechanism.trace_samples import standing_bids

CONFIG = MechanismConfig(3, 0.5, 0.05, 1.0, 2.0, 0.75)


def in_auction(trace: Trace) -> dict[str, np.ndarray]:
    """The columns with the bid that stood when the row was decided."""
    return {**trace.columns(), "bid": np.array(standing_bids(trace))}


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1)), min_size=1, max_size=30))
def test_what_stands_next_was_left(rows: list[tuple[int, float]]) -> None:
    provider, bid = map(np.array, zip(*rows, strict=True))
    ones = np.ones(len(rows))
    trace = Trace(provider, ones, ones, bid)
    found, unknown = left_behind(CONFIG, in_auction(trace))
    last = [max(at for at, (served, _) in enumerate(rows) if served == i) for i in set(provider.tolist())]
    assert unknown == len(last)
    known = np.setdiff1d(np.arange(len(rows)), last)
    assert found.bid[known].tolist() == bid[known].tolist()
    assert ((found.bid >= 0) & (found.bid <= CONFIG.cost_bound)).all()


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
        left_behind(CONFIG, columns)

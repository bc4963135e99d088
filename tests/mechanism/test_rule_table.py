"""Replays under rules with a part replaced: at some rows as at all, and each part used where the rules say."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from bounds.published import published
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.replay import ALGORITHM_1, Replay, RuleTable, beta
from mechanism.trace import Trace

SETTING = published("gpqa-strong").setting
CONFIG = MechanismConfig.of(SETTING)
PARTS = [field.name for field in fields(RuleTable) if field.name not in ("logged", "parameters")]
ROWS = np.array([0, 3, 4, 150, 151, 299])


def replayed(law: str = "") -> Replay:
    more = {"delay": delay_law(law)} if law else {}
    return Replay(CONFIG, simulate(SETTING, horizon=300, seed=3, **more))


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
    under = Replay(CONFIG, trace).under(replace(ALGORITHM_1, parameters={"belief_slack": 0.5, "confidence": 0.2}))
    other = Replay(replace(CONFIG, belief_slack=0.5, confidence=0.2), trace)
    assert np.array_equal(under.width, other.width, equal_nan=True)
    assert np.array_equal(under.eligible, other.eligible)


def test_the_radius_at_any_number_is_that_of_the_tables() -> None:
    replay = replayed()
    served = replay.counts > 0
    assert beta(replay.counts, 4, CONFIG.confidence)[served] == pytest.approx(replay.radii[served], rel=1e-12)


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

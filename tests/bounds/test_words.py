"""How a ratio is written: never as 1 unless it is 1, and in no more room than there is; who writes percentages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from bounds.words import ROUNDING, ratio_text

#: Formats of percentages as modules had their own.
PERCENTAGE = re.compile(r":[,.\d]*%\}|100 \* [^{}]*:[^{}]*\}%")
ROOMS = st.none() | st.integers(4, 9)


def read(text: str) -> float:
    return float(text.replace(",", ""))


@given(st.floats(0, 1e9), ROOMS)
@example(0.99996, 5)
@example(1.00004, 4)
@example(0.9996, 5)
@example(1.0004, None)
def test_only_1_reads_as_1(ratio: float, room: int | None) -> None:
    text = ratio_text(ratio, room=room)
    if abs(ratio - 1) <= ROUNDING:
        assert text == "1"
    elif text[0] in "<>":
        assert (text == "<1") == (ratio < 1)
    else:
        assert read(text) != 1
        assert (read(text) > 1) == (ratio > 1)


@given(st.floats(0, 999.4), ROOMS)
def test_a_ratio_keeps_three_digits_or_as_many_as_there_is_room_for(ratio: float, room: int | None) -> None:
    text = ratio_text(ratio, room=room)
    assert room is None or len(text) <= room
    if text[0] not in "<>":
        allowed = 0.005 * ratio if room is None else max(0.005 * ratio, 0.5 * 10.0 ** (2 - room))
        assert read(text) == pytest.approx(ratio, abs=allowed + 1e-9)


def test_no_other_module_writes_percentages() -> None:
    """It would round a share otherwise than the next screen does."""
    assert all(map(PERCENTAGE.search, ('f"{part:.1%}"', 'f"{100 * part:.3g}%"')))
    root = Path(__file__).parents[2]
    modules = [
        path for room in ("bounds", "mechanism", "proofs_checks", "costproof") for path in (root / room).rglob("*.py")
    ]
    writing = [path.relative_to(root).as_posix() for path in modules if PERCENTAGE.search(path.read_text("utf-8"))]
    assert writing == ["bounds/words.py"]

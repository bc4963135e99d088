"""The log at a glance: its counts are those of all steps, however it is cut; the picture has their sizes."""

import itertools
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_checks.audit.timeline import SHOWN_PROVIDERS, TimelineCounter
from proofs_checks.pages.timeline import timeline_view

RULES = ("payment", "order")


def counted(served: np.ndarray, broken: dict[str, np.ndarray], cuts: list[int], providers: int) -> Any:
    counter = TimelineCounter([f"p{i}" for i in range(providers)], RULES)
    edges = sorted({0, len(served), *(cut % (len(served) + 1) for cut in cuts)})
    for start, end in itertools.pairwise(edges):
        counter.feed(start, served[start:end], {rule: flags[start:end] for rule, flags in broken.items()})
    return counter.timeline


@given(st.integers(1, 2_000), st.integers(1, 12), st.lists(st.integers(0, 10_000), max_size=6), st.integers(0, 2**32))
def test_bins_are_those_of_brute_force(steps: int, providers: int, cuts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    served = rng.integers(0, providers, steps)
    broken = {rule: rng.random(steps) < 0.1 for rule in RULES}
    found = counted(served, broken, cuts, providers)
    size, bins = found.bin_steps, len(found.first_steps)
    assert size & (size - 1) == 0
    assert (bins - 1) * size < steps <= bins * size <= 2 * max(steps, 1) + size
    assert found.first_steps == [1 + i * size for i in range(bins)]
    parts = [served[i : i + size] for i in range(0, steps, size)]
    totals = np.bincount(served, minlength=providers)
    for name, counts in found.providers.items():
        assert counts == [int(np.sum(part == int(name[1:]))) for part in parts]
    told = [int(name[1:]) for name in found.providers]
    assert told == sorted(told)
    assert len(told) == min(providers, SHOWN_PROVIDERS)
    left = [i for i in range(providers) if i not in told]
    assert found.other_providers == len(left)
    assert all(totals[i] <= min(totals[told]) for i in left)
    assert found.others == [int(np.isin(part, left).sum()) for part in parts]
    for rule in RULES:
        flags = [int(broken[rule][i : i + size].sum()) for i in range(0, steps, size)]
        assert found.violations.get(rule) == (flags if sum(flags) else None)


def report(**changes: Any) -> dict[str, Any]:
    timeline = {
        "bin_steps": 4,
        "first_steps": [1, 5, 9],
        "providers": {"a": [4, 1, 0], "b": [0, 3, 2]},
        "other_providers": 0,
        "others": [0, 0, 0],
        "violations": {"payment": [0, 2, 0]},
    }
    return {"steps": 10, "rules": {"payment": {"first_step": 6}}, "timeline": timeline | changes}


def test_a_picture_by_hand() -> None:
    view = timeline_view(report())
    assert view is not None
    across = (view["right"] - view["left"]) / 10
    [lane] = view["lanes"]
    [bar] = lane["bars"]
    assert (bar["x"], bar["width"]) == pytest.approx((view["left"] + 4 * across, 4 * across), abs=0.02)
    assert bar["height"] == 10  # half of the steps of the bin: half of the lane's height
    assert lane["first"] == pytest.approx(view["left"] + 6 * across, abs=0.02)
    assert view["bins"] == [(1, [4, 0], [0]), (5, [1, 3], [2]), (9, [0, 2], [0])]
    assert view["ticks"][0] == (0, view["left"])
    assert view["ticks"][-1] == (10, pytest.approx(view["right"], abs=0.02))


def test_shares_fill_the_height_and_nothing_else() -> None:
    view = timeline_view(report(others=[0, 4, 2], other_providers=3))
    assert view is not None
    assert [share["name"] for share in view["shares"]] == ["a", "b", "others"]
    heights = []
    for share in view["shares"]:
        corners = re.findall(r"V([\d.]+)H([\d.]+)", share["path"])
        half = len(corners) // 2
        above, below = [float(y) for y, _ in corners[:half]], [float(y) for y, _ in corners[half:]][::-1]
        heights.append([low - high for low, high in zip(below, above, strict=True)])
    full = view["bottom"] - view["top"]
    assert [sum(column) for column in zip(*heights, strict=True)] == pytest.approx([full] * 3, abs=0.2)
    assert heights[0] == pytest.approx([full, full / 8, 0], abs=0.2)


def test_a_single_step_is_a_picture() -> None:
    one = report(bin_steps=1, first_steps=[1], providers={"a": [1]}, others=[0], violations={})
    view = timeline_view(one | {"steps": 1, "rules": {}})
    assert view is not None
    assert [tick for tick, _ in view["ticks"]] == [0, 1]

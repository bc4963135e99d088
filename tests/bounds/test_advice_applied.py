"""Every change that is advised for a market of seven providers, one qualified by a hair, does what its line says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bounds.report import Bound, evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting

ROSTER = (
    *(("ash", 0.6000001, 40.0), ("birch", 0.72, 130.0), ("cedar", 0.81, 210.0), ("dogwood", 0.9, 500.0)),
    *(("elm", 0.55, 12.0), ("fir", 0.3, 3.0), ("gum", 0.1, 1.0)),
)
SEVEN = Setting("seven", PlatformParameters(0.6, 0.05, 900.0, 2.0, 0.7), tuple(Provider(*each) for each in ROSTER))


def _bound(name: str, horizon: int, parameter: str, value: float | None, left_out: str | None, method: str) -> Bound:
    changes: dict[str, Any] = {} if value is None else {parameter: value}
    platform = replace(SEVEN.platform, **changes)
    kept = tuple(each for each in SEVEN.providers if each.name != left_out)
    return evaluate_bounds(Setting("changed", platform, kept), horizon, method).guarantees[name]


@pytest.mark.parametrize("horizon", [700, 30_000])
def test_what_is_advised_does_what_it_says(horizon: int) -> None:
    applied = 0
    for name, now in evaluate_bounds(SEVEN, horizon, advice=True).guarantees.items():
        for help in now.worth.helps:
            if help.parameter in ("horizon", "radius"):
                continue
            if help.found:
                then = _bound(name, horizon, help.parameter, help.value, help.without, help.method or "paper")
                assert then.worth.informative
                assert then.worth.share_of_trivial is not None
                assert then.worth.share_of_trivial <= 0.9
                applied += 1
            if (sooner := help.sooner) is not None:
                change = (help.parameter, sooner.value, sooner.without, sooner.method or "paper")
                assert horizon < sooner.informative_from < (now.worth.informative_from or 2**52)
                assert _bound(name, sooner.informative_from, *change).worth.informative
                assert not _bound(name, sooner.informative_from - 1, *change).worth.informative
                applied += 1
    assert applied > 5

"""What callers from NumPy and from a bare installation meet: its numbers are numbers, and what is missing is named."""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pytest

import costproof
from bounds.errors import InputError

SETTING = costproof.Setting(
    "toy",
    costproof.PlatformParameters(np.float64(0.5), np.float32(0.25), np.int64(8), 2, np.float64(0.75)),
    (costproof.Provider("a", np.float64(0.75), np.int64(3)), costproof.Provider("b", 1, 5, multiplicity=np.int8(2))),
)


def test_a_setting_of_numpys_numbers_is_one_of_pythons() -> None:
    platform, (a, b) = SETTING.platform, SETTING.providers
    assert (platform.confidence, platform.cost_bound, a.quality, a.mean_cost) == (0.25, 8.0, 0.75, 3.0)
    assert {type(platform.confidence), type(platform.cost_bound), type(a.quality), type(a.mean_cost)} == {float}
    assert (b.multiplicity, type(b.multiplicity)) == (2, int)


def test_a_horizon_of_numpy_gives_the_same_report() -> None:
    found = costproof.bounds(SETTING, horizon=np.int64(50_000))
    assert type(found.horizon) is int
    assert found.to_data() == costproof.bounds(SETTING, horizon=50_000).to_data()


@pytest.mark.for_each("value", [True, np.True_, "0.5", 0.5 + 0j, np.complex128(0.5), np.array([0.5])])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="must be a number"):
        costproof.Provider("a", value, 3)  # type: ignore[arg-type]


@pytest.mark.for_each("value", [True, np.True_, 5e4, np.float64(5e4), "50000"])
def test_what_is_no_whole_number_is_no_horizon(value: object) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        costproof.bounds(SETTING, horizon=value)  # type: ignore[arg-type]


def test_the_version_is_that_of_the_distribution() -> None:
    assert costproof.__version__ == importlib.metadata.version("costproof")

"""Whether a time lies beyond T_0, decided on whole numbers instead of on the rounded T_0.

T_0 = N max{1, (Mbar/k)^(1/alpha)}, g(t) = k (t/N)^alpha and Mbar >= 1 is whole. Since g increases, t > T_0 says
t > N and g(t) > Mbar, that is ceil(g(t)) > Mbar; and t >= T_0 says t >= N and floor(g(t)) >= Mbar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bounds.formulas.selection import EXPLORATION_CAP, LARGEST_ELIMINATION_BOUND, TARGET_FLOOR
from bounds.language.arithmetic import Array
from bounds.language.formula import Formula


def after_burn_in(values: Mapping[str, Any], times: Any, largest: Formula = LARGEST_ELIMINATION_BOUND) -> Array:
    """Return whether t > T_0 for whole times.

    Parameters
    ----------
    values : mapping
        See `bounds.setting.formula_inputs.values_of`.
    times : int or array of int
    largest : Formula, optional
        Mbar, by default the paper's.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> after_burn_in(formula_inputs(published("gpqa-strong").setting), [70_000, 3_904_781]).tolist()
    [False, True]
    """
    whole = np.asarray(times)
    reached = EXPLORATION_CAP(values, horizon=whole) + 1 > largest(values)
    return np.asarray((whole > values["n_providers"]) & reached)


def from_burn_in(values: Mapping[str, Any], times: Any, largest: Formula = LARGEST_ELIMINATION_BOUND) -> Array:
    """Return whether t >= T_0 for whole times; see `after_burn_in`.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.setting.formula_inputs import formula_inputs
    >>> from_burn_in(formula_inputs(published("gpqa-strong").setting), 3_904_780).item()
    False
    """
    whole = np.asarray(times)
    return np.asarray((whole >= values["n_providers"]) & (TARGET_FLOOR(values, horizon=whole) >= largest(values)))

"""Defaults that depend on the setting."""

from __future__ import annotations

from bounds.published import published_with
from bounds.setting.model import Setting

#: The paper's long horizon; a fallback for settings of one's own.
HORIZON = 70_000
#: Passes over the benchmark in the paper's long runs; a window of one pass where no benchmark is known.
PASSES = 50
#: What an amount of money is in.
MONEY_IN_WORDS = "Money is in the unit of the setting's cost bound c_max: 1e-6 USD in the built-in settings."


def default_horizon(setting: Setting) -> int:
    """Return the paper's horizon, or N if that is larger."""
    return max(HORIZON, setting.n_providers)


def default_window(setting: Setting, horizon: int) -> int:
    """Return the window of moving averages: the benchmark's size, or a fiftieth of the horizon.

    Examples
    --------
    >>> from bounds.published import published
    >>> default_window(published("gsm8k-full").setting, 70_000)
    1319
    """
    if known := published_with(setting.providers):
        return min(known.questions, horizon)
    return max(1, horizon // PASSES)

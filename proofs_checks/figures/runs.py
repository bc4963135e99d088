"""What a figure of one setting is drawn from: its curves over many runs, and the log of the platform's first run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bounds.errors import InputError
from bounds.published import published_with
from bounds.setting.model import Setting
from mechanism.metrics.curves import Curves
from mechanism.trace import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class SettingRuns:
    """Runs of a setting.

    Parameters
    ----------
    setting : Setting
    curves : mapping of str to Curves
        By policy, in the order of legends; all with the same steps and window.
    first_run : Trace or None
        The log of the platform's first run, with costs; None where the platform did not run.
    margin : float
        mu: a query is sold at (1 + mu) times its cost.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> from mechanism.metrics.curves import trace_curves
    >>> setting = published("gpqa-strong").setting
    >>> log = simulate(setting, horizon=600, seed=0)
    >>> curves = trace_curves(setting, log, window=546, margin=0.25)
    >>> runs = SettingRuns(setting=setting, curves={"platform": curves}, first_run=log, margin=0.25)
    >>> runs.horizon, runs.window, runs.window_is_one_pass, runs.money
    (600, 546, True, '$10^{-6}$ USD')
    """

    setting: Setting
    curves: Mapping[str, Curves]
    first_run: Trace | None
    margin: float

    @property
    def any_curves(self) -> Curves:
        """Those of the first policy."""
        return next(iter(self.curves.values()))

    @property
    def log(self) -> Trace:
        """The platform's first run."""
        if self.first_run is None:
            raise InputError("first_run", None, "is missing", "run the policy platform as well")
        return self.first_run

    @property
    def horizon(self) -> int:
        """T."""
        return int(self.any_curves.steps[-1])

    @property
    def window(self) -> int:
        """K, the length of moving averages."""
        return self.any_curves.window

    @property
    def window_is_one_pass(self) -> bool:
        """Whether K is the size of the benchmark."""
        known = published_with(self.setting.providers)
        return known is not None and known.questions == self.window

    @property
    def pass_step(self) -> int:
        """The step after which one pass over the benchmark is over; T where no benchmark is known."""
        steps = self.any_curves.steps
        return int(max(steps[steps <= max(self.window, int(steps[0]))])) if self.window_is_one_pass else self.horizon

    def column(self, step: int) -> int:
        """Return where a step is among the steps of the curves."""
        return int((self.any_curves.steps == step).argmax())

    @property
    def money(self) -> str:
        """The unit of the setting's costs and payments."""
        return r"$10^{-6}$ USD" if published_with(self.setting.providers) else "the setting's money"

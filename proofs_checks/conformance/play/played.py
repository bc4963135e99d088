"""A run of a mechanism on a market, with what the theory says of each of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.platform import Mechanism
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.play.scenario import Providers, Scenario


@dataclass(frozen=True, eq=False)
class Played:
    """A setting and a whole trace of it.

    Parameters
    ----------
    setting : Setting
        Its belief slack, underbid and overbid are those that the bids of the trace need.
    trace : Trace
        With costs; `provider`, `payment`, `score`, `bid` and `cost` by step.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> played = Played(setting, simulate(setting, horizon=100, seed=0))
    >>> played.replay.final_counts.sum(), played.replay.eligible.shape, bool(played.good_event.all())
    (np.int64(100), (100, 4), True)
    """

    setting: Setting
    trace: Trace

    def __repr__(self) -> str:
        platform = ", ".join(f"{name}={value!r}" for name, value in self.setting.platform.to_data().items())
        providers = "; ".join(f"{p.name}: {p.quality!r}, {p.mean_cost!r}" for p in self.setting.providers)
        return f"Played with {platform}\nquality and mean cost: {providers}\n{self.trace.sheet().csv()}"

    @cached_property
    def case(self) -> Case:
        """The same for claims: ``costproof.claim("lem:payment-range").check(played.case)``."""
        return Case(self.setting, self.trace)

    @property
    def replay(self) -> Replay:
        """What the rules see before every step.

        By step, shape (T,): `initialization`, `exploration`, `auction`, `empty`, `targets` (ceil(g(t))). By step and
        provider, shape (T, N): `counts` (m_{i,t}), `quality_estimates`, `cost_estimates`, `radii`, `cost_radii`,
        `eligible`, `under_sampled`, `standing_bids`, `adjusted_bids`, `critical_payments`. `of_served` picks those of
        who serves; `final_counts`, `final_quality_estimates` are after the last step, shape (N,).
        """
        return self.case.replay

    @property
    def horizon(self) -> int:
        """T, the number of steps."""
        return len(self.trace)

    @cached_property
    def good_event(self) -> NDArray[np.bool_]:
        """Whether every running mean has lain in its confidence band up to before each step, and after T, (T + 1,)."""
        left = self.case.band_exit
        return np.arange(self.horizon + 1) < (np.inf if left is None else left.step)


def played_by(mechanism: Mechanism, scenario: Scenario) -> Played:
    """Return what a mechanism makes of a scenario whose bids do not follow the rules."""
    providers, rows = Providers(scenario), []
    for _ in range(scenario.horizon):
        provider, payment = mechanism.assign()
        score, cost, bid = providers.serve(provider, None)
        mechanism.settle(score, bid)
        rows.append((provider, payment, score, bid, cost))
    return Played(scenario.setting, Trace(*map(np.array, zip(*rows, strict=True))))

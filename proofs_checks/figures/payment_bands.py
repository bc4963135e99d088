"""The payments of one run inside the band that the theory gives each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.formulas.payment import AUCTION_PAYMENT_LOWER_SERVED, AUCTION_PAYMENT_UPPER
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.words import at_most
from mechanism.config import MechanismConfig
from mechanism.metrics.curves import curve_steps
from mechanism.replay import Replay
from mechanism.trace import Trace
from proofs_checks.figures.axes import SECOND_LOWEST_COST, linear_axis, panels, said
from proofs_checks.figures.palette import DASH_DOTTED
from proofs_checks.figures.runs import SettingRuns

Floats = NDArray[np.float64]
#: Sampled steps, log-spaced.
_SAMPLED = 400


@dataclass(frozen=True, kw_only=True, eq=False)
class PaymentBand:
    """Payments of auctions with their bounds, at sampled steps.

    Parameters
    ----------
    steps : array of int, shape (S,)
        Log-spaced, from N + 1 on.
    payment, lower, upper : array of float, shape (S,)
        NaN where the step explored or nobody was eligible.
    """

    steps: NDArray[np.int64]
    payment: Floats
    lower: Floats
    upper: Floats


def payment_band(setting: Setting, trace: Trace) -> PaymentBand:
    """Return the payments of a run's auctions at log-spaced steps, with the bounds for the provider that served."""
    n = setting.n_providers
    steps = np.array([step for step in sampled_steps(n, len(trace)) if step > n], dtype=np.int64)
    replay = Replay(MechanismConfig.of(setting), trace)
    rows = steps - 1
    auction = replay.auction[rows]
    count = replay.of_served(replay.counts)[rows].astype(float)
    cost = np.array([provider.mean_cost for provider in setting.providers])[trace.provider[rows]]
    inputs = {**formula_inputs(setting), "count": np.maximum(count, 1.0)}

    def at_auctions(values: Floats) -> Floats:
        return np.where(auction, values, np.nan)

    return PaymentBand(
        steps=steps,
        payment=at_auctions(trace.payment[rows]),
        lower=at_auctions(np.asarray(AUCTION_PAYMENT_LOWER_SERVED(inputs, served_cost=cost))),
        upper=at_auctions(np.asarray(AUCTION_PAYMENT_UPPER(inputs))),
    )


def sampled_steps(n_providers: int, horizon: int) -> tuple[int, ...]:
    """Return the steps at which payments are shown, log-spaced.

    Examples
    --------
    >>> sampled_steps(4, 10)
    (4, 5, 6, 7, 8, 9, 10)
    """
    spaced = np.geomspace(n_providers, horizon, _SAMPLED).round().astype(int).tolist()
    return curve_steps(n_providers, horizon, spaced)


#: Where the axis is cut, in second-lowest costs, as in the paper.
_CUT = 1.6


def payment_bounds(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the payments of the first run's auctions at log-spaced steps, inside their bounds.

    Sampled steps that explored are left blank. The axis is cut at 1.6 times the second-lowest cost.
    """
    setting = runs.setting
    found = payment_band(setting, runs.log)
    second = setting.second_lowest_cost or setting.platform.cost_bound
    with panels(runs, dark) as (figure, (panel,)):
        axes, palette = panel.axes, panel.palette
        shown = np.isfinite(found.payment)
        steps = found.steps[shown]
        low, high = found.lower[shown], found.upper[shown]
        axes.vlines(steps, low, high, color=palette.grey, alpha=0.18, linewidth=0.8, label="The band")
        how: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 0}
        # Carets that point at the payment.
        for values, label, marker in ((high, "Upper bound", 7), (low, "Lower bound", 6)):
            axes.plot(steps, values, color=palette.orange, marker=marker, markersize=3.5, label=label, **how)
        paid = found.payment[shown]
        axes.plot(steps, paid, color=palette.blue, marker=".", markersize=4.0, label=r"Payment $\pi_t$", **how)
        panel.reference(setting.second_lowest_cost, SECOND_LOWEST_COST, DASH_DOTTED)
        panel.mark_steps()
        panel.step_axis(int(steps[0] * 0.9))
        linear_axis(axes.yaxis)
        axes.set_ylim(0, min(_CUT * second, 1.05 * setting.platform.cost_bound))
        axes.set_ylabel(f"{runs.money} per query")
        panel.title("Payments of one run and their bounds")
    return figure


def payment_bounds_in_words(runs: SettingRuns) -> str:
    """Say how many payments are shown, how many lie inside, and where the band ends."""
    found = payment_band(runs.setting, runs.log)
    shown = np.isfinite(found.payment)
    inside = (found.payment >= found.lower) & (found.payment <= found.upper) & shown
    last = np.flatnonzero(shown)[-1] if shown.any() else None
    ends = (
        ""
        if last is None
        else (
            f" The last shown, at step {int(found.steps[last]):,}, is {said(float(found.payment[last]))} between "
            f"{said(float(found.lower[last]))} and {at_most(float(found.upper[last]))}."
        )
    )
    payments = f"{int(shown.sum())} sampled payments of auctions of one run of {runs.horizon:,} queries"
    return f"{int(inside.sum())} of {payments} lie inside their bounds.{ends}"

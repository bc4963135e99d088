"""Bids, payments and costs over time: what the platform pays approaches the second-lowest cost."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from bounds.glossary import name_of, title_of
from bounds.setting.model import Setting
from bounds.words import counted
from mechanism.policy_names import PLATFORM
from proofs_checks.figures.axes import (
    COST_OF_OPTIMAL,
    PRICE_OF_OPTIMAL,
    SECOND_LOWEST_COST,
    Panel,
    linear_axis,
    panels,
    said,
    said_by_policy,
)
from proofs_checks.figures.palette import DASH_DOTTED, DASHED, DOTTED, LONG_DASHED, SOLID, Series
from proofs_checks.figures.runs import SettingRuns

_BID = Series(name="Winning bid", colour="purple", pattern=DASH_DOTTED, marker="")
_PAYMENT = Series(name="Payment, non-exploration steps", colour="blue", pattern=SOLID, marker="")
_ALL_PAYMENTS = Series(name=r"Payment $\pi_t$, all steps", colour="orange", pattern=DASHED, marker="")
_COST = Series(name="Generation cost", colour="green", pattern=LONG_DASHED, marker="")
_PRICE = Series(name="Query price", colour="grey", pattern=DOTTED, marker="")
#: The paper's main figure; and the fuller one of its appendix.
_MAIN = {"winning_bid_moving": _BID, "auction_payment_moving": _PAYMENT, "generation_cost_moving": _COST}
_ECONOMIC = _MAIN | {"amount_paid_moving": _ALL_PAYMENTS}
_PRICED = _ECONOMIC | {"query_price_moving": _PRICE}


def payments(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw winning bids, payments of auctions and generation costs over time: medians and 10 to 90% bands.

    Every point is a moving average over the last K steps. Marks stand at one pass and at T_id, if it is within the
    runs.
    """
    with panels(runs, dark) as (figure, (panel,)):
        _draw(panel, _MAIN)
        panel.title("Bids, payments and costs")
    return figure


def economic(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw cost, bid, payment and, where prices are listed, price of a query; the vertical axis is cut."""
    with panels(runs, dark) as (figure, (panel,)):
        _draw(panel, _economic_series(runs.setting))
        steady = [curves.median(name) for curves in (runs.curves[PLATFORM],) for name in _MAIN]
        panel.cut_above(_levels(runs).values(), steady)
        what = "Cost, bid, payment and price" if has_prices(runs.setting) else "Cost, bid and payment"
        panel.title(what)
    return figure


def routing(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw generation cost and amount paid per query under every policy, as moving averages; the lower axis is cut."""
    with panels(runs, dark, 2, height=2.5, legend_columns=2) as (figure, each):
        for panel, name in zip(each, ("generation_cost", "amount_paid"), strict=True):
            panel.bands_by_policy(f"{name}_moving")
            _finish(panel)
            panel.title(f"{title_of(name)} per query")
        others = [curves.median("amount_paid_moving") for curves in runs.curves.values()]
        each[-1].cut_above(_levels(runs).values(), others)
    return figure


def payments_in_words(runs: SettingRuns) -> str:
    """Say where bids, payments and costs end."""
    return _in_words(runs, _MAIN)


def economic_in_words(runs: SettingRuns) -> str:
    """Say where costs, bids, payments and prices end."""
    return _in_words(runs, _economic_series(runs.setting))


def routing_in_words(runs: SettingRuns) -> str:
    """Say what every policy pays in the end."""
    ends = said_by_policy(
        runs,
        lambda curves: ", ".join(
            f"{name_of(name)} {said(curves.median(f'{name}_moving')[-1])}"
            for name in ("generation_cost", "amount_paid")
        ),
    )
    many = counted(runs.any_curves.runs, "run")
    return f"Moving averages per query at query {runs.horizon:,}, median over {many}. {ends}."


def has_prices(setting: Setting) -> bool:
    """Return whether every provider has a listed price: without them nobody knows what a query is sold for."""
    return all(provider.listed_price is not None for provider in setting.providers)


def _economic_series(setting: Setting) -> dict[str, Series]:
    return _PRICED if has_prices(setting) else _ECONOMIC


def _in_words(runs: SettingRuns, shown: dict[str, Series]) -> str:
    curves = runs.curves[PLATFORM]
    ends = [
        f"{series.name.replace('$', '').replace(chr(92), '')}: {said(curves.median(name)[-1])}"
        for name, series in shown.items()
    ]
    second = runs.setting.second_lowest_cost
    compared = "" if second is None else f" The second-lowest mean cost of a qualified provider: {said(second)}."
    return (
        f"Moving averages at query {runs.horizon:,}, median over {counted(curves.runs, 'run')}. "
        f"{'; '.join(ends)}.{compared}{_first_auction(runs)}"
    )


def _first_auction(runs: SettingRuns) -> str:
    """Say why the lines of auctions start late, where they do."""
    curves = runs.curves[PLATFORM]
    known = np.flatnonzero(np.isfinite(curves.median("auction_payment_moving")))
    if not len(known) or not known[0] or curves.steps[known[0]] <= runs.setting.n_providers + 1:
        return ""
    start = int(curves.steps[known[0]])
    return (
        f" The lines of bids and of payments at non-exploration steps start near query {start:,}: "
        "before that, every query explores, and no auction is held."
    )


def _draw(panel: Panel, shown: dict[str, Series]) -> None:
    for name, series in shown.items():
        panel.band(panel.runs.curves[PLATFORM], name, series)
    _finish(panel)


def _levels(runs: SettingRuns) -> dict[str, float | None]:
    """The levels of the paper's figures: the cost of i*, the second-lowest cost, and the price of i* if it is known."""
    setting = runs.setting
    cost = None if setting.optimal is None else setting.providers[setting.optimal].mean_cost
    return {
        COST_OF_OPTIMAL: cost,
        SECOND_LOWEST_COST: setting.second_lowest_cost,
        PRICE_OF_OPTIMAL: None if cost is None or not has_prices(setting) else (1 + runs.margin) * cost,
    }


def _finish(panel: Panel) -> None:
    for (label, level), pattern in zip(_levels(panel.runs).items(), (DOTTED, DASH_DOTTED, DASHED), strict=True):
        panel.reference(level, label, pattern)
    panel.mark_steps()
    panel.step_axis(int(panel.runs.any_curves.steps[0]))
    linear_axis(panel.axes.yaxis)
    panel.axes.set_ylim(bottom=0)
    panel.axes.set_ylabel(f"{panel.runs.money} per query")

"""Curves that a reader holds: they stay in the picture while the market changes, and the page says what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError, printable
from bounds.setting.model import Provider
from proofs_checks.explorer.controls import Market, PageState
from proofs_checks.explorer.knobs import LABELS, PROVIDER_LABELS
from proofs_checks.explorer.market_view import MetricView, metric_view
from proofs_checks.explorer.notices import label_of

#: So many differences are named; a market of another benchmark differs in all.
_MOST_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Held:
    """The market whose curves a reader holds, and its view of the metric that is shown."""

    market: Market
    view: MetricView

    def caption(self, now: Market) -> str:
        """Return what is held, and what differs since.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from bounds.published import published
        >>> market = Market(setting=published("gpqa-strong").setting, horizon=500, runs=3)
        >>> held = Held(market=market, view=metric_view(market, "accuracy"))
        >>> held.caption(replace(market, horizon=900))
        ' Held, the thin long dashes: Queries T = 500 (now 900).'
        >>> held.caption(market)
        ' These curves are held: change something, and they stay beside the new ones, with thin long dashes.'
        """
        found = list(differences(self.market, now))
        if not found:
            return " These curves are held: change something, and they stay beside the new ones, with thin long dashes."
        more = f" and {len(found) - _MOST_NAMED} more differences" if len(found) > _MOST_NAMED else ""
        return f" Held, the thin long dashes: {'; '.join(found[:_MOST_NAMED])}{more}."


def held_of(sent: Any, metric: str) -> Held | None:
    """Return what a reader holds, with the runs that there were when it was taken; None where nothing is.

    Parameters
    ----------
    sent : mapping or None
        What the page sent: ``setting`` and ``market`` of the state that was held, and ``stages``.
    metric : str
    """
    if not isinstance(sent, dict):
        return None
    try:
        state = PageState.from_data({key: sent[key] for key in ("setting", "market") if key in sent} | {"focus": {}})
        market = state.market.at_stage(sent.get("stages"))
        return Held(market=market, view=metric_view(market, metric))
    except InputError:  # what was held was valid; what is not is not from the page
        return None


def differences(held: Market, now: Market) -> Iterator[str]:
    """Yield what a market has, and what another one has there, as the page calls it.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from bounds.published import published
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=500)
    >>> list(differences(market, replace(market, seed=1, horizon=900)))
    ['Queries T = 500 (now 900)', 'Seed = 0 (now 1)']
    """
    # Prepared: with the gamma that the bidders get.
    before, after = held.prepared, now.prepared
    old, new = (each.to_data()["platform"] for each in (before, after))
    for key, value in old.items():
        if value != new[key]:
            yield _changed(label_of(f"platform.{key}"), value, new[key])
    yield from _of_providers(before.providers, after.providers)
    for key in ("horizon", "seed", "policies", "bidders"):
        values = [getattr(each, key) for each in (held, now)]
        if values[0] != values[1]:
            yield _changed(LABELS[key], *values)


def _of_providers(before: tuple[Provider, ...], after: tuple[Provider, ...]) -> Iterator[str]:
    old, new = ({each.name: each for each in providers} for providers in (before, after))
    for name in old:
        if name not in new:
            yield f"with {printable(name, 30)} (now without)"
            continue
        for key in ("quality", "mean_cost"):
            values = [getattr(each[name], key) for each in (old, new)]
            if values[0] != values[1]:
                yield _changed(f"{PROVIDER_LABELS[key]} of {printable(name, 30)}", *values)
    yield from (f"without {printable(name, 30)} (now with it)" for name in new if name not in old)


def _changed(label: str, before: Any, after: Any) -> str:
    return f"{label} = {_short(before)} (now {_short(after)})"


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,.6g}" if isinstance(value, int | float) else printable(str(value), 40)

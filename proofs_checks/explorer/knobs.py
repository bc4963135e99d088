"""The sliders of the page: which number each turns, its meaning and unit, and from where to where it goes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal

from bounds.language.quantities import MONEY, PURE, QUANTITIES, Quantity
from bounds.setting.model import (
    COST_VARIATION,
    LISTED_PRICE,
    MEAN_COST,
    QUALITY,
    SMALLEST_POSITIVE,
    PlatformParameters,
    Setting,
)
from bounds.words import capital

#: How units are written beside a number.
UNITS = {PURE: "", MONEY: "money/query"}
#: The paper's symbols of the platform's parameters.
SYMBOLS = {
    "quality_threshold": "q_min",
    "confidence": "δ",
    "cost_bound": "c_max",
    "exploration_scale": "k",
    "exploration_exponent": "α",
    "belief_slack": "γ",
    "underbid": "d₋",
    "overbid": "d₊",
}
#: Where a slider of a quantity without an upper end reaches at least.
_REACH = {"exploration_scale": 10.0, "belief_slack": 3.0}
#: The least quality that the slider of the threshold is fitted to.
_LEAST_SPAN = 0.001
#: Positions of a slider.
_POSITIONS = 500


@dataclass(frozen=True, kw_only=True)
class Knob:
    """A slider with its number box.

    Parameters
    ----------
    key : str
        The number's key in a setting file.
    label, symbol, unit : str
        How the page calls it; the symbol is the paper's.
    value : float
    low, high, step : float
        Ends and spacing of the slider; the number box takes any value that the rules allow.
    rule : str
        What the market takes; empty of what is a quantity of a setting, which has its rule.
    """

    key: str
    label: str
    symbol: str
    unit: str
    value: float
    low: float
    high: float
    step: float
    rule: str = ""


def platform_knobs(setting: Setting) -> tuple[Knob, ...]:
    """Return the sliders of the platform's parameters.

    Examples
    --------
    >>> from bounds.published import published
    >>> knobs = platform_knobs(published("gpqa-strong").setting)
    >>> [knob.key for knob in knobs][:2], knobs[0].low, knobs[0].high
    (['quality_threshold', 'confidence'], 0, 0.2)
    """
    platform = setting.platform
    dearest = max(provider.mean_cost for provider in setting.providers)
    found = []
    # The radius is a choice among names: it stays that of the setting.
    for name in (field.name for field in fields(PlatformParameters) if field.name != "radius"):
        quantity, value = QUANTITIES[name], getattr(platform, name)
        reach = {"cost_bound": 2 * platform.cost_bound, "underbid": platform.cost_bound / 4}
        reach |= {"overbid": reach["underbid"], "quality_threshold": _above_best_quality(setting), **_REACH}
        least = max(dearest, SMALLEST_POSITIVE) if name == "cost_bound" and dearest > 0 else quantity.lower
        found.append(_knob(quantity, name, SYMBOLS[name], value, least, reach.get(name, quantity.upper)))
    return tuple(found)


def provider_knobs(setting: Setting, index: int) -> tuple[Knob, ...]:
    """Return the sliders of a provider: its quality and its mean cost.

    Examples
    --------
    >>> from bounds.published import published
    >>> [(knob.key, knob.high) for knob in provider_knobs(published("gpqa-strong").setting, 0)]
    [('quality', 1), ('mean_cost', 75.008)]
    """
    provider, most = setting.providers[index], setting.platform.cost_bound
    return (
        _knob(QUALITY, "quality", f"q_{index + 1}", provider.quality, QUALITY.lower, QUALITY.upper),
        _knob(MEAN_COST, "mean_cost", f"c_{index + 1}", provider.mean_cost, MEAN_COST.lower, most),
    )


def _of_bidders(key: str, label: str, symbol: str, unit: str, value: float, low: float, high: float, rule: str) -> Knob:
    step = _fine(high - low)
    return Knob(key=key, label=label, symbol=symbol, unit=unit, value=value, low=low, high=high, step=step, rule=rule)


def bidder_knobs(kind: str, bidders: str) -> tuple[Knob, ...]:
    """Return the sliders of a kind of bidders, with the numbers of a market's bidders where those are of that kind.

    Parameters
    ----------
    kind : str
        A key of `BIDDER_NUMBERS`.
    bidders : str
        As a market takes them.

    Examples
    --------
    >>> [knob.value for knob in bidder_knobs("bayesian", "bayesian:0.2:12")]
    [0.2, 12.0]
    >>> [knob.value for knob in bidder_knobs("bayesian", "biased:0.1")]
    [0.5, 5.0]
    """
    name, *given = bidders.split(":")
    if name != kind or not given:
        return BIDDER_NUMBERS[kind]
    values = zip(BIDDER_NUMBERS[kind], map(float, given), strict=True)
    return tuple(replace(knob, value=value, high=max(knob.high, value)) for knob, value in values)


#: What a box without a slider holds, by its key in a setting file: label and unit.
BOXES = {
    "listed_price": (f"{LISTED_PRICE.meaning} (empty: none)", "money/token"),
    "multiplicity": ("best of n candidates", ""),
    "cost_variation": (f"{COST_VARIATION.meaning} (empty: 0.35)", ""),
}
#: How the page calls what is not a quantity of a setting, by its name in a link.
LABELS = {
    "horizon": "Queries T",
    "runs": "Runs",
    "seed": "Seed",
    "policies": "Policies",
    "bidders": "Bidders",
    "run": "Run (the first is 0)",
    "step": "Step of the run t",
    "bid": "Another bid to try",
    "provider": "Providers",
}


#: How the page calls what it holds of a provider, by its key in a setting file.
PROVIDER_LABELS = {"name": "Name"} | {
    key: capital(label)
    for key, label in (
        ("quality", QUALITY.meaning),
        ("mean_cost", MEAN_COST.meaning),
        *((key, label) for key, (label, _) in BOXES.items()),
    )
}


def _knob(quantity: Quantity, key: str, symbol: str, value: float, low: float, high: float) -> Knob:
    high = max(high, value)
    step = _fine(high - low)
    return Knob(
        key=key,
        label=quantity.meaning,
        symbol=symbol,
        unit=UNITS[quantity.unit],
        value=value,
        low=low + step if quantity.lower_open and low == quantity.lower else low,
        high=high - step if quantity.upper_open and high == quantity.upper else high,
        step=step,
    )


def _above_best_quality(setting: Setting) -> float:
    """Return the next number of one digit above the best quality, at most 1: beyond it nobody is qualified anyway."""
    best = max(provider.quality for provider in setting.providers)
    if best < _LEAST_SPAN:
        return 1.0
    exact = Decimal(repr(best))
    digit = Decimal(1).scaleb(exact.adjusted())
    return min(1.0, float((exact // digit + 1) * digit))


def _fine(span: float) -> float:
    """Return 1, 2 or 5 times a power of ten that divides a span into about `_POSITIONS` positions."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / _POSITIONS))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= span / _POSITIONS * 0.999)


_SHARE = "share of c_max"
_STRENGTH_RULE = "must be above 0, and 1,000,000,000 at most"
#: The numbers that follow the name of a kind of bidders, in their order.
BIDDER_NUMBERS: Mapping[str, tuple[Knob, ...]] = {
    "bayesian": (
        _of_bidders("prior_share", "prior mean", "μ₀", _SHARE, 0.5, 0, 1, "must lie in [0, 1]"),
        _of_bidders("prior_strength", "prior strength", "n₀", "observations", 5.0, 0.1, 50, _STRENGTH_RULE),
    ),
    "biased": (_of_bidders("bias", "bias", "b", _SHARE, 0.25, -1, 1, "must lie in [-1, 1]"),),
}

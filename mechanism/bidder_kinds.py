"""Bidders by the names that the command line gives them."""

from __future__ import annotations

from dataclasses import replace

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.bidding import BidderFactory, FixedBidder, Prior, bayesian_bidders, deviating_bidders, truthful_bidders


def prepare_bidders(setting: Setting, kind: str) -> tuple[Setting, BidderFactory]:
    """Return the setting, with the slack its bidders need, and the bidders of a kind.

    Parameters
    ----------
    setting : Setting
    kind : str
        ``truthful``, ``bayesian``, ``deviating`` or ``fixed:X`` with a bid X in [0, c_max].

    Raises
    ------
    InputError
        The kind is unknown, the fixed bid out of range, or the setting allows no deviation.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting, _ = prepare_bidders(published("gpqa-strong").setting, "bayesian")
    >>> setting.platform.belief_slack > 0
    True
    """
    name, _, amount = kind.partition(":")
    if name == "truthful" and not amount:
        return setting, truthful_bidders
    if name == "deviating" and not amount:
        _check_deviations(setting)
        return setting, deviating_bidders()
    if name == "bayesian" and not amount:
        slack = max(setting.platform.belief_slack, Prior().belief_slack(setting))
        return replace(setting, platform=replace(setting.platform, belief_slack=slack)), bayesian_bidders(Prior())
    bid = _fixed_bid(name, amount, setting)
    return setting, lambda _setting, _rng: [FixedBidder(bid) for _ in setting.providers]


def _check_deviations(setting: Setting) -> None:
    if not (setting.platform.underbid or setting.platform.overbid):
        rule = "needs platform.underbid or platform.overbid above 0"
        raise InputError("bidders", "deviating", rule, "without them it would be truthful")


def _fixed_bid(name: str, amount: str, setting: Setting) -> float:
    kind, rule = f"{name}:{amount}" if amount else name, "must be truthful, bayesian, deviating or fixed:X"
    try:
        bid = float(amount) if name == "fixed" else None
    except ValueError:
        bid = None
    if bid is None or not 0 <= bid <= setting.platform.cost_bound:
        raise InputError("bidders", kind, rule, f"X is a bid in [0, {setting.platform.cost_bound!r}]")
    return bid

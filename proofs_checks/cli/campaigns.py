"""The campaign that the options of a command ask for."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from mechanism.campaign.spec import Campaign
from mechanism.delays import delay_law
from mechanism.policies import Policy
from proofs_checks.cli.recordings import setting_or_recorded


def campaign_asked(arguments: argparse.Namespace, policies: Iterable[str], own: Mapping[str, Policy]) -> Campaign:
    """Return the campaign of one setting; the draws, the window and the delay are those of commands that take them."""
    asked = {"draws": None, "window": None, "delay": None} | vars(arguments)
    setting, laws = setting_or_recorded(arguments, asked["draws"])
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    check_horizon(setting, horizon)
    return Campaign(
        settings=setting,
        horizon=horizon,
        runs=arguments.runs,
        seed=arguments.seed,
        window=asked["window"] or default_window(setting, horizon),
        policies=tuple(policies),
        bidders=arguments.bidders,
        keep_gamma=arguments.keep_gamma,
        recorded={} if laws is None else {setting.name: laws},
        delay=None if asked["delay"] is None else delay_law(asked["delay"]),
        own_policies=own,
    )

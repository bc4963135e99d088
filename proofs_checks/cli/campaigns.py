"""The campaign that the options of a command ask for."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from bounds.errors import InputError
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from bounds.setting.model import Setting
from bounds.setting.region import region_of
from mechanism.campaign.spec import Campaign
from mechanism.delays import delay_law
from mechanism.policies import Policy
from proofs_checks.cli.notes import note
from proofs_checks.cli.output import remark
from proofs_checks.cli.recordings import setting_and_answers
from proofs_checks.conformance.own_policies import own_policies
from proofs_checks.conformance.play.errors import MechanismError


@contextmanager
def failures_reported() -> Iterator[None]:
    """End with exit code 1 and a line if a mechanism of the user's raises, takes too long, or answers wrongly."""
    try:
        yield
    except MechanismError as error:
        remark(error.message)
        raise SystemExit(1) from None


@contextmanager
def own_policies_played(names: Sequence[str]) -> Iterator[Mapping[str, Policy]]:
    """Yield the user's mechanisms among some policies, by name; see `failures_reported`."""
    with failures_reported(), own_policies(names) as own:
        yield own


def campaign_asked(arguments: argparse.Namespace, policies: Iterable[str], own: Mapping[str, Policy]) -> Campaign:
    """Return the campaign of one setting; the draws, the window and the delay are those of commands that take them."""
    asked = {"draws": None, "window": None, "delay": None, "draw_inputs": False} | vars(arguments)
    setting, laws = setting_and_answers(arguments, asked["draws"])
    if asked["draw_inputs"]:
        setting = _drawn(setting, arguments.seed)
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


def _drawn(setting: Setting, seed: int) -> Setting:
    """Return a market drawn from the region of a setting's uncertain inputs, and say on stderr which."""
    region = region_of(setting)
    if region is None:
        raise InputError(
            "draw_inputs", True, "needs uncertain inputs", "state an estimate (costproof docs setting-file)"
        )
    found = region.drawn(rng=np.random.default_rng(seed))
    shown = [f"{each.name} {each.quality:.4g} at {each.mean_cost:.4g}" for each in found.providers[:_SHOWN]]
    drawn = f"drawn with seed {seed} (quality and mean cost)"
    note(f"all runs play one market of the inputs' region, {drawn}: {', '.join(shown)}")
    return found


#: Providers of a drawn market that a note describes, at most.
_SHOWN = 8

"""Campaigns: many runs of a setting under several policies, in parallel, kept in a folder and resumable."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from bounds.errors import InputError
from bounds.setting import Setting
from mechanism.bidding import (
    BidderFactory,
    FixedBidder,
    Prior,
    bayesian_bidders,
    deviating_bidders,
    truthful_bidders,
)
from mechanism.episode import simulate
from mechanism.market import market_laws
from mechanism.metrics import Metrics, measure, summarize
from mechanism.parallel import run_tasks
from mechanism.policies import POLICIES, find_policy
from mechanism.run_folder import RunFolder
from mechanism.trace import Trace


@dataclass(frozen=True)
class Campaign:
    """What to run.

    Parameters
    ----------
    setting : Setting
    horizon, runs, seed, window : int
        T, R, and the length of moving averages.
    policies : tuple of str
        Names of `mechanism.policies.POLICIES`; empty for all that the setting's listed prices allow.
    bidders : str
        ``truthful``, ``bayesian``, ``deviating`` or ``fixed:X``.
    """

    setting: Setting
    horizon: int
    runs: int
    seed: int
    window: int
    policies: tuple[str, ...] = ()
    bidders: str = "truthful"

    def prepared(self) -> tuple[Setting, BidderFactory]:
        """Return the setting with the slack its bidders need, and the factory of the bidders.

        Raises
        ------
        InputError
            The kind of bidders is unknown or the fixed bid out of range.
        """
        return prepare_bidders(self.setting, self.bidders)

    def chosen_policies(self) -> tuple[str, ...]:
        """Return the policies to run; a named one that lacks a listed price is an error."""
        priced = all(provider.listed_price is not None for provider in self.setting.providers)
        if not self.policies:
            return tuple(name for name in POLICIES if priced or not POLICIES[name].needs_prices)
        for name in self.policies:
            find_policy(name).check(self.setting)
        return self.policies


def prepare_bidders(setting: Setting, kind: str) -> tuple[Setting, BidderFactory]:
    """Return the setting and bidders for a kind named on the command line.

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


@dataclass(frozen=True)
class CampaignResult:
    """What a campaign measured; `seconds` is the time spent simulating in all processes."""

    campaign: Campaign
    setting: Setting
    metrics: dict[str, tuple[Metrics, ...]]
    steps: int
    seconds: float
    resumed: int

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        campaign = self.campaign
        return {
            "setting": self.setting.name, "horizon": campaign.horizon, "runs": campaign.runs, "seed": campaign.seed,
            "window": campaign.window, "bidders": campaign.bidders, "belief_slack": self.setting.platform.belief_slack,
            "steps": self.steps, "seconds": self.seconds,
            "steps_per_second": self.steps / self.seconds if self.seconds else None, "resumed_runs": self.resumed,
            "market": market_laws(self.setting).describe(),
            "policies": {
                name: {metric: asdict(summary) for metric, summary in summarize(runs).items()}
                for name, runs in self.metrics.items()
            },
        }  # fmt: skip


@dataclass(frozen=True)
class _Done:
    policy: str
    run: int
    metrics: Metrics
    trace: Trace | None
    seconds: float


def run_campaign(
    campaign: Campaign,
    *,
    jobs: int = 1,
    out: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CampaignResult:
    """Run a campaign; with a folder, keep every finished run and do only what is missing there.

    Parameters
    ----------
    campaign : Campaign
    jobs : int, optional
        Processes.
    out : str, optional
        Folder for metrics and traces.
    progress : callable, optional
        Called with the runs done and all runs.

    Returns
    -------
    CampaignResult

    Raises
    ------
    InputError
        The folder holds another campaign, or cannot be written.

    Examples
    --------
    >>> from bounds.published import published
    >>> campaign = Campaign(published("gpqa-strong").setting, 500, 1, 0, 100, policies=("platform",))
    >>> run_campaign(campaign).steps
    500
    """
    setting, _ = campaign.prepared()
    wanted = [(policy, run) for policy in campaign.chosen_policies() for run in range(campaign.runs)]
    folder = RunFolder.open(out, setting, campaign) if out is not None else None
    finished = folder.finished(wanted) if folder else {}
    missing = [key for key in wanted if key not in finished]
    seconds = 0.0
    progress(len(finished), len(wanted))
    tasks = [(campaign, policy, run, folder is not None) for policy, run in missing]
    for done in run_tasks(_simulate_one, tasks, jobs):
        if folder and done.trace is not None:
            folder.keep(done.policy, done.run, done.metrics, done.trace)
        finished[done.policy, done.run] = done.metrics
        seconds += done.seconds
        progress(len(finished), len(wanted))
    policies = dict.fromkeys(policy for policy, _ in wanted)
    metrics = {policy: tuple(finished[policy, run] for run in range(campaign.runs)) for policy in policies}
    steps = campaign.horizon * len(missing)
    return CampaignResult(campaign, setting, metrics, steps, seconds, len(wanted) - len(missing))


def _simulate_one(campaign: Campaign, policy_name: str, run: int, keep_trace: bool) -> _Done:
    setting, bidders = campaign.prepared()
    policy = find_policy(policy_name)
    start = time.perf_counter()
    trace = simulate(setting, horizon=campaign.horizon, seed=campaign.seed, run=run, policy=policy, bidders=bidders)
    seconds = time.perf_counter() - start
    metrics = measure(setting, trace, window=campaign.window, policy=policy)
    return _Done(policy_name, run, metrics, trace if keep_trace else None, seconds)

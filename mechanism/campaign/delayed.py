"""Runs with queries in flight, in plain Python: what a campaign asks of a compiled episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from bounds.setting.model import Setting
from mechanism.bidding import BidderFactory
from mechanism.delays import DelayLaw
from mechanism.episode import OutcomeLaws, simulate
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import Policy
from mechanism.trace import Trace


@dataclass(frozen=True)
class DelayedEpisode:
    """A setting's episode under one policy whose scores and bids arrive late.

    Parameters
    ----------
    setting : Setting
    policy : Policy
    bidders : callable
        Factory of bidders.
    laws : OutcomeLaws
    delay : DelayLaw

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.bidding import truthful_bidders
    >>> from mechanism.market.market import market_laws
    >>> from mechanism.policies import POLICIES
    >>> setting = published("gpqa-strong").setting
    >>> late = {"bidders": truthful_bidders, "laws": market_laws(setting), "delay": DelayLaw(most=3)}
    >>> [tally] = DelayedEpisode(setting, POLICIES["platform"], **late).tallies(horizon=100, seed=0, runs=[0])
    >>> tally.steps
    (100,)
    """

    setting: Setting
    policy: Policy
    _: KW_ONLY
    bidders: BidderFactory
    laws: OutcomeLaws
    delay: DelayLaw

    def tallies(self, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()) -> list[Tally]:
        """Simulate runs and return their totals; parameters as of the compiled episode."""
        traces = (self.trace(horizon=horizon, seed=seed, run=run) for run in runs)
        return [tally_of(self.setting, trace, checkpoints, self.policy) for trace in traces]

    def trace(self, *, horizon: int, seed: int, run: int = 0) -> Trace:
        """Simulate one run and return its trace, that of `mechanism.episode.simulate`."""
        return simulate(
            self.setting,
            horizon=horizon,
            seed=seed,
            run=run,
            policy=self.policy,
            bidders=self.bidders,
            laws=self.laws,
            delay=self.delay,
        )

"""Runs in plain Python with the interface of the compiled ones: of any policy, and with queries in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bounds.setting.model import Setting
from mechanism.bidding import BidderFactory, truthful_bidders
from mechanism.delays import DelayLaw
from mechanism.episode import OutcomeLaws, simulate
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import Policy
from mechanism.trace import Trace


@dataclass(frozen=True, kw_only=True)
class PlainEpisode:
    """A setting's episode under one policy of any kind, ready for any number of runs.

    Parameters
    ----------
    setting : Setting
    policy : Policy
        Its flags say how the runs are measured.
    bidders : callable, optional
        Factory of the bidders; default truthful.
    laws : OutcomeLaws, optional
        Laws or recorded generations; default `mechanism.market.market.market_laws`.
    delay : DelayLaw, optional
        How late scores and bids arrive; default before the next query.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.compiled.episode import CompiledEpisode
    >>> from mechanism.policies import POLICIES
    >>> setting, policy = published("gpqa-strong").setting, POLICIES["platform"]
    >>> plain = PlainEpisode(setting=setting, policy=policy).trace(horizon=100, seed=0)
    >>> plain.payment.tolist() == CompiledEpisode(setting, policy).trace(horizon=100, seed=0).payment.tolist()
    True
    """

    setting: Setting
    policy: Policy
    bidders: BidderFactory = truthful_bidders
    laws: OutcomeLaws | None = None
    delay: DelayLaw | None = None

    def tallies(self, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()) -> list[Tally]:
        """Simulate runs and return their totals; arguments and result as of `CompiledEpisode.tallies`."""
        traces = (self.trace(horizon=horizon, seed=seed, run=run) for run in runs)
        return [tally_of(self.setting, trace, checkpoints, self.policy) for trace in traces]

    def totals(self, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()) -> Tally:
        """Return what `tallies` does, of all runs together; there must be one at least."""
        return Tally.of_runs(self.tallies(horizon=horizon, seed=seed, runs=runs, checkpoints=checkpoints))

    def trace(self, *, horizon: int, seed: int, run: int = 0) -> Trace:
        """Simulate one run and return its trace."""
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

"""Somebody's mechanism played on a setting's market with truthful providers, in plain Python."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Annotated, Literal

from bounds.documents import BY_NAME, INTERNAL, Count, Document, FromOne, FromTwo, NonNegative, key, limits
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import run_concurrent_episode, run_episode
from mechanism.market.market import MarketLaws, market_laws
from mechanism.metrics.measures import PLATFORM_ONLY, MechanismSummaries, Metrics, Summary, measure, summarize
from mechanism.metrics.rows import metric_rows
from mechanism.randomness import RandomStream, stream_generator
from mechanism.trace import Trace
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory, Subject, name_of
from proofs_checks.conformance.play.time_limit import Stopwatch


@dataclass(frozen=True, kw_only=True)
class Play(Document, HasSheet):
    """One run of a mechanism of yours on a setting's market, with the keys of `simulate --json` where they make sense.

    Parameters
    ----------
    mechanism : str
        The mechanism, as it was named.
    setting : Setting
        Name of the setting.
    seed : int
        Seed of all randomness.
    in_flight : str or None
        How many queries were in flight, as --in-flight named it; None without.
    trace : Trace
        Who served, what was paid, scores, bids and costs: what `audit` reads.
    metrics : Metrics
        The paper's; those of exploration and eligibility are what the paper's rules would say of these steps.
    seconds : float
        Seconds that the run took.
    log : str or None
        Path of the log that was written; None without --out.
    runs : int
        Number of runs, always 1.
    bidders : str
        How providers bid, always truthful.
    """

    mechanism: str
    setting: Setting = field(metadata=BY_NAME)
    seed: Count
    in_flight: str | None
    trace: Trace = field(repr=False, metadata=INTERNAL)
    metrics: Metrics = field(metadata=INTERNAL)
    seconds: NonNegative
    log: str | None = None
    runs: Literal[1] = 1
    bidders: Literal["truthful"] = "truthful"

    @property
    def summaries(self) -> dict[str, Summary]:
        """The metrics that make sense for any mechanism, as those of one run: without a standard deviation."""
        return {name: found for name, found in summarize([self.metrics]).items() if name not in PLATFORM_ONLY}

    def sheet(self) -> Sheet:
        """Return a row for every metric, and for each provider where the metric is one of providers."""
        rows = ({**row, "value": row["mean"]} for row in metric_rows(self.summaries, self.providers))
        played = f"{len(self.trace):,} queries on {self.setting.name} (seed {self.seed})"
        return Sheet.of(f"{self.mechanism}: {played}", ("metric", "provider", "value"), rows)

    @key
    def horizon(self) -> FromTwo:
        """Queries of the run."""
        return len(self.trace)

    steps = horizon

    @key
    def steps_per_second(self) -> NonNegative | None:
        """Queries per second; None if the clock saw no time pass."""
        return self.steps / self.seconds if self.seconds else None

    @key
    def window(self) -> FromOne:
        """Queries that moving averages look back."""
        return self.metrics.window

    @key
    def belief_slack(self) -> NonNegative:
        """gamma: cost radii are 1 + gamma times as wide."""
        return self.setting.platform.belief_slack

    @key
    def providers(self) -> list[str]:
        """Names of the providers, in the order of the setting."""
        return [provider.name for provider in self.setting.providers]

    @key
    def market(self) -> MarketLaws:
        """Where scores and costs came from."""
        return market_laws(self.setting)

    @key
    def policies(self) -> Annotated[dict[str, _Measured], limits(minProperties=1, maxProperties=1)]:
        """What was measured, under the mechanism's name."""
        return {self.mechanism: self.summaries}


_Measured = Annotated[Mapping[str, Summary], MechanismSummaries]


def play_on_market(
    factory: Factory,
    setting: Setting,
    *,
    name: str | None = None,
    horizon: int | None = None,
    seed: int = 0,
    time_limit: float = TIME_LIMIT,
    in_flight: str | None = None,
    broken_off: Callable[[Trace], None] = lambda trace: None,
) -> Play:
    """Play a mechanism against truthful providers; arguments and result as of `costproof.play`.

    `broken_off` is called with the log so far, if the mechanism fails or Ctrl-C ends the play after a first query.
    What the mechanism prints goes to stderr. With queries in flight it takes the ticket form, see
    `mechanism.platform.ConcurrentMechanism`.

    Raises
    ------
    InputError
        The horizon is not a whole number from N.
    MechanismError
        The mechanism raised, took too long, or answered with anything but a provider and a finite payment, or did not
        give each provider one of the first N queries.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.platform import reference_mechanism
    >>> played = play_on_market(reference_mechanism, published("gpqa-strong").setting, horizon=1_000)
    >>> len(played.trace), played.mechanism
    (1000, 'mechanism.platform:reference_mechanism')
    """
    steps = default_horizon(setting) if horizon is None else horizon
    check_horizon(setting, steps)
    law = None if in_flight is None else delay_law(in_flight, "in_flight")
    stopwatch = Stopwatch(time_limit)
    subject = Subject(factory, name or name_of(factory), stopwatch)
    rng = stream_generator(seed, 0, RandomStream.PLATFORM)
    bidders = truthful_bidders(setting, stream_generator(seed, 0, RandomStream.BIDDERS))
    market = market_laws(setting).market(seed, run=0)
    began = perf_counter()
    with stopwatch.watching(), contextlib.redirect_stdout(sys.stderr):
        mechanism = subject.made(MechanismConfig.of(setting), rng, market=setting)
        if law is None:
            trace = run_episode(mechanism, bidders, market, steps, broken_off=broken_off)
        else:
            settled = law.settled(steps, stream_generator(seed, 0, RandomStream.DELAYS))
            trace = run_concurrent_episode(mechanism, bidders, market, settled, broken_off=broken_off)
    seconds = perf_counter() - began
    metrics = measure(setting, trace, window=default_window(setting, steps))
    return Play(
        mechanism=subject.name,
        setting=setting,
        seed=seed,
        in_flight=in_flight,
        trace=trace,
        metrics=metrics,
        seconds=seconds,
    )

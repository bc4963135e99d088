"""Somebody's mechanism played on a setting's market with truthful providers, in plain Python."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import run_concurrent_episode, run_episode
from mechanism.market.market import market_laws
from mechanism.metrics.measures import Metrics, Summary, measure, summarize
from mechanism.metrics.rows import metric_rows
from mechanism.randomness import RandomStream, stream_generator
from mechanism.trace import Trace
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.subject import TIME_LIMIT, Factory, Subject, name_of
from proofs_checks.conformance.play.time_limit import Stopwatch

#: Metrics that only say something of the paper's platform: they ask whom its rules find eligible, and leave out the
#: queries that its rules explore.
_PLATFORM_ONLY = ("eligible", "excess_payment_without_exploration", "auction_payment_moving")


@dataclass(frozen=True, kw_only=True)
class Play(HasSheet):
    """One run of a mechanism on a market.

    Parameters
    ----------
    mechanism : str
        As it was named.
    setting : Setting
    seed : int
    in_flight : str or None
        How many queries were, as it was named.
    trace : Trace
        Who served, what was paid, scores, bids and costs: what `audit` reads.
    metrics : Metrics
        The paper's; those of exploration and eligibility are what the paper's rules would say of these steps.
    seconds : float
        Of playing, on this machine.
    """

    mechanism: str
    setting: Setting
    seed: int
    in_flight: str | None
    trace: Trace = field(repr=False)
    metrics: Metrics
    seconds: float

    @property
    def summaries(self) -> dict[str, Summary]:
        """The metrics that make sense for any mechanism, as those of one run: without a standard deviation."""
        return {name: found for name, found in summarize([self.metrics]).items() if name not in _PLATFORM_ONLY}

    def sheet(self) -> Sheet:
        """Return a row for every metric, and for each provider where the metric is one of providers."""
        names = [provider.name for provider in self.setting.providers]
        rows = ({**row, "value": row["mean"]} for row in metric_rows(self.summaries, names))
        played = f"{len(self.trace):,} queries on {self.setting.name} (seed {self.seed})"
        return Sheet.of(f"{self.mechanism}: {played}", ("metric", "provider", "value"), rows)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the keys of ``simulate --json``, as far as they make sense for one mechanism."""
        steps = len(self.trace)
        told = {name: asdict(summary) for name, summary in self.summaries.items()}
        return {
            "mechanism": self.mechanism,
            "setting": self.setting.name,
            "horizon": steps,
            "runs": 1,
            "seed": self.seed,
            "window": self.metrics.window,
            "bidders": "truthful",
            "in_flight": self.in_flight,
            "belief_slack": self.setting.platform.belief_slack,
            "steps": steps,
            "seconds": self.seconds,
            "steps_per_second": steps / self.seconds if self.seconds else None,
            "providers": [provider.name for provider in self.setting.providers],
            "market": market_laws(self.setting).describe(),
            "policies": {self.mechanism: told},
        }


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
        The horizon is no whole number from N.
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
        mechanism = subject.made(MechanismConfig.of(setting), rng, invoices=True)
        if law is None:
            trace = run_episode(mechanism, bidders, market, steps, broken_off=broken_off)
        else:
            settled = law.settled(steps, stream_generator(seed, 0, RandomStream.DELAYS))
            trace = run_concurrent_episode(mechanism, bidders, market, settled, broken_off=broken_off)
    seconds = perf_counter() - began
    _check_initialization(trace, setting)
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


def _check_initialization(trace: Trace, setting: Setting) -> None:
    """Raise where the first N queries do not go to N providers: the bids of those left out would be unknown."""
    first = trace.provider[: setting.n_providers].tolist()
    missing = [provider.name for place, provider in enumerate(setting.providers) if place not in first]
    if missing:
        message = (
            f"its first {setting.n_providers} queries leave out {', '.join(missing[:4])}: each provider is due one"
        )
        raise MechanismError("no such provider", message)

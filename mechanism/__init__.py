"""The platform, the providers and the market: what happens. It knows no claim about it.

What users need is importable from here, and is loaded when it is asked for.

The rules: `rules` (who is eligible, who wins, what is paid, over any ordered numbers), `tables` (confidence radii and
exploration targets), `config` (what a mechanism is told), `platform` (Algorithm 1 as an object) and `policies` (it
and the baselines). The providers: `bidding`, and their `market`. A run: `episode` in plain Python, `compiled` as
machine code, `trace` (its log) and `replay` (the state at every step of a log). Around runs: `metrics`, `recorded`
(generations of real models as a market), `tabular` (traces and generations in files) and `campaign` (many runs, kept
and resumed). Below them all: `randomness`, `parallel` (workers), `files`, `versions` and `arguments`.

Imports run from `campaign` down: `compiled` and `recorded`; `episode` and `metrics`; `market`, `replay` and
`policies`; `bidding`, `platform` and `tabular`; then the others, which know little of each other.

Examples
--------
>>> from bounds.published import published
>>> from mechanism import measure, simulate
>>> setting = published("gpqa-strong").setting
>>> measure(setting, simulate(setting, horizon=1000, seed=0), window=546).eligible
4
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mechanism.bidding import BayesianBidder, DeviatingBidder, FixedBidder, TruthfulBidder, prepare_bidders
    from mechanism.campaign.export import export_runs
    from mechanism.campaign.records import CampaignResult
    from mechanism.campaign.run import run_campaign
    from mechanism.campaign.spec import Campaign
    from mechanism.compiled.episode import CompiledEpisode
    from mechanism.config import MechanismConfig
    from mechanism.episode import run_episode, simulate
    from mechanism.market.market import MarketLaws, market_laws
    from mechanism.metrics.measures import Metrics, Span, measure, summarize
    from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
    from mechanism.platform import Mechanism, Platform, reference_mechanism
    from mechanism.policies import POLICIES, Policy
    from mechanism.replay import Replay
    from mechanism.trace import Trace

__all__ = [
    "POLICIES",
    "BayesianBidder",
    "Campaign",
    "CampaignResult",
    "CompiledEpisode",
    "DeviatingBidder",
    "FixedBidder",
    "MarketLaws",
    "Mechanism",
    "MechanismConfig",
    "Metrics",
    "Platform",
    "Policy",
    "ProviderField",
    "Replay",
    "RunField",
    "Span",
    "Tally",
    "Trace",
    "TruthfulBidder",
    "export_runs",
    "market_laws",
    "measure",
    "prepare_bidders",
    "reference_mechanism",
    "run_campaign",
    "run_episode",
    "simulate",
    "summarize",
    "tally_of",
]

_NAMES = {
    "bidding": "BayesianBidder DeviatingBidder FixedBidder TruthfulBidder prepare_bidders",
    "campaign.export": "export_runs",
    "campaign.records": "CampaignResult",
    "campaign.run": "run_campaign",
    "campaign.spec": "Campaign",
    "compiled.episode": "CompiledEpisode",
    "config": "MechanismConfig",
    "episode": "run_episode simulate",
    "market.market": "MarketLaws market_laws",
    "metrics.measures": "Metrics Span measure summarize",
    "metrics.tally": "ProviderField RunField Tally tally_of",
    "platform": "Mechanism Platform reference_mechanism",
    "policies": "POLICIES Policy",
    "replay": "Replay",
    "trace": "Trace",
}
_HOMES = {name: f"mechanism.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

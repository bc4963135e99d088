"""The platform, the providers and the market: what happens. It knows no claim about it.

What users need is importable from here, and is loaded when it is asked for.

The rules: `rules` (who is eligible, who wins, what is paid, over any ordered numbers), `tables` (confidence radii and
exploration targets), `config` (what a mechanism knows), `platform` (Algorithm 1 as an object) and `policies` (it
and the baselines). The providers: `bidding`, and their `market`. A run: `episode` in plain Python, `compiled` as
machine code, `trace` (its log) and `replay` (the state at every step of a log). Around runs: `metrics`, `answers`
(of real models, as a market), `tabular` (traces, generations and providers in files), `settings` (by name or
path, with such providers), `campaign` (many runs, kept and resumed), `comparison` (two policies on common outcomes),
`sweep` (grids of settings), `planner` (parameters for goals) and `plain_episode` (plain runs that look like compiled
ones). Below them all: `randomness`, `parallel` (workers), `files`, `versions` and `arguments`.

Imports run from `comparison` and `campaign` down: `compiled`, `plain_episode` and `answers`; `episode` and `metrics`;
`market`, `replay` and `policies`; `bidding`, `platform` and `tabular`; then the others, which know little of each
other.

Examples
--------
>>> from bounds.published import published
>>> from mechanism import measure, simulate
>>> setting = published("gpqa-strong").setting
>>> measure(setting, simulate(setting, horizon=1000, seed=0), window=546).eligible
4
"""

from typing import TYPE_CHECKING

from bounds.exports import exports

if TYPE_CHECKING:
    from mechanism.bidding import (
        BayesianBidder as BayesianBidder,
        DeviatingBidder as DeviatingBidder,
        FixedBidder as FixedBidder,
        TruthfulBidder as TruthfulBidder,
        prepare_bidders as prepare_bidders,
    )
    from mechanism.campaign.export import export_runs as export_runs
    from mechanism.campaign.records import CampaignResult as CampaignResult
    from mechanism.campaign.run import run_campaign as run_campaign
    from mechanism.campaign.spec import Campaign as Campaign
    from mechanism.compiled.episode import CompiledEpisode as CompiledEpisode
    from mechanism.config import MechanismConfig as MechanismConfig
    from mechanism.episode import run_episode as run_episode, simulate as simulate
    from mechanism.market.market import MarketLaws as MarketLaws, market_laws as market_laws
    from mechanism.metrics.curves import Curves as Curves, trace_curves as trace_curves
    from mechanism.metrics.measures import Metrics as Metrics, Span as Span, measure as measure, summarize as summarize
    from mechanism.metrics.tally import (
        ProviderField as ProviderField,
        RunField as RunField,
        Tally as Tally,
        tally_of as tally_of,
    )
    from mechanism.platform import (
        Mechanism as Mechanism,
        Platform as Platform,
        reference_mechanism as reference_mechanism,
    )
    from mechanism.policies import POLICIES as POLICIES, Policy as Policy
    from mechanism.replay import Replay as Replay
    from mechanism.trace import Trace as Trace

__all__, __getattr__, __dir__ = exports(__name__)

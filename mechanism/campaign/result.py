"""What a campaign measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mechanism.campaign.export import ExportedRun
from mechanism.metrics.measures import Metrics, Summary, summarize
from mechanism.metrics.tally import Tally

if TYPE_CHECKING:
    from mechanism.campaign.chunks import CampaignPart
    from mechanism.campaign.run import Campaign


@dataclass(frozen=True)
class Work:
    """What was simulated now, for one setting, and how many runs were there already; seconds over all workers."""

    steps: int
    seconds: float
    resumed: int

    @property
    def steps_per_second(self) -> float | None:
        """Steps per second of one worker; None if nothing was left to simulate."""
        return self.steps / self.seconds if self.seconds else None


@dataclass(frozen=True)
class CampaignResult:
    """Metrics of every run.

    Parameters
    ----------
    campaign : Campaign
    metrics : mapping of (setting name, policy) to tuple of Metrics
        In the order of the runs.
    tallies : mapping of (setting name, policy) to tuple of Tally
        Empty unless asked for.
    work : mapping of str to Work
        By setting.
    notes : tuple of str
        What somebody who reads the results should know about how they came about.
    """

    campaign: Campaign
    metrics: Mapping[tuple[str, str], tuple[Metrics, ...]]
    tallies: Mapping[tuple[str, str], tuple[Tally, ...]]
    work: Mapping[str, Work]
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> int:
        """Steps that were simulated now."""
        return sum(work.steps for work in self.work.values())

    @property
    def seconds(self) -> float:
        """Seconds of simulating now, compilation excluded, over all workers."""
        return sum(work.seconds for work in self.work.values())

    @property
    def resumed(self) -> int:
        """Runs that were finished before."""
        return sum(work.resumed for work in self.work.values())

    def summaries(self, part: CampaignPart) -> dict[str, dict[str, Summary]]:
        """Return the summary of every metric by policy, for the runs of one setting."""
        return {policy: summarize(self.metrics[part.setting.name, policy]) for policy in part.policies}

    def to_data(self, name: str | None = None) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys for a setting (default the first)."""
        campaign = self.campaign
        part = next(part for part in campaign.parts if name in (None, part.setting.name))
        setting, work = part.setting, self.work[part.setting.name]
        return {
            "setting": setting.name,
            "horizon": part.horizon,
            "runs": campaign.runs,
            "seed": campaign.seed,
            "window": part.window,
            "bidders": campaign.bidders,
            "belief_slack": setting.platform.belief_slack,
            "steps": work.steps,
            "seconds": work.seconds,
            "steps_per_second": work.steps_per_second,
            "resumed_runs": work.resumed,
            "providers": [provider.name for provider in setting.providers],
            "market": part.market().describe(),
            "policies": {
                policy: {metric: asdict(summary) for metric, summary in summaries.items()}
                for policy, summaries in self.summaries(part).items()
            },
        }

    def exported(self) -> Iterator[ExportedRun]:
        """Yield all runs as rows of `mechanism.campaign.export.export_rows`."""
        for (setting, policy), runs in self.metrics.items():
            for run, metrics in enumerate(runs):
                yield ExportedRun(setting, policy, run, metrics)

    def providers(self) -> dict[str, list[str]]:
        """Return the names of every setting's providers."""
        return {
            part.setting.name: [provider.name for provider in part.setting.providers] for part in self.campaign.parts
        }

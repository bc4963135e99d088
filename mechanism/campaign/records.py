"""What a campaign has finished, in memory and with a folder also on disk; and what it measured in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from mechanism.campaign.chunks import FinishedChunk, result_versions
from mechanism.campaign.export import ExportedRun
from mechanism.campaign.spec import Campaign, CampaignPart
from mechanism.campaign.store import CampaignStore, StoredRun, TraceFolder
from mechanism.metrics.measures import Metrics, summarize
from mechanism.metrics.tally import ProviderField, RunField, Tally


@dataclass(frozen=True)
class Work:
    """What was simulated now, for one setting, and how many runs were there already; seconds over all workers."""

    steps: int
    seconds: float
    resumed: int


@dataclass(frozen=True, kw_only=True)
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

    def __repr__(self) -> str:
        runs = sum(len(found) for found in self.metrics.values())
        return f"CampaignResult({len(self.metrics)} settings and policies, {runs:,} runs, {self.steps:,} steps)"

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
            "steps_per_second": work.steps / work.seconds if work.seconds else None,
            "resumed_runs": work.resumed,
            "providers": [provider.name for provider in setting.providers],
            "market": part.market().describe(),
            "policies": {
                policy: {metric: asdict(summary) for metric, summary in summarize(runs).items()}
                for policy, runs in ((policy, self.metrics[setting.name, policy]) for policy in part.policies)
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


class Records:
    """The finished runs of a campaign.

    Parameters
    ----------
    campaign : Campaign
    store : CampaignStore or None
    folder : TraceFolder or None
        Where traces go.
    tallies : bool
        Whether tallies are held in memory.
    """

    def __init__(
        self, campaign: Campaign, store: CampaignStore | None, folder: TraceFolder | None, tallies: bool
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._folder = folder
        self._tallies: dict[tuple[str, str], dict[int, Tally]] | None = {} if tallies else None
        self._metrics: dict[tuple[str, str], dict[int, Metrics]] = {}
        self._keys = [(part, policy) for part in campaign.parts for policy in part.policies]
        self._resumed = {part.setting.name: 0 for part in campaign.parts}
        self._seconds = {part.setting.name: 0.0 for part in campaign.parts}
        for part, policy in self._keys:
            self._resume(part, policy)

    @classmethod
    @contextmanager
    def open(
        cls, campaign: Campaign, identity: Mapping[str, Any], out: str | None, *, traces: bool, tallies: bool
    ) -> Iterator[Records]:
        """Open a campaign's records, in a folder if one is named."""
        if out is None:
            yield cls(campaign, None, None, tallies)
            return
        with CampaignStore.open(out, identity, result_versions()) as store:
            folder = TraceFolder(out, [part.setting.name for part in campaign.parts]) if traces else None
            yield cls(campaign, store, folder, tallies)

    @property
    def done(self) -> int:
        """Number of finished runs that the campaign asks for."""
        return sum(len(runs) for runs in self._metrics.values())

    @property
    def total(self) -> int:
        """Number of runs that the campaign asks for."""
        return len(self._keys) * self._campaign.runs

    def missing(self) -> list[tuple[CampaignPart, str, list[int]]]:
        """Return the runs still to simulate, by part and policy."""
        found = []
        for part, policy in self._keys:
            done = self._metrics[part.setting.name, policy]
            runs = [run for run in range(self._campaign.runs) if run not in done]
            if runs:
                found.append((part, policy, runs))
        return found

    def _resume(self, part: CampaignPart, policy: str) -> None:
        name = part.setting.name
        metrics = self._metrics.setdefault((name, policy), {})
        for stored in self._store.runs(name, policy) if self._store else ():
            if stored.run >= self._campaign.runs or self._is_damaged(stored, part):
                continue
            # A run whose trace is wanted and not there is simulated again; its row stays as it is.
            if self._folder is None or self._folder.holds(name, policy, stored.run):
                metrics[stored.run] = stored.metrics
                self._hold(name, policy, stored.run, stored.tally, part)
        self._resumed[name] += len(metrics)

    def _is_damaged(self, stored: StoredRun, part: CampaignPart) -> bool:
        """Say whether a row cannot be this part's, and let the next result replace it."""
        n, found = part.setting.n_providers, stored.metrics
        size = 8 * len(part.steps) * (len(ProviderField) * n + len(RunField))
        damaged = len(stored.tally) != size or not len(found.selections) == len(found.payoffs) == n
        if damaged and self._store is not None:
            self._store.mark_damaged(stored.setting, stored.policy, stored.run)
        return damaged

    def _hold(self, name: str, policy: str, run: int, tally: bytes | Tally, part: CampaignPart | None = None) -> None:
        if self._tallies is None:
            return
        if isinstance(tally, bytes) and part is not None:
            tally = Tally.from_bytes(tally, part.steps, part.setting.n_providers)
        if isinstance(tally, Tally):
            self._tallies.setdefault((name, policy), {})[run] = tally

    def keep(self, chunk: FinishedChunk) -> None:
        """Keep a finished chunk: its traces first, then its runs in one transaction."""
        name, policy = chunk.setting, chunk.policy
        for run, packed in zip(chunk.runs, chunk.traces, strict=False):
            if self._folder is not None:
                self._folder.write(name, policy, run, packed)
        each = chunk.seconds / len(chunk.runs)
        if self._store is not None:
            rows = zip(chunk.runs, chunk.tallies, chunk.metrics, strict=True)
            self._store.keep(
                StoredRun(setting=name, policy=policy, run=run, tally=tally.to_bytes(), metrics=metrics, seconds=each)
                for run, tally, metrics in rows
            )
        for run, tally, metrics in zip(chunk.runs, chunk.tallies, chunk.metrics, strict=True):
            self._metrics[name, policy][run] = metrics
            self._hold(name, policy, run, tally)
        self._seconds[name] += chunk.seconds

    def result(self) -> CampaignResult:
        """Return what was measured, in the order of the runs."""
        runs = range(self._campaign.runs)
        metrics = {key: tuple(found[run] for run in runs) for key, found in self._metrics.items()}
        held = (self._tallies or {}).items()
        tallies = {key: tuple(found[run] for run in runs) for key, found in held}
        return CampaignResult(
            campaign=self._campaign, metrics=metrics, tallies=tallies, work=self._work(), notes=self._notes()
        )

    def _work(self) -> dict[str, Work]:
        work = {}
        for part in self._campaign.parts:
            name = part.setting.name
            played = len(part.policies) * self._campaign.runs - self._resumed[name]
            work[name] = Work(part.horizon * played, self._seconds[name], self._resumed[name])
        return work

    def _notes(self) -> tuple[str, ...]:
        others = self._store.other_versions() if self._store else ()
        return tuple(
            f"some runs in the folder were computed under other versions: {_changes(result_versions(), other)}"
            for other in others
        )


def _changes(now: Mapping[str, str], then: Mapping[str, str]) -> str:
    names = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
    return ", ".join(f"{name} {then.get(name, 'none')} (now {now.get(name, 'none')})" for name in names)

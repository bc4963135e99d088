"""What a campaign has finished, in memory and with a folder also on disk; and what it measured in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from bounds.documents import INLINE, Count, Document, FromOne, NonNegative, key, limits, named
from bounds.errors import InputError
from bounds.sheet import Cell, HasSheet, Sheet
from bounds.words import counted
from mechanism.campaign.chunks import FinishedChunk
from mechanism.campaign.export import ExportedRun
from mechanism.campaign.spec import Campaign, CampaignPart
from mechanism.campaign.store import CampaignStore, StoredRun, TraceFolder
from mechanism.metrics.curves import Curves
from mechanism.metrics.measures import Metrics, PolicySummaries, Summary, summarize
from mechanism.metrics.rows import FIRST_METRICS, METRIC_COLUMNS, metric_rows, single_metrics, with_rounded
from mechanism.metrics.tally import ProviderField, RunField, Tally
from mechanism.policies import PolicyName


@dataclass(frozen=True)
class Work:
    """What was simulated now, for one setting.

    Parameters
    ----------
    steps : int
        Queries simulated now; those of resumed runs are not counted.
    seconds : float
        Seconds of simulation, compilation excluded, over all workers.
    resumed : int
        Runs that were finished before and kept.
    """

    steps: Count
    seconds: NonNegative
    resumed: Count = field(metadata=named("resumed_runs"))

    @key
    def steps_per_second(self) -> NonNegative | None:
        """Queries per second of one worker; None if nothing was left to simulate."""
        return self.steps / self.seconds if self.seconds else None


@dataclass(frozen=True, kw_only=True)
class SimulationReport(Document):
    """The market of a setting under one or more policies, on matched outcomes.

    Parameters
    ----------
    part : CampaignPart
        What was played.
    runs : int
        Independent runs of each policy.
    window : int
        Queries that moving averages look back.
    delay : str or None
        How many queries were in flight, as --delay named it; None without.
    work : Work
        What was simulated now.
    warnings : tuple of str
        What was simulated otherwise than the setting says: a radius that bidders widened.
    policies : dict
        What was measured, by policy.
    """

    part: CampaignPart = field(metadata=INLINE)
    runs: FromOne
    window: FromOne
    delay: str | None
    work: Work = field(metadata=INLINE)
    warnings: tuple[str, ...]
    policies: Annotated[Mapping[PolicyName, Annotated[Mapping[str, Summary], PolicySummaries]], limits(minProperties=1)]


@dataclass(frozen=True, kw_only=True)
class CampaignResult(HasSheet):
    """Metrics of every run.

    Parameters
    ----------
    campaign : Campaign
    metrics : mapping of (setting name, policy) to tuple of Metrics
        In the order of the runs.
    tallies : mapping of (setting name, policy) to tuple of Tally
        Empty unless asked for.
    curves : mapping of (setting name, policy) to Curves
        Of all runs, in their order. Empty unless asked for.
    work : mapping of str to Work
        By setting.
    notes : tuple of str
        What somebody who reads the results should know about how they came about.
    """

    campaign: Campaign
    metrics: Mapping[tuple[str, str], tuple[Metrics, ...]]
    tallies: Mapping[tuple[str, str], tuple[Tally, ...]]
    curves: Mapping[tuple[str, str], Curves]
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

    def summaries(self, part: CampaignPart) -> dict[str, dict[str, Summary]]:
        """Return the summary of every metric by policy, for the runs of one setting."""
        return {policy: summarize(self.metrics[part.setting.name, policy]) for policy in part.policies}

    def sheet(self, metrics: Sequence[str] = FIRST_METRICS) -> Sheet:
        """Return a row for every setting and policy: means and standard deviations, in one cell for readers.

        Parameters
        ----------
        metrics : sequence of str, optional
            Of `mechanism.metrics.rows.SINGLE_METRICS`; default the first ones that somebody asks for.
        """
        found = [
            ((part.setting.name, policy), [cells[metric] for metric in metrics])
            for part in self.campaign.parts
            for policy, summaries in self.summaries(part).items()
            for cells in (single_metrics(summaries),)
        ]
        rows: list[tuple[Cell, ...]] = [
            (*named, *(value for cell in cells for value in cell)) for named, cells in found
        ]
        first = 1 if len(self.campaign.parts) == 1 else 0  # readers of one setting need no column for it
        to_read: list[tuple[Cell, ...]] = [(*named[first:], *cells) for named, cells in found]
        named = ("setting", "policy")
        columns = (*named, *(name for metric in metrics for name in (metric, f"{metric}_sd")))
        read = Sheet(title=f"{self._title}; mean ± sd", columns=(*named[first:], *metrics), rows=tuple(to_read))
        return Sheet(title=self._title, columns=columns, rows=tuple(rows), for_readers=read)

    def metrics_sheet(self) -> Sheet:
        """Return a row for every setting, policy and metric, and provider where the metric is one of providers."""
        rows = (
            {"setting": part.setting.name, "policy": policy} | row
            for part in self.campaign.parts
            for policy, summaries in self.summaries(part).items()
            for row in metric_rows(summaries, [provider.name for provider in part.setting.providers])
        )
        return with_rounded(Sheet.of(self._title, ("setting", "policy", *METRIC_COLUMNS), rows))

    @property
    def _title(self) -> str:
        campaign = self.campaign
        served = ", ".join(f"{part.setting.name} for {part.horizon:,} queries" for part in campaign.parts)
        runs = counted(campaign.runs, "run")
        late = "" if campaign.delay is None else f", queries in flight {campaign.delay}"
        return f"{served} ({runs}, seed {campaign.seed}, {campaign.bidders} bidders{late})"

    def report(self, name: str | None = None) -> SimulationReport:
        """Return what is reported of a setting (default the first)."""
        campaign = self.campaign
        part = next(part for part in campaign.parts if name in (None, part.setting.name))
        return SimulationReport(
            part=part,
            runs=campaign.runs,
            window=part.window,
            delay=None if campaign.delay is None else f"{campaign.delay}",
            work=self.work[part.setting.name],
            warnings=tuple(campaign.warnings(part.setting.name)),
            policies=self.summaries(part),
        )

    def to_data(self, name: str | None = None) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys for a setting (default the first)."""
        return self.report(name).to_data()

    def exported(self) -> Iterator[ExportedRun]:
        """Yield all runs as rows of `mechanism.campaign.export.export_rows`."""
        for (setting, policy), runs in self.metrics.items():
            for run, metrics in enumerate(runs):
                yield setting, policy, run, metrics

    def providers(self) -> dict[str, list[str]]:
        """Return the names of every setting's providers."""
        return {
            part.setting.name: [provider.name for provider in part.setting.providers] for part in self.campaign.parts
        }


class Records:
    """The finished runs of a campaign, tallies and curves if asked; on disk where there is a store, or a folder."""

    def __init__(
        self,
        campaign: Campaign,
        versions: Mapping[str, str],
        store: CampaignStore | None,
        folder: TraceFolder | None,
        tallies: bool,
        curves: bool,
    ) -> None:
        self._versions = versions
        self._campaign, self._store, self._folder, self._holds_tallies = campaign, store, folder, tallies
        self._parts = {part.setting.name: part for part in campaign.parts}
        keys = [(name, policy) for name, part in self._parts.items() for policy in part.policies]
        self._tallies: dict[tuple[str, str], dict[int, Tally]] = {key: {} for key in keys if tallies}
        self._curves: dict[tuple[str, str], dict[int, Curves]] = {key: {} for key in keys if curves}
        self._metrics: dict[tuple[str, str], dict[int, Metrics]] = {key: {} for key in keys}
        self._resumed = dict.fromkeys(self._parts, 0)
        self._seconds = dict.fromkeys(self._parts, 0.0)
        #: Rows of runs that are simulated again for their trace or curves: they stay, and are what is reported.
        self._rows: dict[tuple[str, str, int], StoredRun] = {}
        if store is not None:
            for name, policy in keys:
                self._resume(store, name, policy)

    @classmethod
    @contextmanager
    def open(
        cls,
        campaign: Campaign,
        identity: Mapping[str, Any],
        versions: Mapping[str, str],
        out: str | None,
        *,
        traces: bool,
        tallies: bool,
        curves: bool,
    ) -> Iterator[Records]:
        """Open a campaign's records, in a folder if one is named; `versions` are those of whoever simulates now."""
        if out is None:
            yield cls(campaign, versions, None, None, tallies, curves)
            return
        with CampaignStore.open(out, identity, versions) as store:
            folder = TraceFolder(out, [part.setting.name for part in campaign.parts]) if traces else None
            yield cls(campaign, versions, store, folder, tallies, curves)

    @property
    def done(self) -> int:
        """Number of finished runs that the campaign asks for."""
        return sum(len(runs) for runs in self._metrics.values())

    @property
    def total(self) -> int:
        """Number of runs that the campaign asks for."""
        return len(self._metrics) * self._campaign.runs

    def missing(self) -> list[tuple[CampaignPart, str, list[int]]]:
        """Return the runs still to simulate, by part and policy."""
        found = []
        for (name, policy), done in self._metrics.items():
            runs = [run for run in range(self._campaign.runs) if run not in done]
            if runs:
                found.append((self._parts[name], policy, runs))
        return found

    def _resume(self, store: CampaignStore, name: str, policy: str) -> None:
        for stored in store.runs(name, policy):
            if stored.run >= self._campaign.runs:
                continue
            if self._is_damaged(stored):
                store.mark_damaged(name, policy, stored.run)
                continue
            self._rows[name, policy, stored.run] = stored
            # A run whose trace or curves are wanted and not there is simulated again; its row stays as it is.
            if self._folder is not None and not self._folder.holds(name, policy, stored.run):
                continue
            if self._curves and not self._take_kept_curves(store, name, policy, stored.run):
                continue
            self._take(self._rows.pop((name, policy, stored.run)))
            self._resumed[name] += 1

    def _take_kept_curves(self, store: CampaignStore, name: str, policy: str, run: int) -> bool:
        """Say whether the folder holds a run's curves, after the steps that are wanted now."""
        packed = store.curves(name, policy, run)
        if packed is None:
            return False
        try:
            found = self._unpacked(name, packed)
        except InputError:  # damaged
            store.mark_damaged(name, policy, run)
            return False
        if tuple(found.steps.tolist()) != self._parts[name].curve_steps:
            return False
        self._curves[name, policy][run] = found
        return True

    def _unpacked(self, name: str, packed: bytes) -> Curves:
        part = self._parts[name]
        return Curves.from_bytes(packed, min(part.window, part.horizon), part.setting.n_providers)

    def _is_damaged(self, stored: StoredRun) -> bool:
        """Say whether a row cannot be its part's; the next result then replaces it."""
        part, found = self._parts[stored.setting], stored.metrics
        n = part.setting.n_providers
        size = 8 * len(part.steps) * (len(ProviderField) * n + len(RunField))
        return (
            len(stored.tally) != size
            or not len(found.selections) == len(found.payoffs) == n
            or not np.isfinite(np.frombuffer(stored.tally, dtype="<f8")).all()
        )

    def _take(self, run: StoredRun) -> None:
        key, part = (run.setting, run.policy), self._parts[run.setting]
        self._metrics[key][run.run] = run.metrics
        if self._holds_tallies:
            self._tallies[key][run.run] = Tally.from_bytes(run.tally, part.steps, part.setting.n_providers)
        if self._curves and run.curves is not None:
            self._curves[key][run.run] = self._unpacked(run.setting, run.curves)

    def keep(self, chunk: FinishedChunk) -> None:
        """Keep a finished chunk: its traces first, then its runs in one transaction."""
        for run, packed in zip(chunk.runs, chunk.traces, strict=False):
            if self._folder is not None:
                self._folder.write(run.setting, run.policy, run.run, packed)
        if self._store is not None:
            self._store.keep(chunk.runs)
        for run in chunk.runs:
            row = self._rows.pop((run.setting, run.policy, run.run), run)
            self._take(replace(row, curves=run.curves))
            self._seconds[run.setting] += run.seconds

    def result(self) -> CampaignResult:
        """Return what was measured, in the order of the runs."""
        runs = range(self._campaign.runs)
        metrics = {key: tuple(found[run] for run in runs) for key, found in self._metrics.items()}
        tallies = {key: tuple(found[run] for run in runs) for key, found in self._tallies.items()}
        curves = {key: Curves.joined(found[run] for run in runs) for key, found in self._curves.items()}
        work = {}
        for name, part in self._parts.items():
            played = len(part.policies) * self._campaign.runs - self._resumed[name]
            work[name] = Work(part.horizon * played, self._seconds[name], self._resumed[name])
        return CampaignResult(
            campaign=self._campaign, metrics=metrics, tallies=tallies, curves=curves, work=work, notes=self._notes()
        )

    def _notes(self) -> tuple[str, ...]:
        if self._store is None:
            return ()
        notes = [
            f"some runs in the folder were computed under other versions: {_changes(self._versions, other)}"
            for other in self._store.other_versions()
        ]
        if replaced := self._store.replaced:
            were, their = ("were", "their runs") if len(replaced) > 1 else ("was", "its run")
            told = f"{counted(len(replaced), 'damaged row')} of {self._store.out} {were} refused, and {their}"
            notes.append(f"{told} simulated again: {'; '.join(replaced[:4])}{'; ...' if replaced[4:] else ''}")
        return tuple(notes)


def _changes(now: Mapping[str, str], then: Mapping[str, str]) -> str:
    names = sorted(name for name in {*now, *then} if now.get(name) != then.get(name))
    return ", ".join(f"{name} {then.get(name, 'none')} (now {now.get(name, 'none')})" for name in names)

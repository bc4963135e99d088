"""Campaigns: many runs of settings under several policies, in parallel, kept in a folder and resumable."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.bidding import prepare_bidders
from mechanism.campaign.chunks import CampaignPart, cut, play_chunk, prepare, result_versions
from mechanism.campaign.records import Records
from mechanism.campaign.result import CampaignResult
from mechanism.config import MechanismConfig
from mechanism.episode import OutcomeLaws
from mechanism.parallel import Workers, WorkersLostError, check_backend, check_jobs, open_workers
from mechanism.policies import POLICIES, find_policy
from mechanism.tables import radius_table

__all__ = ["Campaign", "CampaignResult", "prepare_bidders", "run_campaign"]

#: From this many steps on, traces are written by processes: writing holds the interpreter, a hundred times as long.
_TRACED_BY_PROCESSES = 500_000


@dataclass(frozen=True)
class Campaign:
    """What to run. Values that may differ between settings are one for all, or a mapping from settings' names.

    Parameters
    ----------
    settings : Setting or tuple of Setting
        With different names.
    horizon : int or mapping
        T, at least the number of providers.
    runs : int
        R, for every setting and policy.
    seed : int
    window : int or mapping
        Length of moving averages.
    policies : tuple of str, optional
        Names of `mechanism.policies.POLICIES`; empty for all that a setting's listed prices allow.
    bidders : str, optional
        ``truthful``, ``bayesian``, ``deviating`` or ``fixed:X``.
    checkpoints : sequence of int or mapping, optional
        Steps in 1..T after which totals are kept, besides T and the start of the window.
    laws : mapping, optional
        Options of `mechanism.market.market.market_laws`.
    recorded : mapping of str to RecordedLaws, optional
        Recorded generations that a setting of this name serves instead.

    Examples
    --------
    >>> from bounds.published import published
    >>> settings = tuple(published(name).setting for name in ("gpqa-strong", "gpqa-full"))
    >>> campaign = Campaign(settings, 500, 2, 0, 100, checkpoints={"gpqa-full": (250,)})
    >>> [part.steps for part in campaign.parts]
    [(400, 500), (250, 400, 500)]
    """

    settings: Setting | tuple[Setting, ...]
    horizon: int | Mapping[str, int]
    runs: int
    seed: int
    window: int | Mapping[str, int]
    policies: tuple[str, ...] = ()
    bidders: str = "truthful"
    checkpoints: Sequence[int] | Mapping[str, Sequence[int]] = ()
    laws: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, OutcomeLaws] = field(default_factory=dict)

    @cached_property
    def parts(self) -> tuple[CampaignPart, ...]:
        """One part a setting.

        Raises
        ------
        InputError
            Two settings of one name, a horizon shorter than initialization, a checkpoint beyond it, an unknown kind
            of bidders, or a policy that needs a listed price that a setting lacks.
        """
        settings = (self.settings,) if isinstance(self.settings, Setting) else tuple(self.settings)
        names = [setting.name for setting in settings]
        if len(set(names)) < len(names) or not names:
            raise InputError("settings", names, "must have different names", "rename one")
        if isinstance(self.runs, bool) or not isinstance(self.runs, int) or self.runs < 1:
            raise InputError("runs", self.runs, "must be a whole number from 1", "it is the number of independent runs")
        return tuple(self._part(setting) for setting in settings)

    def _part(self, setting: Setting) -> CampaignPart:
        horizon = _whole("horizon", self.horizon, setting, setting.n_providers)
        window = _whole("window", self.window, setting, 1)
        given = self.checkpoints
        checkpoints = given.get(setting.name, ()) if isinstance(given, Mapping) else given
        if not all(1 <= step <= horizon for step in checkpoints):
            raise InputError("checkpoints", checkpoints, f"must lie in 1..{horizon}", "totals are taken after a step")
        prepared, _ = prepare_bidders(setting, self.bidders)
        return CampaignPart(
            prepared,
            self.bidders,
            horizon,
            self.seed,
            window,
            tuple(sorted({int(step) for step in checkpoints})),
            self._chosen_policies(setting),
            tuple((name, _hashable(value)) for name, value in self.laws.items()),
            self.recorded.get(setting.name),
        )

    def _chosen_policies(self, setting: Setting) -> tuple[str, ...]:
        priced = all(provider.listed_price is not None for provider in setting.providers)
        if not self.policies:
            return tuple(name for name in POLICIES if priced or not POLICIES[name].needs_prices)
        for name in self.policies:
            find_policy(name).check(setting)
        return tuple(dict.fromkeys(self.policies))

    def identity(self) -> dict[str, Any]:
        """Return plain data that decide every result; more runs or policies of a campaign are the same campaign."""
        settings = {part.setting.name: _part_identity(part) for part in self.parts}
        return {"settings": settings, "seed": self.seed, "bidders": self.bidders}


def _whole(argument: str, given: int | Mapping[str, int], setting: Setting, least: int) -> int:
    value = given.get(setting.name) if isinstance(given, Mapping) else given
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(argument, value, f"must be a whole number from {least}", f"it is that of {setting.name}")
    return int(value)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _part_identity(part: CampaignPart) -> dict[str, Any]:
    laws = part.market()
    # The tables to the last bit: another version of SciPy could discretize a law otherwise, another processor round a
    # logarithm otherwise, and recorded generations are in no other place of it.
    digest = hashlib.sha256()
    config = MechanismConfig.of(part.setting)
    radii = radius_table(config.n_providers, config.confidence).upto(part.horizon)
    for table in (*laws.tables(), radii):
        digest.update(np.asarray(table).tobytes())
    return {
        "setting": part.setting.to_data(),
        "horizon": part.horizon,
        "window": part.window,
        "checkpoints": list(part.checkpoints),
        "market": laws.describe(),
        "market_tables": digest.hexdigest(),
    }


def run_campaign(
    campaign: Campaign,
    *,
    jobs: int = 1,
    backend: str = "auto",
    scheduler: str | None = None,
    out: str | None = None,
    traces: bool = True,
    tallies: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CampaignResult:
    """Run a campaign; with a folder, keep every finished chunk and do only what is missing there.

    Neither the workers, their number, the chunks, nor an interruption change a bit of the results.

    Parameters
    ----------
    campaign : Campaign
    jobs : int, optional
        Workers on this machine; a cluster has its own number.
    backend : {"auto", "threads", "processes", "dask", "ray"}, optional
        "auto" takes threads, since the compiled episode runs without the interpreter, or processes if many traces
        are to be written.
    scheduler : str, optional
        Address of the Dask or Ray cluster.
    out : str, optional
        Folder for the database ``campaign.sqlite`` and the traces.
    traces : bool, optional
        Whether a folder also gets the trace of every run, ``POLICY-RUN.csv.gz``.
    tallies : bool, optional
        Whether the result holds the tallies too.
    progress : callable, optional
        Called with the runs done and all runs.

    Returns
    -------
    CampaignResult

    Raises
    ------
    InputError
        The folder holds another campaign or cannot be written, or the workers cannot be had or were lost.

    Examples
    --------
    >>> from bounds.published import published
    >>> campaign = Campaign(published("gpqa-strong").setting, 500, 1, 0, 100, policies=("platform",))
    >>> run_campaign(campaign).steps
    500
    """
    check_backend("threads" if backend == "auto" else backend, scheduler)
    check_jobs(jobs)
    identity = campaign.identity() if out is not None else {}
    with Records.open(campaign, identity, out, traces=traces, tallies=tallies) as records:
        missing = records.missing()
        progress(records.done, records.total)
        traces = traces and out is not None
        if missing:
            chosen = _chosen_backend(backend, missing, traces)
            with _told_what_is_kept(records, out), open_workers(chosen, jobs, scheduler) as workers:
                tasks = _tasks(missing, workers, traces)
                for played in workers.run(play_chunk, tasks):
                    records.keep(played)
                    progress(records.done, records.total)
        return records.result()


@contextmanager
def _told_what_is_kept(records: Records, out: str | None) -> Iterator[None]:
    try:
        yield
    except WorkersLostError as lost:
        remedy = "start it and the same command again"
        if out is not None:
            kept = f"{records.done:,} of {records.total:,} runs are finished in {out}"
            remedy = f"{kept}; the same command does the rest"
        raise WorkersLostError(lost.argument, lost.value, lost.rule, remedy) from lost


Missing = Sequence[tuple[CampaignPart, str, list[int]]]


def _chosen_backend(backend: str, missing: Missing, traces: bool) -> str:
    if backend != "auto":
        return backend
    steps = sum(part.horizon * len(runs) for part, _, runs in missing)
    return "processes" if traces and steps >= _TRACED_BY_PROCESSES else "threads"


def _tasks(missing: Missing, workers: Workers, traces: bool) -> list[tuple[Any, ...]]:
    """Return the chunks, those of long runs first, so that the workers end together."""
    if workers.backend == "threads":
        for part in dict.fromkeys(part for part, _, _ in missing):
            prepare(part)
    at_least = -(-workers.count // len(missing))
    return [
        (part, policy, chunk, traces, result_versions())
        for part, policy, runs in sorted(missing, key=lambda entry: -entry[0].horizon)
        for chunk in cut(part, runs, traces, at_least)
    ]

"""Campaigns are run here: many runs of settings under several policies, in parallel, kept in a folder and resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bounds.errors import InputError
from mechanism.arguments import whole_number
from mechanism.campaign.chunks import FinishedChunk, prepare, result_versions, simulate_chunk, split_runs
from mechanism.campaign.gpu import GPU, check_gpu, check_playable, gpu_versions, play_on_gpu
from mechanism.campaign.records import CampaignResult, Records
from mechanism.campaign.spec import Campaign, CampaignPart
from mechanism.parallel import BACKENDS, Workers, WorkersLostError, check_backend, open_workers

#: From this many steps on, traces are written by processes: writing holds the interpreter, a hundred times as long.
_TRACED_BY_PROCESSES = 500_000

#: Where a campaign can run; `auto` chooses.
CAMPAIGN_BACKENDS = ("auto", *BACKENDS, GPU)

Missing = Sequence[tuple[CampaignPart, str, list[int]]]


def run_campaign(
    campaign: Campaign,
    *,
    jobs: int = 1,
    backend: str = "auto",
    scheduler: str | None = None,
    out: str | None = None,
    traces: bool = True,
    tallies: bool = False,
    curves: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> CampaignResult:
    """Run a campaign; with a folder, keep every finished chunk and do only what is missing there.

    Neither the workers, their number, the chunks, nor an interruption change a bit of the results. A GPU adds up
    payments in another order than a processor, so their last digits differ.

    Parameters
    ----------
    campaign : Campaign
    jobs : int, optional
        Workers on this machine; a cluster has its own number.
    backend : {"auto", "threads", "processes", "dask", "gpu"}, optional
        "auto" takes threads, since the compiled episode runs without the interpreter, or processes if many traces
        are to be written or feedback is late. "gpu" plays many short runs at the same time on an NVIDIA GPU. Their
        counts, scores and costs are those of the others to the last bit, and other money differs by rounding. It
        plays truthful bidders under compiled policies and writes no traces.
    scheduler : str, optional
        Address of the scheduler of a Dask cluster.
    out : str, optional
        Folder for the database ``campaign.sqlite`` and the traces.
    traces : bool, optional
        Whether a folder also gets the trace of every run, ``POLICY-RUN.csv.gz``.
    tallies : bool, optional
        Whether the result holds the tallies too.
    curves : bool, optional
        Whether the result holds the curves too. A folder keeps them in any case, but of runs of a GPU, which keeps
        them if they are asked for. Runs that were kept without curves are simulated again for them.
    progress : callable, optional
        Called with the runs done and all runs.

    Raises
    ------
    InputError
        The folder holds another campaign or cannot be written, the workers or the GPU cannot be had or were lost, a
        folder is asked to keep policies of one's own, or a GPU to play what it cannot.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> run_campaign(Campaign(setting, horizon=500, runs=1, seed=0, window=100, policies=("platform",)))
    CampaignResult(1 settings and policies, 1 runs, 500 steps)
    """
    check_campaign_backend(backend, scheduler)
    whole_number("jobs", jobs, "it is how many workers this machine gives", least=1)
    _check_kept(campaign, out)
    if backend == GPU:
        _check_gpu_plays(campaign, traces=traces and out is not None)
    identity = campaign.identity() if out is not None else {}
    versions = _versions(backend)
    with Records.open(campaign, identity, versions, out, traces=traces, tallies=tallies, curves=curves) as records:

        def keep(chunks: Iterable[FinishedChunk]) -> None:
            for chunk in chunks:
                records.keep(chunk)
                progress(records.done, records.total)

        progress(records.done, records.total)
        traces = traces and out is not None
        own, others = _apart(records.missing())
        for part, policy, runs in own:
            keep(simulate_chunk(part, policy, (run,), False, curves, result_versions()) for run in runs)
        if others and backend == GPU:
            with _told_what_is_kept(records, out, "leave it more memory, or take threads or processes"):
                for part, policy, runs in others:
                    keep(play_on_gpu(part, policy, runs, curves=curves))
        elif others:
            chosen = _chosen_backend(backend, others, traces)
            with (
                _told_what_is_kept(records, out, "start it and the same command again"),
                open_workers(chosen, jobs, scheduler) as workers,
            ):
                tasks = _tasks(others, workers, traces, curves or out is not None)
                keep(workers.run(simulate_chunk, tasks))
        return records.result()


def check_campaign_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown back end, a GPU that cannot be had, and a scheduler without a cluster or the other way round.

    Raises
    ------
    InputError
    """
    if backend not in CAMPAIGN_BACKENDS:
        raise InputError("backend", backend, f"must be one of {', '.join(CAMPAIGN_BACKENDS)}", "auto is the default")
    if backend == GPU and scheduler is None:
        check_gpu()
    elif backend == GPU:
        raise InputError("scheduler", scheduler, "needs backend dask", "leave it out to use this machine's GPU")
    else:
        check_backend("threads" if backend == "auto" else backend, scheduler)


def _versions(backend: str) -> dict[str, str]:
    """Return the versions of what simulates with a back end."""
    return gpu_versions() if backend == GPU else result_versions()


def _check_gpu_plays(campaign: Campaign, *, traces: bool) -> None:
    for part in campaign.parts:
        check_playable(part)
    if traces:
        remedy = "leave them out (traces=False, --no-traces), or take threads or processes"
        raise InputError("traces", True, "cannot be had from a GPU, which keeps totals only", remedy)


def _check_kept(campaign: Campaign, out: str | None) -> None:
    """Refuse a folder for code that may be another one tomorrow under the same name."""
    own = [name for part in campaign.parts for name in part.policies if name in campaign.own_policies]
    if out is not None and own:
        rule = f"keeps no runs of {own[0]}, whose code may change"
        raise InputError("out", out, rule, "leave the folder out, or play the policy alone with `costproof play --out`")


def _apart(missing: Missing) -> tuple[Missing, Missing]:
    """Return the runs under policies of one's own, and the others."""
    own: list[tuple[CampaignPart, str, list[int]]] = []
    others: list[tuple[CampaignPart, str, list[int]]] = []
    for part, policy, runs in missing:
        if policy in dict(part.own_policies):
            own.append((part, policy, runs))
        else:
            others.append((part.without_own_policies(), policy, runs))
    return own, others


@contextmanager
def _told_what_is_kept(records: Records, out: str | None, remedy: str) -> Iterator[None]:
    """Say how much a folder keeps when workers or a GPU are lost; without one, what else can be done."""
    try:
        yield
    except WorkersLostError as lost:
        if out is not None:
            kept = f"{records.done:,} of {records.total:,} runs are finished in {out}"
            remedy = f"{kept}; the same command does the rest"
        raise WorkersLostError(lost.argument, lost.value, lost.rule, remedy) from lost


def _chosen_backend(backend: str, missing: Missing, traces: bool) -> str:
    if backend != "auto":
        return backend
    steps = sum(part.horizon * len(runs) for part, _, runs in missing)
    held = any(part.delay is not None for part, _, _ in missing)  # the interpreter, by plain Python
    return "processes" if held or (traces and steps >= _TRACED_BY_PROCESSES) else "threads"


def _tasks(missing: Missing, workers: Workers, traces: bool, curves: bool) -> list[tuple[Any, ...]]:
    """Return the chunks, those of long runs first, so that the workers end together."""
    if workers.backend == "threads":
        for part in dict.fromkeys(part for part, _, _ in missing):
            prepare(part)
    at_least = -(-workers.count // len(missing))
    return [
        (part, policy, chunk, traces, curves, result_versions())
        for part, policy, runs in sorted(missing, key=lambda entry: -entry[0].horizon)
        for chunk in split_runs(part, runs, traces, at_least if part.policy(policy).compiled else len(runs))
    ]

"""`costproof simulate`: run the market and report the paper's metrics."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from proofs_checks.cli.arguments import (
    add_horizon,
    add_jobs,
    add_json,
    add_seed,
    compiled_simulator,
    cores,
    print_json,
    progress_bar,
    whole_number,
)

if TYPE_CHECKING:
    from bounds.setting.model import Setting
    from mechanism.campaign.records import CampaignResult
    from mechanism.campaign.spec import Campaign
    from mechanism.recorded.market import RecordedLaws

BACKEND_NAMES = ("auto", "threads", "processes", "dask", "ray")
POLICY_NAMES = ("platform", "uniform-eligible", "lowest-price-eligible", "lowest-price", "no-quality-filter")


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate",
        help="run the market and report the paper's metrics",
        allow_abbrev=False,
        description="Run a setting's market under one or more policies on matched outcomes; means and standard "
        "deviations over runs. Regrets and excess are cumulative, costs and amounts per query.",
    )
    parser.add_argument("setting", metavar="SETTING", help="a built-in name or a TOML file")
    add_horizon(parser, "queries a run (default 70,000, the paper's)")
    parser.add_argument(
        "--runs", type=whole_number(1, 10**6), default=3, metavar="R", help="independent runs (default 3)"
    )
    parser.add_argument(
        "--policy",
        action="append",
        choices=POLICY_NAMES,
        metavar="NAME",
        dest="policies",
        help=f"{', '.join(POLICY_NAMES)}; repeat for several (default: all that the setting's prices allow)",
    )
    parser.add_argument(
        "--bidders",
        default="truthful",
        metavar="KIND",
        help="truthful (default), bayesian (widens the platform's radius as needed), deviating (by the setting's "
        "underbid and overbid) or fixed:X (everybody always bids X)",
    )
    parser.add_argument(
        "--window",
        type=whole_number(1),
        metavar="W",
        help="steps of moving averages (default: the benchmark's size, or T/50)",
    )
    _add_recorded(parser)
    _add_keeping(parser)
    _add_workers(parser)
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def _add_recorded(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--generations",
        metavar="FOLDER",
        help="serve recorded generations from the files of this folder (docs/generations.md) instead of laws",
    )
    parser.add_argument(
        "--benchmark", metavar="NAME", help="with --generations: the subfolder with the setting's benchmark"
    )


def _add_keeping(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="DIR", help="keep finished runs (campaign.sqlite) and traces there, and resume what is missing"
    )
    parser.add_argument(
        "--no-traces",
        action="store_true",
        help="with --out: no trace files; writing one takes about a hundred times as long as simulating it",
    )
    parser.add_argument(
        "--export", metavar="FILE", help="write one row a run with every metric, as .csv or (extra) .parquet"
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    add_jobs(parser, "workers on this machine (default: all cores)")
    parser.add_argument(
        "--backend",
        choices=BACKEND_NAMES,
        default="auto",
        metavar="NAME",
        help="threads or processes of this machine (default: auto chooses), or the cluster at --scheduler through "
        "dask or ray (extras)",
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask or Ray cluster")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from mechanism.campaign.export import check_export, export_rows

    if arguments.export:
        check_export(arguments.export)
    result = _simulated(arguments)
    for note in result.notes:
        _note(note)
    if arguments.export:
        export_rows(result.exported(), result.providers(), arguments.export)
    data = result.to_data()
    if arguments.json:
        print_json(data)
        return 0
    from proofs_checks.cli.views.simulation import show_simulation

    show_simulation(data)
    return 0


def _simulated(arguments: argparse.Namespace) -> CampaignResult:
    from mechanism.campaign.run import run_campaign

    campaign, horizon = _campaign(arguments)
    _notes_before(arguments, campaign)
    last: list[int] = []
    try:
        with _compiled(arguments), progress_bar("simulating", steps_each=horizon) as progress:
            return run_campaign(
                campaign,
                jobs=arguments.jobs or cores(),
                backend=arguments.backend,
                scheduler=arguments.scheduler,
                out=arguments.out,
                traces=not arguments.no_traces,
                progress=_remembering(progress, last),
            )
    except KeyboardInterrupt:
        if arguments.out and last:
            kept = f"{last[0]:,} of {last[1]:,} runs are finished in {arguments.out}"
            sys.stderr.write(f"{kept}; the same command does the rest\n")
        raise


def _remembering(progress: Callable[[int, int], None], last: list[int]) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        last[:] = done, total
        progress(done, total)

    return report


def _compiled(arguments: argparse.Namespace) -> AbstractContextManager[None]:
    """Compile here what runs here; a cluster's workers compile their own."""
    return nullcontext() if arguments.backend in ("dask", "ray") else compiled_simulator()


def _notes_before(arguments: argparse.Namespace, campaign: Campaign) -> None:
    """Say what the command leaves out or ignores, and refuse what cannot run before anything is compiled."""
    from mechanism.parallel import check_backend

    (part,) = campaign.parts
    check_backend("threads" if arguments.backend == "auto" else arguments.backend, arguments.scheduler)
    left_out = [] if arguments.policies else [name for name in POLICY_NAMES if name not in part.policies]
    if left_out:
        unpriced = [provider.name for provider in part.setting.providers if provider.listed_price is None]
        names = ", ".join(unpriced[:4]) + (", ..." if len(unpriced) > 4 else "")
        _note(f"without {', '.join(left_out)}, which need listed prices: none for {names}")
    if arguments.no_traces and not arguments.out:
        _note("--no-traces changes nothing without --out")


def _campaign(arguments: argparse.Namespace) -> tuple[Campaign, int]:
    from bounds.loading import load_setting
    from bounds.report import check_horizon
    from mechanism.campaign.spec import Campaign
    from proofs_checks.cli.commands.defaults import default_horizon, default_window

    setting = load_setting(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    check_horizon(setting, horizon)
    window = arguments.window or default_window(setting, horizon)
    policies = tuple(dict.fromkeys(arguments.policies or ()))
    campaign = Campaign(
        setting,
        horizon=horizon,
        runs=arguments.runs,
        seed=arguments.seed,
        window=window,
        policies=policies,
        bidders=arguments.bidders,
        recorded=_recorded(arguments, setting),
    )
    return campaign, horizon


def _recorded(arguments: argparse.Namespace, setting: Setting) -> dict[str, RecordedLaws]:
    """Return the recorded generations by the setting's name, none by default; say what is odd about them."""
    if arguments.generations is None:
        if arguments.benchmark is not None:
            remedy = "name the folder of the recorded generations"
            raise InputError("--benchmark", arguments.benchmark, "needs --generations", remedy)
        return {}
    from mechanism.recorded.source import load_recorded_laws, recording_notes

    laws = load_recorded_laws(arguments.generations, setting, benchmark=arguments.benchmark)
    for note in recording_notes(laws, setting):
        _note(note)
    return {setting.name: laws}


def _note(text: str) -> None:
    sys.stderr.write(f"costproof: note: {' '.join(text.split())}\n")

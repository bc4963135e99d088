"""`costproof simulate`: run the market and report the paper's metrics."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, get_args

from bounds.errors import InputError
from bounds.words import first_of
from mechanism.answers.choices import Draws
from mechanism.policy_names import PAPER_POLICY_NAMES, POLICY_NAMES
from proofs_checks.cli.arguments import (
    A_POLICY,
    BIDDER_KINDS,
    KEEP_GAMMA,
    METHOD_NAMES,
    Options,
    given_again,
    whole_number,
)
from proofs_checks.cli.notes import note, note_plain
from proofs_checks.cli.output import tell, tell_aside
from proofs_checks.cli.recordings import add_recordings, words_of

if TYPE_CHECKING:
    from mechanism.campaign.records import CampaignResult
    from mechanism.campaign.spec import Campaign
    from mechanism.policies import Policy

BACKEND_NAMES = ("auto", "threads", "processes", "dask", "gpu")

#: Queries of each policy that are played to tell how long a campaign in plain Python takes.
_TRIED = 500

DESCRIPTION = (
    "Run a setting's market under one or more policies on matched outcomes; means and standard deviations over runs. "
    "Regrets and excess are cumulative, costs and amounts per query."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add_recordings(add)
    add.horizon("queries per run (default 70,000, the paper's)")
    add("--runs R", "independent runs (default 3)", type=whole_number(1, 10**6), default=3)
    policies = (
        f"{', '.join(POLICY_NAMES)}, or MODULE:OBJECT, a mechanism of yours as `costproof play` takes it; repeat for "
        "several (default: the first five, as far as the setting's prices allow; costproof docs policies has each)"
    )
    add.several("--policy NAME", policies, "policies", **A_POLICY)
    add("--bidders KIND", BIDDER_KINDS, default="truthful")
    add("--keep-gamma", KEEP_GAMMA, action="store_true")
    late = "queries in flight, in plain Python: 3, or 0-5 for a random number; after it ,in-order or ,lost=0.01"
    add("--delay LAW", late)
    add("--method", "of the bounds beside what happened (default paper)", choices=METHOD_NAMES, default="paper")
    add("--window W", "steps of moving averages (default: the benchmark's size, or T/50)", type=whole_number(1))
    add(
        "--draws HOW",
        "of a public evaluation: passes over its questions (default), or independent, a question drawn with "
        "replacement for every provider and query",
        choices=get_args(Draws),
    )
    drawn = "with uncertain inputs: play one market drawn from their region with the seed, not the point estimates"
    add("--draw-inputs", drawn, action="store_true")
    add("--out DIR", "keep finished runs (campaign.sqlite) and traces there, and resume what is missing")
    without = "with --out: no trace files; writing one takes hundreds of times as long as simulating it"
    add("--no-traces", without, action="store_false", dest="traces")
    add("--export FILE", "write one row per run with every metric, as .csv")
    add("--curves FILE", "write metrics over time, median and 10-90%% band over runs, as .csv")
    add("--plot DIR", "draw the figures that these runs allow there, as SVG, PDF and PNG (costproof docs figures)")
    chosen = "columns of the table: names with commas between, as quality-regret,accuracy, or all (default: "
    add("--metrics LIST", f"{chosen}five)", default="")
    add.all("every metric, the selections of every provider, the market, and how fast it was simulated")
    every = "with --all for every policy, metric and, where it is one of providers, provider"
    add.tables(f"a row for every policy, {every}; means and standard deviations")
    beside = "of --csv, --markdown or --latex-table: the guarantees beside what happened under the platform instead"
    add("--guarantees", beside, action="store_true")
    add.jobs("workers on this machine (default: all cores)")
    add(
        "--backend NAME",
        "threads or processes of this machine (default: auto chooses), the cluster at --scheduler through "
        "dask (extra), or for many short runs gpu (extra), an NVIDIA GPU",
        choices=BACKEND_NAMES,
        default="auto",
    )
    add("--scheduler ADDRESS", "address of the scheduler of a running Dask cluster")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a mechanism of one's own raises, takes too long, or returns an invalid answer."""
    from mechanism.campaign.export import check_csv, export_curves, export_rows
    from mechanism.metrics.rows import FIRST_METRICS, metrics_named
    from proofs_checks.cli.campaigns import own_policies_played
    from proofs_checks.cli.views.simulate import (
        SimulationDocument,
        guarantees_beside,
        guarantees_sheet,
        show_simulation,
    )
    from proofs_checks.figures.extra import require_matplotlib
    from proofs_checks.proofs.kernel.formulas import check_formulas

    check_formulas()
    metrics = metrics_named(arguments.metrics.split(",")) if arguments.metrics else FIRST_METRICS
    if arguments.guarantees and arguments.table is None:
        remedy = "add --csv, --markdown or --latex-table; text and --json have them anyway"
        raise InputError("guarantees", True, "chooses a table, and none is asked for", remedy)
    if arguments.export:
        check_csv("export", arguments.export)
    if arguments.curves:
        check_csv("curves", arguments.curves)
    if arguments.plot and arguments.delay is not None:
        remedy = "leave out one of the two: figures show bounds that late feedback does not keep"
        raise InputError("plot", arguments.plot, "cannot be drawn with --delay", remedy)
    if arguments.plot and arguments.keep_gamma:
        remedy = "leave out one of the two: figures show bounds that a gamma that is too small does not keep"
        raise InputError("plot", arguments.plot, "cannot be drawn with --keep-gamma", remedy)
    if arguments.plot:
        require_matplotlib()
    with own_policies_played(arguments.policies) as own:
        result = _simulated(arguments, own)
    for told in result.notes:
        note(told)
    if arguments.export:
        export_rows(result.exported(), result.providers(), arguments.export)
    if arguments.curves:
        export_curves(result.curves, result.providers(), arguments.curves)
    if arguments.plot:
        _plot(result, arguments.plot)
    beside = guarantees_beside(result, arguments.method)
    sheet = result.metrics_sheet if arguments.everything else partial(result.sheet, metrics)
    tell(
        arguments,
        SimulationDocument(report=result.report(), guarantees=beside, method=arguments.method).to_data,
        lambda: show_simulation(
            result,
            metrics=metrics,
            everything=arguments.everything,
            asked=words_of(arguments),
            policies_asked=arguments.policies,
            kept=_kept(arguments),
            method=arguments.method,
        ),
        partial(guarantees_sheet, result, arguments.method) if arguments.guarantees else sheet,
    )
    return 0


def _kept(arguments: argparse.Namespace) -> str:
    """Return the flags that draw the market, choose the bounds, and that keep the runs and find them again."""
    words = given_again(
        {
            "--draw-inputs": arguments.draw_inputs,
            "--method": arguments.method if arguments.method != "paper" else None,
            "--out": arguments.out,
            "--no-traces": bool(arguments.out) and not arguments.traces,
        }
    )
    return "".join(f" {shlex.quote(word)}" for word in words)


def _plot(result: CampaignResult, folder: str) -> None:
    """Draw what the runs allow; say on stderr what was written, and what could not be drawn."""
    from proofs_checks.cli.views.figures import figures_told, notes_of
    from proofs_checks.figures.files import draw_runs, request_of, runs_of

    report = draw_runs(runs_of(result), request_of((), folder=folder))
    for text in notes_of(report):
        note(text)
    tell_aside(figures_told(report, folder))


def _simulated(arguments: argparse.Namespace, own: Mapping[str, Policy]) -> CampaignResult:
    from mechanism.campaign.run import run_campaign
    from proofs_checks.cli.campaigns import campaign_asked
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.progress import kept_progress

    campaign = campaign_asked(arguments, dict.fromkeys(arguments.policies), own)
    _notes_before(arguments, campaign)
    # What runs here is compiled here; a cluster's workers compile their own.
    here = arguments.backend not in ("dask", "gpu") and campaign.delay is None
    with compiled_simulator(needed=here), kept_progress("simulating", arguments.out) as progress:
        return run_campaign(
            campaign,
            jobs=arguments.jobs,
            backend=arguments.backend,
            scheduler=arguments.scheduler,
            out=arguments.out,
            traces=arguments.traces,
            curves=bool(arguments.curves or arguments.plot),
            progress=progress,
        )


def _notes_before(arguments: argparse.Namespace, campaign: Campaign) -> None:
    """Say what the command leaves out or ignores, and refuse what cannot run before anything is compiled."""
    from mechanism.campaign.run import check_campaign_backend

    (part,) = campaign.parts
    check_campaign_backend(arguments.backend, arguments.scheduler)
    if arguments.backend == "gpu":
        note("compiling for the GPU takes some ten seconds, each time")
    left_out = [] if arguments.policies else [name for name in PAPER_POLICY_NAMES if name not in part.policies]
    if left_out:
        unpriced = [provider.name for provider in part.setting.providers if provider.listed_price is None]
        names = first_of(unpriced, 4, least=3)
        note(f"without {', '.join(left_out)}, which need listed prices (key listed_price): none for {names}")
    plain = [name for name in part.policies if not part.policy(name).compiled]
    if campaign.delay is not None:
        note(_how_long(campaign))
    else:
        note_plain(plain)
    if arguments.keep_gamma and not campaign.warnings(part.setting.name):
        note("--keep-gamma changes nothing: the setting's gamma covers these bidders")
    if not arguments.traces and not arguments.out:
        note("--no-traces changes nothing without --out")


def _how_long(campaign: Campaign) -> str:
    """Return roughly how much work a campaign in plain Python is, after playing a little of it."""
    from time import process_time

    (part,) = campaign.parts
    tried = min(_TRIED, part.horizon)
    part.episode(part.policies[0]).trace(horizon=tried, seed=campaign.seed)  # builds tables, which are not timed
    began = process_time()
    for policy in part.policies:
        part.episode(policy).trace(horizon=tried, seed=campaign.seed)
    seconds = (process_time() - began) * part.horizon / tried * campaign.runs
    told = f"{max(float(f'{seconds:.1g}'), 1):,.0f} s"
    return f"with --delay runs are simulated in plain Python: roughly {told} of work, over all workers"

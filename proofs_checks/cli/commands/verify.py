"""`costproof verify`: every claim of the paper, with its evidence and verdict."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import add_claims, add_horizon, add_jobs, add_seed, whole_number
from proofs_checks.cli.output import print_json

SUMMARY = "every claim of the paper, with its evidence and verdict"
DESCRIPTION = (
    "Run episodes of the settings (default: the paper's five) and of small random instances, check every claim on "
    "every trace, and report verdicts with what was tried. NOT_REFUTED does not mean proved."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add = parser.add_argument
    add("settings", nargs="*", metavar="SETTING", help="built-in names or TOML files (default: all five)")
    add("--quick", action="store_true", help="fewer and shorter runs: one of 10,000 queries")
    add_claims(parser)
    add("--report", metavar="FILE.html", help="write the full report as one HTML file")
    add("--runs", type=whole_number(1, 10_000), metavar="R", help="truthful runs per setting (default 30)")
    add_horizon(parser, "queries of a truthful run (default 70,000); the other variants run at most 70,000")
    add("--instances", type=whole_number(0, 10**6), metavar="I", help="small random instances (default 200)")
    add("--all", action="store_true", help="one table row for every claim and setting")
    add_jobs(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if something is refuted that is no documented finding."""
    from bounds.loading import load_setting
    from bounds.published import PUBLISHED_NAMES
    from bounds.report import check_horizon
    from proofs_checks.claims.registry import claim
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.files import check_writable, write_file
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.html import render_report
    from proofs_checks.cli.views.verify import show_verification
    from proofs_checks.verify.episodes import effort_of
    from proofs_checks.verify.run import forbid_equal_names, verify

    settings = [load_setting(name) for name in arguments.settings or PUBLISHED_NAMES]
    forbid_equal_names(settings)
    effort = effort_of(
        quick=arguments.quick, runs=arguments.runs, horizon=arguments.horizon, instances=arguments.instances
    )
    for setting in settings:
        check_horizon(setting, effort.horizon)
    for label in arguments.labels:
        claim(label)
    check_writable("report", arguments.report)
    with compiled_simulator(), progress_bar("verifying") as progress:
        report = verify(
            settings,
            seed=arguments.seed,
            effort=effort,
            labels=arguments.labels,
            jobs=arguments.jobs,
            progress=progress,
        )
    if arguments.report:
        write_file("report", arguments.report, render_report(report), "report")
    if arguments.json:
        print_json(report.to_data())
    else:
        show_verification(report, every_row=arguments.all, in_full=bool(arguments.labels) and not arguments.all)
    if report.interrupted:
        # What was finished has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 1 if report.refuted else 0

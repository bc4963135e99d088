"""`costproof verify`: every claim of the paper, with its evidence and verdict."""

from __future__ import annotations

import argparse
import sys
from typing import Any

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


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify",
        help="every claim of the paper, with its evidence and verdict",
        allow_abbrev=False,
        description="Run episodes of the settings (default: the paper's five) and of small random instances, check "
        "every claim on every trace, and report verdicts with what was tried. NOT_REFUTED does not mean proved.",
    )
    parser.add_argument(
        "settings", nargs="*", metavar="SETTING", help="built-in names or TOML files (default: all five)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs: one of 10,000 queries")
    parser.add_argument(
        "--claim", action="append", metavar="LABEL", dest="claims", help="only this claim; repeat for several"
    )
    parser.add_argument("--report", metavar="FILE.html", help="write the full report as one HTML file")
    parser.add_argument(
        "--runs", type=whole_number(1, 10_000), metavar="R", help="truthful runs a setting (default 30)"
    )
    add_horizon(parser, "queries of a truthful run (default 70,000); the other variants run at most 70,000")
    parser.add_argument(
        "--instances", type=whole_number(0, 10**6), metavar="I", help="small random instances (default 200)"
    )
    parser.add_argument("--all", action="store_true", help="one table row for every claim and setting")
    add_jobs(parser)
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if something is refuted that is no documented finding."""
    from bounds.loading import load_setting
    from bounds.published import PUBLISHED_NAMES
    from bounds.report import check_horizon
    from proofs_checks.verify.run import verify

    settings = _distinct([load_setting(name) for name in arguments.settings or PUBLISHED_NAMES])
    effort = _effort(arguments)
    for setting in settings:
        check_horizon(setting, effort.horizon)
    report_file = _writable(arguments.report)
    with compiled_simulator(), progress_bar("verifying") as progress:
        report = verify(
            settings,
            seed=arguments.seed,
            effort=effort,
            labels=arguments.claims or (),
            jobs=arguments.jobs or cores(),
            progress=progress,
        )
    data = report.to_data()
    if report_file:
        from proofs_checks.cli.views.html import write_report

        write_report(data, report_file)
        sys.stderr.write(f"report written to {report_file}\n")
    if arguments.json:
        print_json(data)
    else:
        from proofs_checks.cli.views.verification import show_verification

        show_verification(data, every_row=arguments.all, in_full=bool(arguments.claims) and not arguments.all)
    if report.interrupted:
        # What was finished has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 1 if report.refuted else 0


def _effort(arguments: argparse.Namespace) -> Any:
    from dataclasses import replace

    from proofs_checks.verify.episodes import DEFAULT, QUICK

    effort = QUICK if arguments.quick else DEFAULT
    if arguments.horizon is not None:
        variant = min(effort.variant_horizon, arguments.horizon)
        effort = replace(effort, horizon=arguments.horizon, variant_horizon=variant)
    if arguments.runs is not None:
        effort = replace(effort, runs=arguments.runs)
    return effort if arguments.instances is None else replace(effort, instances=arguments.instances)


def _distinct(settings: list[Any]) -> list[Any]:
    from bounds.errors import InputError

    names = [setting.name for setting in settings]
    for name in names:
        if names.count(name) > 1:
            raise InputError("setting", name, "is given twice", "reports tell settings apart by name; rename the file")
    return settings


def _writable(path: str | None) -> str | None:
    """Fail now rather than after minutes of work if the report cannot be written."""
    if path is None:
        return None
    from bounds.errors import InputError

    try:
        with open(path, "a", encoding="utf-8"):
            return path
    except OSError as error:
        reason = error.strerror or "cannot be written"
        raise InputError(
            "--report", path, f"cannot be written ({reason})", "name a file in a folder that exists"
        ) from None

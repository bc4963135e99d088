"""`costproof check`: the conformance suite on somebody's mechanism."""

from __future__ import annotations

import argparse
from typing import Any

from proofs_checks.cli.arguments import add_json, add_seed, print_json, progress_bar


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        help="property-tests a mechanism of yours",
        allow_abbrev=False,
        description="Play a mechanism (assign and settle, nothing else) in random and in steered scenarios, and check "
        "the contract, the economic properties that any learning procurement mechanism should have, and the exact "
        "rules of the paper. A failure is shrunk and printed as a script that reproduces it. Passing is no proof.",
    )
    parser.add_argument(
        "mechanism",
        nargs="?",
        metavar="MODULE:OBJECT",
        help="a factory (config, rng) -> mechanism, as my_package.router:make_router or path/to/file.py:make_router",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only this check, or this group (contract, economic, rules); repeat for several",
    )
    parser.add_argument(
        "--expect-failure",
        action="append",
        default=[],
        metavar="NAME=REASON",
        help="a check that is known to fail, and why; if it passes, that is a failure",
    )
    parser.add_argument("--quick", action="store_true", help="fewer scenarios and draws")
    parser.add_argument(
        "--time-limit", type=_seconds, metavar="SECONDS", help="that one call of the mechanism may take (default 5)"
    )
    parser.add_argument("--list", action="store_true", help="list the checks, what they say, and exit")
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a check fails, passes unexpectedly, or could not run."""
    from bounds.errors import InputError
    from proofs_checks.cli.views.conformance import list_checks, show_conformance
    from proofs_checks.conformance import DEFAULT, QUICK
    from proofs_checks.conformance.loading import load_factory, parse_expected_failures
    from proofs_checks.conformance.play.subject import TIME_LIMIT
    from proofs_checks.conformance.suite import check_mechanism, select

    if arguments.list:
        checks = select(arguments.only)
        if arguments.json:
            print_json([_described(check) for check in checks.values()])
        else:
            list_checks(checks.values())
        return 0
    if arguments.mechanism is None:
        remedy = "name a factory, as my_package.router:make_router; --list shows the checks"
        raise InputError("MODULE:OBJECT", "", "is missing", remedy)
    with progress_bar("checking") as progress:
        report = check_mechanism(
            load_factory(arguments.mechanism),
            name=arguments.mechanism,
            only=arguments.only,
            expected_failures=parse_expected_failures(arguments.expect_failure),
            seed=arguments.seed,
            effort=QUICK if arguments.quick else DEFAULT,
            time_limit=arguments.time_limit or TIME_LIMIT,
            progress=progress,
        )
    if arguments.json:
        print_json(report.to_data())
    else:
        show_conformance(report.to_data())
    if report.interrupted:
        raise KeyboardInterrupt
    return 0 if report.conforms else 1


def _described(check: Any) -> dict[str, Any]:
    return {name: getattr(check, name) for name in ("name", "claim", "group", "says", "false_alarm", "power")}


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} must be a positive number of seconds")
    return value

"""`costproof check`: the conformance suite on somebody's mechanism."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from bounds.errors import InputError
from proofs_checks.cli.arguments import CI_FILES, Options, real_number
from proofs_checks.cli.one_thread import one_thread
from proofs_checks.cli.output import tell
from proofs_checks.conformance import options

if TYPE_CHECKING:
    from proofs_checks.cli.ci.cases import Case
    from proofs_checks.conformance.report.report import ConformanceReport

DESCRIPTION = (
    "Play a mechanism (assign and settle, nothing else) in random and in constructed scenarios, and check the "
    "contract, the economic properties that any learning procurement mechanism should have, and the exact rules of the "
    "paper. A failure is shrunk, explained where a known mistake explains it, and written as a script that reproduces "
    "it. Passing is not a proof."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    meaning = "a factory (config, rng) -> mechanism, as my_package.router:make_router or path/to/file.py:make_router"
    add("factory MODULE:OBJECT", meaning, nargs="?")
    add("--profile", **options.PROFILE)
    add("--only", **options.ONLY)
    add("--exclude", **options.EXCLUDE)
    add("--strict", **options.STRICT)
    add("--expect-failure", dest="expected_failures", **options.EXPECT_FAILURE)
    add("--domain", **options.DOMAIN)
    add("--in-flight", **options.IN_FLIGHT)
    add("--quick", **options.QUICK)
    add("--fail-fast", "run no check after one that fails", action="store_true")
    add.jobs("processes in which checks run (default 1); with --budget and --in-process there is one", default=1)
    seconds = real_number(lambda value: 0 < value < 1e6, "must be a positive number of seconds")
    meaning = "seconds that all checks may take together: cheap ones run whole, and the others as far as time allows"
    add("--budget SECONDS", meaning, type=seconds)
    add("--time-limit", **{**options.TIME_LIMIT, "type": seconds})
    gibibytes = real_number(lambda value: 0.5 <= value < 1e6, "must be a number of GiB from 0.5")
    add("--memory-limit", **{**options.MEMORY_LIMIT, "type": gibibytes})
    add("--in-process", **options.IN_PROCESS)
    add("--scripts", "print the script of every failure", action="store_true")
    add.all("every check and message in full, and the script of the first failure")
    written = "write the script of the first failure; pytest runs the file as a test"
    add("--script FILE", written, dest="script_file")
    add.removed("--export-tests", "use --script FILE: python runs what it writes, and pytest does")
    add("--report FILE.html", "write what was found as one HTML page")
    add.ci_files("every check")
    add("--list", "list the checks and exit; with --all, what each tests", action="store_true")
    add.tables("a row for every check")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a check fails or passes unexpectedly, none could run, or with --strict not every one."""
    if arguments.list:
        return _list(arguments)
    if arguments.factory is None:
        remedy = "name a factory, as my_package.router:make_router; --list shows the checks"
        raise InputError("factory", "", "is missing", remedy)
    from proofs_checks.cli.output import check_writable

    for file in ("report", "script_file", *CI_FILES):
        check_writable(file, getattr(arguments, file))
    return _check(arguments)


def _list(arguments: argparse.Namespace) -> int:
    from dataclasses import fields

    from bounds.documents import to_data
    from bounds.sheet import Sheet
    from proofs_checks.cli.views.check_list import list_checks
    from proofs_checks.conformance.descriptions import StatedCheck, selection

    late = arguments.in_flight is not None
    chosen = {"exclude": arguments.exclude, "profile": arguments.profile, "in_flight": late}
    checks = selection(arguments.only, **chosen).values()
    data = to_data([*checks])
    columns = [each.name for each in fields(StatedCheck)]
    sheet = Sheet.of("Checks, in the order in which they run", columns, data, key="name")
    tell(arguments, lambda: data, lambda: list_checks(checks, everything=arguments.everything), lambda: sheet)
    return 0


#: The options that the suite takes as they are given.
_PASSED_ON = ("only", "exclude", "profile", "strict", "domain", "in_flight", "budget", "fail_fast", "jobs", "seed")


def _check(arguments: argparse.Namespace) -> int:
    with one_thread():  # of this process alone: the mechanism's has as many as it likes
        from proofs_checks.cli.ci.files import leave
        from proofs_checks.cli.output import write_file
        from proofs_checks.cli.progress import checks_progress
        from proofs_checks.cli.views.check import show_conformance
        from proofs_checks.conformance import DEFAULT, QUICK
        from proofs_checks.conformance.hosting.host_process import MEMORY_LIMIT
        from proofs_checks.conformance.loading import load_factory, parse_expected_failures
        from proofs_checks.conformance.play.subject import TIME_LIMIT
        from proofs_checks.conformance.suite import check_mechanism

    if arguments.report:
        from proofs_checks.pages.page import page_of  # before the work: it needs an extra
    with checks_progress() as (progress, playing):
        report = check_mechanism(
            load_factory(arguments.factory) if arguments.in_process else arguments.factory,
            name=arguments.factory,
            expected_failures=parse_expected_failures(arguments.expected_failures),
            effort=QUICK if arguments.quick else DEFAULT,
            time_limit=arguments.time_limit or TIME_LIMIT,
            memory_limit=arguments.memory_limit or MEMORY_LIMIT,
            progress=progress,
            playing=playing,
            **{name: getattr(arguments, name) for name in _PASSED_ON},
        )
    if arguments.report:
        write_file("report", arguments.report, page_of(report.to_data()), "report")
    if arguments.script_file:
        _write_script(arguments.script_file, report)
    how = {"scripts": arguments.scripts, "everything": arguments.everything}
    leave(arguments, report.to_data, lambda: _cases(report), whole=not report.interrupted)
    asked = {
        "options": _asked(arguments),
        "expected_failures": arguments.expected_failures,
        "script_file": arguments.script_file,
    }
    tell(arguments, report.to_data, lambda: show_conformance(report, **how, **asked), report.sheet)
    if report.interrupted:
        raise KeyboardInterrupt
    return 0 if report.conforms else 1


def _cases(report: ConformanceReport) -> list[Case]:
    """Return the checks as test cases, which are about the file of the factory."""
    from proofs_checks.cli.ci.cases import cases_of_check
    from proofs_checks.cli.ci.files import place_at
    from proofs_checks.conformance.factory_place import factory_place

    found = factory_place(report.mechanism)
    return cases_of_check(report, None if found is None else place_at(*found))


def _asked(arguments: argparse.Namespace) -> list[str]:
    """Return the options that decide what is played, apart from the checks and the domain, as they were given."""
    given = {"--time-limit": arguments.time_limit, "--memory-limit": arguments.memory_limit, "--seed": arguments.seed}
    given["--budget"] = arguments.budget
    return [
        *(["--quick"] if arguments.quick else []),
        *(["--strict"] if arguments.strict else []),
        *(["--in-process"] if arguments.in_process else []),
        *(part for flag, value in given.items() if value for part in (flag, f"{value}".removesuffix(".0"))),
    ]


def _write_script(path: str, report: ConformanceReport) -> None:
    """Write the script of the first failure, or report that no check failed."""
    from proofs_checks.cli.output import remark, write_file
    from proofs_checks.conformance.report.script import to_test

    first = report.first
    if first is None or first.failure is None:
        remark(f"no script was written to {path}: no check failed with a counterexample")
        return
    text = to_test(report.mechanism, first.name, first.claim, first.failure, os.path.dirname(path) or ".")
    write_file("script_file", path, text, "script")

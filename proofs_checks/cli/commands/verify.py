"""`costproof verify`: every claim of the paper, with its evidence and verdict."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from bounds.errors import InputError
from proofs_checks.cli.arguments import Options, whole_number
from proofs_checks.cli.one_thread import one_thread
from proofs_checks.cli.output import remark, tell

if TYPE_CHECKING:
    from bounds.setting.model import Setting
    from proofs_checks.figures.pictures import FiguresOnPage
    from proofs_checks.reproduction.run import Reproduction
    from proofs_checks.verify.run import VerifyReport

DESCRIPTION = (
    "Run episodes of the settings (default: the paper's five) and of constructed instances, check every claim on "
    "every trace, and report verdicts with what was tried. Tested does not mean proved."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("settings SETTING", "built-in names, TOML files, or - for standard input (default: all five)", nargs="*")
    add("--quick", "fewer and shorter runs: one of 10,000 queries", action="store_true")
    add.claims()
    add("--report FILE.html", "write the full report as one HTML page, with the paper's tables beside 30 runs of ours")
    add("--runs R", "truthful runs per setting (default 30)", type=whole_number(1, 10_000))
    add.horizon("queries of a truthful run (default 70,000); the other variants run at most 70,000")
    add(
        "--instances I",
        "constructed instances, the first at the boundaries of bounds (default 200)",
        type=whole_number(0, 10**6),
    )
    add.all("every claim in full, with every piece of evidence")
    add("--why", "only why claims could not be tested on these settings", action="store_true")
    add.tables("a row for every claim, with --all for every claim and setting")
    add.jobs()
    add.seed()


@one_thread()
def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if something is refuted that is not a documented finding."""
    from bounds.published import PUBLISHED_NAMES
    from bounds.report import check_horizon
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.output import check_writable, write_file
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.verify import show_verification
    from proofs_checks.verify.episodes import effort_of, in_machine_code
    from proofs_checks.verify.run import forbid_equal_names, verify

    if arguments.why and arguments.table is not None:
        raise InputError("why", True, "is not a table", "give either --why or the flag of a table")
    settings = [setting_named(name) for name in arguments.settings or PUBLISHED_NAMES]
    forbid_equal_names(settings)
    given = {name: getattr(arguments, name) for name in ("quick", "runs", "horizon", "instances")}
    effort = effort_of(**given)
    for setting in settings:
        check_horizon(setting, effort.horizon)
    labels = labels_meant(arguments.labels)
    check_writable("report", arguments.report)
    if arguments.report:
        from proofs_checks.pages.page import page_of  # before the work: it needs an extra
    with compiled_simulator(needed=in_machine_code(settings, effort)), progress_bar("verifying") as progress:
        report = verify(
            settings, seed=arguments.seed, effort=effort, labels=labels, jobs=arguments.jobs, progress=progress
        )
    cut_short = report.interrupted
    data = cache(lambda: report.to_data())  # takes half a second, and a table needs none of it
    if arguments.report:
        if not labels and not cut_short:
            try:
                report = replace(report, reproduction=_tables(settings, arguments))
                report = replace(report, figures=_figures(settings, report, arguments))
            except KeyboardInterrupt:
                cut_short = True
                remark("interrupted once all claims were checked: the page lacks what was not yet drawn")
        write_file("report", arguments.report, page_of(data()), "report")
    how = {"everything": arguments.everything, "why": arguments.why, "asked": arguments.settings}
    sheet = report.sheet_by_setting if arguments.everything else report.sheet
    tell(arguments, data, lambda: show_verification(report, **how), sheet)
    if cut_short:
        # What was finished has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 1 if report.refuted else 0


def _tables(settings: list[Setting], arguments: argparse.Namespace) -> Reproduction | None:
    """Return the paper's tables beside runs of ours, for those settings that are the paper's; None without any."""
    from bounds.published import published_as
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.reproduction.run import JUDGED_RUNS, reproduce

    names = [setting.name for setting in settings if published_as(setting) is not None]
    if not names:
        return None
    with compiled_simulator(), progress_bar("reproducing") as progress:
        return reproduce(names, runs=JUDGED_RUNS, seed=arguments.seed, jobs=arguments.jobs, progress=progress)


def _figures(settings: list[Setting], report: VerifyReport, arguments: argparse.Namespace) -> FiguresOnPage | None:
    """Return the figures of the page; None without matplotlib, which is an extra, or where it fails."""
    from proofs_checks.cli.notes import note
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.figures.extra import has_matplotlib

    if not has_matplotlib():
        note("no figures on the page: pip install 'costproof[figures]'")
        return None
    try:
        from proofs_checks.figures.report_page import figures_on_page

        # --quick shortens the runs of claims alone.
        how = {name: getattr(arguments, name) for name in ("horizon", "seed", "jobs")}
        with progress_bar("drawing") as progress:
            found = figures_on_page(settings, report.tightest_ratios, progress=progress, **how)
    except Exception as error:  # noqa: BLE001 - whatever drawing raises, the verdicts have been found and are told
        remark(f"no figures on the page: drawing failed ({type(error).__name__}: {error}); the verdicts do not need it")
        return None
    return found

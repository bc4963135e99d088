"""`costproof play`: a mechanism of yours on a setting's market, with metrics and a log."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from proofs_checks.cli.arguments import Options
from proofs_checks.cli.output import remark, tell, write

if TYPE_CHECKING:
    from mechanism.trace import Trace

DESCRIPTION = (
    "Play a mechanism (assign and settle, as `costproof check` takes it) on a setting's market, in plain Python, "
    "against providers that bid truthfully. Prints the paper's metrics; --out writes the log "
    "that `costproof audit` reads, after a failure or Ctrl-C the log so far. With --in-flight "
    "further queries are assigned before earlier ones are settled: settle(score, bid, query) names the query, "
    "counted from 1."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    meaning = "a factory (config, rng) -> mechanism, as my_package.router:make_router or path/to/file.py:make_router"
    add("factory MODULE:OBJECT", meaning)
    add.setting()
    add.horizon()
    meaning = "how many queries are in flight: 3, or 0-5 for a random number; after it ,in-order or ,lost=0.01"
    add("--in-flight LAW", meaning)
    add("--out LOG", "write the log there, as .csv, .jsonl (each also with .gz) or .parquet", dest="path")
    add.all("every metric and provider")
    add.tables("a row for every metric, and for each provider where it is one of providers")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if the mechanism raises, takes too long, or gives a wrong answer."""
    from bounds.published.defaults import default_horizon
    from mechanism.tabular.trace_columns import trace_file
    from mechanism.tabular.traces import write_trace
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.output import check_writable
    from proofs_checks.cli.views.play import played_text
    from proofs_checks.conformance.loading import load_factory
    from proofs_checks.conformance.play.errors import MechanismError
    from proofs_checks.conformance.play.market import play_on_market

    setting, factory = setting_named(arguments.setting), load_factory(arguments.factory)
    if arguments.path:
        trace_file(arguments.path)  # refuses its ending now
        check_writable("path", arguments.path)

    def keep(settled: Trace) -> None:
        if arguments.path:
            write_trace(settled, arguments.path, setting)
            horizon = arguments.horizon or default_horizon(setting)
            remark(f"{len(settled):,} of {horizon:,} queries were played: their log is {arguments.path}")

    try:
        played = play_on_market(
            factory,
            setting,
            name=arguments.factory,
            horizon=arguments.horizon,
            seed=arguments.seed,
            in_flight=arguments.in_flight,
            broken_off=keep,
        )
    except MechanismError as error:
        late = ["--in-flight", arguments.in_flight] if arguments.in_flight else []
        more = shlex.join(["costproof", "check", arguments.factory, *late])
        remark(f"{arguments.factory}: {error.message}; `{more}` gives details")
        return 1
    if arguments.path:
        write_trace(played.trace, arguments.path, setting)
        played = replace(played, log=arguments.path)
    shown = {"setting": arguments.setting, "everything": arguments.everything}
    tell(arguments, played.to_data, lambda: write(played_text(played, **shown)), played.sheet)
    return 0

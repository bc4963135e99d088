"""`costproof simulate`: run the market and report the paper's metrics."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from proofs_checks.commands.arguments import (
    add_horizon,
    add_jobs,
    add_json,
    add_seed,
    cores,
    print_json,
    progress_bar,
    whole_number,
)

POLICY_NAMES = ("platform", "uniform-eligible", "lowest-price-eligible", "lowest-price", "no-quality-filter")


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate", help="run the market and report the paper's metrics", allow_abbrev=False,
        description="Run a setting's market under one or more policies on matched outcomes; means and standard "
        "deviations over runs. Regrets and excess are cumulative, costs and amounts per query.",
    )  # fmt: skip
    parser.add_argument("setting", metavar="SETTING", help="a built-in name or a TOML file")
    add_horizon(parser, "queries a run (default 70,000, the paper's)")
    parser.add_argument(
        "--runs", type=whole_number(1, 10**6), default=3, metavar="R", help="independent runs (default 3)"
    )
    parser.add_argument(
        "--policy", action="append", choices=POLICY_NAMES, metavar="NAME", dest="policies",
        help=f"{', '.join(POLICY_NAMES)}; repeat for several (default: all that the setting's prices allow)",
    )  # fmt: skip
    parser.add_argument(
        "--bidders", default="truthful", metavar="KIND",
        help="truthful (default), bayesian (widens the platform's radius as needed), deviating (by the setting's "
        "underbid and overbid) or fixed:X (everybody always bids X)",
    )  # fmt: skip
    parser.add_argument(
        "--window",
        type=whole_number(1),
        metavar="W",
        help="steps of moving averages (default: the benchmark's size, or T/50)",
    )
    parser.add_argument("--out", metavar="DIR", help="keep metrics and traces there, and resume what is missing")
    add_jobs(parser)
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.report import check_horizon
    from bounds.setting_file import load_setting
    from mechanism.campaign import Campaign, run_campaign
    from proofs_checks.commands.defaults import default_horizon, default_window

    setting = load_setting(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    check_horizon(setting, horizon)
    window = arguments.window or default_window(setting, horizon)
    policies = tuple(dict.fromkeys(arguments.policies or ()))
    campaign = Campaign(setting, horizon, arguments.runs, arguments.seed, window, policies, arguments.bidders)
    try:
        with progress_bar("simulating") as progress:
            result = run_campaign(campaign, jobs=arguments.jobs or cores(), out=arguments.out, progress=progress)
    except KeyboardInterrupt:
        if arguments.out:
            sys.stderr.write(f"finished runs are in {arguments.out}; the same command does the rest\n")
        raise
    data = result.to_data()
    if arguments.json:
        print_json(data)
        return 0
    from proofs_checks.views.terminal import show_simulation

    show_simulation(data)
    return 0

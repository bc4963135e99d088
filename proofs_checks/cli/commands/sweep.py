"""`costproof sweep`: bounds and simulated runs over grids of any number of a setting."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options, whole_number
from proofs_checks.cli.output import tell

#: Printed where an argument is missing.
EXAMPLE = "costproof sweep gpqa-strong --over k=2,10,50"
DESCRIPTION = (
    "Vary any number of a setting and evaluate every bound on all combinations, 100,000 settings in a second or two; "
    "with --runs, simulate the platform there too. costproof docs sweep lists the keys."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add.setting()
    over = (
        "what varies: confidence=0.01:0.2:20 for 20 values in equal steps, log:exploration_scale=0.1:10:9 in equal "
        "ratios, N=4,6,9 as listed; a key of the platform or its symbol (q_min, delta, c_max, k, alpha, gamma), "
        "horizon, N, margin, provider.NAME.quality or provider.NAME.mean_cost; repeat for a grid"
    )
    add("--over KEY=LO:HI:COUNT", over, action="append", required=True)
    add.horizon("number of queries where it does not vary (default 70,000, the paper's)")
    add(
        "--method NAME",
        "bounds: paper (default, as printed), or an improved method (costproof docs sharper-bounds)",
        default="paper",
    )
    each = "simulated runs for every setting (default 0: bounds alone)"
    add("--runs R", each, type=whole_number(0, 10**6), default=0)
    add("--out DIR", "keep finished runs and the table sweep.csv there, and resume what is missing")
    add.all("every guarantee and mean of runs, for up to 40 settings")
    add.tables("a row for every setting")
    add.jobs("workers on this machine (default: all cores)")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.grid.axes import axis_of
    from bounds.published.defaults import default_horizon
    from mechanism.sweep import Sweep, run_sweep
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.progress import kept_progress
    from proofs_checks.cli.views.sweep import show_sweep
    from proofs_checks.proofs.kernel.formulas import check_formulas

    check_formulas()
    setting = setting_named(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    axes = tuple(axis_of(text, setting) for text in arguments.over)
    asked = Sweep(
        setting=setting, axes=axes, horizon=horizon, method=arguments.method, runs=arguments.runs, seed=arguments.seed
    )
    with compiled_simulator(needed=bool(arguments.runs)), kept_progress("sweeping", arguments.out) as progress:
        found = run_sweep(asked, jobs=arguments.jobs, out=arguments.out, progress=progress)
    how = {"asked": arguments.setting, "everything": arguments.everything}
    tell(arguments, found.to_data, lambda: show_sweep(found, **how), found.sheet)
    return 0

"""`costproof plan`: parameters of the mechanism for stated goals, and what backs each number."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options, given_again, real_number, whole_number
from proofs_checks.cli.output import tell

#: Printed in the help, and where no goal is given.
EXAMPLE = "costproof plan gpqa-strong --goal identify-by=70000"
DESCRIPTION = (
    "Choose k, alpha and delta so that the theory guarantees every goal, or say why nothing does, with what backs "
    f"each number and what the choice costs the other guarantees. Example: {EXAMPLE} (costproof docs plan). The exit "
    "code is 0 for an impossible plan, too; `feasible` in --json is then false."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add.setting()
    goal = (
        "identify-by=T; payment-within=X@T, the average payment deviation (or "
        "X%%@T of that cost); unqualified-at-most=Y@T, queries; exploration-budget=Z@T, money; repeat for several"
    )
    add.several("--goal KIND=LIMIT@T", goal, "goals", required=True)
    share = real_number(lambda value: 0 < value < 1, "must lie between 0 and 1, without both")
    add("--confidence DELTA", "the probability of failing may be this at most (default: the setting's)", type=share)
    within = "an interval in which a number of the setting lies: the plan holds anywhere in it; repeat for several"
    add.several("--range KEY=LO:HI", within, "ranges")
    point = "plan for the point estimates of uncertain inputs, as if they were exact"
    add("--at-point", point, action="store_true")
    add.horizon("T of goals without @T (default 70,000, the paper's)")
    add(
        "--method NAME",
        "of the bounds, as `bounds` takes it (default: sharpest; with --range, or more than 50 providers, sharp)",
    )
    told = "of the confidence bands (default: the setting's, and another one where only that meets the goals)"
    add("--radius NAME", told)
    runs = "simulated runs at the parameters that are found (default 200, fewer of long ones; 0 for none)"
    add("--runs R", runs, type=whole_number(0, 10**6), default=200)
    add.all("every guarantee as given and as planned, means and intervals of runs, what each verdict means")
    add.tables("a row for every number, and what backs it")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 0 also where no plan is feasible, which is an answer."""
    from bounds.published.defaults import default_horizon
    from mechanism.planner.goals import goal_of
    from mechanism.planner.plan import PlanRequest, make_plan
    from mechanism.planner.ranges import range_of
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.views.plan import show_plan
    from proofs_checks.proofs.kernel.formulas import check_formulas

    check_formulas()
    setting = setting_named(arguments.setting)
    setting = setting.point if arguments.at_point else setting
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    request = PlanRequest(
        setting=setting,
        goals=tuple(goal_of(text, setting, horizon) for text in arguments.goals),
        confidence=setting.platform.confidence if arguments.confidence is None else arguments.confidence,
        ranges=tuple(range_of(text, setting) for text in arguments.ranges),
        method=arguments.method or "",
        radius=arguments.radius or "",
        runs=arguments.runs,
        seed=arguments.seed,
    )
    with compiled_simulator(needed=bool(arguments.runs)):
        found = make_plan(request)
    names = ("at_point", "confidence", "radius", "method")
    kept = given_again({f"--{name.replace('_', '-')}": getattr(arguments, name) for name in names})
    how = {"asked": arguments.setting, "kept": kept, "everything": arguments.everything}
    tell(arguments, found.to_data, lambda: show_plan(found, **how), found.sheet)
    return 0

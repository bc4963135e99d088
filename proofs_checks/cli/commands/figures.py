"""`costproof figures`: the pictures of settings, as SVG, PDF and PNG."""

from __future__ import annotations

import argparse

from bounds.documents import to_data
from bounds.errors import InputError
from mechanism.policy_names import POLICY_NAMES
from proofs_checks.cli.arguments import A_POLICY, Options, whole_number
from proofs_checks.cli.notes import note, note_plain
from proofs_checks.cli.output import tell, write

DESCRIPTION = (
    "Draw figures of the paper's five settings, or of your own, into files. NAME is a figure, as 'payments' (default: "
    "all). Each stands for figures of the paper, which --list names. costproof docs figures explains them."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("names NAME", "figures (default: all)", nargs="*")
    settings = "a built-in name or a TOML file; repeat for several (default: the paper's five)"
    add.several("--setting SETTING", settings, "settings")
    add("--out DIR", "where the files go (default: figures)", default="figures")
    add(
        "--format LIST",
        "svg, pdf, png, or several with commas between (default: all)",
        default="svg,pdf,png",
        dest="formats",
    )
    add("--dark", "for a dark page; the files end in -dark", action="store_true")
    add("--list", "list the figures", action="store_true")
    add.all("with --list what each figure shows, and the paper's figures it stands for")
    policies = (
        f"{', '.join(POLICY_NAMES)}, or MODULE:OBJECT, a mechanism of yours, in the figures that show policies; repeat "
        "for several (default: the first five, as far as the setting's prices allow)"
    )
    add.several("--policy NAME", policies, "policies", **A_POLICY)
    add.horizon("queries per run (default 70,000, the paper's)")
    add("--runs R", "independent runs (default 30, the paper's)", type=whole_number(1, 10**6), default=30)
    add.seed()
    add.jobs()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a mechanism of one's own raises, takes too long, or returns an invalid answer."""
    from bounds.published import PUBLISHED_NAMES
    from proofs_checks.cli.views.figures import figures_listed, figures_told, notes_of
    from proofs_checks.figures.catalogue import KINDS, FigureList
    from proofs_checks.figures.extra import require_matplotlib

    if arguments.list:
        tell(arguments, lambda: to_data(FigureList(figures=KINDS)), lambda: write(figures_listed(arguments.everything)))
        return 0
    require_matplotlib()
    from mechanism.policies import find_policy
    from proofs_checks.cli.campaigns import failures_reported
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.conformance.own_policies import is_own
    from proofs_checks.figures.files import draw_settings, request_of

    for name in arguments.names:
        if name in PUBLISHED_NAMES:
            raise InputError("names", name, "is a setting, not a figure", f"write --setting {name}")
    request = request_of(
        arguments.names,
        folder=arguments.out,
        formats=[form.strip().lower() for form in arguments.formats.split(",") if form.strip()],
        dark=arguments.dark,
        policies=arguments.policies,
    )
    settings = [setting_named(name) for name in dict.fromkeys(arguments.settings or PUBLISHED_NAMES)]
    policies = tuple(dict.fromkeys(arguments.policies))
    note_plain([name for name in policies if is_own(name) or not find_policy(name).compiled])
    effort = {"runs": arguments.runs, "seed": arguments.seed, "jobs": min(arguments.jobs, len(settings))}
    with failures_reported(), compiled_simulator(), progress_bar("drawing") as progress:
        report = draw_settings(settings, request, arguments.horizon, policies=policies, progress=progress, **effort)
    if uncertain := [setting.name for setting in settings if setting.is_uncertain]:
        note(f"uncertain inputs are at their point estimates in figures of {', '.join(uncertain)}")
    for text in notes_of(report):
        note(text)
    tell(arguments, report.to_data, lambda: write(f"{figures_told(report, arguments.out)}\n"))
    return 0

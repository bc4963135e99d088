"""`costproof compare`: two policies on common outcomes, run after run, until it is known which is lower."""

from __future__ import annotations

import argparse

from mechanism.comparison.names import COMPARED
from mechanism.policy_names import POLICY_NAMES
from proofs_checks.cli.arguments import A_POLICY, BIDDER_KINDS, KEEP_GAMMA, Options, real_number, whole_number
from proofs_checks.cli.notes import note_plain
from proofs_checks.cli.output import tell
from proofs_checks.cli.recordings import add_recordings, words_of

#: Printed where an argument is missing or no policy.
EXAMPLE = "costproof compare platform lowest-price gpqa-strong"
DESCRIPTION = (
    "Play pairs of runs under policies A and B, both on the same outcomes, until it is known of every metric which "
    "policy has the lower expectation. Intervals are right after every run at once, so stopping early makes no "
    "decision less sure; costproof docs compare says why and what is assumed. "
    f"A policy is one of {', '.join(POLICY_NAMES)}, or MODULE:OBJECT, a mechanism of yours as `costproof play` takes "
    "it."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    # Read below: SETTING may come first.
    add("first A", "a policy", choices=A_POLICY["choices"])
    add("second B", "another policy", choices=A_POLICY["choices"])
    add_recordings(add)
    names = f"{', '.join(COMPARED)}; repeat for several (default: the first three)"
    add.several("--metric NAME", names, "metrics", choices=COMPARED)
    add("--runs R", "the most pairs of runs (default 1,000)", type=whole_number(1, 10**6), default=1000)
    share = real_number(lambda value: 0 < value < 1, "must lie between 0 and 1, without both")
    meaning = "probability, at most, of any wrong decision or interval (default 0.05); metrics share it equally"
    add("--error P", meaning, type=share, default=0.05)
    add.horizon("queries per run (default 70,000, the paper's)")
    add("--bidders KIND", BIDDER_KINDS, default="truthful")
    add("--keep-gamma", KEEP_GAMMA, action="store_true")
    add.all("the largest difference of a run, and after how many pairs each metric was decided")
    add.tables("a row for every metric")
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a mechanism of one's own raises, takes too long, or returns an invalid answer."""
    from mechanism.comparison.compare import compare_policies
    from proofs_checks.cli.campaigns import campaign_asked, own_policies_played
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.compare import show_comparison
    from proofs_checks.conformance.own_policies import is_own

    given = [arguments.first, arguments.second, arguments.setting]
    if len(others := [word for word in given if word not in POLICY_NAMES and not is_own(word)]) == 1:
        arguments.setting = given.pop(given.index(others[0]))
    for name, policy in zip("AB", given, strict=False):
        try:
            A_POLICY["type"](policy)
        except argparse.ArgumentTypeError as error:
            arguments.parser.error(f"argument {name}: {error}")
    policies = tuple(given[:2])
    with own_policies_played(policies) as own:
        campaign = campaign_asked(arguments, policies, own)
        note_plain([name for name in policies if not campaign.parts[0].policy(name).compiled])
        with compiled_simulator(), progress_bar("comparing") as progress:
            found = compare_policies(campaign, metrics=arguments.metrics, error=arguments.error, progress=progress)
    how = {"everything": arguments.everything, "asked": words_of(arguments)}
    tell(arguments, found.to_data, lambda: show_comparison(found, **how), found.sheet)
    return 0

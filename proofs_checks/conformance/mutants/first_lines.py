"""The first line that `check` says of every mutant, and whether it names the defect: docs/first-lines.md.

``python -m proofs_checks.conformance.mutants.first_lines`` writes the page; it takes some fifteen minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.kills import TIME_LIMIT
from proofs_checks.conformance.suite import check_mechanism

#: Mutants whose first line tells where the defect shows and not what it is, as a person judged who read all lines.
UNNAMED = frozenset(
    {
        # Told as a neighbouring defect: both round g(t) alike where it was looked at.
        "GoalOfTheLastStep",
        # Told as a payment that the own bid moves; the whole suite says first that it does not repeat its answers.
        "RandomNoise",
        # Draws that are uneven: how, is not said.
        *("PrefersTheCheapest", "ModuloBias", "StickyDraw", "DrawsByScore", "SameDrawsForEverySeed"),
        *("PrefersTheSecond", "RoundsTheDraw", "StaysAfterAHighScore", "ObeysTheLastScore", "EmptyDrawsTheLastLess"),
        # Another winner than the rule's: which, is not said.
        *("ShunsTheCheapest", "IncumbentBonus", "NearTiesToTheDearest", "ShunsLowBids"),
        *("LosersBidMoves", "BidsFade", "AuctionsTheLastInitialStep", "LowBidsPaidLess"),
        # Defects that begin late: the step is told, and what is wrong there.
        *("CountsWrap", "CountsSaturate", "RadiiFrozen", "BidsReset", "BidsSwapped", "SettlementsDropped"),
        *("ScoresForgotten", "GoalInPercent", "BudgetRunsOut", "CoarseIndices", "FirstScoresHalved"),
    }
)


def first_line_of(mutant: str) -> str:
    """Return what is said first of a mutant, looked at by the checks that must catch it.

    Examples
    --------
    >>> first_line_of("ReturnsNothing")[-69:]
    'assign() at step 6 returned None (NoneType), not (provider, payment).'
    """
    made = MUTANTS[mutant]
    return check_mechanism(made.factory, only=made.caught_by, effort=QUICK, time_limit=TIME_LIMIT).headline


def page(lines: Mapping[str, str]) -> str:
    """Return docs/first-lines.md from the first line of every mutant.

    Examples
    --------
    >>> page({"BidsFade": "1 of 1 check failed. Start with ..."}).splitlines()[0]
    '# First lines'
    """
    named = sum(mutant not in UNNAMED for mutant in lines)
    rows = [
        f"| `{mutant}` | {MUTANTS[mutant].breaks} | {_told(line)} | {'no' if mutant in UNNAMED else 'yes'} |"
        for mutant, line in lines.items()
    ]
    return _HEAD.format(named=named, total=len(lines), share=named / len(lines)) + "\n".join(rows) + "\n"


def _told(line: str) -> str:
    """Return where a line says to start; how many checks failed depends on how many were run."""
    return line.partition("Start with ")[2].replace("|", "/")


_HEAD = """\
# First lines

What `costproof check` says first of each mutant of the gallery ([mutants.md](mutants.md)): the check to start with,
and what is wrong. Written by `python -m proofs_checks.conformance.mutants.first_lines`, quick effort, seed 0 and the
checks that must catch the mutant. Whether a line names the defect was judged by reading it; what is judged "no" is in
`UNNAMED` in `proofs_checks/conformance/mutants/first_lines.py`. Lines that tell an equivalent defect count as "yes".

The first line names the defect of {named} of {total} mutants ({share:.0%}).

| mutant | breaks | first line: start with | names it |
|---|---|---|---|
"""


def main() -> None:
    """Write the page."""
    Path("docs/first-lines.md").write_text(page({name: first_line_of(name) for name in MUTANTS}), encoding="utf-8")


if __name__ == "__main__":
    main()

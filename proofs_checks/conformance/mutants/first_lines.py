"""The first line that `check` says of broken mechanisms, and whether it names the defect: docs/first-lines.md.

Two measures: of every mutant, with the checks that must catch it; and of the plain command, with all checks, of
mechanisms that nobody had in mind and of some mutants. ``python -m proofs_checks.conformance.mutants.first_lines``
writes the page; it takes some half an hour.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.kills import TIME_LIMIT
from proofs_checks.conformance.mutants.newcomers import NEWCOMERS
from proofs_checks.conformance.mutants.plain import Factory
from proofs_checks.conformance.mutants.strangers import STRANGERS
from proofs_checks.conformance.suite import check_mechanism

#: Mutants whose first line tells where the defect shows and not what it is, as a person judged who read all lines.
UNNAMED = frozenset(
    {
        # Told as a wrong payment; the whole suite says first that it does not repeat its answers.
        "RandomNoise",
        # Draws that are uneven: how, is not said.
        *("PrefersTheCheapest", "ModuloBias", "StickyDraw", "DrawsByScore", "SameDrawsForEverySeed"),
        *("PrefersTheSecond", "RoundsTheDraw", "StaysAfterAHighScore", "ObeysTheLastScore", "EmptyDrawsTheLastLess"),
        # Another winner than the rule's: which, is not said.
        *("ShunsTheCheapest", "NearTiesToTheDearest", "ShunsLowBids"),
        *("LosersBidMoves", "BidsFade", "AuctionsTheLastInitialStep"),
        # Defects that begin late: the step is told, and what is wrong there.
        *("CountsWrap", "CountsSaturate", "RadiiFrozen", "BidsReset", "BidsSwapped", "SettlementsDropped"),
        *("ScoresForgotten", "GoalInPercent", "BudgetRunsOut", "CoarseIndices", "FirstScoresHalved"),
    }
)


#: Of `newcomers`, those that were not named when they were first asked; their defects were added to the guess's list
#: afterwards. They count as not named.
LEARNT = frozenset({"RunningMeanAfterIncrement", "WinnerIndexInEligibleList", "LoneProviderZeroDefault"})
#: Of the gallery, the plain command is asked of every thirtieth mutant: a call of all checks takes its time.
EVERY = 30
#: What the plain command is asked of, by name: the tens of `newcomers` and of `strangers`, and some of the gallery.
PLAINLY: Mapping[str, Factory] = MappingProxyType(
    {**NEWCOMERS, **STRANGERS, **{name: MUTANTS[name].factory for name in [*MUTANTS][::EVERY]}}
)
#: Of these, whose first line tells where the defect shows and not what it is, as a person judged: that another than the
#: rule's wins, and not who.
UNNAMED_PLAINLY = frozenset({"ShunsLowBids"})


def plain_line_of(name: str) -> str:
    """Return what `costproof check --quick` says first of a mechanism of `PLAINLY`."""
    return check_mechanism(PLAINLY[name], effort=QUICK, time_limit=TIME_LIMIT).headline


def first_line_of(mutant: str) -> str:
    """Return what is said first of a mutant, looked at by the checks that must catch it.

    Examples
    --------
    >>> first_line_of("ReturnsNothing")[-69:]
    'assign() at step 6 returned None (NoneType), not (provider, payment).'
    """
    made = MUTANTS[mutant]
    return check_mechanism(made.factory, only=made.caught_by, effort=QUICK, time_limit=TIME_LIMIT).headline


def page(lines: Mapping[str, str], plain: Mapping[str, str]) -> str:
    """Return docs/first-lines.md from first lines: of every mutant, and of what the plain command is asked of.

    Examples
    --------
    >>> page({"BidsFade": "1 of 1 check failed. Start with ..."}, {}).splitlines()[0]
    '# First lines'
    """
    some = [name for name in plain if name in MUTANTS]
    return _HEAD.format(
        named=_share(lines, UNNAMED),
        newcomers=_share([name for name in plain if name in NEWCOMERS], UNNAMED_PLAINLY | LEARNT),
        strangers=_share([name for name in plain if name in STRANGERS], UNNAMED_PLAINLY),
        learnt=", ".join(f"`{name}`" for name in sorted(LEARNT)),
        some=_share(some, UNNAMED_PLAINLY),
        every=EVERY,
        code="../proofs_checks/conformance/mutants",
        plain_rows=_rows(plain, UNNAMED_PLAINLY),
        rows=_rows(lines, UNNAMED),
    )


def _share(names: Collection[str], unnamed: Collection[str]) -> str:
    """Return how many of some mechanisms are named: "3 of 4"."""
    return f"{sum(name not in unnamed for name in names)} of {len(names)}"


def _rows(lines: Mapping[str, str], unnamed: Collection[str]) -> str:
    rows = (
        f"| `{name}` | {_breaks(name)} | {_told(line)} | {'no' if name in unnamed else 'yes'} |\n"
        for name, line in lines.items()
    )
    return "".join(rows)


def _breaks(name: str) -> str:
    return MUTANTS[name].breaks if name in MUTANTS else (inspect.getdoc(PLAINLY[name]) or "").partition("\n")[0]


def _told(line: str) -> str:
    """Return where a line says to start; how many checks failed depends on how many were run."""
    return line.partition("Start with ")[2].replace("|", "/")


_HEAD = """\
# First lines

What `costproof check` says first of broken mechanisms: the check to start with, and what is wrong. Written by
`python -m proofs_checks.conformance.mutants.first_lines`, quick effort, seed 0. Whether a line names the defect was
judged by reading it; what is judged "no" is listed in `proofs_checks/conformance/mutants/first_lines.py`. Lines that
tell an equivalent defect count as "yes", and so do lines that name it among several that cannot be told apart.

| asked | of | the first line names the defect of |
|---|---|---|
| `costproof check --quick` | ten newcomers, asked when the list stood ([code]({code}/newcomers.py)) | {newcomers} |
| `costproof check --quick` | ten strangers, of which the list learnt ([code]({code}/strangers.py)) | {strangers} |
| `costproof check --quick` | every {every}th mutant of the gallery ([mutants.md](mutants.md)) | {some} |
| the checks that must catch the mutant | every mutant of the gallery | {named} |

The first row is what a newcomer may expect: somebody who knew the paper alone wrote those, in a style of their own, and
the list of the guess was not changed before they were asked. {learnt} were
not named then. Their defects have been added since, and they count as not named. The list was made beside the other
mechanisms, so the other rows flatter.

## The plain command

| mechanism | breaks | first line: start with | names it |
|---|---|---|---|
{plain_rows}
## Every mutant, with the checks that must catch it

| mutant | breaks | first line: start with | names it |
|---|---|---|---|
{rows}"""


def main() -> None:
    """Write the page."""
    lines = {name: first_line_of(name) for name in MUTANTS}
    text = page(lines, {name: plain_line_of(name) for name in PLAINLY})
    Path("docs/first-lines.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""The first line that `check --in-flight 3` says of broken mechanisms: docs/first-lines-in-flight.md.

The gallery's mechanisms in the ticket form (`late`), and those that err where feedback is late (`tickets`).
``python -m proofs_checks.conformance.mutants.first_lines_in_flight`` writes the page; it takes some quarter of an hour.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants import tickets
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.kills import TIME_LIMIT
from proofs_checks.conformance.mutants.late import LATE_MUTANTS, checks_in_flight
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.suite import check_mechanism

LAW = "3"
#: The plain command, with all checks, is asked of one mutant in ten, some of each theme: it takes its time.
PLAINLY = (
    *("OnePercentHigh", "MedianRival", "ConfidenceForFailure", "NobodyIsExcluded", "RoundedScores", "GoalWithoutN"),
    *("ExploresTheFirst", "EmptyDrawsTheFirst", "AlwaysLast", "BidsFade", "EmptyHoldsAnAuction", "MovingAverageLeak"),
    "SharedBids",
)
#: Those that err where feedback is late, by name.
TICKET_MUTANTS: Mapping[str, type[Plain]] = MappingProxyType(
    {name: made for name, made in vars(tickets).items() if getattr(made, "caught_by", ())}
)
#: Of the gallery, those whose first line does not tell what the defect is, as a person judged who read all lines.
UNNAMED = frozenset(
    {
        # Told as a wrong payment.
        "RandomNoise",
        # Draws that are uneven: how, is not said.
        *("PrefersTheCheapest", "ModuloBias", "DrawsByScore", "SameDrawsForEverySeed"),
        *("PrefersTheSecond", "RoundsTheDraw", "EmptyDrawsTheLastLess"),
        # Another winner than the rule's: which, is not said.
        *("ShunsTheCheapest", "NearTiesToTheDearest", "ShunsLowBids"),
        *("LosersBidMoves", "BidsFade", "AuctionsTheLastInitialStep"),
        # Defects that begin late: the step is told, and what is wrong there.
        *("CountsWrap", "CountsSaturate", "RadiiFrozen", "GoalInPercent", "CoarseIndices", "FirstScoresHalved"),
        # Not found by the checks that find them where feedback comes at once; two of them are without --quick.
        *("ExploresTheCheapest", "TopScoresAreFull", "BottomScoresAreNothing"),
    }
)
#: The same of those that err where feedback is late: the broken rule is told, or that a restart changes answers.
UNNAMED_TICKETS = frozenset(
    {
        *("PassesOverTheBusy", "ReusesTickets"),
        *("ForgetsTickets", "LosesItsDraws", "SavesKeysAsNumbers", "SavesWaitingAsCounted", "ForgetsTheStep"),
    }
)
#: The same of `PLAINLY`.
UNNAMED_PLAINLY = frozenset({"BidsFade", "MovingAverageLeak"})


def line_of(made: type[Plain], only: Sequence[str] = ()) -> str:
    """Return what is said first of a mechanism, looked at by some checks, or by all.

    Examples
    --------
    >>> line_of(LATE_MUTANTS["InitializationPaysNothing"], ["initialization-payment"])[-38:]
    'it pays nothing during initialization.'
    """
    report = check_mechanism(made, only=only, in_flight=LAW, effort=QUICK, time_limit=TIME_LIMIT)
    return report.headline


def page(gallery: Mapping[str, str], late: Mapping[str, str], plain: Mapping[str, str]) -> str:
    """Return docs/first-lines-in-flight.md from first lines.

    Examples
    --------
    >>> page({}, {}, {}).splitlines()[0]
    '# First lines with queries in flight'
    """
    return _HEAD.format(
        law=LAW,
        gallery=_share(gallery, UNNAMED),
        left_out=len(MUTANTS) - len(LATE_MUTANTS),
        late=_share(late, UNNAMED_TICKETS),
        plain=_share(plain, UNNAMED_PLAINLY),
        plain_rows=_rows(plain, UNNAMED_PLAINLY),
        late_rows=_rows(late, UNNAMED_TICKETS),
        gallery_rows=_rows(gallery, UNNAMED),
    )


def _share(names: Collection[str], unnamed: Collection[str]) -> str:
    return f"{sum(name not in unnamed for name in names)} of {len(names)}"


def _rows(lines: Mapping[str, str], unnamed: Collection[str]) -> str:
    rows = (
        f"| `{name}` | {_breaks(name)} | {_told(line)} | {'no' if name in unnamed else 'yes'} |\n"
        for name, line in lines.items()
    )
    return "".join(rows)


def _breaks(name: str) -> str:
    made = MUTANTS[name].factory if name in MUTANTS else TICKET_MUTANTS[name]
    return (inspect.getdoc(made) or "").partition("\n")[0]


def _told(line: str) -> str:
    """Return where a line says to start, or that these checks found nothing."""
    return line.partition("Start with ")[2].replace("|", "/") or "(nothing was found)"


_HEAD = """\
# First lines with queries in flight

What `costproof check --in-flight {law}` says first of broken mechanisms. Written by
`python -m proofs_checks.conformance.mutants.first_lines_in_flight`, quick effort, seed 0. Whether a line names the
defect was judged by reading it, as in [first-lines.md](first-lines.md).

| asked | of | the first line names the defect of |
|---|---|---|
| `costproof check --in-flight {law} --quick` | one in ten of the gallery in the ticket form | {plain} |
| the checks that must catch the mutant | the gallery in the ticket form | {gallery} |
| the checks that must catch the mutant | mechanisms that err where feedback is late (`mutants/tickets.py`) | {late} |

The gallery is that of [mutants.md](mutants.md), each class put on top of Algorithm 1 in the ticket form
(`proofs_checks.conformance.mutants.late:LateFirstPrice`). {left_out} of its mutants are left out: they replace
`assign` or `settle`, ask who was assigned last or whether there is a bid yet, or are caught by checks alone that do not
run with queries in flight.
A mutant with a state of its own does not save it, so that `restart` fails as well: `MovingAverageLeak` below. The list
of changes that are tried was made beside the gallery, so these shares flatter.

## The plain command

| mechanism | breaks | first line: start with | names it |
|---|---|---|---|
{plain_rows}
## Where feedback is late

| mechanism | breaks | first line: start with | names it |
|---|---|---|---|
{late_rows}
## The gallery, with the checks that must catch it

| mechanism | breaks | first line: start with | names it |
|---|---|---|---|
{gallery_rows}"""


def main() -> None:
    """Write the page."""
    gallery = {name: line_of(made, checks_in_flight(MUTANTS[name])) for name, made in LATE_MUTANTS.items()}
    late = {name: line_of(made, made.caught_by) for name, made in TICKET_MUTANTS.items()}
    plain = {name: line_of(LATE_MUTANTS[name]) for name in PLAINLY}
    Path("docs/first-lines-in-flight.md").write_text(page(gallery, late, plain), encoding="utf-8")


if __name__ == "__main__":
    main()

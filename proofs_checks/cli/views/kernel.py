"""What is printed of the theorems in Coq: what Coq said, what does not count, one as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from bounds.words import counted
from proofs_checks.cli.views.console import Screen, console
from proofs_checks.proofs.kernel.check import KernelCheck
from proofs_checks.proofs.kernel.reading import reading_of
from proofs_checks.proofs.kernel.theorems import KernelRecord, stored

Records = Sequence[KernelRecord | None]


def show_kernel(check: KernelCheck) -> None:
    """Say whether Coq accepts the theorems as they are stored."""
    screen = console()
    if check.problems:
        first, *others = check.problems
        screen.say(f"Coq {check.coq} does NOT confirm what is stored. Look first at: {first}", style="bold red")
        for problem in others:
            screen.say(problem, indent=2)
        return
    checked = f"{counted(check.theorems, 'theorem')} in {counted(check.files, 'file')}"
    screen.say(f"Coq {check.coq} accepts {checked}, and prints what is stored; {check.seconds:.0f} s.", style="bold")


def show_not_counted(screen: Screen, records: Records) -> None:
    """Say why theorems about claims do not count, where some do not."""
    found: dict[str, list[str]] = {}
    for record in records:
        if record is not None and record.problem:
            found.setdefault(record.problem, []).append(record.theorem.label)
    for problem, labels in found.items():
        which = (
            f"The theorem in Coq about {labels[0]} does" if len(labels) == 1 else f"{len(labels)} theorems in Coq do"
        )
        screen.say(f"{which} not count: {problem}.", style="bold yellow")


def show_where_checked(screen: Screen, records: Records) -> None:
    """Say where Coq checked the theorems that count; nothing where none does."""
    counting = [record for record in records if record is not None and record.status != "none"]
    if not counting:
        return
    if any(record.status == "checked" for record in counting):
        screen.say(f"Coq {counting[0].coq} checked these sources on this machine.")
    else:
        screen.say(
            f"Coq was not run here. Coq {counting[0].coq} checked these sources elsewhere: the hashes of the files "
            "are those stored then. `costproof prove --kernel` has Coq check them here."
        )


def _print_statement(screen: Screen, statement: str) -> None:
    for line in statement.splitlines():
        screen.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def show_reading(screen: Screen, record: KernelRecord) -> None:
    """Print a theorem as it is written, after every definition behind it, and as Coq prints it."""
    reading = reading_of(record.theorem)
    where = f"{counted(reading.lines, 'line')} to read, comments aside, of files in {reading.path.parent}"
    screen.say(f"{record.theorem.name} and every definition behind it: {where}", style="bold")
    for file, passages in reading.by_file.items():
        screen.say(file, style="bold")
        for passage in passages:
            for line in passage.comment.splitlines():
                screen.print(f"        {line}", markup=False, highlight=False, soft_wrap=True, style="dim")
            for number, line in enumerate(passage.text.splitlines(), passage.line):
                screen.print(f"  {number:>4}  {line}", markup=False, highlight=False, soft_wrap=True)
    screen.say("As Coq prints it, with the premises of its section that its proof uses:")
    _print_statement(screen, record.theorem.statement)
    for other in record.theorem.others:
        screen.say(f"Further, {other}:")
        _print_statement(screen, stored().statements.get(other.partition(".")[2], "unknown"))
    screen.say(f"SHA-256 of {record.theorem.file}: {record.source_hash}.")
    screen.say("How to check it all: `costproof docs proofs`.")

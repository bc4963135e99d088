"""How a page shows verdicts: a letter and a colour each, so that neither is needed alone."""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.verdict import MEANING, WORDS, Verdict

_LETTERS = {
    Verdict.PROVED: "P",
    Verdict.PROVED_STEPS: "S",
    Verdict.EXACT: "C",
    Verdict.NOT_REFUTED: "T",
    Verdict.REFUTED: "R",
    Verdict.VACUOUS: "E",
    Verdict.ASSUMPTION_VIOLATED: "N",
    Verdict.SKIPPED: "–",
}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How something is shown: a letter, a name of the style sheet, and what it is and means in words."""

    letter: str
    style: str
    name: str
    meaning: str = ""


#: The marks of verdicts, the best known first.
VERDICTS = {
    verdict.value: Mark(letter=letter, style=verdict.value, name=WORDS[verdict], meaning=MEANING[verdict])
    for verdict, letter in _LETTERS.items()
}
#: A refutation that is a documented finding about the paper's wording, and therefore not new.
FINDING = Mark(
    letter="R",
    style="FINDING",
    name=f"{WORDS[Verdict.REFUTED]}, a finding",
    meaning="known: a wording of the paper or a stronger reading, with a witness and the repaired statement",
)
#: The marks of verdicts on claims, as a legend lists them and as a reader filters by them.
MARKS = {
    name: mark
    for verdict, own in VERDICTS.items()
    for name, mark in ((verdict, own), *(((FINDING.style, FINDING),) if verdict == Verdict.REFUTED.value else ()))
}
#: Where a report has no result.
NOTHING = Mark(letter="·", style="NOTHING", name="no result")
#: Where a report of a mechanism has no such check.
NOT_RUN = Mark(letter="·", style="NOTHING", name="not run")
#: The marks of the checks of a mechanism, by status.
STATUSES = {
    "passed": Mark(letter="✓", style="NOT_REFUTED", name="passed", meaning="no failure was found in what was tried"),
    "failed": Mark(letter="✗", style="REFUTED", name="failed", meaning="a counterexample was found; it is a script"),
    "expected_failure": Mark(
        letter="!", style="FINDING", name="failed as expected", meaning="it failed, and the caller had declared it"
    ),
    "skipped": Mark(letter="–", style="SKIPPED", name="skipped", meaning="it did not run, for the reason given"),
}


def mark_of(verdict: str | None, *, documented: bool = False) -> Mark:
    """Return the mark of a verdict; `documented` says that a refutation is a known finding.

    Examples
    --------
    >>> mark_of("PROVED").letter, mark_of("REFUTED", documented=True).style, mark_of(None).style
    ('P', 'FINDING', 'NOTHING')
    """
    if verdict is None or verdict not in VERDICTS:
        return NOTHING
    return FINDING if documented and verdict == Verdict.REFUTED.value else VERDICTS[verdict]


def rank_of(mark: Mark) -> int:
    """Return the place of a mark in the legend; any other comes last."""
    return [*MARKS, mark.style].index(mark.style)

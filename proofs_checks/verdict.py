"""Verdicts, what they mean and do not mean, and the verdict over several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from bounds.words import counted, ratio_text


class Verdict(StrEnum):
    """What is known about a claim; `NOT_REFUTED` is not "holds"."""

    PROVED = "PROVED"
    PROVED_STEPS = "PROVED_STEPS"
    EXACT = "EXACT"
    NOT_REFUTED = "NOT_REFUTED"
    REFUTED = "REFUTED"
    VACUOUS = "VACUOUS"
    ASSUMPTION_VIOLATED = "ASSUMPTION_VIOLATED"
    SKIPPED = "SKIPPED"


#: Verdicts in the words of commands, pages and figures; documents have the values themselves.
WORDS: Mapping[Verdict, str] = {
    Verdict.PROVED: "proved",
    Verdict.PROVED_STEPS: "proved in steps",
    Verdict.EXACT: "computed exactly",
    Verdict.NOT_REFUTED: "tested",
    Verdict.REFUTED: "refuted",
    Verdict.VACUOUS: "empty",
    Verdict.ASSUMPTION_VIOLATED: "not applicable",
    Verdict.SKIPPED: "not tested",
}

#: The legend of every report: what each verdict means.
MEANING: Mapping[Verdict, str] = {
    Verdict.PROVED: "for all parameters: Coq accepts a theorem that states the claim",
    Verdict.PROVED_STEPS: "Coq accepts theorems for the steps of the argument; what they do not cover is named",
    Verdict.EXACT: "computed exactly for these parameters",
    Verdict.NOT_REFUTED: "no violation in the comparisons that were made; not a proof",
    Verdict.REFUTED: "violated; a violation found in this run has a witness that can be replayed",
    Verdict.VACUOUS: "the condition of the claim was never met, or cannot be met, so nothing was compared",
    Verdict.ASSUMPTION_VIOLATED: "the setting violates an assumption of the claim",
    Verdict.SKIPPED: "not examined, for the reason given",
}

#: The verdict on a claim that is refuted only in parts that it is not cited for, and what that means.
BESIDE = "refuted in another part"
BESIDE_MEANING = "the claim's own relation is not violated; a relation compared with it is"

#: What stands for a side of a comparison that has no finite value, as a price where nobody can have one.
UNDEFINED = "without a finite value"

#: What a verdict does not mean: of which verdicts, in short, and in a sentence or two.
NOT_MEANT: Sequence[tuple[tuple[Verdict, ...], str, str]] = (
    (
        (Verdict.NOT_REFUTED,),
        "“Tested” does not mean “holds”.",
        "Some instances were compared, and the claim failed on none of them. Other instances may still violate it.",
    ),
    (
        (Verdict.PROVED,),
        "“Proved” is about the formulas.",
        "That the theorem in Coq says what the paper says must be trusted. Each claim names its theorem and says "
        "whether Coq checked it on this machine.",
    ),
    (
        (Verdict.PROVED_STEPS,),
        "“Proved in steps” is weaker.",
        "Coq has theorems for steps of the argument. What they do not cover is argued in English and named.",
    ),
    ((Verdict.EXACT,), "“Computed exactly” holds for these parameters.", "Other parameters may give another result."),
    (
        (Verdict.REFUTED,),
        "“Refuted” may be known already.",
        "Where the paper's own wording is empty, too strong or false, that is a documented finding. It is listed "
        "with the repaired statement.",
    ),
    (
        (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED),
        "“Empty”, “not applicable” and “not tested” do not mean “passed”.",
        "The statement that the claim is cited for was not tested.",
    ),
)

#: Why a comparison could not have failed, to follow the name of the claim.
COULD_NOT_FAIL = "could not fail: its bound is above the trivial value."

#: Of the verdicts on proofs that a command takes from the package, without asking Coq.
WHEN_MADE = "as checked when this package was made"
#: Verdicts that a theorem in Coq gives a claim, the stronger first.
PROOFS = (Verdict.PROVED, Verdict.PROVED_STEPS)
#: Verdicts of a place where a claim could not be tested.
SILENT = (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED)


def described(verdict: Verdict, comparisons: int = 0, tightest: float | None = None) -> str:
    """Return a verdict in words, with what was compared where it rests on comparisons.

    Parameters
    ----------
    verdict : Verdict
    comparisons : int, optional
        How many comparisons the verdict rests on.
    tightest : float, optional
        The largest realised value divided by its bound.

    Examples
    --------
    >>> described(Verdict.NOT_REFUTED, 314_876, 0.9312), described(Verdict.PROVED)
    ('tested (314,876 comparisons, tightest 0.931)', 'proved')
    """
    if verdict is not Verdict.NOT_REFUTED or not comparisons:
        return WORDS[verdict]
    closest = "" if tightest is None else f", tightest {ratio_text(tightest)}"
    return f"{WORDS[verdict]} ({counted(comparisons, 'comparison')}{closest})"


def joint(verdicts: Collection[Verdict]) -> Verdict:
    """Return the verdict over the parts of one statement: a part that is known does not lift one that is not.

    `SKIPPED` if there is none. Which verdicts count is for the caller to say: over several settings those where
    something was compared, of several pieces of evidence a proof before what was tried.

    Examples
    --------
    >>> joint([Verdict.EXACT, Verdict.NOT_REFUTED]).value, joint([Verdict.EXACT, Verdict.VACUOUS]).value
    ('NOT_REFUTED', 'VACUOUS')
    """
    order = (Verdict.REFUTED, Verdict.NOT_REFUTED, *SILENT, Verdict.PROVED_STEPS, Verdict.EXACT, Verdict.PROVED)
    return next((verdict for verdict in order if verdict in verdicts), Verdict.SKIPPED)


def refuted_beside(parts: Iterable[tuple[str, bool]]) -> bool:
    """Return whether a claim is refuted, but only in parts that it is not cited for.

    Parameters
    ----------
    parts : iterable of (str, bool)
        By part: its verdict, and whether the claim is cited for it.

    Examples
    --------
    >>> refuted_beside([("NOT_REFUTED", True), ("REFUTED", False)])
    True
    >>> refuted_beside([("REFUTED", True), ("REFUTED", False)]), refuted_beside([("NOT_REFUTED", True)])
    (False, False)
    """
    cited = [headline for verdict, headline in parts if verdict == Verdict.REFUTED]
    return bool(cited) and not any(cited)

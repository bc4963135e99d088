"""Verdicts, what they mean and do not mean, and the verdict over several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum


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


#: What each verdict means, in the words of every report.
MEANING: Mapping[Verdict, str] = {
    Verdict.PROVED: "for all parameters: Coq accepts a theorem that states the claim",
    Verdict.PROVED_STEPS: "Coq accepts theorems for the steps of the argument; what they do not cover is named",
    Verdict.EXACT: "computed exactly for these parameters",
    Verdict.NOT_REFUTED: "searched or sampled without a violation; no proof",
    Verdict.REFUTED: "violated; a violation that this run found has a witness that replays",
    Verdict.VACUOUS: "says nothing: as worded its condition never holds (its own verdict); or what was run was too "
    "short for it, or never met it (here)",
    Verdict.ASSUMPTION_VIOLATED: "an assumption of the statement does not hold here",
    Verdict.SKIPPED: "not examined, for the reason given",
}

#: How a refutation is called that is only of parts that the claim is not cited for, and what that means.
BESIDE = "REFUTED beside"
BESIDE_MEANING = "the claim's own relation is not violated; a relation compared with it is"

#: What stands for a side of a comparison that has no finite value, as a price where nobody can have one.
UNDEFINED = "without a finite value"

#: What a verdict does not mean: of which verdicts, in short, and in a sentence or two.
NOT_MEANT: Sequence[tuple[tuple[Verdict, ...], str, str]] = (
    (
        (Verdict.NOT_REFUTED,),
        "NOT_REFUTED is not “holds”.",
        "Some instances were compared, and the claim failed on none of them. Nothing is said about all the others.",
    ),
    (
        (Verdict.PROVED,),
        "PROVED is about the formulas.",
        "That the theorem in Coq says what the paper says must be trusted. Each claim names its theorem, and says "
        "whether Coq checked it on this machine.",
    ),
    (
        (Verdict.PROVED_STEPS,),
        "PROVED_STEPS is weaker.",
        "Coq has theorems for steps of the argument. What they do not cover is argued in English, and named.",
    ),
    ((Verdict.EXACT,), "EXACT is about these parameters.", "It says nothing about others."),
    (
        (Verdict.REFUTED,),
        "REFUTED may be old news.",
        "Where the paper's own wording is empty, too strong or false, that is a documented finding. It stands beside "
        "the repaired statement.",
    ),
    (
        (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED),
        "VACUOUS, ASSUMPTION_VIOLATED and SKIPPED are no passes.",
        "What the claim is cited for was not tested there.",
    ),
)

#: What is said of a claim that no comparison could refute, because its bound is too large.
COULD_NOT_FAIL = "could not fail here: its bound is above the trivial value, which needs no theory."

#: Of the verdicts on proofs that a command takes from the package, without asking Coq.
WHEN_MADE = "as checked when this package was made"
#: Verdicts that a theorem in Coq gives a claim, the stronger first.
PROOFS = (Verdict.PROVED, Verdict.PROVED_STEPS)
#: Verdicts of a place where a claim could not be tested.
SILENT = (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED)


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

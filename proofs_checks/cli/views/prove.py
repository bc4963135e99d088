"""What `costproof prove` prints: how much is proved, what is not covered, what must be trusted; or claims in full."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from bounds.words import is_or_are
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.registry import all_claims, claim as claim_of
from proofs_checks.cli.views.console import Screen, console, tinted
from proofs_checks.cli.views.kernel import show_not_counted, show_reading, show_where_checked
from proofs_checks.proofs.kernel.theorems import LESS, kernel_record
from proofs_checks.proofs.prove import TRUSTED_BASE, ClaimProof, ProveReport
from proofs_checks.verdict import MEANING, PROOFS, WORDS, Verdict
from proofs_checks.verify.claim_verdicts import (
    by_sort,
    counted_verdicts,
    in_words_exactly,
    never_applies,
    stored_verdict,
)

#: So many parts of what must be trusted are on the screen.
_TRUSTED = 3


def show_proofs(
    report: ProveReport, *, in_full: bool = False, everything: bool = False, folder: str | None = None
) -> None:
    """Print how much is proved and where that was checked, what no theorem states, and what must be trusted.

    Sources that were written to a `folder` can be checked there.

    With `in_full`, a lone claim with its theorem. With `everything`, a row for every claim or, with `in_full`, each
    claim with its theorem as it is written, after every definition behind it.
    """
    screen = console()
    records = [claim.record for claim in report.claims]
    show_not_counted(screen, records)
    screen.say(_in_a_sentence(report.claims), style="bold")
    in_full = in_full and (everything or len(records) == 1)
    if in_full:
        for claim in report.claims:
            _show_claim(screen, claim, everything=everything)
    else:
        _show_counts(screen, report, everything)
    if everything and not in_full:
        rows = [_row(claim) for claim in report.claims]
        screen.table("", {"claim": "whole", "verdict": "whole", "theorem in Coq": ""}, rows)
    show_where_checked(screen, records)
    if everything or not in_full:
        screen.say(
            f"What must be trusted{'' if everything else f' ({_TRUSTED} of {len(TRUSTED_BASE)}; --all)'}:", style="bold"
        )
        for part in TRUSTED_BASE[: None if everything else _TRUSTED]:
            screen.say(f"- {part}", indent=2)
    if folder is not None:
        screen.suggest(
            f"sh {shlex.quote(os.path.join(folder, 'check.sh'))}", "the sources are written; Coq checks them"
        )
    else:
        _show_next(screen, report, in_full=in_full, read=everything)


def _in_a_sentence(claims: Sequence[ClaimProof]) -> str:
    """Say what is proved: of one claim its verdict and what that means, of several how many have each verdict."""
    if len(claims) == 1:
        label, verdict = claims[0].label, claims[0].verdict
        number = f" ({claims[0].number})" if claims[0].number else ""
        if verdict is Verdict.SKIPPED:  # the theorem does not count, for a reason that was given
            return f"{label}{number} is not proved."
        never = never_applies(label) if verdict is Verdict.VACUOUS else ""
        said = in_words_exactly(claim_of(label), verdict)
        return f"{label}{number} is {said}{':' if said == WORDS[verdict] else ';'} {never or MEANING[verdict]}."
    found = Counter(claim.verdict for claim in claims)
    first, *others = [verdict for verdict in (*PROOFS, Verdict.VACUOUS, Verdict.SKIPPED) if found[verdict]]
    sentence = f"{found[first]} of {len(claims)} claims {is_or_are(found[first])} {WORDS[first]} {MEANING[first]}."
    words = {**WORDS, Verdict.VACUOUS: "proved, but empty: that its condition never holds is proved, too"}
    if fewer := sum(in_words_exactly(claim_of(each.label), each.verdict) == LESS for each in claims):
        sentence += f" {fewer} of them are {LESS} (* in costproof claims)."
    return " ".join([sentence, *(f"{found[each]} more {is_or_are(found[each])} {words[each]}." for each in others)])


def _show_counts(screen: Screen, report: ProveReport, everything: bool) -> None:
    """Print how many claims of each kind have which verdict, and what no theorem states of those proved in steps."""
    verdicts = {claim.label: claim.verdict for claim in report.claims}
    others = [stated for label, stated in all_claims().items() if label not in verdicts]
    counts = counted_verdicts(others, {stated.label: stored_verdict(stated.label) for stated in others})
    refuted = sum(record.theorem.states == "refutes" for record in filter(None, map(kernel_record, all_claims())))
    by_coq = f" ({refuted} of the refuted by a theorem in Coq)" * bool(refuted)
    screen.say(f"The other {len(others)} of the {len(all_claims())} claims: {counts}{by_coq}.")
    for sort, some in by_sort(map(claim_of, verdicts)).items():
        called = "asserted but not derived in the paper" if sort == "findings" else sort
        screen.say(f"{called}: {counted_verdicts(some, verdicts)}", indent=2)
    steps = report.having(Verdict.PROVED_STEPS)
    if steps and not everything:
        screen.say(f"Proved in steps: {', '.join(claim.label for claim in steps)} (--all names what is missing).")
        return
    for beyond in dict.fromkeys(claim.beyond for claim in steps):
        labels = [claim.label for claim in steps if claim.beyond == beyond]
        screen.say(f"{', '.join(labels)}: no theorem states {(beyond or '').removesuffix('.')}.")


def _row(claim: ClaimProof) -> tuple[str, Text, str]:
    """Return a claim with its verdict and its theorem."""
    theorem = f"{claim.record.theorem.file}: {claim.record.theorem.name}"
    return claim.label, tinted(claim.verdict, WORDS[claim.verdict]), theorem


def _show_claim(screen: Screen, claim: ClaimProof, *, everything: bool) -> None:
    """Print the paper's sentence and what the theorem in Coq about it says; or all that is known of it."""
    record, theorem, stated = claim.record, claim.record.theorem, claim_of(claim.label)
    parts = {
        "the claim": stated.wording,
        STATED_UNDER: "; ".join(stated_under(stated)),
        "theorem in Coq": str(record) if everything or not claim.stands else f"{record.place}. {theorem.stated}",
        "further theorems": ", ".join(theorem.others),
        "its condition is never met, by": theorem.vacuous,
    }
    if everything:
        screen.print()
        number = f" ({claim.number})" if claim.number else ""
        screen.say(f"{claim.label}{number}: {WORDS[claim.verdict]}", style="bold")
        parts |= {f"it takes {one.name}, shown for {one.how}. What it asks": one.property for one in claim.discharged}
        parts |= {"what no theorem states": (claim.beyond or "") * claim.stands, "what must be trusted": record.trusted}
    else:
        parts["it takes numbers, shown by enclosure (--all)"] = ", ".join(one.name for one in claim.discharged)
    for head, text in parts.items():
        if text:
            screen.say(f"{head}: {text}", indent=2)
    if theorem.differs and claim.stands and not everything:
        screen.say(f"{theorem.scope}:", indent=2)
        for sentence in re.split(r"(?<=\.) (?=[A-Z])", theorem.differs):
            screen.say(f"- {sentence}", indent=4)
    if everything:
        show_reading(screen, record)


def _show_next(screen: Screen, report: ProveReport, *, in_full: bool, read: bool) -> None:
    labels = " ".join(claim.label for claim in report.claims)
    if not in_full:
        screen.suggest("costproof prove thm:regret", "one theorem (--all: a row for every claim)")
    elif not read:
        here = "" if report.kernel_check is not None else "; --kernel has Coq check it here"
        screen.suggest(f"costproof prove {labels} --all", f"every definition behind it{here}")
    else:
        screen.suggest(f"costproof prove {labels} --out DIR", "the sources, with a script that checks them")

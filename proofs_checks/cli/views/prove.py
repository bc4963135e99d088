"""What `costproof prove` prints: how much is proved, what is not covered, what must be trusted; or claims in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bounds.words import is_or_are
from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.claims.registry import claim as claim_of
from proofs_checks.cli.views.console import console, marked, say, show, suggest, table
from proofs_checks.cli.views.kernel import show_not_counted, show_reading, show_where_checked
from proofs_checks.proofs.prove import TRUSTED_BASE, ClaimProof, ProveReport
from proofs_checks.verdict import MEANING, PROOFS, Verdict
from proofs_checks.verify.claim_verdicts import never_applies


def show_proofs(
    report: ProveReport, *, in_full: bool = False, every_row: bool = False, kernel_text: bool = False
) -> None:
    """Print how much is proved and where that was checked, what no theorem states, and what must be trusted.

    With `every_row`, also a row for every claim. With `in_full`, every claim with its theorem; with `every_row` or
    `kernel_text` as well, the theorem as it is written, after every definition behind it.
    """
    screen = console()
    records = [claim.record for claim in report.claims]
    show_not_counted(screen, records)
    say(screen, _in_a_sentence(report.claims), style="bold")
    show_where_checked(screen, records)
    if in_full:
        for claim in report.claims:
            _show_claim(screen, claim, kernel_text=kernel_text or every_row)
    else:
        _show_steps(screen, report)
    if every_row and not in_full:
        screen.print()
        show(screen, _table(report.claims))
    screen.print()
    say(screen, "What must be trusted:", style="bold")
    for part in TRUSTED_BASE:
        say(screen, f"- {part}", indent=2)
    _show_next(screen, report, in_full=in_full, read=kernel_text or every_row)


def _in_a_sentence(claims: Sequence[ClaimProof]) -> str:
    """Say what is proved: of one claim its verdict and what that means, of several how many have each verdict."""
    if len(claims) == 1:
        label, verdict = claims[0].label, claims[0].verdict
        never = never_applies(label) if verdict is Verdict.VACUOUS else ""
        return f"{label} is {verdict}: {never or MEANING[verdict]}."
    found = Counter(claim.verdict for claim in claims)
    first, *others = [verdict for verdict in (*PROOFS, Verdict.VACUOUS, Verdict.SKIPPED) if found[verdict]]
    told = [f"{found[first]} of {len(claims)} claims {is_or_are(found[first])} {first}: {MEANING[first]}."]
    return " ".join(told + [f"{found[each]} more {is_or_are(found[each])} {each}." for each in others])


def _show_steps(screen: Console, report: ProveReport) -> None:
    """Print what no theorem states of the claims that are PROVED_STEPS, and what is VACUOUS."""
    steps = report.having(Verdict.PROVED_STEPS)
    for beyond in dict.fromkeys(claim.beyond for claim in steps):
        labels = [claim.label for claim in steps if claim.beyond == beyond]
        told = f"{', '.join(labels)} {is_or_are(len(labels))} {Verdict.PROVED_STEPS}. No theorem states: {beyond}"
        say(screen, told, indent=2)
    for claim in report.having(Verdict.VACUOUS):
        say(screen, f"{claim.label} is {claim.verdict}: {never_applies(claim.label)}.", indent=2)


def _table(claims: Sequence[ClaimProof]) -> Table:
    """Return a row for every claim: its verdict, and its theorem."""
    found = table("Claims proved for all parameters", {"claim": "whole", "verdict": "whole", "theorem in Coq": ""})
    for claim in claims:
        found.add_row(claim.label, marked(claim.verdict), f"{claim.record.theorem.file}: {claim.record.theorem.name}")
    return found


def _show_claim(screen: Console, claim: ClaimProof, *, kernel_text: bool) -> None:
    """Print the paper's sentence, the theorem in Coq about it, and what must be trusted for it."""
    record, theorem, stated = claim.record, claim.record.theorem, claim_of(claim.label)
    number = number_of(claim.label)
    screen.print()
    say(screen, f"{claim.label}{f' ({number})' if number else ''}: {claim.verdict}", style="bold")
    say(screen, f"the claim: {stated.wording}", indent=2)
    parts = {
        STATED_UNDER: "; ".join(stated_under(stated)),
        "theorem in Coq": str(record),
        "further theorems": ", ".join(theorem.others),
        "its condition is never met, by": theorem.vacuous,
        **{f"it takes {one.name}, shown for {one.how}. What it asks": one.property for one in claim.discharged},
        "what no theorem states": claim.beyond if claim.stands else "",
        "what must be trusted": record.trusted,
    }
    for head, text in parts.items():
        if text:
            say(screen, f"{head}: {text}", indent=2)
    if kernel_text:
        show_reading(screen, record)
    elif theorem.statement:
        say(screen, "as Coq prints it:", indent=2)
        for line in theorem.statement.splitlines():
            screen.print(f"    {line}", markup=False, highlight=False, soft_wrap=True)


def _show_next(screen: Console, report: ProveReport, *, in_full: bool, read: bool) -> None:
    labels = " ".join(claim.label for claim in report.claims)
    if not in_full:
        steps = [claim.label for claim in report.having(Verdict.PROVED_STEPS)]
        suggest(screen, f"costproof prove {[*steps, 'thm:regret'][0]}", "one theorem in full; --all lists every claim")
    elif not read:
        suggest(screen, f"costproof prove {labels} --all", "every definition behind it; --kernel has Coq check it here")
    else:
        suggest(screen, f"costproof prove {labels} --out DIR", "the sources, with a script that checks them")

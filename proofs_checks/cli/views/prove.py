"""What `costproof prove` prints: a headline, the claims, one in full, a re-check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from proofs_checks.claims.hypotheses import STATED_UNDER, stated_under
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.views.console import console, marked, say, show, suggest, table
from proofs_checks.cli.views.counterexamples import counterexample_in_words
from proofs_checks.cli.views.kernel import show_by_kernel, show_not_counted, show_reading
from proofs_checks.plurals import counted
from proofs_checks.proofs.bundle import Recheck
from proofs_checks.proofs.kernel.theorems import kernel_record
from proofs_checks.proofs.language.obligation import Proof
from proofs_checks.proofs.results import (
    TRUSTED_BASE,
    ClaimProof,
    MutantResult,
    ObligationResult,
    ProveReport,
    rechecked,
)
from proofs_checks.proofs.solvers.solvers import SOLVERS
from proofs_checks.proofs.undecided import WRITE_AGAIN, not_installed, why_undecided
from proofs_checks.verdict import MEANING, PROOFS, Verdict


def show_proofs(
    report: ProveReport, *, in_full: bool = False, every_row: bool = False, kernel_text: bool = False
) -> None:
    """Print the headline, the table of claims and what is trusted.

    With `every_row`, also what the solvers and the checker said and what a proof does not show. With `in_full`, first
    what the theorem in Coq about each claim states and what must be trusted, and last every obligation of each claim,
    with its hypotheses; with both, the counterexamples of its mutants, too. With `in_full` and `kernel_text`, the
    theorem as it is written.
    """
    screen = console()
    _show_headline(screen, report)
    if in_full:
        for claim in report.claims:
            _show_statement(screen, claim, kernel_text=kernel_text)
        _show_trusted(screen, "What must be trusted, whichever the claim:")
        screen.print()
    show(screen, _table(report.claims))
    if every_row:
        screen.print()
        show(screen, _answers_table(report.claims))
    _show_remarks(screen, report.claims, every_row=every_row or in_full)
    if in_full:
        for claim in report.claims:
            _show_steps(screen, claim, every_mutant=every_row)
    for contradiction in report.contradictions:
        say(screen, f"CONTRADICTION: {contradiction}", style="bold red")
    if not in_full:
        _show_trusted(screen, "What must be trusted:")
    _show_answers(screen, report)
    if not in_full and report.claims:
        label = next((each.proof.label for each in report.claims if not each.stands), report.claims[0].proof.label)
        suggest(screen, f"costproof prove {label}", "one proof in full")
    elif not every_row and report.claims:
        labels = " ".join(each.proof.label for each in report.claims)
        suggest(screen, f"costproof prove {labels} --all", "also every mutant, with numbers that refute it")


def _show_headline(screen: Console, report: ProveReport) -> None:
    """Say how much is proved, or why nothing could be decided, and what to look at first."""
    show_not_counted(screen, [claim.kernel for claim in report.claims])
    undecided = [claim for claim in report.claims if claim.missing and not claim.stands]
    if undecided:
        _show_undecided(screen, undecided, len(report.claims))
    if undecided and len(undecided) == len(report.claims) and not report.contradictions:
        return
    say(screen, _in_a_sentence(report.claims), style="bold")
    show_by_kernel(screen, [claim.kernel for claim in report.claims if claim.rests_on_kernel], len(report.claims))
    failing = [claim for claim in report.claims if not claim.stands and not claim.missing]
    if report.contradictions:
        say(screen, f"Look first at the contradiction: {report.contradictions[0]}", style="bold red")
    elif failing:
        first = f"{counted(len(failing), 'claim')} not proved. Look first at {failing[0].proof.label}: "
        say(screen, first + failing[0].reason, style="bold red")


def _in_a_sentence(claims: Sequence[ClaimProof]) -> str:
    """Say what is proved: of one claim its verdict and what that means, of several how many are proved, and how.

    Examples
    --------
    >>> from proofs_checks.proofs.language.obligation import Proof
    >>> one = ClaimProof(proof=Proof("lem:a", (), ""), verdict=Verdict.PROVED, reason="", obligations=())
    >>> _in_a_sentence([one])
    'lem:a is PROVED: for all parameters, the whole statement, by Coq or by both solvers.'
    >>> _in_a_sentence([one, one])
    '2 of 2 claims are PROVED: for all parameters, the whole statement, by Coq or by both solvers.'
    """
    if len(claims) == 1:
        proof, verdict = claims[0].proof, claims[0].verdict
        never = proof.never_applies if verdict is Verdict.VACUOUS else ""
        return f"{proof.label} is {verdict}: {never or MEANING[verdict]}."
    found = Counter(claim.verdict for claim in claims)
    first, *others = [verdict for verdict in PROOFS if found[verdict]] or [Verdict.PROVED]
    told = [f"{found[first]} of {len(claims)} claims {_are(found[first])} {first}: {MEANING[first]}."]
    return " ".join(told + [f"{found[each]} more {_are(found[each])} {each}: {MEANING[each]}." for each in others])


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _show_undecided(screen: Console, undecided: Sequence[ClaimProof], claims: int) -> None:
    """Say once why proofs were not decided, what was re-checked all the same, and the remedy."""
    results = {one.obligation.name: one for claim in undecided for one in claim.obligations}
    missing = [solver for solver in SOLVERS if any(solver in claim.missing for claim in undecided)]
    which = f"{len(undecided)} of {counted(claims, 'claim')}"
    were = "was" if len(undecided) == 1 else "were"
    why = why_undecided(missing, len(results), rechecked(list(results.values())))
    say(screen, f"{which} {were} {why}.", style="bold yellow")
    say(screen, "What the proofs come to where both solvers are installed: `costproof claims`.")


def _table(claims: Sequence[ClaimProof]) -> Table:
    """Return a row for every claim: its verdict, its steps, and how many of their mutants are false."""
    columns = {"claim": "whole", "verdict": "whole", "steps": "right", "mutants false": "right"}
    found = table("Claims proved for all parameters", columns)
    for claim in claims:
        row = claim.row
        asked = "not asked" if set(claim.missing) == set(SOLVERS) else f"{row.mutants_refuted}/{row.mutants}"
        found.add_row(row.label, marked(row.verdict), str(row.steps), asked)
    return found


def _answers_table(claims: Sequence[ClaimProof]) -> Table:
    """Return how many steps each solver proved, and of how many the certificate was re-checked."""
    columns = {"claim": "whole"} | dict.fromkeys((*SOLVERS, "certificates", "seconds"), "right")
    found = table("What each solver proved", columns)
    for claim in claims:
        row = claim.row
        shares = (f"{getattr(row, name)}/{row.steps}" for name in (*SOLVERS, "certificates"))
        found.add_row(row.label, *shares, f"{row.seconds:.2f}")
    return found


def _show_remarks(screen: Console, claims: Sequence[ClaimProof], *, every_row: bool) -> None:
    """Print why claims are not proved, and how far a proof reaches; with `every_row` also what it does not show."""
    told: dict[str, list[str]] = {}
    for claim in claims:
        remark = "" if claim.proof.vacuous else claim.proof.remark
        reason = "" if claim.missing else claim.reason  # what is missing stands in the headline
        parts = [remark, reason or (claim.beyond if every_row else "")]
        told.setdefault("; ".join(filter(None, parts)), []).append(claim.proof.label)
    told.pop("", None)
    for text, labels in told.items():
        say(screen, f"{', '.join(labels)}: {text}", indent=2)


#: What a symbol stands for that arguments and obligations use without a word.
_SYMBOLS = {
    "R": "the radius of costs at g(t) selections, (1 + gamma) c_max beta(g(t)); c_max beta(g(t)) where not widened",
    "d_-": "how far a bid may lie below its provider's estimate of the cost, 0 for truthful bids",
    "d_+": "how far a bid may lie above its provider's estimate of the cost, 0 for truthful bids",
}


def _symbols_in_words(proof: Proof) -> str:
    """Return the meaning of the symbols that a proof's argument or one of its obligations uses.

    Examples
    --------
    >>> _symbols_in_words(Proof("lem:a", (), "The payment is at most R."))[:23]
    'R: the radius of costs '
    >>> _symbols_in_words(Proof("lem:a", (), "The REFUTED one."))
    ''
    """
    texts = (proof.argument, proof.unlike_paper, *(one.says for one in proof.obligations))
    words = {word.strip("{}(),.;:|") for text in texts for word in text.split()}
    return "; ".join(f"{symbol}: {meaning}" for symbol, meaning in _SYMBOLS.items() if symbol in words)


def _show_statement(screen: Console, claim: ClaimProof, *, kernel_text: bool) -> None:
    """Print what a theorem in Coq states about a claim, and what must be trusted for it."""
    proof, kernel = claim.proof, claim.kernel
    number, stated = number_of(proof.label), all_claims().get(proof.label)
    screen.print()
    say(screen, f"{proof.label}{f' ({number})' if number else ''}: {claim.verdict}", style="bold")
    _show_parts(
        screen,
        {
            STATED_UNDER: "; ".join(stated_under(stated)) if stated else "",
            "theorem in Coq": "" if kernel is None else str(kernel),
            "what must be trusted": kernel.trusted if claim.rests_on_kernel and kernel is not None else "",
        },
    )
    if kernel_text and kernel is not None:
        show_reading(screen, kernel)


def _show_steps(screen: Console, claim: ClaimProof, *, every_mutant: bool) -> None:
    """Print how the steps of a claim compose, what they leave open, and every one of them."""
    proof, by_kernel = claim.proof, claim.rests_on_kernel
    screen.print()
    say(screen, f"The steps of {proof.label}", style="bold")
    _show_parts(
        screen,
        {
            "by the solvers alone": str(claim.by_solvers) if by_kernel else "",
            "how they compose": proof.argument,
            "symbols": _symbols_in_words(proof),
            "its obligations cite, each citation checked": "; ".join(
                f"{', '.join(names)} of {label}" for label, names in claim.cited_proofs.items()
            ),
            _named_how(claim): ", ".join(label for label in proof.uses if label not in claim.cited_proofs),
            "unlike the paper's proof": proof.unlike_paper,
            "left to English by the steps, not by Coq" if by_kernel else "left to English": claim.left_to_english,
            "assumed by name, by the steps alone" if by_kernel else "assumed by name, not proved": "; ".join(
                f"{name}: {says}" for name, says in claim.assumed.items()
            ),
        },
    )
    for result in claim.obligations:
        _show_obligation(screen, result, every_mutant=every_mutant)


def _show_parts(screen: Console, parts: Mapping[str, str]) -> None:
    """Print each part that there is behind its head."""
    for head, text in parts.items():
        if text:
            say(screen, f"{head}: {text}", indent=2)


def _named_how(claim: ClaimProof) -> str:
    """Say what a proof names other claims for: what is proved whole takes no more from them than what it assumes."""
    steps = claim.by_solvers or claim.verdict
    return "names, for what it assumes" if steps is Verdict.PROVED else "names, joined in English"


def _show_obligation(screen: Console, result: ObligationResult, *, every_mutant: bool) -> None:
    """Print an obligation and its hypotheses; of its mutants their number and those not shown to be false, or all."""
    said = ", ".join(f"{solver} {result.said(solver)}" for solver in SOLVERS)
    asked = [each for each in result.mutants if set(each.answers.values()) != {"missing"}]
    false = f"false {sum(each.refuted for each in asked)} of {len(result.mutants)}" if asked else "not asked"
    facts = f"{result.logic}; {said}, certificate {result.certificate}, mutants {false}"
    say(screen, f"{result.obligation.name} ({facts})", indent=2)
    say(screen, result.obligation.says, indent=4)
    for name, origin in result.obligation.hypotheses.items():
        of = f" {origin.of}" if origin.of else ""
        say(screen, f"from {origin.source}{of}: {name}", indent=4, style="dim")
    for mutant in result.mutants if every_mutant else [each for each in asked if not each.refuted]:
        found = _found_of(mutant, result.obligation.individuals)
        say(screen, f"mutant {mutant.name!r}: {found}", indent=4, style="dim")
    for hypotheses, why in result.obligation.kept_without_mutant:
        say(screen, f"not shown to be needed: {', '.join(hypotheses)} ({why})", indent=4, style="dim")


def _found_of(mutant: MutantResult, individuals: str) -> str:
    """Return what is known of a mutant: a solver that is not installed was not asked."""
    asked = {solver: answer for solver, answer in mutant.answers.items() if answer != "missing"}
    if not asked:
        return "not asked"
    shown = counterexample_in_words(mutant.counterexample, individuals)
    if set(asked.values()) != {"sat"}:
        return f"NOT SHOWN TO BE FALSE; {shown}"
    by = "" if mutant.refuted else f", says {' and '.join(asked)} alone"
    return f"false{by}; {shown}"


def _show_trusted(screen: Console, head: str) -> None:
    screen.print()
    say(screen, head, style="bold")
    for part in TRUSTED_BASE:
        say(screen, f"- {part}", indent=2)


def _show_answers(screen: Console, report: ProveReport) -> None:
    """Say how many steps were decided, by what, and which answers are those of an earlier run."""
    versions = ", ".join(f"{name} {report.versions[name]}" for name in SOLVERS if name in report.versions)
    certified = f"the certificates of {rechecked(report.obligations)} re-checked without a solver"
    say(screen, f"{counted(len(report.obligations), 'step')}, {certified}; {report.seconds:.1f} s; {versions}.")
    again = "costproof prove --fresh asks again"
    if kept := report.answers_kept:
        by = f"{kept:,} of {counted(len(report.answers), 'answer')} of the solvers"
        say(screen, f"{by} are kept from an earlier run here, for the same scripts and versions: {again}.")


def show_recheck(found: Recheck) -> None:
    """Print what re-checking a folder found."""
    screen = console()
    if found.failures:
        problems = counted(len(found.failures), "problem")
        say(screen, f"{problems}. Look first at {found.failures[0][0]}.", style="bold red")
    elif found.undecided:
        claims = f"{counted(len(found.undecided), 'claim')} {'is' if len(found.undecided) == 1 else 'are'}"
        say(screen, f"No check failed. {claims} not decided: solvers were missing.", style="bold yellow")
    elif not set(SOLVERS) <= found.agreed.keys():
        missing = not_installed([solver for solver in SOLVERS if solver not in found.agreed])
        stand = f"{found.rechecked} of {counted(found.certificates, 'certificate')} stand"
        scripts = f"{counted(found.not_checked, 'script')} {'was' if found.not_checked == 1 else 'were'}"
        unchecked = f"{stand}; how steps compose and {scripts} not checked here: {missing}."
        say(screen, f"No check failed. {unchecked}", style="bold yellow")
    certificates = f"{found.rechecked} of {found.certificates} certificates re-checked without a solver"
    say(screen, f"{found.folder}: {counted(found.files, 'file')}; {certificates}")
    for solver, agreed in found.agreed.items():
        say(screen, f"{solver} answers {agreed} of {found.scripts} scripts as expected", indent=2)
    if not found.agreed:
        say(screen, f"no solver asked any script: {not_installed(SOLVERS)}", indent=2)
    if found.composed:
        say(screen, f"{counted(len(found.composed), 'claim')} composed as this version says", indent=2)
    if found.unknown:
        unknown = ", ".join(found.unknown)
        say(screen, f"this version has no proof of these, so their composition is not re-checked: {unknown}", indent=2)
    told: dict[str, list[str]] = {}
    for label, why in found.undecided:
        told.setdefault(why, []).append(label)
    for why, labels in told.items():
        say(screen, f"not decided: {', '.join(labels)}: {why}", indent=2, style="yellow")
    if by_kernel := [label for label, _ in found.undecided if (one := kernel_record(label)) and one.proves_claim]:
        instead = "A theorem in Coq, which no folder holds, proves of these"
        say(screen, f"{instead}: {', '.join(by_kernel)}. `costproof prove --kernel` has Coq check it.", indent=2)
    for file, problem in found.failures:
        say(screen, f"FAILED {file}: {problem}; {WRITE_AGAIN}", indent=2, style="bold red")

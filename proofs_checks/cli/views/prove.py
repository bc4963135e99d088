"""What `costproof prove` prints: the table of claims, one claim in full, the graph, what is refuted, a re-check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.cli.views.console import console, marked, table
from proofs_checks.proofs.bundle import Recheck
from proofs_checks.proofs.lemma import Refuted
from proofs_checks.proofs.results import TRUSTED_BASE, ClaimProof, ObligationResult, ProveReport
from proofs_checks.proofs.solvers.solvers import SOLVERS
from proofs_checks.verdict import Verdict


def show_proofs(report: ProveReport, *, in_full: bool = False) -> None:
    """Print the table of claims, what is trusted, and what a proof does not show.

    With `in_full`, also every obligation of each claim, with its hypotheses and the counterexamples of its mutants.
    """
    screen = console()
    screen.print(_table(report.claims))
    if in_full:
        for claim in report.claims:
            _show_claim(screen, claim)
    if report.refuted:
        show_refuted(report.refuted, in_full=in_full)
    for contradiction in report.contradictions:
        screen.print(f"CONTRADICTION: {contradiction}", style="bold red")
    _show_trusted(screen, report)


def show_refuted(statements: Sequence[Refuted], *, in_full: bool = False) -> None:
    """Print what is false, and whether the mechanism replays the numbers that refute it; `in_full`, the numbers too."""
    screen = console()
    found = table("Refuted, with numbers", {"claim": "whole", "found": "", "replayed": "", "": ""})
    for refuted in statements:
        known = refuted.counterexample
        replayed = known.replayed_with if refuted.replayed else "NOT REPLAYED"
        found.add_row(known.label, refuted.lemma.reason, replayed, known.says)
    screen.print(found)
    for refuted in statements if in_full else ():
        screen.print(f"\n{refuted.counterexample.label}: {refuted.lemma.obligation.says}")
        numbers = ", ".join(f"{name} = {value}" for name, value in refuted.lemma.numbers.items())
        screen.print(f"  {numbers or 'no numbers found'}", style="dim", soft_wrap=True)


def _table(claims: Sequence[ClaimProof]) -> Table:
    counts = dict.fromkeys(("obligations", *SOLVERS, "mutants false", "certificates", "seconds"), "right")
    columns = {"claim": "whole", "verdict": "whole"} | counts
    found = table("Claims proved for all parameters", columns | {"not shown, or why not proved": ""})
    for claim in claims:
        results = claim.obligations
        n = len(results)
        mutants = sum(len(result.mutants) for result in results)
        found.add_row(
            claim.proof.label,
            marked(
                claim.verdict,
                after=f" ({claim.proof.remark})" if claim.proof.remark and not claim.proof.vacuous else "",
            ),
            str(n),
            *(f"{sum(result.said(solver) == 'unsat' for result in results)} of {n}" for solver in SOLVERS),
            f"{sum(result.mutants_refuted for result in results)} of {mutants}",
            f"{_rechecked(results)} of {n}",
            f"{sum(result.seconds for result in results):.2f}",
            _remark(claim),
        )
    return found


def _rechecked(results: Sequence[ObligationResult]) -> int:
    """Return how many certificates were re-checked without a solver."""
    return sum(result.certificate == "rechecked" for result in results)


def _remark(claim: ClaimProof) -> str:
    return claim.reason or claim.proof.beyond


def _show_claim(screen: Console, claim: ClaimProof) -> None:
    proof = claim.proof
    number = number_of(proof.label)
    screen.print(f"\n{proof.label}{f' ({number})' if number else ''}: {claim.verdict}", style="bold")
    parts = {"how they compose": proof.argument, "uses": ", ".join(proof.uses), "not shown": proof.beyond}
    for head, text in parts.items():
        if text:
            screen.print(f"  {head}: {text}")
    for result in claim.obligations:
        _show_obligation(screen, result)


def _show_obligation(screen: Console, result: ObligationResult) -> None:
    said = ", ".join(f"{solver} {result.said(solver)}" for solver in SOLVERS)
    facts = f"{result.logic}; {said}, certificate {result.certificate}"
    screen.print(f"  {result.obligation.name} ({facts})")
    screen.print(f"    {result.obligation.says}")
    for name, origin in result.obligation.hypotheses.items():
        of = f" {origin.of}" if origin.of else ""
        screen.print(f"    from {origin.source}{of}: {name}", style="dim")
    for mutant in result.mutants:
        text = f"    mutant {mutant.name!r}: {'false' if mutant.refuted else 'NOT SHOWN TO BE FALSE'}"
        screen.print(f"{text}; {_counterexample(mutant.counterexample)}", style="dim", soft_wrap=True)


def _counterexample(values: Mapping[str, str] | None) -> str:
    if not values:
        return "no counterexample shown"
    shown = [f"{term} = {value}" for term, value in values.items() if value not in ("true", "false")]
    return "as at " + ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


def _show_trusted(screen: Console, report: ProveReport) -> None:
    screen.print("\nWhat must be trusted:", style="bold")
    for part in TRUSTED_BASE:
        screen.print(f"  - {part}")
    versions = ", ".join(f"{name} {report.versions[name]}" for name in SOLVERS if name in report.versions)
    screen.print(
        f"\n{len(report.having(Verdict.PROVED))} of {len(report.claims)} claims PROVED, composition included; "
        f"{len(report.having(Verdict.PROVED_STEPS))} PROVED_STEPS: what joins their steps is argued in English; "
        f"{len(report.obligations)} obligations, {_rechecked(report.obligations)} re-checked without a solver; "
        f"{report.seconds:.1f} s; {versions}."
    )


def show_graph(report: ProveReport) -> None:
    """Print, claim by claim, which obligation rests on what."""
    screen = console()
    for claim in report.claims:
        screen.print(graph_text(claim), soft_wrap=True)


def graph_text(claim: ClaimProof) -> str:
    """Return a claim's graph of obligations as indented text: what each rests on, definitions and assumptions aside.

    Examples
    --------
    >>> from proofs_checks.proofs.language.obligation import Proof
    >>> from proofs_checks.verdict import Verdict
    >>> proof = Proof(label="lem:a", obligations=(), argument="one step", uses=("lem:b",))
    >>> print(graph_text(ClaimProof(proof=proof, verdict=Verdict.PROVED, reason="", obligations=())))
    lem:a
      uses lem:b
    """
    lines = [claim.proof.label, *(f"  uses {label}" for label in claim.proof.uses)]
    for result in claim.obligations:
        lines.append(f"  {result.obligation.name}: {result.obligation.says}")
        for name, origin in result.obligation.hypotheses.items():
            if origin.source not in ("definition", "assumption"):
                lines.append(f"    {origin.source} {origin.of or name}")
    return "\n".join(lines)


def show_recheck(found: Recheck) -> None:
    """Print what re-checking a folder found."""
    screen = console()
    screen.print(
        f"{found.folder}: {found.files} files; {found.rechecked} of {found.certificates} certificates "
        "re-checked without a solver"
    )
    for solver, agreed in found.agreed.items():
        screen.print(f"  {solver} answers {agreed} of {found.scripts} scripts as expected")
    if not found.agreed:
        screen.print("  no solver is installed: pip install 'costproof[prove]' to ask both as well")
    if found.composed:
        screen.print(f"  {len(found.composed)} claims compose as this version says")
    if found.unknown:
        screen.print(f"  not known to this version, so their composition is not re-checked: {', '.join(found.unknown)}")
    for file, problem in found.failures:
        screen.print(f"  FAILED {file}: {problem}", style="bold red")

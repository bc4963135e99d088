"""Terminal view of what `prove` returns as JSON: the table of claims, one claim in full, the graph, a re-check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.cli.views.console import console, table
from proofs_checks.cli.views.verification import marked
from proofs_checks.verdict import Verdict

Data = Mapping[str, Any]


def show_proofs(data: Data, *, in_full: bool = False) -> None:
    """Print the table of claims, what is trusted, and what a proof does not show.

    Parameters
    ----------
    data : mapping
        As `ProveReport.to_data` returns it.
    in_full : bool, optional
        Every obligation of each claim as well, with its hypotheses and the counterexamples of its mutants.
    """
    screen = console()
    screen.print(_table(data["claims"]))
    if in_full:
        for claim in data["claims"]:
            _show_claim(screen, claim)
    if data["refuted"]:
        show_refuted(data, in_full=in_full)
    for contradiction in data["contradictions"]:
        screen.print(f"CONTRADICTION: {contradiction}", style="bold red", markup=False)
    _show_trusted(screen, data)


def show_refuted(data: Data, *, in_full: bool = False) -> None:
    """Print what is false, and whether the mechanism replays the numbers that refute it.

    Parameters
    ----------
    data : mapping
        With the key "refuted", as `ProveReport.to_data` has it.
    in_full : bool, optional
        The false statements and the numbers as well.
    """
    screen = console()
    found = table("Refuted, with numbers", [("claim", "whole"), ("found", ""), ("replayed", ""), ("", "")])
    for refuted in data["refuted"]:
        replayed = refuted["replayed_with"] if refuted["replayed"] else "NOT REPLAYED"
        found.add_row(escape(refuted["label"]), escape(refuted["found"]), escape(replayed), escape(refuted["says"]))
    screen.print(found)
    for refuted in data["refuted"] if in_full else ():
        screen.print(f"\n{refuted['label']}: {refuted['false_statement']}", markup=False)
        numbers = ", ".join(f"{name} = {value}" for name, value in (refuted["numbers"] or {}).items())
        screen.print(f"  {numbers or 'no numbers found'}", style="dim", markup=False, soft_wrap=True)


def _table(claims: Sequence[Data]) -> Any:
    columns = [("claim", "whole"), ("verdict", "whole"), ("obligations", "right"), ("z3", "right"), ("cvc5", "right")]
    found = table(
        "Claims proved for all parameters",
        [
            *columns,
            ("mutants false", "right"),
            ("certificates", "right"),
            ("seconds", "right"),
            ("not shown, or why not proved", ""),
        ],
    )
    for claim in claims:
        obligations = claim["obligations"]
        n = len(obligations)
        mutants = sum(len(o["mutants"]) for o in obligations)
        found.add_row(
            escape(claim["label"]),
            _verdict(claim),
            str(n),
            *(f"{sum(o[solver] == 'unsat' for o in obligations)} of {n}" for solver in ("z3", "cvc5")),
            f"{sum(o['mutants_refuted'] for o in obligations)} of {mutants}",
            f"{sum(o['certificate'] == 'rechecked' for o in obligations)} of {n}",
            f"{sum(o['seconds'] for o in obligations):.2f}",
            escape(_remark(claim)),
        )
    return found


def _verdict(claim: Data) -> str:
    """Return the verdict with what stands beside it, as "(in part)"."""
    verdict = marked(Verdict(claim["verdict"]))
    return f"{verdict} ({escape(claim['qualifier'])})" if claim["qualifier"] else verdict


def _remark(claim: Data) -> str:
    if claim["reason"]:
        return str(claim["reason"])
    inherited = f"rests on {', '.join(claim['inherits_from'])}, proved in part" if claim["inherits_from"] else ""
    return "; ".join(filter(None, [claim["beyond"], inherited]))


def _show_claim(screen: Console, claim: Data) -> None:
    screen.print(f"\n{claim['label']}: {claim['verdict']}", style="bold", markup=False)
    for head, text in (
        ("how they compose", claim["composition"]),
        ("uses", ", ".join(claim["uses"])),
        ("not shown", claim["beyond"]),
    ):
        if text:
            screen.print(f"  {head}: {text}", markup=False)
    for obligation in claim["obligations"]:
        _show_obligation(screen, obligation)


def _show_obligation(screen: Console, obligation: Data) -> None:
    solvers = f"z3 {obligation['z3']}, cvc5 {obligation['cvc5']}, certificate {obligation['certificate']}"
    screen.print(f"  {obligation['name']} ({obligation['logic']}; {solvers})", markup=False)
    screen.print(f"    {obligation['says']}", markup=False)
    for name, origin in obligation["hypotheses"].items():
        of = f" {origin['of']}" if origin["of"] else ""
        screen.print(f"    from {origin['source']}{of}: {name}", style="dim", markup=False)
    for mutant in obligation["mutants"]:
        refuted = mutant["z3"] == mutant["cvc5"] == "sat"
        text = f"    mutant {mutant['name']!r}: {'false' if refuted else 'NOT SHOWN TO BE FALSE'}"
        screen.print(f"{text}; {_counterexample(mutant['counterexample'])}", style="dim", markup=False, soft_wrap=True)


def _counterexample(values: Mapping[str, str] | None) -> str:
    if not values:
        return "no counterexample shown"
    shown = [f"{term} = {value}" for term, value in values.items() if value not in ("true", "false")]
    return "as at " + ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


def _show_trusted(screen: Console, data: Data) -> None:
    screen.print("\nWhat must be trusted:", style="bold")
    for part in data["trusted_base"]:
        screen.print(f"  - {part}", markup=False)
    counted = [claim["verdict"] for claim in data["claims"]]
    totals = data["totals"]
    obligations = {o["name"]: o for claim in data["claims"] for o in claim["obligations"]}.values()
    certified = sum(o["certificate"] == "rechecked" for o in obligations)
    versions = ", ".join(f"{name} {data['versions'][name]}" for name in ("z3", "cvc5") if name in data["versions"])
    screen.print(
        f"\n{counted.count('PROVED')} of {len(counted)} claims PROVED, {totals['in_part']} of them in part; "
        f"{len(obligations)} obligations, {certified} re-checked without a solver; {data['seconds']:.1f} s; "
        f"{versions}.",
        markup=False,
    )


def show_graph(data: Data) -> None:
    """Print, claim by claim, which obligation rests on what."""
    screen = console()
    for claim in data["claims"]:
        screen.print(graph_text(claim), markup=False, soft_wrap=True)


def graph_text(claim: Data) -> str:
    """Return a claim's graph of obligations as indented text.

    Examples
    --------
    >>> claim = {"label": "lem:a", "verdict": "PROVED", "uses": [], "obligations": [
    ...     {"name": "step", "says": "it grows", "hypotheses": {"so-far": {"source": "induction", "of": None}}}]}
    >>> print(graph_text(claim))
    lem:a
      step: it grows
        induction so-far
    """
    lines = [claim["label"], *(f"  uses {label}" for label in claim["uses"])]
    for obligation in claim["obligations"]:
        lines.append(f"  {obligation['name']}: {obligation['says']}")
        for name, origin in obligation["hypotheses"].items():
            if origin["source"] not in ("definition", "assumption"):
                lines.append(f"    {origin['source']} {origin['of'] or name}")
    return "\n".join(lines)


def show_recheck(data: Data) -> None:
    """Print what re-checking a folder found."""
    screen = console()
    screen.print(
        f"{data['folder']}: {data['files']} files; {data['rechecked']} of {data['certificates']} certificates "
        "re-checked without a solver",
        markup=False,
    )
    for solver, agreed in data["agreed"].items():
        screen.print(f"  {solver} answers {agreed} of {data['scripts']} scripts as expected", markup=False)
    if not data["agreed"]:
        screen.print("  no solver is installed: pip install 'costproof[prove]' to ask both as well", markup=False)
    for failure in data["failures"]:
        screen.print(f"  FAILED {failure['file']}: {failure['problem']}", style="bold red", markup=False)

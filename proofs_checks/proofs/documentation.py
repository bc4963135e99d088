"""`python -m proofs_checks.proofs.documentation`: writes docs/proofs.md, the proofs as text and as pictures.

The page is made of the proofs themselves: it says nothing that they do not, and a test holds it against them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from proofs_checks.claims.registry import all_claims
from proofs_checks.headings import anchor_of
from proofs_checks.proofs.catalogue import all_proofs, assumed_by, left_to_english, obligations_of
from proofs_checks.proofs.composition import Composition, statements_of
from proofs_checks.proofs.kernel.theorems import KernelTheorem, kernel_theorems
from proofs_checks.proofs.language.axioms import AXIOMS
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Obligation, Proof
from proofs_checks.proofs.language.smtlib import logic_of
from proofs_checks.proofs.results import TRUSTED_BASE
from proofs_checks.proofs.store import stored_text

PAGE = Path(__file__).parents[2] / "docs" / "proofs.md"
_INTRODUCTION = (
    "# The proofs",
    "",
    "Made by `python -m proofs_checks.proofs.documentation` from `proofs_checks/proofs/statements`; do not "
    "edit. What PROVED means, and how to check all of this again: [certificates.md](certificates.md).",
    "",
    "In a picture an arrow leads from what is used to what uses it: boxes are obligations (a dashed one belongs to "
    "another claim), hexagons named axioms, rounded boxes facts of ball arithmetic, flags induction hypotheses. "
    "Definitions and assumptions are in the table below it. A *mutant* is the obligation with something left out or "
    "tightened: the solvers find a counterexample to each, so what was changed matters. Every hypothesis is left out "
    "in turn; where that makes no mutant, the table says why the hypothesis stays. *Theorem in Coq* says which is "
    "about the claim ([kernel.md](kernel.md)); where it states the claim, the claim is PROVED by it, and what follows "
    "is about the steps alone. Where their composition is *checked*, the section ends with what the claim says in all: "
    "everything that it, and what it cites, assumes. Where it is *argued*, the page says what the steps leave to "
    "English, and the verdict without Coq is PROVED_STEPS. *Assumed by name* lists the "
    "axioms of analysis and probability that a proof takes for granted: they stand in words at the end of the page. "
    "*Names* lists the claims that a proof names; which obligations it cites is in its picture: a claim that is named "
    "and not cited is joined in English. *Unlike the paper's proof* says where a proof goes another way.",
    "",
)
#: How a source is drawn, around the text.
_SHAPES = {"axiom": ("{{", "}}"), "ball": ("([", "])"), "induction": (">", "]"), "obligation": ("[", "]")}


def proofs_page(proofs: Mapping[str, Proof], statements: Mapping[str, str]) -> str:
    """Return the page of some proofs, as Markdown with Mermaid pictures.

    Parameters
    ----------
    proofs : mapping
        By label, those that others use included.
    statements : mapping
        What each label says, in words and formulas.

    Examples
    --------
    >>> page = proofs_page({"lem:a": Proof("lem:a", (), "by nothing")}, {"lem:a": "it is so"})
    >>> "## lem:a" in page, "it is so" in page
    (True, True)
    """
    owners = {o.name: label for label, proof in reversed(list(proofs.items())) for o in proof.obligations}
    lines = [*_INTRODUCTION, *_summary(proofs), ""]
    composition = Composition(obligations_of(proofs))
    for label, proof in proofs.items():
        lines += [*_claim(proof, proofs, statements.get(label, ""), owners), *_whole(proof, composition), ""]
    return "\n".join([*lines, *_foundations(proofs)]) + "\n"


def _summary(proofs: Mapping[str, Proof]) -> Iterator[str]:
    obligations = obligations_of(proofs).values()
    mutants, certified = sum(len(o.mutants) for o in obligations), sum(map(_is_certified, obligations))
    yield (
        f"{len(proofs)} claims, {len(obligations)} obligations, {mutants} mutants, {certified} certificates that are "
        "checked without a solver."
    )
    yield from (
        "",
        "| claim | in Coq | composition | obligations | mutants | certificates | names |",
        "|---|---|---|--:|--:|--:|---|",
    )
    for label, proof in proofs.items():
        own = proof.obligations
        uses = ", ".join(f"[{used}](#{anchor_of(used)})" for used in proof.uses)
        certificates = f"{sum(map(_is_certified, own))} of {len(own)}"
        tried = sum(len(o.mutants) for o in own)
        composed = "argued" if proof.beyond else "checked"
        theorem = kernel_theorems().get(label)
        stated = "" if theorem is None else theorem.states
        counts = f"{len(own)} | {tried} | {certificates}"
        yield f"| [{label}](#{anchor_of(label)}) | {stated} | {composed} | {counts} | {uses} |"


def _claim(proof: Proof, proofs: Mapping[str, Proof], statement: str, owners: Mapping[str, str]) -> Iterator[str]:
    yield from (f"## {proof.label}", "")
    if statement:
        yield from (f"**States**: {_plain(statement)}", "")
    yield from (f"**Argument**: {_plain(proof.argument)}", "")
    if (theorem := kernel_theorems().get(proof.label)) is not None:
        yield from (f"**Theorem in Coq**: {_theorem(theorem)}", "")
    if proof.uses:
        yield from (f"**Names**: {', '.join(f'[{used}](#{anchor_of(used)})' for used in proof.uses)}", "")
    if proof.unlike_paper:
        yield from (f"**Unlike the paper's proof**: {_plain(proof.unlike_paper)}", "")
    if assumed := assumed_by(proof, proofs):
        yield from (f"**Assumed by name**: {', '.join(f'`{name}`' for name in assumed)}", "")
    if proof.beyond:
        whole = {label for label, theorem in kernel_theorems().items() if theorem.states == "claim"}
        told = left_to_english(proof, proofs, whole)
        yield from (f"**Left to English**: {_plain(told)}", "")
    yield from ("```mermaid", "flowchart TD", *picture(proof, owners), "```", "")
    yield from ("| obligation | says | from | mutants | certificate |", "|---|---|---|---|---|")
    for obligation in proof.obligations:
        yield _row(obligation)


def _theorem(theorem: KernelTheorem) -> str:
    """Return which theorem it is, and what it states: not whether Coq was asked, which differs by machine."""
    return f"`{theorem.name}` in {theorem.file}. {_plain(theorem.in_words)}"


def _whole(proof: Proof, composition: Composition) -> Iterator[str]:
    """Yield what the obligations that say a claim assume in all, where the composition is checked."""
    for said in () if proof.beyond else statements_of(proof, composition):
        yield from ("", f"`{said.obligation.name}` in all: if", "", "```text")
        yield from (f"{premise.formula}    ({premise.place})" for premise in said.assumptions)
        if said.names:
            yield from ("where", *(f"{premise.formula}" for premise in said.names))
        yield from ("then", f"{said.obligation.goal}", "```")


def _row(obligation: Obligation) -> str:
    sources: dict[str, list[str]] = {}
    for name, hypothesis in obligation.hypotheses.items():
        sources.setdefault(hypothesis.source, []).append(f"`{hypothesis.of or name}`")
    origins = "; ".join(f"{source} {', '.join(dict.fromkeys(names))}" for source, names in sources.items())
    mutants = "; ".join(_plain(part) for part in (*(one.name for one in obligation.mutants), *_reasons(obligation)))
    certificate = "stored" if _is_certified(obligation) else "none yet"
    logic = logic_of(obligation.refutation)
    return f"| `{obligation.name}` ({logic}) | {_plain(obligation.says)} | {origins} | {mutants} | {certificate} |"


def _reasons(obligation: Obligation) -> Iterator[str]:
    """Yield which hypotheses have no mutant, and why."""
    for names, reason in obligation.kept_without_mutant:
        yield f"none without {', '.join(names)} ({reason})"


def picture(proof: Proof, owners: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a Mermaid flowchart of a proof.

    Parameters
    ----------
    proof : Proof
    owners : mapping
        From an obligation to the label of its claim.

    Examples
    --------
    >>> from proofs_checks.proofs.language.obligation import Hypothesis
    >>> from proofs_checks.proofs.language.terms import constant
    >>> x = constant("x")
    >>> step = Obligation("step", "it grows", {"so-far": Hypothesis(x > 0, "induction")}, x > 0)
    >>> print(*picture(Proof("lem:a", (step,), "by induction"), {"step": "lem:a"}), sep="\\n")
      n0["step"]
      n1>"induction: so-far"]
      n1 --> n0
    """
    own = [obligation.name for obligation in proof.obligations]
    nodes = {("obligation", name): f"n{k}" for k, name in enumerate(own)}
    for name in own:
        yield f'  {nodes["obligation", name]}["{name}"]'
    for obligation in proof.obligations:
        links: dict[tuple[str, str], None] = {}
        for name, hypothesis in obligation.hypotheses.items():
            if hypothesis.source in _SHAPES:
                links[hypothesis.source, hypothesis.of or name] = None
        for link in links:
            if link not in nodes:
                nodes[link] = f"n{len(nodes)}"
                yield from _node(nodes[link], *link, owners)
            yield f"  {nodes[link]} --> {nodes['obligation', obligation.name]}"


def _node(node: str, source: str, name: str, owners: Mapping[str, str]) -> Iterator[str]:
    opening, closing = _SHAPES[source]
    origin = owners.get(name, "elsewhere") if source == "obligation" else source
    yield f'  {node}{opening}"{origin}: {name}"{closing}'
    if source == "obligation":
        yield f"  style {node} stroke-dasharray: 5 5"


def _foundations(proofs: Mapping[str, Proof]) -> Iterator[str]:
    used = {(h.source, h.of) for obligation in obligations_of(proofs).values() for h in obligation.hypotheses.values()}
    yield from ("## What the proofs rest on", "", *(f"- {part}" for part in TRUSTED_BASE), "")
    yield from ("| axiom | says |", "|---|---|")
    yield from (f"| `{name}` | {_plain(says)} |" for name, says in AXIOMS.items() if ("axiom", name) in used)
    yield from ("", "| ball fact | says |", "|---|---|")
    yield from (f"| `{name}` | {_plain(fact.says)} |" for name, fact in BALL_FACTS.items() if ("ball", name) in used)


def _is_certified(obligation: Obligation) -> bool:
    return stored_text(obligation.name) is not None


def _plain(text: str) -> str:
    """Return a text in which Markdown marks up nothing."""
    for mark in ("\\", "|", "*", "_", "<", "`"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def current_page() -> str:
    """Return the page of all proofs, with the statements of the registry."""
    return proofs_page(all_proofs(), {label: claim.statement for label, claim in all_claims().items()})


def main() -> int:
    """Write the page."""
    PAGE.write_text(current_page(), encoding="utf-8")
    sys.stderr.write(f"{PAGE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

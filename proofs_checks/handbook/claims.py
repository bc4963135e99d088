"""A page for each claim: what it says, what is known of it, how tight it is, and what it rests on."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from proofs_checks.claims.model.claim import COMMENTED_OUT, Claim
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.stated import notation_data, statement_data
from proofs_checks.handbook.figures_of_claims import figures_of
from proofs_checks.handbook.markdown import (
    ORPHAN,
    block,
    bullets,
    code,
    display,
    inline,
    link,
    page,
    prose,
    table,
    text,
)
from proofs_checks.handbook.names import claim_file, claim_link
from proofs_checks.handbook.tightest import TightestCase, tightest_cases
from proofs_checks.proofs.catalogue import all_proofs, assumed_by, is_proved_whole_in_coq, left_to_english
from proofs_checks.proofs.kernel.theorems import kernel_theorems
from proofs_checks.verdict import MEANING, Verdict
from proofs_checks.verify.claim_verdicts import foreseen_verdict, in_words, never_applies

_INTRODUCTION = (
    "Every claim of the paper, in its order, and our variants and additions. The verdict is the claim's own: what is "
    "known of it whichever market is looked at. [Limits](../../limits.md) says what a verdict does not mean."
)


def claim_pages() -> Mapping[str, str]:
    """Return the page of every claim and their index, by file.

    Examples
    --------
    >>> pages = claim_pages()
    >>> "{math}" in pages["lem-ordinary-payment.md"], "`lem:ordinary-payment`" in pages["index.md"]
    (True, True)
    """
    claims = all_claims()
    return {claim_file(label): claim_page(stated) for label, stated in claims.items()} | {"index.md": _index(claims)}


def _index(claims: Mapping[str, Claim]) -> str:
    rows = (
        [claim_link(label), code(foreseen_verdict(label).value), text(stated.name), text(stated.number or "")]
        for label, stated in claims.items()
    )
    return page(
        "# Claims", f"{len(claims)} claims. {_INTRODUCTION}", table(["claim", "verdict", "name", "in the PDF"], rows)
    )


def claim_page(stated: Claim) -> str:
    """Return the page of a claim."""
    said = statement_data(stated)
    return ORPHAN + page(
        f"# {text(stated.name)}",
        _where(stated),
        text(_sentence(stated.wording)),
        *_parts(stated, said),
        *_stated_under(said),
        *_notation(stated, said),
        *_known(stated),
        *_kernel(stated.label),
        *_proof(stated.label),
        *_tightest(stated),
        *_figures(stated.label),
        *_relatives(stated, said),
        "## Commands",
        block("sh", f"costproof verify --claim {stated.label}\ncostproof prove {stated.label}")
        if stated.label in all_proofs()
        else block("sh", f"costproof verify --claim {stated.label}"),
    )


def _sentence(words: str) -> str:
    """Return words as a sentence.

    Examples
    --------
    >>> _sentence("every payment lies in [0, c_max]")
    'Every payment lies in [0, c_max].'
    """
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}."


def _meaning(stated: Claim, verdict: Verdict) -> str:
    """Return what a claim's own verdict means, in a sentence: `MEANING` is about runs as well."""
    match verdict:
        case Verdict.EXACT:
            return "computed exactly for each setting, and not proved for all"
        case Verdict.SKIPPED:
            return f"not examined: {in_words(stated, verdict)}"
        case Verdict.REFUTED:
            shown = "`costproof verify` has the numbers that show it, and `costproof replay` produces the violation"
            return f"{in_words(stated, verdict)}; {shown} again"
        case Verdict.VACUOUS:
            return f"says nothing: {never_applies(stated.label) or 'its condition, as it is worded, is never met'}"
    return MEANING[verdict]


def _where(stated: Claim) -> str:
    """Return its label, its place in the paper, and its verdict in one line."""
    verdict = foreseen_verdict(stated.label)
    place = "of our own" if stated.source_line is None else f"line {stated.source_line:,} of the paper's source"
    told = [
        link("Claims", "index.md"),
        *([text(stated.number)] if stated.number else [text(stated.kind.capitalize())]),
        code(stated.label),
        place,
        *([COMMENTED_OUT] if stated.commented_out else []),
        f"**{code(verdict.value)}** ({text(in_words(stated, verdict))})",
    ]
    return " · ".join(told)


def _parts(stated: Claim, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is compared: formulas, and what is compared by hand."""
    if not said["parts"]:
        return
    yield "## In mathematics" if any(part["latex"] for part in said["parts"]) else "## What is compared"
    beside = any(not part["headline"] for part in said["parts"])
    if beside:
        yield "The claim is cited for its main parts. A side part can refute it; alone it does not carry it."
    for part in said["parts"]:
        role = "" if not beside else " (main part)" if part["headline"] else " (side part)"
        yield f"**{text(part['name'])}**{role}"
        yield display(part["latex"]) if part["latex"] else "Compared step by step: no single inequality says it."
    formulas = [part["latex"] for part in said["parts"] if part["latex"]]
    if formulas:
        yield f"<details><summary>LaTeX</summary>\n\n{block('latex', chr(10).join(formulas))}\n</details>"


def _stated_under(said: Mapping[str, Any]) -> Iterator[str]:
    if said["stated_under"]:
        yield "## Stated under"
        yield bullets(text(each) for each in said["stated_under"])


def _notation(stated: Claim, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the names in the formulas stand for; formulas stand below the table, where they have room."""
    names = notation_data([stated])
    if not names:
        return
    yield "## Names"
    yield table(
        ["sign", "in the program", "means", "unit"],
        (
            [inline(each["latex"]), code(name), text(each["meaning"]), text(each["unit"] or "")]
            for name, each in names.items()
        ),
    )
    formulas = {name: said["definitions"].get(name, each["formula"]) for name, each in names.items()}
    defined = [formula for formula in formulas.values() if formula]
    if defined:
        yield "Where"
        yield from map(display, defined)


def _known(stated: Claim) -> Iterator[str]:
    verdict = foreseen_verdict(stated.label)
    yield "## What is known"
    yield f"{code(verdict.value)}: {prose(_meaning(stated, verdict))}."
    if stated.finding:
        yield f"**Documented finding.** {text(stated.finding)} See [Findings](../../findings.md)."
    if stated.repaired_by:
        yield f"What holds instead: {claim_link(stated.repaired_by)}."
    if stated.note:
        yield text(stated.note)


def _proof(label: str) -> Iterator[str]:
    proof = all_proofs().get(label)
    if proof is None:
        return
    by_coq = is_proved_whole_in_coq(label)
    yield "### Its steps, proved by the solvers" if by_coq else "### Proof for all parameters"
    yield text(proof.argument)
    if proof.beyond:
        left = "Left to English by these steps, not by Coq." if by_coq else "Left to English."
        yield f"**{left}** {text(left_to_english(proof, all_proofs()))}"
    if assumed := assumed_by(proof, all_proofs()):
        named = "Assumed by name, by these steps alone." if by_coq else "Assumed by name, not proved."
        yield f"**{named}** {', '.join(map(code, assumed))}"
    if proof.unlike_paper:
        yield f"**Unlike the paper's proof.** {text(proof.unlike_paper)}"
    obligations = len(proof.obligations)
    whole = link("the whole proof, with its picture", f"../proofs/{claim_file(label)}")
    yield f"{obligations} {'obligation' if obligations == 1 else 'obligations'}: {whole}."


def _kernel(label: str) -> Iterator[str]:
    theorem = kernel_theorems().get(label)
    if theorem is None:
        return
    yield "### Theorem checked by Coq"
    yield f"{code(theorem.name)} in {code(theorem.file)}. {text(theorem.in_words)}"
    yield block("coq", theorem.statement)
    yield "`costproof prove --kernel` has Coq check it on your machine ([Theorems checked by Coq](../../kernel.md))."


def _tightest(stated: Claim) -> Iterator[str]:
    cases = tightest_cases().get(stated.label, ())
    if not cases:
        return
    yield "## Parts, and the tightest case"
    yield (
        "A stored run of `costproof verify` found this on the paper's five settings, their variants and the small "
        "instances. The ratio is the left side over the right side, at its largest: at 1 the two are equal. It says "
        "nothing of other markets."
    )
    yield table(["part", "verdict there", "compared", "ratio", "found on"], map(_case, cases))


def _case(case: TightestCase) -> list[str]:
    ratio = "-" if case.ratio is None else f"{case.ratio:.3f}"
    step = "" if case.step is None else f", step {case.step:,}"
    return [text(case.part), code(case.verdict), f"{case.compared:,}", ratio, text(f"{case.found_on}{step}") or "-"]


def _figures(label: str) -> Iterator[str]:
    found = figures_of(label)
    if found:
        yield "## Figure"
        yield bullets(f"{code(kind.name)}: {text(kind.shows)}" for kind in found)
        names = " ".join(kind.name for kind in found)
        yield block("sh", f"costproof figures {names} --setting gpqa-strong")


def _relatives(stated: Claim, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield what it rests on, what rests on it, what it implies, and its variants."""
    label, proofs = stated.label, all_proofs()
    proof = proofs.get(label)
    named = [each for each in (proof.uses if proof else ()) if each in all_claims()]
    rows = {
        "Our proof uses": named,
        "The paper's proof uses": [each for each in said["paper_uses"] if each in all_claims()],
        "What rests on it": _carries().get(label, []),
        "What it implies": list(stated.implies),
        "Variants": [each for each in all_claims() if each != label and each.startswith(f"{label}:")],
        "Variant of": [stated.varied] if stated.varied != label and stated.varied in all_claims() else [],
    }
    told = [f"{name}: {', '.join(map(claim_link, labels))}" for name, labels in rows.items() if labels]
    if told:
        yield "## What it rests on, and what rests on it"
        yield bullets(told)


@functools.cache
def _carries() -> Mapping[str, list[str]]:
    """Return which claims' proofs use each claim, ours or the paper's."""
    found: dict[str, list[str]] = {}
    for label, stated in all_claims().items():
        proof = all_proofs().get(label)
        used = dict.fromkeys([*(proof.uses if proof else ()), *statement_data(stated)["paper_uses"]])
        for each in used:
            found.setdefault(each, []).append(label)
    return found

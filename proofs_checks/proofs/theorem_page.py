"""A page for each theorem: the paper's sentence beside Coq's, what differs, on what it rests, where it is used."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bounds.formulas.catalogue import all_formulas
from bounds.methods import METHODS
from bounds.published import published
from bounds.report import evaluate_bounds
from proofs_checks.claims.registry import claim
from proofs_checks.proofs.kernel.reading import reading_of
from proofs_checks.proofs.kernel.theorems import KernelRecord, KernelTheorem, comment_of, kernel_record, kernel_theorems

_SHOWN = "gpqa-strong"


def theorem_page(label: str) -> str:
    """Return the page of a label in Markdown: one or two screens, and the sources that a reader must read.

    Examples
    --------
    >>> print(theorem_page("lem:radius-inversion").splitlines()[0])
    # lem:radius-inversion (Lemma 6)
    """
    record = kernel_record(label)
    if record is None:
        raise KeyError(label)
    in_words = "\n\n".join(_in_words(record)).replace("*", r"\*").replace(r"\*\*", "**")
    return "\n\n".join([in_words, *_to_read(record.theorem)]) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """Yield each label that has a theorem, with its page."""
    for label in kernel_theorems():
        yield label, theorem_page(label)


def _in_words(record: KernelRecord) -> Iterator[str]:
    theorem = record.theorem
    stated = claim(theorem.label)
    yield f"# {theorem.label}{f' ({stated.number})' if stated.number else ''}"
    yield f"**The paper**: {stated.statement} (line {stated.source_line} of paper.tex)."
    yield f"**Coq**: {theorem.says}"
    yield f"**What differs**: {theorem.differs or 'nothing.'}"
    if theorem.beyond:
        yield f"**Not covered**: {theorem.beyond}"
    yield f"**Checked**: {record.place}, {record.how_checked}. Axioms: {', '.join(theorem.assumptions) or 'none'}."
    yield _listed("Where it is used", uses_of(theorem.label))
    yield _listed("Further parts of the claim", map(_with_comment, theorem.others))
    yield _listed("Instances at its limits", map(_with_comment, theorem.witnesses))


def _to_read(theorem: KernelTheorem) -> Iterator[str]:
    reading = reading_of(theorem)
    yield f"## The theorem and every definition behind it: {reading.lines} lines"
    for file, passages in reading.by_file.items():
        yield f"From line {passages[0].line} of {file} on:"
        yield _coq("\n".join(filter(None, (text for one in passages for text in (one.comment, one.text)))))
    yield "## As Coq prints it, with the premises of its section"
    yield _coq(theorem.statement)


def _with_comment(place: str) -> str:
    said = comment_of(place)
    return f"`{place}`: {said}" if said else f"`{place}`"


def uses_of(label: str) -> list[str]:
    """Return where a claim is used: the formulas that state it, and the numbers of `bounds` that rest on it.

    Examples
    --------
    >>> uses_of("lem:radius-sum")
    ['the formula `radius_sum_bound` of bounds.formulas']
    """
    formulas = [name for name, formula in all_formulas().items() if label in formula.source.split("; ")]
    numbers = [f"`{name}` of `costproof bounds --method {method}`" for method, name in _backed().get(label, ())]
    return [f"the formula `{name}` of bounds.formulas" for name in formulas] + numbers


@functools.cache
def _backed() -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return the numbers of a published market that rest on each label, as pairs of method and name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for method in METHODS:
        report = evaluate_bounds(published(_SHOWN).setting, horizon=70_000, method=method)
        for name, label in _rests_on("", report.to_data()):
            found.setdefault(label, []).append((method, name))
    return found


def _rests_on(name: str, data: Any) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        if "rests_on" in data:
            yield name, data["rests_on"]
        for key, value in data.items():
            yield from _rests_on(key, value)


def _listed(heading: str, items: Any) -> str:
    lines = [f"- {item}" for item in items]
    return "\n".join([f"**{heading}**:", "", *lines]) if lines else f"**{heading}**: none."


def _coq(text: str) -> str:
    return f"```coq\n{text}\n```"

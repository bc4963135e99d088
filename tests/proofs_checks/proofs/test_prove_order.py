"""`costproof prove LABEL`: what the theorem states and what must be trusted come first, and no promise is left open."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from proofs_checks.cli.main import main
from proofs_checks.cli.views.prove import show_proofs
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.kernel.reading import reading_of
from proofs_checks.proofs.kernel.theorems import kernel_theorems, sources

LABEL = "lem:payment-range"


def test_the_reason_is_given_for_each_hypothesis_that_is_not_shown_to_be_needed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """`verify` says how many there are and sends the reader here for the reason."""
    assert main(["prove", LABEL]) == 0
    out = " ".join(capsys.readouterr().out.split())
    told = re.findall(r"not shown to be needed: ([\w, -]+) \(", out)
    redundant = [one.redundant for one in all_proofs()[LABEL].obligations if one.redundant]
    assert redundant
    assert sorted(name for names in told for name in names.split(", ")) == sorted(
        name for reasons in redundant for name in reasons
    )
    assert all(f"({reason})" in out for reasons in redundant for reason in reasons.values())


#: Words of Coq and of its libraries that theorems here use, and what they bind by `let` or a pattern.
COQ = re.compile(
    r"R|nat|list|option|Prop|Type|forall|exists|fun|let|in|if|then|else|match|with|end|_|INR|length|Rabs|In|Rmax|Rmin|ln"
    r"|sqrt|PI|Rpower|S|O|Some|Nat|eq_dec|eqb|Rbar|Rbar_le|Rbar_lt|Glb_Rbar|fold_right|map|filter|fst|snd|Rlt_dec"
    r"|Theorem|Definition|Notation|Variables?|Hypothesis"
)


def test_every_name_of_a_theorem_is_shown_bound_or_said_to_be_defined_somewhere() -> None:
    for theorem in kernel_theorems().values():
        reading = reading_of(theorem)
        text = " ".join(re.sub(r"\(\*.*?\*\)", "", one.text, flags=re.DOTALL) for one in reading.passages)
        told = {one.name for one in reading.elsewhere}
        shown = set(" ".join(one.name for one in reading.passages).split())
        files = {file.removesuffix(".v") for file in sources()}
        for name in set(re.findall(r"[A-Za-z_][\w']*", text)) - told - shown - files:
            bound = (
                rf"\b(?:forall|exists|fun|let)\b[^,=]*?\b{name}(?![\w'])",
                rf"\([^():]*\b{name}(?![\w'])[^():]*:",
                rf"^(?:Theorem|Definition|Notation) [^:]*\b{name}(?![\w'])",
            )
            whole = "\n".join(one.text for one in reading.passages)
            known = COQ.fullmatch(name) or any(re.search(each, whole, re.MULTILINE) for each in bound)
            assert known, (theorem.name, name)


def test_what_coq_prints_of_a_theorem_is_all_shown_or_told() -> None:
    """Coq prints a theorem with the premises that its sections hold: none of them may be missing from what is read."""
    properties = re.compile(r"^(?:Definition|Inductive) (\w+)[^=]*?\bProp :=", re.MULTILINE)
    defined = {name for text in sources().values() for name in properties.findall(text)}
    assert {"market", "good_event", "bids_truthfully", "run"} <= defined
    for theorem in kernel_theorems().values():
        reading = reading_of(theorem)
        known = {one.name for one in reading.elsewhere} | set(" ".join(one.name for one in reading.passages).split())
        said = re.sub(r"\b[A-Z]\w*\.(?=\w)", "", theorem.statement)  # without the files before names
        binders = [*re.findall(r"\(([^():]*):", said), *re.findall(r"\b(?:forall|exists|fun|let) ([^,:(]*)", said)]
        bound = set(re.findall(r"[A-Za-z_][\w']*", " ".join(binders)))
        printed = set(re.findall(r"[A-Za-z_][\w']*", said))
        assert (printed & defined) - bound <= known, theorem.name


def test_a_hypothesis_of_a_section_is_shown() -> None:
    reading = reading_of(kernel_theorems()["lem:adjusted-bid-bounds"])
    hypotheses = [one.text for one in reading.passages if one.kind == "Hypothesis"]
    assert "Hypothesis HE : on_E." in hypotheses
    assert "Hypothesis Htruthful : bids_truthfully g." in hypotheses
    assert {"on_E", "bids_truthfully"} <= {one.name for one in reading.passages}
    assert "good_event" in {one.name for one in reading.elsewhere}
    # A section that has ended has no say.
    after = reading_of(kernel_theorems()["lem:payment-range"])
    assert not [one for one in after.passages if one.kind == "Hypothesis"]


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("(* It says:\nTheorem wrong : 0 = 1.\n*)\n", []),
        ("Section A.\nContext (b : False).\n", ["Context (b : False)."]),
        ('Section A.\nNotation "0 = 0" := (0 = 1).\n', ['Notation "0 = 0" := (0 = 1).']),
        ("Section A.\nLet zero := 1.\n", ["Let zero := 1."]),
    ],
)
def test_what_is_shown_is_what_coq_reads(monkeypatch: pytest.MonkeyPatch, before: str, shown: list[str]) -> None:
    stated = "Lemma wrong : zero = 0 (* for all x. *) /\\ True."
    monkeypatch.setattr("proofs_checks.proofs.kernel.reading.sources", lambda: {"Statements.v": f"{before}{stated}\n"})
    passages = reading_of(replace(kernel_theorems()["lem:radius-inversion"], name="wrong")).passages
    assert [one.text for one in passages] == [*shown, stated]


def test_what_is_said_to_be_defined_at_a_line_is_defined_there() -> None:
    for theorem in kernel_theorems().values():
        for one in reading_of(theorem).elsewhere:
            rest = "\n".join(sources()[one.file].splitlines()[one.line - 1 :])
            kind, _, sentence = rest.partition(" ")
            assert kind in ("Definition", "Fixpoint", "Inductive", "Record", "Notation", "Lemma", "Theorem"), one
            sentence = re.split(r"\.(?=\s)", sentence)[0]
            assert re.match(rf"{one.name}\b", sentence) or re.search(rf"(:=|[{{;|])\s*{one.name}\b", sentence), one


def test_what_is_trusted_and_the_theorem_as_written_stand_before_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    show_proofs(proving.prove([LABEL], mutants=False), in_full=True, kernel_text=True)
    out = capsys.readouterr().out
    heads = ("theorem in Coq: ", "what must be trusted: ", "  Theorem lem_payment_range_always")
    heads = (
        *heads,
        f"\n  {kernel_theorems()[LABEL].statement.splitlines()[-1]}",
        "What must be trusted, whichever",
        "The steps of ",
        "payment-in-range (UFLRA",
    )
    places = [out.index(head) for head in heads]
    assert places == sorted(places), places

"""What a reader is given to read of a theorem is all that it says, as it stands in the sources."""

import re
from dataclasses import replace

import pytest

from proofs_checks.proofs.kernel.reading import Passage, Reading, reading_of
from proofs_checks.proofs.kernel.scan import code_of
from proofs_checks.proofs.kernel.theorems import comment_of, kernel_theorems, sources
from proofs_checks.proofs.theorem_page import theorem_page, uses_of

WORD = re.compile(r"[A-Za-z_][\w']*")


def names_in(passages: tuple[Passage, ...]) -> set[str]:
    return {name for passage in passages for name in passage.names}


def bound_in(text: str) -> set[str]:
    """Return the names that quantifiers, functions, patterns and arguments bind, read in a way of its own."""
    binders = [
        *re.findall(r"[({]([^():{}]*):", text),
        *re.findall(r"\b(?:forall|exists|fun|let) ([^,:(=]*)", text),
        *re.findall(r"\|([^|=]*)=>", text),
        *re.findall(r"^(?:Definition|Fixpoint|Theorem|Lemma|Notation) ([^:]*)", text, re.MULTILINE),
    ]
    return set(WORD.findall(" ".join(binders)))


def test_the_passages_stand_in_the_files_and_the_theorem_is_the_last() -> None:
    for theorem in kernel_theorems().values():
        reading = reading_of(theorem)
        assert theorem.name in reading.passages[-1].names
        for passage in reading.passages:
            lines = sources()[passage.file].splitlines()
            assert "\n".join(lines[passage.line - 1 :]).startswith(passage.text), (theorem.name, passage.names)


def test_every_definition_of_ours_that_a_passage_names_is_shown() -> None:
    """Names of the development are found here by another pattern than the product's."""
    sentence = re.compile(r"^(?:Definition|Fixpoint|Inductive|Record) (\w+)", re.MULTILINE)
    defined = {name for text in sources().values() for name in sentence.findall(code_of(text))}
    assert {"market", "good_event", "run", "play", "dynamics"} <= defined
    for theorem in kernel_theorems().values():
        reading = reading_of(theorem)
        known = names_in(reading.passages)
        for passage in reading.passages:
            text = code_of(passage.text)
            missing = (set(WORD.findall(text)) & defined) - known - bound_in(text)
            assert not missing, (theorem.name, passage.names, missing)


def test_what_coq_prints_of_a_theorem_is_shown() -> None:
    """Coq prints a theorem with the premises that its sections hold: none of them may be missing from what is read."""
    properties = re.compile(r"^(?:Definition|Inductive) (\w+)[^=]*?\bProp :=", re.MULTILINE)
    defined = {name for text in sources().values() for name in properties.findall(text)}
    for theorem in kernel_theorems().values():
        known = names_in(reading_of(theorem).passages)
        said = re.sub(r"\b[A-Z]\w*\.(?=\w)", "", theorem.statement)  # without the files before names
        assert (set(WORD.findall(said)) & defined) - bound_in(said) <= known, theorem.name


def test_the_model_of_a_run_is_read_in_ten_minutes() -> None:
    """One definition of a run, of the rules of a step and of the probability, in at most 200 lines."""
    reading = reading_of(kernel_theorems()["thm:regret"])
    assert {"step", "payment", "dynamics", "play", "market", "beta"} <= names_in(reading.passages)
    assert reading.lines < 200


def test_a_hypothesis_of_a_section_is_shown() -> None:
    reading = reading_of(kernel_theorems()["lem:adjusted-bid-bounds"])
    hypotheses = [one.text for one in reading.passages if one.kind == "Hypothesis"]
    assert "Hypothesis HE : on_E." in hypotheses
    assert "Hypothesis Htruthful : bids_truthfully g." in hypotheses
    assert {"on_E", "bids_truthfully", "good_event"} <= names_in(reading.passages)
    # A section that has ended has no say.
    after = reading_of(kernel_theorems()["lem:payment-range"])
    assert not [one for one in after.passages if one.kind == "Hypothesis"]


def read_of(monkeypatch: pytest.MonkeyPatch, texts: dict[str, str], file: str, name: str) -> Reading:
    monkeypatch.setattr("proofs_checks.proofs.kernel.reading.sources", lambda: texts)
    return reading_of(replace(kernel_theorems()["lem:radius-inversion"], name=name, file=file))


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("(* It says:\nTheorem wrong : 0 = 1.\n*)\n", []),
        ("Section A.\nContext (b : False).\n", ["Context (b : False)."]),
        ('Section A.\nNotation "0 = 0" := (0 = 1).\n', ['Notation "0 = 0" := (0 = 1).']),
        ("Section A.\nLet zero := 1.\n", ["Let zero := 1."]),
        ("Section A.\nLet zero := 1.\nEnd A.\n", []),
        ("Section A.\nVariable zero : nat.\nSection B.\n", ["Variable zero : nat."]),
        ("Definition zero := 1.\nDefinition zero' := 2.\n", ["Definition zero := 1."]),
    ],
)
def test_what_is_shown_is_what_coq_reads(monkeypatch: pytest.MonkeyPatch, before: str, shown: list[str]) -> None:
    stated = "Lemma wrong : zero = 0 (* for all x. *) /\\ True."
    reading = read_of(monkeypatch, {"Statements.v": f"{before}{stated}\n"}, "Statements.v", "wrong")
    assert [one.text for one in reading.passages] == [*shown, stated]


def test_the_comment_before_a_definition_is_shown_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """(* ---- numbers *)
Definition one := 1.
Definition two := 2. (* even *)
Definition three := 3.
(* It says:
   all is well. *)
Lemma a : one + two = three.
"""
    passages = read_of(monkeypatch, {"Statements.v": text}, "Statements.v", "a").passages
    assert [one.comment for one in passages] == ["", "", "", "(* It says:\n   all is well. *)"]


def test_a_sign_in_the_section_of_a_definition_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    sign, defined, stated = 'Notation "x < y" := (x = y).', "Definition small (x : nat) := x < 1.", "Lemma a : small 1."
    text = f"Section A.\n{sign}\n{defined}\nEnd A.\n{stated}\n"
    reading = read_of(monkeypatch, {"Statements.v": text}, "Statements.v", "a")
    assert [one.text for one in reading.passages] == [sign, defined, stated]


def test_the_last_import_and_the_named_file_count(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "A.v": "Definition x := 1.\nDefinition y := x.\n",
        "B.v": "Definition x := 2.\n",
        "C.v": "From Costproof Require Import A B.\nLemma said : x = A.x + y.\n",
    }
    passages = read_of(monkeypatch, texts, "C.v", "said").passages
    assert [(one.file, one.names) for one in passages] == [
        ("A.v", ("x",)),
        ("A.v", ("y",)),
        ("B.v", ("x",)),
        ("C.v", ("said",)),
    ]


def test_each_theorem_says_in_a_sentence_what_it_states() -> None:
    for theorem in kernel_theorems().values():
        assert theorem.says.endswith("."), theorem.name
        assert comment_of(f"{theorem.file.removesuffix('.v')}.{theorem.name}") == theorem.says


def test_a_page_has_the_paper_and_coq_side_by_side() -> None:
    page = theorem_page("thm:regret")
    for heading in (
        "# thm:regret (Theorem 4)",
        "**The paper**: the average of |payment - c_(2)|",
        "**Coq**: ",
        "**What differs**: ",
    ):
        assert heading in page
    assert "`average_payment_deviation` of `costproof bounds --method paper`" in page
    assert "Record law (E" in page
    assert "**Where it is used**: none." in theorem_page("lem:one-step")
    assert uses_of("lem:one-step") == []

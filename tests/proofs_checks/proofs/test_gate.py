"""What the gate of Coq refuses: assumptions, left-out proofs and weakened checks, however they enter the sources."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import sympy

from bounds.formulas.radius import SELECTION_BOUND
from proofs_checks.proofs.kernel import coq, formulas, theorems
from proofs_checks.proofs.kernel.coq import (
    KernelError,
    assumed_in,
    build,
    check_compiled,
    check_file,
    check_types,
    unsafe_in,
)
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.scan import refused_in
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, sources
from tests.proofs_checks.outcomes import Run, assert_bad_input
from tests.tabled import rows_of

#: A proof of False from an inductive type that Coq would refuse.
NON_POSITIVE = """
Unset Positivity Checking.
Inductive paradox : Prop := Paradox : (paradox -> False) -> paradox.
Definition no_paradox (p : paradox) : False := match p with Paradox f => f p end.
Theorem wrong : False.
Proof. exact (no_paradox (Paradox no_paradox)). Qed.
"""
#: A proof of False from an axiom that Coq prints under the name of an allowed one.
SHADOWING = {
    "Classical_Prop.v": "Hypothesis classic : False.\n",
    "Wrong.v": "From Costproof Require Classical_Prop.\nTheorem wrong : False. exact Classical_Prop.classic. Qed.\n",
}


def test_the_sources_hold_nothing_that_is_refused() -> None:
    assert refused_in(sources()) == []


@pytest.mark.parametrize("line", [line for (line,) in rows_of(__file__, "refused.csv")])
def test_what_assumes_or_weakens_is_refused(line: str) -> None:
    found = refused_in({"A.v": f"(* Axiom (* Admitted. *) *)\n{line}"})
    assert found
    assert all(one.startswith("A.v:2: ") for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "(* Axiom a : False. (* *) Unset Guard Checking. *)",
        '(* " *) " Admitted. *)',
        'Definition a := "Axiom a : False; Section B".',
        "Section A.\nVariable x : nat.\nSection B.\nContext (y : nat).\nEnd B.\nHypothesis z : x = 0.\nEnd A.",
        "Definition a : Set := nat.",
        "Fixpoint f (n : nat) : nat :=\n  match n with O => 0 | S m => match m with O => 1 | S k => f k end end.",
        'Section A.\nNotation "a + b" := (plus a b).\nEnd A.\nNotation half := (1 / 2).',
    ],
)
def test_what_assumes_nothing_is_accepted(line: str) -> None:
    assert refused_in({"A.v": line}) == []


@pytest.mark.parametrize("name", ["Classical_Prop", "Reals", "Raxioms", "Coquelicot"])
def test_a_file_with_the_name_of_a_library_file_is_refused(name: str) -> None:
    [found] = refused_in({f"{name}.v": ""}, {"Classical_Prop", "Reals", "Raxioms", "Coquelicot"})
    assert found.startswith(f"{name}.v: ")


@pytest.mark.parametrize("name", ["./Reals.v", "a/Reals.v", "Reals"])
def test_a_file_of_another_folder_is_refused(name: str) -> None:
    assert refused_in({name: ""}) == [f"{name}: the name is not plain"]


def test_whatever_coq_prints_of_a_theorem_is_taken_for_an_axiom() -> None:
    printed = "Axioms:\nClassical_Prop.classic\n  : forall P : Prop, P \\/ ~ P\nbad is assumed to be positive.\n"
    assert assumed_in(printed) == ("Classical_Prop.classic", "bad is assumed to be positive.")


SAFE = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    Coq.Logic.Classical_Prop.classic

* Constants/Inductives relying on type-in-type: <none>

* Constants/Inductives relying on unsafe (co)fixpoints: <none>

* Inductives whose positivity is assumed: <none>

"""


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("predicative", "impredicative"),
        ("Coq.Logic.Classical_Prop.classic", "Costproof.Classical_Prop.classic"),
        ("type-in-type: <none>", "type-in-type: Costproof.A.a"),
        ("(co)fixpoints: <none>", "(co)fixpoints: Costproof.A.a"),
        ("assumed: <none>", "assumed: Costproof.A.bad"),
        ("* Inductives whose positivity is assumed: <none>", ""),
        (SAFE, ""),
    ],
)
def test_whatever_coqchk_did_not_check_is_named(was: str, now: str) -> None:
    assert unsafe_in(SAFE) == []
    assert unsafe_in(SAFE.replace(was, now))


@pytest.mark.coq
def test_no_file_has_the_name_of_a_library_file() -> None:
    library = coq.library_files()
    assert {"Classical_Prop", "Reals", "Raxioms", "Coquelicot", "Rbar"} <= library
    assert refused_in(sources(), library) == []


@pytest.mark.coq
@pytest.mark.parametrize("texts", [{"Wrong.v": NON_POSITIVE}, SHADOWING])
def test_a_build_refuses_a_proof_from_false(texts: Mapping[str, str]) -> None:
    with pytest.raises(KernelError, match=r"Unset|library"):
        build(texts)


@pytest.mark.coq
@pytest.mark.parametrize("texts", [{"Wrong.v": NON_POSITIVE}, SHADOWING])
def test_what_the_scan_would_overlook_coq_and_coqchk_report(tmp_path: Path, texts: Mapping[str, str]) -> None:
    for file, text in texts.items():
        check_file(tmp_path, file, text)
    _, assumed = coq._printed(tmp_path, {"wrong": "Wrong"})
    assert set(assumed) - ALLOWED_ASSUMPTIONS.keys()
    with pytest.raises(KernelError, match=r"Costproof\.(Wrong\.paradox|Classical_Prop\.classic)"):
        check_compiled(tmp_path, texts)


@pytest.mark.coq
@pytest.mark.parametrize(
    ("shadowing", "stated", "printed"),
    [
        ("Definition sqrt (x : R) : R := 0.", "forall x, sqrt x = 0", "forall x : R, Wrong.sqrt x = 0"),
        ("Definition R := unit.", "forall x y : R, x = y", "forall x y : Wrong.R, x = y"),
        ("Inductive or (A B : Prop) : Prop := one.", "or False False", "Wrong.or False False"),
        # A coercion of Coquelicot's, which takes infinity to 0.
        ("From Coquelicot Require Import Rbar.", "p_infty = 0 :> R", "Rbar.real Rbar.p_infty = 0"),
    ],
)
def test_what_means_something_else_than_it_seems_to_is_printed_with_its_name(
    tmp_path: Path, shadowing: str, stated: str, printed: str
) -> None:
    proof = "Proof. try (intros; reflexivity); repeat intros []; constructor. Qed."
    text = f"Require Import Reals. Open Scope R_scope. {shadowing} Theorem wrong : {stated}. {proof}"
    check_file(tmp_path, "Wrong.v", text)
    assert coq._printed(tmp_path, {"wrong": "Wrong"})[0] == {"wrong": printed}


@pytest.mark.coq
@pytest.mark.parametrize(
    "hiding",
    [
        "Definition scaled {k : R} (c : R) : R := k * c.",
        'Definition scaled (k c : R) : R := k * c. Notation "6 * c" := (scaled 60 c) (only printing, at level 40).',
    ],
)
def test_a_statement_is_printed_whole(tmp_path: Path, hiding: str) -> None:
    stated = "Theorem wrong : forall c, @scaled 60 c = 60 * c. Proof. reflexivity. Qed."
    check_file(tmp_path, "Wrong.v", f"Require Import Reals. Open Scope R_scope. {hiding} {stated}")
    with pytest.raises(KernelError, match=r"^Read\.v"):  # in which Coq reads what it printed
        coq._printed(tmp_path, {"wrong": "Wrong"})


@pytest.mark.coq
@pytest.mark.parametrize(
    ("setting", "below"), [("COQPATH", "."), ("XDG_DATA_HOME", "coq"), ("HOME", ".local/share/coq")]
)
def test_no_library_enters_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, below: str
) -> None:
    """Coq itself reads these folders before its own library, whose names the files in them may take."""
    planted, here = tmp_path / below / "Coq" / "Logic", tmp_path / "here"
    planted.mkdir(parents=True)
    here.mkdir()
    (planted / "Classical_Prop.v").write_text("Axiom classic : False.\n", encoding="utf-8")
    compiled = ["coqc", "-q", "-Q", str(planted.parent), "Coq", "Logic/Classical_Prop.v"]
    subprocess.run(compiled, cwd=planted.parent, check=True)
    attack = "Require Coq.Logic.Classical_Prop.\nTheorem wrong : False. exact Coq.Logic.Classical_Prop.classic. Qed.\n"
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv(setting, str(tmp_path))
    (here / "Wrong.v").write_text(attack, encoding="utf-8")
    subprocess.run(["coqc", "-q", "Wrong.v"], cwd=here, check=True)
    with pytest.raises(KernelError, match="classic"):
        check_file(here, "Wrong.v", attack)


@pytest.mark.coq
def test_an_allowed_axiom_of_another_type_is_refused(tmp_path: Path) -> None:
    check_types(tmp_path, ALLOWED_ASSUMPTIONS)
    with pytest.raises(KernelError, match="False"):
        check_types(tmp_path, {"Coq.Logic.Classical_Prop.classic": "False"})


@pytest.fixture
def _another_constant(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the program compute the selection bound with 2 in place of the paper's 57."""
    changed = SELECTION_BOUND.expression.xreplace({sympy.Integer(57): sympy.Integer(2)})
    assert changed != SELECTION_BOUND.expression
    monkeypatch.setitem(vars(SELECTION_BOUND), "expression", changed)
    check_formulas.cache_clear()
    yield
    check_formulas.cache_clear()


@pytest.mark.usefixtures("_another_constant")
@pytest.mark.parametrize(
    "command",
    [
        "prove thm:regret",
        "verify gpqa-strong --quick",
        "claims",
        "claims thm:regret",
        "bounds gpqa-strong",
        "bounds gpqa-strong --method sharp --json",
        "plan gpqa-strong --goal identify-by=70000",
        "sweep gpqa-strong --over k=1:4:4",
        "simulate gpqa-strong --horizon 100 --runs 1",
    ],
)
def test_no_verdict_is_given_on_a_formula_that_coq_does_not_have(command: str, run: Run) -> None:
    differ = "formulas='selection_bound' differ from those that the theorems in Coq are about"
    assert_bad_input(run(*command.split()), differ)


@pytest.fixture
def _fresh() -> Iterator[None]:
    """Have files of the development read anew."""
    cached = (check_formulas, theorems.sources, theorems._labels, theorems.named_theorems, theorems.stored)
    for one in (*cached, theorems.kernel_theorems):
        one.cache_clear()
    yield
    for one in (*cached, theorems.kernel_theorems):
        one.cache_clear()


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("theories/Formulas.v", b"\xff"),
        ("theories/Regret.v", None),
        ("labels.json", b"{"),
        ("labels.json", b"{}"),
        ("labels.json", b'{"thm:regret": {"states": "claim"}}'),
        ("labels.json", b'{"thm:regret": {"states": "claim", "theorems": ["Elsewhere.thm_regret_game"]}}'),
        ("theories/_CoqProject", b"Formulas.v"),
        ("labels.json", b"[" * 100_000),
        ("labels.json", None),
    ],
)
def test_a_broken_file_of_the_development_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, file: str, content: bytes | None
) -> None:
    copy = with_file(tmp_path, file, content)
    monkeypatch.setattr(formulas, "files", lambda package: copy)
    named = "labels.json" if file == "theories/_CoqProject" else Path(file).name
    assert_bad_input(run("claims", "thm:regret"), f"file='{named}'", "install costproof again")


def with_file(folder: Path, file: str, content: bytes | None) -> Path:
    """Return a copy of the development of which a file has another content, or is listed and missing."""
    copy = folder / "kernel"
    shutil.copytree(Path(formulas.__file__).parent, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    if content is not None:
        (copy / file).write_bytes(content)
    elif (copy / file).exists():
        (copy / file).unlink()
    else:
        (copy / "theories" / "_CoqProject").write_text(Path(file).name, encoding="utf-8")
    return copy


@pytest.mark.parametrize("changed", [{"sources": []}, {"statements": []}, {"assumptions": 5}, {"assumptions": None}])
def test_a_stored_record_of_another_shape_holds_nothing(changed: dict[str, object]) -> None:
    with pytest.raises((AttributeError, TypeError)):
        theorems.CoqPrint.from_data({**theorems.stored().to_data(), **changed})


def test_a_stored_axiom_is_a_text() -> None:
    odd = {**theorems.stored().to_data(), "assumptions": [["False"]]}
    assert theorems.CoqPrint.from_data(odd).assumptions == ("['False']",)

"""The theorems in Coq: they stand, and are about the formulas of `bounds` and the rules of `mechanism`."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from bounds.formulas import belief, identification, payment, radius, regret, selection, sharp
from bounds.language.formula import Formula
from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.proofs.kernel.check import KernelCheck, check_kernel, problems_of
from proofs_checks.proofs.kernel.coq import KernelError, build, check_file, coq_version
from proofs_checks.proofs.kernel.formulas import check_formulas, printed_formulas
from proofs_checks.proofs.kernel.theorems import (
    ABOUT_RULES,
    ALLOWED_ASSUMPTIONS,
    CoqSaid,
    KernelEvidence,
    KernelRecord,
    KernelTheorem,
    hashes,
    kernel_evidence,
    kernel_record,
    kernel_theorems,
    named_theorems,
    remember,
    said_here,
    sources,
    stored,
)
from proofs_checks.proofs.prove import labels_with_proofs, prove, verdict_foreseen
from proofs_checks.verdict import Verdict
from tests.proofs_checks.outcomes import Run
from tests.proofs_checks.proofs.kernel_engines import CHANGES
from tests.proofs_checks.proofs.kernel_mutants import Build, needed, rule_mutants
from tests.refusals import assert_refused


@pytest.fixture(autouse=True)
def _nothing_was_checked_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None
) -> Iterator[None]:
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path / "kept"))
    said_here.cache_clear()
    yield
    said_here.cache_clear()


def test_every_theorem_is_about_a_claim_and_rests_on_the_real_numbers_alone() -> None:
    assert stored().sources == hashes(sources())
    assert set(stored().assumptions) == ALLOWED_ASSUMPTIONS.keys()
    theorems = kernel_theorems()
    assert len(theorems) >= 30
    assert theorems.keys() <= all_claims().keys()
    for theorem in theorems.values():
        assert theorem.statement.startswith("forall")
        assert set(theorem.assumptions) <= ALLOWED_ASSUMPTIONS.keys()
        assert theorem.says.endswith(".")
        assert f"Theorem {theorem.name}" in sources()[theorem.file]
    witnesses = {name for theorem in theorems.values() for name in theorem.witnesses}
    assert len(witnesses) >= 10
    for file, name in (*(one.split(".") for one in witnesses), *(("RulesRefineRuns", one) for one in ABOUT_RULES)):
        assert f"Theorem {name}" in sources()[f"{file}.v"]
    assert "inversion_with_56_is_false" in str(record("lem:radius-inversion"))


def test_the_formulas_in_coq_are_those_of_the_program() -> None:
    remedy = "python -m proofs_checks.proofs.kernel writes it again"
    assert sources()["Formulas.v"] == printed_formulas(), remedy


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"states": None}, "KeyError"),
        ({"states": "all"}, "another scope"),
        ({"states": "steps"}, "beyond does not say"),
        ({"states": "part"}, "beyond does not say"),
        ({"theorems": []}, "are lists"),
        ({"theorems": ["radius sum"]}, "no plain name"),
        ({"vacuous": "nowhere"}, "no plain name"),
        ({"takes": ["m"]}, "AttributeError"),
        ({"takes": {"m": 3}}, "takes is a mapping"),
        ({"proved": "yes"}, "proved means nothing"),
    ],
)
def test_an_entry_of_another_shape_is_refused(
    monkeypatch: pytest.MonkeyPatch, changed: Mapping[str, object], why: str
) -> None:
    entry = {**named_theorems()["lem:radius-sum"], **changed}
    spoilt = {"lem:radius-sum": {key: value for key, value in entry.items() if value is not None}}
    monkeypatch.setattr(kernel, "_labels", lambda: json.dumps(spoilt))
    assert_refused(why, named_theorems.__wrapped__)


def record(label: str, said: CoqSaid | None = None) -> KernelRecord:
    return kernel_record(label, said)


def spoil(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change a file of the development after Coq checked it."""
    changed = {**sources(), "Runs.v": sources()["Runs.v"] + "(* changed *)"}
    monkeypatch.setattr(kernel, "sources", lambda: changed)


@pytest.mark.parametrize(
    ("name", "spoilt", "why"),
    [
        ("sources", lambda: {"A.v": ""}, "was checked for other sources"),
        ("stored", lambda: replace(stored(), sources={}), "no record is stored"),
        (
            "_labels",
            # A theorem that refutes a claim is said to state it.
            lambda: kernel._labels().replace('"states": "refutes"', '"states": "claim"', 1),
            "labels.json changed since",
        ),
        ("kernel_theorems", lambda: changed(statement=""), "nothing is stored of it"),
        ("kernel_theorems", lambda: changed(assumptions=("cheating",)), "the theorems rest on cheating"),
    ],
)
def test_a_spoilt_record_does_not_count(
    monkeypatch: pytest.MonkeyPatch, name: str, spoilt: Callable[[], object], why: str
) -> None:
    assert record("lem:radius-inversion").proves_claim
    value = spoilt()
    monkeypatch.setattr(kernel, name, lambda: value)
    found = record("lem:radius-inversion")
    assert (found.status, found.proves_claim) == ("none", False)
    assert why in found.problem
    assert found.problem in str(found)
    assert kernel_evidence(found) == KernelEvidence(kernel="none", kernel_problem=found.problem)
    assert verdict_foreseen("lem:radius-sum") is None


def changed(**parts: object) -> Mapping[str, KernelTheorem]:
    return {label: replace(one, **parts) for label, one in kernel_theorems().items()}


def test_a_record_that_cannot_be_read_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kernel, "files", lambda package: tmp_path)
    for content in ("", "{}", "[]", '{"coq": 3}', "[" * 100_000):
        (tmp_path / "stored.json").write_text(content)
        assert stored.__wrapped__().statements == {}


def test_checked_is_said_after_a_check_here_alone() -> None:
    assert record("lem:radius-inversion").status == "stored"
    assert "not on this machine" in str(record("lem:radius-inversion"))
    assert "the stored record" in record("lem:radius-inversion").trusted
    remember("8.99")
    found = record("lem:radius-inversion")
    assert (found.status, found.coq) == ("checked", "8.99")
    assert "checked here by Coq 8.99" in str(found)
    assert "the stored record" not in found.trusted
    assert kernel_record("eq:payment") is None


def test_what_was_checked_here_is_not_what_is_stored_now(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("8.99")
    other = replace(stored(), statements={**stored().statements, "lem_radius_sum": "True"})
    monkeypatch.setattr(kernel, "stored", lambda: other)
    said_here.cache_clear()
    assert said_here() is None


def test_what_coq_refused_here_does_not_count() -> None:
    said = CoqSaid(coq="8.99", problems=("lem_radius_sum: the statement is another",))
    assert record("lem:radius-sum", said).status == "none"
    remember("8.99", said.problems)
    found = record("lem:radius-sum")
    assert found.status == "none"
    assert "Coq 8.99 on this machine does not confirm it" in found.problem
    remember("8.99")
    assert record("lem:radius-sum").proves_claim


FEW = ["prop:selection-threshold", "lem:forced-exploration-bound"]


class TestVerdicts:
    """What `prove` and `verify` say of every claim that a theorem states, and what without one."""

    @pytest.fixture
    def labels(self) -> list[str]:
        whole = [one for one in kernel_theorems().values() if one.states == "claim" and not (one.beyond or one.takes)]
        assert len(whole) >= 39
        return [one.label for one in whole if not one.vacuous]

    def test_a_claim_that_a_theorem_states_is_proved_by_it(self, labels: list[str]) -> None:
        assert {claim.verdict for claim in prove(labels).claims} == {Verdict.PROVED}
        for claim in prove(FEW).claims:
            data = claim.to_data()
            assert claim.label in labels
            assert (data["kernel"], data["kernel_states"], data["beyond"]) == ("stored", "claim", None)
            assert data["kernel_hash"] == hashes(sources())[data["kernel_file"]]
            assert data["kernel_coq"] == stored().coq

    def test_without_a_right_record_nothing_is_proved(self, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
        spoil(monkeypatch)
        assert {verdict_foreseen(label) for label in labels_with_proofs()} == {None}
        assert {claim.verdict for claim in prove().claims} == {Verdict.SKIPPED}
        [claim] = prove(FEW[1:]).claims
        assert claim.to_data()["kernel_problem"].startswith("what is stored was checked for other sources")
        assert claim.to_data()["beyond"] is None
        outcome = run("prove", FEW[1])
        assert outcome.code == 1
        assert outcome.told.startswith(f"The theorem in Coq about {FEW[1]} does not count: what is stored was checked")
        assert f"{FEW[1]} (Lemma 8) is not proved." in outcome.told

    def test_what_refutes_a_wording_proves_no_claim(self) -> None:
        refuting = [label for label, one in kernel_theorems().items() if one.states == "refutes"]
        assert len(refuting) >= 8
        assert not set(refuting) & set(labels_with_proofs())
        for label in refuting:
            found = record(label)
            assert (found.status, found.proves_claim) == ("stored", False)
            assert "It proves that this wording is false." in str(found)
            assert kernel_evidence(found).kernel_states == "refutes"
            assert verdict_foreseen(label) is None
            assert all_claims()[label].finding, "what is false is a documented finding"

    @pytest.mark.long("verifies twice")
    def test_verify_says_the_same(self, monkeypatch: pytest.MonkeyPatch, passed: Run) -> None:
        little = ("--runs", "1", "--horizon", "60", "--instances", "1", "--jobs", "1")
        command = ["verify", "gpqa-strong", "--claim", FEW[1], *little]
        told = passed(*command).told
        assert f"{FEW[1]} (Lemma 8: Exploration count) is proved." in told
        theorem = kernel_theorems()[FEW[1]]
        assert f"theorem in Coq: {theorem.name} in {theorem.file}, stored: Coq" in told
        rows = passed(*command, "--json").data["claims"]
        row = next(row for row in rows if row["label"] == FEW[1] and row["setting"] is None)
        assert (row["verdict_of_claim"], row["kernel"], row["kernel_theorem"]) == ("PROVED", "stored", theorem.name)
        spoil(monkeypatch)
        told = passed(*command).told
        assert "theorems in Coq do not count" in told
        assert f"{FEW[1]} (Lemma 8: Exploration count) is tested" in told


def test_another_text_statement_or_axiom_is_a_problem() -> None:
    printed, name = stored(), "lem_radius_inversion"
    assert problems_of(printed, printed) == ()
    assert problems_of(replace(printed, sources={**printed.sources, "Runs.v": ""}), printed) == (
        "Runs.v: another text than the one that is stored",
    )
    weaker = replace(printed, statements={**printed.statements, name: "True"})
    assert problems_of(weaker, printed) == (f"{name}: the statement is another",)
    assumed = replace(printed, assumptions=(*printed.assumptions, "Uint63.add_spec"))
    assert problems_of(assumed, assumed) == ("the theorems assume Uint63.add_spec",)
    assert problems_of(assumed, printed)[0] == "what the theorems assume is another"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the test of changed rules finds what that of the theorems compiled."""
    return tmp_path_factory.mktemp("compiled")


@pytest.mark.coq
def test_coq_accepts_the_theorems_and_prints_what_is_stored(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = SimpleNamespace(TemporaryDirectory=lambda: nullcontext(str(compiled)))
    monkeypatch.setattr("proofs_checks.proofs.kernel.coq.tempfile", kept)
    found = check_kernel()
    assert found.problems == ()
    assert found.theorems == len(stored().statements)
    assert record("thm:regret").status == "checked"
    [claim] = prove(["lem:radius-inversion"]).claims
    assert (claim.verdict, claim.to_data()["kernel"]) == (Verdict.PROVED, "checked")


@pytest.mark.coq
def test_coq_does_not_accept_what_does_not_follow(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="False"):
        check_file(tmp_path, "Wrong.v", "Theorem wrong : False.\nProof. exact I. Qed.\n")
    with pytest.raises(KernelError, match="left out"):
        build({"Wrong.v": "Theorem wrong : False.\nAdmitted.\n"})


def test_a_machine_without_coq_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert coq_version() == ""
    assert_refused("apt-get install coq", check_kernel)


@pytest.mark.parametrize(
    ("problems", "code", "said"), [((), 0, "accepts 31 theorems"), (("a: b",), 1, "does NOT confirm")]
)
def test_the_command_says_what_coq_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...], code: int, said: str
) -> None:
    check = KernelCheck(coq="8.16.1", theorems=31, files=12, problems=problems, seconds=30.0)
    monkeypatch.setattr("proofs_checks.proofs.kernel.check.check_kernel", lambda progress: check)
    outcome = run("prove", "lem:radius-monotone", "--kernel", "--all")
    assert outcome.code == code
    assert said in outcome.out
    assert "Theorem lem_radius_decreasing " in outcome.out
    assert ("does not confirm it (a: b)" in outcome.out) is bool(problems)
    outcome = run("prove", "lem:radius-monotone", "--kernel", "--json")
    assert outcome.code == code
    assert outcome.data["kernel_check"]["problems"] == list(problems)


def formulas() -> dict[str, Formula]:
    """Return every formula that is printed as a term of Coq, by name."""
    modules = (radius, regret, payment, selection, identification, belief, sharp)
    return {one.quantity.name: one for module in modules for one in vars(module).values() if isinstance(one, Formula)}


def change(expression: Any) -> Any:
    """Return an expression with one of its numbers one greater: a constant or an exponent; without one, twice it."""
    numbers = sorted(expression.atoms(sympy.Rational), key=str)
    return expression.xreplace({numbers[-1]: numbers[-1] + 1}) if numbers else 2 * expression


@pytest.mark.long("prints every formula for each change")
@pytest.mark.for_each("name", formulas())
def test_a_changed_formula_is_seen(name):
    formula = formulas()[name]
    check_formulas()  # what it keeps of a formula is kept before the formula changes
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(vars(formula), "expression", change(formula.expression))
        check_formulas.cache_clear()
        assert_refused(rf"\b{re.escape(name)}\b", check_formulas)
    check_formulas.cache_clear()
    check_formulas()


def test_sixty_changes_are_seen() -> None:
    rules = {(one.file, one.sentence, one.was, one.now) for one in rule_mutants(sources())}
    assert len(rules) >= 60
    assert len(formulas()) >= 20
    assert len({*CHANGES}) >= 50


@pytest.mark.coq
def test_a_changed_rule_is_refused_by_what_rests_on_it(compiled: Path) -> None:
    wrong = rule_mutants(sources())
    build = Build(compiled, needed(sources(), {one.file for one in wrong} | {"RulesRefineRuns.v"}))
    unseen = [str(mutant) for mutant in wrong if not build.killer(mutant)]
    assert unseen == []

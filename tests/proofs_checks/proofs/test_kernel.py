"""The theorems in Coq: they stand, and are about the formulas of `bounds` and the rules of `mechanism`."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from bounds.errors import InputError
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.cli.schema import json_schema
from proofs_checks.proofs.kernel.check import KernelCheck, check_kernel, problems_of
from proofs_checks.proofs.kernel.coq import KernelError, build, check_file, coq_version, left_out
from proofs_checks.proofs.kernel.formulas import printed_formulas
from proofs_checks.proofs.kernel.theorems import (
    ABOUT_RULES,
    ALLOWED_ASSUMPTIONS,
    checked_by,
    hashes,
    kernel_facts,
    kernel_in_words,
    kernel_status,
    kernel_theorems,
    printed_theorems,
    remember,
    sources,
    stored,
)
from tests.proofs_checks.proofs.kernel_auctions import auctions
from tests.proofs_checks.proofs.kernel_mutants import (
    KNOWN_FILES,
    WEAKER,
    Build,
    mutants,
    rule_mutants,
    sample,
    sentences,
    surface,
    verdicts,
)

AUCTIONS = 10_000


@pytest.fixture(autouse=True)
def _nothing_was_checked_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None
) -> Iterator[None]:
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path / "kept"))
    checked_by.cache_clear()
    yield
    checked_by.cache_clear()


def test_stored_statements_are_of_these_sources() -> None:
    assert stored().sources == hashes(sources())


def test_every_theorem_is_about_a_claim_and_rests_on_the_real_numbers_alone() -> None:
    theorems = kernel_theorems()
    assert len(theorems) >= 30
    assert theorems.keys() <= all_claims().keys()
    for theorem in theorems.values():
        assert theorem.statement.startswith("forall")
        assert set(theorem.assumptions) <= ALLOWED_ASSUMPTIONS.keys()
        assert theorem.says.endswith(".")
        assert f"Theorem {theorem.name}" in sources()[theorem.file]


def test_the_formulas_in_coq_are_those_of_the_program() -> None:
    remedy = "python -m proofs_checks.proofs.kernel writes it again"
    assert sources()["Formulas.v"] == printed_formulas(), remedy


def test_no_proof_is_left_out() -> None:
    assert left_out(sources()) == []


@pytest.mark.parametrize(
    "line", ["Admitted.", "Axiom a : False.", "Parameter p : nat.", "Proof. admit. Qed.", "Unset Guard Checking."]
)
def test_a_proof_that_is_left_out_is_noticed(line: str) -> None:
    (found,) = left_out({"A.v": f"(* Admitted. *)\n{line}"})
    assert found.startswith("A.v:2: ")


def test_what_is_stored_of_other_sources_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs_checks.proofs.kernel.theorems.sources", lambda: {"A.v": ""})
    assert kernel_facts("lem:radius-inversion") == {"kernel": "none", "kernel_theorem": None, "kernel_assumptions": []}
    assert kernel_in_words("lem:radius-inversion") == ""


def test_checked_is_said_after_a_check_here_alone() -> None:
    assert kernel_status("lem:radius-inversion") == "stored"
    assert "not checked on this machine" in kernel_in_words("lem:radius-inversion")
    remember(stored())
    assert kernel_status("lem:radius-inversion") == "checked"
    assert "checked here by Coq" in kernel_in_words("lem:radius-inversion")
    assert kernel_status("thm:robust-dominant") == "none"


def test_another_text_statement_or_axiom_is_a_problem() -> None:
    printed, name = stored(), "lem_radius_inversion"
    assert problems_of(printed, printed) == ()
    assert problems_of(replace(printed, sources={**printed.sources, "Runs.v": ""}), printed) == (
        "Runs.v: another text than the one that is stored",
    )
    weaker = replace(printed, statements={**printed.statements, name: "True"})
    assert problems_of(weaker, printed) == (f"{name}: the statement is another",)
    assumed = replace(printed, assumptions={**printed.assumptions, name: ("Uint63.add_spec",)})
    assert problems_of(assumed, assumed) == (f"{name}: assumes Uint63.add_spec",)


@pytest.mark.coq
def test_coq_accepts_the_theorems_and_prints_what_is_stored() -> None:
    found = check_kernel()
    assert found.problems == ()
    assert found.theorems == len(stored().statements)
    assert kernel_status("thm:regret") == "checked"


@pytest.mark.coq
def test_coq_does_not_accept_what_does_not_follow(tmp_path: Path) -> None:
    with pytest.raises(KernelError, match="False"):
        check_file(tmp_path, "Wrong.v", "Theorem wrong : False.\nProof. exact I. Qed.\n")
    with pytest.raises(KernelError, match="left out"):
        build({"Wrong.v": "Theorem wrong : False.\nAdmitted.\n"})


@pytest.mark.coq
def test_the_rules_in_coq_say_what_the_rules_in_python_say(tmp_path: Path) -> None:
    found = auctions(AUCTIONS, random.Random(0))
    assert min(found.kinds[kind] for kind in ("auction", "exploration", "empty")) > AUCTIONS // 10
    assert found.ties > 100
    assert found.alone > 100
    check_file(tmp_path, "Rules.v", sources()["Rules.v"])
    check_file(tmp_path, "Auctions.v", found.text)


@pytest.mark.coq
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("threshold <= quality (provider_at i) + radius", "threshold <= quality (provider_at i) - radius"),
        ("Nat.ltb (count (provider_at i)) target", "Nat.leb (count (provider_at i)) target"),
        ("bid (provider_at i) - cost_radius", "bid (provider_at i) + cost_radius"),
        ("adjusted i <= adjusted j", "adjusted j <= adjusted i"),
        ("negb (Nat.eqb j i)", "true"),
        ("if first <= next then first else next", "next"),
        ("Some (cost_radius (provider_at i) + least", "Some (least"),
        ("then cost_bound else critical", "then critical else critical"),
        ("with [], _ => Empty", "with [], _ => Auction"),
        ("Exploration => under_sampled", "Exploration => eligible"),
        ("Auction => auction_payment i | _ => cost_bound", "Auction => auction_payment i | _ => auction_payment i"),
    ],
)
def test_a_wrong_rule_in_coq_is_noticed(tmp_path: Path, right: str, wrong: str) -> None:
    text = sources()["Rules.v"]
    assert text.count(right) == 1
    check_file(tmp_path, "Rules.v", text.replace(right, wrong))
    with pytest.raises(KernelError):
        check_file(tmp_path, "Auctions.v", auctions(1_000, random.Random(1)).text)


@pytest.mark.coq
def test_an_answer_that_python_did_not_give_is_noticed(tmp_path: Path) -> None:
    check_file(tmp_path, "Rules.v", sources()["Rules.v"])
    with pytest.raises(KernelError):
        check_file(tmp_path, "Auctions.v", auctions(100, random.Random(1), slip=True).text)


def test_every_instance_at_a_limit_is_a_theorem_and_is_named() -> None:
    witnesses = {name for theorem in kernel_theorems().values() for name in theorem.witnesses}
    assert len(witnesses) >= 10
    for file, name in (witness.split(".") for witness in witnesses):
        assert f"Theorem {name}" in sources()[f"{file}.v"]
        assert set(stored().assumptions[name]) <= ALLOWED_ASSUMPTIONS.keys()
    assert "inversion_with_56_is_false" in kernel_in_words("lem:radius-inversion")


def test_what_ties_the_rules_to_the_runs_is_stored() -> None:
    for name in ABOUT_RULES:
        assert f"Theorem {name}" in sources()["RulesRefineRuns.v"]
        assert set(stored().assumptions[name]) <= ALLOWED_ASSUMPTIONS.keys()


def test_mutants_are_of_what_a_reader_trusts() -> None:
    found = surface(sources())
    assert {"market", "run", "step", "payment", "beta", "radius", "thm_regret", "least"} <= {one.name for one in found}
    mutated = mutants(sources())
    assert len({str(one) for one in mutated}) == len(mutated)
    assert all(one.text != sources()[one.file] for one in mutated)
    assert len(sample(sources())) >= 100


def test_what_a_mutant_changes_is_not_a_comment_or_a_proof() -> None:
    text = "(* 1 <= 2 *)\nTheorem a : 0 < 1 (* 3 *) -> 2 <= 3.\nProof. exact 4. Qed.\n"
    (one,) = sentences("A.v", text)
    assert (one.name, text[one.start : one.end].strip()) == ("a", "Theorem a : 0 < 1 (* 3 *) -> 2 <= 3.")


@pytest.mark.coq
def test_a_wrong_rule_is_noticed_by_what_rests_on_it(tmp_path: Path) -> None:
    files = ("Formulas.v", "Radius.v", "Auction.v", "RadiusSum.v", "Runs.v", "Rules.v", "RulesRefineRuns.v")
    texts = {name: text for name, text in sources().items() if name in files}
    build = Build(tmp_path, texts)
    wrong = {f"{one.file} {one.sentence}: {one.was}": one for one in rule_mutants(sources())}
    assert build.killer(wrong["Runs.v payment: [] => cmax"]) == "RulesRefineRuns.v"
    assert build.killer(wrong["Rules.v kind_of_query: with [], _ => Empty"]) == "RulesRefineRuns.v"
    assert build.killer(wrong["Auction.v selected: In s Qh /\\"]) == "Auction.v"
    check_file(tmp_path, "RulesRefineRuns.v", texts["RulesRefineRuns.v"])


@pytest.mark.coq
@pytest.mark.sweep
def test_coq_notices_every_mutant_but_those_that_weaken_a_theorem(tmp_path: Path) -> None:
    texts = sources()
    build = Build(tmp_path, texts)
    assert [str(one.mutant) for one in verdicts(build, rule_mutants(texts)) if not one.killer] == []
    found = list(verdicts(build, sample(texts)))
    assert sum(bool(one.killer) for one in found) >= 60
    survived = {str(one.mutant) for one in found if not one.killer and one.mutant.file in KNOWN_FILES}
    assert survived - WEAKER.keys() == set()


@pytest.mark.coq
@pytest.mark.sweep
@pytest.mark.skipif(shutil.which("coqchk") is None, reason="coqchk is not installed")
def test_coqchk_accepts_the_labelled_theorems(tmp_path: Path) -> None:
    for name, text in sources().items():
        check_file(tmp_path, name, text)
    modules = [f"Costproof.{file}" for file in sorted({*printed_theorems().values()})]
    command = ["coqchk", "-silent", "-o", "-Q", ".", "Costproof", *modules]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    axioms, *unsafe = done.stdout.split("* Axioms:", 1)[1].split("\n* ")
    assert all(axiom.endswith(tuple(ALLOWED_ASSUMPTIONS)) for axiom in axioms.split())
    assert len(unsafe) == 3
    assert all("<none>" in part for part in unsafe)


def test_a_machine_without_coq_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert coq_version() == ""
    with pytest.raises(InputError, match="apt-get install coq"):
        check_kernel()


@pytest.mark.parametrize(
    ("problems", "code", "said"), [((), 0, "accepts 31 theorems"), (("a: b",), 1, "does NOT confirm")]
)
def test_the_command_says_what_coq_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...], code: int, said: str
) -> None:
    check = KernelCheck(coq="8.16.1", theorems=31, files=12, problems=problems, seconds=30.0)
    monkeypatch.setattr("proofs_checks.proofs.kernel.check.check_kernel", lambda progress: check)
    assert main(["prove", "lem:radius-monotone", "--kernel"]) == code
    told = capsys.readouterr().out
    assert said in told
    assert "lem_radius_monotone in Statements.v" in " ".join(told.split())
    assert main(["prove", "lem:radius-monotone", "--kernel", "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["kernel_check"]["problems"] == list(problems)
    jsonschema.validate(document, json_schema("prove"))

"""The theorems in Coq: they stand, and are about the formulas of `bounds` and the rules of `mechanism`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.proofs.catalogue import (
    all_proofs,
    english_of,
    left_to_english,
    proved_whole_in_coq,
    verdict_foreseen,
    verdict_if_it_stands,
)
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.proofs.kernel.check import KernelCheck, check_kernel, problems_of
from proofs_checks.proofs.kernel.coq import KernelError, build, check_file, coq_version
from proofs_checks.proofs.kernel.formulas import printed_formulas
from proofs_checks.proofs.kernel.theorems import (
    ABOUT_RULES,
    ALLOWED_ASSUMPTIONS,
    INSTANCES,
    CoqSaid,
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
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import solvers
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.kernel_auctions import auctions
from tests.proofs_checks.proofs.kernel_mutants import Build, rule_mutants

pytestmark = pytest.mark.usefixtures("shared_solvers")

AUCTIONS = 10_000


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
        assert set(stored().assumptions[name]) <= ALLOWED_ASSUMPTIONS.keys()
    assert "inversion_with_56_is_false" in str(record("lem:radius-inversion"))


def test_the_formulas_in_coq_are_those_of_the_program() -> None:
    remedy = "python -m proofs_checks.proofs.kernel writes it again"
    assert sources()["Formulas.v"] == printed_formulas(), remedy


def test_every_entry_says_whether_it_states_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    named = named_theorems()
    for label, one in named.items():
        assert one.get("states") in ("claim", "part", "refutes"), f"{label}: say in labels.json what the theorem states"
        assert one["states"] != "part" or one["differs"], f"{label}: say in labels.json what is missing"
    assert {theorem.states for theorem in kernel_theorems().values()} == {"claim", "part", "refutes"}
    silent = {"lem:radius-sum": {key: value for key, value in named["lem:radius-sum"].items() if key != "states"}}
    monkeypatch.setattr(kernel, "named_theorems", lambda: silent)
    assert kernel_theorems.__wrapped__()["lem:radius-sum"].states == "part"


def record(label: str, said: CoqSaid | None = None) -> KernelRecord:
    found = kernel_record(label, said)
    assert found is not None
    return found


def spoil(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change a file of the development after Coq checked it."""
    changed = {**sources(), "Runs.v": sources()["Runs.v"] + "(* changed *)"}
    monkeypatch.setattr(kernel, "sources", lambda: changed)


@pytest.mark.parametrize(
    ("name", "spoilt", "why"),
    [
        ("sources", lambda: {"A.v": ""}, "was checked for other sources"),
        (
            "_labels",
            # A theorem about a part of its claim is said to state it whole.
            lambda: kernel._labels().replace('"states": "part"', '"states": "claim"', 1),
            "labels.json changed since",
        ),
        ("kernel_theorems", lambda: changed(statement=""), "nothing is stored of it"),
        ("kernel_theorems", lambda: changed(assumptions=("cheating",)), "it rests on cheating"),
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
    facts = kernel_evidence(found)
    assert facts["kernel"] == "none"
    assert facts["kernel_problem"] == found.problem
    assert {facts[key] for key in facts if key not in ("kernel", "kernel_problem", "kernel_assumptions")} == {None}
    assert verdict_foreseen("lem:radius-sum") is Verdict.PROVED_STEPS


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


#: Two claims that theorems state: the solvers prove the first whole, and of the second its steps.
FEW = ["prop:selection-threshold", "lem:forced-exploration-bound"]


class TestVerdicts:
    """What `prove` and `verify` say of every claim that a theorem states, and what without one."""

    @pytest.fixture
    def labels(self) -> list[str]:
        stating = [label for label, one in kernel_theorems().items() if one.states == "claim"]
        assert len(stating) >= 39
        return [label for label in stating if not all_proofs()[label].vacuous]

    def test_a_claim_that_a_theorem_states_is_proved_by_it(self, labels: list[str]) -> None:
        found = {claim.proof.label: claim for claim in prove(FEW, mutants=False).claims}
        for label in FEW:
            claim, data = found[label], found[label].to_data()
            assert label in labels
            assert (claim.verdict, claim.rests_on_kernel, claim.composition) == (Verdict.PROVED, True, "checked")
            assert (data["kernel"], data["kernel_states"], data["beyond"]) == ("stored", "claim", None)
            assert data["kernel_hash"] == hashes(sources())[data["kernel_file"]]
            assert data["kernel_coq"] == stored().coq
            assert data["by_solvers"] == verdict_if_it_stands(all_proofs()[label]).value
        assert [found[label].by_solvers for label in FEW] == [Verdict.PROVED, Verdict.PROVED_STEPS]

    @pytest.mark.long("proves a theorem of the paper")
    def test_a_theorem_about_a_table_of_draws_leaves_the_adaptive_selection_to_english(self) -> None:
        left = {label for label, one in kernel_theorems().items() if one.beyond}
        assert left == {
            "lem:good-event",
            "thm:sample-complexity",
            "thm:regret",
            "thm:payment-convergence",
            "thm:deviation-payment-convergence",
            "cor:vanishing-nonoptimal-selections",
            "prop:bayesian-substitution",
        }
        assert all("countable additivity" in kernel_theorems()[label].beyond for label in left)
        [claim] = prove(["lem:good-event"], mutants=False).claims
        data = claim.to_data()
        assert (data["verdict"], data["kernel"]) == ("PROVED", "stored")
        assert "when earlier draws decide who is selected" in data["beyond"]

    def test_without_a_right_record_the_solvers_decide(
        self, labels: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert {verdict_foreseen(label) for label in labels} == {Verdict.PROVED}
        spoil(monkeypatch)
        for label in labels:
            assert verdict_foreseen(label) is verdict_if_it_stands(all_proofs()[label])
        [claim] = prove(FEW[1:], mutants=False).claims
        assert claim.verdict is verdict_foreseen(FEW[1])
        assert not claim.rests_on_kernel
        assert claim.to_data()["kernel_problem"].startswith("what is stored was checked for other sources")
        assert claim.to_data()["beyond"] == (claim.left_to_english or None)
        assert main(["prove", FEW[1]]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert told.startswith(f"The theorem in Coq about {FEW[1]} does not count: what is stored was checked")
        assert f"{FEW[1]} is PROVED_STEPS" in told

    def test_what_states_a_part_or_a_claim_about_nothing_proves_no_claim(self) -> None:
        for label in [label for label, one in kernel_theorems().items() if one.states == "part"]:
            assert record(label).status == "stored"
            assert verdict_foreseen(label) is verdict_if_it_stands(all_proofs()[label])
        assert record("cor:eventual-ordinary-optimality").proves_claim
        assert verdict_foreseen("cor:eventual-ordinary-optimality") is Verdict.VACUOUS

    def test_what_refutes_a_wording_proves_no_claim(self) -> None:
        refuting = [label for label, one in kernel_theorems().items() if one.states == "refutes"]
        assert len(refuting) >= 8
        for label in refuting:
            found = record(label)
            assert (found.status, found.proves_claim, found.trusted) == ("stored", False, "")
            assert "It proves that this wording is false." in str(found)
            assert kernel_evidence(found)["kernel_states"] == "refutes"
            assert verdict_foreseen(label) is not Verdict.PROVED
            assert all_claims()[label].finding, "what is false is a documented finding"

    @pytest.mark.long("verifies twice, and checks the certificates of a claim")
    def test_verify_says_the_same(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        little = ("--runs", "1", "--horizon", "60", "--instances", "1", "--jobs", "1")
        command = ["verify", "gpqa-strong", "--claim", FEW[1], *little]
        assert main(command) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert f"{FEW[1]} is proved (PROVED)" in told
        theorem = kernel_theorems()[FEW[1]]
        assert f"PROVED certificate: the theorem {theorem.name} in {theorem.file}, stored: Coq" in told
        assert main([*command, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["claims"]
        row = next(row for row in rows if row["label"] == FEW[1] and row["setting"] is None)
        assert (row["verdict_of_claim"], row["kernel"], row["kernel_theorem"]) == ("PROVED", "stored", theorem.name)
        spoil(monkeypatch)
        assert main(command) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "theorems in Coq do not count" in told
        assert f"{FEW[1]} is proved by steps (PROVED_STEPS)" in told

    def test_without_solvers_coq_still_proves_what_it_states(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(solvers, "find_spec", lambda name: None)
        for claim in prove(FEW, mutants=False).claims:
            assert (claim.verdict, claim.by_solvers) == (Verdict.PROVED, Verdict.SKIPPED)
        spoil(monkeypatch)
        assert {claim.verdict for claim in prove(FEW, mutants=False).claims} == {Verdict.SKIPPED}

    def test_coq_lifts_no_proof_that_says_less(self) -> None:
        """Obligations that say nothing, a condition that never holds, single instances: each keeps its verdict."""
        [claim] = prove(FEW[:1], mutants=False).claims
        stated = record(FEW[0])
        undecided = replace(claim, verdict=Verdict.SKIPPED)
        assert undecided.with_kernel(stated).verdict is Verdict.PROVED
        assert replace(claim, verdict=Verdict.VACUOUS).with_kernel(stated).verdict is Verdict.VACUOUS
        for less in (
            replace(claim.proof, empty_while="a provider is unqualified"),
            replace(claim.proof, instances=True),
        ):
            assert replace(undecided, proof=less).with_kernel(stated).verdict is Verdict.SKIPPED

    def test_a_failed_certificate_is_not_covered_by_coq(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("proofs_checks.proofs.prove.stored_certificate", lambda name: {"facts": [], "tree": {}})
        report = prove(FEW[:1], mutants=False)
        assert report.claims[0].verdict is Verdict.SKIPPED
        assert report.contradictions

    def test_a_proof_that_is_handed_in_is_not_proved_by_coq(self) -> None:
        mine = {"lem:radius-sum": replace(all_proofs()["lem:selection-counting"], label="lem:radius-sum")}
        [claim] = prove(proofs=mine, mutants=False).claims
        assert (claim.verdict, claim.kernel) == (Verdict.PROVED_STEPS, None)

    def test_no_claim_that_coq_proves_is_said_to_leave_something_to_english(self, labels: list[str]) -> None:
        for label, proof in all_proofs().items():
            told = english_of(proof, all_proofs(), proved_whole_in_coq())
            assert not set(labels) & set(told.inherited if told else ()), label
        assert "lem:unqualified-elimination" in left_to_english(all_proofs()["thm:sample-complexity"], all_proofs())


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
    assert record("thm:regret").status == "checked"
    [claim] = prove(["lem:radius-inversion"], mutants=False).claims
    assert (claim.verdict, claim.to_data()["kernel"]) == (Verdict.PROVED, "checked")


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
        check_file(tmp_path, "Auctions.v", auctions(300, random.Random(1)).text)


#: What a query of a run brings, or does not: there are runs of every length, and Sharpness.v has some of both kinds.
HAPPENS = {"step", "selected", "may_serve", "auction_at", "explores", "serves", "samples"}
_PROPERTY = re.compile(r"^ *(?:Definition|Inductive) (\w+)[^.]*?: (?:list nat -> )?Prop\b", re.MULTILINE)


def properties() -> set[str]:
    return {name for text in sources().values() for name in _PROPERTY.findall(text)}


def premises(statement: str) -> Iterator[str]:
    """Yield the first name in each part of a statement that ends in an arrow, quantifiers aside."""
    depth, start = 0, 0
    for at, letter in enumerate(statement):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and statement.startswith("->", at):
            named = re.match(r"\W*(?:\w+\.)*(\w+)", re.sub(r"\(?\s*forall [^,]*,", "", statement[start:at]))
            start = at + 2
            if named is not None:
                yield named[1]


def assumed_without_an_instance(statement: str) -> set[str]:
    return (set(premises(statement)) & properties()) - INSTANCES.keys() - HAPPENS


def test_no_theorem_about_a_claim_assumes_what_may_be_never_so() -> None:
    for theorem in kernel_theorems().values():
        assert assumed_without_an_instance(theorem.statement) == set(), theorem.name
    assumed = set().union(*(premises(theorem.statement) for theorem in kernel_theorems().values()))
    assert {"market", "good_event", "independent_queries", "truthful", "any_game", "beliefs"} <= assumed
    for name, instance in INSTANCES.items():
        file, theorem_name = instance.split(".")
        assert re.search(rf"\b{name}\b", stored().statements[theorem_name]), name
        assert f"Theorem {theorem_name}" in sources()[f"{file}.v"]
        assert set(stored().assumptions[theorem_name]) <= ALLOWED_ASSUMPTIONS.keys()


def test_an_assumption_without_an_instance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    never = "Definition draws_nothing_varies (n : nat) : Prop := n <> n."
    monkeypatch.setattr(f"{__name__}.sources", lambda: {"A.v": never})
    for statement in (
        "forall n : nat, A.draws_nothing_varies n -> (0 < n)%nat -> n = 1",
        "forall p : Prop, p -> (forall n : nat, A.draws_nothing_varies n) -> p",
    ):
        assert assumed_without_an_instance(statement) == {"draws_nothing_varies"}


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
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    assert main(["prove", "lem:radius-monotone", "--kernel"]) == code
    told = capsys.readouterr().out
    assert said in told
    assert "Theorem lem_radius_decreasing " in told
    assert ("does not confirm it (a: b)" in told) is bool(problems)
    assert main(["prove", "lem:radius-monotone", "--kernel", "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["kernel_check"]["problems"] == list(problems)

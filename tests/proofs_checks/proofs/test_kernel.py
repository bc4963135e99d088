"""The theorems in Coq: they stand, and are about the formulas of `bounds` and the rules of `mechanism`."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from bounds.errors import InputError
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.cli.schema import json_schema
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
from proofs_checks.proofs.kernel.coq import KernelError, build, check_file, coq_version, left_out
from proofs_checks.proofs.kernel.formulas import printed_formulas
from proofs_checks.proofs.kernel.reading import reading_of
from proofs_checks.proofs.kernel.theorems import (
    ALLOWED_ASSUMPTIONS,
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

AUCTIONS = 10_000


@pytest.fixture(autouse=True)
def _nothing_was_checked_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None
) -> Iterator[None]:
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path / "kept"))
    said_here.cache_clear()
    yield
    said_here.cache_clear()


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


def test_every_entry_says_whether_it_states_the_claim() -> None:
    for label, named in named_theorems().items():
        assert named.get("states") in ("claim", "part"), f"{label}: say in labels.json what the theorem states"
        assert named["states"] == "claim" or named["differs"], f"{label}: say in labels.json what is missing"
    assert {theorem.states for theorem in kernel_theorems().values()} == {"claim", "part"}


def test_an_entry_that_does_not_say_what_it_states_is_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = {"lem:radius-sum": {**named_theorems()["lem:radius-sum"]}}
    del silent["lem:radius-sum"]["states"]
    monkeypatch.setattr(kernel, "named_theorems", lambda: silent)
    assert kernel_theorems.__wrapped__()["lem:radius-sum"].states == "part"


def test_no_theorem_about_draws_that_cannot_vary_states_a_claim() -> None:
    """See `test_no_draw_varies`: what assumes `independent_draws` is about constant draws alone."""
    about_draws = [one for one in kernel_theorems().values() if "independent_draws" in one.statement]
    assert {one.label: one.states for one in about_draws} == dict.fromkeys((one.label for one in about_draws), "part")


@pytest.mark.coq
def test_no_draw_varies(tmp_path: Path) -> None:
    """While Coq accepts this, `independent_draws` is false of every law with an event of probability in (0, 1)."""
    for name in ("Formulas", "Radius", "Auction", "RadiusSum", "Basel", "Hoeffding", "Runs", "Payments", "Statements"):
        check_file(tmp_path, f"{name}.v", sources()[f"{name}.v"])
    check_file(tmp_path, "NoDrawVaries.v", Path(__file__).with_name("no_draw_varies.v").read_text(encoding="utf-8"))


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
        ("stored", lambda: replace(stored.__wrapped__(), sources={}), "was checked for other sources"),
        ("kernel_theorems", lambda: forgotten(), "nothing is stored of it"),
        ("kernel_theorems", lambda: cheating(), "it rests on cheating"),
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


def forgotten() -> Mapping[str, KernelTheorem]:
    return {label: replace(one, statement="") for label, one in kernel_theorems().items()}


def cheating() -> Mapping[str, KernelTheorem]:
    return {label: replace(one, assumptions=("cheating",)) for label, one in kernel_theorems().items()}


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"coq": 3}'])
def test_a_record_that_cannot_be_read_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str) -> None:
    (tmp_path / "stored.json").write_text(content)
    monkeypatch.setattr(kernel, "files", lambda package: tmp_path)
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
FEW = ["lem:radius-inversion", "lem:unqualified-elimination"]


class TestVerdicts:
    """What `prove` and `verify` say of every claim that a theorem states, and what without one."""

    @pytest.fixture
    def labels(self) -> list[str]:
        stating = [label for label, one in kernel_theorems().items() if one.states == "claim"]
        assert len(stating) >= 18
        return stating

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

    def test_without_a_right_record_the_solvers_decide(
        self, labels: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert {verdict_foreseen(label) for label in labels} == {Verdict.PROVED}
        spoil(monkeypatch)
        for label in labels:
            assert verdict_foreseen(label) is verdict_if_it_stands(all_proofs()[label])
        for claim in prove(FEW, mutants=False).claims:
            assert claim.verdict is verdict_foreseen(claim.proof.label)
            assert not claim.rests_on_kernel
            assert claim.to_data()["kernel_problem"].startswith("what is stored was checked for other sources")
            assert claim.to_data()["beyond"] == (claim.left_to_english or None)
        assert main(["prove", FEW[1]]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert told.startswith(f"The theorem in Coq about {FEW[1]} does not count: what is stored was checked")
        assert f"{FEW[1]} is PROVED_STEPS" in told

    def test_what_states_a_part_proves_no_claim(self) -> None:
        parts = [label for label, one in kernel_theorems().items() if one.states == "part"]
        for label in parts:
            assert record(label).status == "stored"
            assert verdict_foreseen(label) is verdict_if_it_stands(all_proofs()[label])

    def test_verify_says_the_same(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        little = ("--runs", "1", "--horizon", "60", "--instances", "1", "--jobs", "1")
        command = ["verify", "gpqa-strong", "--claim", FEW[1], *little]
        assert main(command) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "lem:unqualified-elimination is proved (PROVED)" in told
        assert (
            "any setting: PROVED certificate: the theorem lem_unqualified_elimination in Statements.v, stored: Coq"
            in told
        )
        assert "what must be trusted: Coq's kernel" in told
        assert main([*command, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, json_schema("verify"))
        row = next(
            row
            for row in document["claims"]
            if row["label"] == "lem:unqualified-elimination" and row["setting"] is None
        )
        assert (row["verdict_of_claim"], row["kernel"], row["kernel_theorem"]) == (
            "PROVED",
            "stored",
            "lem_unqualified_elimination",
        )
        [piece] = [piece for piece in row["evidence"] if piece["kind"] == "certificate"]
        assert piece["kernel_hash"] == hashes(sources())["Statements.v"]
        assert piece["left_to_english"] is None
        spoil(monkeypatch)
        assert main(command) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert told.startswith("The theorem in Coq about lem:unqualified-elimination does not count")
        assert "lem:unqualified-elimination is proved by steps (PROVED_STEPS)" in told

    def test_claims_says_the_same(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["claims", "lem:radius-sum"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "lem:radius-sum Lemma 16 PROVED " in told
        assert "Theorem in Coq: lem_radius_sum in Statements.v, stored" in told
        spoil(monkeypatch)
        assert main(["claims", "lem:radius-sum"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "lem:radius-sum Lemma 16 PROVED_STEPS " in told
        assert "which does not count" in told

    def test_without_solvers_coq_still_proves_what_it_states(
        self, labels: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(solvers, "find_spec", lambda name: None)
        for claim in prove(labels, mutants=False).claims:
            assert (claim.verdict, claim.by_solvers) == (Verdict.PROVED, Verdict.SKIPPED)
        spoil(monkeypatch)
        assert {claim.verdict for claim in prove(labels, mutants=False).claims} == {Verdict.SKIPPED}

    def test_a_failed_certificate_is_not_covered_by_coq(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("proofs_checks.proofs.prove.stored_certificate", lambda name: {"facts": [], "tree": {}})
        report = prove(["lem:radius-inversion"], mutants=False)
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


def test_what_is_to_be_read_is_what_stands_in_the_file() -> None:
    for theorem in kernel_theorems().values():
        reading = reading_of(theorem)
        lines = reading.path.read_text(encoding="utf-8").splitlines()
        assert reading.passages[-1].text.startswith(f"Theorem {theorem.name} ")
        assert reading.lines < 60
        for passage in reading.passages:
            written = "\n".join(lines[passage.line - 1 :][: passage.text.count("\n") + 1])
            assert written.startswith(passage.text)
    names = [passage.name for passage in reading_of(kernel_theorems()["thm:regret"]).passages]
    assert {"independent_draws", "continuous", "market", "deviates_more"} <= set(names)


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
        ("Qle_bool threshold (quality", "Qle_bool (threshold + (1#4)) (quality"),
        ("Nat.ltb (count (provider_at i)) target", "Nat.leb (count (provider_at i)) target"),
        ("bid (provider_at i) - cost_radius", "bid (provider_at i) + cost_radius"),
        ("Qle_bool (adjusted i) (adjusted j)", "Qle_bool (adjusted j) (adjusted i)"),
        ("negb (Nat.eqb j i)", "true"),
        ("if Qle_bool first next then first else next", "next"),
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


#: Numbers in a formula or a statement, and what stands in their place.
_NUMBER = re.compile(r"(?<![\w.])([1-9]\d*)(?![\w.%])")


def mutants(text: str, inside: re.Pattern[str]) -> list[str]:
    """Return a text with one number increased, for every number in the parts of it that match."""
    return [
        text[: number.start()] + str(int(number.group()) + 1) + text[number.end() :]
        for part in inside.finditer(text)
        for number in _NUMBER.finditer(text, part.start(), part.end())
    ]


@pytest.mark.coq
@pytest.mark.sweep
def test_every_changed_constant_breaks_the_build(tmp_path: Path) -> None:
    texts = sources()
    for name, text in texts.items():
        check_file(tmp_path, name, text)
    unlinked = "trivial|target_floor|late|radius_at|burn_in|average|identification_bound_main"
    linked = re.compile(rf"Definition (?!{unlinked})\w+ .*?\.\n", re.DOTALL)
    stated = re.compile(r"^Theorem .*?^Proof", re.DOTALL | re.MULTILINE)
    survivors, tried = [], 0
    for name, inside, rest in (
        ("Formulas.v", linked, ("Radius.v", "RadiusSum.v", "Runs.v", "Payments.v", "Statements.v", "Links.v")),
        ("Statements.v", stated, ("Links.v", "Inhabited.v")),
    ):
        for mutant in mutants(texts[name], inside):
            tried += 1
            if not _breaks(tmp_path, name, mutant, {one: texts[one] for one in rest}):
                survivors.append(mutant)
        check_file(tmp_path, name, texts[name])
    assert tried >= 60
    assert survivors == []


#: A rule of the game or a part of thm:robust-dominant, and a wrong one.
_WRONG_GAMES = {
    "exploration hears the bids": ("else explore p H.", "else break_ties p H bids."),
    "a provider sees what others served": (
        "map snd (filter (fun query => Nat.eqb (fst query) i) (later H))",
        "map snd (later H)",
    ),
    "truthful bids are half the estimate": ("fun _ own => estimate own.", "fun _ own => estimate own / 2."),
    "the charge is added": ("(bids_at profile H) i - charge", "(bids_at profile H) i + charge"),
    "this query is not the last": ("(at_step H <= T)%nat /\\ environment", "(at_step H < T)%nat /\\ environment"),
    "one step is left out of the sum": ("(T + 1 - at_step H)%nat in", "(T - at_step H)%nat in"),
    "the gain is positive": ("-> 0 <= U sigma_star theta T)", "-> 0 < U sigma_star theta T)"),
    "every strategy is worse": (
        "Rbar_le (worst_case_of sigma) (worst_case_of sigma_star)",
        "Rbar_lt (worst_case_of sigma) (worst_case_of sigma_star)",
    ),
    "strict at ties": ("(own_history i H) - P) < 0 ->", "(own_history i H) - P) <= 0 ->"),
}


@pytest.mark.coq
@pytest.mark.sweep
def test_every_wrong_game_breaks_the_build(tmp_path: Path) -> None:
    texts = dict(sources())
    game = texts.pop("Game.v")
    for name in ("Formulas.v", "Radius.v", "Auction.v", "RadiusSum.v", "Basel.v", "Hoeffding.v", "Runs.v"):
        check_file(tmp_path, name, texts[name])
    check_file(tmp_path, "Game.v", game)
    for what, (right, wrong) in _WRONG_GAMES.items():
        assert right in game, what
        assert _breaks(tmp_path, "Game.v", game.replace(right, wrong), {}), what


def _breaks(folder: Path, name: str, text: str, rest: dict[str, str]) -> bool:
    try:
        for file, content in ({name: text} | rest).items():
            check_file(folder, file, content)
    except KernelError:
        return True
    return False


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
    assert "lem_radius_decreasing in AsStated.v" in " ".join(told.split())
    assert "Theorem lem_radius_decreasing " in told
    assert ("does not confirm it (a: b)" in told) is bool(problems)
    assert main(["prove", "lem:radius-monotone", "--kernel", "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["kernel_check"]["problems"] == list(problems)
    jsonschema.validate(document, json_schema("prove"))

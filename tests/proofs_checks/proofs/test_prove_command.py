"""`costproof prove` as a user meets it: one document, exit codes, one line on bad input, a folder that Coq checks."""

import functools
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bounds.documents import to_data
from proofs_checks.cli.main import main
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.discharge import Discharged
from proofs_checks.proofs.kernel import folder as folders, theorems as kernel
from proofs_checks.proofs.kernel.folder import files_for, write_folder
from proofs_checks.proofs.kernel.theorems import KernelTheorem, kernel_theorems, sources
from proofs_checks.proofs.prove import TRUSTED_BASE, labels_with_proofs, prove, verdict_foreseen
from proofs_checks.verdict import Verdict
from tests.proofs_checks.outcomes import Outcome, outcome_of

Run = Callable[..., Outcome]
LABEL = "lem:payment-range"
TAKEN = {"exact-inverse": "m*(a) is the largest count m with a <= 2 beta(m)"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return functools.partial(outcome_of, capsys, "prove")


def given(monkeypatch: pytest.MonkeyPatch, **parts: object) -> KernelTheorem:
    """Change what is known of the theorem about `LABEL`, and nothing else."""
    changed = replace(kernel_theorems()[LABEL], **parts)
    monkeypatch.setattr(kernel, "kernel_theorems", lambda: {**kernel_theorems(), LABEL: changed})
    return changed


def test_the_answer_comes_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, states="steps", beyond="the limit.")
    done = run()
    proved = sum(verdict_foreseen(label) is Verdict.PROVED for label in labels_with_proofs())
    assert done.code == 0
    assert done.told.startswith(f"{proved} of {len(labels_with_proofs())} claims are proved for all parameters")
    assert LABEL in done.told.partition("Proved in steps: ")[2].partition("(--all names what is missing)")[0]
    assert "Coq was not run here." in done.told
    everything = run("--all").told
    assert f"{LABEL}: no theorem states the limit." in everything
    assert all(part in everything for part in TRUSTED_BASE)
    assert len(TRUSTED_BASE) == 5
    assert done.out.splitlines()[-1].strip() == "costproof prove thm:regret"


def test_a_row_for_every_claim(run: Run) -> None:
    out = run("--all").out
    assert [label for label in labels_with_proofs() if label not in out] == []


def test_one_claim_in_full(run: Run) -> None:
    theorem = kernel_theorems()[LABEL]
    done = run(LABEL, "--all")
    assert done.code == 0
    said = f"{LABEL} (Lemma 25) is proved: for all parameters: Coq accepts a theorem that states the claim."
    assert done.told.startswith(said)
    for word in ("the claim: ", theorem.says, theorem.file, "what must be trusted: Coq's kernel;"):
        assert word in done.told
    assert theorem.statement.splitlines()[-1] in done.out


def test_json_is_one_document_with_the_keys_of_the_contract(run: Run) -> None:
    done = run("--json")
    assert (done.code, done.err) == (0, "")
    assert [claim["label"] for claim in done.data["claims"]] == list(labels_with_proofs())
    keys = {"label", "verdict", "beyond", "kernel", "kernel_theorem", "kernel_assumptions", "discharged"}
    assert all(keys <= claim.keys() for claim in done.data["claims"])
    assert done.data["trusted_base"] == list(TRUSTED_BASE)


def test_a_claim_is_named_as_verify_names_it(run: Run) -> None:
    other, theorem = "lem:one-step", kernel_theorems()[LABEL]
    plain, flagged = (run(*how, "--json").data for how in ([LABEL], ["--claim", LABEL]))
    assert [[claim["label"] for claim in data["claims"]] for data in (plain, flagged)] == [[LABEL], [LABEL]]
    place = f"{theorem.file.removesuffix('.v')}.{theorem.name}"
    assert [run(name, "--json").data for name in (theorem.name, place)] == [plain, plain]
    both = run(LABEL, "--claim", other, "--json").data
    assert [claim["label"] for claim in both["claims"]] == [LABEL, other]


class TestVerdicts:
    """What takes PROVED away, with the reason."""

    def test_a_number_that_is_taken_must_be_discharged(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        given(monkeypatch, takes=TAKEN)
        [claim] = run(LABEL, "--json").data["claims"]
        assert (claim["verdict"], claim["discharged"]) == ("PROVED_STEPS", [])
        assert claim["beyond"] == f"The program does not show of exact-inverse: {TAKEN['exact-inverse']}"
        shown = Discharged(
            name="exact-inverse", property=TAKEN["exact-inverse"], how="3 counts, by enclosure", settings=("a",)
        )
        monkeypatch.setattr(proving, "discharged", lambda label: (shown,))
        [claim] = run(LABEL, "--json").data["claims"]
        assert (claim["verdict"], claim["beyond"], claim["discharged"]) == ("PROVED", None, [to_data(shown)])
        asked = f"it takes exact-inverse, shown for 3 counts, by enclosure. What it asks: {TAKEN['exact-inverse']}"
        assert asked in run(LABEL, "--all").told

    @pytest.mark.parametrize("states", ["claim", "part", "steps"])
    def test_what_leaves_something_is_proved_in_steps(self, monkeypatch: pytest.MonkeyPatch, states: str) -> None:
        given(monkeypatch, states=states, beyond="the limit.")
        [claim] = prove([LABEL]).claims
        assert (claim.verdict, claim.beyond) == (Verdict.PROVED_STEPS, "the limit.")

    def test_a_condition_that_is_never_met_rests_on_a_theorem(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        label = "cor:eventual-ordinary-optimality"
        assert kernel_theorems()[label].vacuous in run(label).told
        assert verdict_foreseen(label) is Verdict.VACUOUS
        missing = replace(kernel_theorems()[label], vacuous="Findings.no_such_theorem")
        monkeypatch.setattr(kernel, "kernel_theorems", lambda: {label: missing})
        assert verdict_foreseen(label) is None

    @pytest.mark.parametrize("name", ["lem_payment_range_always", "further"])
    def test_a_theorem_that_coq_did_not_print_proves_nothing(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        given(monkeypatch, others=("Statements.further",))
        kept = {key: said for key, said in kernel.stored().statements.items() if key != name}
        stored = replace(kernel.stored(), statements=kept)
        monkeypatch.setattr(kernel, "stored", lambda: stored)
        done = run(LABEL)
        assert (done.code, "does not count: nothing is stored of it" in done.told) == (1, True)
        assert f"{LABEL} (Lemma 25) is not proved." in done.told

    def test_the_theorems_must_rest_on_the_real_numbers_alone(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        stored = replace(kernel.stored(), assumptions=(*kernel.stored().assumptions, "cheating"))
        monkeypatch.setattr(kernel, "stored", lambda: stored)
        monkeypatch.setattr(kernel, "kernel_theorems", kernel_theorems.__wrapped__)
        done = run(LABEL)
        assert (done.code, "does not count: the theorems rest on cheating" in done.told) == (1, True)


#: What `coqchk -o` prints when it has checked files.
SUMMARY = "\n  \n".join(
    [
        "\nCONTEXT SUMMARY\n===============\n\n* Theory: Set is predicative",
        "* Axioms:{axioms}",
        "* Constants/Inductives relying on type-in-type: <none>",
        "* Constants/Inductives relying on unsafe (co)fixpoints: <none>",
        "* Inductives whose positivity is assumed:{assumed}\n  \n",
    ]
)


class TestFolder:
    """`--out`: the sources of the theorems, and a script with which Coq checks them without this program."""

    def test_holds_what_the_theorems_need_and_no_more(self, run: Run, tmp_path: Path) -> None:
        assert run(LABEL, "--out", tmp_path).code == 0
        needed = files_for([kernel_theorems()[LABEL].file])
        assert "Radius.v" in needed
        assert len(needed) < len(sources())
        assert {each.name for each in tmp_path.glob("*.v")} == {*needed, "Theorems.v"}
        assert (tmp_path / "_CoqProject").read_text().split()[3:] == needed
        document = json.loads((tmp_path / "claims.json").read_text())
        assert [claim["label"] for claim in document["claims"]] == [LABEL]

    def test_files_come_with_all_that_they_require(self, monkeypatch: pytest.MonkeyPatch) -> None:
        texts = {
            "A.v": "",
            "B.v": "From Costproof Require A.\n",
            "C.v": "(* From Costproof Require Import D. *)\nFrom Costproof Require Import\n  B.\n",
            "D.v": "",
        }
        monkeypatch.setattr(folders, "sources", lambda: texts)
        assert files_for(["C.v"]) == ["A.v", "B.v", "C.v"]

    @pytest.mark.parametrize(
        ("summary", "code"),
        [
            (SUMMARY.format(axioms="\n    Coq.Logic.Classical_Prop.classic", assumed=" <none>"), 0),
            (SUMMARY.format(axioms=" <none>", assumed=" <none>"), 0),
            (SUMMARY.format(axioms="\n    Costproof.Runs.classic", assumed=" <none>"), 1),
            (SUMMARY.format(axioms=" Costproof.Runs.classic", assumed=" <none>"), 1),
            (SUMMARY.format(axioms=" <none>", assumed="\n    Costproof.Runs.paradox"), 1),
            (
                SUMMARY.format(axioms=" <none>", assumed=" <none>").replace(
                    "Set is predicative", "Set is impredicative"
                ),
                1,
            ),
            ("", 1),
        ],
    )
    def test_its_script_believes_no_other_summary(self, tmp_path: Path, summary: str, code: int) -> None:
        """Two programs stand here for Coq's."""
        place = write_folder([kernel_theorems()[LABEL]], {}, str(tmp_path / "out"))
        (tmp_path / "summary").write_text(summary)
        for name, does in (("coqc", "true"), ("coqchk", f"cat '{tmp_path}/summary'")):
            (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
            (tmp_path / name).chmod(0o755)
        path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "check.sh"], cwd=place, env=path, capture_output=True, text=True, check=False)
        assert (done.returncode, "Coq accepts the theorems." in done.stdout) == (code, code == 0), done.stdout

    @pytest.mark.coq
    def test_its_script_has_coq_check_it_and_refuses_another_axiom(self, tmp_path: Path) -> None:
        theorem = kernel_theorems()["claim:robust-equilibrium"]
        place = write_folder([theorem], {}, str(tmp_path / "right"))
        done = subprocess.run(["sh", "check.sh"], cwd=place, capture_output=True, text=True, check=False)
        assert (done.returncode, "Coq accepts the theorems." in done.stdout) == (0, True), done.stdout + done.stderr
        assert theorem.name in done.stdout
        # The wrong theorem uses no library: of the real numbers coqchk takes most of a minute.
        for name, text in (("_CoqProject", "Wrong.v"), ("Wrong.v", "Theorem wrong : False. Admitted.\n")):
            (place / name).write_text(text)
        (place / "Theorems.v").write_text("From Costproof Require Wrong. Check Wrong.wrong.\n")
        done = subprocess.run(["sh", "check.sh"], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Costproof.Wrong.wrong\nthese are no axioms" in done.stdout


def test_the_python_call_says_the_same() -> None:
    from costproof import prove as front

    assert front(LABEL) == prove([LABEL])
    assert main(["prove", LABEL, "--json"]) == 0

"""`costproof prove` as a user meets it: one document, exit codes, one line on bad input."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from proofs_checks.cli.main import main
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.solvers import solvers


@pytest.fixture
def run(capsys, monkeypatch, theory, stored):
    monkeypatch.setattr(proving, "all_proofs", lambda: theory)

    def call(*arguments: object) -> SimpleNamespace:
        capsys.readouterr()
        code = main(["prove", *map(str, arguments)])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call


def assert_bad_input(outcome, *mentioned):
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    for word in mentioned:
        assert word in outcome.err


def test_a_table_of_all(run):
    done = run()
    assert done.code == 0
    for word in (
        "lem:sum",
        "thm:product",
        "PROVED",
        "2 of 3 claims are PROVED: for all parameters, the whole statement, by Coq or by both solvers.",
        "1 more is PROVED_STEPS: each step",
        "must be trusted",
        "vocabulary.py",
    ):
        assert word in " ".join(done.out.split())


def test_one_claim_in_full(run):
    done = run("lem:sum")
    assert done.code == 0
    for word in (
        "sum-positive",
        "a sum of positive numbers is positive",
        "certificate rechecked",
        "mutants false 2 of 2",
    ):
        assert word in " ".join(done.out.split())
    assert "without first" not in done.out


def test_mutants_are_named_on_request(run):
    assert "mutant 'without first': false" in run("lem:sum", "--all").out


def test_one_claim_is_told_by_its_verdict(run):
    assert " ".join(run("lem:sum").out.split()).startswith(
        "lem:sum is PROVED: for all parameters, the whole statement, by Coq or by both solvers."
    )


def test_the_graph(run):
    done = run("thm:product", "--graph")
    assert done.code == 0
    assert "lem:sum" in done.out.splitlines()[1]
    assert "uses" not in done.out
    assert "obligation sum-positive" in done.out


def test_json_is_one_document(run):
    done = run("--json")
    assert done.code == 0
    assert done.err == ""
    data = json.loads(done.out)
    assert [claim["label"] for claim in data["claims"]] == ["lem:sum", "thm:product", "lem:cost"]


def test_out_then_recheck_is_clean(run, tmp_path):
    place = tmp_path / "out"
    assert run("--out", place).code == 0
    done = run("--recheck", place)
    assert done.code == 0
    assert "3 of 3 certificates" in " ".join(done.out.split())
    assert "FAILED" not in done.out
    assert json.loads(run("--recheck", place, "--json").out)["failures"] == []


def test_a_tampered_folder_is_exit_1_and_named(run, tmp_path):
    place = tmp_path / "out"
    run("--out", place)
    (place / "sum-positive.smt2").write_text("")
    done = run("--recheck", place)
    assert done.code == 1
    assert "FAILED sum-positive.smt2" in done.out
    assert json.loads(run("--recheck", place, "--json").out)["failures"][0]["file"].startswith("sum-positive")


def test_a_tampered_store_is_exit_1_and_named(run, stored):
    (stored / "sum-positive.json").write_text('{"facts": [], "tree": {"clash": true}}')
    done = run()
    assert done.code == 1
    assert "CONTRADICTION: sum-positive: its certificate fails" in done.out


def test_a_missing_solver_is_exit_1_and_said(run, monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    done = run()
    assert done.code == 1
    said = " ".join(done.out.split())
    why = "not decided here: z3 and cvc5 are not installed (pip install 'costproof[prove]'); the stored certificates"
    checker = "were re-checked by costproof's own checker"
    assert said.startswith(f"3 of 3 claims were {why} of all 3 steps {checker}")
    assert said.count("not installed") == 1
    assert "PROVED:" not in said
    assert "z3 says missing" not in said
    first = json.loads(run("--json").out)["claims"][0]
    assert first["verdict"] == "SKIPPED"
    assert first["reason"] == f"{why} of the only step {checker}"


def test_one_missing_solver_is_named_alone(run, monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None if name == "cvc5" else object())
    done = run("lem:sum")
    assert done.code == 1
    assert "not decided here: cvc5 is not installed" in " ".join(done.out.split())
    assert "false, says z3 alone" in done.out


def test_mutants_that_nobody_asked_are_not_called_unrefuted(run, monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    done = run("lem:sum")
    assert "mutants not asked" in " ".join(done.out.split())
    assert "mutant 'without first': not asked" in run("lem:sum", "--all").out
    assert "NOT SHOWN TO BE FALSE" not in done.out


def test_a_certificate_that_fails_is_no_want_of_solvers(run, stored, monkeypatch):
    (stored / "sum-positive.json").write_text('{"facts": [], "tree": {"clash": true}}')
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    first = json.loads(run("--json").out)["claims"][0]
    assert "its certificate fails" in first["reason"]
    assert "not installed" not in first["reason"]


def test_without_solvers_a_folder_is_rechecked_and_nothing_is_called_failed(run, tmp_path, monkeypatch):
    place = tmp_path / "out"
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    run("--out", place)
    done = run("--recheck", place)
    said = " ".join(done.out.split())
    assert done.code == 1
    assert "FAILED" not in said
    assert "No check failed. 3 claims are not decided" in said
    assert "3 of 3 certificates re-checked" in said
    assert "pip install 'costproof[prove]'" in said
    data = json.loads(run("--recheck", place, "--json").out)
    assert data["failures"] == []
    assert [one["label"] for one in data["undecided"]] == ["lem:sum", "thm:product", "lem:cost"]
    assert all("costproof prove --out DIR" in one["reason"] for one in data["undecided"])


def test_without_solvers_an_untouched_folder_says_what_was_not_checked(run, tmp_path, monkeypatch):
    place = tmp_path / "out"
    run("--out", place)
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    done = run("--recheck", place)
    said = " ".join(done.out.split())
    assert done.code == 0
    assert said.startswith(
        "No check failed. 3 of 3 certificates stand; how steps compose and 9 scripts were not checked here: "
        "z3 and cvc5 are not installed (pip install 'costproof[prove]')."
    )


def test_what_a_theorem_in_coq_proves_is_said_of_an_undecided_folder(capsys, tmp_path, monkeypatch):
    """The recipe of docs/how-to/recheck-with-coq.md, where no solver is installed."""
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    place = str(tmp_path / "out")
    assert main(["prove", "lem:payment-range", "--out", place]) == 0
    capsys.readouterr()
    assert main(["prove", "--recheck", place]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "A theorem in Coq, which no folder holds, proves of these: " in said
    assert "lem:payment-range. `costproof prove --kernel`" in said


def test_how_long_coq_takes_is_said_alike_everywhere(capsys):
    assert main(["prove", "--help"]) == 0
    docs = Path(__file__).parents[3] / "docs"
    pages = [(docs / name).read_text(encoding="utf-8") for name in ("kernel.md", "how-to/recheck-with-coq.md")]
    for text in (capsys.readouterr().out, *pages):
        said = re.findall(r"\S+ (?:to \S+ )?minutes?\b", " ".join(text.split()))
        assert said[0] == "two to four minutes"


def test_a_file_changed_without_solvers_still_fails(run, tmp_path, monkeypatch):
    place = tmp_path / "out"
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    run("--out", place)
    (place / "sum-positive.smt2").write_text("")
    assert "FAILED sum-positive.smt2" in run("--recheck", place).out


def test_a_claim_is_named_as_verify_names_it(run):
    plain, flagged = (json.loads(run(*how, "--json").out) for how in (["lem:sum"], ["--claim", "lem:sum"]))
    labels = [[claim["label"] for claim in data["claims"]] for data in (plain, flagged)]
    assert labels == [["lem:sum"], ["lem:sum"]]
    both = json.loads(run("lem:sum", "--claim", "lem:cost", "--json").out)
    assert [claim["label"] for claim in both["claims"]] == ["lem:sum", "lem:cost"]
    assert_bad_input(run("--claim", "lem:sum", "--recheck", "nowhere"), "--recheck")


@pytest.mark.parametrize("near", ["lem:one-stp", "lem:onestep"])
def test_an_unknown_label_names_the_nearest_claim_of_the_paper(run, near):
    assert_bad_input(run(near), near, "lem:one-step")


def test_recheck_stands_alone(run, tmp_path):
    assert_bad_input(run("lem:sum", "--recheck", tmp_path), "--recheck")
    assert_bad_input(run("--out", tmp_path, "--recheck", tmp_path), "--recheck")


def test_no_manifest_is_bad_input(run, tmp_path):
    assert_bad_input(run("--recheck", tmp_path), "manifest.json")


def test_a_place_that_cannot_be_written_is_bad_input(run, tmp_path):
    (tmp_path / "file").write_text("")
    assert_bad_input(run("--out", tmp_path / "file"), "--out")


HARD = """
import sys
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation
from proofs_checks.proofs.language.obligation import Proof
from proofs_checks.proofs.language.terms import INT, constants, equal
from proofs_checks.cli.main import main
a, b, c = constants("a b c", INT)
cubes = {"cubes": Hypothesis(equal(a * a * a + b * b * b + c * c * c, 114))}
hard = [Obligation(f"hard-{k}", "hard", cubes, a > a + k) for k in range(9)]
proving.all_proofs = lambda: {"lem:hard": Proof("lem:hard", tuple(hard), "not at all")}
sys.stderr.write("ready\\n")
sys.stderr.flush()
sys.exit(main(["prove"]))
"""


def test_an_interruption_is_exit_130_and_does_not_wait_for_the_rest():
    process = subprocess.Popen(
        [sys.executable, "-c", HARD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    process.stderr.readline()
    time.sleep(1.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # Each of the 18 questions to each solver would take 5 s.
    assert time.monotonic() - start < 20
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "interrupted" in err

"""`costproof prove` as a user meets it: one document, exit codes, one line on bad input."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from proofs_checks.cli.main import main
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.solvers import solvers
from tests.proofs_checks.outcomes import assert_bad_input, outcome_of

pytestmark = pytest.mark.usefixtures("shared_solvers")


@pytest.fixture
def run(capsys, monkeypatch, theory, stored):
    monkeypatch.setattr(proving, "all_proofs", lambda: theory)
    return lambda *arguments: outcome_of(capsys, "prove", *arguments)


def test_a_table_of_all(run):
    done = run()
    assert done.code == 0
    for word in ("lem:sum", "thm:product", "2 of 3 claims are PROVED", "1 more is PROVED_STEPS", "must be trusted"):
        assert word in done.told


def test_one_claim_in_full(run):
    done = run("lem:sum")
    assert done.code == 0
    assert done.told.startswith("lem:sum is PROVED: ")
    for word in (
        "sum-positive",
        "a sum of positive numbers is positive",
        "certificate rechecked",
        "mutants false 2 of 2",
    ):
        assert word in done.told
    assert "without first" not in done.out
    assert "mutant 'without first': false" in run("lem:sum", "--all").out


def test_json_is_one_document(run):
    done = run("--json")
    assert done.code == 0
    assert done.err == ""
    data = done.data
    assert [claim["label"] for claim in data["claims"]] == ["lem:sum", "thm:product", "lem:cost"]


def test_a_folder_rechecks_and_a_tampered_one_is_exit_1_and_named(run, tmp_path):
    place = tmp_path / "out"
    assert run("--out", place).code == 0
    done = run("--recheck", place)
    assert done.code == 0
    assert "3 of 3 certificates" in done.told
    assert run("--recheck", place, "--json").data["failures"] == []
    (place / "sum-positive.smt2").write_text("")
    done = run("--recheck", place)
    assert done.code == 1
    assert "FAILED sum-positive.smt2" in done.out
    assert run("--recheck", place, "--json").data["failures"][0]["file"].startswith("sum-positive")


def test_a_tampered_store_is_exit_1_and_named(run, stored):
    (stored / "sum-positive.json").write_text('{"facts": [], "tree": {"clash": true}}')
    done = run()
    assert done.code == 1
    assert "CONTRADICTION: sum-positive: its certificate fails" in done.out


def test_missing_solvers_are_exit_1_and_said(run, monkeypatch):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    done = run()
    assert done.code == 1
    why = "not decided here: z3 and cvc5 are not installed (pip install 'costproof[prove]'); the stored certificates"
    checker = "were re-checked by costproof's own checker"
    assert done.told.startswith(f"3 of 3 claims were {why} of all 3 steps {checker}")
    assert done.told.count("not installed") == 1
    assert "z3 says missing" not in done.told
    first = run("--json").data["claims"][0]
    assert (first["verdict"], first["reason"]) == ("SKIPPED", f"{why} of the only step {checker}")
    one = run("lem:sum")
    assert "mutants not asked" in one.told
    assert "NOT SHOWN TO BE FALSE" not in one.out


def test_without_solvers_a_folder_is_rechecked_and_nothing_is_called_failed(run, tmp_path, monkeypatch):
    whole, place = tmp_path / "whole", tmp_path / "out"
    run("--out", whole)
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    run("--out", place)
    done = run("--recheck", whole)
    assert done.code == 0
    assert done.told.startswith(
        "No check failed. 3 of 3 certificates stand; how steps compose and 9 scripts were not checked here: "
        "z3 and cvc5 are not installed (pip install 'costproof[prove]')."
    )
    done = run("--recheck", place)
    assert done.code == 1
    assert "FAILED" not in done.told
    assert "No check failed. 3 claims are not decided" in done.told
    data = run("--recheck", place, "--json").data
    assert data["failures"] == []
    assert [one["label"] for one in data["undecided"]] == ["lem:sum", "thm:product", "lem:cost"]
    assert all("costproof prove --out DIR" in one["reason"] for one in data["undecided"])


def test_what_a_theorem_in_coq_proves_is_said_of_an_undecided_folder(capsys, tmp_path, monkeypatch):
    """The recipe of docs/how-to/recheck-with-coq.md, where no solver is installed."""
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    place = str(tmp_path / "out")
    assert main(["prove", "lem:payment-range", "--out", place]) == 0
    capsys.readouterr()
    assert main(["prove", "--recheck", place]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "A theorem in Coq, which no folder holds, proves of these: " in told
    assert "lem:payment-range. `costproof prove --kernel`" in told


def test_a_claim_is_named_as_verify_names_it(run):
    plain, flagged = (run(*how, "--json").data for how in (["lem:sum"], ["--claim", "lem:sum"]))
    labels = [[claim["label"] for claim in data["claims"]] for data in (plain, flagged)]
    assert labels == [["lem:sum"], ["lem:sum"]]
    both = run("lem:sum", "--claim", "lem:cost", "--json").data
    assert [claim["label"] for claim in both["claims"]] == ["lem:sum", "lem:cost"]
    assert_bad_input(run("--claim", "lem:sum", "--recheck", "nowhere"), "--recheck")


def test_bad_input_is_one_line(run, tmp_path):
    (tmp_path / "file").write_text("")
    for near in ("lem:one-stp", "lem:onestep"):
        assert_bad_input(run(near), near, "lem:one-step")
    for arguments in (("lem:sum", "--recheck", tmp_path), ("--out", tmp_path, "--recheck", tmp_path)):
        assert_bad_input(run(*arguments), "--recheck")
    assert_bad_input(run("--recheck", tmp_path), "manifest.json")
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


@pytest.mark.long("interrupts a process")
def test_an_interruption_is_exit_130_and_does_not_wait_for_the_rest():
    process = subprocess.Popen(
        [sys.executable, "-c", HARD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    process.stderr.readline()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    # Each of the 18 questions to each solver would take 5 s.
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "interrupted" in err

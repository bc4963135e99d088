"""Proving: what counts as proved, and everything that must not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof, scripts_of
from proofs_checks.proofs.language.terms import INT, constants, equal
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import solvers
from proofs_checks.proofs.solvers.kept_answers import answers_to
from proofs_checks.proofs.solvers.solvers import SOLVERS, ask_all, ask_both
from proofs_checks.verdict import Verdict

pytestmark = pytest.mark.usefixtures("shared_solvers")

X, Y = constants("x y")
A, B, C = constants("a b c", INT)


def proof_of(obligation: Obligation, label: str = "lem:tried") -> dict[str, Proof]:
    return {label: Proof(label, (obligation,), "directly")}


def claim(report, label="lem:tried"):
    [found] = [claim for claim in report.claims if claim.proof.label == label]
    return found


def test_a_small_theory_is_proved(theory, stored):
    report = prove(proofs=theory)
    # What leaves something to English is proved step by step.
    assert [c.verdict for c in report.claims] == [Verdict.PROVED, Verdict.PROVED, Verdict.PROVED_STEPS]
    assert [c.composition for c in report.claims] == ["checked", "checked", "argued"]
    assert not report.contradictions
    results = [result for c in report.claims for result in c.obligations]
    assert all(result.certificate == "rechecked" and result.telling for result in results)
    assert sum(result.mutants_refuted for result in results) == 6
    data = json.loads(json.dumps(report.to_data()))
    assert len(data["trusted_base"]) >= 5
    for found in data["claims"]:
        assert found.keys() >= {"label", "verdict", "composition", "beyond", "obligations"}
        for obligation in found["obligations"]:
            assert obligation.keys() >= {"name", "logic", "seconds", "hypotheses_satisfiable", "mutants_refuted"}
            assert (obligation["z3"], obligation["cvc5"], obligation["certificate"]) == ("unsat", "unsat", "rechecked")
    [mutant, _] = data["claims"][0]["obligations"][0]["mutants"]
    assert mutant["counterexample"]["y"] != "0.0"


def test_a_claim_pulls_in_what_it_uses_but_shows_only_itself(theory, stored):
    report = prove(["thm:product"], proofs=theory, mutants=False)
    assert [c.proof.label for c in report.claims] == ["thm:product"]


def test_what_uses_a_false_claim_is_not_proved(theory, stored):
    false = replace(theory["lem:sum"].obligations[0], goal=X + Y > 1)
    broken = {**theory, "lem:sum": replace(theory["lem:sum"], obligations=(false,))}
    report = prove(proofs=broken)
    assert claim(report, "lem:sum").verdict is Verdict.SKIPPED
    assert "z3 says sat, cvc5 says sat" in claim(report, "lem:sum").reason
    assert claim(report, "thm:product").verdict is Verdict.SKIPPED
    assert "rests on lem:sum" in claim(report, "thm:product").reason
    assert claim(report, "lem:cost").verdict is Verdict.PROVED_STEPS


def test_a_mutant_that_is_as_true_makes_the_claim_vacuous():
    idle = Obligation("idle", "x", {"a": Hypothesis(X > 0), "b": Hypothesis(Y > 0)}, X > 0)
    found = claim(prove(proofs=proof_of(idle)))
    [result] = found.obligations
    assert (found.verdict, result.mutants_refuted, len(result.mutants)) == (Verdict.VACUOUS, 1, 2)
    assert "idle" in found.reason
    kept = claim(prove(proofs=proof_of(replace(idle, redundant={"b": "to be read"}))))
    assert (kept.verdict, kept.obligations[0].mutants_refuted) == (Verdict.PROVED, 1)


@pytest.mark.parametrize("missing", ["z3", "cvc5"])
def test_a_missing_solver_is_said_and_counts_as_no_proof(theory, stored, monkeypatch, missing):
    monkeypatch.setattr(solvers, "find_spec", lambda name: None if name == missing else object())
    report = prove(proofs=theory)
    for found in report.claims:
        assert found.verdict is Verdict.SKIPPED
        for result in found.obligations:
            assert result.to_data()[missing] == "missing"
            other = ({"z3", "cvc5"} - {missing}).pop()
            assert result.to_data()[other] == "unsat"
    assert not report.contradictions


@pytest.mark.long("waits for a time limit")
def test_a_solver_that_takes_too_long_proves_nothing():
    cubes = Obligation("cubes", "hard", {"cubes": Hypothesis(equal(A * A * A + B * B * B + C * C * C, 114))}, A > A)
    easy = Obligation("easy", "x", {"a": Hypothesis(X > 1)}, X > 0, (Mutant("a", drop=("a",)),))
    report = prove(proofs=proof_of(cubes) | proof_of(easy, "lem:easy"), time_limit=0.5)
    said = claim(report).obligations[0].to_data()
    assert claim(report).verdict is Verdict.SKIPPED
    assert "timeout" in (said["z3"], said["cvc5"])
    # A fresh process answers the questions after it.
    assert claim(report, "lem:easy").verdict is Verdict.PROVED


@pytest.mark.for_each(
    "output", ['unsat\n(error "line 3")', '(error "x")\nunsat', "", "unsat unsat", "success\nunsat", "UNSAT"]
)
def test_only_the_bare_answer_counts(output):
    assert solvers._interpreted(output, 0.0).answer == "error"


@pytest.mark.for_each(
    ("output", "answer"), [("unsat\n", "unsat"), ("unknown (INCOMPLETE)\n", "unknown"), ("sat\n((x 1.0))", "sat")]
)
def test_answers_are_read(output, answer):
    assert solvers._interpreted(output, 0.0).answer == answer


def answering(changed):
    """`answers_to` with some answers changed."""

    def ask(questions, **options):
        answers = answers_to(questions, **options)
        for (solver, name), answer in changed.items():
            if name in answers.get(solver, {}):
                answers[solver][name] = replace(answers[solver][name], answer=answer)
        return answers

    return ask


@pytest.mark.parametrize(
    ("solver", "answer"), [("z3", "sat"), ("cvc5", "unknown"), ("z3", "error"), ("cvc5", "timeout")]
)
def test_one_solver_alone_proves_nothing(theory, stored, monkeypatch, solver, answer):
    monkeypatch.setattr(proving, "answers_to", answering({(solver, "sum-positive"): answer}))
    report = prove(proofs=theory)
    assert claim(report, "lem:sum").verdict is Verdict.SKIPPED
    assert f"{solver} says {answer}" in claim(report, "lem:sum").reason
    disagree = ("sum-positive: z3 and cvc5 disagree",) if answer == "sat" else ()
    assert report.contradictions == disagree


@pytest.mark.parametrize(
    ("question", "answer"), [("sum-positive.hypotheses", "unknown"), ("sum-positive.mutant-2", "unsat")]
)
def test_one_solver_alone_shows_no_sense(theory, stored, monkeypatch, question, answer):
    monkeypatch.setattr(proving, "answers_to", answering({("cvc5", question): answer}))
    report = prove(proofs=theory)
    assert claim(report, "lem:sum").verdict is Verdict.VACUOUS
    assert bool(report.contradictions) == (answer == "unsat")


def test_a_tampered_certificate_in_the_store_is_named(theory, stored):
    place = stored / "sum-positive.json"
    certificate = json.loads(place.read_text())
    certificate["tree"] = {"sum": [[[0], "1"]]}
    place.write_text(json.dumps(certificate))
    report = prove(proofs=theory)
    assert claim(report, "lem:sum").verdict is Verdict.SKIPPED
    assert "its certificate fails" in claim(report, "lem:sum").reason
    assert claim(report, "thm:product").verdict is Verdict.SKIPPED
    assert any("sum-positive: its certificate fails" in said for said in report.contradictions)


@pytest.mark.parametrize("text", ["", "3", "[" * 100_000, "\xff"])
def test_a_certificate_that_is_no_json_is_named_too(theory, stored, text):
    (stored / "sum-positive.json").write_text(text, encoding="latin-1")
    found = claim(prove(["lem:sum"], proofs=theory), "lem:sum")
    assert (found.verdict, found.obligations[0].certificate) == (Verdict.SKIPPED, "failed")


def test_no_certificate_is_no_failure(theory, stored):
    (stored / "sum-positive.json").unlink()
    found = claim(prove(["lem:sum"], proofs=theory), "lem:sum")
    assert (found.verdict, found.obligations[0].certificate) == (Verdict.PROVED, "none")


def test_a_dead_process_is_replaced(theory, stored, monkeypatch):
    """A solver that crashes at one question answers the next ones."""
    from proofs_checks.proofs.language.smtlib import script

    good = script({"a": X > 0}, title="good", satisfiable=True)
    asked = solvers._Worker.ask

    def ask(self, text, time_limit):
        if text == "crash":
            self._process.kill()
            self._process.wait()
        return asked(self, text, time_limit)

    monkeypatch.setattr(solvers._Worker, "ask", ask)
    said = ask_all("z3", {"first": good, "second": "crash", "third": good})
    assert [a.answer for a in said.values()] == ["sat", "error", "sat"]


@pytest.mark.long("asks both solvers for every hypothesis")
def test_a_hypothesis_without_a_mutant_has_a_reason_and_would_have_none():
    """Leaving it out is not shown to make the obligation false: else it would be a mutant as all others are."""
    obligations = obligations_of(all_proofs()).values()
    left_out = [(one, name) for one in obligations for name in one.redundant]
    assert all(one.redundant[name] for one, name in left_out)
    questions = {}
    for one, name in left_out:
        [_, _, asked] = scripts_of(one, [Mutant("m", drop=(name,))])
        questions[f"{one.name}: {name}"] = asked.text
    answers = ask_both(questions)
    assert [name for name in questions if all(answers[solver][name].answer == "sat" for solver in SOLVERS)] == []
    counted = sum(len(one.hypotheses) - len(one.redundant) + len(one.further_mutants) for one in obligations)
    assert counted == sum(len(one.mutants) for one in obligations) >= 1059

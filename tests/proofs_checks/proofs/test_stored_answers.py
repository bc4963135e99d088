"""Answers of the solvers that come with the package: what the solvers say, for the scripts of today, and told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.claims.implications import ContradictionError
from proofs_checks.cli.main import main
from proofs_checks.proofs.catalogue import all_proofs, verdict_foreseen
from proofs_checks.proofs.evidence import ProofsLookedAt, certificate_evidence, with_proofs
from proofs_checks.proofs.kept import hash_of
from proofs_checks.proofs.prove import labels_with_proofs, prove
from proofs_checks.proofs.solvers import kept_answers
from proofs_checks.proofs.solvers.kept_answers import answers_to, stored_answers, stored_location
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered, ask_each
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.citing import below, cited

SCRIPT = "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (> x 0.0))\n(check-sat)\n"
#: Its verdict rests on what the solvers say: no theorem in Coq states it.
LABEL = "thm:regret:sharp"

pytestmark = pytest.mark.usefixtures("folder")


def _newest(solver: str) -> Mapping[str, Any]:
    """Return the stored answers of a solver, whatever version gave them."""
    [file] = Path(stored_location()).glob(f"answers-{solver}-*.json")
    return dict(json.loads(file.read_text(encoding="utf-8")))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What takes the place of the stored answers, by solver; the versions do not matter."""
    found = {solver: dict(_newest(solver)) for solver in SOLVERS}
    monkeypatch.setattr(kept_answers, "stored_answers", lambda solver, version: found[solver])
    return found


@pytest.mark.long("proves every claim")
def test_every_claim_has_the_verdict_that_is_foreseen_and_the_solvers_answer_the_same_today(folder: Path) -> None:
    report = prove(mutants=False, fresh=True)
    assert {one.answer for one in report.answers} == {"sat", "unsat"}
    assert {one.proof.label: one.verdict for one in report.claims} == {
        label: verdict_foreseen(label) for label in all_proofs()
    }
    for solver in SOLVERS:
        [file] = folder.glob(f"answers-{solver}-*.json")
        now, then = json.loads(file.read_text()), _newest(solver)
        told = {key: answer for key, (answer, _, _) in now.items()}
        # Which models are looked for with the second solver depends on those that the first one finds.
        assert len(told.keys() - then.keys()) <= 5, "python -m proofs_checks.proofs stores them"
        assert {key: then[key][0] for key in told.keys() & then.keys()} == {
            key: told[key] for key in told.keys() & then.keys()
        }
    for one in report.claims:
        label = one.proof.label
        assert {cites: tuple(sorted(names)) for cites, names in one.cited_proofs.items()} == cited(label)
        assert one.cited_proofs.keys() <= below(label)


@pytest.mark.usefixtures("given")
@pytest.mark.long("looks at every proof")
def test_they_decide_what_verify_asks(asked: list[str]) -> None:
    found = certificate_evidence(labels_with_proofs())
    assert not asked
    assert found.keys() == set(with_proofs(labels_with_proofs()))
    assert all(piece.kept and piece.stored for piece in found.values() if piece.obligations)
    assert {piece.verdict for piece in found.values()} >= {Verdict.PROVED, Verdict.PROVED_STEPS}
    counts = ProofsLookedAt.of([(piece.verdict, piece) for piece in found.values()])
    assert counts.stored == counts.kept == sum(bool(piece.obligations) for piece in found.values())


def test_they_are_there_for_the_versions_that_are_installed() -> None:
    for solver in SOLVERS:
        assert stored_answers(solver, "0.0") == {}
        [file] = Path(stored_location()).glob(f"answers-{solver}-*.json")
        assert stored_answers(solver, file.stem.removeprefix(f"answers-{solver}-")) == _newest(solver)


def test_only_the_same_script_is_answered(asked: list[str], given: dict[str, dict[str, Any]]) -> None:
    given["z3"][hash_of(SCRIPT)] = ["unsat", 0.0, "model"]
    first = answers_to({"a": SCRIPT, "b": f"{SCRIPT} "}, stored=True)
    assert asked == ["z3 b", "cvc5 a", "cvc5 b"]
    assert [first["z3"][name].stored for name in "ab"] == [True, False]
    assert first["z3"]["a"].kept
    # Who proves asks, and what was asked here takes the place of what is stored.
    assert answers_to({"a": SCRIPT})["z3"]["a"].answer == "sat"
    assert answers_to({"a": SCRIPT}, stored=True, fresh=True)["z3"]["a"].answer == "sat"
    assert not answers_to({"a": SCRIPT}, stored=True)["z3"]["a"].stored


@pytest.mark.usefixtures("given")
@pytest.mark.long("looks at a theorem")
def test_a_solver_that_is_not_installed_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(questions: Mapping[str, Mapping[str, str]], **_: object) -> dict[str, dict[str, Any]]:
        return {solver: dict.fromkeys(mine, Answered("missing", 0.0)) for solver, mine in questions.items()}

    monkeypatch.setattr(kept_answers, "installed", lambda: ("z3",))
    monkeypatch.setattr(kept_answers, "ask_each", missing)
    found = certificate_evidence([LABEL])[LABEL]
    assert (found.verdict, found.missing, found.kept) == (Verdict.SKIPPED, ("cvc5",), False)


@pytest.mark.long("asks what a theorem needs")
def test_what_one_solver_was_asked_is_not_said_to_come_with_the_package(asked: list[str], given) -> None:
    given["cvc5"].clear()
    found = certificate_evidence([LABEL])[LABEL]
    assert {each.partition(" ")[0] for each in asked} == {"cvc5"}
    assert (found.verdict, found.kept, found.stored) == (Verdict.PROVED_STEPS, False, False)


@pytest.mark.long("asks what a theorem needs")
@pytest.mark.parametrize("wrong", ["sat", "unknown"])
def test_a_wrong_one_proves_nothing(given, asked: list[str], monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    unsat = [key for key, entry in given["z3"].items() if entry[0] == "unsat"]
    given["z3"] |= {key: [wrong, 0.0, ""] for key in unsat}
    if wrong == "unknown":  # is no answer that stays: it is asked
        assert certificate_evidence([LABEL])[LABEL].verdict is Verdict.PROVED_STEPS
        assert asked
    else:
        # Wrong answers leave premises without what they follow from. They are asked, and no time is enough for them.
        monkeypatch.setattr(kept_answers, "ask_each", lambda questions, **_: ask_each(questions, time_limit=0.3))
        with pytest.raises(ContradictionError, match="z3 and cvc5 disagree"):
            certificate_evidence([LABEL])


@pytest.mark.usefixtures("given")
def test_the_command_says_that_they_come_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["verify", "gpqa-strong", "--claim", LABEL, "--runs", "1", "--horizon", "50", "--instances", "0"]
    assert main([*command, "--jobs", "1"]) == 0
    assert "no solver was asked here" in " ".join(capsys.readouterr().out.split())

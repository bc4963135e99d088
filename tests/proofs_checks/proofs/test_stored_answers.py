"""Answers of the solvers that come with the package: what the solvers say, for the scripts of today, and told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.claims.implications import ContradictionError
from proofs_checks.cli.main import main
from proofs_checks.proofs.evidence import ProofsLookedAt, certificate_evidence, with_proofs
from proofs_checks.proofs.kept import hash_of
from proofs_checks.proofs.prove import labels_with_proofs, prove
from proofs_checks.proofs.solvers import kept_answers
from proofs_checks.proofs.solvers.kept_answers import answers_to, stored_answers, stored_location
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered, ask_each
from proofs_checks.verdict import Verdict

SCRIPT = "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (> x 0.0))\n(check-sat)\n"
#: Its verdict rests on what the solvers say: no theorem in Coq states it.
LABEL = "thm:regret:sharp"


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What takes the place of the stored answers, by solver; the versions do not matter."""
    given: dict[str, dict[str, Any]] = {solver: {} for solver in SOLVERS}
    monkeypatch.setattr(kept_answers, "stored_answers", lambda solver, version: given[solver])
    return given


def _newest(solver: str) -> Mapping[str, Any]:
    """Return the stored answers of a solver, whatever version gave them."""
    [file] = Path(stored_location()).glob(f"answers-{solver}-*.json")
    return dict(json.loads(file.read_text(encoding="utf-8")))


def test_the_solvers_answer_the_same_today(folder: Path) -> None:
    report = prove(mutants=False, fresh=True)
    assert report.definite
    for solver in SOLVERS:
        [file] = folder.glob(f"answers-{solver}-*.json")
        now, then = json.loads(file.read_text()), _newest(solver)
        told = {key: answer for key, (answer, _, _) in now.items()}
        # Which models are looked for with the second solver depends on those that the first one finds.
        assert len(told.keys() - then.keys()) <= 5, "python -m proofs_checks.proofs stores them"
        assert {key: then[key][0] for key in told.keys() & then.keys()} == {
            key: told[key] for key in told.keys() & then.keys()
        }


def test_they_decide_what_verify_asks(asked: list[str], stored: dict[str, dict[str, Any]]) -> None:
    stored.update({solver: dict(_newest(solver)) for solver in SOLVERS})
    found = certificate_evidence(labels_with_proofs())
    assert not asked
    assert found.keys() == set(with_proofs(labels_with_proofs()))
    assert all(piece.kept and piece.stored for piece in found.values() if piece.obligations)
    assert {piece.verdict for piece in found.values()} >= {Verdict.PROVED, Verdict.PROVED_STEPS}
    counts = ProofsLookedAt.of([(piece.verdict, piece) for piece in found.values()])
    assert counts.stored == counts.kept == sum(bool(piece.obligations) for piece in found.values())


def test_of_the_versions_that_are_installed_they_are_there() -> None:
    for solver in SOLVERS:
        assert stored_answers(solver, "0.0") == {}
        [file] = Path(stored_location()).glob(f"answers-{solver}-*.json")
        version = file.stem.removeprefix(f"answers-{solver}-")
        assert stored_answers(solver, version) == _newest(solver)
        assert version[0].isdigit()


def test_only_the_same_script_is_answered(asked: list[str], stored: dict[str, dict[str, Any]]) -> None:
    stored["z3"][hash_of(SCRIPT)] = ["sat", 0.0, "model"]
    first = answers_to({"a": SCRIPT, "b": f"{SCRIPT} "}, stored=True)
    assert asked == ["z3 b", "cvc5 a", "cvc5 b"]
    assert [first["z3"][name].stored for name in "ab"] == [True, False]
    assert first["z3"]["a"].kept
    # What was asked here takes the place of what is stored.
    answers_to({"a": SCRIPT}, fresh=True)
    assert not answers_to({"a": SCRIPT}, stored=True)["z3"]["a"].stored


def test_who_proves_asks(asked: list[str], stored: dict[str, dict[str, Any]]) -> None:
    stored["z3"][hash_of(SCRIPT)] = ["unsat", 0.0, ""]
    assert answers_to({"a": SCRIPT})["z3"]["a"].answer == "sat"
    assert answers_to({"a": SCRIPT}, stored=True, fresh=True)["z3"]["a"].answer == "sat"
    stored.update({solver: dict(_newest(solver)) for solver in SOLVERS})
    asked.clear()
    found = prove([LABEL], mutants=False)
    assert len(asked) >= len(found.answers)
    assert not any(one.stored for one in found.answers)


def test_a_solver_that_is_not_installed_has_no_answer(
    stored: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.update({solver: dict(_newest(solver)) for solver in SOLVERS})
    monkeypatch.setattr(kept_answers, "installed", lambda: ("z3",))
    monkeypatch.setattr(kept_answers, "ask_each", lambda questions, **_: _missing(questions))
    found = certificate_evidence([LABEL])[LABEL]
    assert (found.verdict, found.missing, found.kept) == (Verdict.SKIPPED, ("cvc5",), False)


def test_what_one_solver_was_asked_is_not_said_to_come_with_the_package(
    asked: list[str], stored: dict[str, dict[str, Any]]
) -> None:
    stored["z3"].update(_newest("z3"))
    found = certificate_evidence([LABEL])[LABEL]
    assert {each.partition(" ")[0] for each in asked} == {"cvc5"}
    assert (found.verdict, found.kept, found.stored) == (Verdict.PROVED_STEPS, False, False)


def _missing(questions: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Any]]:
    return {solver: dict.fromkeys(mine, Answered("missing", 0.0)) for solver, mine in questions.items()}


@pytest.mark.parametrize("wrong", ["sat", "unknown"])
def test_a_wrong_one_proves_nothing(
    stored: dict[str, dict[str, Any]], asked: list[str], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    stored.update({solver: dict(_newest(solver)) for solver in SOLVERS})
    unsat = [key for key, entry in stored["z3"].items() if entry[0] == "unsat"]
    stored["z3"] |= {key: [wrong, 0.0, ""] for key in unsat}
    if wrong == "unknown":  # is no answer that stays: it is asked
        assert certificate_evidence([LABEL])[LABEL].verdict is Verdict.PROVED_STEPS
        assert asked
    else:
        # Wrong answers leave premises without what they follow from. They are asked, and no time is enough for them.
        monkeypatch.setattr(kept_answers, "ask_each", lambda questions, **_: ask_each(questions, time_limit=1.0))
        with pytest.raises(ContradictionError, match="z3 and cvc5 disagree"):
            certificate_evidence([LABEL])


@pytest.mark.parametrize("stored_here", [True, False])
def test_the_command_says_whether_they_come_with_it(
    stored: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str], stored_here: bool
) -> None:
    if stored_here:
        stored.update({solver: dict(_newest(solver)) for solver in SOLVERS})
    command = ["verify", "gpqa-strong", "--claim", LABEL, "--runs", "1", "--horizon", "50", "--instances", "0"]
    assert main([*command, "--jobs", "1"]) == 0
    assert ("no solver was asked here" in " ".join(capsys.readouterr().out.split())) is stored_here

"""What is kept between runs: used where nothing changed, made again where anything did, and never an error."""

from __future__ import annotations

import json
import os
import pickle
import re
import zlib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

from proofs_checks.cli.main import main
from proofs_checks.proofs import prove as proving
from proofs_checks.proofs.evidence import ProofsLookedAt, certificate_evidence
from proofs_checks.proofs.kept import Table, hash_of
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.solvers import kept_answers, solvers
from proofs_checks.proofs.solvers.kept_answers import answers_to
from proofs_checks.proofs.solvers.solvers import Answered, solver_versions
from proofs_checks.verdict import Verdict

TRUE = "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (> x 0.0))\n(check-sat)\n"
FALSE = "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (and (> x 0.0) (< x 0.0)))\n(check-sat)\n"
LABEL = "lem:one-step"


pytestmark = pytest.mark.usefixtures("folder")


class TestAnswers:
    def test_only_a_changed_script_is_asked(self, asked: list[str]) -> None:
        first, second = answers_to({"a": TRUE, "b": FALSE}), answers_to({"other name": FALSE})
        assert asked == ["z3 a", "z3 b", "cvc5 a", "cvc5 b"]
        assert {said["b"].answer for said in first.values()} == {"unsat"}
        assert [said["other name"].kept for said in second.values()] == [True, True]
        assert {said["other name"].answer for said in second.values()} == {"unsat"}

    def test_another_version_is_asked(self, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        answers_to({"a": TRUE})
        monkeypatch.setattr(kept_answers, "solver_versions", lambda: solver_versions() | {"z3": "0.0"})
        answers_to({"a": TRUE})
        assert asked[2:] == ["z3 a"]

    def test_fresh_asks_again_and_corrects(self, asked: list[str], folder: Path) -> None:
        answers_to({"a": TRUE})
        [file] = folder.glob("answers-z3-*.json")
        file.write_text(file.read_text().replace('"sat"', '"unsat"'))
        assert answers_to({"a": TRUE})["z3"]["a"].answer == "unsat"
        assert answers_to({"a": TRUE}, fresh=True)["z3"]["a"] == Answered("sat", pytest.approx(0, abs=60))
        assert answers_to({"a": TRUE})["z3"]["a"].answer == "sat"

    def test_what_a_solver_leaves_open_is_not_kept(self, asked: list[str]) -> None:
        answers_to({"a": "(check-sat"})
        answers_to({"a": "(check-sat"})
        assert len(asked) == 4

    @pytest.mark.parametrize(
        "content",
        ["[]", "{", '{"KEY": 3}', '{"KEY": ["perhaps", 0.1, ""]}', '{"KEY": ["sat", "0", ""]}', "\x00", "[" * 9999],
    )
    def test_a_spoilt_file_is_made_again(self, asked: list[str], folder: Path, content: str) -> None:
        (folder / f"answers-z3-{solver_versions()['z3']}.json").write_text(content.replace("KEY", hash_of(TRUE)))
        assert answers_to({"a": TRUE})["z3"]["a"].kept is False
        assert answers_to({"a": TRUE})["z3"]["a"].kept is True

    def test_where_nothing_can_be_written_all_is_asked(
        self, asked: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "file").write_text("")
        for place in (str(folder / "file"), "off", "/proc/none"):
            monkeypatch.setenv("COSTPROOF_CACHE", place)
            assert answers_to({"a": TRUE})["cvc5"]["a"].answer == "sat"
        assert len(asked) == 6


class Hostile:
    """What writes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.marker,)


@pytest.mark.long("asks both solvers three times")
def test_a_pickle_among_what_is_kept_is_never_loaded(folder: Path, asked: list[str]) -> None:
    marker = folder / "marker"
    attack = pickle.dumps(Hostile(marker))
    pickle.loads(attack)
    assert marker.exists()
    marker.unlink()
    prove([LABEL])
    number = len(asked)
    assert number > 0
    for content in (attack, zlib.compress(attack)):  # version 0.2.0 read compressed pickles here
        for file in [file for file in folder.rglob("*") if file.is_file()]:
            file.write_bytes(content)
        assert prove([LABEL]).answers_kept == 0
    assert (len(asked), marker.exists()) == (3 * number, False)


@pytest.mark.long("asks both solvers twice")
def test_proofs_are_kept_and_say_so(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    first = prove([LABEL])
    number = len(asked)
    assert main(["prove", LABEL]) == 0
    assert "are kept from an earlier run" in " ".join(capsys.readouterr().out.split())
    second, fresh = prove([LABEL]), prove([LABEL], fresh=True)
    assert len(asked) == 2 * number
    assert [each.answers_kept for each in (first, second, fresh)] == [0, len(first.answers), 0]
    plain = [json.dumps(each.to_data()["claims"], sort_keys=True) for each in (first, second)]
    assert plain[0] == plain[1]
    assert {each.claims[0].verdict for each in (first, second, fresh)} == {Verdict.PROVED}


@pytest.mark.long("proves a lemma of the paper")
def test_the_page_on_security_names_every_file_that_is_kept(folder: Path) -> None:
    certificate_evidence([LABEL])  # as `verify` looks at proofs
    prove([LABEL])
    page = (Path(__file__).parents[3] / "docs" / "security.md").read_text(encoding="utf-8")
    [unasked] = [line for line in page.splitlines() if line.startswith("| written unasked")]
    named = re.findall(r"`([^`]+)`", unasked)
    files = [str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()]
    assert len(files) > 1
    assert [file for file in files if not any(fnmatch(file, name) for name in named)] == []
    assert f"{kernel._REMEMBERED}.json" in named


def test_without_solvers_no_answer_is_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    assert [prove([LABEL]).to_data()["answers"] for _ in range(2)] == [{"asked": 0, "kept": 0}] * 2
    assert main(["prove", LABEL]) == 0
    assert "answers of the solvers" not in " ".join(capsys.readouterr().out.split())


@pytest.mark.long("asks both solvers")
def test_a_solver_that_gave_up_is_asked_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def tired(questions, **options):
        return {solver: dict.fromkeys(questions, Answered("timeout", 10.0)) for solver in ("z3", "cvc5")}

    with monkeypatch.context() as patch:
        patch.setattr(proving, "answers_to", tired)
        assert prove([LABEL]).claims[0].by_solvers is Verdict.SKIPPED
    found = prove([LABEL])
    assert found.claims[0].by_solvers is Verdict.PROVED
    assert found.claims[0].verdict is Verdict.PROVED


@pytest.mark.long("asks both solvers")
def test_verify_counts_the_proofs_that_no_solver_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "stored_answers", lambda solver, version: {})
    pieces = [certificate_evidence([LABEL])[LABEL] for _ in range(2)]
    assert [piece.kept for piece in pieces] == [False, True]
    assert ProofsLookedAt.of([(piece.verdict, piece) for piece in pieces]).kept == 1


def test_a_table_may_be_shared(folder: Path) -> None:
    one, other = Table("t"), Table("t")
    one.add({"a": 1})
    other.add({"b": 2})
    assert one.read() == {"a": 1, "b": 2}


def test_what_another_user_wrote_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Table("t").add({"a": 1})
    monkeypatch.setattr(os, "getuid", lambda: -1, raising=False)
    assert Table("t").read() == {}

"""Solvers that cannot be started say so: no verdict, and no problem of a folder, comes of a broken installation."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.solvers import solvers
from proofs_checks.proofs.solvers.solvers import ask_all, shared_processes

BROKEN = "raise ImportError('libz3.so: cannot open shared object file')\n"


@pytest.fixture
def broken_z3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A z3 before the true one on the path of every process that is started, which cannot be imported."""
    (tmp_path / "z3.py").write_text(getattr(request, "param", BROKEN))
    known = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(known))


@pytest.mark.usefixtures("broken_z3")
def test_what_is_wrong_is_told_with_its_remedy() -> None:
    with pytest.raises(InputError, match=r"'z3' cannot be started.*libz3.so.*force-reinstall z3-solver"):
        ask_all("z3", {"trivial": "(check-sat)\n"})
    assert ask_all("cvc5", {"trivial": "(set-logic QF_UF)\n(check-sat)\n"})["trivial"].answer == "sat"


@pytest.mark.parametrize("broken_z3", ["import time\ntime.sleep(1000)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_never_reads_is_stopped_though_the_script_does_not_fit_into_the_pipe() -> None:
    long = f"; {'x' * 1_000_000}\n(check-sat)\n"
    assert ask_all("z3", {"long": long}, time_limit=0.2)["long"].answer == "timeout"


SATISFIABLE = {"trivial": "(set-logic QF_UF)\n(check-sat)\n"}


class TestSharedProcesses:
    """Questions within a block go to one process of each solver, which ends with the block."""

    @pytest.fixture
    def processes(self, monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
        begun: list[subprocess.Popen[str]] = []

        class Noted(subprocess.Popen[str]):
            def __init__(self, *arguments: object, **more: object) -> None:
                super().__init__(*arguments, **more)  # type: ignore[arg-type]
                begun.append(self)

        monkeypatch.setattr(solvers.subprocess, "Popen", Noted)
        return begun

    def test_one_serves_all_questions_and_nested_blocks(self, processes: list[subprocess.Popen[str]]) -> None:
        refuted = {"false": "(set-logic QF_UF)\n(assert false)\n(check-sat)\n"}
        with shared_processes():
            assert ask_all("z3", refuted)["false"].answer == "unsat"
            with shared_processes():
                assert ask_all("z3", SATISFIABLE)["trivial"].answer == "sat"
            assert ask_all("z3", {**refuted, **SATISFIABLE})["trivial"].answer == "sat"
            assert len(processes) == 1
            assert processes[0].poll() is None
        assert processes[0].poll() is not None

    def test_they_end_with_an_error_and_one_that_was_interrupted_serves_no_more(
        self, processes: list[subprocess.Popen[str]]
    ) -> None:
        def interrupted(done: int, total: int) -> None:
            raise KeyboardInterrupt

        two = {**SATISFIABLE, "again": SATISFIABLE["trivial"]}
        with suppress(ZeroDivisionError), shared_processes():
            with pytest.raises(KeyboardInterrupt):
                ask_all("z3", two, progress=interrupted)
            ask_all("z3", SATISFIABLE)
            assert len(processes) == 2
            raise ZeroDivisionError
        assert all(one.poll() is not None for one in processes)

    def test_one_that_ran_out_of_time_is_replaced(self, processes: list[subprocess.Popen[str]]) -> None:
        with shared_processes():
            assert ask_all("z3", SATISFIABLE, time_limit=0.0)["trivial"].answer == "timeout"
            assert ask_all("z3", SATISFIABLE)["trivial"].answer == "sat"
            assert len(processes) == 2


#: What could stay behind in a solver that went on with the next script.
LASTING = {
    "a model": "(set-option :produce-models true)\n(set-logic QF_LRA)\n(declare-fun x () Real)\n"
    "(assert (> x 1.0))\n(check-sat)\n(get-value (x))\n",
    "a contradiction": "(set-logic QF_LRA)\n(declare-fun x () Real)\n(assert (> x x))\n(check-sat)\n",
    "the same symbol of another sort": "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 1))\n(check-sat)\n",
    "a definition": "(set-logic QF_LRA)\n(define-fun x () Real 0.0)\n(assert (= x 0.0))\n(check-sat)\n",
    "a kind of values": "(set-logic ALL)\n(declare-datatypes ((T 0)) (((a) (b))))\n(declare-fun x () T)\n"
    "(assert (distinct x a b))\n(check-sat)\n",
    "an option": "(set-option :print-success true)\n(set-logic QF_LRA)\n(check-sat)\n",
    "an error": "(set-logic QF_LRA)\n(assert unknown)\n(assert false)\n(check-sat)\n",
    "an end": "(set-logic QF_LRA)\n(check-sat)\n(exit)\n",
    "no logic": "(declare-fun x () Real)\n(assert (> (* x x) 2.0))\n(check-sat)\n",
}


@pytest.mark.long("starts many processes")
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_an_answer_depends_on_no_script_that_came_before_in_the_process(solver: str) -> None:
    alone = {name: ask_all(solver, {name: text})[name] for name, text in LASTING.items()}
    assert {alone[name].answer for name in ("a model", "no logic")} == {"sat"}
    assert {alone[name].answer for name in ("a contradiction", "a kind of values")} == {"unsat"}
    with shared_processes():
        for order in (list(LASTING), list(LASTING)[::-1]):
            told = ask_all(solver, {name: LASTING[name] for name in order})
            for name, one in alone.items():
                assert (name, told[name].answer, told[name].text) == (name, one.answer, one.text)


def test_scripts_that_differ_in_their_title_alone_are_put_once(monkeypatch: pytest.MonkeyPatch) -> None:
    put: list[str] = []
    ask = solvers._Worker.ask

    def noted(worker: solvers._Worker, text: str, time_limit: float) -> solvers.Answered:
        put.append(text)
        return ask(worker, text, time_limit)

    monkeypatch.setattr(solvers._Worker, "ask", noted)
    text = "(set-logic QF_LRA)\n(assert false)\n(check-sat)\n"
    other = text.replace("false", "true")
    told = ask_all("z3", {"a": f"; one\n{text}", "b": f"; two\n{text}", "c": f"; one\n{other}", "d": text})
    assert {name: one.answer for name, one in told.items()} == {"a": "unsat", "b": "unsat", "c": "sat", "d": "unsat"}
    assert put == [f"; one\n{text}", f"; one\n{other}"]

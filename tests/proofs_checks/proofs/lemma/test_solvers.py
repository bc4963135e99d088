"""The processes of solvers: limits, broken installations, and answers that depend on nothing before."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from threading import Timer

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.lemma import solvers as room
from proofs_checks.proofs.lemma.solvers import Solvers

SATISFIABLE, FALSE = (f"(set-logic QF_UF)\n{more}(check-sat)\n" for more in ("", "(assert false)\n"))


def answers(solvers: Solvers, *scripts: str, solver: str = "z3", **more: float) -> list[str]:
    return [told[solver].answer for told in solvers.ask(scripts, **more)]


@pytest.fixture
def broken_z3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A z3 before the true one on the path of every process that is started."""
    (tmp_path / "z3.py").write_text(request.param)
    known = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH"), str(Path.cwd())])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(known))


@pytest.mark.parametrize("broken_z3", ["raise ImportError('libz3.so: cannot open')\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_what_is_wrong_is_told_with_its_remedy() -> None:
    with (
        Solvers() as solvers,
        pytest.raises(InputError, match=r"'z3' cannot be started.*libz3.so.*reinstall z3-solver"),
    ):
        solvers.ask([SATISFIABLE])


@pytest.mark.parametrize("broken_z3", ["import os\nos._exit(3)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_dies_says_nothing() -> None:
    with Solvers() as solvers:
        assert answers(solvers, SATISFIABLE, FALSE) == ["error", "error"]
        assert answers(solvers, SATISFIABLE, FALSE, solver="cvc5") == ["sat", "unsat"]


@pytest.mark.parametrize("broken_z3", ["import time\ntime.sleep(1000)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_never_reads_is_stopped_though_the_script_does_not_fit_into_the_pipe() -> None:
    with Solvers() as solvers:
        assert answers(solvers, f"; {'x' * 1_000_000}\n(check-sat)\n", time_limit=0.2) == ["timeout"]


def test_a_solver_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"solver='z3 and cvc5' is not installed: pip install"):
        Solvers()


class TestProcesses:
    """One of each solver serves all questions, and ends with the block."""

    @pytest.fixture
    def processes(self, monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[str]]:
        begun: list[subprocess.Popen[str]] = []

        class Noted(subprocess.Popen[str]):
            def __init__(self, *arguments: object, **more: object) -> None:
                super().__init__(*arguments, **more)  # type: ignore[arg-type]
                begun.append(self)

        monkeypatch.setattr(room.subprocess, "Popen", Noted)
        return begun

    def test_one_of_each_serves_all_questions(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            assert [answers(solvers, one) for one in (FALSE, SATISFIABLE)] == [["unsat"], ["sat"]]
            assert [one.poll() for one in processes] == [None, None]
        assert all(one.poll() is not None for one in processes)
        assert answers(solvers, SATISFIABLE) == ["error"]
        assert len(processes) == 2

    def test_one_that_ran_out_of_time_is_replaced(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            assert answers(solvers, SATISFIABLE, time_limit=1e-6) == ["timeout"]
            assert answers(solvers, SATISFIABLE) == ["sat"]
        assert len(processes) == 4
        assert all(one.poll() is not None for one in processes)

    def test_they_are_stopped_while_at_work(self, processes: list[subprocess.Popen[str]]) -> None:
        with Solvers() as solvers:
            Timer(0.05, solvers.__exit__).start()
            assert "error" in answers(solvers, *[SATISFIABLE] * 100_000)
        assert all(one.poll() is not None for one in processes)


#: What could stay behind in a solver that went on with the next script.
LASTING = (
    "(set-option :produce-models true)\n(set-logic QF_LRA)\n(declare-fun x () Real)\n"
    "(assert (> x 1.0))\n(check-sat)\n(get-value (x))\n",
    "(set-logic QF_LRA)\n(declare-fun x () Real)\n(assert (> x x))\n(check-sat)\n",
    "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (> x 1))\n(check-sat)\n",
    "(set-logic QF_LRA)\n(define-fun x () Real 0.0)\n(assert (= x 0.0))\n(check-sat)\n",
    "(set-option :print-success true)\n(set-logic QF_LRA)\n(check-sat)\n",
    "(set-logic QF_LRA)\n(assert unknown)\n(assert false)\n(check-sat)\n",
    "(set-logic QF_LRA)\n(check-sat)\n(exit)\n",
    "(declare-fun x () Real)\n(assert (> (* x x) 2.0))\n(check-sat)\n",
)


@pytest.mark.long("starts many processes")
def test_an_answer_depends_on_no_script_that_came_before_in_the_process() -> None:
    alone = []
    for script in LASTING:
        with Solvers() as solvers:
            alone += solvers.ask([script])
    assert {told["z3"].answer for told in alone} == {"sat", "unsat", "error"}
    with Solvers() as solvers:
        assert solvers.ask(LASTING) == alone
        assert solvers.ask(LASTING[::-1]) == alone[::-1]

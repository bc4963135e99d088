"""Solvers that cannot be started say so: no verdict, and no problem of a folder, comes of a broken installation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.cli.main import main
from proofs_checks.proofs.solvers.solvers import ask_all

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


@pytest.mark.usefixtures("broken_z3")
def test_the_command_ends_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "lem:selection-counting"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "cannot be started" in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize("broken_z3", ["import os\nos._exit(3)\n"], indirect=True)
@pytest.mark.usefixtures("broken_z3")
def test_a_solver_that_dies_is_told_before_all_else(capsys: pytest.CaptureFixture[str]) -> None:
    """The claim is called tested then: silence would say that nobody has a proof of it."""
    # One job: worker processes would live on, with this z3, and serve other tests.
    assert main(["verify", "gpqa-strong", "--quick", "--jobs", "1", "--claim", "lem:selection-counting"]) == 0
    first = " ".join(capsys.readouterr().out.split())
    assert first.startswith("1 of 1 proof was not decided: a solver failed or ran out of time.")

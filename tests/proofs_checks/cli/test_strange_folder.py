"""What lies in the current folder is not run: modules with the names of Python's own, of solvers and of others."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play

pytestmark = pytest.mark.long("starts processes")

_OTHERS = ("z3", "cvc5", "numpy", "scipy", "sympy", "joblib", "loky", "psutil", "cloudpickle", "bounds", "mechanism")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of modules, each of which tells that it was run; and a log."""
    found = tmp_path_factory.mktemp("strange")
    for name in (*sorted(sys.stdlib_module_names), *_OTHERS):
        told = f"open({str(found / 'was run')!r}, 'a').write('{name} ')"
        (found / f"{name}.py").write_text(f"{told}\nraise ImportError\n")
    setting = published("gpqa-strong").setting
    write_trace(play(setting, "truthful", horizon=400, seed=0, run=0).trace, found / "log.csv", setting)
    return found


@pytest.mark.parametrize(
    "command",
    [
        ["prove", "lem:ordinary-payment"],
        ["verify", "gpqa-strong", "--quick", "--claim", "lem:ordinary-payment"],
        ["audit", "log.csv", "--setting", "gpqa-strong", "--jobs", "2"],
        ["simulate", "gpqa-strong", "--horizon", "300", "--runs", "4", "--backend", "processes", "--jobs", "2"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_runs_what_lies_in_the_current_folder(command: list[str], folder: Path) -> None:
    run = [sys.executable, "-P", "-m", "costproof", *command]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=False)
    marks = folder / "was run"
    assert not marks.exists(), f"{marks.read_text()} were run"
    assert done.returncode == 0, done.stderr


def test_check_looks_for_the_mechanism_there_and_for_nothing_of_python(folder: Path, tmp_path: Path) -> None:
    """A mechanism is named, so the folder is searched for it and for what it imports: not for what others are."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    for name in _OTHERS:
        (tmp_path / f"{name}.py").unlink()
    named = ["check", "mechanism.platform:reference_mechanism", "--quick", "--only", "answers"]
    run = [sys.executable, "-P", "-m", "costproof", *named]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (folder / "was run").exists()


def test_the_modules_would_be_noticed(folder: Path) -> None:
    """The test of the test: without -P the current folder comes first."""
    subprocess.run([sys.executable, "-m", "costproof", "cite"], cwd=folder, capture_output=True, check=False)
    marks = folder / "was run"
    assert marks.exists()
    marks.unlink()

"""What is said of a module that cannot be imported, and of factories and methods that are no plain functions."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from bounds.errors import InputError
from proofs_checks.conformance import QUICK, check_mechanism
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.report.script import to_script

BROKEN = {
    "NameError": ("import math\n\nx = math.pi + undefined_name\n", 3, "undefined_name"),
    "SyntaxError": ("x = 1\ndef broken(:\n    pass\n", 2, "invalid syntax"),
    "ModuleNotFoundError": ("x = 1\n\n\nimport no_such_dependency.part\n", 4, "no_such_dependency"),
    "ImportError": ("from math import no_such_function\n", 1, "no_such_function"),
    "SystemExit": ("import sys\nsys.exit('not today')\n", 2, "not today"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def refused(target: str) -> str:
    with pytest.raises(InputError) as caught:
        load_factory(target)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("error", BROKEN)
@pytest.mark.parametrize("by_name", [True, False], ids=["module", "file"])
def test_a_module_that_fails_names_file_and_line(folder: Path, error: str, by_name: bool) -> None:
    code, line, mentioned = BROKEN[error]
    name = f"broken_{error}_{by_name}".lower()
    (folder / f"{name}.py").write_text(code)
    message = refused(f"{name}:make" if by_name else f"{folder}/{name}.py:make")
    assert f"fails when it is imported at {folder}/{name}.py:{line} ({error}: " in message
    assert mentioned in message
    assert "write MODULE:OBJECT" not in message
    assert ("install the package that has 'no_such_dependency'" in message) == (error == "ModuleNotFoundError")


def test_the_module_that_fails_may_be_one_that_is_imported(folder: Path) -> None:
    (folder / "house_outer.py").write_text("import house_inner\n")
    (folder / "house_inner.py").write_text("\n\n1 / 0\n")
    assert f"at {folder}/house_inner.py:3 (ZeroDivisionError" in refused("house_outer:make")


def test_a_package_whose_own_import_is_misspelt_is_not_missing(folder: Path) -> None:
    (folder / "house_package").mkdir()
    (folder / "house_package" / "__init__.py").write_text("")
    (folder / "house_package" / "router.py").write_text("import house_package.rooter\n")
    message = refused("house_package.router:make")
    assert "house_package/router.py:1 (ModuleNotFoundError" in message
    assert "write MODULE:OBJECT" not in message


@pytest.mark.parametrize("text", ["from house_beside.rules import make\n", "from .rules import make\n"])
def test_a_file_that_imports_from_the_current_folder_says_how_to_name_its_module(folder: Path, text: str) -> None:
    for name in ("house_beside", "house_routers"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("")
        (folder / name / "rules.py").write_text("def make(config, rng):\n    raise NotImplementedError\n")
    (folder / "house_routers" / "first.py").write_text(text)
    assert "write house_routers.first:make" in refused("house_routers/first.py:make")
    assert load_factory("house_routers.first:make").__name__ == "make"
    (folder / "house_routers" / "second.py").write_text("import house_beside_misspelt\n")
    assert "install the package that has 'house_beside_misspelt'" in refused("house_routers/second.py:make")


SERVICE = {
    "house/core.py": "def make(config, rng): ...\n",
    "house/routers/second.py": "from ..core import make\n",
    "house/routers/third.py": "from .second import make\n",
    "house/routers/inner/fourth.py": "from house.core import make\n",
}


@pytest.mark.parametrize(
    ("start", "target", "says"),
    [
        (
            ".",
            "house/routers/second.py",
            "write house.routers.second:make, which imports packages of the current folder",
        ),
        ("house", "routers/second.py", "write house.routers.second:make and run it from {}, which holds the package"),
        ("house", "routers.third", "write house.routers.third:make and run it from {}, which holds the package"),
        ("house/routers", "third.py", "write routers.third:make and run it from {}/house, which holds the package"),
        ("..", "*/house/routers/inner/fourth.py", "write house.routers.inner.fourth:make and run it from {}, which"),
    ],
)
def test_the_folder_that_holds_a_package_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, start: str, target: str, says: str
) -> None:
    for name, text in SERVICE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("house", "routers", "inner", "second", "third")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.chdir(folder / start)
    assert says.format(folder) in refused(f"{target.replace('*', folder.name)}:make")


@pytest.mark.parametrize("target", ["no_such_module:make", "math.no_such_part:make", "..bad:make", "no_such.part:make"])
def test_a_module_that_is_not_there_says_how_to_name_one(target: str) -> None:
    assert "write MODULE:OBJECT" in refused(target)


ASYNC = """
from mechanism.platform import reference_mechanism

async def factory(config, rng):
    return reference_mechanism(config, rng)

class Assigns:
    def __init__(self, config, rng):
        self._mechanism = reference_mechanism(config, rng)
    async def assign(self):
        return self._mechanism.assign()
    def settle(self, score, bid):
        self._mechanism.settle(score, bid)

class Settles:
    def __init__(self, config, rng):
        self._mechanism = reference_mechanism(config, rng)
    def assign(self):
        return self._mechanism.assign()
    async def settle(self, score, bid):
        self._mechanism.settle(score, bid)
"""


@pytest.mark.parametrize(
    ("name", "call"), [("factory", "factory(config, rng)"), ("Assigns", "assign() at step 1"), ("Settles", "settle(")]
)
def test_coroutines_are_not_awaited_and_that_is_said(folder: Path, name: str, call: str) -> None:
    (folder / "house_async.py").write_text(ASYNC)
    target = f"{folder}/house_async.py:{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = check_mechanism(load_factory(target), name=target, only=["answers"], effort=QUICK)
        [result] = report.checks
        assert result.status == "failed"
        assert call in result.message
        assert "returned a coroutine, which nothing awaits: write def, not async def" in result.message
        assert result.failure is not None
        with pytest.raises(AssertionError, match="a coroutine, which nothing awaits"):
            exec(to_script(target, result.name, result.claim, result.failure), {})

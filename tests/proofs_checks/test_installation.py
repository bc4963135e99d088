"""Files of other distributions in the place of ours, or among them, as pip leaves them in one environment."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proofs_checks.installation import files_of_others, require_own

TOP = Path(__file__).parents[2]
PACKAGES = ("bounds", "costproof", "mechanism", "proofs_checks")
USE = "import costproof; print(costproof.InputError.__name__)"
VENV = "install costproof into a fresh virtual environment"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """What pip installs of costproof, with its record; `bounds` and `mechanism` are folders of their own."""
    recorded = []
    for package in PACKAGES:
        if package in ("costproof", "proofs_checks"):
            (tmp_path / package).symlink_to(TOP / package)
            continue
        (tmp_path / package).mkdir()
        for path in (TOP / package).iterdir():
            (tmp_path / package / path.name).symlink_to(path)
            recorded.append(f"{package}/{path.name},sha256=0,{path.stat().st_size}")
    _record(tmp_path, "costproof", "0.3.0", *recorded)
    return tmp_path


def _record(site: Path, name: str, version: str, *rows: str) -> None:
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    (info / "RECORD").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def _python(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=site, capture_output=True, text=True, check=False, env={})


def test_an_installation_alone_and_a_checkout_are_silent(site: Path) -> None:
    for top in (site, TOP):
        done = _python(top, "-W", "error", "-c", USE)
        assert (done.stdout, done.stderr) == ("InputError\n", "")


def _overwrite(site: Path) -> str:
    (site / "mechanism" / "__init__.py").unlink()
    (site / "mechanism" / "__init__.py").write_text("raise SystemExit('foreign code runs')\n", encoding="utf-8")
    _record(site, "mechanism", "1.1.10", "mechanism/__init__.py,sha256=1,38")
    return r"mechanism/__init__\.py is not what costproof installed but of mechanism 1\.1\.10; "


def _remove(site: Path) -> str:
    (site / "mechanism" / "__init__.py").unlink()
    # Where a checkout is installed as well, Python finds that one.
    return r"mechanism has no __init__\.py; |__init__\.py first; rename that, or "


def _shadow(site: Path) -> str:
    """Python searches the folder that the command runs in, or a site, before that of an editable installation."""
    (site / "bounds").rename(site / "elsewhere")
    (site / "bounds.py").write_text("", encoding="utf-8")
    return r"bounds\.py first; rename that, or "


@pytest.mark.parametrize("change", [_overwrite, _remove, _shadow])
def test_another_package_in_the_place_of_ours_is_refused(site: Path, change: Callable[[Path], str]) -> None:
    rule = change(site)
    done = _python(site, "-c", USE)
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.startswith("ImportError: the package ")
    assert re.search(f"({rule}){VENV}", said)


@pytest.mark.parametrize("change", [_overwrite, _remove])
def test_the_program_says_so_in_one_line_and_ends_as_for_bad_input(site: Path, change: Callable[[Path], str]) -> None:
    rule = change(site)
    done = _python(site, "-m", "proofs_checks", "settings", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("costproof: the package mechanism is not costproof's: ")
    assert re.search(f"({rule}){VENV}", line)


def test_modules_of_another_package_among_ours_are_noted(site: Path) -> None:
    (site / "mechanism" / "cams.py").write_text("", encoding="utf-8")
    (site / "mechanism" / "gears.py").write_text("", encoding="utf-8")
    _record(site, "mechanism", "1.1.10", "mechanism/cams.py,sha256=1,0", "mechanism/gears.py,sha256=1,0")
    said = f"mechanism 1.1.10 and costproof both install mechanism ({site / 'mechanism' / 'cams.py'} and 1 more)"
    done = _python(site, "-c", USE)
    assert done.stdout == "InputError\n"
    assert f"UserWarning: {said}" in done.stderr
    noted = _python(site, "-m", "proofs_checks", "settings", "--json")
    assert noted.returncode == 0
    assert f"costproof: note: {said}" in " ".join(noted.stderr.split())


def test_a_module_beside_a_package_of_ours_is_noted(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))
    (site / "bounds.py").write_text("", encoding="utf-8")
    _record(site, "bounds", "0.0.5", "bounds.py,sha256=1,0")
    (site / "bounds" / "notes.txt").write_text("", encoding="utf-8")
    found = files_of_others(str(site))
    assert found.startswith(f"bounds 0.0.5 and costproof both install bounds ({site / 'bounds.py'}), ")
    assert VENV in found


def test_what_is_loaded_is_what_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match=r"Python finds .*mechanism/__init__\.py first"):
        require_own("mechanism", str(tmp_path))

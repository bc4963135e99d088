"""Every public name of the three packages is there, and is what its module defines."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import bounds
import mechanism
import proofs_checks
from bounds.extras import EXTRAS
from tests.documentation import ROOT
from tests.licences import dependencies, licence, listed


@pytest.mark.parametrize("package", [bounds, mechanism, proofs_checks], ids=lambda package: package.__name__)
def test_public_names(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert names
    assert len(set(names)) == len(names)
    assert set(names) <= set(dir(package))
    assert all(getattr(package, name) is not None for name in names)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense  # type: ignore[attr-defined]


def test_what_pip_shows_of_the_licence_and_the_pages() -> None:
    """pip 25 and later shows `License-Expression`, which the build writes of a licence that is an SPDX name."""
    top = Path(__file__).parents[1]
    declared = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    cited = re.search(r"^license: (.+)$", (top / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert project["license"] == cited[1] == "MIT"
    assert all((top / name).read_text(encoding="utf-8").startswith("MIT License") for name in project["license-files"])
    assert declared["build-system"]["requires"] == ["hatchling>=1.26"]  # the first that writes the expression
    assert project["urls"].keys() == {"Code of the paper", "Data of the paper"}
    assert all(address.startswith("https://") for address in project["urls"].values())


@pytest.mark.long("builds a wheel")
def test_a_wheel_of_a_checkout_in_which_the_site_was_built_carries_no_page_of_it(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="needs hatchling: pip install '.[long]'")
    top = Path(__file__).parents[1]
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(top / name, tmp_path)
    kept = ("bounds/__init__.py", "mechanism/__init__.py", "proofs_checks/__init__.py", "costproof/__init__.py")
    pages, made = (
        ("docs/how-to/check-a-mechanism.md", "examples/router.py"),
        ("docs/generated/claims/a.md", "docs/generated/index.md"),
    )
    of_the_site = ("docs/conf.py", "docs/static/site.css", "docs/reference/python.rst")
    for name in (*kept, *pages, *made, *of_the_site):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [wheel], [sdist] = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as held:
        names = set(held.namelist())
    assert {*kept, *(f"proofs_checks/{name}" for name in pages)} == {name for name in names if "dist-info" not in name}
    built = {path.name: path.read_bytes() for path in (wheel, sdist)}
    subprocess.run(build, cwd=tmp_path, capture_output=True, check=True)
    assert {name: (tmp_path / "dist" / name).read_bytes() for name in built} == built
    with tarfile.open(sdist) as packed:
        names |= set(packed.getnames())
    assert [name for name in names if "generated" in name] == []


def test_the_extras_of_errors_are_those_of_the_distribution() -> None:
    """An error names the extra of a missing module; other extras are of use to developers, or former names."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert declared.keys() - EXTRAS.keys() == {"benchmark", "dask", "docs", "lint", "long", "test"}
    assert EXTRAS.keys() <= declared.keys()
    # The README and the page on installing name no other.
    for page in (ROOT / "README.md", ROOT / "docs" / "tutorials" / "install.md"):
        named = re.findall(r"pip install '\.\[([\w,]+)\]'", page.read_text(encoding="utf-8"))
        assert named
        assert set(",".join(named).split(",")) <= declared.keys()


#: Runs commands where nothing of an extra can be imported, and prints what each ends with.
_WITHOUT_EXTRAS = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1].split()))
from proofs_checks.cli.main import main
import costproof.strategies, costproof.testing
print([main(line.split()) for line in sys.argv[2].splitlines()], file=sys.stderr)
"""


def _without_extras(commands: str) -> list[str]:
    hidden = " ".join(EXTRAS.values())
    words = [sys.executable, "-c", _WITHOUT_EXTRAS, hidden, commands]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


@pytest.mark.long("runs commands in a process of its own")
def test_a_missing_extra_is_named_with_the_command_that_installs_it() -> None:
    asked = {
        "verify gpqa-strong --report page.html": "pages",
        "check examples/router_adapter.py:make_checked_router --report page.html": "pages",
        "audit log.csv --setting gpqa-strong --report page.html": "pages",
        "page report.json": "pages",
        "replay report.json": "pages",
        "completion bash": "completion",
        "explore": "explore",
        "figures": "figures",
        "simulate gpqa-strong --plot pictures": "figures",
        "simulate gpqa-strong --backend dask --scheduler tcp://127.0.0.1:1": "cluster",
        "simulate gpqa-strong --backend gpu": "gpu",
    }
    *said, codes = _without_extras("\n".join(asked))
    assert codes == str([2] * len(asked))
    for line, (command, extra) in zip(said, asked.items(), strict=True):
        assert f"is not installed: pip install 'costproof[{extra}]'" in line, command


@pytest.mark.long("runs commands in a process of its own")
def test_the_base_needs_no_extra() -> None:
    commands = (
        "bounds gpqa-strong",
        "simulate gpqa-strong --horizon 60 --runs 1",
        "verify gpqa-strong --quick --claim lem:payment-range",
        "market --answers examples/answers/aime2026.csv --prices examples/answers/litellm_prices.json --threshold 0.5",
        "plan gpqa-strong --goal identify-by=400000",
        "check examples/router_adapter.py:make_checked_router --only critical-payment --quick",
        "audit examples/logs/authors_rounds.csv --setting gpqa-strong --bids before "
        "--columns step=t,provider=winner,score=correctness,bid=bid_winner",
    )
    assert _without_extras("\n".join(commands))[-1] == str([0] * len(commands))


def test_the_page_on_dependencies_lists_each_with_its_licence() -> None:
    assert listed().keys() == dependencies()
    assert {name: one for name, one in listed().items() if licence(name) not in (None, one)} == {}


def test_one_version_is_stated_everywhere() -> None:
    top = Path(__file__).parents[1]
    stated = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = re.search(r"^version: (.+)$", (top / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    changelog = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert cited is not None
    assert released is not None
    assert stated == cited[1] == released[1] == version("costproof")
    # Whatever the README calls a version of this program is this one.
    in_readme = re.findall(r"costproof (\d+\.\d+\.\d+)", (top / "README.md").read_text(encoding="utf-8"))
    assert set(in_readme) <= {stated}


def test_the_linters_of_ci_are_those_of_the_maintainers_commands() -> None:
    """`nox -s lint` and `-s types` do what `.ci/run` does."""
    top = Path(__file__).parents[1]
    commands = (top / "noxfile.py").read_text(encoding="utf-8")
    run = [" ".join(re.findall(r'"([^"]+)"', line)) for line in commands.splitlines() if "session.run(" in line]
    script = (top / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    linters = [line for line in script if line.split(" ")[0] in ("ruff", "mypy", "lint-imports", "codespell")]
    assert len(linters) == 5
    assert set(linters) <= set(run)

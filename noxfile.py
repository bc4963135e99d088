"""The maintainer's commands: `nox --list` shows them, `nox -s lint` runs one in an environment of its own.

With `nox --no-venv -s lint` a command runs in the environment that is active.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "tests", "docs"]
nox.options.reuse_existing_virtualenvs = True


@nox.session
def lint(session: nox.Session) -> None:
    """Style, layout, imports and spelling."""
    session.install(".[lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")
    session.run("codespell")


@nox.session
def types(session: nox.Session) -> None:
    """Types of the four packages."""
    session.install(".[lint]")
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the first tier of the tests; behind -- what pytest takes, as `nox -s tests -- tests/bounds`."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(venv_backend="uv", python="3.11")
def lowest(session: nox.Session) -> None:
    """Run the first tier with the lowest versions that pyproject.toml allows."""
    session.install("--resolution", "lowest-direct", ".[test]")
    # The page on dependencies has the licences of their newest versions.
    licences = "tests/test_packages.py::test_the_page_on_dependencies_lists_each_with_its_licence"
    session.run("pytest", "--deselect", licences, *session.posargs)


@nox.session
def everything(session: nox.Session) -> None:
    """Run all tests, the long ones among them."""
    session.install(".[long]")
    session.run("pytest", "-m", "long or not long", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/site; a warning is an error."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "docs", "build/site")


@nox.session
def picture(session: nox.Session) -> None:
    """Make docs/images/report.png again, with Chromium."""
    session.install("-e", ".[long]")
    session.run("python", "-m", "tests.report_picture")


@nox.session
def kernel(session: nox.Session) -> None:
    """Have Coq check the theorems, and store what it prints."""
    session.install("-e", ".")
    session.run("python", "-m", "proofs_checks.proofs.kernel")


@nox.session
def build(session: nox.Session) -> None:
    """Make the sdist and the wheel in dist/, look at what is in them, and compare dependencies with imports."""
    session.install("build", "twine", "check-wheel-contents", "deptry", ".")
    session.run("python", "-m", "build")
    made = [str(path) for path in Path("dist").iterdir()]
    session.run("twine", "check", "--strict", *made)
    session.run("check-wheel-contents", *(path for path in made if path.endswith(".whl")))
    session.run("deptry", ".")


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure the speed that docs/explanation/speed.md states."""
    session.install(".[benchmark]")
    session.run("pytest", "benchmarks", "-p", "benchmark", "--benchmark-only", "-n", "0", *session.posargs)

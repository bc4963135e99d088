"""What an installation brings with it: documentation, citation, completion."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.cli.main import make_parser
from tests.proofs_checks.outcomes import Run, assert_bad_input

ROOT = Path(__file__).parents[3]
PAGES = {
    path.relative_to(ROOT / "docs").with_suffix("").as_posix(): path
    for path in (ROOT / "docs").rglob("*.md")
    if path.stem != "index" and "generated" not in path.parts
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.long("runs the command three times a page")
def test_every_page_is_printed(passed: Run) -> None:
    for page, path in PAGES.items():
        for asked in (f"docs/{page}.md", page, path.stem):
            assert passed("docs", asked).out == path.read_text(encoding="utf-8")


def test_a_page_has_at_most_1500_words() -> None:
    """It does one job; the map of the code is a table."""
    words = {page: len(path.read_text(encoding="utf-8").split()) for page, path in PAGES.items()}
    assert [page for page, count in words.items() if count > 1500] == ["development/rooms"]


def test_every_command_has_a_page(passed: Run) -> None:
    for name in SUMMARIES:
        assert passed("docs", name).out.startswith("#")


def test_the_pages_are_listed(passed: Run) -> None:
    listed = set(re.findall(r"[\w-]+", passed("docs").out))
    assert {path.stem for path in PAGES.values()} <= listed
    assert "generated" not in listed


def test_a_section_of_a_page_is_printed_up_to_the_next_of_its_rank(passed: Run, run: Run) -> None:
    page = PAGES["how-to/check-a-mechanism"].read_text(encoding="utf-8")
    section = passed("docs", "check#a-mechanism-that-does-less").out
    assert section.startswith("## A mechanism that does less\n")
    assert f"\n{section}\n## From Python\n" in page
    # The title's section is the page: a line with # in a block of code ends nothing.
    assert passed("docs", "docs/how-to/check-a-mechanism.md#check-a-mechanism").out.rstrip() == page.rstrip()
    assert_bad_input(run("docs", "check#a-mechanism-which-does-less"), "did you mean a-mechanism-that-does-less?")


def test_every_page_that_the_program_names_is_there(passed: Run) -> None:
    """Helps, reports and errors say `costproof docs PAGE` and name no file: an installation has none."""
    named, files = set(), set()
    for package in ("bounds", "mechanism", "proofs_checks", "costproof"):
        for path in [*(ROOT / package).rglob("*.py"), *(ROOT / package).rglob("*.html")]:
            text = path.read_text(encoding="utf-8")
            named |= set(re.findall(r"costproof docs ([a-z][\w./#-]*)", text))
            files |= set(re.findall(r"docs/[\w/-]+\.md", text))
    assert len(named) > 15
    for asked in named:
        assert passed("docs", asked.rstrip(".")).out
    assert files == {"docs/tutorials/your-router.md"}


def test_the_citation_is_that_of_the_citation_file(passed: Run) -> None:
    entries = passed("cite").told
    stated = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    families = re.findall(r"family-names: (.+)", stated)
    given = re.findall(r"given-names: (.+)", stated)
    authors = " and ".join(f"{family}, {first}" for family, first in zip(families, given, strict=True))
    assert f"author = {{{authors}}}" in entries
    assert f"title = {{{re.search(r'  title: (.+)', stated)[1]}}}" in entries  # type: ignore[index]
    assert f"year = {{{re.search(r'  year: (.+)', stated)[1]}}}" in entries  # type: ignore[index]
    assert f"version = {{{PROJECT['project']['version']}}}" in entries
    assert entries.count("{") == entries.count("}")


class TestCompletion:
    def test_every_shell_has_a_script(self, passed: Run) -> None:
        for shell in ("bash", "zsh", "fish", "tcsh", "powershell"):
            assert "costproof" in passed("completion", shell).out

    @pytest.mark.parametrize(
        ("typed", "completed"),
        [
            (("ver",), "verify"),
            (("bounds", "--me"), "--method"),
            (("bounds", "--method", "pa"), "paper"),
            (("bounds", "mine"), "mine.toml"),
        ],
    )
    def test_bash_completes(self, typed: tuple[str, ...], completed: str, tmp_path: Path, passed: Run) -> None:
        (tmp_path / "mine.toml").touch()
        words = ("costproof", *typed)
        program = f"""{passed("completion", "bash").out}
COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(typed)}
function=$(complete -p costproof | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$function costproof {words[-1]} {words[-2]}
echo "${{COMPREPLY[@]}}"
"""
        done = subprocess.run(
            ["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.split() == [completed]


def test_the_help_fits_and_names_every_command(passed: Run) -> None:
    lines = passed("--help").out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(SUMMARIES)
    assert make_parser().prog == "costproof"

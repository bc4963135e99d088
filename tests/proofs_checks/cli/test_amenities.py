"""What an installation brings with it: documentation, citation, completion."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.cli.main import main, make_parser

ROOT = Path(__file__).parents[3]
PAGES = sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.stem not in ("README", "index"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for page in PAGES:
        assert main(["docs", f"docs/{page}.md"]) == 0
        assert capsys.readouterr().out == (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("tutorials/your-router", "tutorials/your-router.md"),
        ("docs/tutorials/your-router.md", "tutorials/your-router.md"),
        ("your-router", "tutorials/your-router.md"),
        ("findings", "findings.md"),
        ("explanation/findings", "explanation/findings.md"),
    ],
)
def test_a_page_may_be_named_with_or_without_its_folder(
    asked: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["docs", asked]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_the_pages_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    out = capsys.readouterr().out
    assert all(
        f"  {page} " in out for page in [*PAGES, "start/install", "tutorials/your-router", "how-to/write-a-claim"]
    )
    assert "generated/" not in out


def test_a_section_of_a_page_is_printed_up_to_the_next_of_its_rank(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert main(["docs", "check#three-ways-to-use-it"]) == 0
    section = capsys.readouterr().out
    assert section.startswith("## Three ways to use it\n")
    assert f"\n{section}\n## A process of its own\n" in page
    # The title's section is the page: a line with # in a block of code ends nothing.
    assert main(["docs", "docs/check.md#your-mechanism-property-tested"]) == 0
    assert capsys.readouterr().out.rstrip() == page.rstrip()
    assert main(["docs", "check#what-a-pass"]) == 2
    assert "did you mean what-a-pass-does-not-mean?" in capsys.readouterr().err


def test_every_section_that_the_program_names_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    named = set()
    for package in ("bounds", "mechanism", "proofs_checks", "costproof"):
        for path in (ROOT / package).rglob("*.py"):
            named |= set(re.findall(r"costproof docs ([\w/-]+#[\w-]+)", path.read_text(encoding="utf-8")))
    assert "check#what-a-pass-does-not-mean" in named
    for asked in named:
        assert main(["docs", asked]) == 0
        assert capsys.readouterr().out.startswith("#")


def test_every_page_that_the_program_cites_can_be_printed() -> None:
    """Helps, reports and errors write docs/NAME.md; `costproof docs NAME` prints it."""
    cited = set()
    for package in ("bounds", "mechanism", "proofs_checks", "costproof"):
        for path in (ROOT / package).rglob("*.py"):
            cited |= set(re.findall(r"docs/(\w+)\.md", path.read_text(encoding="utf-8")))
    assert len(cited) > 5
    assert cited <= set(PAGES)


def test_the_citation_is_that_of_the_citation_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite"]) == 0
    entries = capsys.readouterr().out
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
    def test_every_shell_has_a_script(self, capsys: pytest.CaptureFixture[str]) -> None:
        for shell in ("bash", "zsh", "fish", "tcsh", "powershell"):
            assert main(["completion", shell]) == 0
            assert "costproof" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("typed", "completed"),
        [
            (("ver",), "verify"),
            (("bounds", "--me"), "--method"),
            (("bounds", "--method", "pa"), "paper"),
            (("bounds", "mine"), "mine.toml"),
        ],
    )
    def test_bash_completes(
        self, typed: tuple[str, ...], completed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["completion", "bash"]) == 0
        (tmp_path / "mine.toml").touch()
        words = ("costproof", *typed)
        program = f"""{capsys.readouterr().out}
COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(typed)}
function=$(complete -p costproof | sed 's/.*-F \\([^ ]*\\).*/\\1/')
$function costproof {words[-1]} {words[-2]}
echo "${{COMPREPLY[@]}}"
"""
        done = subprocess.run(
            ["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout.split() == [completed]


def test_the_help_fits_and_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(SUMMARIES)
    assert make_parser().prog == "costproof"

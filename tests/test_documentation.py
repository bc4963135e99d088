"""The code of the documentation runs, page by page, and says and prints what the pages state."""

import ast
import contextlib
import doctest
import io
import itertools
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import costproof
from bounds.extras import EXTRAS
from bounds.published import published
from bounds.setting.file import format_setting
from mechanism import Campaign, run_campaign
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from tests.documentation import PAGES, ROOT, Block, Command, blocks

pytestmark = pytest.mark.long("runs the code of the documentation")

README = ROOT / "README.md"
#: An expression on a line of its own, and the value that its comment states.
STATED = re.compile(r"^(?P<expression>\S.*?)  # (?P<value>.+)$", re.MULTILINE)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def stated_values(block: str) -> list[tuple[str, Any]]:
    """Expressions whose comment is a value and nothing else."""
    found = []
    for line in STATED.finditer(block):
        try:
            ast.parse(line["expression"], mode="eval")
            with warnings.catch_warnings(action="ignore"):
                found.append((line["expression"], ast.literal_eval(line["value"])))
        except (SyntaxError, ValueError):
            continue
    return found


@pytest.fixture(scope="module")
def readers_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what somebody who reads has: the examples, a market, a log, a campaign, a router of their own."""
    folder = tmp_path_factory.mktemp("reader")
    for place in (folder, folder / "examples"):
        shutil.copytree(ROOT / "examples", place, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples" / "logs", folder, dirs_exist_ok=True)
    setting = published("gpqa-strong").setting
    for name in ("my-market.toml", "my.toml"):
        (folder / name).write_text(format_setting(setting), encoding="utf-8")
    trace = costproof.simulate(setting, horizon=3_000, seed=1)
    for name in ("log.csv", "my-log.csv"):
        costproof.write_trace(trace, folder / name)
    run_campaign(Campaign((setting,), horizon=300, runs=2, seed=0, window=50), out=folder / "campaign", traces=False)
    _write_routers(folder)
    return folder


@pytest.fixture
def reader(readers_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of its own with all that a reader has; the page runs there."""
    shutil.copytree(readers_folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return tmp_path


def _write_routers(folder: Path) -> None:
    router = (ROOT / "examples" / "router_adapter.py").read_text(encoding="utf-8")
    for package in (folder / "my_package", folder / "path" / "to"):
        package.mkdir(parents=True)
    (folder / "my_package" / "__init__.py").touch()
    for name in ("my_module.py", "my_package/router.py", "my_package/other.py", "path/to/router.py"):
        (folder / name).write_text(f"{router}\n\nmake_router = make_checked_router\n", encoding="utf-8")


@pytest.fixture(autouse=True)
def _modules_of_the_reader_are_forgotten() -> Iterator[None]:
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in ("my_package", "my_module")]:
        del sys.modules[name]


WITH_CODE = [page for page in PAGES if blocks(page, "python", "sh", "console")]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("page", WITH_CODE, ids=named)
def test_a_page_runs_from_top_to_bottom(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its Python has one namespace, its commands one folder; what is stated and shown is compared."""
    names: dict[str, Any] = {}
    for block in blocks(page, "python", "sh", "console"):
        if block.kind != "python":
            _run_commands(block, capsys)
        elif not block.not_run:
            _run_python(block, names)


def _run_python(block: Block, names: dict[str, Any]) -> None:
    if ">>> " in block.text:
        _run_session(block, names)
        return
    lines = block.text.splitlines()
    statements = ast.parse(block.text).body
    for place, statement in enumerate(statements):
        below = statements[place + 1].lineno - 1 if place + 1 < len(statements) else len(lines)
        said = _said(lines, statement, below)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(ast.Module([statement], []), block.place, "exec"), names)
        if said and printed.getvalue():
            assert printed.getvalue().split() == said.split(), f"{block.place}: {ast.unparse(statement)}"
    for expression, value in stated_values(block.text):
        if not expression.startswith("print("):
            assert eval(expression, names) == value, f"{block.place}: {expression}"


def _said(lines: Sequence[str], statement: ast.stmt, below: int) -> str:
    """Return what comments behind a statement, or on the lines right below it, say that it prints."""
    end = statement.end_lineno or statement.lineno
    behind = lines[end - 1].encode()[statement.end_col_offset :].decode().strip()
    if behind.startswith("#"):
        return behind.removeprefix("#")
    under = itertools.takewhile(lambda line: line.startswith("#"), lines[end:below])
    return " ".join(line.removeprefix("#") for line in under)


def _run_session(block: Block, names: dict[str, Any]) -> None:
    examples = doctest.DocTestParser().get_doctest(block.text, names, block.place, str(block.page), block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    examples.globs = names  # later sessions of the page go on with the names of this one
    assert runner.run(examples, clear_globs=False).failed == 0


def test_readme_states_values_and_imports_nothing_but_the_front_door() -> None:
    texts = [block.text for block in blocks(README, "python")]
    assert sum(len(stated_values(text)) for text in texts) >= 1
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert imported == {"costproof"}


def test_readme_names_every_extra_for_users() -> None:
    """Those for the work on the repository itself are named in CONTRIBUTING.md and the how-tos."""
    assert EXTRAS.keys() <= set(re.findall(r"\w+", README.read_text()))


def test_readme_leads_on_to_files_that_are_there() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text(encoding="utf-8"))
    assert len(linked) >= 10
    assert [path for path in linked if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("name", ["docs/tutorials/first-verdict.md", "docs/explanation/findings.md"])
def test_the_first_finding_that_a_page_shows_is_a_wording_of_the_paper(name: str) -> None:
    """What the paper says comes before what one may read into it."""
    shown = "".join(block.text for block in blocks(ROOT / name, "sh", "console"))
    found = [label for label in re.findall(r"[a-z]+:[\w:-]+", shown) if label in all_claims()]
    first = next(all_claims()[label] for label in found if all_claims()[label].finding)
    assert not first.stronger_reading


def _to_run(block: Block) -> list[Command]:
    return [command for command in block.commands() if not block.reason_of(command)]


def _leaves_files(command: Command) -> bool:
    return bool(command.into) or "--out" in command.words


def _commands_of(page: Path) -> list[Command]:
    return [command for block in blocks(page, "sh", "console") for command in _to_run(block)]


def _first_page(line: str) -> Path:
    """Return the first page that has a command: that page runs it, unless others need the files that it leaves."""
    return next(page for page in WITH_CODE if any(command.line == line for command in _commands_of(page)))


def _run_commands(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    for command in _to_run(block):
        if command.words == ("cat",):
            Path(command.into).write_text(command.given or "", encoding="utf-8")
        elif command.words[0] == "python":
            program = [sys.executable, *command.words[1:]]
            done = subprocess.run(program, input=command.given, capture_output=True, text=True, check=False)
            _check(block, command, done.returncode, done.stdout, done.stderr)
        else:
            assert command.words[0] == "costproof", f"{block.place}: say why {command.line!r} is not run"
            if command.prints or _leaves_files(command) or _first_page(command.line) == block.page:
                capsys.readouterr()
                ended = main(command.words[1:])
                printed = capsys.readouterr()
                _check(block, command, ended, printed.out, printed.err)


def _check(block: Block, command: Command, ended: int, printed: str, told: str) -> None:
    """Hold a command to its exit code and to what is shown; a file of its output is there for those after it."""
    assert ended == command.code, f"{block.place}: {command.line} ended with {ended}\n{printed}{told}"
    if command.into:
        Path(command.into).write_text(printed, encoding="utf-8")
    _compare(block, command, printed)


def _compare(block: Block, command: Command, printed: str) -> None:
    """Compare with what is shown: three dots stand for any lines, and spaces at the end of a line do not count."""
    shown, found, place = _trimmed(command.prints), _trimmed(printed), 0
    for number, part in enumerate(re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)):
        at = found.find(part, place)
        assert at >= place if number else at == 0, f"{block.place}: {command.line} printed\n{printed}"
        place = at + len(part)


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_something_is_run() -> None:
    """A silent loss of the blocks must not pass."""
    commands = [command for page in WITH_CODE for command in _commands_of(page)]
    assert len(commands) >= 30
    assert any(command.prints for command in commands)
    assert sum(not block.not_run for page in WITH_CODE for block in blocks(page, "python")) >= 10

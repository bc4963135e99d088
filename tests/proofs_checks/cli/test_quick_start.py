"""Commands that start at once: what each loads, what is printed without rich, and how the program ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.cli import main
from proofs_checks.cli.views import settings as settings_view
from proofs_checks.cli.views.plain import lines

#: What takes long to load, by what a command may well load.
HEAVY = ("hypothesis", "numba", "scipy", "sympy", "numpy", "joblib", "rich", "dataclasses", "typing", "threading")
ALLOWED = {
    ("--help",): (),
    ("--version",): ("dataclasses", "typing", "threading"),  # whatever `importlib.metadata` needs
    ("settings",): ("dataclasses",),
    ("settings", "--json"): ("dataclasses",),
    ("check", "--list"): ("rich", "dataclasses", "typing", "threading"),
    ("check", "--list", "--json"): ("dataclasses", "typing", "threading"),
    ("bounds", "gsm8k-full", "--json"): ("numpy", "scipy", "sympy", "dataclasses", "typing", "threading"),
}
#: Runs the program, and says as the last thing which modules are there.
PROGRAM = """
import sys, atexit
from proofs_checks.cli.program import program
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
program()
"""


def process(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -S: what a site's own start loads is not ours.
    return subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, id=" ".join(each), marks=pytest.mark.long("starts a process")) for each in ALLOWED if each[1:]]
    + [pytest.param(each, id=each[0]) for each in ALLOWED if not each[1:]],
)
def test_a_command_loads_only_what_it_needs(command: tuple[str, ...]) -> None:
    done = process(PROGRAM, *command)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    loaded = set(done.stderr.split())
    assert "proofs_checks.cli.main" in loaded
    assert loaded & {*HEAVY} <= {*ALLOWED[command]}
    assert "scipy.special" not in loaded


@pytest.mark.long("starts processes")
class TestTheEndOfTheProgram:
    def test_all_that_was_written_is_there_and_what_asked_for_it_is_called(self) -> None:
        code = (
            "import atexit, sys; from proofs_checks.cli.program import program; "
            "atexit.register(lambda: sys.stdout.write('called at exit')); program()"
        )
        done = process(code, "settings")
        assert done.returncode == 0
        assert done.stdout.startswith("5 settings")
        assert done.stdout.endswith("called at exit")

    def test_a_thread_that_still_works_is_waited_for(self) -> None:
        code = (
            "import threading, time; from proofs_checks.cli.program import program; "
            "threading.Thread(target=lambda: (time.sleep(0.5), print('the thread is done'))).start(); program()"
        )
        done = process(code, "settings")
        assert done.returncode == 0
        assert done.stdout.endswith("the thread is done\n")


class TestPlainLines:
    """Lines that need no layout, beside those that rich makes."""

    @pytest.mark.parametrize("columns", [40, 60, 71, 72, 73, 84, 85, 86])
    def test_settings_are_printed_as_rich_would(
        self, columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        papers = [published(name) for name in PUBLISHED_NAMES]
        settings_view.show_settings(papers)
        shown = capsys.readouterr().out
        monkeypatch.setattr(settings_view, "plain_width", lambda: None)
        settings_view.show_settings(papers)
        assert shown == capsys.readouterr().out

    def test_what_does_not_fit_or_may_be_wider_than_it_counts_is_left_to_rich(self) -> None:
        rows = [("name", "N"), ("gsm8k", "9")]
        assert lines(8, ["Two:"], rows, []) == ["Two:", "name   N", "gsm8k  9"]
        assert lines(7, ["Two:"], rows, []) is None
        assert lines(80, ["Two:"], [*rows, ("全角", "9")], []) is None
        assert lines(80, ["Two\x1b[2J:"], rows, []) is None


@pytest.mark.parametrize("columns", ["", "0", "-3", "100", " 64 ", "1_00", "wide", "9" * 5000])
def test_the_width_of_a_help_is_what_the_library_finds(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main._columns() == shutil.get_terminal_size().columns


def test_only_the_command_that_is_run_has_its_options_read() -> None:
    """A parser of another command would load its module; the list of commands names it all the same."""
    code = (
        "import sys; from proofs_checks.cli.main import make_parser; make_parser('settings').format_help(); "
        "print([one for one in sys.modules if one.startswith('proofs_checks.cli.commands.')])"
    )
    assert process(code).stdout == "['proofs_checks.cli.commands.settings']\n"

"""What a command does: how it ends and what it prints."""

import argparse
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from proofs_checks.cli.main import main, make_parser


class Outcome(NamedTuple):
    """An exit code, and what was written to stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The document of `--json`."""
        return json.loads(self.out)

    @property
    def told(self) -> str:
        """What was printed, in one line."""
        return " ".join(self.out.split())


#: Runs a command: the fixtures `run` and `passed` of the tests of commands.
Run = Callable[..., Outcome]


def outcome_of(capture: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    """Run a command in this process."""
    capture.readouterr()
    code = main([str(argument) for argument in arguments])
    outcome = Outcome(code, *capture.readouterr())
    assert "Traceback" not in outcome.out + outcome.err
    return outcome


def assert_bad_input(outcome: Outcome, *mentioned: str) -> None:
    """Exit code 2, and one line on stderr that mentions some words."""
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1), outcome
    assert outcome.err.startswith("costproof: ")
    for word in mentioned:
        assert word in outcome.err


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands, by name."""
    [choices] = [action.choices for action in make_parser()._actions if isinstance(action.choices, dict)]
    return choices

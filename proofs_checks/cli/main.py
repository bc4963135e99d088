"""The command line `costproof`: parses, dispatches, and turns every failure into an exit code and one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from bounds.errors import InputError
from proofs_checks.cli import output as standard_output
from proofs_checks.cli.commands import audit, bounds, check, prove, reproduce, settings, simulate, verify

#: Exit codes of the contract: nothing refuted, something refuted, bad input, interrupted.
REFUTED, BAD_INPUT, INTERRUPTED = 1, 2, 130

_COMMANDS = (settings, bounds, simulate, verify, check, audit, prove, reproduce)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message} (see {self.prog} --help)")
        raise SystemExit(BAD_INPUT)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; importing it loads no numerical library."""
    parser = _Parser(
        prog="costproof",
        description="The theory of a learning procurement auction: compute it, run it, check it.",
        epilog="SETTING is a built-in name (see `costproof settings`) or the path of a TOML file. "
        "Exit codes: 0 nothing refuted, 1 something refuted, 2 bad input, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for command in _COMMANDS:
        command.add_parser(commands)
    return parser


class _PrintVersion(argparse.Action):
    """Prints the version, looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        standard_output.write(f"costproof {version('costproof')}\n")
        raise SystemExit(0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default those of the process.
    """
    try:
        arguments = make_parser().parse_args(argv)
        code = int(arguments.run(arguments))
        standard_output.write("")
        return code
    except InputError as error:
        _complain(str(error))
        return BAD_INPUT
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except OSError as error:
        _complain(f"{error.filename or 'standard output'}: {error.strerror}; name a place that can be written to")
        standard_output.silence()
        return BAD_INPUT


def _complain(message: str) -> None:
    sys.stderr.write(f"costproof: {' '.join(message.split())}\n")

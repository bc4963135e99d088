"""The command line `costproof`: parses, dispatches, and turns every failure into an exit code and one line."""

from __future__ import annotations

import argparse
import errno
import os
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from bounds.errors import InputError, did_you_mean
from bounds.extras import lacking_extra
from proofs_checks.cli import signals
from proofs_checks.cli.arguments import TABLE_FLAGS, Options
from proofs_checks.cli.commands import SUMMARIES, command
from proofs_checks.cli.output import print_json, remark, silence, write
from proofs_checks.cli.prose import wrapped

#: The exit code of bad input; of signals see `signals`.
BAD_INPUT = 2

#: How errors name an argument of Python, or a part of it: `jobs`, `settings[2]`, `recorded.benchmark`.
_ARGUMENT = r"(\w+)((?:\.\w+|\[[^\]]*\])*)"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    #: A command that runs, named where an argument is missing that is hard to guess, or is no policy.
    example = ""

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Name the command's own options, not those of all commands, next to one that is unknown."""
        found, unknown = super().parse_known_args(*given, **named)
        if unknown and (own := getattr(found, "parser", None)) is not None:
            flag = next((word for word in unknown if word.startswith("-")), None)
            known = [option for action in own._actions for option in action.option_strings]
            near = "" if flag is None else did_you_mean(flag.partition("=")[0], known, "")
            own.error(f"unrecognized arguments: {' '.join(unknown)}{': ' * bool(near)}{near}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        if (unknown := re.match(r"argument COMMAND: invalid choice: '([^']*)'", message)) and (
            near := did_you_mean(unknown[1], SUMMARIES, "")
        ):
            message = f"'{unknown[1]}' is an unknown command: {near}"
        shown = self.example and re.search("required|unknown policy", message)
        example = f", for example: {self.example}" if shown else ""
        remark(f"{message}{example} (see {self.prog} --help)")
        raise SystemExit(BAD_INPUT)

    def in_its_words(self, error: InputError) -> str:
        """Return what an error says, with the flag or the placeholder for an argument's name in Python.

        The `dest` of an option is the name in Python; an item of `settings` is a `setting`. The name of anything else,
        as a key of a setting file, stays as it is.
        """
        if named := re.fullmatch(_ARGUMENT, error.argument):
            for action in self._actions:
                if action.dest in (named[1], f"{named[1]}s"):
                    written = action.option_strings[-1] if action.option_strings else action.metavar
                    return str(error.about(f"{written}{named[2]}"))
        return str(error)

    def complete_files(self, files: Any) -> None:
        """Say of every argument that stands for a file, here and in the commands, how a shell completes it."""
        for action in self._actions:
            if isinstance(action.choices, dict):
                for command in action.choices.values():
                    command.complete_files(files)
            elif isinstance(action.metavar, str) and re.search(_FILES, action.metavar):
                action.complete = files  # type: ignore[attr-defined]


class _Program(_Parser):
    """The parser of all commands, whose help is one screen."""

    def format_help(self) -> str:
        """Return what there is: the commands with a line each, and what their arguments are."""
        named = [f"  {name:<{max(map(len, SUMMARIES))}}  {summary}" for name, summary in SUMMARIES.items()]
        lines = ["usage: costproof [-h] [--version] COMMAND ...", "", self.description, "", *named, ""]
        return "\n".join([*map(str, lines), wrapped(str(self.epilog))]) + "\n"


#: A placeholder that stands for a file or a folder, or for a name or a file.
_FILES = r"FILE|PATH|DIR|FOLDER|SETTING|TRACE|LOG|REPORT|MODULE"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; making it loads no numerical library."""
    parser = _Program(
        prog="costproof",
        description="The theory of a learning procurement auction: compute it, run it, check it.",
        epilog="SETTING is a built-in name, a TOML file, or - (standard input); CLAIM a label, a number as 'Theorem "
        "4', or words. Flags: costproof COMMAND --help. Exit codes: 0 nothing refuted, 1 refuted, 2 bad input, 130 "
        "interrupted, 143 terminated.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, summary in SUMMARIES.items():
        module = command(name)
        added = commands.add_parser(name, help=summary, description=module.DESCRIPTION, allow_abbrev=False)
        module.add_options(Options(added))
        added.example = getattr(module, "EXAMPLE", "")
        added.add_argument("--json", action="store_true", help="print exactly one JSON document on stdout")
        meaning = "print the JSON Schema of that document and exit"
        added.add_argument("--json-schema", action=_PrintSchema, nargs=0, const=name, help=meaning)
        added.set_defaults(run=module.run, parser=added, all_commands=make_parser, table=None)
    return parser


class _PrintVersion(argparse.Action):
    """Prints the version, looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        write(f"costproof {version('costproof')}\n")
        raise SystemExit(0)


class _PrintSchema(argparse.Action):
    """Prints the schema of a command's document, without the arguments that the command requires."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from proofs_checks.cli.schema import json_schema

        print_json(json_schema(self.const))
        raise SystemExit(0)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, by default with the arguments of the process, and return its exit code."""
    try:
        arguments = make_parser().parse_args(argv)
        _check_one_form(arguments)
        return _run(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    except KeyboardInterrupt:
        remark(signals.said())
        return signals.exit_code()
    except ModuleNotFoundError as missing:
        if not (lacking := lacking_extra(missing)):
            raise
        remark(lacking)
        return BAD_INPUT
    except MemoryError:
        remark(_TOO_LITTLE_MEMORY)
        return BAD_INPUT
    except RuntimeError as error:
        if str(error) != "can't start new thread":
            raise
        remark(_TOO_FEW_PROCESSES)
        return BAD_INPUT
    except OSError as error:
        remark(_refused(error))
        silence()
        return BAD_INPUT


def _refused(error: OSError) -> str:
    """Return the line on what the system refused: memory, a library that cannot be loaded, or a place to write to."""
    if error.errno == errno.ENOMEM:
        return _TOO_LITTLE_MEMORY
    if error.errno == errno.EAGAIN and error.filename is None and not hasattr(error, "characters_written"):  # of a fork
        return _TOO_FEW_PROCESSES
    if error.errno is None:  # of a library, which says more than the system
        return " ".join(str(error).split())
    return f"{error.filename or 'standard output'}: {error.strerror}; name a place that can be written to"


_TOO_LITTLE_MEMORY = (
    "memory ran out before the command was done: allow it more (ulimit -v), or ask for less, as fewer --jobs"
)
_TOO_FEW_ADDRESSES = "the limit on virtual memory is below what the libraries need: allow 1 GiB (ulimit -v 1048576)"
_TOO_FEW_PROCESSES = (
    "the system starts no more threads or processes: allow more of them (ulimit -u) or more memory (ulimit -v), "
    "or ask for less, as fewer --jobs"
)


def _check_one_form(arguments: argparse.Namespace) -> None:
    """Refuse JSON and a table at once, before any work is done: stdout holds one of them."""
    if arguments.json and arguments.table is not None:
        given = f"give --json alone, or one of {', '.join(TABLE_FLAGS)}"
        arguments.parser.error(f"--json and a table cannot both be printed: {given}")


#: Bytes of addresses (`ulimit -v`) below which no command runs. NumPy, SciPy, Numba and their threads take up to
#: 0.93 GB; with less they hang, abort the process, or print tracebacks of their own.
LEAST_ADDRESSES = 2**30


def _has_addresses() -> bool:
    """Whether the system lets this process use as many addresses as the libraries need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return True
    return not 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < LEAST_ADDRESSES  # -1, or a huge number, is no limit


def _run(arguments: argparse.Namespace) -> int:
    if not _has_addresses():
        remark(_TOO_FEW_ADDRESSES)
        return BAD_INPUT
    try:
        code = int(arguments.run(_at_home(arguments)))
        write("")
        return code
    except InputError as error:
        remark(arguments.parser.in_its_words(error))
        return BAD_INPUT


def _at_home(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return arguments with the home folder for ``~`` in paths: a shell leaves it as it is in ``--out=~/runs``."""
    for name, value in vars(arguments).items():
        if isinstance(value, str):
            setattr(arguments, name, os.path.expanduser(value))
        elif isinstance(value, list):
            setattr(arguments, name, [os.path.expanduser(one) if isinstance(one, str) else one for one in value])
    return arguments

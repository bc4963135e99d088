"""A page for each command, from its parser: what it does, how it is called, and every option."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from functools import partial

from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.cli.main import make_parser
from proofs_checks.handbook.markdown import block, code, contents, link, page, prose, table, text

#: Letters of a line of usage: it fits on a page of 1280 pixels.
_USAGE_WIDTH = 84
#: What argparse writes before it.
_USAGE = "usage: "


def command_pages() -> Mapping[str, str]:
    """Return the page of every command and their index, by file.

    Examples
    --------
    >>> "`--seed SEED`" in command_pages()["simulate.md"]
    True
    """
    parser = make_parser()
    parsers = _commands(parser)
    return {f"{name}.md": command_page(name, parsers[name]) for name in SUMMARIES} | {"index.md": _index(parser)}


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    [added] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(added.choices)


def _index(parser: argparse.ArgumentParser) -> str:
    rows = ([link(code(f"costproof {name}"), f"{name}.md"), text(does)] for name, does in SUMMARIES.items())
    return page(
        "# The command line",
        prose(parser.description or ""),
        prose(parser.epilog or ""),
        table(["command", "does"], rows),
        contents(SUMMARIES),
    )


def command_page(name: str, parser: argparse.ArgumentParser) -> str:
    """Return the page of a command."""
    parser.formatter_class = partial(argparse.HelpFormatter, width=_USAGE_WIDTH)
    first, *others = parser.format_usage().splitlines()
    usage = "\n".join([first.removeprefix(_USAGE), *(line.removeprefix(" " * len(_USAGE)) for line in others)])
    return page(
        f"# {code(f'costproof {name}')}",
        prose(parser.description or ""),
        block("text", usage),
        *_tables(parser),
        prose(parser.epilog or ""),
        f"What `--json` prints is described in {link('its schema', f'../schemas/{name}.md')}.",
    )


def _tables(parser: argparse.ArgumentParser) -> Iterator[str]:
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    given = [action for action in shown if not action.option_strings]
    if given:
        yield "## Arguments"
        yield table(["argument", "meaning"], ([code(_placeholder(action)), _meaning(action)] for action in given))
    yield "## Options"
    options = (action for action in shown if action.option_strings)
    yield table(["option", "meaning"], ([_flags(action), _meaning(action)] for action in options))


def _flags(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {_placeholder(action)}"
    return ", ".join(code(f"{flag}{value}") for flag in action.option_strings)


def _placeholder(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _meaning(action: argparse.Action) -> str:
    """Return what an option means; help strings of argparse name values as %(default)s."""
    said = (action.help or "") % {**vars(action), "prog": "costproof"}
    return prose(said)

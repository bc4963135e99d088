"""What a run leaves for continuous integration: the files that options name, and annotations where GitHub runs it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from proofs_checks.cli.ci.cases import Case, FileLine
from proofs_checks.cli.output import json_text, tell_aside, write_file


def place_at(path: str, line: int | None) -> FileLine:
    """Return a line of a file as reports name it: relative to the root of the sources if it lies there."""
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    full = Path(path).resolve()
    return FileLine(path=(full.relative_to(root) if full.is_relative_to(root) else full).as_posix(), line=line)


def leave(
    arguments: argparse.Namespace, data: Callable[[], Any], cases: Callable[[], Sequence[Case]], *, whole: bool
) -> None:
    """Write the files that were asked for, and print annotations where GitHub reads them.

    Parameters
    ----------
    arguments : argparse.Namespace
        With the options of `Options.ci_files`, and the name of the command.
    data, cases : callable
        Return the document of ``--json``, and the test cases; called if they are needed.
    whole : bool
        Whether the run came to its end.
    """
    if arguments.json_file:
        write_file("json_file", arguments.json_file, json_text(data()), "JSON")
    annotated = os.environ.get("GITHUB_ACTIONS") == "true"
    if not (annotated or arguments.junit or arguments.sarif):
        return
    from mechanism.versions import versions
    from proofs_checks.cli.ci.formats import github_annotations, junit, sarif

    found, suite = cases(), f"costproof.{arguments.command}"
    if arguments.junit:
        write_file("junit", arguments.junit, junit(suite, found), "JUnit XML")
    if arguments.sarif:
        text = sarif(versions()["costproof"], found, whole=whole)
        write_file("sarif", arguments.sarif, text, "SARIF")
    if annotated:  # GitHub reads stderr as well, and stdout may be one document
        for line in github_annotations(suite, found):
            tell_aside(line)

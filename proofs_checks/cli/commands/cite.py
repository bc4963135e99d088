"""`costproof cite`: BibTeX of the paper and of this toolkit."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options
from proofs_checks.cli.documents import Citation
from proofs_checks.cli.output import tell, write

DESCRIPTION = "Print BibTeX entries of the paper whose theory this toolkit computes and checks, and of the toolkit."


def add_options(add: Options) -> None:
    """Add what the command takes: nothing."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from importlib.resources import files

    text = files("proofs_checks.cli").joinpath("citation.bib").read_text(encoding="utf-8")
    tell(arguments, lambda: Citation(bibtex=text), lambda: write(text))
    return 0

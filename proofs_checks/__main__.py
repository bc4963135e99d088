"""Run the command line: ``python -m proofs_checks``."""

from proofs_checks.cli.main import program

program()

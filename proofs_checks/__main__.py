"""Run the command line: ``python -m proofs_checks``."""

from proofs_checks.cli.program import program

program()

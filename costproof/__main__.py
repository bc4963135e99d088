"""``python -m costproof``: the command line, for whoever has no `costproof` on the path."""

from proofs_checks.cli.program import program

if __name__ == "__main__":
    program()

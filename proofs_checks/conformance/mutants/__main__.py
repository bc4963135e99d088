"""Write docs/mutants.md: ``python -m proofs_checks.conformance.mutants``."""

from __future__ import annotations

import argparse
from pathlib import Path

from proofs_checks.conformance.mutants.kills import kill_table, page


def main() -> None:
    """Run the suite on every mutant and write the page."""
    parser = argparse.ArgumentParser(prog="python -m proofs_checks.conformance.mutants", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/mutants.md"), metavar="FILE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    arguments = parser.parse_args()
    text = page(kill_table(arguments.seed, jobs=arguments.jobs), arguments.seed)
    arguments.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

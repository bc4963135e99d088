"""Run the command line: ``python -m proofs_checks``."""

from proofs_checks.cli import main

raise SystemExit(main())

"""`python -m proofs_checks.proofs.kernel`: print the formulas, have Coq check all, and store what it printed."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

from proofs_checks.proofs.kernel.coq import build
from proofs_checks.proofs.kernel.formulas import printed_formulas


def main() -> None:
    """Write `theories/Formulas.v` and `stored.json`."""
    folder = Path(str(files("proofs_checks.proofs.kernel")))
    (folder / "theories" / "Formulas.v").write_text(printed_formulas(), encoding="utf-8")
    printed = build(progress=lambda done, total: print(f"{done}/{total}", file=sys.stderr))  # noqa: T201
    (folder / "stored.json").write_text(
        json.dumps(printed.to_data(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

"""`python -m proofs_checks.proofs`: search certificates that are missing or no longer right, and store them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.obligation import Obligation, main_script
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.search import NoCertificateError, find_certificate
from proofs_checks.proofs.store import store_location, stored_certificate


def main() -> int:
    """Bring the store up to date; return how many obligations have no certificate."""
    folder = Path(store_location())
    folder.mkdir(exist_ok=True)
    obligations = obligations_of(all_proofs())
    for stale in {path.stem for path in folder.glob("*.json")} - obligations.keys():
        (folder / f"{stale}.json").unlink()
    return sum(not _brought_up_to_date(folder, obligation) for obligation in obligations.values())


def _brought_up_to_date(folder: Path, obligation: Obligation) -> bool:
    asserted = assertions(main_script(obligation).text)
    try:
        stored = stored_certificate(obligation.name)
        if stored is not None:
            check_certificate(asserted, stored)
            return True
    except CertificateError:
        (folder / f"{obligation.name}.json").unlink()
    start = perf_counter()
    try:
        found = find_certificate(obligation.refutation, obligation.hints, obligation.signs)
        check_certificate(asserted, found)
    except (NoCertificateError, CertificateError) as error:
        sys.stderr.write(f"{obligation.name}: none ({error})\n")
        return False
    text = json.dumps(found, separators=(",", ":")) + "\n"
    (folder / f"{obligation.name}.json").write_text(text, encoding="utf-8")
    sys.stderr.write(f"{obligation.name}: {len(text)} bytes, {perf_counter() - start:.1f} s\n")
    return True


if __name__ == "__main__":
    main()

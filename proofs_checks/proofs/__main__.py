"""`python -m proofs_checks.proofs`: search certificates that are missing or no longer right, and store them.

Then both solvers are asked everything that `verify` asks, and what they answer is stored, too.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.checker.checker import CertificateError, check_certificate
from proofs_checks.proofs.language.obligation import Obligation, main_script
from proofs_checks.proofs.language.smtlib import assertions
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.search import NoCertificateError, find_certificate
from proofs_checks.proofs.solvers.kept_answers import stored_location
from proofs_checks.proofs.store import store_location, stored_certificate


def main() -> int:
    """Bring the store up to date; return how many obligations have no certificate."""
    folder = Path(store_location())
    folder.mkdir(exist_ok=True)
    obligations = obligations_of(all_proofs())
    for stale in {path.stem for path in folder.glob("*.json")} - obligations.keys():
        (folder / f"{stale}.json").unlink()
    left = sum(not _brought_up_to_date(folder, obligation) for obligation in obligations.values())
    _store_answers(Path(stored_location()))
    return left


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


def _store_answers(folder: Path) -> None:
    """Ask both solvers what `verify` asks, and store their answers in the place of those that are stored."""
    folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as kept:
        os.environ["COSTPROOF_CACHE"] = kept
        report = prove(mutants=False)
        for earlier in folder.glob("answers-*.json"):
            earlier.unlink()
        for file in Path(kept).glob("answers-*.json"):
            # How long each took is left out: it would be another number each time.
            answers = {key: [answer, 0.0, text] for key, (answer, _, text) in json.loads(file.read_text()).items()}
            lines = (f"{json.dumps(key)}:{json.dumps(answers[key])}" for key in sorted(answers))
            (folder / file.name).write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    sys.stderr.write(f"{report}\n")


if __name__ == "__main__":
    main()

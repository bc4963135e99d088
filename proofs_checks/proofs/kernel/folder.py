"""A folder with the Coq sources of theorems, and a script that builds and checks them without this program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from proofs_checks.proofs.kernel.formulas import packaged_text
from proofs_checks.proofs.kernel.scan import code_of
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, KernelTheorem, sources

#: What a file of the development requires of it.
_REQUIRED = re.compile(r"^From Costproof Require\s+(?:Import\s+)?([^.]*)\.", re.MULTILINE)
#: With these the statements are printed with the signs of the reals.
_SIGNS = "Require Import Prelude Reals List.\nOpen Scope R_scope.\nSet Printing Width 110.\n"


def write_folder(theorems: Iterable[KernelTheorem], report: Mapping[str, Any], out: str) -> Path:
    """Write what Coq needs to check theorems, the script `check.sh`, and what is known of the claims as `claims.json`.

    Parameters
    ----------
    theorems : iterable of KernelTheorem
    report : mapping
        What `costproof prove --json` prints.
    out : str
        Folder, made if it does not exist; files of the same names are replaced.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    place = Path(out)
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in _contents(list(theorems), report).items():
            (place / name).write_text(text, encoding="utf-8")
        (place / "check.sh").chmod(0o755)
    except OSError as error:
        rule = f"cannot be written ({(error.strerror or 'no reason given').lower()})"
        raise InputError("out", out, rule, "name a folder in which you may write") from None
    return place


def _contents(theorems: list[KernelTheorem], report: Mapping[str, Any]) -> dict[str, str]:
    places = list(dict.fromkeys(place for theorem in theorems for place in theorem.places))
    needed = files_for(f"{place.partition('.')[0]}.v" for place in places)
    names = " ".join(Path(file).stem for file in needed)
    printing = "".join(f"Check @Costproof.{place}.\nPrint Assumptions Costproof.{place}.\n" for place in places)
    return {
        **{file: sources()[file] for file in needed},
        "_CoqProject": "\n".join(["-Q . Costproof", *needed]) + "\n",
        "Theorems.v": f"From Costproof Require Import {names}.\n{_SIGNS}{printing}",
        "axioms.txt": "".join(f"{axiom}\n" for axiom in ALLOWED_ASSUMPTIONS),
        "claims.json": json.dumps(report, indent=1, ensure_ascii=False) + "\n",
        "check.sh": packaged_text("check.sh"),
    }


def files_for(files: Iterable[str]) -> list[str]:
    """Return files of the development with all that they import, in the order in which Coq reads them.

    Examples
    --------
    >>> "Radius.v" in files_for(["Runs.v"]), files_for([])
    (True, [])
    """
    needed: set[str] = set()
    waiting = [*files]
    while waiting:
        file = waiting.pop()
        if file not in needed:
            needed.add(file)
            waiting += [f"{name}.v" for names in _REQUIRED.findall(code_of(sources()[file])) for name in names.split()]
    return [file for file in sources() if file in needed]

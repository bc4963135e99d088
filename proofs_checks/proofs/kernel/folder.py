"""A folder with the Coq sources of theorems, and a script that builds and checks them without this program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from proofs_checks.proofs.kernel.scan import code_of
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, KernelTheorem, sources

#: What a file of the development requires of it.
_REQUIRED = re.compile(r"^From Costproof Require\s+(?:Import\s+)?([^.]*)\.", re.MULTILINE)
#: With these the statements are printed with the signs of the reals.
_SIGNS = "Require Import Prelude Reals List.\nOpen Scope R_scope.\nSet Printing Width 110.\n"
#: What builds the files in their order, prints the theorems and their axioms, and checks all that was compiled.
_SCRIPT = """#!/bin/sh
# Needs coqc and coqchk, with Coquelicot: apt-get install coq libcoq-coquelicot
set -eu
cd "$(dirname "$0")"
for file in $(cat _CoqProject); do
  case $file in *.v) echo "coqc $file"; coqc -q -Q . Costproof "$file" ;; esac
done
coqc -q -Q . Costproof Theorems.v | tee printed.txt
echo "coqchk"
coqchk -silent -o -Q . Costproof Costproof.Theorems > checked.txt 2>&1 || { cat checked.txt; exit 1; }
if ! grep -q '^CONTEXT SUMMARY' checked.txt || sed -n '/^CONTEXT SUMMARY/,$p' checked.txt \\
  | sed -e 's/^\\* Axioms://' -e 's/^ *//' -e 's/ *$//' \\
  | grep -v -x -e '' -e '=*' -e 'CONTEXT SUMMARY' -e '\\* Theory: Set is predicative' -e '\\* .*: <none>' -e '<none>' \\
  | grep -v -x -F -f axioms.txt
then echo "these are no axioms of Coq's real numbers, or coqchk did not check them"; exit 1; fi
echo "Coq accepts the theorems. They rest on no axiom but those of axioms.txt. Read printed.txt: what they say."
"""


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
        "check.sh": _SCRIPT,
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

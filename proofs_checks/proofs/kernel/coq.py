"""Coq as a program: it checks the sources, and prints what each theorem says and on what it rests."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bounds.errors import InputError
from proofs_checks.proofs.kernel.theorems import Printed, hashes, named_theorems, printed_theorems, sources

Progress = Callable[[int, int], None]

#: The name under which the files know each other.
_LIBRARY = "Costproof"
#: What leaves a proof out. `Print Assumptions` would show it too: this says it at once, and where.
_LEFT_OUT = re.compile(r"\b(Admitted|admit|Axioms?|Conjecture|Parameters?|Unset\s+Guard\s+Checking|bypass_check)\b")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_REMEDY = "install Coq with Coquelicot: apt-get install coq libcoq-coquelicot libcoq-interval"


class KernelError(Exception):
    """Coq does not accept the sources."""


def coq_version() -> str:
    """Return the version of the installed Coq; empty where there is none."""
    program = shutil.which("coqc")
    if program is None:
        return ""
    return subprocess.run([program, "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]


def left_out(texts: Mapping[str, str]) -> list[str]:
    """Return where the sources leave a proof out, or assume what they do not prove."""
    found = []
    for name, text in texts.items():
        plain = _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
        found += [f"{name}:{plain.count(chr(10), 0, at.start()) + 1}: {at.group()}" for at in _LEFT_OUT.finditer(plain)]
    return found


def build(texts: Mapping[str, str] | None = None, *, progress: Progress = lambda done, total: None) -> Printed:
    """Have Coq check every file, and print every theorem.

    Parameters
    ----------
    texts : mapping, optional
        From the name of a file to its text, in order; default those of the package.
    progress : callable, optional

    Returns
    -------
    Printed

    Raises
    ------
    InputError
        Coq is not installed.
    KernelError
        Coq does not accept a file, or one leaves a proof out.
    """
    version = coq_version()
    if not version:
        raise InputError("kernel", "coqc", "is not installed", _REMEDY)
    texts = sources() if texts is None else texts
    if missing := left_out(texts):
        raise KernelError(f"a proof is left out, or something is assumed: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for done, (file, text) in enumerate(texts.items()):
            progress(done, len(texts) + 1)
            check_file(folder, file, text)
        progress(len(texts), len(texts) + 1)
        statements, assumptions = _printed(folder, printed_theorems())
        progress(len(texts) + 1, len(texts) + 1)
    return Printed(coq=version, sources=hashes(texts), statements=statements, assumptions=assumptions)


def check_file(folder: Path, file: str, text: str, *, seconds: int | None = None) -> None:
    """Have Coq check a file that may use those checked in the same folder before.

    Parameters
    ----------
    folder : Path
    file, text : str
    seconds : int, optional
        Of processor time, after which Coq is stopped and the file counts as not accepted.

    Raises
    ------
    KernelError
        Coq does not accept it.
    """
    (folder / file).write_text(text, encoding="utf-8")
    limit = [] if seconds is None else ["prlimit", f"--cpu={seconds}"]
    done = subprocess.run(
        [*limit, "coqc", "-q", "-Q", ".", _LIBRARY, file], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise KernelError(f"{file}: {done.stderr.strip() or done.stdout.strip() or 'it was stopped'}")


def _printed(folder: Path, named: Mapping[str, str]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return what Coq prints of theorems: their statements, and the names of what they assume."""
    modules = sorted(set(named.values()))
    lines = ["Require Import Reals List.", f"From {_LIBRARY} Require Import {' '.join(modules)}."]
    lines += ["Open Scope R_scope.", "Set Printing Width 110."]
    full = {name: f"@{_LIBRARY}.{module}.{name}" for name, module in named.items()}
    lines += [f'Redirect "{name}.statement" Check {_LIBRARY}.{module}.{name}.' for name, module in named.items()]
    together = _assumed_together(named)
    for group, names in together.items():
        lines.append(f"Definition {group}_together := ({', '.join(full[name] for name in names)}).")
        lines.append(f'Redirect "{group}.assumptions" Print Assumptions {group}_together.')
    check_file(folder, "Printed.v", "\n".join(lines) + "\n")
    printed = {place.stem: place.read_text(encoding="utf-8") for place in folder.glob("*.out")}
    statements = {name: _statement(printed[f"{name}.statement"]) for name in named}
    assumed = {name: assumed_in(printed[f"{group}.assumptions"]) for group, names in together.items() for name in names}
    return statements, {name: assumed[name] for name in named}


def _assumed_together(named: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the theorems whose axioms are printed at once, which takes Coq a second: a claim's is printed alone."""
    claimed = {one["theorem"] for one in named_theorems().values()}
    together: dict[str, list[str]] = {}
    for name, module in named.items():
        together.setdefault(name if name in claimed else module, []).append(name)
    return together


def _statement(text: str) -> str:
    """Return a statement without the name that Coq prints before it.

    Examples
    --------
    >>> _statement("Costproof.Radius.decreasing\\n     : forall m : nat, m = m")
    'forall m : nat, m = m'
    """
    return text.split(" : ", 1)[1].strip()


def assumed_in(text: str) -> tuple[str, ...]:
    """Return the names of the axioms that Coq prints for a theorem.

    Examples
    --------
    >>> assumed_in("Closed under the global context")
    ()
    >>> assumed_in("Axioms:\\nClassical_Prop.classic : forall P : Prop, P \\\\/ ~ P\\n")
    ('Classical_Prop.classic',)
    """
    if text.startswith("Closed under the global context"):
        return ()
    names = re.findall(r"^(\S+)(?= :|$)", text, re.MULTILINE)
    return tuple(sorted({name for name in names if name != "Axioms:"}))

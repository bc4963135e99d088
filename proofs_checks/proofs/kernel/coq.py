"""Coq as a program: it checks the sources, and prints what each theorem says and on what it rests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bounds.errors import InputError
from proofs_checks.proofs.kernel.scan import refused_in
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, CoqPrint, hashes, printed_theorems, sources

Progress = Callable[[int, int], None]

#: The name under which the files know each other.
_LIBRARY = "Costproof"
#: Where the files of Coq's library and of Coquelicot stand, below the folder that `coqc -where` prints.
_LIBRARY_FOLDERS = ("theories", "user-contrib/Stdlib", "user-contrib/Coquelicot")
#: How the settings of the environment begin that name libraries of Coq, or plugins.
_OTHER_LIBRARIES = ("COQ", "ROCQ", "CAML", "OCAML")
#: A heading of what `coqchk -o` prints, and what stands below it.
_CHECKED = re.compile(r"^\* (.*?):(.*?)(?=^\* |\Z)", re.DOTALL | re.MULTILINE)
_THEORY = ("Set is predicative",)
#: How the headings begin that a summary must have.
_UNSAFE = (
    "Axioms",
    "Constants/Inductives relying on type-in-type",
    "Constants/Inductives relying on unsafe (co)fixpoints",
    "Inductives whose positivity is assumed",
)
_REMEDY = "install Coq with Coquelicot: apt-get install coq libcoq-coquelicot"


class KernelError(Exception):
    """Coq does not accept the sources."""


def coq_version() -> str:
    """Return the version of the installed Coq; empty where there is none."""
    program = shutil.which("coqc")
    if program is None:
        return ""
    return _run([program, "--print-version"], check=True).stdout.split()[0]


def _run(
    command: Sequence[str], *, folder: Path | None = None, check: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a program of Coq without the settings of the environment by which it would read other libraries first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OTHER_LIBRARIES)}
    kept |= dict.fromkeys(("XDG_DATA_HOME", "XDG_DATA_DIRS"), os.devnull)
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=check)


def library_files() -> set[str]:
    """Return the names of the files of Coq's library and of Coquelicot, without their endings."""
    folder = Path(_run(["coqc", "-where"], check=True).stdout.strip())
    return {place.stem for part in _LIBRARY_FOLDERS for place in (folder / part).rglob("*.vo")}


def build(texts: Mapping[str, str] | None = None, *, progress: Progress = lambda done, total: None) -> CoqPrint:
    """Have Coq check every file and print every theorem, and `coqchk` check the compiled files again."""
    version = coq_version()
    if not version or shutil.which("coqchk") is None:
        raise InputError("kernel", "coqchk" if version else "coqc", "is not installed", _REMEDY)
    texts = sources() if texts is None else texts
    if refused := refused_in(texts, library_files()):
        raise KernelError(f"something is assumed, left out or not checked: {', '.join(refused)}")
    steps = len(texts) + 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for done, (file, text) in enumerate(texts.items()):
            progress(done, steps)
            check_file(folder, file, text)
        progress(steps - 2, steps)
        statements, assumptions = _printed(folder, printed_theorems())
        progress(steps - 1, steps)
        check_compiled(folder, texts)
        progress(steps, steps)
    return CoqPrint(coq=version, sources=hashes(texts), statements=statements, assumptions=assumptions)


def check_file(folder: Path, file: str, text: str, *, seconds: int | None = None) -> None:
    """Have Coq check a file that may use those checked in the same folder before."""
    (folder / file).write_text(text, encoding="utf-8")
    limit = [] if seconds is None else ["prlimit", f"--cpu={seconds}"]
    done = _run([*limit, "coqc", "-q", "-Q", ".", _LIBRARY, file], folder=folder)
    if done.returncode:
        raise KernelError(f"{file}: {done.stderr.strip() or done.stdout.strip() or 'it was stopped'}")


def check_compiled(folder: Path, files: Iterable[str]) -> None:
    """Have `coqchk` check compiled files, and all that they use, without what compiled them."""
    modules = [f"{_LIBRARY}.{Path(file).stem}" for file in files]
    done = _run(["coqchk", "-silent", "-o", "-Q", ".", _LIBRARY, *modules], folder=folder)
    summary = done.stdout + done.stderr
    if done.returncode:
        raise KernelError(f"coqchk: {summary.strip() or 'it was stopped'}")
    if problems := unsafe_in(summary):
        raise KernelError(f"coqchk: {'; '.join(problems)}")


def unsafe_in(summary: str) -> list[str]:
    """Return the axioms in a summary of `coqchk -o` that are not allowed, and what Coq did not check.

    Examples
    --------
    >>> unsafe_in("* Axioms: Costproof.A.a")[0]
    'Axioms: Costproof.A.a'
    """
    found = [(heading, " ".join(content.split())) for heading, content in _CHECKED.findall(summary)]
    problems = []
    for heading, content in found:
        names = [content] if heading == "Theory" else content.split()
        allowed = {"Axioms": ALLOWED_ASSUMPTIONS, "Theory": _THEORY}.get(heading, ())
        problems += [f"{heading}: {name}" for name in names if name not in ("<none>", *allowed)]
    missing = [one for one in _UNSAFE if not any(heading.startswith(one) for heading, _ in found)]
    return problems + [f"its summary has no heading '{one}'" for one in missing]


def _printed(folder: Path, named: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what Coq prints of theorems: their statements, and the names of what they assume together."""
    modules = sorted(set(named.values()))
    # The library comes last, so that Coq prints what has the name of one of its constants with the name of its file.
    start = [f"From {_LIBRARY} Require Import {' '.join(modules)}.", "Require Import Prelude Reals List."]
    start += ["Open Scope R_scope."]
    lines = [*start, "Set Printing Width 110.", "Set Printing Coercions."]
    full = {name: f"@{_LIBRARY}.{module}.{name}" for name, module in named.items()}
    lines += [f'Redirect "{name}.statement" Check @{_LIBRARY}.{module}.{name}.' for name, module in named.items()]
    lines += [f'Redirect "{axiom}.allowed" Print Assumptions {axiom}.' for axiom in ALLOWED_ASSUMPTIONS]
    # Of all theorems at once: Coq goes through all that they use each time that it prints axioms.
    lines.append(f"Definition all_theorems := ({', '.join(full.values())}).")
    lines.append('Redirect "all.assumptions" Print Assumptions all_theorems.')
    check_types(folder, ALLOWED_ASSUMPTIONS)
    check_file(folder, "Printed.v", "\n".join(lines) + "\n")
    printed = {place.stem: place.read_text(encoding="utf-8") for place in folder.glob("*.out")}
    statements = {name: _statement(printed[f"{name}.statement"]) for name in named}
    # What is printed must be all of it: an argument that Coq leaves out would be missing here.
    read = [f"Definition {name}_read := ({text})." for name, text in statements.items()]
    read += [f"Check ({full[name]} : {name}_read)." for name in named]
    check_file(folder, "Read.v", "\n".join([*start, *read]) + "\n")
    # Coq prints the shortest name that is clear where it prints; an axiom with another full name has another one.
    full_names = {assumed_in(printed[f"{axiom}.allowed"]): axiom for axiom in ALLOWED_ASSUMPTIONS}
    axioms = assumed_in(printed["all.assumptions"])
    return statements, tuple(sorted(full_names.get((axiom,), axiom) for axiom in axioms))


def check_types(folder: Path, axioms: Mapping[str, str]) -> None:
    """Have Coq check that axioms of its library, by their full names, have the types that are expected of them."""
    lines = [f"Require {axiom.rpartition('.')[0]}.\nCheck (@{axiom} : {kind})." for axiom, kind in axioms.items()]
    check_file(folder, "Allowed.v", "\n".join(lines) + "\n")


def _statement(text: str) -> str:
    """Return a statement without the name that Coq prints before it.

    Examples
    --------
    >>> _statement("Costproof.Radius.decreasing\\n     : forall m : nat, m = m")
    'forall m : nat, m = m'
    """
    return text.split(" : ", 1)[1].strip()


def assumed_in(text: str) -> tuple[str, ...]:
    """Return the names of the axioms that Coq prints for a theorem; a line that names none, whole.

    Examples
    --------
    >>> assumed_in("Closed under the global context")
    ()
    >>> assumed_in("Axioms:\\nClassical_Prop.classic : forall P : Prop, P \\\\/ ~ P\\nbad is assumed to be positive.")
    ('Classical_Prop.classic', 'bad is assumed to be positive.')
    """
    if text.startswith("Closed under the global context"):
        return ()
    lines = [line for line in text.splitlines() if line[:1].strip() and line != "Axioms:"]
    return tuple(sorted({re.sub(r"^(\S+)(?: ?:.*)?$", r"\1", line) for line in lines}))

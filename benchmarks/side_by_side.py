"""`python -m benchmarks.side_by_side OLD`: commands of this checkout beside those of an older commit, on this machine.

Each commit is installed into an environment of its own. Its commands run in turn, old, new, old, new, and the least CPU
time of each counts: what else the machine does weighs on both. Where a command writes JSON, both must write the same,
but for what is measured (`seconds`) and what only one of them has.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import measures

#: The commit at which the issue about speed was begun.
BEGUN = "09b06c0"
_HERE = Path(__file__).resolve().parent.parent
_REFERENCE = "mechanism.platform:reference_mechanism"
#: Keys of reports that differ from run to run, or from version to version without a difference in what was found.
_MEASURED = ("seconds", "versions", "kept", "answers")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A command to measure.

    Parameters
    ----------
    name : str
    arguments : tuple of str
        Of `costproof`.
    target : float
        How many times less CPU time it shall take.
    tries : int
    cold : bool
        Whether nothing may be there from earlier runs: no machine code, no answers of solvers.
    repeated : bool
        Whether it is measured as a user repeats it: an equal run came before.
    compared : bool
        Whether its JSON is compared.
    log_rows : int
        Rows of the log that takes the place of ``LOG`` among the arguments; 0 without one.
    """

    name: str
    arguments: tuple[str, ...]
    target: float
    tries: int = 3
    cold: bool = False
    repeated: bool = False
    compared: bool = False
    log_rows: int = 0


#: All but the long audit are tried more than once: what disturbs the machine during one run decides nothing then.
COMMANDS = (
    Measured(name="--help", arguments=("--help",), target=3, tries=40),
    Measured(name="settings", arguments=("settings",), target=3, tries=40),
    Measured(name="check --list", arguments=("check", "--list"), target=3, tries=5),
    Measured(name="bounds gsm8k-full", arguments=("bounds", "gsm8k-full", "--json"), target=3, tries=5, compared=True),
    Measured(name="verify, first", arguments=("verify", "--json"), target=3, compared=True),
    Measured(name="verify, again", arguments=("verify", "--json"), target=3, repeated=True),
    Measured(name="verify --quick, first", arguments=("verify", "--quick", "--json"), target=4, compared=True),
    Measured(name="verify --quick, again", arguments=("verify", "--quick", "--json"), target=4, repeated=True),
    Measured(name="check", arguments=("check", _REFERENCE, "--json"), target=2.5, tries=2),
    Measured(name="check --quick", arguments=("check", _REFERENCE, "--quick", "--json"), target=2.5),
    Measured(name="prove, from nothing", arguments=("prove", "--json"), target=1.5, tries=5, compared=True),
    Measured(name="prove, again", arguments=("prove", "--json"), target=10, repeated=True),
    Measured(
        name="verify --quick on a fresh machine",
        arguments=("verify", "--quick", "--json"),
        target=3,
        tries=2,
        cold=True,
    ),
    Measured(
        name="audit of 10 million rows",
        arguments=("audit", "LOG", "--setting", "gsm8k-full", "--json"),
        target=2,
        tries=1,
        log_rows=10_000_000,
        compared=True,
    ),
)


def install(commit: str | None, folder: Path) -> Path:
    """Install a commit, or this checkout as it is, into an environment; return its `costproof`."""
    source = _HERE
    if commit is not None:
        source = folder / "source"
        subprocess.run(["git", "clone", "--quiet", str(_HERE), str(source)], check=True)
        subprocess.run(["git", "-C", str(source), "checkout", "--quiet", commit], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    programs = folder / "venv" / "bin"
    _pip_install(programs, f"{source}[prove,parquet]")
    return programs / "costproof"


def _pip_install(programs: Path, what: str) -> None:
    """Install something into the environment whose programs lie in a folder."""
    pip = [str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, what], check=True)


def _source(folder: Path) -> Path:
    """Return where the commit lies that is installed in a folder."""
    return folder / "source" if (folder / "source").exists() else _HERE


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What a run took, and what it wrote.

    Parameters
    ----------
    cpu, wall : float
        Seconds, of all its processes, also of those that it does not wait for.
    memory : int
        MB, of its largest process.
    output : str
    """

    cpu: float
    wall: float
    memory: int
    output: str


#: Runs a command from a process that is small: a child's peak of memory begins with what its parent holds. On Linux it
#: becomes the parent of whatever the command leaves behind, and waits for it: often nobody else waits for the process
#: of a mechanism under test, whose time would be nobody's.
_LAUNCH = """
import ctypes, json, os, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
command = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
status, seconds, memory = None, 0.0, 0
while True:
    try:
        process, ended, used = os.wait4(-1, 0)
    except ChildProcessError:
        break
    status = os.waitstatus_to_exitcode(ended) if process == command else status
    seconds, memory = seconds + used.ru_utime + used.ru_stime, max(memory, used.ru_maxrss // 1024)
with open(sys.argv[1], "w") as file:
    json.dump([status, seconds, memory], file)
"""


def run(program: str | Path, arguments: Sequence[str], caches: Path, place: Path | None = None) -> Ran:
    """Run a command with caches in a folder, in a place of its own or in that folder."""
    places = {"COSTPROOF_CACHE": str(caches / "kept"), "NUMBA_CACHE_DIR": str(caches / "numba")}
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    places["PATH"] = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"
    used = caches / "used.json"
    command = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(used), str(program), *arguments]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, cwd=place or caches, env={**kept, **places})
    wall = time.perf_counter() - start
    status, cpu, memory = json.loads(used.read_text())
    if status not in (0, 1):
        raise RuntimeError(f"{program} {' '.join(arguments)} ended with {status}: {done.stderr.decode()[-500:]}")
    return Ran(cpu=cpu, wall=wall, memory=memory, output=done.stdout.decode())


def measured(command: Measured, programs: Mapping[str, Path], folder: Path) -> dict[str, Ran]:
    """Return the run of each commit that took least."""
    found: dict[str, list[Ran]] = {name: [] for name in programs}
    warm = {name: folder / name for name in programs}
    for name, program in programs.items():
        warm[name].mkdir(exist_ok=True)
        if not command.cold:
            _forget(warm[name])
            run(program, _with_log(command, folder, most=100_000), warm[name])  # compiles what it needs
    arguments = _with_log(command, folder)
    for _ in range(command.tries):
        for name, program in programs.items():
            with tempfile.TemporaryDirectory() as fresh:
                caches = Path(fresh) if command.cold else warm[name]
                if not command.repeated:
                    _forget(caches)
                found[name].append(run(program, arguments, caches))
    return {name: min(runs, key=lambda one: one.cpu) for name, runs in found.items()}


def _with_log(command: Measured, folder: Path, most: int | None = None) -> tuple[str, ...]:
    """Return the arguments of a command, with a log of as many rows as it asks for, or of so many at most."""
    if not command.log_rows:
        return command.arguments
    log = str(measures.audited_log(folder, min(command.log_rows, most or command.log_rows)))
    return tuple(log if argument == "LOG" else argument for argument in command.arguments)


def first_use(programs: Mapping[str, Path], folder: Path, turns: int = 2) -> dict[str, Ran]:
    """Return what installing this checkout or the old commit takes, with a `verify` after it, in a new environment.

    They take turns, and the least counts, as with commands.
    """
    found: dict[str, list[Ran]] = {name: [] for name in programs}
    for _ in range(turns):
        for name, program in programs.items():
            with tempfile.TemporaryDirectory(dir=folder) as fresh:
                found[name].append(_installed_and_verified(_source(folder / name), program.name, Path(fresh)))
    return {name: min(runs, key=lambda one: one.cpu) for name, runs in found.items()}


def _installed_and_verified(source: Path, program: str, place: Path) -> Ran:
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
    installed = run(place / "venv" / "bin" / "pip", ("install", "--quiet", f"{source}[prove]"), place)
    verified = run(place / "venv" / "bin" / program, ("verify", "--json"), place)
    return Ran(
        cpu=installed.cpu + verified.cpu,
        wall=installed.wall + verified.wall,
        memory=max(installed.memory, verified.memory),
        output="",
    )


def campaign(programs: Mapping[str, Path], folder: Path) -> dict[str, Ran]:
    """Return what 1,000 runs of 70,000 queries take, compilation included."""
    found = {}
    for name, program in programs.items():
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            code = measures.ONE_RUN.format(horizon=70_000, runs=1_000)
            found[name] = run(program.parent / "python", ("-c", code), Path(fresh))
    return found


#: Providers, and steps, with the share of the prototype's steps per second that the kernel shall reach.
_SHARES = {
    (9, 70_000): 1.0,
    (9, 2_000_000): 1.0,
    (100, 2_000_000): 0.8,
    (1_000, 5_000_000): 1.1,
    (100_000, 10_000_000): 1.1,
}
#: The share of the lean kernel's steps per second that the one with all metrics shall reach.
_ALL_METRICS = 0.8
#: How many times the CPU time of a warm `verify --quick` a cold one may take.
_COLD = 1.5
#: What that is called, and found by with `--only`.
_COLD_ROW = "verify --quick, cold against warm"
#: How many times less wall time the tests shall take that both commits have.
_SUITE = 2


def cold_against_warm(program: Path, folder: Path, turns: int = 3) -> Iterator[str]:
    """Yield what a first `verify --quick` on a machine takes against later ones.

    They take turns: the machine may be slower for some minutes.
    """
    quick, warm = ("verify", "--quick", "--json"), folder / "warm"
    warm.mkdir()
    run(program, quick, warm)
    taken: dict[str, list[float]] = {"cold": [], "no answers kept": [], "answers kept": []}
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as fresh:
            taken["cold"].append(run(program, quick, Path(fresh)).cpu)
        _forget(warm)
        for what in ("no answers kept", "answers kept"):
            taken[what].append(run(program, quick, warm).cpu)
    cold = min(taken.pop("cold"))
    for what, seconds in taken.items():
        yield f"\n{_COLD_ROW}, {what}: {cold / min(seconds):.2f} (at most {_COLD})\n"


def kernel_rows(prototype: Path) -> Iterator[str]:
    """Yield rows on this checkout's kernel beside a prototype, in one process; then all metrics beside lean."""
    yield "\n| providers | steps | M steps/s | of the best prototype, median | least | largest | asked |\n"
    yield f"{'|--' * 7}|\n"
    for cells in measures.beside_prototype(prototype):
        asked = _SHARES[int(cells[0].replace(",", "")), int(cells[1].replace(",", ""))]
        yield f"| {' | '.join(cells)} | {asked:g} |\n"
    yield "\n| providers | all metrics, of lean | at least |\n|--|--|--|\n"
    for count in measures.SIZES:
        # In turns: the machine may be slower while one of them is measured.
        turns = [[measures.compiled_rate(count, measures=every) for every in (True, False)] for _ in range(3)]
        full, lean = map(max, zip(*turns, strict=True))
        yield f"| {count:,} | {full / lean:.2f} | {_ALL_METRICS:g} |\n"


def suite(programs: Mapping[str, Path], folder: Path, every: int) -> str:
    """Run every so many of the tests that both commits have, of each its own; return a sentence on what they take."""
    known: dict[str, dict[str, None]] = {}
    ran: dict[str, Ran] = {}
    sources = {name: _source(folder / name) for name in programs}
    for name, program in programs.items():
        _pip_install(program.parent, f"{sources[name]}[test]")
        listed = run(program.parent / "pytest", ("--collect-only", "-q", "-n", "0"), folder / name, sources[name])
        known[name] = dict.fromkeys(line for line in listed.output.splitlines() if "::" in line)
    both = [test for test in known["old"] if test in known["new"]]
    asked = both[every // 2 :: every]
    (folder / "tests").write_text("\n".join(asked))
    for name, program in programs.items():
        ran[name] = run(program.parent / "pytest", ("-q", f"@{folder / 'tests'}"), folder / name, sources[name])
    old, new = ran["old"], ran["new"]
    ends = [one.output.strip().splitlines()[-1] for one in (old, new)]
    failed = set(re.findall(r"^(?:FAILED|ERROR) (.*?::.*?)(?: - .*)?$", new.output, re.MULTILINE))
    return (
        f"\n`pytest`, {len(asked):,} of the {len(both):,} tests that both have (of {len(known['old']):,} and "
        f"{len(known['new']):,}): {old.wall:.0f} s of wall before, {new.wall:.0f} s now, "
        f"{old.wall / new.wall:.2f} times less (at least {_SUITE}); {old.cpu:.0f} s of CPU before, {new.cpu:.0f} now. "
        f"They ended with: {ends[0]}; {ends[1]}. Not passed now: {', '.join(sorted(failed)) or 'none'}\n"
    )


#: What is not a command of `costproof`, with what is asked of it: how many times less CPU time, or how little memory.
BESIDES: dict[str, tuple[float | str, Callable[[Mapping[str, Path], Path], dict[str, Ran]]]] = {
    "pip install, then verify, in a new environment": (3, first_use),
    "1,000 runs of 70,000 queries, first use": ("at most 400 MB", campaign),
}


def _forget(caches: Path) -> None:
    """Remove answers of solvers that an earlier run kept."""
    for kept in sorted((caches / "kept").glob("**/*"), reverse=True):
        kept.rmdir() if kept.is_dir() else kept.unlink()


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Yield where two reports differ in what both have."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted((old.keys() & new.keys()) - {*_MEASURED}):
            yield from differences(old[key], new[key], f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, f"{place}[{index}]")
    elif old != new:
        yield f"{place}: {str(old)[:60]} and {str(new)[:60]}"


def main() -> None:
    """Print a row for each command as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.side_by_side", description=__doc__)
    parser.add_argument("old", nargs="?", default=BEGUN, help=f"a commit (default: {BEGUN})")
    parser.add_argument("--only", metavar="TEXT", default="", help="commands whose name has this in it")
    parser.add_argument("--prototype", type=Path, metavar="SCRIPT", help="times a prototype beside the kernel")
    parser.add_argument(
        "--suite",
        type=int,
        metavar="N",
        help="also run every Nth test that both commits have; all of them, with 1, take more than an hour",
    )
    chosen = parser.parse_args()
    write = sys.stdout.write
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("old", "new"):
            (folder / part).mkdir()
        programs = {"old": install(chosen.old, folder / "old"), "new": install(None, folder / "new")}
        write("| command | CPU s, old | new | less | at least | wall s, old | new | MB, old | new | results |\n")
        write(f"{'|--' * 10}|\n")
        for command in (one for one in COMMANDS if chosen.only in one.name):
            found = measured(command, programs, folder)
            write(row(command.name, command.target, found, _same(command, **found)))
            sys.stdout.flush()
        for title, (target, measure) in BESIDES.items():
            if chosen.only in title:
                write(row(title, target, measure(programs, folder), "not compared"))
                sys.stdout.flush()
        rows = kernel_rows(chosen.prototype) if chosen.prototype else ()
        cold = cold_against_warm(programs["new"], folder) if chosen.only in _COLD_ROW else ()
        for line in itertools.chain(cold, rows):
            write(line)
            sys.stdout.flush()
        if chosen.suite:
            write(suite(programs, folder, chosen.suite))


def row(name: str, target: float | str, ran: Mapping[str, Ran], results: str) -> str:
    """Return a row of the table."""
    old, new = ran["old"], ran["new"]
    shown = (
        name,
        f"{old.cpu:.2f}",
        f"{new.cpu:.2f}",
        f"{old.cpu / new.cpu:.2f}",
        str(target),
        f"{old.wall:.2f}",
        f"{new.wall:.2f}",
        f"{old.memory}",
        f"{new.memory}",
        results,
    )
    return f"| {' | '.join(shown)} |\n"


def _same(command: Measured, old: Ran, new: Ran) -> str:
    if not command.compared:
        return "not compared"
    found = list(differences(json.loads(old.output), json.loads(new.output)))
    return f"{len(found)} differ, first {found[0]}" if found else "equal"


if __name__ == "__main__":
    main()

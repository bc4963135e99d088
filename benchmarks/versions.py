"""The table of commands on the page about speed: CPU and wall seconds, memory, and the CPU time of another version.

``python -m benchmarks.versions PYTHON`` takes the interpreter of an environment that has the other version. Both run in
turns; what the other refuses, or does not end in five minutes, is a dash. Without PYTHON only this version runs.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

#: The commands of the page, in its order; see `_write_logs` for the logs.
COMMANDS = (
    "bounds gsm8k-full",
    "simulate gsm8k-full --runs 30",
    "verify",
    "verify --quick",
    "audit ten-million.parquet --setting gsm8k-full",
    "audit million.csv --setting gpqa-strong",
    "audit many.csv --setting many.toml",
    "check mechanism.platform:reference_mechanism",
    "check mechanism.platform:reference_mechanism --quick",
    "prove",
)
#: The first try compiles and fills caches, and is not counted.
TRIES = 3
#: Seconds that a try may take.
LIMIT = 300


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spent:
    """What a command took: seconds, and the megabytes of its largest process."""

    cpu: float
    wall: float
    megabytes: float


def spent(python: str, command: str, folder: str) -> Spent | None:
    """Run a command of the version of an interpreter; return what it took, None if it is refused or takes too long."""
    script, start = str(Path(python).with_name("costproof")), time.monotonic()
    installed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with open(os.devnull, "w") as nowhere:
        limited = ["timeout", f"{LIMIT}", script, *command.split()]
        child = subprocess.Popen(limited, cwd=folder, stdout=nowhere, stderr=nowhere, env=installed)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        return None
    cpu = usage.ru_utime + usage.ru_stime
    return Spent(cpu=cpu, wall=time.monotonic() - start, megabytes=usage.ru_maxrss / 1024)


def _write_logs(folder: str) -> None:
    """Write a log of ten million rows, one of a million, and one of 2,000 providers with a wrong payment."""
    # Not above: the process that measures must stay small.
    import duckdb
    import numpy as np

    from bounds.setting.file import format_setting
    from bounds.setting.model import PlatformParameters, Provider, Setting
    from mechanism.tabular.traces import write_trace
    from proofs_checks.claims.cases.variants import play

    for name, setting, horizon in (("ten-million", "gsm8k-full", 10**7), ("million", "gpqa-strong", 10**6)):
        run = f"simulate {setting} --horizon {horizon} --runs 1 --policy platform --out {name}"
        spent(sys.executable, run, folder)
        source = Path(folder, name, "platform-0000.csv.gz")
        for ending in ("csv", "parquet"):
            duckdb.sql(f"COPY (FROM read_csv('{source}')) TO '{folder}/{name}.{ending}'")
    rng = np.random.default_rng(1)
    pairs = zip(rng.uniform(0.3, 0.9, 2000).round(4), rng.uniform(0.05, 0.9, 2000).round(4), strict=True)
    providers = tuple(Provider(f"p{i}", float(quality), float(cost)) for i, (quality, cost) in enumerate(pairs))
    setting_ = Setting("many", PlatformParameters(0.5, 0.05, 1.0, 0.2, 0.75), providers)
    Path(folder, "many.toml").write_text(format_setting(setting_))
    trace = play(setting_, "truthful", horizon=10_000, seed=0, run=0).trace
    payment = np.array(trace.payment)
    payment[np.flatnonzero(payment < 0.9)[3000]] /= 2
    write_trace(dataclasses.replace(trace, payment=payment), str(Path(folder, "many.csv")), setting_)


def _least(tries: Iterable[Spent | None]) -> Spent | None:
    return min(filter(None, tries), key=lambda each: each.cpu, default=None)


def main(other: str | None = None) -> None:
    """Print a row per command: the least CPU time of two tries, what that try took, and the ratio of the versions."""
    pythons = [sys.executable, other] if other else [sys.executable]
    with tempfile.TemporaryDirectory() as folder:
        # Elsewhere: a child's memory counts from that of its parent on.
        writer = multiprocessing.get_context("spawn").Process(target=_write_logs, args=(folder,))
        writer.start()
        writer.join()
        sys.stdout.write("| | CPU s | wall s | MB, largest process | ratio |\n|--|--|--|--|--|\n")
        for command in COMMANDS:
            tries = [[spent(python, command, folder) for python in pythons] for _ in range(TRIES)][1:]
            here, there = [*map(_least, zip(*tries, strict=True)), None][:2]
            if here is None:
                raise RuntimeError(f"costproof {command} is refused, or takes too long")
            ratio = f"{here.cpu / there.cpu:.2f}" if there else "-"
            row = f"| `costproof {command}` | {here.cpu:.1f} | {here.wall:.1f} | {here.megabytes:.0f} | {ratio} |\n"
            sys.stdout.write(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

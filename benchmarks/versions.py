"""CPU seconds of commands in this version and in another, in turns, as a table in Markdown.

``python -m benchmarks.versions PYTHON`` takes the interpreter of an environment that has the other version.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

#: Of each command, the arguments; LOG is a log of a million rows.
COMMANDS = (
    "bounds gsm8k-full",
    "bounds gsm8k-full --method sharpest",
    "simulate gsm8k-full --seed 0 --runs 30",
    "verify --quick",
    "verify",
    "check mechanism.platform:reference_mechanism --quick",
    "check mechanism.platform:reference_mechanism",
    "prove",
    "audit LOG --setting gpqa-strong",
)
TRIES = 2


def cpu_seconds(python: str, command: Sequence[str], folder: str) -> float:
    """Return the CPU seconds of a command and of its processes, NaN if the version does not have it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    script = str(Path(python).with_name("costproof"))
    done = subprocess.run([script, *command], cwd=folder, capture_output=True, check=False)
    if done.returncode == 2 and python != sys.executable:
        return math.nan
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[-400:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(other: str) -> None:
    """Print a row per command: the least of two tries of each version, and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        runs = f"simulate gpqa-strong --seed 0 --horizon 1000000 --runs 1 --policy platform --out {folder}/runs"
        cpu_seconds(sys.executable, runs.split(), folder)
        [log] = Path(folder, "runs").rglob("*.csv*")
        sys.stdout.write("| command | CPU s | other version | ratio |\n|--|--|--|--|\n")
        for command in COMMANDS:
            arguments = command.replace("LOG", str(log)).split()
            # The first try compiles and fills caches, and is not counted.
            both = (sys.executable, other)
            tries = [[cpu_seconds(python, arguments, folder) for python in both] for _ in range(TRIES + 1)]
            here, there = map(min, zip(*tries[1:], strict=True))
            sys.stdout.write(f"| `{command}` | {here:.1f} | {there:.1f} | {here / there:.2f} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])

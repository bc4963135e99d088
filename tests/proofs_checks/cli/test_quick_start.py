"""`costproof --help` answers at once: what it loads, and how long it works."""

import os
import resource
import subprocess
import sys

from tests.tiers import slower

#: What takes long to load.
HEAVY = {"hypothesis", "joblib", "matplotlib", "numba", "numpy", "rich", "scipy", "sympy"}
#: Prints the help, and says as the last thing which modules are there.
PROGRAM = """
import sys, atexit
from proofs_checks.cli.program import program
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
program()
"""


def help_printed() -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -S: what a site's own start loads is not ours.
    command = [sys.executable, "-S", "-c", PROGRAM, "--help"]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=True)


def seconds_of_help() -> float:
    """Return the CPU seconds of printing the help in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    help_printed()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_loads_no_heavy_library() -> None:
    loaded = set(help_printed().stderr.split())
    assert "proofs_checks.cli.commands.verify" in loaded
    assert not loaded & HEAVY


def test_help_takes_at_most_150_milliseconds_of_cpu() -> None:
    assert min(seconds_of_help() for _ in range(3)) <= 0.15 * slower()

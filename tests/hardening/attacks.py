"""Attacks on `costproof check` by hostile mechanisms, and what came of each."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

import psutil
from jsonschema import Draft202012Validator

from proofs_checks.cli.schema import json_schema
from tests.hardening.hostile import KINDS

ROOT = Path(__file__).parents[2]
GALLERY = Path(__file__).parent / "hostile.py"
#: Seconds and gibibytes that the sweep allows, so that it takes minutes; and seconds within which a run must end.
LIMITS = ("--time-limit", "2", "--memory-limit", "1")
PATIENCE = 60.0
#: In the environment of a run and of what it starts, to find what is left of it.
_MARK = "HARDENING_RUN"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of one attack."""

    kind: str
    #: What the mechanism does.
    does: str
    code: int | None
    seconds: float
    #: What is wrong with the document on stdout; empty if it is whole.
    document: str
    #: The first failed check, and what it says.
    check: str
    message: str
    failed: int
    #: Processes that outlived the run.
    left: int
    #: Whether a traceback was printed.
    traceback: bool

    @property
    def survived(self) -> bool:
        """Whether all that is promised came about."""
        sound = self.code == 1 and not self.document and self.failed > 0 and bool(self.message)
        return sound and not self.left and not self.traceback and self.seconds < PATIENCE


def attack(kind: str, *options: str) -> Outcome:
    """Check a hostile mechanism with the command line, in a folder of its own."""
    mark = uuid.uuid4().hex
    command = [sys.executable, "-m", "proofs_checks", "check", f"{GALLERY}:{kind}", "--quick", "--json", *options]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    began = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done, errors = _run(command, folder, {**os.environ, _MARK: mark, "PYTHONPATH": path})
    seconds = monotonic() - began
    left = list(_left(mark))
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    code, out = done
    document, failed = _read(out)
    first = failed[0] if failed else {"name": "", "message": ""}
    return Outcome(
        kind=kind,
        does=(KINDS[kind].__doc__ or "").strip(),
        code=code,
        seconds=round(seconds, 1),
        document=document,
        check=first["name"],
        message=first["message"],
        failed=len(failed),
        left=len(left),
        traceback="Traceback" in errors,
    )


def _run(command: list[str], folder: str, environment: dict[str, str]) -> tuple[tuple[int | None, str], str]:
    """Return exit code (None if it did not end) and stdout; and stderr."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=2 * PATIENCE, check=False
        )
    except subprocess.TimeoutExpired as late:
        return (None, (late.stdout or b"").decode(errors="replace")), (late.stderr or b"").decode(errors="replace")
    return (done.returncode, done.stdout.decode(errors="replace")), done.stderr.decode(errors="replace")


def _left(mark: str) -> Iterator[psutil.Process]:
    """Yield what is left of a run: by its environment, or by its command line if it cleared that."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.status() != psutil.STATUS_ZOMBIE and (
                process.environ().get(_MARK) == mark or any(mark in part for part in process.cmdline())
            ):
                yield process


def _read(out: str) -> tuple[str, list[dict[str, str]]]:
    """Return what is wrong with a document, and its failed checks."""
    try:
        data = json.loads(out)
    except ValueError:
        return f"no JSON: {out[:80]!r}", []
    wrong = [error.message[:80] for error in Draft202012Validator(json_schema("check")).iter_errors(data)]
    return "; ".join(wrong), [check for check in data["checks"] if check["status"] == "failed"]


def sweep(kinds: Iterable[str] = tuple(KINDS), *, jobs: int = 2) -> list[Outcome]:
    """Attack with every kind, with all checks; minutes."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda kind: attack(kind, *LIMITS), kinds))


def as_data(outcomes: Iterable[Outcome]) -> list[dict[str, object]]:
    """Return outcomes as plain data."""
    return [asdict(outcome) for outcome in outcomes]

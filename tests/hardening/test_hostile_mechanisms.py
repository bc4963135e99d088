"""Whatever a mechanism does to its process is a failed check with a whole report, and no process is left."""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import psutil
import pytest
from jsonschema import Draft202012Validator

from proofs_checks.cli.schema import json_schema
from tests.hardening.hostile import KINDS, UNPICKLED
from tests.tabled import rows_of

pytestmark = pytest.mark.long("starts a process for each mechanism")

#: One of each way to misbehave, and what the message must say.
TELLING = dict(rows_of(__file__, "telling.csv"))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ExitsLate"])
def test_is_a_failed_check_that_says_what_happened(kind: str) -> None:
    seconds = "60" if "Grows" in kind or "Gigabytes" in kind else "0.5"  # a busy machine needs longer for the memory
    found = attack(kind, "--only", "answers", "--time-limit", seconds, "--memory-limit", "0.5")
    assert found.survived, found
    assert re.match(TELLING.get(kind, ""), found.failed["answers"])


def test_what_harms_its_process_at_once_costs_no_process_for_every_check() -> None:
    found = attack("ExitsAtOnce")
    assert found.survived, found
    assert len(found.failed) == 1


def test_one_that_dies_late_fails_where_it_dies_and_the_other_checks_go_on() -> None:
    found = attack("ExitsLate", "--only", "answers", "--only", "long-run", "--only", "lone-payment")
    assert found.survived, found
    assert found.failed.keys() == {"long-run"}
    assert re.match(r"assign\(\) at step 1000 ended its process", found.failed["long-run"])


ROOT = Path(__file__).parents[2]
GALLERY = Path(__file__).parent / "hostile.py"
#: Seconds within which a run must end.
PATIENCE = 60.0
#: In the environment of a run and of what it starts, to find what is left of it.
_MARK = "HARDENING_RUN"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of one attack."""

    code: int | None
    seconds: float
    #: What is wrong with the document on stdout; empty if it is whole.
    document: str
    #: What the failed checks say, by name.
    failed: dict[str, str]
    #: Processes that outlived the run.
    left: int
    #: Whether a traceback was printed.
    traceback: bool
    #: Whether something that the mechanism wrote was unpickled.
    unpickled: bool

    @property
    def survived(self) -> bool:
        """Whether all that is promised came about."""
        sound = self.code == 1 and not self.document and any(self.failed.values())
        return sound and not (self.left or self.traceback or self.unpickled) and self.seconds < PATIENCE


def attack(kind: str, *options: str) -> Outcome:
    """Check a hostile mechanism with the command line, in a folder of its own."""
    mark = uuid.uuid4().hex
    command = [sys.executable, "-m", "proofs_checks", "check", f"{GALLERY}:{kind}", "--quick", "--json", *options]
    environment = {
        **os.environ,
        _MARK: mark,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    began, code = monotonic(), None
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=2 * PATIENCE, check=False
            )
            code, out, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            out, errors = late.stdout or b"", late.stderr or b""
        unpickled = Path(folder, UNPICKLED).exists()
    seconds, left = monotonic() - began, list(_left(mark))
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    document, failed = _read(out.decode(errors="replace"))
    return Outcome(
        code=code,
        seconds=seconds,
        document=document,
        failed=failed,
        left=len(left),
        traceback=b"Traceback" in errors,
        unpickled=unpickled,
    )


def _left(mark: str) -> Iterator[psutil.Process]:
    """Yield what is left of a run: by its environment, or by its command line if it cleared that."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.status() != psutil.STATUS_ZOMBIE and (
                process.environ().get(_MARK) == mark or any(mark in part for part in process.cmdline())
            ):
                yield process


def _read(out: str) -> tuple[str, dict[str, str]]:
    """Return what is wrong with a document, and its failed checks."""
    try:
        data = json.loads(out)
    except ValueError:
        return f"no JSON: {out[:80]!r}", {}
    wrong = [error.message[:80] for error in Draft202012Validator(json_schema("check")).iter_errors(data)]
    return "; ".join(wrong), {each["name"]: each["message"] for each in data["checks"] if each["status"] == "failed"}

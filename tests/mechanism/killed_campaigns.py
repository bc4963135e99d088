"""Campaigns that are killed at a random moment: what still lives of them, and what they kept."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from bounds.published import published
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign

# At least 40 transactions.
CAMPAIGN = Campaign(published("gpqa-strong").setting, horizon=1000, runs=512, seed=7, window=100)

_COMMAND = """
import sys
from bounds.published import published
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign

if __name__ == "__main__":
    campaign = Campaign(published("gpqa-strong").setting, horizon=1000, runs=512, seed=7, window=100)
    folder, backend, scheduler, traces = sys.argv[1:]
    print("started", flush=True)
    run_campaign(
        campaign, jobs=2, backend=backend, scheduler=scheduler or None, out=folder, traces=bool(traces),
        progress=lambda done, total: print(done, flush=True),
    )
"""

# The command line, which says on stderr when it has kept some runs.
_ANNOUNCED = """
import signal, sys
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)  # a background process may have been told to ignore it
import mechanism.campaign.store as campaign_store
keep = campaign_store.CampaignStore.keep

def announced(self, runs):
    keep(self, runs)
    print("kept", file=sys.stderr, flush=True)

campaign_store.CampaignStore.keep = announced
from proofs_checks.cli.program import program

if __name__ == "__main__":
    program()
"""


def living(session: int) -> list[psutil.Process]:
    """Return the processes of a session, without those that ended and wait to be asked for their status."""
    found = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def assert_nothing_outlives(session: int, patience: float) -> None:
    """Wait until nothing of a session lives, or raise with what lives on."""
    start = time.monotonic()
    while alive := living(session):
        waited = time.monotonic() - start
        if waited > patience:
            names = [" ".join(process.cmdline()) for process in alive]
            os.killpg(session, signal.SIGKILL)
            raise AssertionError(f"after {waited:.1f} s these live on: {names}")
        time.sleep(0.02)


def started(folder: Path, backend: str, scheduler: str = "", *, traces: bool = False) -> subprocess.Popen[str]:
    """Start the campaign in a session of its own; return when it is about to run."""
    child = subprocess.Popen(
        [sys.executable, "-c", _COMMAND, folder, backend, scheduler, "traces" if traces else ""],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
    assert child.stdout.readline() == "started\n"
    return child


def announced(*arguments: str) -> subprocess.Popen[str]:
    """Start a command that keeps runs in a folder; it writes a line "kept" to stderr whenever it has kept some."""
    return subprocess.Popen(
        [sys.executable, "-c", _ANNOUNCED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )


def _wait_for_runs(child: subprocess.Popen[str], runs: int) -> None:
    """Return when the campaign has kept so many runs, or has ended."""
    for line in child.stdout:
        if int(line) >= runs:
            return


def killed(
    folder: Path,
    backend: str,
    most: float,
    rng: random.Random,
    *,
    patience: float,
    working: bool = False,
    scheduler: str = "",
) -> int:
    """Start the campaign, kill it at a random moment, resume it, and compare its totals; return the runs kept by then.

    The moment lies within `most` seconds after its start, or if `working`, after it has kept its first runs.
    """
    child = started(folder, backend, scheduler)
    if working:
        _wait_for_runs(child, 1)
    time.sleep(rng.uniform(0, most))
    child.kill()
    child.wait()
    assert_nothing_outlives(child.pid, patience)
    child.communicate(timeout=60)
    resumed = run_campaign(CAMPAIGN, jobs=2, out=str(folder), traces=False, tallies=True)
    assert resumed.steps == (5 * CAMPAIGN.runs - resumed.resumed) * 1000
    assert (resumed.metrics, resumed.tallies, resumed.notes) == (*undisturbed(), ())
    return resumed.resumed


_UNDISTURBED: list[tuple[object, object]] = []


def undisturbed() -> tuple[object, object]:
    """Return metrics and tallies of the campaign that nobody killed, and that no folder kept."""
    if not _UNDISTURBED:
        whole = run_campaign(CAMPAIGN, jobs=1, tallies=True)
        _UNDISTURBED.append((whole.metrics, whole.tallies))
    return _UNDISTURBED[0]

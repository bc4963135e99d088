"""Single bytes of a finished campaign's folder, changed at random: what is reported is refused, or the same."""

import gzip
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bounds.errors import InputError
from bounds.published import published
from mechanism.campaign.export import export_runs
from mechanism.campaign.records import CampaignResult
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.campaign.store import FILE_NAME

CAMPAIGN = Campaign(
    published("gpqa-strong").setting, horizon=200, runs=3, seed=3, window=50, policies=("platform", "lowest-price")
)
Result = TypeVar("Result")


def finished_folder(folder: Path) -> CampaignResult:
    """Fill a folder with a small campaign and its traces, in two sessions, as a resumed one has them."""
    run_campaign(CAMPAIGN, out=str(folder), traces=False)
    return run_campaign(CAMPAIGN, out=str(folder), tallies=True, curves=True)


def exported(folder: Path) -> str:
    file = folder / "runs.csv"
    export_runs(str(folder), str(file))
    text = file.read_text()
    file.unlink()
    return text


def traces(folder: Path) -> dict[str, bytes]:
    return {file.name: gzip.decompress(file.read_bytes()) for file in sorted(folder.glob("*.csv.gz"))}


def change_a_byte(folder: Path, rng: random.Random, *, in_database: bool = False) -> str:
    """Change one byte of a folder's files, each byte equally likely; return which one."""
    files = [folder / FILE_NAME] if in_database else sorted(file for file in folder.iterdir() if file.is_file())
    place = rng.randrange(sum(file.stat().st_size for file in files))
    for file in files:
        if place < file.stat().st_size:
            break
        place -= file.stat().st_size
    content = bytearray(file.read_bytes())
    old = content[place]
    content[place] ^= rng.randrange(1, 256)
    file.write_bytes(content)
    return f"{file.name} byte {place}: {old} becomes {content[place]}"


def outcome(whole: Path, place: Path, right: CampaignResult, change: Callable[[Path], str]) -> tuple[str, str]:
    """Copy a folder, change it, export and resume it; return the change and what came of it.

    Whatever is told otherwise than in the unchanged folder is an `AssertionError`, unless it is refused.
    """
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place)
    what = change(place)
    text = _unless_refused(place, lambda: exported(place))
    assert text in (None, exported(whole)), what
    found = ["export refused" if text is None else "exported"]
    resumed = _unless_refused(place, lambda: run_campaign(CAMPAIGN, out=str(place), tallies=True, curves=True))
    if resumed is None:
        return what, ", ".join([*found, "resuming refused"])
    assert (resumed.metrics, resumed.tallies, resumed.curves) == (right.metrics, right.tallies, right.curves), what
    assert all("damaged" in note for note in resumed.notes), (what, resumed.notes)
    assert (exported(place), traces(place)) == (exported(whole), traces(whole)), what
    told = "told and simulated again" if resumed.notes else "a trace written again"
    return what, ", ".join([*found, "resumed unchanged" if resumed.resumed == right.resumed else told])


def _unless_refused(place: Path, call: Callable[[], Result]) -> Result | None:
    try:
        return call()
    except InputError as error:
        refusal = error
    assert (refusal.argument, refusal.value) == ("out", str(place))
    return None


def attacked(folder: Path, changes: int, seed: int, *, in_database: bool = False) -> Counter[str]:
    """Change one byte many times; count what came of it."""
    whole, rng = folder / "whole", random.Random(seed)
    finished_folder(whole)
    right = run_campaign(CAMPAIGN, out=str(whole), tallies=True, curves=True)
    assert right.resumed == 6
    found: Counter[str] = Counter()
    for _ in range(changes):
        found[outcome(whole, folder / "one", right, lambda f: change_a_byte(f, rng, in_database=in_database))[1]] += 1
    return found

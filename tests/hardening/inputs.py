"""Changed inputs for every reader: ten thousand runs of the command line, and what came of them."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bounds.characters import is_hidden
from proofs_checks.proofs import bundle
from proofs_checks.proofs.solvers.solvers import SOLVERS, Answered
from tests.hardening.forked import Run, run_all, warm_up
from tests.hardening.readers import READERS, Contents, Reader

#: Changed inputs of each reader, ten thousand in all; those of slow commands are fewer.
TRIES: Mapping[str, int] = {
    "setting (TOML)": 1_900,
    "log (CSV)": 1_500,
    "log (JSON Lines)": 1_300,
    "log (gzip)": 700,
    "log (Parquet)": 900,
    "table of providers (CSV)": 500,
    "table of providers (Parquet)": 400,
    "recorded generations": 1_000,
    "recorded generations, prepared": 500,
    "evaluation (RouterBench, CSV)": 500,
    "evaluation (RouterArena, JSON)": 500,
    "evaluation (LLMRouterBench, JSON)": 500,
    "evaluation (SPROUT, Parquet)": 500,
    "report, replayed": 600,
    "report, as a page": 400,
    "proof folder": 200,
    "campaign": 600,
}
#: Of those that end with 0, so many are checked without the product's readers.
SAMPLE = 30


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What came of a reader's changed inputs."""

    reader: str
    command: str
    tried: int
    #: How often each exit code came.
    codes: dict[str, int]
    #: Of those that ended with 0: how many were checked by other means, and how many of these were unchanged in bytes.
    checked: int
    slowest_seconds: float
    peak_megabytes: int
    #: The seed and what went wrong.
    faults: tuple[str, ...]

    @property
    def survived(self) -> int:
        """How many kept the promise."""
        return self.tried - len(self.faults)


def remember_answers() -> None:
    """Let `prove --recheck` ask solvers a script once: children find what was said of the valid input's scripts.

    Two solvers start in each child otherwise, only to be asked what this process has asked them: a script that was
    changed in its file alone is refused unasked.
    """
    ask, said = bundle.ask_both, dict[str, dict[str, Answered]]()

    def ask_once(questions: Mapping[str, str], **options: Any) -> dict[str, dict[str, Answered]]:
        new = {name: text for name, text in questions.items() if text not in said}
        answers = ask(new, **options) if new else {}
        said.update({text: {solver: answers[solver][name] for solver in answers} for name, text in new.items()})
        return {solver: {name: said[text][solver] for name, text in questions.items()} for solver in SOLVERS}

    bundle.ask_both = ask_once


def changed_input(reader: Reader, valid: Contents, seed: int) -> Contents:
    """Return the files of a valid input, one of them changed."""
    rng = random.Random(seed)
    name = rng.choice(sorted(name for name in valid if reader.target(name)))
    return {**valid, name: reader.change(valid[name], rng)}


def attack_reader(name: str, seeds: Iterable[int], *, sample: int = SAMPLE, jobs: int = 2) -> Tally:
    """Give a reader changed inputs, every other one asking for JSON, and count what came of them."""
    reader = READERS[name]
    valid = reader.files()
    seeds = list(seeds)
    codes: Counter[str] = Counter()
    faults: list[str] = []
    checked, slowest, peak = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as place:
        for arguments in (reader.command, (*reader.command, *reader.json)):
            warm_up(written(valid, Path(place) / "valid"), list(arguments))
        for run in run_all(_prepared(reader, valid, seeds, Path(place)), jobs=jobs):
            seed, as_json = _of(run.folder)
            changed = changed_input(reader, valid, seed)
            fault = run.fault or _hidden(run)
            # JSON says what was computed: the sample is of those.
            if not fault and run.code == 0 and as_json and (checked < sample or changed == valid):
                checked += 1
                objection = reader.objection(valid, changed, run.out)
                fault = objection and f"taken, but {objection}"
            if fault:
                faults.append(f"seed {seed}: {fault}")
            codes[str(run.code)] += 1
            slowest, peak = max(slowest, run.seconds), max(peak, run.peak_bytes)
            shutil.rmtree(run.folder)
    return Tally(
        reader=name,
        command=" ".join(reader.command),
        tried=len(seeds),
        codes=dict(sorted(codes.items())),
        checked=checked,
        slowest_seconds=round(slowest, 1),
        peak_megabytes=round(peak / 1e6),
        faults=tuple(faults),
    )


def _prepared(reader: Reader, valid: Contents, seeds: list[int], place: Path) -> Iterator[tuple[Path, list[str]]]:
    for seed in seeds:
        as_json = seed % 2
        folder = written(changed_input(reader, valid, seed), place / f"{seed}-{as_json}")
        yield folder, [*reader.command, *(reader.json if as_json else ())]


def written(contents: Contents, folder: Path) -> Path:
    """Write files into a folder, and return it."""
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _of(folder: Path) -> tuple[int, bool]:
    seed, as_json = folder.name.split("-")
    return int(seed), as_json == "1"


def _hidden(run: Run) -> str:
    """Return which characters on the terminal hide, reorder or steer what is shown, or an empty string."""
    found = sorted({c for c in run.out + run.err if c != "\n" and is_hidden(c)})
    return f"printed {found!r}" if found else ""


def sweep(names: Iterable[str] = tuple(READERS)) -> list[dict[str, Any]]:
    """Attack every reader; about twenty minutes."""
    return [as_data(attack_reader(name, range(TRIES[name]))) for name in names]


def as_data(tally: Tally) -> dict[str, Any]:
    """Return a tally as plain data."""
    return {**asdict(tally), "faults": list(tally.faults)}

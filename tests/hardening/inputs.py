"""Changed inputs for every reader, and what came of them.

``python -m tests.hardening.inputs TRIES`` prints the tallies as JSON. The readers run in forked children, and a process
that forks must not have threads, as that of the tests has.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
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

#: Of those that end with 0, so many are checked without the product's readers.
SAMPLE = 30


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What came of a reader's changed inputs."""

    #: How often each exit code came.
    codes: dict[str, int]
    #: How many of those that ended with 0 were checked by other means.
    checked: int
    #: The seed and what went wrong.
    faults: list[str]


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
    checked = 0
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
            shutil.rmtree(run.folder)
    return Tally(codes=dict(sorted(codes.items())), checked=checked, faults=faults)


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


def main() -> None:
    """Attack every reader, and print what came of it."""
    remember_answers()
    seeds = range(int(sys.argv[1]))
    print(json.dumps({name: asdict(attack_reader(name, seeds)) for name in READERS}))  # noqa: T201


if __name__ == "__main__":
    main()

"""The layout that the paper's authors prepare: `datasets/` with correctness and tokens, `rewards/` beside it.

Their scripts write `datasets/BENCHMARK/MODEL.jsonl`, with the fields qid, correctness and num_tokens, and
`rewards/BENCHMARK/MODEL.jsonl`, with the fields qid and rewards, one entry per generation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, printable
from mechanism.recorded.alignment import Record
from mechanism.tabular.files import TableFile, located
from mechanism.tabular.table import open_table

__all__ = ["DATASETS", "REWARDS", "Rewards", "prepared_place", "rewards_beside", "with_rewards"]

DATASETS, REWARDS = "datasets", "rewards"
#: The files of rewards that are looked for, one per model.
ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".parquet")


@dataclass(frozen=True, eq=False)
class Rewards:
    """The rewards of one model, by question, and where they stand."""

    by_question: Mapping[str, NDArray[np.float64]]
    place: str


def prepared_place(folder: Path) -> Path:
    """Return the folder `datasets` of a prepared layout, any other folder as it is."""
    return folder / DATASETS if (folder / DATASETS).is_dir() else folder


def rewards_beside(place: Path) -> Path | None:
    """Return the folder of rewards that belongs to a folder of a prepared layout, None if there is none.

    Examples
    --------
    >>> rewards_beside(Path("/nowhere/datasets/GPQA")) is None
    True
    """
    parents = (place, *place.parents)
    datasets = next((each for each in parents[:2] if each.name == DATASETS), None)
    if datasets is None:
        return None
    found = datasets.parent / REWARDS / place.relative_to(datasets)
    return found if found.is_dir() else None


def read_rewards(folder: Path, model: str, longest_line: int) -> Rewards | None:
    """Return the rewards of a model, None if there is no file of its name.

    Raises
    ------
    InputError
        The file is damaged, or a row breaks a rule: one line that names file, row and column.
    """
    path = next((each for ending in ENDINGS if (each := folder / f"{model}{ending}").is_file()), None)
    if path is None:
        return None
    name = f"{REWARDS}/{folder.name}/{path.name}" if folder.name != REWARDS else f"{REWARDS}/{path.name}"
    source = TableFile(location=str(path), name=name)
    found: dict[str, NDArray[np.float64]] = {}
    with open_table(source, longest_line=longest_line, wanted=("qid", REWARDS)) as table:
        for line, record in table.records():
            try:
                cells = table.cells(record)
                question = str(cells["qid"]) if type(cells.get("qid")) is int else cells.get("qid")
                if not isinstance(question, str) or not question.strip():
                    raise InputError("qid", question, "must be a name", "it names the question")
                if question not in found:  # as of the rows of a data set, the first counts
                    found[question] = _scores(cells.get(REWARDS), table.number)
            except InputError as error:
                raise located(error, source.place(line)) from None
    return Rewards(found, printable(name))


def _scores(cell: object, number: object) -> NDArray[np.float64]:
    if not isinstance(cell, list):
        raise InputError(REWARDS, cell, "must be a list with one entry per generation", "scores of a reward model")
    values = [math.nan if entry is None else number(entry) for entry in cell]  # type: ignore[operator]
    for i, value in enumerate(values):
        if value is None:
            raise InputError(f"{REWARDS}[{i}]", cell[i], "must be a number", "it is the score of a reward model")
    return np.array(values, np.float64)


def with_rewards(
    records: Mapping[str, Mapping[str, Record]], folder: Path, longest_line: int
) -> tuple[dict[str, dict[str, Record]], list[str]]:
    """Return records with the rewards of a folder, and what is told of rewards that belong to no question.

    Raises
    ------
    InputError
        No model has rewards there, and what `read_rewards` refuses.
    """
    found: dict[str, dict[str, Record]] = {}
    unused, read = [], 0
    for model, rows in records.items():
        rewards = read_rewards(folder, model, longest_line)
        if rewards is None:
            found[model] = dict(rows)
            continue
        read += 1
        given = rewards.by_question
        found[model] = {q: row._replace(reward=given[q]) if q in given else row for q, row in rows.items()}
        others = [question for question in given if question not in rows]
        if others:
            unused.append(f"{rewards.place} has rewards of {len(others)} unknown questions, as {others[0]!r}")
    if not read:
        shown = ", ".join(list(records)[:6])
        remedy = f"they are {REWARDS}/BENCHMARK/MODEL.jsonl, of {printable(shown)}; or remove the folder"
        raise InputError(str(folder), MISSING, "has no file of rewards of these models", remedy)
    return found, unused

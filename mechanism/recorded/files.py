"""Recorded generations from a local folder: Parquet, CSV or JSON Lines, in two layouts."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from bounds.errors import InputError, printable
from mechanism.recorded.alignment import AlignmentReport, Record, align, natural_order
from mechanism.recorded.cells import FlatRows, check_columns, is_one_row_a_question, question_record
from mechanism.recorded.generations import Generations
from mechanism.tabular.generation_rows import ENDINGS, Table, located, open_table

__all__ = ["load_generations"]

Progress = Callable[[str, int, int], None]


def load_generations(
    folder: str | os.PathLike[str],
    benchmark: str | None = None,
    *,
    models: Sequence[str] | None = None,
    require_rewards: bool = False,
    invalid_rows: Literal["raise", "drop"] = "raise",
    progress: Progress | None = None,
) -> Generations:
    """Load the recorded generations of one benchmark.

    Parameters
    ----------
    folder : str or path-like
        Holds the files, or a subfolder of the benchmark's name that does. Every file that ends in ``.parquet``,
        ``.csv``, ``.jsonl`` or ``.ndjson``, the last three also with ``.gz`` after it, is read; others and
        subfolders are not. See docs/generations.md for the two layouts.
    benchmark : str, optional
        Name of the subfolder, or of the folder itself; by default the folder itself is read.
    models : sequence of str, optional
        Which models, in this order; by default all, in natural order. Files of the paper's data that belong to
        other models are not read beyond their first row.
    require_rewards : bool, optional
        Drop questions that lack a reward from all models, as best-of-n needs; by default they stay, and no
        rewards are kept if any lacks.
    invalid_rows : {"raise", "drop"}, optional
        What to do about a row that breaks a rule. A dropped one is reported, and its question is then dropped
        jointly.
    progress : callable, optional
        Called with (file name, its position from 1, number of files) before each file is read.

    Returns
    -------
    Generations
        With the questions that every model has in full, in natural order; its `alignment` reports the others.

    Raises
    ------
    InputError
        One line that names file, row and column of what is wrong. Rows count from 1; those of a text file are
        its lines, the header included.

    Notes
    -----
    One row is held in memory at a time, and 13 bytes per generation in the end.

    Examples
    --------
    >>> import tempfile
    >>> text = "model,question,generation,correct,tokens\\nm,q1,0,true,12\\nm,q1,1,false,30\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.csv").write_text(text)
    ...     generations = load_generations(folder)
    >>> generations.models, generations.samples, generations.best_of_n_quality("m")
    (('m',), 2, Fraction(1, 2))
    """
    if invalid_rows not in ("raise", "drop"):
        raise InputError("invalid_rows", invalid_rows, "must be 'raise' or 'drop'", "a dropped row is reported")
    wanted = None if models is None else _model_names(models)
    place = _folder(folder, benchmark)
    reader = _Reader(wanted, invalid_rows == "drop")
    files = _files(place)
    for position, path in enumerate(files, 1):
        if progress is not None:
            progress(path.name, position, len(files))
        reader.read(path, str(path.relative_to(place.parent)))
    records = reader.records(place)
    aligned = align(records, require_rewards)
    report = AlignmentReport(
        aligned.misalignments, aligned.reward_misalignments, tuple(reader.repeated), tuple(reader.invalid)
    )
    name = benchmark or place.name
    return Generations(name, tuple(records), aligned.questions, aligned.correct, aligned.tokens, aligned.reward, report)


class _Reader:
    """Collects the records of files; `repeated` and `invalid` are for the report."""

    def __init__(self, wanted: tuple[str, ...] | None, drop: bool) -> None:
        self._wanted, self._drop = wanted, drop
        self._records: dict[str, dict[str, Record]] = {}
        self._flat = FlatRows()
        self._other_models: set[str] = set()
        self._file_of: dict[str, str] = {}
        self.repeated: list[str] = []
        self.invalid: list[str] = []

    def read(self, path: Path, name: str) -> None:
        # The paper's files are named model--temp-0.6--samples-128--max-512.jsonl.
        model = _stem(path).split("--")[0]
        with open_table(path, name) as table:
            check_columns(table)
            if not is_one_row_a_question(table):
                self._each_row(table, self._add_generation)
            elif self._is_wanted(model):
                self._claim(model, name)
                self._each_row(table, lambda table, row, cells: self._add_question(model, table, row, cells))

    def records(self, place: Path) -> dict[str, dict[str, Record]]:
        for (model, question), record in self._flat.records().items():
            self._store(model, question, record)
        for model in self._wanted or ():
            if model not in self._records:
                known = sorted(self._other_models | set(self._records))
                near = difflib.get_close_matches(model[:200], known, 1)
                shown = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known[:12]) or 'none'}"
                raise InputError("models", model, f"has no recorded generations in {printable(place.name)}", shown)
        if not self._records:
            raise InputError("folder", str(place), "holds no valid row", "see alignment rules in docs/generations.md")
        return {model: self._records[model] for model in self._wanted or natural_order(self._records)}

    def _is_wanted(self, model: str) -> bool:
        if self._wanted is None or model in self._wanted:
            return True
        self._other_models.add(model)
        return False

    def _claim(self, model: str, name: str) -> None:
        """Refuse a second file of a model: which of them was meant?"""
        if self._file_of.setdefault(model, name) != name:
            rule = f"is a second file of {model}, after {self._file_of[model]}"
            raise InputError("file", name, rule, "keep one of the two in the folder")

    def _each_row(self, table: Table, add: Callable[[Table, int, object], None]) -> None:
        for row, cells in table.rows:
            try:
                add(table, row, cells)
            except InputError as error:
                known = located(error, f"{printable(table.name)}:{row}")
                if not self._drop:
                    raise known from None
                self.invalid.append(str(known))

    def _add_generation(self, table: Table, row: int, raw: object) -> None:
        cells = table.cells(raw)
        model = cells.get("model")
        if isinstance(model, str) and not self._is_wanted(model):
            return
        self._flat.add(cells, table.number, table.name, row)

    def _add_question(self, model: str, table: Table, row: int, raw: object) -> None:
        place = f"{printable(table.name)}:{row}"
        question, record = question_record(table.cells(raw), table.number, place)
        self._store(model, question, record)

    def _store(self, model: str, question: str, record: Record) -> None:
        first = self._records.setdefault(model, {}).setdefault(question, record)
        if first is not record:
            self.repeated.append(f"{record.place} repeats question {question!r} of {model}; {first.place} is kept")


def _model_names(models: Sequence[str]) -> tuple[str, ...]:
    names = (models,) if isinstance(models, str) else tuple(models)
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InputError("models", models, "must be one or more names, each once", "leave it out for all models")
    return names


def _folder(folder: str | os.PathLike[str], benchmark: str | None) -> Path:
    try:
        place = Path(os.fsdecode(folder)).absolute()
        exists = place.is_dir()
        names = sorted(each.name for each in place.iterdir() if each.is_dir()) if exists else []
    except (TypeError, OSError, ValueError) as error:  # ValueError: a NUL character
        raise InputError("folder", folder, f"cannot be read ({error})", "give the path of a folder") from None
    if not exists:
        raise InputError("folder", folder, "is no folder", "download or record generations first")
    if benchmark is None or benchmark == place.name:
        return place
    if benchmark in names:
        return place / benchmark
    shown = ", ".join(names[:12]) or "none"
    remedy = f"its subfolders are: {shown}; leave benchmark out to read the folder itself"
    raise InputError("benchmark", benchmark, f"is no subfolder of {printable(place.name)}", remedy)


def _files(place: Path) -> list[Path]:
    found = {path.name: path for path in place.iterdir() if path.name.lower().endswith(tuple(ENDINGS))}
    files = [found[name] for name in natural_order(found) if not name.startswith(".") and found[name].is_file()]
    if not files:
        folders = ", ".join(sorted(each.name for each in place.iterdir() if each.is_dir())[:12])
        remedy = f"choose a benchmark among {folders}" if folders else f"files must end in {', '.join(ENDINGS)}"
        raise InputError("folder", str(place), "holds no file of recorded generations", remedy)
    return files


def _stem(path: Path) -> str:
    ending = next(ending for ending in ENDINGS if path.name.lower().endswith(ending))
    return path.name[: -len(ending)]

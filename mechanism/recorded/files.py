"""Recorded generations from a local folder: Parquet, CSV or JSON Lines, in three layouts."""

from __future__ import annotations

import difflib
import math
import os
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bounds.errors import InputError, did_you_mean, printable
from mechanism.recorded.alignment import Record, align, natural_order
from mechanism.recorded.generations import MOST_TOKENS, Generations
from mechanism.recorded.prepared import prepared_place, rewards_beside, with_rewards
from mechanism.tabular.files import TableFile, format_of, located, refuse_repeated
from mechanism.tabular.table import Table, open_table

__all__ = ["load_generations", "may_be_generations"]

LONGEST_LINE = 1 << 26
"""Bytes of a line that is too long: a question with all its generated texts takes a few million."""

ROW_PER_GENERATION = {
    "model": "it names the model",
    "question": "it names the question",
    "generation": "it numbers the generations of a model and question: 0, 1, ...",
    "correct": "it says whether the generation is correct: true or false, 1 or 0",
    "tokens": "it is the number of output tokens",
    "reward": "it is the score of a reward model (optional; an empty cell means missing)",
}
ROW_PER_QUESTION = {
    "qid": "it names the question",
    "correct": "it says whether the generation is correct: true or false, 1 or 0",
    "num_tokens": "it lists the output tokens of the generations",
    "rewards": "it lists the scores of a reward model (optional; null means missing)",
}
PREPARED = {
    "qid": ROW_PER_QUESTION["qid"],
    "correctness": ROW_PER_QUESTION["correct"],
    "num_tokens": ROW_PER_QUESTION["num_tokens"],
}
"""The columns of the layouts, and what they mean. Prompts and generated text are not kept."""

_MEANINGS = ROW_PER_GENERATION | ROW_PER_QUESTION | PREPARED
_OPTIONAL = ("reward", "rewards")

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
        subfolders are not. Of the layout that the paper's authors prepare, it holds the folders ``datasets`` and
        ``rewards``. See docs/generations.md for the layouts.
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
    unused: list[str] = []
    rewards = rewards_beside(place)
    if rewards is not None:
        records, unused = with_rewards(records, rewards, LONGEST_LINE)
    aligned = align(records, require_rewards)
    report = replace(
        aligned.alignment,
        repeated_rows=tuple(reader.repeated),
        invalid_rows=tuple(reader.invalid),
        unused_rewards=tuple(unused),
    )
    return Generations(
        benchmark=benchmark or place.name,
        models=tuple(records),
        questions=aligned.questions,
        correct=aligned.correct,
        tokens=aligned.tokens,
        reward=aligned.reward,
        alignment=report,
    )


class _Reader:
    """Collects the records of files; `repeated` and `invalid` are for the report."""

    def __init__(self, wanted: tuple[str, ...] | None, drop: bool) -> None:
        self._wanted, self._drop = wanted, drop
        self._records: dict[str, dict[str, Record]] = {}
        self._generations = _GenerationRows()
        self._other_models: set[str] = set()
        self._file_of: dict[str, str] = {}
        self.repeated: list[str] = []
        self.invalid: list[str] = []

    def read(self, path: Path, name: str) -> None:
        source = TableFile(location=str(path), name=name)
        with open_table(source, longest_line=LONGEST_LINE, wanted=_MEANINGS) as table:
            records = table.records()
            first = list(islice(records, 1))
            if not first:
                raise source.fault("holds no row", "remove the file, or record generations in it")
            add: Callable[[_Cells, str, int], None] = self._add_generation
            if _is_row_per_question(table):
                # The paper's files are named model--temp-0.6--samples-128--max-512.jsonl.
                model = path.name[: -len(source.ending) - 3 * source.compressed].split("--")[0]
                if not self._is_wanted(model):
                    return
                first_file = self._file_of.setdefault(model, name)
                if first_file != name:  # which of them was meant?
                    rule = f"is a second file of {model}, after {first_file}"
                    raise InputError("file", name, rule, "keep one of the two in the folder")
                add = partial(self._add_question, model)
            for row, record in chain(first, records):
                try:
                    add(_Cells(table.cells(record), table.number), name, row)
                except InputError as error:
                    known = located(error, source.place(row))
                    if not self._drop:
                        raise known from None
                    self.invalid.append(str(known))

    def _add_generation(self, cells: _Cells, name: str, row: int) -> None:
        model = cells.found.get("model")
        if not isinstance(model, str) or self._is_wanted(model):
            self._generations.add(cells, name, row)

    def _add_question(self, model: str, cells: _Cells, name: str, row: int) -> None:
        correct = "correctness" if "correctness" in cells.found and "correct" not in cells.found else "correct"
        self._store(model, *_question_record(cells, f"{printable(name)}:{row}", correct))

    def records(self, place: Path) -> dict[str, dict[str, Record]]:
        for (model, question), record in self._generations.records().items():
            self._store(model, question, record)
        for model in self._wanted or ():
            if model not in self._records:
                known = sorted(self._other_models | set(self._records))
                remedy = did_you_mean(model, known, f"there are {', '.join(known[:12]) or 'none'}", quote=True)
                raise InputError("models", model, f"has no recorded generations in {printable(place.name)}", remedy)
        if not self._records:
            raise InputError("folder", str(place), "holds no valid row", "see alignment rules in docs/generations.md")
        return {model: self._records[model] for model in self._wanted or natural_order(self._records)}

    def _is_wanted(self, model: str) -> bool:
        if self._wanted is None or model in self._wanted:
            return True
        self._other_models.add(model)
        return False

    def _store(self, model: str, question: str, record: Record) -> None:
        first = self._records.setdefault(model, {}).setdefault(question, record)
        if first is not record:
            other = f" with other answers ({_means(record)}, not {_means(first)})" if _differ(first, record) else ""
            repeats = f"{record.place} repeats question {question!r} of {model}{other}"
            self.repeated.append(f"{repeats}; {first.place} is kept")


def _differ(one: Record, other: Record) -> bool:
    return not (np.array_equal(one.correct, other.correct) and np.array_equal(one.tokens, other.tokens))


def _means(record: Record) -> str:
    means = (float(each.mean()) if len(each) else math.nan for each in (record.correct, record.tokens))
    return "mean score {:.6g}, {:.6g} tokens".format(*means)


def may_be_generations(header: Sequence[str]) -> bool:
    """Return whether some columns are those of recorded generations.

    Examples
    --------
    >>> may_be_generations(("qid", "is_correct", "num_tokens")), may_be_generations(("doc_id", "target", "exact_match"))
    (True, False)
    """
    return len(_MEANINGS.keys() & set(header)) > 1


def _is_row_per_question(table: Table) -> bool:
    """Return whether a file has the layout of the paper's data or the prepared one, which have a column qid.

    Raises
    ------
    InputError
        A column of the file's layout is missing or misspelt, or any is given twice; other columns are ignored.
    """
    per_question = "qid" in table.header and "generation" not in table.header
    try:
        prepared = "correctness" in table.header and "correct" not in table.header
        of_questions = PREPARED if prepared else ROW_PER_QUESTION
        _check_header(table.header, of_questions if per_question else ROW_PER_GENERATION)
    except InputError as error:
        raise located(error, table.header_place) from None
    return per_question


def _check_header(header: tuple[str, ...], layout: dict[str, str]) -> None:
    refuse_repeated(header)
    others = [column.casefold()[:40] for column in header if column not in layout]
    for name in layout:
        if name in header:
            continue
        near = difflib.get_close_matches(name, others, 1, cutoff=0.75)
        if near or name not in _OPTIONAL:
            remedy = f"is it the column {near[0]!r}? rename it" if near else layout[name]
            raise InputError(name, None, "must be given", remedy)


class _Cells:
    """The cells of a row; errors name the column, and the entry of a list."""

    def __init__(self, found: dict[str, object], number: Callable[[object], float | None]) -> None:
        self.found, self._number = found, number

    def name(self, column: str) -> str:
        """Return a name; a whole number names as its digits do."""
        cell = self.found.get(column)
        if type(cell) is int:
            return str(cell)
        if not isinstance(cell, str) or not cell.strip():
            raise InputError(column, cell, "must be a name", _MEANINGS[column])
        return cell

    def entries(self, column: str) -> list[tuple[str, object]]:
        """Return the entries of a list, each with what errors call it."""
        entries = self.found.get(column)
        if not isinstance(entries, list):
            raise InputError(column, entries, "must be a list with one entry per generation", _MEANINGS[column])
        return [(f"{column}[{i}]", entry) for i, entry in enumerate(entries)]

    def whole(self, name: str, cell: object, most: int = MOST_TOKENS) -> int:
        value = self._number(cell)
        if value is None or not 0 <= value <= most or value != math.floor(value):
            raise InputError(name, cell, f"must be a whole number in 0..{most}", _MEANINGS[name.split("[")[0]])
        return int(value)

    def correct(self, name: str, cell: object) -> int:
        if isinstance(cell, str) and (text := cell.strip().casefold()) in ("true", "false"):
            return int(text == "true")
        value = cell if isinstance(cell, bool) else self._number(cell)
        if value is None or value not in (0, 1):
            raise InputError(name, cell, "must be true or false, 1 or 0", _MEANINGS[name.split("[")[0]])
        return int(value)

    def reward(self, name: str, cell: object) -> float:
        """Return a score; NaN, which aligns with no other, where it is missing."""
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return math.nan
        value = self._number(cell)
        if value is None:
            raise InputError(name, cell, "must be a number", _MEANINGS[name.split("[")[0]])
        return value


def _question_record(cells: _Cells, place: str, column: str = "correct") -> tuple[str, Record]:
    """Return the question of a row of the paper's data, and its record.

    The columns correct, num_tokens and rewards hold lists with one entry per generation. An entry of num_tokens is a
    count, or of a reasoning model the pair [thinking, total].

    Examples
    --------
    >>> row = {"qid": "q-1", "correct": [True, False], "num_tokens": [12, [7, 30]], "rewards": [0.5, None]}
    >>> question, record = _question_record(_Cells(row, lambda cell: cell), "a.jsonl:1")
    >>> question, record.correct.tolist(), record.tokens.tolist(), record.reward.tolist()
    ('q-1', [1, 0], [12, 30], [0.5, nan])
    """
    question = cells.name("qid")
    correct = [cells.correct(name, cell) for name, cell in cells.entries(column)]
    tokens = [cells.whole(name, _total(cell)) for name, cell in cells.entries("num_tokens")]
    rewards = [] if cells.found.get("rewards") is None else cells.entries("rewards")
    reward = np.array([cells.reward(name, cell) for name, cell in rewards], np.float64)
    return question, Record(np.array(correct, np.uint8), np.array(tokens, np.int32), reward, place)


def _total(cell: object) -> object:
    return cell[1] if isinstance(cell, list) and len(cell) == 2 else cell


class _GenerationRows:
    """Collects the rows of one generation each, in any order, into records."""

    def __init__(self) -> None:
        self._files: list[str] = []
        # By model and question: generation, correct, tokens, reward and place of every row.
        self._found: dict[tuple[str, str], tuple[array[Any], ...]] = {}

    def add(self, cells: _Cells, file: str, row: int) -> None:
        """Add a row, or raise an InputError that names its column."""
        key, found = (cells.name("model"), cells.name("question")), cells.found.get
        values = (
            cells.whole("generation", found("generation"), 2**53),
            cells.correct("correct", found("correct")),
            cells.whole("tokens", found("tokens")),
            cells.reward("reward", found("reward")),
        )
        if not self._files or self._files[-1] != file:
            self._files.append(file)
        columns = self._found.setdefault(key, tuple(map(array, "qbidq")))
        for column, value in zip(columns, (*values, len(self._files) - 1 << 40 | row), strict=True):
            column.append(value)

    def records(self) -> dict[tuple[str, str], Record]:
        """Return the records by model and question, generations in order; an InputError if one is given twice."""
        return {key: self._record(*key) for key in self._found}

    def _record(self, model: str, question: str) -> Record:
        generation, correct, tokens, reward, place = map(np.array, self._found[model, question])
        order = np.argsort(generation, kind="stable")
        repeated = np.flatnonzero(np.diff(generation[order]) == 0)
        if len(repeated):
            second = order[repeated[0] + 1]
            rule = f"of question {question!r} of {model} is given twice"
            error = InputError("generation", int(generation[second]), rule, "number the generations 0, 1, ...")
            raise located(error, self._place(int(place[second])))
        return Record(correct[order].astype(np.uint8), tokens[order], reward[order], self._place(int(place[0])))

    def _place(self, code: int) -> str:
        return f"{printable(self._files[code >> 40])}:{code & (1 << 40) - 1}"


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
    if (inner := prepared_place(place)) != place:
        return _folder(inner, benchmark)
    if benchmark is None or benchmark == place.name:
        return place
    if benchmark in names:
        return place / benchmark
    shown = ", ".join(names[:12]) or "none"
    remedy = f"its subfolders are: {shown}; leave benchmark out to read the folder itself"
    raise InputError("benchmark", benchmark, f"is no subfolder of {printable(place.name)}", remedy)


def _files(place: Path) -> list[Path]:
    found = {path.name: path for path in place.iterdir() if format_of(path.name) and path.is_file()}
    files = [found[name] for name in natural_order(found) if not name.startswith(".")]
    if not files:
        folders = ", ".join(sorted(each.name for each in place.iterdir() if each.is_dir())[:12])
        endings = "files must end in .jsonl, .ndjson or .csv, perhaps with .gz after it, or in .parquet"
        remedy = f"choose a benchmark among {folders}" if folders else endings
        raise InputError("folder", str(place), "holds no file of recorded generations", remedy)
    return files

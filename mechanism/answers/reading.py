"""Reads files of answers: found, recognised and collected."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from bounds.errors import MISSING, InputError, printable
from mechanism.answers.choices import GENERATIONS
from mechanism.answers.formats import BENCH_TABLE, FORMATS, MODEL, REWARDS, Format, entries, recognised
from mechanism.answers.omissions import Omission
from mechanism.answers.rows import AnswerRows, name_of, reward_of
from mechanism.answers.selection import natural_order
from mechanism.answers.table import Answers
from mechanism.files import reason
from mechanism.tabular.documents import DocumentFile, JsonDocument, is_document
from mechanism.tabular.files import PARQUET, TableFile, format_of, located, refuse_repeated
from mechanism.tabular.pieces import Number, json_number
from mechanism.tabular.table import open_table

LONGEST_RECORD = 1 << 26
"""Bytes of a record that is too long: a question with all its generated texts takes a few million."""

MOST_FILES, MOST_RECORDS = 1 << 16, 1 << 23
_PICKLE = (".pkl", ".pickle", ".pkl.gz", ".pickle.gz", ".pkl.bz2", ".pkl.xz", ".pkl.zip")
#: Of LLMRouterBench's files of one data set, split and model the latest counts.
_STAMP = re.compile(r"(.*?)-?(\d{8}_\d{6})\.json(?:\.gz)?", re.IGNORECASE)
#: The folders of the layout that the paper's authors prepare, and the files of rewards that are looked for.
_PREPARED, _BESIDE = "datasets", "rewards"
_REWARD_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".parquet")


class Reader:
    """Collects the answers of all files of a place.

    Parameters
    ----------
    path, benchmark
        See `mechanism.answers.files.load_answers`.
    wanted : tuple of str, optional
        The models that count.
    format : Format, optional
        By default that of the first file.
    drop : bool
        Whether a row that breaks a rule is left out.

    Attributes
    ----------
    place : pathlib.Path
        The file or the folder that is read.
    invalid : list of str
        The errors of rows that were left out.
    noticed : list of str
        Rewards that belong to no question.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        benchmark: str | None,
        wanted: tuple[str, ...] | None,
        format: Format | None,
        *,
        drop: bool,
    ) -> None:
        self.place, self._format, self._drop = _place(path, benchmark), format, drop
        self.invalid: list[str] = []
        self.noticed: list[str] = []
        self._rows = AnswerRows(wanted)
        self._left_out: dict[str, list[str]] = {}  # names of files, by reason
        self._file_of: dict[str, str] = {}
        self._rewards = _rewards_beside(self.place)
        self._records = 0

    @property
    def format(self) -> Format:
        """The format of the files."""
        if self._format is None:
            raise InputError("generations", str(self.place), "holds no record", "is it the right file?")
        return self._format

    @property
    def others(self) -> set[str]:
        """Models that are not wanted."""
        return self._rows.others

    def left_out(self) -> list[Omission]:
        """Return which files were left out."""
        return [Omission("files", len(names), reason, names[0]) for reason, names in self._left_out.items()]

    def answers(self) -> Answers:
        """Read all files."""
        root = self.place if self.place.is_dir() else self.place.parent
        for path in self._files():
            name = str(path.relative_to(root))
            kind = DocumentFile if is_document(path.name) else TableFile
            self._rows.files.append(name)
            if why := self._read(path, kind(location=str(path), name=name, kind="evaluation")):
                self._left_out.setdefault(why, []).append(name)
        if self._rewards is not None and not any(self._rewards_files(model) for model in self._file_of):
            shown = printable(", ".join(list(self._file_of)[:6]))
            remedy = f"they are {_BESIDE}/BENCHMARK/MODEL.jsonl, of {shown}; or remove the folder"
            raise InputError(str(self._rewards), MISSING, "has no file of rewards of these models", remedy)
        return self._rows.answers()

    def _read(self, path: Path, source: TableFile) -> str:
        """Read a file; return why it is left out, if it is."""
        with _opened(source, self._format) as opened:
            first = list(islice(opened.records, 1))
            if not first and self._format is None:
                raise source.fault("holds no record", "remove the file, or record answers in it")
            if not first:
                return "without a record"
            record: Mapping[str, Any] = {}
            with suppress(InputError):  # of the row, which is reported below
                record = opened.cells(first[0][1])
            header = opened.header or tuple(record)
            self._format = self._format or recognised(header, record, opened.fields)
            if self._format is None:
                raise _unknown(source, header)
            if opened.fields.get("demo") is True:
                return "marked as demonstrations"
            try:
                # Parquet reads the wanted columns only; of the others this says which is missing.
                self._format.wanted(header)
            except InputError as error:
                raise located(error, source.place()) from None
            fields = {**opened.fields, **_later_fields(source, self._format, opened.fields)}
            if self._format.name == GENERATIONS:
                self._check_folder(path)
                if "qid" in header and "generation" not in header:
                    # The paper's files are named model--temp-0.6--samples-128--max-512.jsonl.
                    fields[MODEL] = path.name[: -len(source.ending) - 3 * source.compressed].split("--")[0]
                    if not self._rows.is_wanted(fields[MODEL]):
                        return ""
                    fields[REWARDS] = self._rewards_of(fields[MODEL], source.name)
            answered = sum(self._add(opened, source, row, fields) for row in chain(first, opened.records))
            if left := fields[REWARDS] if MODEL in fields else None:
                unknown = f"{len(left)} unknown questions, as {next(iter(left))!r}"
                self.noticed.append(f"{_BESIDE}/{printable(source.name)} has rewards of {unknown}; they are ignored")
            return "" if answered else "without an answer"

    def _check_folder(self, path: Path) -> None:
        """Refuse recorded generations in a subfolder: each is a benchmark."""
        if self.place.is_dir() and path.parent != self.place:
            folders = ", ".join(sorted(each.name for each in self.place.iterdir() if each.is_dir())[:12])
            rule, remedy = "holds no file of recorded generations", f"choose a benchmark among {folders}"
            raise InputError("generations", str(self.place), rule, remedy)

    def _add(self, opened: _Opened, source: TableFile, row: tuple[int, Any], fields: Mapping[str, Any]) -> bool:
        """Add the answers of a row, all or none; return whether it has any."""
        line, before, answer = row[0], len(self._rows), None
        self._records += 1
        if self._records > MOST_RECORDS:
            raise InputError("", MISSING, f"is beyond {MOST_RECORDS:,} records", "choose a folder")
        try:
            for answer in self.format.answers(opened.cells(row[1]), fields, f"{source.name}:{line}"):
                self._rows.add(answer, opened.number, line)
        except InputError as error:
            if not self._drop:
                raise located(error, source.place(line)) from None
            self._rows.keep(before)
            self.invalid.append(str(located(error, source.place(line))))
        return answer is not None

    def _rewards_files(self, model: str) -> list[Path]:
        paths = [self._rewards / f"{model}{ending}" for ending in _REWARD_ENDINGS] if self._rewards else []
        return [path for path in paths if path.is_file()]

    def _rewards_of(self, model: str, name: str) -> dict[str, list[float]]:
        """Return the rewards that are stored next to the answers of a model, by question."""
        first = self._file_of.setdefault(model, name)
        if first != name:  # which of them was meant?
            raise InputError("file", name, f"is a second file of {model}, after {first}", "keep one of the two")
        found: dict[str, list[float]] = {}
        for path in self._rewards_files(model)[:1]:
            source = TableFile(location=str(path), name=f"{_BESIDE}/{path.name}")
            with open_table(source, longest_line=LONGEST_RECORD, wanted=("qid", _BESIDE)) as table:
                for line, record in table.records():
                    try:
                        cells = table.cells(record)
                        given = enumerate(entries(_BESIDE, cells.get(_BESIDE)))
                        rewards = [reward_of(f"{_BESIDE}[{i}]", cell, table.number) for i, cell in given]
                        found.setdefault(name_of("qid", cells.get("qid")), rewards)
                    except InputError as error:
                        raise located(error, source.place(line)) from None
        return found

    def _files(self) -> list[Path]:
        if not self.place.is_dir():
            if _is_pickle(self.place):
                raise _pickle_error(self.place)
            return [self.place]
        found = [path for path in _listed(self.place) if not path.name.startswith(".")]
        here = [path for path in found if path.parent == self.place and _is_readable(path)]
        files = here or [path for path in found if _is_readable(path)]
        pickles = [path.name for path in found if path.name.lower().endswith(_PICKLE)]
        if not files:
            if pickles:
                raise _pickle_error(Path(pickles[0]))
            remedy = "files must end in .csv, .jsonl, .ndjson or .json, perhaps with .gz after it, or in .parquet"
            raise InputError("generations", str(self.place), "holds no file of answers", remedy)
        if pickles:
            self._left_out["in the format of pickles, which are never read"] = pickles
        if old := _replaced(files):
            self._left_out["that a later one replaces"] = [path.name for path in old]
        return [path for path in files if path not in old]


def _later_fields(source: TableFile, chosen: Format, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a format needs and that stand behind the records: the document is read once more."""
    if not isinstance(source, DocumentFile) or not chosen.fields or all(name in fields for name in chosen.fields):
        return {}
    with source.opened() as file:
        document = JsonDocument(file, source, LONGEST_RECORD)
        for _ in document.records():
            pass
    return {name: document.fields.get(name) for name in chosen.fields}


def _unknown(source: TableFile, header: tuple[str, ...]) -> InputError:
    shown = ", ".join(printable(name, 30) for name in header[:8]) + (", ..." if header[8:] else "")
    remedy = f"the columns are {shown}; name the format (--format {' or '.join(FORMATS)})"
    if {"doc_id", "filtered_resps"} <= set(header):
        columns = ", ".join(BENCH_TABLE)
        samples = "samples of lm-evaluation-harness name no model and no cost"
        remedy = f"the columns are {shown}: {samples}; write the answers of all models as a table with {columns}"
    return source.fault("is of no known format", remedy)


class _Opened(NamedTuple):
    """An open file: its columns (none of a document), its rows, the fields beside them, and what reads cells."""

    header: tuple[str, ...]
    records: Iterator[tuple[int, Any]]
    fields: dict[str, Any]
    cells: Callable[[Any], Mapping[str, Any]]
    number: Number


@contextmanager
def _opened(source: TableFile, format: Format | None) -> Iterator[_Opened]:
    if isinstance(source, DocumentFile):
        with source.opened() as file:
            document = JsonDocument(file, source, LONGEST_RECORD)
            yield _Opened((), document.records(), document.fields, dict, json_number)
        return
    wanted = _columns_of_parquet(source, format) if source.ending == PARQUET else None
    with open_table(source, longest_line=LONGEST_RECORD, wanted=wanted) as table:
        try:
            refuse_repeated(table.header)
        except InputError as error:
            raise located(error, table.header_place) from None
        yield _Opened(table.header, table.records(), {}, table.cells, table.number)


def _columns_of_parquet(source: TableFile, chosen: Format | None) -> tuple[str, ...]:
    """Return the columns of a Parquet file that a format reads: prompts and answers may fill gigabytes."""
    with open_table(source, longest_line=LONGEST_RECORD, wanted=()) as table:
        header = table.header
    found = chosen or recognised(header, {}, {}) or FORMATS["sprout"]
    try:
        return found.wanted(header)
    except InputError as error:
        raise located(error, source.place()) from None


# ----------------------------------------------------------------------------------------------------
# Files.


def _place(path: str | os.PathLike[str], benchmark: str | None) -> Path:
    try:
        place = Path(os.fsdecode(path)).absolute()
        place = place / _PREPARED if (place / _PREPARED).is_dir() else place
        exists = place.exists()
    except (TypeError, OSError, ValueError) as error:  # ValueError: a NUL character
        rule = f"cannot be read ({reason(error)})"
        raise InputError("generations", path, rule, "give the path of a file or a folder") from None
    if not exists:
        raise InputError("generations", path, "is neither a file nor a folder", "give the path of one")
    if benchmark is None or benchmark == place.name:
        return place
    inner = sorted(each.name for each in place.iterdir() if each.is_dir()) if place.is_dir() else []
    if benchmark not in inner:
        shown = ", ".join(inner[:12]) or "none"
        remedy = f"its subfolders are: {shown}; leave benchmark out to read the folder itself"
        raise InputError("benchmark", benchmark, f"is not a subfolder of {printable(place.name)}", remedy)
    return place / benchmark


def bare_name(place: Path) -> str:
    """Return the name of a file or a folder without the ending of a file of answers."""
    name = place.name
    for ending in (".gz", ".csv", ".jsonl", ".ndjson", ".json", PARQUET):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name or "evaluation"


def _is_pickle(path: Path) -> bool:
    """Return whether a file is a pickle, by its ending or by how it begins; it is not unpickled."""
    if path.name.lower().endswith(_PICKLE):
        return True
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else open(path, "rb") as file:
            begin = file.read(2)
    except (OSError, EOFError, zlib.error):
        return False
    return len(begin) == 2 and begin[0] == 0x80 and 2 <= begin[1] <= 5


def _pickle_error(path: Path) -> InputError:
    new = f"{path.name.split('.pkl')[0].split('.pickle')[0]}.parquet"
    command = f'python -c "import pandas; pandas.read_pickle({path.name!r}).to_parquet({new!r})"'
    remedy = f"a pickle can run any code, so convert it where you trust it: {command}"
    return InputError("generations", path.name, "is a pickle, which is never read", remedy)


def _is_readable(path: Path) -> bool:
    return bool(format_of(path.name)) or is_document(path.name)


def _listed(place: Path) -> list[Path]:
    """Return the files of a folder and its subfolders, in natural order; links are not followed."""
    found: list[Path] = []
    for folder, inner, names in os.walk(place):
        inner[:] = natural_order(name for name in inner if not name.startswith("."))
        found += [Path(folder, name) for name in natural_order(names) if Path(folder, name).is_file()]
        if len(found) > MOST_FILES:
            raise InputError("generations", str(place), f"holds more than {MOST_FILES:,} files", "choose a subfolder")
    return found


def _replaced(files: list[Path]) -> list[Path]:
    """Return the files that a later one of the same folder and name replaces."""
    found = ((path, _STAMP.fullmatch(path.name)) for path in files if is_document(path.name))
    stamped = [(parts[2], path, parts[1]) for path, parts in found if parts]
    latest = {(path.parent, name): path for _, path, name in sorted(stamped)}
    return [path for _, path, _ in stamped if path not in latest.values()]


def _rewards_beside(place: Path) -> Path | None:
    """Return the folder of rewards that belongs to a place of the prepared layout, None if there is none."""
    folder = place if place.is_dir() else place.parent
    datasets = next((each for each in (folder, folder.parent) if each.name == _PREPARED), None)
    if datasets is None:
        return None
    found = datasets.parent / _BESIDE / folder.relative_to(datasets)
    return found if found.is_dir() else None

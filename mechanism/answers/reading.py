"""Reads files of answers: found, recognised and collected."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bounds.errors import MISSING, InputError, printable
from bounds.words import first_of
from mechanism.answers.choices import GENERATIONS
from mechanism.answers.formats import FILE, FOLDER, FORMATS, MODEL, REWARDS, Format, entries, recognised
from mechanism.answers.omissions import Omission
from mechanism.answers.rows import AnswerRows, RawAnswer, name_of, reward_of
from mechanism.answers.table import Answers
from mechanism.files import reason
from mechanism.tabular.columns import Table
from mechanism.tabular.documents import JsonDocument
from mechanism.tabular.files import JSON, PARQUET, TableFile, at, format_of, located, natural_order, refuse_repeated
from mechanism.tabular.scalars import cell_number
from mechanism.tabular.table import open_table
from mechanism.tabular.text import JsonTable

LONGEST_RECORD = 1 << 26
"""Bytes of a record that is too long: a question with all its generated texts takes a few million."""

MOST_FILES = 1 << 16
#: The binary logs of inspect_ai; of pickles, and of files that must be converted.
_EVAL = ".eval"
_PICKLE = (".pkl", ".pickle", ".pkl.gz", ".pickle.gz", ".pkl.bz2", ".pkl.xz", ".pkl.zip", _EVAL)
#: Of LLMRouterBench's files of one data set, split and model the latest counts.
_STAMP = re.compile(r"(.*?)-?(\d{8}_\d{6})\.json(?:\.gz)?", re.IGNORECASE)
#: Where documents have their records: those of LLMRouterBench, and those of inspect_ai.
_RECORDS = ("records", "samples")
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
    scores : collection of str
        The scores that count, where a format has several of each answer.
    drop : bool
        Whether a row that breaks a rule is left out.

    Attributes
    ----------
    place : pathlib.Path
        The file or the folder that is read.
    rows : AnswerRows
    invalid : list of str
        The errors of rows that were left out.
    noticed : list of str
        Rewards that belong to no question.
    scores : set of str
        The names of all scores.
    means : dict of str to list of float
        By model, sums over its files: the number of questions, their mean scores, and what these would be of the mean
        that the file records.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        benchmark: str | None,
        wanted: tuple[str, ...] | None,
        format: Format | None,
        *,
        scores: Collection[str] = (),
        drop: bool,
    ) -> None:
        self.place, self._format, self._drop = _place(path, benchmark), format, drop
        self._chosen = scores
        self.scores: set[str] = set()
        self.means: dict[str, list[float]] = {}
        self._scores: dict[str, dict[str, tuple[int, float]]] = {}  # of this file: number and sum, by name and question
        self._model = ""
        self.invalid: list[str] = []
        self.noticed: list[str] = []
        self.rows = AnswerRows(wanted)
        self._left_out: dict[str, list[str]] = {}  # names of files, by reason
        self._file_of: dict[str, str] = {}
        self._rewards = _rewards_beside(self.place)

    @property
    def format(self) -> Format:
        """The format of the files."""
        if self._format is None:
            raise InputError("answers", str(self.place), "holds no record", "is it the right file?")
        return self._format

    def left_out(self) -> list[Omission]:
        """Return which files were left out."""
        return [Omission("files", len(names), reason, names[0]) for reason, names in self._left_out.items()]

    def answers(self) -> Answers:
        """Read all files."""
        root = self.place if self.place.is_dir() else self.place.parent
        for path in self._files():
            name = str(path.relative_to(root))
            self.rows.files.append(name)
            if why := self._read(path, TableFile(location=str(path), name=name, kind="evaluation")):
                self._left_out.setdefault(why, []).append(name)
        if self._rewards is not None and not any(self._rewards_files(model) for model in self._file_of):
            shown = printable(", ".join(list(self._file_of)[:6]))
            remedy = f"they are {_BESIDE}/BENCHMARK/MODEL.jsonl, of {shown}; or remove the folder"
            raise InputError(str(self._rewards), MISSING, "has no file of rewards of these models", remedy)
        return self.rows.answers()

    def _read(self, path: Path, source: TableFile) -> str:
        """Read a file; return why it is left out, if it is."""
        wanted = _columns_of_parquet(source, self._format) if source.ending == PARQUET else None
        table = open_table(source, longest_line=LONGEST_RECORD, wanted=wanted, keys=_RECORDS)
        with at(table.header_place):
            refuse_repeated(table.header)
        records = table.records()
        first = list(islice(records, 1))
        if not first and self._format is None:
            raise source.fault("holds no record", "remove the file, or record answers in it")
        if not first:
            return "without a record"
        record: Mapping[str, Any] = {}
        with suppress(InputError):  # of the row, which is reported below
            record = table.cells(first[0][1])
        beside = table.fields if isinstance(table, JsonTable) else {}
        self._format = self._format or recognised(table.header, record, beside)
        if self._format is None:
            raise _unknown(source, table.header)
        for mark, why in (("demo", "marked as demonstrations"), ("invalidated", "marked as invalidated")):
            if beside.get(mark) is True:
                return why
        with at(source.place()):
            # Parquet reads the wanted columns only; of the others this says which is missing.
            self._format.wanted(table.header)
        fields = {**beside, FILE: path.name, FOLDER: path.parent.name, **_files_beside(path, self._format)}
        if source.ending == JSON and isinstance(table, JsonTable) and not beside.keys() >= {*self._format.fields}:
            for _ in table.records():  # to what stands behind them
                pass
            fields |= {name: table.fields.get(name) for name in self._format.fields}
        if self._format.name == GENERATIONS:
            self._check_folder(path)
            if "qid" in table.header and "generation" not in table.header:
                # The paper's files are named model--temp-0.6--samples-128--max-512.jsonl.
                fields[MODEL] = path.name[: -len(source.ending + source.packed)].split("--")[0]
                if not self.rows.is_wanted(fields[MODEL]):
                    return ""
                fields[REWARDS] = self._rewards_of(fields[MODEL], source.name)
        self._scores = {}
        answered = sum(self._add(table, row, fields) for row in chain(first, records))
        without = self._settle_scores(source, {**beside, **fields})
        if left := fields[REWARDS] if MODEL in fields else None:
            unknown = f"{len(left)} unknown questions, as {next(iter(left))!r}"
            self.noticed.append(f"{_BESIDE}/{printable(source.name)} has rewards of {unknown}; they are ignored")
        return without if answered else "without an answer"

    def _check_folder(self, path: Path) -> None:
        """Refuse recorded generations in a subfolder: each is a benchmark."""
        if self.place.is_dir() and path.parent != self.place:
            folders = ", ".join(sorted(each.name for each in self.place.iterdir() if each.is_dir())[:12])
            rule, remedy = "holds no file of recorded generations", f"choose a benchmark among {folders}"
            raise InputError("answers", str(self.place), rule, remedy)

    def _add(self, table: Table, row: tuple[int, Any], fields: Mapping[str, Any]) -> bool:
        """Add the answers of a row, all or none; return whether it has any."""
        source, line, before, answer = table.source, row[0], len(self.rows), None
        try:
            for answer in self.format.answers(table.cells(row[1]), fields, f"{source.name}:{line}"):
                if self._counts(answer):
                    self.rows.add(answer, line)
        except InputError as error:
            if not self._drop:
                raise located(error, source.place(line)) from None
            self.rows.keep(before)
            self.invalid.append(str(located(error, source.place(line))))
        return answer is not None

    def _counts(self, answer: RawAnswer) -> bool:
        """Return whether a score is one that counts; add it to those of its name in this file."""
        name = answer.score_name
        if name is None or (not name and self.format.means is None):
            return name is None or not self._chosen
        of = self._scores.setdefault(name, {})
        if isinstance(value := answer.score[1], int | float) and 0 <= value <= 1:
            count, total = of.get(str(answer.question), (0, 0.0))
            of[str(answer.question)] = count + 1, total + value
        self._model = str(answer.model)
        return name in (self._chosen or list(self._scores)[:1])

    def _settle_scores(self, source: TableFile, fields: Mapping[str, Any]) -> str:
        """Add up the means that a file records; return why the file is left out, if no score of it counts."""
        means = {
            name: (len(of), sum(total / count for count, total in of.values())) for name, of in self._scores.items()
        }
        named = [name for name in means if name]
        self.scores |= set(named)
        if len(named) > 1 and not self._chosen:
            shown = [
                f"{name} (mean {means[name][1] / means[name][0]:.6g})" if means[name][0] else name for name in named
            ]
            remedy = f"{source.place()} has several scores of each answer: {first_of(shown, 12)}"
            raise InputError("score", MISSING, "must be given", remedy)
        if named and self._chosen and not set(named) & set(self._chosen):
            return "without a score of these names"
        for name, mean in self.format.means(fields).items() if self.format.means else ():
            count, total = means.get(name, (0, 0.0))
            if count and name in (self._chosen or means) and (recorded := cell_number(mean)) is not None:
                sums = zip(self.means.get(self._model, (0, 0.0, 0.0)), (count, total, count * recorded), strict=True)
                self.means[self._model] = [one + more for one, more in sums]
        return ""

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
            table = open_table(source, longest_line=LONGEST_RECORD, wanted=("qid", _BESIDE))
            for line, record in table.records():
                with at(source.place(line)):
                    cells = table.cells(record)
                    given = enumerate(entries(_BESIDE, cells.get(_BESIDE)))
                    rewards = [reward_of(f"{_BESIDE}[{i}]", cell) for i, cell in given]
                    found.setdefault(name_of("qid", cells.get("qid")), rewards)
        return found

    def _files(self) -> list[Path]:
        if not self.place.is_dir():
            if self.place.name.lower().endswith(_PICKLE):
                raise _pickle_error(self.place, self.place)
            return [self.place]
        found = [path for path in _listed(self.place) if not path.name.startswith(".")]
        patterns = [each.file for each in ([self._format] if self._format else FORMATS.values()) if each.file]
        named = [[path for path in found if re.fullmatch(each, path.name)] for each in patterns]
        readable = next(filter(None, named), [path for path in found if format_of(path.name)])
        files = [path for path in readable if path.parent == self.place] or readable
        pickles = [path.name for path in found if path.name.lower().endswith(_PICKLE)]
        if not files:
            if pickles:
                raise _pickle_error(Path(pickles[0]), self.place)
            remedy = "files must end in .csv, .jsonl, .ndjson or .json, perhaps with .gz after it, or in .parquet"
            raise InputError("answers", str(self.place), "holds no file of answers", remedy)
        if pickles:
            self._left_out["in a format that is never read"] = pickles
        if old := _replaced(files):
            self._left_out["that a later one replaces"] = [path.name for path in old]
        return [path for path in files if path not in old]


def _files_beside(path: Path, chosen: Format) -> dict[str, Any]:
    """Return the contents of the files that a format needs from the folder of a file, by field."""
    found: dict[str, Any] = {}
    for field, pattern in chosen.beside(path.name).items():
        for beside in sorted(path.parent.glob(pattern))[:1]:
            source = TableFile(location=str(beside), name=beside.name, kind="evaluation")
            with source.opened() as file:
                document = JsonDocument(file, source, LONGEST_RECORD, keys=())
                found[field] = [record for _, record in document.records()] or document.fields
    return found


def _unknown(source: TableFile, header: tuple[str, ...]) -> InputError:
    shown = ", ".join(printable(name, 30) for name in header[:8]) + (", ..." if header[8:] else "")
    remedy = f"the columns are {shown}; name the format (--format {' or '.join(FORMATS)})"
    return source.fault("is of no known format", remedy)


def _columns_of_parquet(source: TableFile, chosen: Format | None) -> tuple[str, ...]:
    """Return the columns of a Parquet file that a format reads: prompts and answers may fill gigabytes."""
    header = open_table(source, longest_line=LONGEST_RECORD, wanted=()).header
    found = chosen or recognised(header, {}, {}) or FORMATS["sprout"]
    with at(source.place()):
        return found.wanted(header)


# ----------------------------------------------------------------------------------------------------
# Files.


def _place(path: str | os.PathLike[str], benchmark: str | None) -> Path:
    try:
        place = Path(os.fsdecode(path)).absolute()
        place = place / _PREPARED if (place / _PREPARED).is_dir() else place
        exists = place.exists()
    except (TypeError, OSError, ValueError) as error:  # ValueError: a NUL character
        rule = f"cannot be read ({reason(error)})"
        raise InputError("answers", path, rule, "give the path of a file or a folder") from None
    if not exists:
        raise InputError("answers", path, "is neither a file nor a folder", "give the path of one")
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


def _pickle_error(path: Path, place: Path) -> InputError:
    if path.suffix == _EVAL:
        command = shlex.join(["inspect", "log", "convert", "--to", "json", "--output-dir", "json", place.name])
        return InputError("answers", path.name, "is a binary log of inspect_ai", f"convert it: {command}")
    new = f"{path.name.split('.pkl')[0].split('.pickle')[0]}.parquet"
    command = f'python -c "import pandas; pandas.read_pickle({path.name!r}).to_parquet({new!r})"'
    remedy = f"a pickle can run any code, so convert it where you trust it: {command}"
    return InputError("answers", path.name, "is a pickle, which is never read", remedy)


def _listed(place: Path) -> list[Path]:
    """Return the files of a folder and its subfolders, in natural order; links are not followed."""
    found: list[Path] = []
    for folder, inner, names in os.walk(place):
        inner[:] = natural_order(name for name in inner if not name.startswith("."))
        found += [Path(folder, name) for name in natural_order(names) if Path(folder, name).is_file()]
        if len(found) > MOST_FILES:
            raise InputError("answers", str(place), f"holds more than {MOST_FILES:,} files", "choose a subfolder")
    return found


def _replaced(files: list[Path]) -> list[Path]:
    """Return the files that a later one of the same folder and name replaces."""
    found = ((path, _STAMP.fullmatch(path.name)) for path in files if (format_of(path.name) or ("",))[0] == JSON)
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

"""Public evaluations from files: found, recognised, read and checked."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from bounds.errors import MISSING, InputError, did_you_mean, printable
from mechanism.evaluations.answers import MOST_RECORDS, WITHOUT_COST, WITHOUT_SCORE, WITHOUT_TOKENS, AnswerRows, Answers
from mechanism.evaluations.evaluation import Evaluation, evaluation_of, exact_sum
from mechanism.evaluations.formats import BENCH_TABLE, FORMATS, Format, recognised
from mechanism.evaluations.prices import read_prices, unmatched
from mechanism.evaluations.repeats import Repeats
from mechanism.evaluations.selection import Selection, select
from mechanism.evaluations.suspicion import check_answers, free_input, price_range, recorded_units
from mechanism.files import reason
from mechanism.recorded.alignment import natural_order
from mechanism.recorded.files import may_be_generations
from mechanism.recorded.prepared import prepared_place
from mechanism.tabular.documents import DocumentFile, JsonDocument, is_document
from mechanism.tabular.files import PARQUET, TableFile, format_of, located, refuse_repeated
from mechanism.tabular.parquet import ParquetTable
from mechanism.tabular.pieces import json_number
from mechanism.tabular.table import Table, open_table

__all__ = ["evaluation_format", "load_evaluation"]

LONGEST_RECORD = 1 << 24
"""Bytes of a record that is too long: a question with the texts of all models takes a few million."""

MOST_FILES = 1 << 16
_PICKLE = (".pkl", ".pickle", ".pkl.gz", ".pickle.gz", ".pkl.bz2", ".pkl.xz", ".pkl.zip")
#: Of LLMRouterBench's files of one data set, split and model the latest counts.
_STAMP = re.compile(r"(.*?)-?(\d{8}_\d{6})\.json(?:\.gz)?", re.IGNORECASE)


def load_evaluation(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    benchmark: str | None = None,
    models: Sequence[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
    accept: Collection[str] = (),
    repeats: Repeats | None = None,
) -> Evaluation:
    """Load a public evaluation of several models.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder of files of one format; see docs/evaluations.md for the formats. Of a folder without such
        files its subfolders are read.
    format : str, optional
        Of `mechanism.evaluations.formats.FORMATS`; by default it is recognised from the columns.
    benchmark : str, optional
        Subfolder that is read instead of the folder itself.
    models : sequence of str, optional
        Exactly these, in this order; by default see `mechanism.evaluations.selection.select`.
    prices : str or path-like, optional
        A file of prices of tokens (`mechanism.evaluations.prices.read_prices`). A model that it names costs these
        prices, in place of what is recorded.
    accept : collection of str, optional
        What may look made up: see `mechanism.evaluations.suspicion.SUSPICIONS`.
    repeats : {"first", "last", "each"}, optional
        Which answers of a model to one question count; `each` makes each a question of its own. By default the first,
        and answers whose scores differ are refused.

    Returns
    -------
    Evaluation
        Of the questions that every chosen model answered; `left_out` says what is not there, and why.

    Raises
    ------
    InputError
        One line that names file, row and column of what is wrong; a pickle, which is never read; what looks made up;
        answers to one question with other scores, if `repeats` does not say which count.

    Notes
    -----
    One record is held in memory at a time, and about 190 bytes per answer.

    Examples
    --------
    >>> import tempfile
    >>> text = "sample_id,large,small,large|total_cost,small|total_cost\\nq1,1,0,0.002,0.001\\nq2,1,1,0.004,0.001\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text(text)
    ...     found = load_evaluation(path)
    >>> found.format, found.models, str(found.mean_score(1)), float(found.mean_price(0))
    ('routerbench', ('large', 'small'), '1/2', 3000.0)
    """
    wanted = None if models is None else _model_names(models)
    if format is not None and format not in FORMATS:
        raise InputError("format", format, "is no format", did_you_mean(format, FORMATS, f"use {', '.join(FORMATS)}"))
    priced = {} if prices is None else dict(read_prices(prices))
    place = _place(path, benchmark)
    rows = AnswerRows(wanted, priced, repeats)
    chosen = _read_all(place, rows, None if format is None else FORMATS[format])
    answers = rows.answers()
    names = unmatched(rows.without(WITHOUT_COST), priced, rows.counts.keys() | rows.others) if priced else ()
    if rows.without(WITHOUT_TOKENS) and not rows.has_tokens:
        remedy = "costs are recorded: leave --prices out" if rows.has_costs else "and no costs: is it the right file?"
        raise InputError("prices", prices, f"cannot be used: no tokens are recorded here ({chosen.name})", remedy)
    if not answers.models:
        raise _nothing(place, rows, wanted, chosen, names)
    for model in wanted or ():
        if model not in answers.models:
            raise _no_answers(model, rows.others | set(answers.models), (*names, *map(str, rows.left_out())))
    if len(answers.models) < 2:
        shown = "; ".join((*names, *map(str, rows.left_out())))
        remedy = f"a market needs two models or more that answered the same questions{shown and f'; {shown}'}"
        raise InputError("generations", answers.models[0], "is the only model whose answers count", remedy)
    ends = np.cumsum(np.bincount(answers.model))[:-1]
    by_model = np.split(answers.score[np.argsort(answers.model, kind="stable")], ends)
    totals = {model: (exact_sum(scores), len(scores)) for model, scores in zip(answers.models, by_model, strict=True)}
    rows.repeated.refuse_differing(totals)
    selection = select(answers, wanted)
    accepted = check_answers(answers, selection.models, priced, tuple(accept))
    used = {model: priced[model] for i in selection.models if (model := answers.models[i]) in priced}
    recorded = recorded_units(answers, [i for i in selection.models if answers.models[i] not in used])
    noticed = (
        *_changed(answers, selection, totals, rows),
        *rows.repeated.sentences(totals),
        *names,
        *price_range(used),
        *free_input(used),
        *recorded,
    )
    return evaluation_of(
        answers,
        selection,
        name=printable(_bare_name(place), 80),
        format=chosen.name,
        prices=priced,
        left_out=(*rows.left_out(), *selection.left_out),
        accepted=accepted,
        noticed=noticed,
    )


def _changed(
    answers: Answers, selection: Selection, totals: Mapping[str, tuple[Fraction, int]], read: AnswerRows
) -> tuple[str, ...]:
    """Return which mean scores failures change, and which differ because answers or questions are left out."""
    found, count = [], len(selection.questions)
    for i, rows in zip(selection.models, selection.rows, strict=True):
        model, failed, scores = answers.models[i], answers.failed[rows], answers.score[rows]
        mean = float(exact_sum(scores) / count)
        if failed.any():
            without = "" if failed.all() else f", and {scores[~failed].mean():.6g} without them"
            found.append(
                f"{model} failed {int(failed.sum()):,} of {count:,} answers; they count as recorded, and as 0 where no "
                f"score is: its mean score is {mean:.6g}{without}"
            )
        total, own = _scored(model, totals, read)
        if f"{mean:.6g}" != f"{float(total / own):.6g}":
            found.append(
                f"{model} has a mean score of {mean:.6g} on the {count:,} questions that count, and of "
                f"{float(total / own):.6g} on all {own:,} that it answers"
            )
    # A model that is left out may be so because its failures have no score.
    for model, unscored in read.without(WITHOUT_SCORE).items():
        if model in totals:
            total, own = _scored(model, totals, read)
            as_zero = f"{float(total / (own + unscored)):.6g} if they count as 0"
            found.append(
                f"{model} has no score for {unscored:,} of {own + unscored:,} answers: its mean score is "
                f"{float(total / own):.6g} without them, and {as_zero}"
            )
    return tuple(found)


def _scored(model: str, totals: Mapping[str, tuple[Fraction, int]], read: AnswerRows) -> tuple[Fraction, int]:
    """Return the sum and the number of the scores of a model, those of answers without a cost included."""
    unpriced = np.array(read.unpriced.get(model, ()), np.float64)
    total, own = totals[model]
    return total + exact_sum(unpriced), own + len(unpriced)


def evaluation_format(path: str | os.PathLike[str], benchmark: str | None = None) -> str | None:
    """Return the format of the first file of a path, None if it is none of `FORMATS`.

    Raises
    ------
    InputError
        The path or its first file cannot be read, or it is a pickle.
    """
    place = _place(path, benchmark, prepared=True)
    _, source = next(_sources(place, _files(place, None)))
    with _opened(source, None) as (header, records, fields, _):
        first = next(records, (0, {}))[1]
        found = recognised(header or tuple(first), first, fields)
        if found is None and first and not may_be_generations(header or tuple(first)):
            raise _unknown(source, header or tuple(first))
    return None if found is None else found.name


def _no_answers(model: str, known: set[str], why: tuple[str, ...] = ()) -> InputError:
    names = natural_order(known)
    remedy = did_you_mean(model, names, f"there are {', '.join(names[:12])}", quote=True)
    if about := [each for each in why if model in each]:
        remedy = "; ".join(about)
    return InputError("models", model, "has no answers that count", remedy)


def _nothing(
    place: Path, rows: AnswerRows, wanted: tuple[str, ...] | None, chosen: Format, names: tuple[str, ...]
) -> InputError:
    left_out = "; ".join((*names, *map(str, rows.left_out()[:2])))
    if wanted is not None and rows.others:
        return _no_answers(wanted[0], rows.others)
    remedy = left_out or "is it the right file?"
    if WITHOUT_COST in left_out and not names:
        remedy = f"{left_out}; give the prices of tokens (--prices FILE)"
    return InputError("generations", str(place), f"holds no answer that counts ({chosen.name})", remedy)


def _read_all(place: Path, rows: AnswerRows, chosen: Format | None) -> Format:
    """Read all files, and return their format."""
    records = 0
    for name, source in _sources(place, _files(place, rows)):
        with _opened(source, chosen) as (header, found, fields, number):
            first = list(islice(found, 1))
            if not first and chosen is None:
                raise source.fault("holds no record", "remove the file, or record answers in it")
            if not first:
                rows.leave_out("files", "without a record", name)
                continue
            if chosen is None:
                chosen = recognised(header or tuple(first[0][1]), first[0][1], fields)
                if chosen is None:
                    raise _unknown(source, header or tuple(first[0][1]))
            if fields.get("demo") is True:
                rows.leave_out("files", "marked as demonstrations", name)
                continue
            later = _later_fields(source, chosen, fields)
            try:
                # Parquet reads the wanted columns only; of the others this says which is missing.
                chosen.wanted(header or tuple(first[0][1]))
            except InputError as error:
                raise located(error, source.place()) from None
            answered = False
            for row, cells in chain(first, found):
                records += 1
                if records > MOST_RECORDS:
                    raise InputError("", MISSING, f"is beyond {MOST_RECORDS:,} records", "choose a folder")
                try:
                    for answer in chosen.answers(cells, {**fields, **later}, f"{name}:{row}"):
                        rows.add(answer, number, f"{printable(name)}:{row}")
                        answered = True
                except InputError as error:
                    raise located(error, source.place(row)) from None
            if not answered:
                rows.leave_out("files", "without an answer", name)
    if chosen is None:
        raise InputError("generations", str(place), "holds no record", "is it the right file?")
    return chosen


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


Opened = tuple[tuple[str, ...], Iterator[tuple[int, dict[str, Any]]], dict[str, Any], Any]


@contextmanager
def _opened(source: TableFile, chosen: Format | None) -> Iterator[Opened]:
    """Give the columns of a file (none of a document), its records, the fields beside them, and what reads numbers."""
    if isinstance(source, DocumentFile):
        with source.opened() as file:
            document = JsonDocument(file, source, LONGEST_RECORD)
            yield (), document.records(), document.fields, json_number
        return
    wanted = _columns_of_parquet(source, chosen) if source.ending == PARQUET else None
    with open_table(source, longest_line=LONGEST_RECORD, wanted=wanted) as table:
        try:
            refuse_repeated(table.header)
        except InputError as error:
            raise located(error, table.header_place) from None
        if isinstance(table, ParquetTable) and table.size[0] > MOST_RECORDS:
            raise source.fault(f"has more than {MOST_RECORDS:,} rows", "choose fewer questions")
        yield table.header, _records(table, source), {}, table.number


def _columns_of_parquet(source: TableFile, chosen: Format | None) -> tuple[str, ...]:
    """Return the columns of a Parquet file that a format reads: prompts and answers may fill gigabytes."""
    with open_table(source, longest_line=LONGEST_RECORD, wanted=()) as table:
        header = table.header
    found = chosen or recognised(header, {}, {}) or FORMATS["sprout"]
    try:
        return found.wanted(header)
    except InputError as error:
        raise located(error, source.place()) from None


def _records(table: Table, source: TableFile) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, record in table.records():
        try:
            yield line, table.cells(record)
        except InputError as error:
            raise located(error, source.place(line)) from None


# ----------------------------------------------------------------------------------------------------
# Files.


def _place(path: str | os.PathLike[str], benchmark: str | None, *, prepared: bool = False) -> Path:
    try:
        place = Path(os.fsdecode(path)).absolute()
        place = prepared_place(place) if prepared else place
        exists = place.exists()
    except (TypeError, OSError, ValueError) as error:  # ValueError: a NUL character
        rule = f"cannot be read ({reason(error)})"
        raise InputError("generations", path, rule, "give the path of a file or a folder") from None
    if not exists:
        raise InputError("generations", path, "is no file and no folder", "give the path of one")
    if benchmark is None or benchmark == place.name:
        return place
    inner = sorted(each.name for each in place.iterdir() if each.is_dir()) if place.is_dir() else []
    if benchmark not in inner:
        shown = ", ".join(inner[:12]) or "none"
        remedy = f"its subfolders are: {shown}; leave benchmark out to read the folder itself"
        raise InputError("benchmark", benchmark, f"is no subfolder of {printable(place.name)}", remedy)
    return place / benchmark


def _bare_name(place: Path) -> str:
    name = place.name
    for ending in (".gz", ".csv", ".jsonl", ".ndjson", ".json", PARQUET):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name or "evaluation"


def is_pickle(path: Path) -> bool:
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


def _files(place: Path, rows: AnswerRows | None) -> list[Path]:
    if not place.is_dir():
        if is_pickle(place):
            raise _pickle_error(place)
        return [place]
    found = [path for path in _listed(place) if not path.name.startswith(".")]
    here = [path for path in found if path.parent == place and _is_readable(path)]
    files = here or [path for path in found if _is_readable(path)]
    pickles = [path for path in found if path.name.lower().endswith(_PICKLE)]
    if not files:
        if pickles:
            raise _pickle_error(pickles[0])
        remedy = "files must end in .csv, .jsonl, .ndjson or .json, perhaps with .gz after it, or in .parquet"
        raise InputError("generations", str(place), "holds no file of answers", remedy)
    if rows is not None and pickles:
        rows.leave_out("files", "in the format of pickles, which are never read", pickles[0].name, len(pickles))
    return _latest(files, rows)


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


def _latest(files: list[Path], rows: AnswerRows | None) -> list[Path]:
    """Return the files without those that a later one of the same folder and name replaces."""
    latest: dict[tuple[Path, str], tuple[str, Path]] = {}
    for path in files:
        if is_document(path.name) and (parts := _STAMP.fullmatch(path.name)):
            key = path.parent, parts[1]
            latest[key] = max(latest.get(key, ("", path)), (parts[2], path))
    kept = {path for _, path in latest.values()}
    old = [path for path in files if (parts := _STAMP.fullmatch(path.name)) and is_document(path.name)]
    old = [path for path in old if path not in kept]
    if old and rows is not None:
        rows.leave_out("files", "that a later one replaces", old[0].name, len(old))
    return [path for path in files if path not in set(old)]


def _sources(place: Path, files: list[Path]) -> Iterator[tuple[str, TableFile]]:
    root = place if place.is_dir() else place.parent
    for path in files:
        name = str(path.relative_to(root))
        kind = DocumentFile if is_document(path.name) else TableFile
        yield name, kind(location=str(path), name=name, kind="evaluation")


def _model_names(models: Sequence[str]) -> tuple[str, ...]:
    names = (models,) if isinstance(models, str) else tuple(models)
    if len(names) < 2 or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InputError("models", list(names), "must be two or more names, each once", "leave it out for all models")
    return names

"""Answers from files: found, recognised, read and checked."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.errors import MISSING, InputError, did_you_mean, printable
from mechanism.answers.complete import GENERATIONS, CompleteAnswers, exact_sum
from mechanism.answers.formats import BENCH_TABLE, FORMATS, MODEL, REWARDS, Format, entries, recognised
from mechanism.answers.omissions import Omission, answers_left_out
from mechanism.answers.prices import TokenPrice, read_prices, unmatched
from mechanism.answers.repeats import Repeats, settle_repeats
from mechanism.answers.rows import AnswerRows, Number, name_of, reward_of
from mechanism.answers.selection import Selection, align, natural_order, select
from mechanism.answers.suspicion import check_answers, free_input, price_range, recorded_units, small_prices
from mechanism.answers.table import Answers
from mechanism.files import reason
from mechanism.tabular.documents import DocumentFile, JsonDocument, is_document
from mechanism.tabular.files import PARQUET, TableFile, format_of, located, refuse_repeated
from mechanism.tabular.parquet import ParquetTable
from mechanism.tabular.pieces import json_number
from mechanism.tabular.table import open_table

__all__ = ["load_answers"]

LONGEST_RECORD = 1 << 26
"""Bytes of a record that is too long: a question with all its generated texts takes a few million."""

MOST_FILES = 1 << 16
MOST_RECORDS = 1 << 23
_PICKLE = (".pkl", ".pickle", ".pkl.gz", ".pickle.gz", ".pkl.bz2", ".pkl.xz", ".pkl.zip")
#: Of LLMRouterBench's files of one data set, split and model the latest counts.
_STAMP = re.compile(r"(.*?)-?(\d{8}_\d{6})\.json(?:\.gz)?", re.IGNORECASE)
#: The folders of the layout that the paper's authors prepare, and the files of rewards that are looked for.
_PREPARED, _BESIDE = "datasets", "rewards"
_REWARD_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".parquet")

WITHOUT_COST = "without a cost"
WITHOUT_TOKENS = "without tokens, which a price needs"
"""Reasons why an answer is left out."""


def load_answers(
    path: str | os.PathLike[str],
    benchmark: str | None = None,
    *,
    format: str | None = None,
    models: Sequence[str] | None = None,
    prices: str | os.PathLike[str] | None = None,
    accept: Collection[str] = (),
    repeats: Repeats | None = None,
    require_rewards: bool = False,
    invalid_rows: Literal["raise", "drop"] = "raise",
) -> CompleteAnswers:
    """Load recorded generations, or a public evaluation, of several models.

    Parameters
    ----------
    path : str or path-like
        A file, or a folder of files of one format; see docs/evaluations.md and docs/generations.md for the formats. Of
        a folder without such files the subfolders of a public evaluation are read. Of the layout that the paper's
        authors prepare, it holds the folders ``datasets`` and ``rewards``.
    benchmark : str, optional
        Subfolder that is read instead of the folder itself.
    format : str, optional
        Of `mechanism.answers.formats.FORMATS`; by default it is recognised from the columns.
    models : sequence of str, optional
        Exactly these, in this order; by default all recorded generations, in natural order, and of a public evaluation
        see `mechanism.answers.selection.select`.
    prices : str or path-like, optional
        A file of prices of tokens (`mechanism.answers.prices.read_prices`). A model of a public evaluation that it
        names costs these prices, in place of what is recorded; those of recorded generations are listed prices.
    accept : collection of str, optional
        What may look made up in a public evaluation: see `mechanism.answers.suspicion.SUSPICIONS`.
    repeats : {"first", "last", "each"}, optional
        Which answers of a model to one question of a public evaluation count; `each` makes each a question of its own.
        By default the first, and answers whose scores differ are refused.
    require_rewards : bool, optional
        Leave recorded generations of questions that lack a reward out, as best-of-n needs; by default they stay, and no
        rewards are kept if any lacks.
    invalid_rows : {"raise", "drop"}, optional
        What to do about a row that breaks a rule. One that is dropped is reported.

    Returns
    -------
    CompleteAnswers
        Of the questions that every chosen model answered; `left_out` says what is not there, and why.

    Raises
    ------
    InputError
        One line that names file, row and column of what is wrong; a pickle, which is never read; what looks made up;
        answers to one question with other scores, if `repeats` does not say which count.

    Notes
    -----
    One record is held in memory at a time, and about 120 bytes per answer.

    Examples
    --------
    >>> import tempfile
    >>> text = "sample_id,large,small,large|total_cost,small|total_cost\\nq1,1,0,0.002,0.001\\nq2,1,1,0.004,0.001\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text(text)
    ...     found = load_answers(path)
    >>> found.format, found.models, str(found.quality("small")), float(found.mean_price("large"))
    ('routerbench', ('large', 'small'), '1/2', 3000.0)
    """
    if invalid_rows not in ("raise", "drop"):
        raise InputError("invalid_rows", invalid_rows, "must be 'raise' or 'drop'", "a dropped row is reported")
    if repeats is not None and repeats not in get_args(Repeats):
        rule = f"must be one of {', '.join(get_args(Repeats))}"
        raise InputError("repeats", repeats, rule, "it says which answers to one question count")
    if format is not None and format not in FORMATS:
        raise InputError("format", format, "is no format", did_you_mean(format, FORMATS, f"use {', '.join(FORMATS)}"))
    wanted = None if models is None else _model_names(models)
    priced = {} if prices is None else dict(read_prices(prices))
    place = _place(path, benchmark)
    reader = _Reader(place, wanted, None if format is None else FORMATS[format], invalid_rows == "drop")
    reader.read()
    answers = reader.rows.answers()
    if not len(answers) and not reader.rows.others:
        remedy = "see the rules in docs/generations.md" if reader.invalid else "is it the right file?"
        raise InputError("generations", str(place), f"holds no answer that counts ({reader.format.name})", remedy)
    if reader.format.name == GENERATIONS:
        _refuse_for_generations(accept, repeats)
        return _generations(reader, answers, benchmark, wanted, priced, require_rewards)
    return _evaluation(reader, answers, wanted, priced, prices, accept, repeats)


def _refuse_for_generations(accept: Collection[str], repeats: Repeats | None) -> None:
    for name, value in (("accept", next(iter(accept), None)), ("repeats", repeats)):
        if value is not None:
            raise InputError(name, value, "changes nothing", "recorded generations are taken as they are")


def _generations(
    reader: _Reader,
    answers: Answers,
    benchmark: str | None,
    wanted: tuple[str, ...] | None,
    priced: Mapping[str, TokenPrice],
    require_rewards: bool,
) -> CompleteAnswers:
    for model in wanted or ():
        if model not in answers.models:
            raise _no_answers(model, reader.rows.others | set(answers.models))
    models = wanted or tuple(natural_order(answers.models))
    names: tuple[str, ...] = ()
    if priced:
        unpriced = [model for model in models if model not in priced]
        names = unmatched(unpriced, priced, models)
        if unpriced:
            raise InputError("prices", unpriced[0], "lacks a price", f"{'; '.join(names)}; add a row, or use --model")
    settled = settle_repeats(answers, "first")
    selection = align(settled.answers, models, require_rewards=require_rewards)
    used = {model: priced[model] for model in models if model in priced}
    small = (f"{model} {looks}" for model, looks in small_prices(used).items())
    return _complete(
        settled.answers,
        selection,
        name=benchmark or reader.place.name,
        format=GENERATIONS,
        prices=tuple(used.get(model) for model in models),
        left_out=(*reader.omissions(), *settled.left_out, *selection.left_out),
        noticed=(
            *_changed(settled.answers, selection),
            *settled.sentences,
            *reader.noticed,
            *names,
            *small,
            *price_range(used),
        ),
        misaligned=selection.misaligned,
        unrewarded=selection.unrewarded,
        invalid_rows=tuple(reader.invalid),
    )


def _evaluation(
    reader: _Reader,
    answers: Answers,
    wanted: tuple[str, ...] | None,
    priced: Mapping[str, TokenPrice],
    prices: str | os.PathLike[str] | None,
    accept: Collection[str],
    repeats: Repeats | None,
) -> CompleteAnswers:
    if wanted is not None and len(wanted) < 2:
        raise InputError("models", list(wanted), "must be two or more names", "leave it out for all models")
    unscored, without_cost, without_tokens = _lacking(answers, priced)
    reasons = {"without a score": unscored, WITHOUT_COST: without_cost, WITHOUT_TOKENS: without_tokens}
    in_order = sorted(reasons.items(), key=lambda item: int(item[1].argmax()))
    left_out = [*reader.omissions(), *(each for why, rows in in_order for each in answers_left_out(answers, rows, why))]
    counted = answers.take(~(unscored | without_cost | without_tokens))
    unpriced = answers.take(without_cost)
    names = unmatched(unpriced.models, priced, {*answers.models, *reader.rows.others}) if priced else ()
    if without_tokens.any() and not (answers.tokens_out[~answers.failed] >= 0).any():
        recorded = np.isfinite(answers.cost[~answers.failed]).any()
        remedy = "costs are recorded: leave --prices out" if recorded else "and no costs: is it the right file?"
        raise InputError(
            "prices", prices, f"cannot be used: no tokens are recorded here ({reader.format.name})", remedy
        )
    _refuse_too_few(reader, counted, wanted, names, left_out)
    settled = settle_repeats(counted, repeats)
    kept, selection = settled.answers, select(settled.answers, wanted)
    accepted = check_answers(kept, selection.models, priced, tuple(accept))
    models = [kept.models[i] for i in selection.models]
    used = {model: priced[model] for model in models if model in priced}
    return _complete(
        kept,
        selection,
        name=printable(_bare_name(reader.place), 80),
        format=reader.format.name,
        prices=tuple(priced.get(model) for model in models),
        left_out=(*left_out, *settled.left_out, *selection.left_out),
        accepted=accepted,
        noticed=(
            *_changed(kept, selection, answers.take(without_cost | without_tokens), answers.take(unscored)),
            *settled.sentences,
            *names,
            *price_range(used),
            *free_input(used),
            *recorded_units(kept, [i for i in selection.models if kept.models[i] not in used]),
        ),
    )


def _lacking(answers: Answers, prices: Mapping[str, TokenPrice]) -> tuple[NDArray[np.bool_], ...]:
    """Return which answers have no score, which others no cost, and which others not the tokens that a price needs."""
    priced = np.array([model in prices for model in answers.models], bool)[answers.model]
    paid = np.array([model in prices and prices[model].input > 0 for model in answers.models], bool)[answers.model]
    unscored = np.isnan(answers.score)
    no_tokens = (answers.tokens_out < 0) | (paid & (answers.tokens_in < 0))
    return unscored, ~unscored & ~priced & np.isnan(answers.cost), ~unscored & priced & no_tokens


def _refuse_too_few(
    reader: _Reader,
    counted: Answers,
    wanted: tuple[str, ...] | None,
    names: tuple[str, ...],
    left_out: Sequence[Omission],
) -> None:
    """Refuse an evaluation of fewer than two models, and one without a model that was asked for."""
    why = (*names, *map(str, left_out))
    for model in wanted or ():
        if model not in counted.models:
            raise _no_answers(model, reader.rows.others | set(counted.models), why)
    shown = "; ".join(why)
    if not counted.models:
        ask = "; give the prices of tokens (--prices FILE)" if WITHOUT_COST in shown and not names else ""
        rule = f"holds no answer that counts ({reader.format.name})"
        raise InputError("generations", str(reader.place), rule, f"{shown or 'is it the right file?'}{ask}")
    if len(counted.models) < 2:
        remedy = f"a market needs two models or more that answered the same questions{shown and f'; {shown}'}"
        raise InputError("generations", counted.models[0], "is the only model whose answers count", remedy)


def _no_answers(model: str, known: set[str], why: tuple[str, ...] = ()) -> InputError:
    names = natural_order(known)
    remedy = did_you_mean(model, names, f"there are {', '.join(names[:12])}", quote=True)
    about = "; ".join(each for each in why if model in each)
    return InputError("models", model, "has no answers that count", about or remedy)


def _complete(answers: Answers, selection: Selection, **stated: Any) -> CompleteAnswers:
    """Return the answers that were chosen; a quantity that none of them states is None."""
    rows = selection.rows
    cost, reward = answers.cost[rows], answers.reward[rows]
    tokens_in, tokens_out = answers.tokens_in[rows], answers.tokens_out[rows]
    return CompleteAnswers(
        models=tuple(answers.models[i] for i in selection.models),
        questions=tuple(answers.questions[i] for i in selection.questions),
        score=answers.score[rows],
        cost=None if np.isnan(cost).all() else cost,
        tokens_in=None if (tokens_in < 0).all() else tokens_in,
        tokens_out=None if (tokens_out < 0).all() else tokens_out,
        reward=None if selection.unrewarded or not np.isfinite(reward).all() else reward,
        **stated,
    )


def _changed(
    answers: Answers, selection: Selection, unpriced: Answers | None = None, unscored: Answers | None = None
) -> tuple[str, ...]:
    """Return which mean scores failures change, and which differ because answers or questions are left out."""
    found, count = [], len(selection.questions)
    for i, rows in zip(selection.models, selection.rows, strict=True):
        model, failed, scores = answers.models[i], answers.failed[rows], answers.score[rows]
        mean = float(exact_sum(scores) / scores.size)
        if failed.any():
            without = "" if failed.all() else f", and {scores[~failed].mean():.6g} without them"
            found.append(
                f"{model} failed {int(failed.sum()):,} of {count:,} answers; they count as recorded, and as 0 where no "
                f"score is: its mean score is {mean:.6g}{without}"
            )
        total, scored, asked = _scores_of(model, answers, unpriced)
        of_all = f"{float(total / scored):.6g}"
        if f"{mean:.6g}" != of_all:
            found.append(
                f"{model} has a mean score of {mean:.6g} on the {count:,} questions that count, and of {of_all} on all "
                f"{asked:,} that it answers"
            )
    # A model that is left out may be so because its failures have no score.
    for m, model in enumerate(unscored.models if unscored else ()):
        if unscored and model in answers.models:
            lost = int((unscored.model == m).sum())
            total, scored, _ = _scores_of(model, answers, unpriced)
            without, as_zero = (f"{float(total / of):.6g}" for of in (scored, scored + lost))
            found.append(
                f"{model} has no score for {lost:,} of {scored + lost:,} answers: its mean score is {without} without "
                f"them, and {as_zero} if they count as 0"
            )
    return tuple(found)


def _scores_of(model: str, answers: Answers, unpriced: Answers | None) -> tuple[Fraction, int, int]:
    """Return the sum and the number of a model's scores, those of answers without a cost included, and of questions."""
    total, scored, asked = Fraction(0), 0, 0
    for each in (answers, unpriced):
        if each is not None and model in each.models:
            rows = (each.model == each.models.index(model)) & ~np.isnan(each.score)
            total += exact_sum(each.score[rows])
            scored += int(rows.sum())
            asked += len(np.unique(each.question[rows]))
    return total, scored, asked


# ----------------------------------------------------------------------------------------------------
# Reading.


class _Reader:
    """Collects the answers of all files of a place.

    Attributes
    ----------
    rows : AnswerRows
    invalid : list of str
        The errors of rows that were dropped.
    noticed : list of str
        Rewards that belong to no question.
    """

    def __init__(self, place: Path, wanted: tuple[str, ...] | None, format: Format | None, drop: bool) -> None:
        self.place, self._format, self._drop = place, format, drop
        self.rows = AnswerRows(wanted)
        self.invalid: list[str] = []
        self.noticed: list[str] = []
        self._left_out: dict[str, list[str]] = {}  # names of files, by reason
        self._file_of: dict[str, str] = {}
        self._records = 0
        self._rewards = _rewards_beside(place)
        self._has_rewards = False

    @property
    def format(self) -> Format:
        """The format of the files."""
        if self._format is None:
            raise InputError("generations", str(self.place), "holds no record", "is it the right file?")
        return self._format

    def omissions(self) -> list[Omission]:
        """Return which files were left out."""
        return [Omission("files", len(names), reason, names[0]) for reason, names in self._left_out.items()]

    def read(self) -> None:
        """Read all files."""
        files = self._files()
        root = self.place if self.place.is_dir() else self.place.parent
        for path in files:
            name = str(path.relative_to(root))
            kind = DocumentFile if is_document(path.name) else TableFile
            self.rows.files.append(name)
            if why := self._read(path, kind(location=str(path), name=name, kind="evaluation")):
                self._left_out.setdefault(why, []).append(name)
        if self._rewards is not None and self._file_of and not self._has_rewards:
            remedy = f"they are {_BESIDE}/BENCHMARK/MODEL.jsonl, of {printable(', '.join(list(self._file_of)[:6]))}"
            where = str(self._rewards)
            raise InputError(
                where, MISSING, "has no file of rewards of these models", f"{remedy}; or remove the folder"
            )

    def _read(self, path: Path, source: TableFile) -> str:
        """Read a file; return why it is left out, if it is."""
        with _opened(source, self._format) as opened:
            first = list(islice(opened.records, 1))
            if not first and self._format is None:
                raise source.fault("holds no record", "remove the file, or record answers in it")
            if not first:
                return "without a record"
            record = self._cells(opened, source, first[0])
            header = opened.header or tuple(record or ())
            if self._format is None:
                self._format = recognised(header, record or {}, opened.fields)
            if self._format is None:
                raise _unknown(source, header)
            if opened.fields.get("demo") is True:
                return "marked as demonstrations"
            try:
                # Parquet reads the wanted columns only; of the others this says which is missing.
                self.format.wanted(header)
            except InputError as error:
                raise located(error, source.place()) from None
            fields = {**opened.fields, **_later_fields(source, self.format, opened.fields)}
            if self.format.name == GENERATIONS and self.place.is_dir() and path.parent != self.place:
                folders = ", ".join(sorted(each.name for each in self.place.iterdir() if each.is_dir())[:12])
                rule, remedy = "holds no file of recorded generations", f"choose a benchmark among {folders}"
                raise InputError("generations", str(self.place), rule, remedy)
            if self.format.name == GENERATIONS and "qid" in header and "generation" not in header:
                # The paper's files are named model--temp-0.6--samples-128--max-512.jsonl.
                fields[MODEL] = path.name[: -len(source.ending) - 3 * source.compressed].split("--")[0]
                if not self.rows.is_wanted(fields[MODEL]):
                    return ""
                fields[REWARDS] = self._rewards_of(fields[MODEL], source.name)
            answered = sum(self._add(opened, source, row, fields) for row in chain(first, opened.records))
            if left := fields.get(REWARDS) if MODEL in fields else None:
                unknown = f"{len(left)} unknown questions, as {next(iter(left))!r}"
                self.noticed.append(f"{_BESIDE}/{printable(source.name)} has rewards of {unknown}; they are ignored")
            return "" if answered else "without an answer"

    def _cells(self, opened: _Opened, source: TableFile, row: tuple[int, Any]) -> Mapping[str, Any] | None:
        """Return the cells of a row; None if it breaks a rule and is dropped."""
        try:
            return opened.cells(row[1])
        except InputError as error:
            self._refuse(located(error, source.place(row[0])))
            return None

    def _refuse(self, error: InputError) -> None:
        if not self._drop:
            raise error from None
        self.invalid.append(str(error))

    def _add(self, opened: _Opened, source: TableFile, row: tuple[int, Any], fields: Mapping[str, Any]) -> bool:
        """Add the answers of a row, all or none; return whether it has any."""
        self._records += 1
        if self._records > MOST_RECORDS:
            raise InputError("", MISSING, f"is beyond {MOST_RECORDS:,} records", "choose a folder")
        cells, before, answer = self._cells(opened, source, row), len(self.rows), None
        try:
            for answer in self.format.answers(cells, fields, f"{source.name}:{row[0]}") if cells is not None else ():
                self.rows.add(answer, opened.number, row[0])
        except InputError as error:
            self.rows.keep(before)
            self._refuse(located(error, source.place(row[0])))
        return answer is not None

    def _rewards_of(self, model: str, name: str) -> dict[str, list[float]]:
        """Return the rewards that stand beside the answers of a model, by question."""
        first = self._file_of.setdefault(model, name)
        if first != name:  # which of them was meant?
            raise InputError("file", name, f"is a second file of {model}, after {first}", "keep one of the two")
        found: dict[str, list[float]] = {}
        paths = [self._rewards / f"{model}{ending}" for ending in _REWARD_ENDINGS] if self._rewards else []
        for path in [path for path in paths if path.is_file()][:1]:
            self._has_rewards = True
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
            if is_pickle(self.place):
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
        old = _replaced(files)
        if old:
            self._left_out["that a later one replaces"] = [path.name for path in old]
        return [path for path in files if path not in set(old)]


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
        if isinstance(table, ParquetTable) and table.size[0] > MOST_RECORDS:
            raise source.fault(f"has more than {MOST_RECORDS:,} rows", "choose fewer questions")
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
    stamped = [(path, parts) for path in files if is_document(path.name) and (parts := _STAMP.fullmatch(path.name))]
    latest: dict[tuple[Path, str], tuple[str, Path]] = {}
    for path, parts in stamped:
        key = path.parent, parts[1]
        latest[key] = max(latest.get(key, ("", path)), (parts[2], path))
    kept = {path for _, path in latest.values()}
    return [path for path, _ in stamped if path not in kept]


def _rewards_beside(place: Path) -> Path | None:
    """Return the folder of rewards that belongs to a place of the prepared layout, None if there is none."""
    folder = place if place.is_dir() else place.parent
    datasets = next((each for each in (folder, folder.parent) if each.name == _PREPARED), None)
    if datasets is None:
        return None
    found = datasets.parent / _BESIDE / folder.relative_to(datasets)
    return found if found.is_dir() else None


def _model_names(models: Sequence[str]) -> tuple[str, ...]:
    names = (models,) if isinstance(models, str) else tuple(models)
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        raise InputError("models", list(names), "must be one or more names, each once", "leave it out for all models")
    return names

"""The formats of public evaluations: how each is recognised, and where it keeps question, model, score and cost.

What is known of each format, and from where, stands in docs/evaluations.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bounds.errors import MISSING, InputError
from mechanism.evaluations.answers import Answer
from mechanism.tabular.pieces import truth_number

__all__ = ["BENCH_TABLE", "FORMATS", "Cells", "Format", "recognised"]

#: A record by column, or by key.
Cells = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of public evaluations.

    Attributes
    ----------
    name : str
        By which it can be named.
    recognises : callable
        From the columns of a file (the keys of its first record), its first record, and the other fields of a
        document: whether it is of this format.
    wanted : callable
        From the columns of a file: those that are read. It raises an InputError where one is missing.
    answers : callable
        From a record, the fields of its document and its number in the file: its answers.
    fields : tuple of str
        Of the document that `answers` needs, which may stand behind the records.
    """

    name: str
    recognises: Callable[[tuple[str, ...], Cells, Cells], bool]
    wanted: Callable[[tuple[str, ...]], tuple[str, ...]]
    answers: Callable[[Cells, Cells, str], Iterator[Answer]]
    fields: tuple[str, ...] = ()


def recognised(header: tuple[str, ...], first: Cells, fields: Cells) -> Format | None:
    """Return the format of a file, None if it is none of these.

    Examples
    --------
    >>> recognised(("sample_id", "gpt", "gpt|total_cost"), {}, {}).name
    'routerbench'
    >>> recognised(("model", "price"), {}, {}) is None
    True
    """
    return next((each for each in FORMATS.values() if each.recognises(header, first, fields)), None)


def _given(header: tuple[str, ...], columns: tuple[str, ...], what: str) -> tuple[str, ...]:
    for name in columns:
        if name not in header:
            raise InputError(name, MISSING, "must be given", f"{what} has the columns {', '.join(columns)}")
    return columns


# ----------------------------------------------------------------------------------------------------
# RouterBench: one row per question, with the columns MODEL and MODEL|total_cost for every model.

_COST, _RESPONSE = "|total_cost", "|model_response"


def _routerbench_models(header: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name[: -len(_COST)] for name in header if name.endswith(_COST))


def _routerbench_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    models = _routerbench_models(header)
    if not models:
        raise InputError("", MISSING, f"has no column that ends in {_COST}", "RouterBench has one for every model")
    for model in models:
        if model not in header:
            raise InputError(model, MISSING, "must be given", f"it is the score of the model of {model}{_COST}")
    for name in header:
        model = name.removesuffix(_RESPONSE)
        if model != name and model in header and model not in models:
            remedy = f"it is what the answers of {model} cost; leave its cells empty to leave the model out"
            raise InputError(model + _COST, MISSING, "must be given", remedy)
    return (*_given(header, ("sample_id",), "RouterBench"), *models, *(model + _COST for model in models))


def _routerbench(cells: Cells, _: Cells, place: str) -> Iterator[Answer]:
    question = cells.get("sample_id")
    for column, cost in cells.items():
        if column.endswith(_COST):
            model = column[: -len(_COST)]
            yield Answer(question, model, cells.get(model), cost, columns=(model, column, "", ""))


# ----------------------------------------------------------------------------------------------------
# SPROUT: one row per question, with a record of score and tokens for every model.

_SPROUT_TOKENS = ("num_input_tokens", "num_output_tokens")
_SPROUT_META = ("key", "dataset", "dataset_level", "dataset_idx", "prompt", "golden_answer")


def _is_sprout(header: tuple[str, ...], first: Cells, _: Cells) -> bool:
    return any(isinstance(cell, dict) and "score" in cell and _SPROUT_TOKENS[1] in cell for cell in first.values())


def _sprout_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in header if name not in ("prompt", "golden_answer"))


def _sprout(cells: Cells, _: Cells, place: str) -> Iterator[Answer]:
    question = cells.get("key")
    if question is None:
        named = [str(cells[name]) for name in ("dataset", "dataset_idx") if cells.get(name) is not None]
        question = "/".join(named) if len(named) == 2 else place
    for model, cell in cells.items():
        if model in _SPROUT_META:
            continue
        if isinstance(cell, str) and "score" in cell and _SPROUT_TOKENS[1] in cell:
            remedy = "write JSON Lines or Parquet, where it is an object"
            raise InputError(model, cell[:40], "is the text of a record", remedy)
        if isinstance(cell, dict):
            score, cost, *tokens = (f"{model}.{name}" for name in ("score", "cost", *_SPROUT_TOKENS))
            yield Answer(
                question,
                model,
                cell.get("score"),
                input_tokens=cell.get(_SPROUT_TOKENS[0]),
                output_tokens=cell.get(_SPROUT_TOKENS[1]),
                columns=(score, cost, tokens[0], tokens[1]),
            )


# ----------------------------------------------------------------------------------------------------
# RouterArena: one record per query of a router, and more for its other models.

_ARENA_INDEX = ("global index", "global_index")
_ARENA_COLUMNS = ("accuracy", "cost", "token_usage.input_tokens", "token_usage.output_tokens")


def _is_arena(header: tuple[str, ...], _: Cells, __: Cells) -> bool:
    return "prediction" in header and any(name in header for name in _ARENA_INDEX)


def _arena_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    index = tuple(name for name in _ARENA_INDEX if name in header)
    if not index:
        raise InputError(_ARENA_INDEX[0], MISSING, "must be given", "it names the question")
    required = _given(header, ("prediction", "accuracy", "cost"), "a file of RouterArena's predictions")
    return (*index, *required, *(name for name in ("generated_result",) if name in header))


def _arena(cells: Cells, _: Cells, place: str) -> Iterator[Answer]:
    result = cells.get("generated_result")
    result = result if isinstance(result, dict) else {}
    usage = result.get("token_usage")
    usage = usage if isinstance(usage, dict) else {}
    success = result.get("success", True)
    yield Answer(
        next((cells[name] for name in _ARENA_INDEX if cells.get(name) is not None), None),
        cells.get("prediction"),
        cells.get("accuracy"),
        cells.get("cost"),
        usage.get("input_tokens"),
        usage.get("output_tokens"),
        columns=_ARENA_COLUMNS,
        failed=success != 1 and truth_number(success) != 1,
    )


# ----------------------------------------------------------------------------------------------------
# LLMRouterBench: one document per data set, split and model, or the records of all as a table.

BENCH_TABLE = ("dataset_id", "split", "model_name", "record_index", "score", "cost")
_BENCH_TOKENS = ("prompt_tokens", "completion_tokens")
_BENCH_FIELDS = ("model_name", "dataset_name", "split")


def _is_bench(header: tuple[str, ...], first: Cells, fields: Cells) -> bool:
    in_table = {"model_name", "record_index", "score"} <= set(header)
    return in_table or (("model_name" in fields or "counts" in fields) and {"index", "score"} <= set(header))


def _bench_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    if "record_index" in header:
        found = _given(header, BENCH_TABLE, "a table of LLMRouterBench's records")
    else:
        found = _given(header, ("index", "score", "cost"), "a record of LLMRouterBench")
    return (*found, *(name for name in _BENCH_TOKENS if name in header))


def _bench(cells: Cells, fields: Cells, place: str) -> Iterator[Answer]:
    if "record_index" in cells:
        question, model = [cells.get(name) for name in ("dataset_id", "split", "record_index")], cells.get("model_name")
    else:
        for name in _BENCH_FIELDS[:2]:
            if not isinstance(fields.get(name), str):
                raise InputError(name, fields.get(name), "must be a name", "it stands beside the records")
        model = fields["model_name"]
        question = [fields["dataset_name"], fields.get("split"), cells.get("index")]
    yield Answer(
        "/".join(str(part) for part in question if part is not None),
        model,
        cells.get("score"),
        cells.get("cost"),
        cells.get(_BENCH_TOKENS[0]),
        cells.get(_BENCH_TOKENS[1]),
        columns=("score", "cost", *_BENCH_TOKENS),
    )


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format(
            name="routerbench",
            recognises=lambda header, first, fields: bool(_routerbench_models(header)),
            wanted=_routerbench_wanted,
            answers=_routerbench,
        ),
        Format(name="llmrouterbench", recognises=_is_bench, wanted=_bench_wanted, answers=_bench, fields=_BENCH_FIELDS),
        Format(name="routerarena", recognises=_is_arena, wanted=_arena_wanted, answers=_arena),
        Format(name="sprout", recognises=_is_sprout, wanted=_sprout_wanted, answers=_sprout),
    )
}
"""By name, in the order in which they are tried."""

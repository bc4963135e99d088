"""The formats of answers: how each is recognised, and where it keeps question, model, score, cost and tokens.

What is known of each format, and from where: pages public-evaluations and recorded-generations of the documentation.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from bounds.errors import MISSING, InputError
from mechanism.answers.choices import GENERATIONS
from mechanism.answers.rows import RawAnswer
from mechanism.tabular.pieces import truth_number

#: A record by column, or by key.
Cells = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of answers.

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
    answers: Callable[[Cells, Cells, str], Iterator[RawAnswer]]
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


def _given(header: tuple[str, ...], what: str, *columns: str, optional: str = "") -> tuple[str, ...]:
    """Return the columns that a file has of those that it should have; an InputError if one is missing or misspelt."""
    others = [column.casefold()[:40] for column in header if column not in (*columns, optional)]
    for name in filter(None, (*columns, optional)):
        near = [] if name in header else difflib.get_close_matches(name, others, 1, cutoff=0.75)
        if near or (name not in header and name != optional):
            remedy = f"{what} has the columns {', '.join(columns)}"
            remedy = f"is it the column {near[0]!r}? rename it" if near else remedy
            raise InputError(name, MISSING, "must be given", remedy)
    return tuple(name for name in (*columns, optional) if name in header)


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
    return (*_given(header, "RouterBench", "sample_id"), *models, *(model + _COST for model in models))


def _routerbench(cells: Cells, _: Cells, place: str) -> Iterator[RawAnswer]:
    question = cells.get("sample_id")
    for column, cost in cells.items():
        if column.endswith(_COST):
            model = column[: -len(_COST)]
            yield RawAnswer(question, model, (model, cells.get(model)), (column, cost))


# ----------------------------------------------------------------------------------------------------
# SPROUT: one row per question, with a record of score and tokens for every model.

_SPROUT_TOKENS = ("num_input_tokens", "num_output_tokens")
_SPROUT_META = ("key", "dataset", "dataset_level", "dataset_idx", "prompt", "golden_answer")


def _is_sprout(header: tuple[str, ...], first: Cells, _: Cells) -> bool:
    return any(isinstance(cell, dict) and "score" in cell and _SPROUT_TOKENS[1] in cell for cell in first.values())


def _sprout_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in header if name not in ("prompt", "golden_answer"))


def _sprout(cells: Cells, _: Cells, place: str) -> Iterator[RawAnswer]:
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
            score, tokens_in, tokens_out = ((f"{model}.{name}", cell.get(name)) for name in ("score", *_SPROUT_TOKENS))
            yield RawAnswer(question, model, score, tokens_in=tokens_in, tokens_out=tokens_out)


# ----------------------------------------------------------------------------------------------------
# RouterArena: one record per query of a router, and more for its other models.

_ARENA_INDEX = ("global index", "global_index")


def _is_arena(header: tuple[str, ...], _: Cells, __: Cells) -> bool:
    return "prediction" in header and any(name in header for name in _ARENA_INDEX)


def _arena_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    index = tuple(name for name in _ARENA_INDEX if name in header)
    if not index:
        raise InputError(_ARENA_INDEX[0], MISSING, "must be given", "it names the question")
    required = _given(header, "a file of RouterArena's predictions", "prediction", "accuracy", "cost")
    return (*index, *required, *(name for name in ("generated_result",) if name in header))


def _arena(cells: Cells, _: Cells, place: str) -> Iterator[RawAnswer]:
    result = cells.get("generated_result")
    result = result if isinstance(result, dict) else {}
    usage = result.get("token_usage")
    usage = usage if isinstance(usage, dict) else {}
    success = result.get("success", True)
    question = next((cells[name] for name in _ARENA_INDEX if cells.get(name) is not None), None)
    score, cost = (("accuracy", cells.get("accuracy")), ("cost", cells.get("cost")))
    tokens_in, tokens_out = ((f"token_usage.{name}", usage.get(name)) for name in ("input_tokens", "output_tokens"))
    failed = success != 1 and truth_number(success) != 1
    yield RawAnswer(question, cells.get("prediction"), score, cost, tokens_in, tokens_out, failed=failed)


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
        found = _given(header, "a table of LLMRouterBench's records", *BENCH_TABLE)
    else:
        found = _given(header, "a record of LLMRouterBench", "index", "score", "cost")
    return (*found, *(name for name in _BENCH_TOKENS if name in header))


def _bench(cells: Cells, fields: Cells, place: str) -> Iterator[RawAnswer]:
    if "record_index" in cells:
        question, model = [cells.get(name) for name in ("dataset_id", "split", "record_index")], cells.get("model_name")
    else:
        for name in _BENCH_FIELDS[:2]:
            if not isinstance(fields.get(name), str):
                raise InputError(name, fields.get(name), "must be a name", "it is a key next to the records")
        model = fields["model_name"]
        question = [fields["dataset_name"], fields.get("split"), cells.get("index")]
    asked = "/".join(str(part) for part in question if part is not None)
    score, cost, tokens_in, tokens_out = ((name, cells.get(name)) for name in ("score", "cost", *_BENCH_TOKENS))
    yield RawAnswer(asked, model, score, cost, tokens_in, tokens_out)


# ----------------------------------------------------------------------------------------------------
# Recorded generations: one row per generation, or one per question with lists of as many entries.

#: Fields of a file with a row per question: the model that its name gives, and the rewards of questions beside it.
MODEL, REWARDS = "model", "rewards"
_ROW_PER_GENERATION = ("model", "question", "generation", "correct", "tokens")
_OF_GENERATIONS = {*_ROW_PER_GENERATION, "reward", "qid", "correctness", "num_tokens", REWARDS}


def _generations_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    if "qid" not in header or "generation" in header:
        return _given(header, "a table of generations", *_ROW_PER_GENERATION, optional="reward")
    correct = "correctness" if "correctness" in header and "correct" not in header else "correct"
    return _given(header, "a table of questions", "qid", correct, "num_tokens", optional=REWARDS)


def entries(column: str, cell: object) -> list[object]:
    """Return the entries of a list, or an InputError."""
    if not isinstance(cell, list):
        raise InputError(
            column, cell, "must be a list with one entry per generation", "see costproof docs recorded-generations"
        )
    return cell


def _generations(cells: Cells, fields: Cells, place: str) -> Iterator[RawAnswer]:
    if MODEL not in fields:
        correct, tokens, reward = ((name, cells.get(name)) for name in ("correct", "tokens", "reward"))
        named = RawAnswer(cells.get("question"), cells.get("model"), correct, tokens_out=tokens, reward=reward)
        yield named._replace(generation=cells.get("generation"), exact=True, numbered=True)
        return
    question, column = cells.get("qid"), "correct" if "correct" in cells else "correctness"
    given = fields[REWARDS].pop(str(question), cells.get(REWARDS))
    lists = entries(column, cells.get(column)), entries("num_tokens", cells.get("num_tokens"))
    rewards = [] if given is None else entries(REWARDS, given)
    for i, (label, count, score) in enumerate(zip_longest(*lists, rewards, fillvalue=MISSING)):
        # Of a reasoning model: thinking tokens, and all.
        total = count[1] if isinstance(count, list) and len(count) == 2 else count
        correct, tokens, reward = (f"{column}[{i}]", label), (f"num_tokens[{i}]", total), (f"{REWARDS}[{i}]", score)
        found = RawAnswer(question, fields[MODEL], correct, tokens_out=tokens, reward=reward)
        yield found._replace(generation=i, exact=True)


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
        Format(
            name=GENERATIONS,
            # One more column than a public evaluation may have: what is misspelt is then named.
            recognises=lambda header, first, fields: len(_OF_GENERATIONS & set(header)) > 1,
            wanted=_generations_wanted,
            answers=_generations,
        ),
    )
}
"""By name, in the order in which they are tried."""

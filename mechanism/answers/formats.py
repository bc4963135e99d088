"""The formats of answers: how each is recognised, and where it keeps question, model, score, cost and tokens.

What is known of each format, and from where: pages public-evaluations and recorded-generations of the documentation.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from bounds.errors import MISSING, InputError
from mechanism.answers.choices import GENERATIONS
from mechanism.answers.rows import RawAnswer
from mechanism.tabular.scalars import truth_number

#: A record by column, or by key.
Cells = Mapping[str, Any]
#: Fields with the name of a file and that of its folder.
FILE, FOLDER = "/file", "/folder"


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
    file : str
        Pattern of the names of its files: other files in a folder with such files are not read. Empty for any name.
    beside : callable
        From the name of a file: patterns of further files in its folder, by the field that holds their contents.
    means : callable, optional
        From the fields of a file: the mean scores that it records, by the name of the score.
    """

    name: str
    recognises: Callable[[tuple[str, ...], Cells, Cells], bool]
    wanted: Callable[[tuple[str, ...]], tuple[str, ...]]
    answers: Callable[[Cells, Cells, str], Iterator[RawAnswer]]
    fields: tuple[str, ...] = ()
    file: str = ""
    beside: Callable[[str], Mapping[str, str]] = lambda name: {}
    means: Callable[[Cells], Cells] | None = None


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


def _given(header: tuple[str, ...], what: str, *columns: str, optional: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the columns that a file has of those that it should have; an InputError if one is missing or misspelt."""
    others = [column.casefold()[:40] for column in header if column not in (*columns, *optional)]
    for name in (*columns, *optional):
        near = [] if name in header else difflib.get_close_matches(name, others, 1, cutoff=0.75)
        if near or (name not in header and name not in optional):
            remedy = f"{what} has the columns {', '.join(columns)}"
            remedy = f"is it the column {near[0]!r}? rename it" if near else remedy
            raise InputError(name, MISSING, "must be given", remedy)
    return tuple(name for name in (*columns, *optional) if name in header)


def _record(cell: object) -> Cells:
    """Return a record, an empty one where the cell holds none."""
    return cell if isinstance(cell, dict) else {}


def _records(cell: object) -> list[Cells]:
    return [each for each in cell if isinstance(each, dict)] if isinstance(cell, list) else []


def _inner(cell: object, *names: str) -> Any:
    """Return what records in records hold, None where one is missing."""
    for name in names:
        cell = _record(cell).get(name)
    return cell


# ----------------------------------------------------------------------------------------------------
# A table of one's own: one row per answer.

_TABLE, _TABLE_OPTIONAL = ("model", "question", "score"), ("cost", "input_tokens", "output_tokens", "cached_tokens")


def _table(cells: Cells, _: Cells, place: str) -> Iterator[RawAnswer]:
    score, cost, tokens_in, tokens_out, cached = ((name, cells.get(name)) for name in ("score", *_TABLE_OPTIONAL))
    found = RawAnswer(cells.get("question"), cells.get("model"), score, cost, tokens_in, tokens_out)
    yield found._replace(tokens_cached=cached)


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
    result = _record(cells.get("generated_result"))
    usage = _record(result.get("token_usage"))
    success = result.get("success", True)
    question = next((cells[name] for name in _ARENA_INDEX if cells.get(name) is not None), None)
    score, cost = (("accuracy", cells.get("accuracy")), ("cost", cells.get("cost")))
    tokens_in, tokens_out = ((f"token_usage.{name}", usage.get(name)) for name in ("input_tokens", "output_tokens"))
    failed = success != 1 and truth_number(success) != 1
    yield RawAnswer(question, cells.get("prediction"), score, cost, tokens_in, tokens_out, failed=failed)


# ----------------------------------------------------------------------------------------------------
# LLMRouterBench: one document per data set, split and model, or the records of all as a table.

_BENCH_TABLE = ("dataset_id", "split", "model_name", "record_index", "score", "cost")
_BENCH_TOKENS = ("prompt_tokens", "completion_tokens")
_BENCH_FIELDS = ("model_name", "dataset_name", "split")


def _is_bench(header: tuple[str, ...], first: Cells, fields: Cells) -> bool:
    in_table = {"model_name", "record_index", "score"} <= set(header)
    return in_table or (("model_name" in fields or "counts" in fields) and {"index", "score"} <= set(header))


def _bench_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    if "record_index" in header:
        found = _given(header, "a table of LLMRouterBench's records", *_BENCH_TABLE)
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
# lm-evaluation-harness: a file of samples for each model and task, with the results beside it.

_LM_FILE = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl(?:\.gz)?")
_LM_COLUMNS = ("doc_id", "filtered_resps")
_LM_OTHERS = {*_LM_COLUMNS, "doc", "target", "arguments", "resps", "filter", "metrics"}


def _lm_task(name: str) -> tuple[str, str]:
    """Return the task of a file of samples, and the time at which it was written."""
    found = _LM_FILE.fullmatch(name)
    return (found[1], found[2] or "") if found else (name, "")


def _lm_answers(cells: Cells, fields: Cells, place: str) -> Iterator[RawAnswer]:
    # A folder is called org__name, and the results name the model, too.
    model = _inner(fields, "results", "model_name") or fields[FOLDER].replace("__", "/")
    metrics, question = cells.get("metrics"), f"{_lm_task(fields[FILE])[0]}/{cells.get('doc_id')}"
    if not isinstance(metrics, list):  # of older versions
        metrics = [name for name, cell in cells.items() if name not in _LM_OTHERS and isinstance(cell, int | float)]
    for name in map(str, metrics):
        yield RawAnswer(question, model, (name, cells.get(name)), score_name=f"{name},{cells.get('filter', 'none')}")


# ----------------------------------------------------------------------------------------------------
# inspect_ai: a log for each model and task, as JSON.

_GRADES = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "no": 0}
_INSPECT_USAGE = ("total_cost", "input_tokens", "input_tokens_cache_read", "output_tokens")


def _inspect_answers(cells: Cells, fields: Cells, place: str) -> Iterator[RawAnswer]:
    model, task = (_inner(fields, "eval", name) for name in ("model", "task"))
    usage = dict(_record(_inner(cells, "model_usage", model)))
    if isinstance(written := usage.get("input_tokens_cache_write"), int) and isinstance(usage.get("input_tokens"), int):
        usage["input_tokens"] += written
    cost, tokens_in, cached, tokens_out = ((f"model_usage.{name}", usage.get(name)) for name in _INSPECT_USAGE)
    asked = RawAnswer(f"{task}/{cells.get('id')}", model, ("score", None), cost, tokens_in, tokens_out)
    asked = asked._replace(tokens_cached=cached, failed=cells.get("error") is not None, score_name=None)
    scores = _record(cells.get("scores"))
    if not scores:
        yield asked
    for scorer, score in scores.items():
        value = _inner(score, "value")
        values = {f"{scorer}/{key}": of for key, of in value.items()} if isinstance(value, dict) else {scorer: value}
        for name, grade in values.items():
            number = _GRADES.get(grade, grade) if isinstance(grade, str) else grade
            yield asked._replace(score=(f"scores.{name}", number), score_name=name)


def _inspect_means(fields: Cells) -> Cells:
    found = {}
    for each in _records(_inner(fields, "results", "scores")):
        # Of a scorer with several values, `name` is that of the value.
        names = dict.fromkeys(str(each.get(key)) for key in ("scorer", "name"))
        of = (_inner(each, "metrics", metric, "value") for metric in ("accuracy", "mean"))
        found["/".join(names)] = next((value for value in of if value is not None), None)
    return found


# ----------------------------------------------------------------------------------------------------
# HELM: a folder for each run, that is for each model and scenario.

_HELM_MODEL = re.compile(r"(?:(?<=:)|,)model(?:_deployment)?=([^,]+)")
#: Statistics of a run that are no scores.
_HELM_OTHERS = ("num_", "training_", "inference_", "batch_", "finish_reason_", "prompt_", "max_prob", "logprob")


def _helm_answers(cells: Cells, fields: Cells, place: str) -> Iterator[RawAnswer]:
    if cells.get("perturbation") is not None:  # a changed copy of a question
        return
    run = str(_inner(fields, "run", "name") or fields[FOLDER])
    named = _HELM_MODEL.search(run)
    model = _inner(fields, "run", "adapter_spec", "model") or (named and named[1].replace("_", "/", 1))
    if not model:
        raise InputError("model", MISSING, "must be given", "run_spec.json of the same folder names it: keep it there")
    means = _helm_stats(cells.get("stats"))
    tokens_in, tokens_out = ((name, means.get(name)) for name in ("num_prompt_tokens", "num_output_tokens"))
    question = f"{_HELM_MODEL.sub('', run).rstrip(':')}/{cells.get('instance_id')}"
    for name, mean in means.items():
        if not name.startswith(_HELM_OTHERS):
            yield RawAnswer(question, model, (name, mean), tokens_in=tokens_in, tokens_out=tokens_out, score_name=name)


def _helm_stats(stats: object) -> Cells:
    """Return the mean of each statistic on unperturbed questions."""
    found: dict[str, object] = {}
    for each in _records(stats):
        if _inner(each, "name", "perturbation") is None:
            name = str(_inner(each, "name", "name"))
            found[name] = None if name in found else each.get("mean")  # of two splits, neither is that of all
    return found


# ----------------------------------------------------------------------------------------------------
# Recorded generations: one row per generation, or one per question with lists of as many entries.

#: Fields of a file with a row per question: the model that its name gives, and the rewards of questions beside it.
MODEL, REWARDS = "model", "rewards"
_ROW_PER_GENERATION = ("model", "question", "generation", "correct", "tokens")
_OF_GENERATIONS = {*_ROW_PER_GENERATION, "reward", "qid", "correctness", "num_tokens", REWARDS}


def _generations_wanted(header: tuple[str, ...]) -> tuple[str, ...]:
    if "qid" not in header or "generation" in header:
        return _given(header, "a table of generations", *_ROW_PER_GENERATION, optional=("reward",))
    correct = "correctness" if "correctness" in header and "correct" not in header else "correct"
    return _given(header, "a table of questions", "qid", correct, "num_tokens", optional=(REWARDS,))


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
            name="table",
            recognises=lambda header, first, fields: set(_TABLE) <= set(header),
            wanted=lambda header: _given(header, "a table of answers", *_TABLE, optional=_TABLE_OPTIONAL),
            answers=_table,
        ),
        Format(
            name="routerbench",
            recognises=lambda header, first, fields: bool(_routerbench_models(header)),
            wanted=_routerbench_wanted,
            answers=_routerbench,
        ),
        Format(
            name="llmrouterbench",
            recognises=_is_bench,
            wanted=_bench_wanted,
            answers=_bench,
            fields=_BENCH_FIELDS,
            means=lambda fields: {"": fields.get("performance")},
        ),
        Format(name="routerarena", recognises=_is_arena, wanted=_arena_wanted, answers=_arena),
        Format(name="sprout", recognises=_is_sprout, wanted=_sprout_wanted, answers=_sprout),
        Format(
            name="lm-eval",
            recognises=lambda header, first, fields: set(_LM_COLUMNS) <= set(header),
            wanted=lambda header: tuple(name for name in header if name not in ("doc", "arguments", "resps")),
            answers=_lm_answers,
            file=_LM_FILE.pattern,
            beside=lambda name: {"results": f"*_{_lm_task(name)[1]}.json"},
            means=lambda fields: _record(_inner(fields, "results", "results", _lm_task(fields[FILE])[0])),
        ),
        Format(
            name="inspect",
            recognises=lambda header, first, fields: "eval" in fields and {"id", "epoch"} <= set(header),
            wanted=lambda header: _given(header, "a sample of inspect_ai", "id", "scores"),
            answers=_inspect_answers,
            fields=("eval",),
            means=_inspect_means,
        ),
        Format(
            name="helm",
            recognises=lambda header, first, fields: {"instance_id", "stats"} <= set(header),
            wanted=lambda header: _given(header, "statistics of HELM", "instance_id", "stats"),
            answers=_helm_answers,
            file=r"per_instance_stats\.json(\.gz)?",
            beside=lambda name: {"run": "run_spec.json", "stats": "stats.json"},
            means=lambda fields: _helm_stats(fields.get("stats")),
        ),
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

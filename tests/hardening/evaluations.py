"""Public evaluations for the sweep of changed inputs, and what makes one invalid, found without the product."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.mechanism.made_evaluations import (
    MODELS,
    PRICE_FILE,
    PRICES,
    as_csv,
    as_parquet,
    llmrouterbench,
    made_answers,
    routerarena,
    routerbench,
    sprout,
)

Contents = Mapping[str, bytes]
#: Question, model, score and price (1e-6 USD) of an answer; the last two None where one is missing.
Found = tuple[str, str, Fraction | None, Fraction | None]


def routerbench_files() -> Contents:
    """Return RouterBench's table as CSV."""
    return {"routerbench.csv": as_csv(routerbench(made_answers(12))).encode()}


def routerarena_files() -> Contents:
    """Return a file of RouterArena's predictions."""
    return {"router.json": json.dumps(routerarena(made_answers(6)), indent=1).encode()}


def llmrouterbench_files() -> Contents:
    """Return LLMRouterBench's documents."""
    found = llmrouterbench(made_answers(6))
    return {f"{Path(name).name}": json.dumps(document, indent=1).encode() for name, document in found.items()}


def sprout_files() -> Contents:
    """Return SPROUT's table as Parquet, and prices."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sprout.parquet")
        as_parquet(sprout(made_answers(12)), path)
        return {"sprout.parquet": path.read_bytes(), "prices.csv": PRICE_FILE.encode()}


def _number(value: Any, most: float) -> Fraction | None:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str) and value.strip().casefold() in ("", "nan", "null"):
        return None
    if isinstance(value, str) and value.strip().casefold() in ("true", "false") and most == 1:
        return Fraction(value.strip().casefold() == "true")
    if isinstance(value, str) and "_" in value:
        raise ValueError(value[:40])
    number = float(value)
    if not 0 <= number <= most:
        raise ValueError(f"{number} is out of range")
    return Fraction(number)


def _dollars(value: Any) -> Fraction | None:
    found = _number(value, 1e9)
    return None if found is None else found * 10**6


def _of_routerbench(contents: Contents) -> Iterator[Found]:
    text = contents["routerbench.csv"].decode("utf-8-sig")
    for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
        if None in row or None in row.values():
            raise ValueError("a cell too many or too few")
        for column in row:
            if column.endswith("|total_cost"):
                model = column.removesuffix("|total_cost")
                yield row["sample_id"], model, _number(row[model], 1), _dollars(row[column])


def _of_routerarena(contents: Contents) -> Iterator[Found]:
    for each in json.loads(contents["router.json"].decode("utf-8-sig")):
        result = each.get("generated_result")
        failed = isinstance(result, dict) and result.get("success", True) is not True
        question = each.get("global index")
        question = each["global_index"] if question is None else question
        score, price = _number(each.get("accuracy"), 1), _dollars(each.get("cost"))
        if failed:  # counts as 0 where nothing is recorded
            score, price = score or Fraction(0), price or Fraction(0)
        yield str(question), each["prediction"], score, price


def _of_llmrouterbench(contents: Contents) -> Iterator[Found]:
    for name in sorted(contents):
        document = json.loads(contents[name].decode("utf-8-sig"))
        if document.get("demo") is True:
            continue
        for each in document.get("records", []):
            parts = (document["dataset_name"], document.get("split"), each.get("index"))
            question = "/".join(str(part) for part in parts if part is not None)
            yield question, document["model_name"], _number(each.get("score"), 1), _dollars(each.get("cost"))


def _of_sprout(contents: Contents) -> Iterator[Found]:
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(contents["sprout.parquet"]))
    # A prompt is not read, and may be damaged.
    columns = [name for name in file.schema_arrow.names if name != "prompt"]
    for number, row in enumerate(file.read(columns=columns).to_pylist()):
        question = f"row {number}" if row.get("key") is None else row["key"]
        for model in MODELS:
            cell = row.get(model)
            if isinstance(cell, dict):
                tokens = cell["num_input_tokens"], cell["num_output_tokens"]
                priced = zip(PRICES[model], tokens, strict=True)
                price = None if None in tokens else sum((Fraction(p) * n for p, n in priced), Fraction(0))
                yield question, model, _number(cell["score"], 1), price


def objection(read: Callable[[Contents], Iterator[Found]]) -> Callable[[Contents, Contents, str], str]:
    """Return what compares the market that was printed with the means that the standard library finds."""

    def compare(_: Contents, changed: Contents, printed: str) -> str:
        answers: dict[str, dict[str, tuple[Fraction, Fraction]]] = {}
        try:
            for question, model, score, price in read(changed):
                if score is None or price is None:
                    continue
                if answers.setdefault(model, {}).setdefault(question, (score, price))[0] != score:
                    return f"{model!r:.40} has two scores for {question!r:.40}"
        except (ValueError, KeyError, TypeError, AttributeError, OSError, csv.Error) as error:
            return f"unreadable: {type(error).__name__} {error}"
        if not printed:
            return "" if len(answers) > 1 and set.intersection(*map(set, answers.values())) else "nothing shared"
        market = json.loads(printed)["market"]
        named = [provider["name"] for provider in market["providers"]]
        if not all(name in answers for name in named):
            return f"no answers of {named!r:.80}"
        shared = set.intersection(*(set(answers[name]) for name in named))
        if len(shared) != market["questions"]:
            return f"{len(shared)} shared questions, not {market['questions']}"
        for provider in market["providers"]:
            of = answers[provider["name"]]
            score, price = (sum((of[q][i] for q in shared), Fraction(0)) / len(shared) for i in (0, 1))
            if (provider["quality"], provider["mean_cost"]) != (float(score), float(price * Fraction(4, 5))):
                return f"{provider!r:.120} has other means"
        return ""

    return compare


# ----------------------------------------------------------------------------------------------------
# The layout that the paper's authors prepare.

PREPARED_MODELS = {"large": (0.75, 60), "small": (0.25, 30)}


def prepared_files() -> Contents:
    """Return data sets and rewards of two models, and prices."""
    found = {"prices.csv": b"model,output_price\nlarge,0.2\nsmall,0.1\n"}
    for model, (share, tokens) in PREPARED_MODELS.items():
        rows, rewards = [], []
        for q in range(8):
            right = [int((q + g) % 4 < 4 * share) for g in range(4)]
            counts = [tokens + q, tokens, [q, tokens + 1], 7]
            rows.append(json.dumps({"qid": f"quiz_{q}", "correctness": right, "num_tokens": counts}))
            rewards.append(json.dumps({"qid": f"quiz_{q}", "rewards": [0.5 * x + 0.1 * q for x in right]}))
        found[f"datasets/quiz/{model}.jsonl"] = ("\n".join(rows) + "\n").encode()
        found[f"rewards/quiz/{model}.jsonl"] = ("\n".join(rewards) + "\n").encode()
    return found


def prepared_objection(_: Contents, changed: Contents, printed: str) -> str:
    """Compare the market that was printed with the means of the questions that both models have in full."""
    answers: dict[str, dict[str, tuple[list[int], list[int]]]] = {}
    try:
        for model in PREPARED_MODELS:
            for line in changed[f"datasets/quiz/{model}.jsonl"].decode("utf-8-sig").split("\n"):
                if line.strip():
                    row = json.loads(line)
                    right = [{"true": 1, "false": 0}.get(str(x).strip().casefold(), x) for x in row["correctness"]]
                    tokens = [x[1] if isinstance(x, list) and len(x) == 2 else x for x in row["num_tokens"]]
                    if not {*right} <= {0, 1} or any(x != int(x) or not 0 <= x < 2**31 for x in tokens):
                        return f"row {line[:80]!r}"
                    answers.setdefault(model, {}).setdefault(str(row["qid"]), (right, tokens))
            for line in changed[f"rewards/quiz/{model}.jsonl"].decode("utf-8-sig").split("\n"):
                _ = line.strip() and [float(x) for x in json.loads(line)["rewards"] if x is not None]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return f"unreadable: {type(error).__name__} {error}"
    if not printed:
        return ""
    market = json.loads(printed)["market"]
    size = market["generations_per_question"]
    whole = [{q for q, of in answers[m].items() if len(of[0]) == len(of[1]) == size} for m in PREPARED_MODELS]
    shared = set.intersection(*whole)
    if len(shared) != market["questions"]:
        return f"{len(shared)} shared questions, not {market['questions']}"
    for provider in market["providers"]:
        found = [answers[provider["model"]][q] for q in shared]
        quality = Fraction(sum(sum(right) for right, _ in found), len(shared) * size)
        tokens = Fraction(int(sum(sum(tokens) for _, tokens in found)), len(shared) * size)
        cost = tokens * Fraction(provider["listed_price"]) * Fraction(4, 5)
        if (provider["quality"], provider["mean_cost"]) != (float(quality), float(cost)):
            return f"{provider!r:.120} has other means"
    return ""


OBJECTIONS = {
    "routerbench": objection(_of_routerbench),
    "routerarena": objection(_of_routerarena),
    "llmrouterbench": objection(_of_llmrouterbench),
    "sprout": objection(_of_sprout),
}

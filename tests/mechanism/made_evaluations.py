"""Public evaluations that tests make up, in each format, and their means found with the standard library alone."""

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from mechanism.answers.files import load_answers
from tests.mechanism.provider_tables import write_rows
from tests.refusals import refusal

#: The formats in which these are made; files of the others are in evaluations.tar.xz.
MADE_FORMATS = ("table", "routerbench", "llmrouterbench", "routerarena", "sprout")
MODELS = ("gpt-4", "mistral/8x7b", "claude instant")
PRICES = {"gpt-4": (30.0, 60.0), "mistral/8x7b": (0.6, 0.6), "claude instant": (0.8, 2.4)}
PRICE_FILE = "model,input_price,output_price\n" + "".join(f"{m},{i},{o}\n" for m, (i, o) in PRICES.items())


@dataclass(frozen=True)
class Made:
    """One answer of a made-up evaluation; None is missing."""

    question: str
    model: str
    score: float | None
    dollars: float | None
    input_tokens: int
    output_tokens: int


def made_answers(questions: int = 40, models: Sequence[str] = MODELS, seed: int = 0) -> list[Made]:
    """Return an answer of every model to every question."""
    rng = random.Random(seed)
    found = []
    for q in range(questions):
        asked = rng.randrange(20, 400)
        for m, model in enumerate(models):
            written = rng.randrange(1, 600)
            price = PRICES.get(model, (1.0, 2.0))
            dollars = (asked * price[0] + written * price[1]) / 10**6
            score = rng.choice((0.0, 0.25, 0.1, 1.0, 1.0)) if m else float(rng.random() < 0.9)
            found.append(Made(f"mmlu-{q}", model, score, dollars, asked, written))
    return found


def routerbench(answers: Sequence[Made]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for each in answers:
        row = rows.setdefault(
            each.question, {"sample_id": each.question, "prompt": "['What, \"now\"?\n']", "eval_name": "mmlu"}
        )
        row[each.model] = each.score
        row[f"{each.model}|model_response"] = "['Yes,\nthat']"
        row[f"{each.model}|total_cost"] = each.dollars
    return [{**row, "oracle_model_to_route_to": MODELS[0]} for row in rows.values()]


def table(answers: Sequence[Made]) -> list[dict[str, Any]]:
    names = ("model", "question", "score", "cost", "input_tokens", "output_tokens", "note")
    cells = (
        (each.model, each.question, each.score, each.dollars, each.input_tokens, each.output_tokens) for each in answers
    )
    return [dict(zip(names, (*row, "x"), strict=True)) for row in cells]


def sprout(answers: Sequence[Made]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for each in answers:
        row = rows.setdefault(each.question, {"key": each.question, "dataset": "mmlu", "prompt": "What?"})
        row[each.model] = {
            "score": each.score,
            "num_input_tokens": each.input_tokens,
            "num_output_tokens": each.output_tokens,
            "response": "Yes.",
        }
    return list(rows.values())


def routerarena(answers: Sequence[Made]) -> list[dict[str, Any]]:
    """Return the records of a file of predictions."""
    seen: set[str] = set()
    found = []
    for each in answers:
        usage = {"input_tokens": each.input_tokens, "output_tokens": each.output_tokens}
        found.append(
            {
                "global index": each.question,
                "prompt": "What?",
                "prediction": each.model,
                "generated_result": {"generated_answer": "Yes.", "success": True, "token_usage": usage},
                "cost": each.dollars,
                "accuracy": each.score,
                "for_optimality": each.question in seen,
            }
        )
        seen.add(each.question)
    return found


def llmrouterbench(answers: Sequence[Made]) -> dict[str, dict[str, Any]]:
    """Return the documents of a folder of results, by path."""
    found: dict[str, dict[str, Any]] = {}
    for each in answers:
        dataset, _, index = each.question.partition("-")
        model = each.model.replace("/", "_")
        path = f"{dataset}/test/{model}/{dataset}-test-{model}-20250102_030405.json"
        beside = {"performance": None, "counts": 3, "model_name": each.model, "dataset_name": dataset, "split": "test"}
        document = found.setdefault(path, {**beside, "demo": False, "records": []})
        document["records"].append(
            {
                "index": int(index),
                "prompt": "What?",
                "prompt_tokens": each.input_tokens,
                "completion_tokens": each.output_tokens,
                "cost": each.dollars,
                "score": each.score,
                "raw_output": {"text": ["Yes."]},
            }
        )
    return found


def as_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def as_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)


def write_format(format: str, answers: Sequence[Made], folder: Path) -> Path:
    if format == "llmrouterbench":
        for name, document in llmrouterbench(answers).items():
            path = folder / "bench" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return folder / "bench"
    if format == "routerarena":
        path = folder / "router.json"
        path.write_text(json.dumps(routerarena(answers), indent=2), encoding="utf-8")
    else:
        names = {"table": "table.csv", "sprout": "sprout.jsonl", "routerbench": "routerbench.csv"}
        path = folder / names[format]
        write_rows(path, {"table": table, "sprout": sprout, "routerbench": routerbench}[format](answers))
    return path


def refused(path: Path, **more: Any) -> str:
    return str(refusal(load_answers, path, **more))


Means = dict[str, tuple[Fraction, Fraction]]


def read_means(format: str, path: Path) -> Means:
    """Return the exact mean score and mean price (1e-6 USD) of every model, over the questions that all answered.

    Read with `csv` and `json`, and added with `Fraction`: nothing of the product.
    """
    found: dict[str, dict[str, tuple[Fraction, Fraction]]] = {}
    for question, model, score, price in _read(format, path):
        found.setdefault(model, {})[question] = (score, price)
    shared = set.intersection(*(set(of) for of in found.values()))
    return {
        model: tuple(sum((of[q][i] for q in shared), Fraction(0)) / len(shared) for i in (0, 1))  # type: ignore[misc]
        for model, of in found.items()
    }


def _read(format: str, path: Path) -> list[tuple[str, str, Fraction, Fraction]]:
    found = []
    if format == "table":
        for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")):
            if row["score"] and row["cost"]:
                price = Fraction(float(row["cost"])) * 10**6
                found.append((row["question"], row["model"], Fraction(float(row["score"])), price))
    elif format == "routerbench":
        for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")):
            for column in row:
                model = column.removesuffix("|total_cost")
                if model != column and row[model] and row[column]:
                    dollars = Fraction(float(row[column]))
                    found.append((row["sample_id"], model, Fraction(float(row[model])), dollars * 10**6))
    elif format == "sprout":
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for model in MODELS:
                cell = row.get(model)
                if cell is not None and cell["score"] is not None:
                    i, o = map(Fraction, PRICES[model])
                    price = i * cell["num_input_tokens"] + o * cell["num_output_tokens"]
                    found.append((row["key"], model, Fraction(cell["score"]), price))
    elif format == "routerarena":
        for each in json.loads(path.read_text(encoding="utf-8")):
            if each["accuracy"] is not None and each["generated_result"]["success"]:
                price = Fraction(each["cost"]) * 10**6
                found.append((each["global index"], each["prediction"], Fraction(each["accuracy"]), price))
    else:
        for file in sorted(path.rglob("*.json")):
            document = json.loads(file.read_text(encoding="utf-8"))
            for each in document["records"]:
                if each["score"] is not None:
                    price = Fraction(each["cost"]) * 10**6
                    found.append((str(each["index"]), document["model_name"], Fraction(each["score"]), price))
    return found

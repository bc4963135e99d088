"""`python -m benchmarks.evaluations`: seconds and memory of loading 400,000 made-up answers in each format (Linux)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: As RouterBench has them: 36,497 questions and 11 models.
QUESTIONS, MODELS = 36_400, 11
#: Characters of a prompt, and of an answer.
PROMPT, RESPONSE = 600, 300

_LOAD = """
import sys, time
from mechanism.evaluations.files import load_evaluation
from mechanism.evaluations.setting import evaluated_laws, evaluated_setting
start = time.process_time()
evaluation = load_evaluation(sys.argv[1], prices=sys.argv[2] or None)
laws = evaluated_laws(evaluation, evaluated_setting(evaluation))
laws.tables()
# Not ru_maxrss, in which that of the parent counts.
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(evaluation.score.size, time.process_time() - start, int(peak) // 1000)
"""


def _answers(question: int) -> Iterator[tuple[str, float, float, int, int]]:
    """Yield the model, score, cost and tokens of every answer to a question."""
    rng = random.Random(question)
    asked = rng.randrange(50, 900)
    for model in range(MODELS):
        written = rng.randrange(1, 900)
        yield f"model-{model}", float(rng.random() < 0.8 - 0.05 * model), (asked + 3 * written) * 1e-7, asked, written


def _routerbench(folder: Path) -> tuple[Path, str]:
    path, columns = folder / "routerbench.csv", [f"model-{model}" for model in range(MODELS)]
    with path.open("w", encoding="utf-8") as file:
        responses = [f"{model}|model_response" for model in columns]
        costs = [f"{model}|total_cost" for model in columns]
        file.write(",".join(["sample_id", "prompt", "eval_name", *columns, *responses, *costs]) + "\n")
        for question in range(QUESTIONS):
            answers = list(_answers(question))
            cells = [str(score) for _, score, *_ in answers] + ['"' + "r" * RESPONSE + '"'] * MODELS
            cells += [repr(cost) for _, _, cost, *_ in answers]
            file.write(",".join([f"mmlu.{question}", '"' + "p, " * (PROMPT // 3) + '"', "mmlu", *cells]) + "\n")
    return path, ""


def _routerarena(folder: Path) -> tuple[Path, str]:
    path = folder / "router.json"
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for question in range(QUESTIONS):
            for i, (model, score, cost, asked, written) in enumerate(_answers(question)):
                usage = {"input_tokens": asked, "output_tokens": written, "total_tokens": asked + written}
                result = {"generated_answer": "r" * RESPONSE, "success": True, "token_usage": usage}
                record = {"global index": f"mmlu_{question}", "prompt": "p" * PROMPT, "prediction": model}
                record |= {"generated_result": result, "cost": cost, "accuracy": score, "for_optimality": i > 0}
                file.write(("," if question or i else "") + json.dumps(record, indent=2))
        file.write("]")
    return path, ""


def _llmrouterbench(folder: Path) -> tuple[Path, str]:
    records: dict[str, list[Any]] = {}
    for question in range(QUESTIONS):
        for model, score, cost, asked, written in _answers(question):
            record = {"index": question, "prompt": "p" * PROMPT, "prompt_tokens": asked, "completion_tokens": written}
            records.setdefault(model, []).append(record | {"cost": cost, "score": score, "raw_output": "r" * RESPONSE})
    for model, found in records.items():
        beside = {"model_name": model, "dataset_name": "mmlu", "split": "test", "demo": False}
        place = folder / "mmlu" / "test" / model
        place.mkdir(parents=True)
        (place / f"mmlu-test-{model}-20250102_030405.json").write_text(
            json.dumps(beside | {"records": found}, indent=2)
        )
    return folder, ""


def _sprout(folder: Path) -> tuple[Path, str]:
    path, prices = folder / "sprout.jsonl", folder / "prices.csv"
    prices.write_text(
        "model,input_price,output_price\n" + "".join(f"model-{i},0.{i + 1},{i + 1}\n" for i in range(MODELS))
    )
    with path.open("w", encoding="utf-8") as file:
        for question in range(QUESTIONS):
            row: dict[str, Any] = {"key": f"mmlu-{question}", "prompt": "p" * PROMPT}
            for model, score, _, asked, written in _answers(question):
                tokens = {"num_input_tokens": asked, "num_output_tokens": written}
                row[model] = {"score": score, "response": "r" * RESPONSE, **tokens}
            file.write(json.dumps(row) + "\n")
    return path, str(prices)


FORMATS: dict[str, Callable[[Path], tuple[Path, str]]] = {
    "routerbench": _routerbench,
    "llmrouterbench": _llmrouterbench,
    "routerarena": _routerarena,
    "sprout": _sprout,
}


def measured(name: str) -> tuple[int, float, int, int]:
    """Return the answers that are loaded, CPU seconds, peak MB of the process, and MB of the files."""
    with tempfile.TemporaryDirectory() as folder:
        path, prices = FORMATS[name](Path(folder))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        command = [sys.executable, "-c", _LOAD, str(path), prices]
        answers, seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(answers), float(seconds), int(peak), size // 10**6


def main() -> None:
    """Print a table as Markdown."""
    write = sys.stdout.write
    write("| format | answers | files | CPU | peak memory |\n|---|---|---|---|---|\n")
    for name in FORMATS:
        answers, seconds, peak, size = measured(name)
        write(f"| `{name}` | {answers:,} | {size} MB | {seconds:.1f} s | {peak} MB |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Files that lm-evaluation-harness 0.4.13, inspect_ai 0.3.285 and HELM 0.5.16 wrote, with made-up models and tasks.

Of inspect_ai's logs events and messages are left out; litellm.json is a part of LiteLLM's price list.
"""

import json
import random
import tarfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import InputError
from bounds.setting.file import parse_setting
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.files import load_answers
from mechanism.answers.prices import TokenPrice, read_prices
from mechanism.answers.setting import setting_of_answers
from proofs_checks.cli.main import main
from tests.mechanism.made_evaluations import refused
from tests.refusals import refusal

#: USD per 10^6 tokens of input, of cached input and of output, and USD of a request.
PRICES = {"large": ("2.5", "1.25", "10", "0.001"), "small": ("0.5", "0.25", "1", "0.0002")}
GRADES = {"C": Fraction(1), "P": Fraction(1, 2), "I": Fraction(0), "N": Fraction(0)}
#: Model, question, score, and tokens of input, of cached input and of output.
Row = tuple[str, str, Fraction, list[int]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(Path(__file__).with_name("evaluations.tar.xz")) as files:
        files.extractall(tmp_path, filter="data")
    rows = [",".join((f"{of}/{model}", *price)) for of in ("mockllm", "made") for model, price in PRICES.items()]
    rows += [f"org/{model},,,,{price[-1]}" for model, price in PRICES.items()]  # lm-evaluation-harness has no tokens
    header = "model,input_price,cached_price,output_price,request_price"
    (tmp_path / "prices.csv").write_text("\n".join([header, *rows, ""]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lm_eval(score: str) -> Iterator[Row]:
    metric, name = score.split(",")
    for path in sorted(Path("lm-eval").rglob("samples_*")):
        for row in map(json.loads, path.read_text().splitlines()):
            if metric in row and row["filter"] == name:
                yield path.parent.name.replace("__", "/"), str(row["doc_id"]), Fraction(row[metric]), [0, 0, 0]


def inspect(score: str) -> Iterator[Row]:
    for log in (json.loads(path.read_text()) for path in Path("inspect").iterdir()):
        for each in log["samples"]:
            usage = each["model_usage"][log["eval"]["model"]]
            tokens = [usage.get(f"{name}_tokens{of}", 0) for name, of in (("input", ""), ("input", "_cache_read"))]
            grade = GRADES[each["scores"][score]["value"] if each["scores"] else "N"]  # one sample failed
            yield log["eval"]["model"], each["id"], grade, [*tokens, usage["output_tokens"]]


def helm(score: str) -> Iterator[Row]:
    for path in Path("helm").rglob("per_instance_stats.json"):
        for each in json.loads(path.read_text()):
            of = {stat["name"]["name"]: stat.get("mean") for stat in each["stats"]}
            tokens = [int(of["num_prompt_tokens"]), 0, int(of["num_output_tokens"])]
            yield f"made/{path.parent.name.rpartition('_')[2]}", each["instance_id"], Fraction(of[score]), tokens


def load(format: str, score: str, **more: Any) -> CompleteAnswers:
    chosen = {} if format == "inspect" else {"scores": [score]}
    return load_answers(format, prices="prices.csv", accept=["constant-tokens"], **chosen, **more)


@pytest.mark.parametrize(
    ("format", "rows", "score", "repeats"),
    [
        ("lm-eval", lm_eval, "exact_match,strict-match", None),
        ("lm-eval", lm_eval, "acc_norm,none", None),
        ("helm", helm, "quasi_exact_match", None),
        *(("inspect", inspect, "grade", which) for which in ("mean", "first", "last", "each")),
    ],
)
def test_the_means_are_those_of_the_standard_library(
    format: str, rows: Callable[[str], Iterator[Row]], score: str, repeats: str | None, place: Path
) -> None:
    found = load(format, score, repeats=repeats)
    asked: dict[str, dict[str, list[tuple[Fraction, list[int]]]]] = {model: {} for model in found.models}
    for model, question, value, tokens in rows(score):
        asked[model].setdefault(question, []).append((value, tokens))
    assert (found.format, len(found.models)) == (format, 2)
    for model, every in asked.items():
        pick = {"first": slice(1), "last": slice(-1, None)}.get(repeats or "", slice(None))
        kept = [answers[pick] for answers in every.values()]
        if repeats == "mean":  # tokens are rounded to whole ones
            columns = [zip(*(tokens for _, tokens in of), strict=True) for of in kept]
            counts = [[round(Fraction(sum(each), len(each))) for each in column] for column in columns]
            kept = [[(sum(value for value, _ in of) / len(of), count)] for of, count in zip(kept, counts, strict=True)]
        answers = [answer for of in kept for answer in of]
        *rates, request = map(Fraction, map(float, PRICES[model.rpartition("/")[2]]))
        costs = [sum(r * n for r, n in zip(rates, tokens, strict=True)) + request * 10**6 for _, tokens in answers]
        assert found.quality(model) == sum(value for value, _ in answers) / len(answers)
        assert found.mean_price(model) == sum(costs) / len(costs)


def test_the_means_that_files_record_are_listed(place: Path) -> None:
    def listed(format: str, score: str, **more: Any) -> str:
        return next(each for each in load(format, score, **more).noticed if each.startswith("mean scores"))

    assert listed("inspect", "grade", repeats="mean").endswith("mockllm/large 0.85 (0.85), mockllm/small 0.2 (0.2)")
    assert listed("helm", "exact_match").endswith("made/large 0.75 (0.75), made/small 0.25 (0.25)")
    results = next(Path("lm-eval/org__small").glob("results_*"))
    results.write_text(results.read_text().replace('"acc,none": 0.3333', '"acc,none": 0.7333'))
    assert listed("lm-eval", "acc,none").endswith("org/small 0.333333 (0.733333), org/large 0.5 (0.5)")


@pytest.mark.parametrize(
    ("path", "more", "said"),
    [
        ("lm-eval", {}, "score must be given: org__large/samples_pick_2026-11-29T06-26-58.889411.jsonl has several"),
        ("lm-eval", {}, "scores of each answer: acc,none (mean 0.5), acc_norm,none (mean 0.5)"),
        ("lm-eval", {"scores": ["acc"]}, "score='acc' is not recorded here: the scores are acc,none, acc_norm,none,"),
        ("lm-eval", {"scores": ["acc,none"]}, "no tokens are recorded: give what an answer costs (--prices FILE with"),
        ("lm-eval/org__large", {"scores": ["acc,none"], "prices": "prices.csv"}, "'org/large' is the only model whose"),
        ("helm", {}, "several scores of each answer: exact_match (mean 0.75), exact_match@5 (mean 0.75)"),
        ("helm", {"scores": ["exact_match"]}, "give the prices of tokens (--prices FILE)"),
        ("inspect", {"prices": "prices.csv"}, "mockllm/large repeats 5 answers, 2 of them with another score: its"),
        ("invalid.json", {}, "1 file marked as invalidated"),
        ("x.eval", {}, "convert it: inspect log convert --to json --output-dir json x.eval"),
        ("logs", {}, "convert it: inspect log convert --to json --output-dir json logs"),
    ],
)
def test_what_is_missing_is_named(path: str, more: dict[str, Any], said: str, place: Path) -> None:
    Path("logs").mkdir()
    log = next(Path("inspect").iterdir()).read_text()
    Path("invalid.json").write_text(log.replace('"invalidated": false', '"invalidated": true'))
    for name in ("x.eval", "logs/a.eval"):
        Path(name).write_bytes(b"PK")
    assert said in refused(Path(path), **more)


def test_a_folder_is_a_market_in_one_command(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options: dict[str, Any] = {"repeats": "mean", "failed": "zero"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    assert main(["market", "--answers", "inspect", "--prices", "prices.csv", "--score", "grade", *words]) == 0
    setting = setting_of_answers(
        load_answers("inspect", prices="prices.csv", scores=["grade"], **options), estimated=True
    )
    assert parse_setting(capsys.readouterr().out, setting.name) == setting


@pytest.mark.for_each("seed", range(40))
def test_a_changed_record_is_read_or_refused(seed: int, place: Path) -> None:
    rng = random.Random(seed)
    format, score, file = rng.choice(
        [("inspect", "grade", "*.json"), ("helm", "exact_match", "*.json"), ("lm-eval", "acc,none", "results_*")]
    )
    path = rng.choice(sorted(Path(format).rglob(file)))
    at = document = json.loads(path.read_text())
    while True:
        key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or rng.random() < 0.2:
            break
        at = at[key]
    at[key] = rng.choice([None, -1, "C", [], {}, [{}], {"a": 1}, True, float("nan"), [1]])
    path.write_text(json.dumps(document))
    with suppress(InputError):
        load(format, score, repeats="mean")


OPENROUTER = {
    "data": [
        {"id": "openai/gpt-4o", "pricing": {"prompt": "0.0000025", "completion": "0.00001", "request": "0.01"}},
        {"id": "a/b", "pricing": {"prompt": "1e-7", "completion": "3e-7", "input_cache_read": "0.00000005"}},
        {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
    ],
    "total_count": 3,
}
DATED = "model,output_price,effective_date\nm,3,2025-01-31\nm,2,2026-02-01\nm,1,\n"


def test_lists_of_prices_are_read(place: Path) -> None:
    assert read_prices("prices/litellm.json") == {
        "gpt-4o-2024-08-06": TokenPrice(output=10.0, input=2.5, cached=1.25),
        "claude-haiku-4-5-20251001": TokenPrice(output=5.0, input=1.0, cached=0.1),
        "text-embedding-3-small": TokenPrice(output=0.0, input=0.02),
    }
    Path("openrouter.json").write_text(json.dumps(OPENROUTER))
    assert read_prices("openrouter.json") == {
        "openai/gpt-4o": TokenPrice(output=10.0, input=2.5, request=0.01),
        "a/b": TokenPrice(output=0.3, input=0.1, cached=0.05),
    }
    Path("dated.csv").write_text(DATED)
    assert read_prices("dated.csv") == {"m": TokenPrice(output=2.0, effective="2026-02-01")}
    for day, said in (("2025-01-31", "model='m' is given twice"), ("1/2/26", "effective_date='1/2/26' must be a date")):
        Path("dated.csv").write_text(DATED.replace("2026-02-01", day))
        assert said in str(refusal(read_prices, "dated.csv"))


def test_a_price_serves_the_model_of_another_host(place: Path) -> None:
    listed = json.dumps(OPENROUTER).replace("openai/gpt-4o", "x/large").replace("a/b", "small")
    Path("openrouter.json").write_text(listed)
    found = load_answers("inspect", prices="openrouter.json", repeats="last")
    assert "mockllm/large has the price of x/large, mockllm/small has the price of small" in found.noticed
    assert found.prices[0] == TokenPrice(output=10.0, input=2.5, request=0.01)

"""Public evaluations and recorded generations on the command line, with and without a setting."""

import json
import re
import shlex
import shutil
import tarfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bounds.setting.file import parse_setting
from mechanism.answers.choices import FORMAT_NAMES
from mechanism.answers.formats import FORMATS
from tests.mechanism.made_evaluations import (
    MADE_FORMATS,
    MODELS,
    as_lines,
    as_parquet,
    llmrouterbench,
    made_answers,
    routerarena,
    routerbench,
    sprout,
    write_format,
)
from tests.proofs_checks.outcomes import Run

ROOT = Path(__file__).parents[3]
SHORT = ("--runs", 1, "--horizon", 200, "--jobs", 1)


def prices(format: str) -> tuple[str, ...]:
    return ("--prices", "prices.csv") if format == "sprout" else ()


def test_every_format_that_can_be_named_has_a_reader() -> None:
    assert set(FORMAT_NAMES) == set(FORMATS)


@pytest.mark.long("three commands on a file")
@pytest.mark.parametrize("format", MADE_FORMATS)
def test_runs_serve_the_answers_that_made_the_setting(format: str, call: Run, tmp_path: Path) -> None:
    path = write_format(format, made_answers(), tmp_path)
    data = ("--answers", path, *prices(format))
    code, toml, _ = call("market", *data)
    (tmp_path / "my.toml").write_text(toml)
    assert code == 0
    assert call("bounds", "my.toml")[0] == 0
    run = json.loads(call("simulate", "my.toml", *data, *SHORT, "--json")[1])
    assert run["market"]["format"] == format
    for served, stated in zip(run["market"]["providers"], parse_setting(toml, "my").providers, strict=True):
        assert served["mean_cost"] == stated.mean_cost
        assert served["quality"] == stated.quality
    drawn = ("simulate", "my.toml", *data, *SHORT, "--draws", "independent")
    assert "40 questions with one answer each, drawn with replacement" in " ".join(call(*drawn, "--all")[1].split())
    code, out, _ = call(*drawn)
    assert code == 0
    next_command = " ".join(out.split("Next,")[1].replace("\\", " ").split())
    assert f"my.toml --answers {path}" in next_command
    assert "--draws independent" in next_command


@pytest.mark.parametrize("kind", ["an evaluation", "generations"])
def test_a_campaign_is_resumed_with_the_same_data_only(kind: str, call: Run, tmp_path: Path) -> None:
    def made(changed: bool) -> tuple[object, ...]:
        if kind == "an evaluation":
            return ("--answers", write_format("routerarena", made_answers(seed=int(changed)), tmp_path))
        # All qualities and costs stay, and a token of a generation is another's.
        made_generations(tmp_path, tokens=(20, 10) if changed else (10, 20))
        return ("--answers", ".", "--benchmark", "GPQA")

    Path("listed.csv").write_text("model,output_price\nQwen2-7B,0.2\nLlama-3-8B,0.1\n")
    data = made(False)
    listed = () if kind == "an evaluation" else ("--prices", "listed.csv")
    Path("my.toml").write_text(call("market", *data, *listed)[1])
    words = ("simulate", "my.toml", *data, *SHORT, "--out", "kept", "--no-traces", "--json")
    first, again = (json.loads(call(*words)[1]) for _ in range(2))
    assert (first["resumed_runs"], again["resumed_runs"]) == (0, len(first["policies"]))
    assert first["policies"] == again["policies"]
    if kind == "an evaluation":
        assert call(*words, "--draws", "independent")[0] == 2
    made(True)
    code, _, err = call(*words)
    assert code == 2
    assert "market_tables" in err


def test_what_looks_made_up_is_refused_with_the_way_to_accept_it(call: Run, tmp_path: Path) -> None:
    answers = [each.__class__(**{**vars(each), "input_tokens": 40}) for each in made_answers()]
    path = write_format("routerarena", answers, tmp_path)
    code, out, err = call("market", "--answers", path)
    assert (code, out) == (2, "")
    assert "--answers='gpt-4' has 40 input tokens in every one of its 40 answers" in err
    assert "--accept constant-tokens" in err
    code, _, err = call("market", "--answers", path, "--accept", "constant-tokens")
    assert code == 0
    assert "accepted: 'gpt-4' has 40 input tokens" in err


def test_one_qualified_provider_is_the_reason_and_two_may_be_asked_for(call: Run, tmp_path: Path) -> None:
    path = write_format("routerarena", made_answers(models=MODELS[:2]), tmp_path)
    code, _, err = call("market", "--answers", path)
    assert code == 0
    assert "2 providers, of which 1 qualifies" in err
    assert "guarantees that compare two qualified providers do not apply where 1 qualifies: --threshold" in err
    advised = re.search(r"--threshold (\S+) or less", err)
    assert advised
    for asked in (("--qualified", 2), advised.group(0).split()[:2]):
        code, _, err = call("market", "--answers", path, *asked)
        assert code == 0
        assert "2 providers, of which 2 qualify" in err
        assert "do not apply" not in err


def test_prices_of_recorded_generations_are_matched_by_name(call: Run, tmp_path: Path) -> None:
    made_generations(tmp_path)
    data = ("market", "--answers", ".", "--benchmark", "GPQA", "--prices", "listed.csv")
    Path("listed.csv").write_text("model,output_price\nQwen2-7B-Instruct,0.2\nLlama-3-8B,0.1\n")
    code, _, err = call(*data)
    assert code == 2
    assert "lacks a price: Qwen2-7B has no price: did you mean 'Qwen2-7B-Instruct'?" in err
    Path("listed.csv").write_text("model,output_price\nQwen2-7B,0.0002\nLlama-3-8B,0.1\nother,1\n")
    code, _, err = call(*data)
    assert code == 0
    assert "1 price belongs to no model here: other" in err
    assert (
        "Qwen2-7B has prices of 0 USD for input and 0.0002 for output, which look like prices per 1,000 tokens" in err
    )
    assert (
        "output prices are from 0.0002 (Qwen2-7B) to 0.1 (Llama-3-8B) USD per 10^6 tokens, 500 times as much: is" in err
    )


def made_generations(folder: Path, tokens: tuple[int, int] = (10, 20)) -> None:
    """The layout that the paper's authors prepare."""
    first, second = tokens
    for model, right in (("Qwen2-7B", (1, 1, 1, 0)), ("Llama-3-8B", (1, 0, 0, 0))):
        for kind, field, values in (
            ("datasets", "correctness", right),
            ("rewards", "rewards", tuple(0.5 * x for x in right)),
        ):
            path = folder / kind / "GPQA" / f"{model}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [{"qid": f"gpqa_{q}", field: values} for q in range(6)]
            if kind == "datasets":
                rows = [{**row, "num_tokens": [first + q, second + q, 30, 40]} for q, row in enumerate(rows)]
            path.write_text(as_lines(rows))


def test_the_prepared_layout_becomes_a_setting_and_a_market(call: Run, tmp_path: Path) -> None:
    made_generations(tmp_path)
    data = ("--answers", ".", "--benchmark", "GPQA")
    code, _, err = call("market", *data)
    assert code == 2
    assert "--prices must be given" in err
    Path("listed.csv").write_text("model,output_price\nQwen2-7B,0.2\nLlama-3-8B,0.1\n")
    priced = (*data, "--prices", "listed.csv")
    code, out, _ = call("market", *priced)
    setting = parse_setting(out, "GPQA")
    assert [(each.name, each.quality) for each in setting.providers] == [("Llama-3-8B", 0.25), ("Qwen2-7B", 0.75)]
    assert setting.providers[1].mean_cost == float(Fraction(0.2) * 4 / 5 * Fraction(630, 24))
    assert setting.platform.cost_bound == 512 * 0.2
    Path("my.toml").write_text(out)
    code, out, _ = call("simulate", "my.toml", *data, *SHORT, "--json")
    assert code == 0
    assert json.loads(out)["market"]["generations_per_question"] == 4
    answers = tmp_path / "datasets" / "GPQA" / "Qwen2-7B.jsonl"
    answers.write_text("".join(answers.read_text().splitlines(keepends=True)[:-1]))
    said = "1 question that not every model answered (Qwen2-7B 1 of 6; question 'gpqa_5': Qwen2-7B has no row)"
    assert f"left out: {said}" in call("market", *priced)[2]


# ----------------------------------------------------------------------------------------------------
# The commands of the documentation.


def files_of_the_page(folder: Path) -> None:
    """Write made-up files under the names that the documentation has."""
    shutil.copytree(ROOT / "examples" / "answers", folder / "examples" / "answers")
    answers = made_answers(30)
    as_parquet(routerbench(answers), folder / "routerbench_0shot.parquet")
    as_lines_of: dict[str, Any] = {
        f"results/bench/{name.replace('mmlu', 'gpqa')}": json.dumps(document)
        for name, document in llmrouterbench(answers).items()
    }
    as_lines_of["router_inference/predictions/my-router.json"] = json.dumps(routerarena(answers))
    for name, text in as_lines_of.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "sprout").mkdir()
    as_parquet(sprout(answers), folder / "sprout" / "test-00000-of-00001.parquet")
    with tarfile.open(ROOT / "tests" / "mechanism" / "evaluations.tar.xz") as files:
        files.extractall(folder, filter="data")
    (folder / "per-answer.csv").write_text("model,request_price\norg/large,0.002\norg/small,0.001\n")
    prices = {
        "mockllm/large": {"prompt": "1e-6", "completion": "1e-5"},
        "x/small": {"prompt": "0", "completion": "1e-6"},
    }
    catalogue = {"data": [{"id": name, "pricing": of} for name, of in prices.items()]}
    (folder / "openrouter.json").write_text(json.dumps(catalogue))
    per_token = {model: {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-5} for model in ("large", "small")}
    (folder / "model_prices_and_context_window.json").write_text(json.dumps(per_token))
    made_generations(folder / "prepared")
    (folder / "listed.csv").write_text("model,output_price\nQwen2-7B,0.2\nLlama-3-8B,0.1\n")


def commands_of(page: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs" / "how-to" / page).read_text(), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.mark.long("runs every command of two pages")
@pytest.mark.parametrize(("page", "fewest"), [("public-evaluations.md", 10), ("recorded-generations.md", 3)])
def test_the_commands_of_the_page_run(page: str, fewest: int, call: Run, tmp_path: Path) -> None:
    files_of_the_page(tmp_path)
    commands = commands_of(page)
    assert len(commands) >= fewest
    for command in commands:
        words, _, target = command.partition(" > ")
        program, *arguments = shlex.split(words, comments=True)
        assert program == "costproof"
        short = ("--horizon", 200, "--jobs", 1) if arguments[0] == "simulate" else ()
        code, out, err = call(*arguments, *short)
        assert code == 0, f"{command}: {err}"
        if target:
            (tmp_path / target).write_text(out)

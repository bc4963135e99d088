"""Evaluations as people keep them: units of prices and costs, failures, names of questions; and ordinary ones."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mechanism.evaluations.files import load_evaluation
from tests.mechanism.made_evaluations import MODELS, PRICE_FILE, made_answers, refused, routerarena, write_format

LIST = {"opus": (15.0, 75.0), "haiku": (1.0, 5.0), "llama": (0.1, 0.2)}
TABLE = "dataset_id,split,model_name,record_index,score,cost,prompt_tokens,completion_tokens"


def answers(path: Path, *, costs: Mapping[str, float] | None = None, ids: str = "{}", tokens: bool = True) -> Path:
    """Write answers of three models; llama names the questions in its own way. Without factors no cost is recorded."""
    rng, lines = random.Random(1), [TABLE]
    for question in range(1000, 1030):
        asked = rng.randrange(40, 500)
        for model, price in LIST.items():
            written = rng.randrange(10, 400)
            cost = "" if costs is None else (asked * price[0] + written * price[1]) / 1e6 * costs.get(model, 1)
            name = ids.format(question) if model == "llama" else question
            shown = f"{asked},{written}" if tokens else ","
            lines.append(f"gsm,test,{model},{name},{rng.random()},{cost},{shown}")
    path.write_text("\n".join(lines) + "\n")
    return path


def listed(folder: Path, factors: Mapping[str, float], columns: str = "", cells: str = "") -> Path:
    """Write the list of prices, some multiplied, with further columns."""
    rows = [f"{m},{i * factors.get(m, 1)},{o * factors.get(m, 1)}{cells}" for m, (i, o) in LIST.items()]
    (folder / "prices.csv").write_text("\n".join([f"model,input_price,output_price{columns}", *rows, ""]))
    return folder / "prices.csv"


# ----------------------------------------------------------------------------------------------------
# Units.


@pytest.mark.parametrize(
    ("factors", "sentence"),
    [
        ({"haiku": 0.4, "llama": 10, "opus": 2 / 75}, "output prices are 2 USD per 10^6 tokens"),
        ({}, "output prices are from 0.2 (llama) to 75 (opus) USD per 10^6 tokens"),
        ({"haiku": 0}, "output prices are from 0 (haiku) to 75 (opus) USD per 10^6 tokens"),
        ({"opus": 1e-3}, "output prices are from 0.075 (opus) to 5 (haiku) USD per 10^6 tokens"),
        ({"llama": 1e3}, "output prices are from 5 (haiku) to 200 (llama) USD per 10^6 tokens"),
        (
            {"haiku": 1e3},
            "output prices are from 0.2 (llama) to 5000 (haiku) USD per 10^6 tokens, 25,000 times as much: is this the "
            "unit of all of them?",
        ),
        (
            dict.fromkeys(LIST, 1e3),
            "output prices are from 200 (llama) to 75000 (opus) USD per 10^6 tokens: is this their unit?",
        ),
        (
            {"opus": 1e-3, "haiku": 1e-2, "llama": 0.3},
            "output prices are from 0.05 (haiku) to 0.075 (opus) USD per 10^6 tokens: is this their unit?",
        ),
    ],
)
def test_the_range_of_the_prices_is_stated(factors: Mapping[str, float], sentence: str, tmp_path: Path) -> None:
    found = load_evaluation(answers(tmp_path / "t.csv"), prices=listed(tmp_path, factors), accept=["zero-prices"])
    assert [each for each in found.noticed if "output prices" in each] == [sentence]
    assert [each for each in found.noticed if "input tokens cost nothing" in each] == [
        "haiku has no input price above 0: its input tokens cost nothing"
    ] * (factors == {"haiku": 0})
    if not factors:
        path = listed(tmp_path, {})
        path.write_text(path.read_text().replace("input_price", "input"))
        found = load_evaluation(tmp_path / "t.csv", prices=path)
        assert "no input price is above 0: input tokens cost nothing" in found.noticed


@pytest.mark.parametrize(
    ("model", "factor", "units"),
    [
        ("haiku", 1e-3, "per 1,000 tokens (1 and 5 per 10^6)"),
        ("haiku", 1e-6, "per token (1 and 5 per 10^6)"),
        ("opus", 1e-6, "per 1,000 tokens (0.015 and 0.075 per 10^6) or per token (15 and 75 per 10^6)"),
        ("llama", 1e-9, "in a unit other than USD per 10^6 tokens"),
    ],
)
def test_only_units_in_which_a_small_price_is_usual_are_named(
    model: str, factor: float, units: str, tmp_path: Path
) -> None:
    path, prices = answers(tmp_path / "t.csv"), listed(tmp_path, {model: factor})
    line = refused(path, prices=prices)
    assert f"'{model}' has prices of" in line
    assert f"which look like prices {units}: " in line
    assert f"look like prices {units}" in load_evaluation(path, prices=prices, accept=["price-units"]).accepted[0]


OTHER_UNITS = {
    "currency": ["EUR", "€", "C$", "HK$", "USD cents", "AUD"],
    "unit": [
        *("per 1K tokens", "USD/token", "EUR per 1M tokens", "¢/MTok", "cents per million tokens", "10000000"),
        *("1M characters", "100 million tokens", "0.1M tokens", "10M", "1,000000,000"),
    ],
}
THIS_UNIT = {
    "currency": ["USD", "$", "", " ", "US$", "usd", "U.S. dollars", "dollars"],
    "unit": [
        *("1M tokens", "USD per 10^6 tokens", "$/M tokens", "$ / 1,000,000 tokens", "per_million_tokens", "USD/MTok"),
        *("1_000_000", "1E+06", "10**6", "per 1M"),
    ],
}


@pytest.mark.parametrize(("column", "cell"), [(name, cell) for name, cells in OTHER_UNITS.items() for cell in cells])
def test_a_list_that_states_another_unit_is_refused(column: str, cell: str, tmp_path: Path) -> None:
    prices = listed(tmp_path, {}, f",{column}", f',"{cell}"')
    line = refused(answers(tmp_path / "t.csv"), prices=prices)
    assert f"prices.csv:2:{column}=" in line
    assert "is a unit other than USD per 10^6 tokens: convert the prices" in line


@pytest.mark.parametrize(("column", "cell"), [(name, cell) for name, cells in THIS_UNIT.items() for cell in cells])
def test_a_list_that_states_this_unit_is_read(column: str, cell: str, tmp_path: Path) -> None:
    prices = listed(tmp_path, {}, f",{column},context", f',"{cell}",128k')
    assert len(load_evaluation(answers(tmp_path / "t.csv"), prices=prices).models) == 3


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("tokens", [True, False])
def test_recorded_costs_in_another_unit_are_noticed(factor: float, tokens: bool, tmp_path: Path) -> None:
    found = load_evaluation(answers(tmp_path / "t.csv", costs={"haiku": factor}, tokens=tokens))
    asked = [each for each in found.noticed if "in USD?" in each]
    if tokens:
        assert len(asked) == 1
        assert asked[0].startswith("haiku costs ")
        assert asked[0].endswith(" USD per 10^6 tokens as recorded: are its costs in USD?")
    elif factor != 1e-3:  # haiku in units of 1,000 USD costs less than llama, but no more than usual
        assert len(asked) == 1
        assert "(haiku)" in asked[0]
        assert asked[0].endswith("times as much: are all of them in USD?")
    assert not load_evaluation(answers(tmp_path / "t.csv", costs={}, tokens=tokens)).noticed
    found = load_evaluation(answers(tmp_path / "t.csv", costs=dict.fromkeys(LIST, 1e6), tokens=tokens))
    assert len([each for each in found.noticed if "in USD?" in each]) == (3 if tokens else 1)


# ----------------------------------------------------------------------------------------------------
# Failures.


def arena(path: Path, change: Any, fails: Any = lambda number: number % 4 == 0) -> Path:
    """Write predictions in which something is changed at some answers of the first model."""
    records = routerarena(made_answers(40))
    for number, record in enumerate(each for each in records if each["prediction"] == MODELS[0]):
        change(record, fails(number))
    path.write_text(json.dumps(records))
    return path


def lost(record: dict[str, Any]) -> None:
    record["generated_result"].update(success=False, token_usage=None)
    record.update(cost=None, accuracy=None)


@pytest.mark.parametrize("what", ["input tokens", "USD"])
def test_a_failure_hides_no_constant(what: str, tmp_path: Path) -> None:
    def change(record: dict[str, Any], failed: bool) -> None:
        record["cost"] = 0.01 if what == "USD" else record["cost"]
        if what != "USD":
            record["generated_result"]["token_usage"]["input_tokens"] = 40
        if failed:
            lost(record)

    line = refused(arena(tmp_path / "router.json", change, lambda number: number == 7))
    assert f"{what} in every one of its 39 answers that did not fail" in line


def test_a_model_that_always_fails_is_described_so(tmp_path: Path) -> None:
    path = arena(tmp_path / "router.json", lambda record, _: lost(record))
    assert "costs 0 in every one of its 40 answers, all of which failed" in refused(path)
    found = load_evaluation(path, accept=["zero-prices"])
    assert any("gpt-4 failed 40 of 40 answers" in each for each in found.noticed)
    assert found.mean_score(found.models.index("gpt-4")) == 0


@pytest.mark.parametrize("format", ["routerbench", "llmrouterbench", "sprout"])
def test_wrong_answers_without_a_cost_leave_both_means(format: str, tmp_path: Path) -> None:
    """A call that timed out is often recorded with a score of 0, and without a cost or tokens."""
    made, prices = made_answers(40), listed(tmp_path, {}) if format == "sprout" else None
    if prices is not None:
        prices.write_text(PRICE_FILE)
    lost = [each.model == MODELS[1] and each.score == 0 for each in made]
    given = [
        replace(each, dollars=None, output_tokens=None) if out else each for each, out in zip(made, lost, strict=True)
    ]
    found = load_evaluation(write_format(format, given, tmp_path), models=MODELS, prices=prices)
    scores = [Fraction(each.score or 0) for each in made if each.model == MODELS[1]]
    kept = len(scores) - sum(lost)
    assert 0 < kept < len(scores)
    assert (
        f"{MODELS[1]} has a mean score of {float(sum(scores) / kept):.6g} on the {kept} questions that count, and of "
        f"{float(sum(scores) / 40):.6g} on all 40 that it answers"
    ) in found.noticed


@pytest.mark.parametrize("format", ["routerbench", "llmrouterbench", "routerarena"])
def test_answers_without_a_score_leave_both_means(format: str, tmp_path: Path) -> None:
    made = [
        replace(each, score=None) if each.model == MODELS[1] and each.score == 0 else each for each in made_answers(40)
    ]
    found = load_evaluation(write_format(format, made, tmp_path), models=MODELS)
    scores = [Fraction(each.score) for each in made if each.model == MODELS[1] and each.score is not None]
    assert (
        f"{MODELS[1]} has no score for {40 - len(scores)} of 40 answers: its mean score is "
        f"{float(sum(scores) / len(scores)):.6g} without them, and {float(sum(scores) / 40):.6g} if they count as 0"
    ) in found.noticed


@pytest.mark.parametrize("first", [True, False])
def test_each_answer_is_a_question_with_any_names_of_questions(first: bool, tmp_path: Path) -> None:
    rows = [
        f"d,t,{model},{question},{score},{score + 1},,"
        for question in range(3)
        for model, score in (("a", 1), ("b", 0.5))
    ]
    rows.insert(0 if first else 6, "d,t,a,0 (answer 2),1,0.3,,")
    (tmp_path / "t.csv").write_text("\n".join([TABLE, *rows, "d,t,a,0,0.25,0.2,,", ""]))
    found = load_evaluation(tmp_path / "t.csv", repeats="each")
    assert (
        "a repeats 1 answer, 1 of them with another score: its mean score is 1 if the first counts, 0.8125 if the last "
        "does, 0.85 if each does"
    ) in found.noticed


@pytest.mark.parametrize(
    ("success", "failed"), [(1, 0), ("true", 0), ("True", 0), (True, 0), (0, 10), ("false", 10), (None, 10), ("", 10)]
)
def test_success_is_read_however_true_is_written(success: object, failed: int, tmp_path: Path) -> None:
    def change(record: dict[str, Any], changed: bool) -> None:
        record["generated_result"]["success"] = success if changed else True

    found = load_evaluation(arena(tmp_path / "router.json", change))
    assert int(any("failed 10 of 40" in each for each in found.noticed)) == (failed > 0)


# ----------------------------------------------------------------------------------------------------
# Questions that only one model has, and ordinary evaluations.


@pytest.mark.parametrize("ids", ["{}e0", "+{}", "q{}", "{}_", '"{:,}"', "{}.5"])
def test_a_model_that_shares_no_question_is_named_with_an_example(ids: str, tmp_path: Path) -> None:
    found = load_evaluation(answers(tmp_path / "t.csv", costs={}, ids=ids))
    assert found.models == ("opus", "haiku")
    theirs = ids.strip('"').format(1000)
    assert f"llama answers none of the questions that count: 'gsm/test/{theirs}', not 'gsm/test/1000'" in str(
        found.left_out[0]
    )


@pytest.mark.parametrize("format", ["routerbench", "llmrouterbench", "routerarena"])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_said_of_ordinary_evaluations(format: str, seed: int, tmp_path: Path) -> None:
    models = ["o1", "gpt-4", "mistral/8x7b", "claude instant"][: 2 + seed % 3]
    found = load_evaluation(write_format(format, made_answers(30, models, seed), tmp_path))
    assert not found.left_out
    assert not found.accepted
    assert not found.noticed

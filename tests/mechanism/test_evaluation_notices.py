"""Failures, repeated answers, prices and ids that change the numbers of an evaluation: said with names and numbers."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import InputError
from mechanism.evaluations.evaluation import Evaluation
from mechanism.evaluations.files import load_evaluation
from mechanism.evaluations.market import EvaluatedLaws
from mechanism.evaluations.setting import evaluated_setting, evaluation_notes
from tests.mechanism.made_evaluations import MODELS, PRICES, made_answers, refused, routerarena, write_format

TABLE = ("dataset_id", "split", "model_name", "record_index", "score", "cost")


def notes(evaluation: Evaluation) -> str:
    """Return what somebody who takes the setting of an evaluation is shown."""
    laws = EvaluatedLaws(evaluation, evaluation.models)
    return " | ".join(evaluation_notes(laws, evaluated_setting(evaluation, quality_threshold=0.5)))


def table(path: Path, rows: Sequence[tuple[str, object, float, float]]) -> Path:
    """Write rows of model, question, score and cost as LLMRouterBench's table."""
    lines = [",".join(TABLE), *(f"d,t,{model},{question},{score},{cost}" for model, question, score, cost in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def with_failures(rng: random.Random, kind: str) -> tuple[list[dict[str, Any]], list[tuple[float, bool]]]:
    """Return records in which the first model fails at times, and its scores and failures."""
    records = routerarena(made_answers(50, seed=rng.randrange(1000)))
    marked = []
    for record in records:
        if record["prediction"] != MODELS[0]:
            continue
        failed = rng.random() < 0.4
        if failed:
            record["generated_result"]["success"] = rng.choice([False, None])
            record["accuracy"] = {"recorded 0": 0.0, "no score": None, "recorded above 0": 0.25}[kind]
            if kind == "no score":
                record["cost"] = None
        marked.append((record["accuracy"] or 0.0, failed))
    return records, marked


@pytest.mark.parametrize("kind", ["recorded 0", "no score", "recorded above 0"])
@pytest.mark.parametrize("named", [False, True])
def test_failures_count_and_both_means_are_given(kind: str, named: bool, tmp_path: Path) -> None:
    rng = random.Random(kind)
    records, marked = with_failures(rng, kind)
    path = tmp_path / "router.json"
    path.write_text(json.dumps(records))
    found = load_evaluation(path, models=MODELS if named else None)
    assert set(found.models) == set(MODELS)
    mean = sum(Fraction(score) for score, _ in marked) / len(marked)
    assert found.mean_score(found.models.index(MODELS[0])) == mean
    kept = [Fraction(score) for score, failed in marked if not failed]
    without = float(sum(kept, Fraction(0)) / len(kept))
    told = f"{MODELS[0]} failed {len(marked) - len(kept)} of {len(marked)} answers"
    assert told in notes(found)
    assert f"its mean score is {float(mean):.6g}, and {without:.6g} without them" in notes(found)
    assert [each for each in EvaluatedLaws(found, found.models).describe()["noticed"] if told in each]


def test_a_model_that_missing_scores_leave_out_has_both_means(tmp_path: Path) -> None:
    rows = [(model, i, 0.25 if model == "c" and i % 2 else 1.0, 0.1 + i) for model in "abc" for i in range(20)]
    path = table(tmp_path / "answers.csv", [*rows, ("a", 20, 0.0, 1.0), ("b", 20, 0.5, 1.0)])
    path.write_text(path.read_text().replace(",0.25,", ",,"))
    found = load_evaluation(path)
    assert found.models == ("a", "b")
    said = "c has no score for 10 of 20 answers: its mean score is 1 without them, and 0.5 if they count as 0"
    assert said in notes(found)


def repeated(rng: random.Random, kind: str) -> list[tuple[str, object, float, float]]:
    """Return answers of two models of which one question or more has several."""
    times = {"two filters": 2, "epochs": 5, "one question": 2, "no score differs": 3}[kind]
    rows = []
    for question in range(30):
        for model in ("small", "large"):
            score = rng.random()
            for number in range(times if kind != "one question" or (model, question) == ("small", 7) else 1):
                score = score if number == 0 or kind == "no score differs" else rng.random()
                rows.append((model, question, score, 0.001 * (1 + question)))
    if kind != "one question":
        rng.shuffle(rows)
    return rows


def means(rows: Sequence[tuple[str, object, float, float]]) -> dict[str, dict[str, Fraction]]:
    """Return each model's mean score if the first, the last or each answer to a question counts."""
    found: dict[str, dict[object, list[Fraction]]] = {}
    for model, question, score, _ in rows:
        found.setdefault(model, {}).setdefault(question, []).append(Fraction(score))
    chosen: dict[str, dict[str, Fraction]] = {"first": {}, "last": {}, "each": {}}
    pick = {"first": slice(1), "last": slice(-1, None), "each": slice(None)}
    for model, of in found.items():
        for which, answers in pick.items():
            flat = [score for scores in of.values() for score in scores[answers]]
            chosen[which][model] = sum(flat, Fraction(0)) / len(flat)
    return chosen


@pytest.mark.parametrize("kind", ["two filters", "epochs", "one question"])
def test_repeats_whose_scores_differ_are_refused_with_the_means_of_each_choice(kind: str, tmp_path: Path) -> None:
    rows = repeated(random.Random(kind), kind)
    path, expected = table(tmp_path / "t.csv", rows), means(rows)
    line = refused(path)
    assert re.match(r"t\.csv:\d+ repeats a question of the same model, and scores differ", line)
    for model in ("small",) if kind == "one question" else ("small", "large"):
        first, last, each = (f"{float(expected[which][model]):.6g}" for which in ("first", "last", "each"))
        assert f"is {first} if the first counts, {last} if the last does, {each} if each does" in line
        assert model in line
    assert "--repeats first or last or each" in line


@pytest.mark.parametrize("which", ["first", "last", "each"])
@pytest.mark.parametrize("kind", ["two filters", "epochs", "no score differs"])
def test_the_answers_that_were_chosen_count(kind: str, which: str, tmp_path: Path) -> None:
    rows = repeated(random.Random(kind), kind)
    path, expected = table(tmp_path / "t.csv", rows), means(rows)
    found = load_evaluation(path, repeats=which)
    for model in ("small", "large"):
        assert found.mean_score(found.models.index(model)) == expected[which][model]
    said = [each for each in found.noticed if "another score" in each]
    assert len(said) == (0 if kind == "no score differs" else 2)
    for each in said:
        model = each.split()[0]
        assert f"is {float(expected['first'][model]):.6g} if the first counts" in each
        assert f"{float(expected['last'][model]):.6g} if the last does" in each
        assert f"{float(expected['each'][model]):.6g} if each does" in each


def test_repeats_with_one_score_are_read_and_another_cost_is_said(tmp_path: Path) -> None:
    rows = [
        (model, question, 0.5 + 0.5 * (model == "a"), 0.001 + 0.001 * question)
        for model in "ab"
        for question in range(5)
    ]
    found = load_evaluation(table(tmp_path / "t.csv", [*rows, *rows[:3], ("a", 4, 1.0, 0.5)]))
    assert str(found.left_out[0]).startswith("4 answers repeating a question of the same model (a 4 of 9; first: ")
    assert "a repeats 4 answers, 1 of them at another cost" in found.noticed
    with pytest.raises(InputError, match="repeats='best' must be one of first, last, each"):
        load_evaluation(tmp_path / "t.csv", repeats="best")  # type: ignore[arg-type]


def priced(folder: Path, prices: Mapping[str, tuple[float | str, float | str]]) -> Path:
    rows = "".join(f"{model},{of[0]},{of[1]}\n" for model, of in prices.items())
    (folder / "prices.csv").write_text(f"model,input_price,output_price\n{rows}")
    return folder / "prices.csv"


def answers_of(folder: Path, models: Sequence[str]) -> Path:
    return write_format("sprout", made_answers(40, models), folder)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o", "gpt-4o-2024-11-20"),
        ("gpt-4o", "GPT-4o"),
        ("claude-haiku-4-5", "claude-haiku-45"),
        ("gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5"),
    ],
)
def test_a_model_without_a_price_and_the_unused_price_are_named(model: str, price: str, tmp_path: Path) -> None:
    path = answers_of(tmp_path, ["llama", "qwen", model])
    prices = priced(tmp_path, {"llama": (0.1, 0.2), "qwen": (0.2, 0.3), price: (1, 2), "unrelated": (3, 4)})
    found = load_evaluation(path, prices=prices)
    assert found.models == ("llama", "qwen")
    assert f"{model} has no price: did you mean {price!r}?" in notes(found)
    assert f"2 prices belong to no model here: {price}, unrelated" in notes(found)
    assert f"40 answers without a cost ({model} 40 of 40; first: sprout.jsonl:1)" in notes(found)
    line = refused(answers_of(tmp_path, ["llama", model]), prices=prices)
    assert line.startswith("generations='llama' is the only model whose answers count")
    assert f"{model} has no price: did you mean {price!r}?" in line
    assert f"{model} has no price: did you mean {price!r}?" in refused(path, prices=prices, models=["llama", model])


def test_prices_where_no_tokens_are_recorded_are_refused(tmp_path: Path) -> None:
    rows = [("a", 0, 1, 0.001), ("a", 1, 1, 0.002), ("b", 0, 0, 0.003), ("b", 1, 1, 0.004)]
    path = table(tmp_path / "t.csv", rows)
    for models in (["a", "b"], ["b"]):
        line = refused(path, prices=priced(tmp_path, dict.fromkeys(models, (1, 2))))
        assert "prices=" in line
        assert "no tokens are recorded here (llmrouterbench): costs are recorded: leave --prices out" in line


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3])
def test_prices_beside_recorded_costs_of_another_unit_are_suspicious(factor: float, tmp_path: Path) -> None:
    answers = made_answers()
    path = tmp_path / "router.json"
    path.write_text(json.dumps(routerarena(answers)))
    load_evaluation(path, prices=priced(tmp_path, PRICES))
    high = {model: (i * factor * 10, o * factor * 10) for model, (i, o) in PRICES.items()}
    line = refused(path, prices=priced(tmp_path, high))
    assert "price-units" in line
    if factor > 1:
        times = sum(Fraction(each.dollars or 0) for each in answers if each.model == MODELS[0])
        assert f"and {float(times):.6g} as recorded: 10000 times as much" in line


@pytest.mark.parametrize(("shared", "form"), [(0, "{}.0"), (7, "{}.00"), (0, "0{}"), (7, " {}"), (0, "{}.0 ")])
def test_ids_that_differ_by_how_a_number_is_written_are_refused(shared: int, form: str, tmp_path: Path) -> None:
    rows = [
        (model, form.format(q) if model == "b" and q >= shared else q, q % 2, 0.001 + q)
        for model in "abc"
        for q in range(20)
    ]
    line = refused(table(tmp_path / "t.csv", rows))
    assert "differs from another only in how a number is written" in line
    assert f"a answers 'd/t/{shared}', b answers 'd/t/{form.format(shared)}'" in line


def test_ids_that_one_model_tells_apart_are_two_questions(tmp_path: Path) -> None:
    rows = [
        (model, q, float(model == "a"), 0.001 + i)
        for model in "ab"
        for i, q in enumerate(["1", "1.0", "v2.0", "v2.00.1"])
    ]
    assert len(load_evaluation(table(tmp_path / "t.csv", rows)).questions) == 4


def test_all_models_may_qualify(tmp_path: Path) -> None:
    rows = [(model, q, 0.25 * (1 + (q + (model == "a")) % 4), 0.001 + q) for model in "ab" for q in range(5)]
    found = load_evaluation(table(tmp_path / "t.csv", rows))
    setting = evaluated_setting(found, qualified=2)
    lowest = min(found.mean_score(0), found.mean_score(1))
    assert setting.platform.quality_threshold == float(lowest / 2)
    assert len(setting.qualified) == 2
    assert len(evaluated_setting(found).qualified) == 1
    nothing = [("a", q, 1, 0.001 + q) for q in range(5)] + [("b", q, 0, 0.001 + q) for q in range(5)]
    with pytest.raises(InputError, match="the last provider has quality 0"):
        evaluated_setting(load_evaluation(table(tmp_path / "t.csv", nothing)), qualified=2)

"""Public evaluations from files: each format, what is left out, refused, and said of the numbers."""

import json
import os
import pickle
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.files import load_answers
from mechanism.answers.prices import read_prices
from mechanism.answers.rows import AnswerRows, RawAnswer
from mechanism.answers.selection import select
from mechanism.answers.setting import answer_laws, answer_notes, setting_of_answers
from tests.mechanism.made_evaluations import (
    MADE_FORMATS,
    MODELS,
    PRICE_FILE,
    PRICES,
    Made,
    Means,
    made_answers,
    read_means,
    refused,
    routerarena,
    routerbench,
    sprout,
    write_format,
)
from tests.mechanism.provider_tables import write_rows
from tests.refusals import refusal

COLUMNS = ("dataset_id", "split", "model_name", "record_index", "score", "cost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def loaded(path: Path, **more: Any) -> CompleteAnswers:
    if "prices" not in more and (path.name.startswith("sprout")):
        prices = path.parent / "prices.csv"
        prices.write_text(PRICE_FILE)
        more["prices"] = prices
    return load_answers(path, **more)


def means_of(found: CompleteAnswers) -> Means:
    return {model: (found.quality(model), found.mean_price(model)) for model in found.models}


@pytest.mark.parametrize("format", MADE_FORMATS)
def test_the_means_are_those_of_the_standard_library(format: str, tmp_path: Path) -> None:
    answers = made_answers()
    # One answer lacks its score: its question is left out, of all models.
    answers[4] = replace(answers[4], score=None)
    path = write_format(format, answers, tmp_path)
    found = loaded(path)
    expected = read_means(format, path)
    assert found.format == format
    assert sorted(found.models) == sorted(expected) == sorted(MODELS)
    assert len(found.questions) == 39
    assert means_of(found) == expected
    told = [str(each) for each in found.left_out]
    assert any(line.startswith("1 answer without a score (") for line in told)
    assert any(line.startswith("1 question that not every model answered") for line in told)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "jsonl.gz", "json", "json.gz", "parquet"])
def test_all_kinds_of_files_say_the_same(ending: str, tmp_path: Path) -> None:
    answers = made_answers()
    (tmp_path / "plain").mkdir()
    cells = (("mmlu", "test", each.model, int(each.question[5:]), each.score, each.dollars) for each in answers)
    tables = {
        "routerbench": routerbench(answers),
        "sprout": sprout(answers),
        "routerarena": routerarena(answers),
        "llmrouterbench": [dict(zip(COLUMNS, row, strict=True)) for row in cells],
    }
    for format, rows in tables.items():
        path = tmp_path / f"{format}.{ending}"
        write_rows(path, rows)
        if format == "sprout" and "csv" in ending:
            assert "known format" in refused(path)
            continue
        found = loaded(path)
        expected = read_means(format, write_format(format, answers, tmp_path / "plain"))
        assert means_of(found) == expected


def test_fields_behind_the_records_are_found(tmp_path: Path) -> None:
    path = write_format("llmrouterbench", made_answers(), tmp_path)
    expected = loaded(path)
    for file in path.rglob("*.json"):
        document = json.loads(file.read_text())
        records = document.pop("records")
        file.write_text(json.dumps({"counts": 1, "records": records, **document}))
    assert loaded(path).questions == expected.questions


def test_a_later_file_replaces_an_earlier_one_and_demonstrations_do_not_count(tmp_path: Path) -> None:
    answers = made_answers()
    path = write_format("llmrouterbench", answers, tmp_path)
    expected = loaded(path)
    first = sorted(path.rglob("*.json"))[0]
    document = json.loads(first.read_text())
    first.with_name(first.name.replace("20250102", "20240102")).write_text(
        json.dumps({**document, "records": [{**each, "score": 0} for each in document["records"]]})
    )
    first.with_name("zz-empty.json").write_text(json.dumps({**document, "records": []}))
    first.with_name("zz-demo.json").write_text(json.dumps({**document, "demo": True}))
    found = loaded(path)
    assert (found.score == expected.score).all()
    told = " ".join(map(str, found.left_out))
    assert "1 file that a later one replaces" in told
    assert "1 file marked as demonstrations" in told
    assert "1 file without a record" in told


def test_a_file_without_an_answer_is_named(tmp_path: Path) -> None:
    """The prices may lie in the folder of the answers."""
    write_format("sprout", made_answers(), tmp_path)
    prices = tmp_path / "zz.csv"
    prices.write_text(PRICE_FILE)
    assert "1 file without an answer (zz.csv)" in map(str, loaded(tmp_path, prices=prices).left_out)


def test_a_router_that_asks_one_model_leaves_the_questions_that_all_answered(tmp_path: Path) -> None:
    answers = made_answers(30)
    regular = [Made(f"only-{i}", MODELS[0], 1.0, 0.001 * (i + 1), 10 + i, 5 + i) for i in range(200)]
    failed = routerarena(answers[:1])[0]
    failed["global index"], failed["generated_result"]["success"] = "mmlu-x", False
    path = tmp_path / "router.json"
    again = routerarena(answers[3:4])
    path.write_text(json.dumps([*routerarena(regular), *routerarena(answers), *again, failed]))
    found = loaded(path)
    assert len(found.questions) == 30
    repeated, lacking = map(str, found.left_out)
    assert repeated.startswith("1 answer repeating a question")
    assert f"({again[0]['prediction']} 1 of 232; router.json:291)" in repeated
    assert f"({MODELS[1]} 201 of 231, {MODELS[2]} 201 of 231; first: 'only-0'" in lacking


def test_a_model_with_few_answers_is_left_out_rather_than_all_questions(tmp_path: Path) -> None:
    answers = [each for each in made_answers() if each.model != MODELS[1] or each.question in ("mmlu-3", "mmlu-4")]
    path = write_format("llmrouterbench", answers, tmp_path)
    found = loaded(path)
    assert MODELS[1] not in found.models
    assert len(found.questions) == 40
    assert any(f"({MODELS[1]}: 2 of 40 questions)" in str(each) for each in found.left_out)
    chosen = loaded(path, models=list(MODELS))
    assert (chosen.models, len(chosen.questions)) == (MODELS, 2)


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=2, max_size=5))
def test_what_is_selected_is_whole_and_no_smaller_than_all_models_share(answered: list[list[bool]]) -> None:
    rows = AnswerRows()
    for m, line in enumerate(answered):
        for q, given_ in enumerate(line):
            if given_:
                rows.add(RawAnswer(f"q{q}", f"m{m}", ("score", 1), ("cost", 0.1)), 1)
    answers = rows.answers()
    asked = {m: {q for q, given_ in enumerate(line) if given_} for m, line in enumerate(answered) if any(line)}
    try:
        found = select(answers)
    except InputError:
        assert not any(asked[a] & asked[b] for a in asked for b in asked if a < b)
        return
    size = len(found.models) * len(found.questions)
    assert found.rows.shape == (len(found.models), len(found.questions), 1)
    assert (found.rows >= 0).all()
    assert size >= len(asked) * len(set.intersection(*asked.values()))
    left_out = sum(each.count for each in found.left_out if each.what == "models")
    assert left_out == len(asked) - len(found.models)


class Payload:
    """Leaves a trace if it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("unpickled",)


@pytest.mark.parametrize("name", ["routerbench_0shot.pkl", "bench.pickle", "bench.csv", "bench.parquet"])
def test_a_pickle_is_refused_with_the_way_to_convert_it(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(pickle.dumps(Payload()))
    line = refused(tmp_path / name)
    assert not (tmp_path / "unpickled").exists()
    if name.endswith((".csv", ".parquet")):
        assert "is a .pkl file, by how it begins: rename it: its name must end in .pkl" in line
        return
    assert "is a pickle, which is never read" in line
    assert "pandas.read_pickle" in line
    assert ".to_parquet(" in line
    (tmp_path / "folder").mkdir()
    (tmp_path / name).rename(tmp_path / "folder" / name)
    assert "is a pickle" in refused(tmp_path / "folder")


@pytest.mark.parametrize(
    ("change", "suspicion", "said"),
    [
        ({"input_tokens": 40}, "constant-tokens", "has 40 input tokens in every one of its 40 answers"),
        ({"output_tokens": 3}, "constant-tokens", "has 3 output tokens"),
        ({"dollars": 0.0}, "zero-prices", "costs 0 in every one"),
        ({"dollars": 0.002}, "constant-costs", "costs 0.002 USD in every one"),
    ],
)
def test_what_looks_made_up_is_refused_unless_accepted(
    change: dict[str, Any], suspicion: str, said: str, tmp_path: Path
) -> None:
    answers = [replace(each, **change) if each.model == MODELS[1] else each for each in made_answers()]
    path = write_format("routerarena", answers, tmp_path)
    line = refused(path)
    assert said in line
    assert f"--accept {suspicion}" in line
    found = loaded(path, accept=[suspicion])
    assert found.models == MODELS
    assert said in found.accepted[0]
    others = loaded(path, models=[MODELS[0], MODELS[2]])
    assert others.accepted == ()
    almost = [replace(each, **change) if each.model == MODELS[1] else each for each in made_answers()[:-1]]
    almost[1] = made_answers()[1]
    assert loaded(write_format("routerarena", almost, tmp_path)).accepted == ()


def test_prices_replace_what_is_recorded(tmp_path: Path) -> None:
    answers = made_answers()
    path = write_format("routerarena", [replace(each, dollars=0.0) for each in answers], tmp_path)
    arena = {
        model: {"input_token_price_per_million": i, "output_token_price_per_million": o}
        for model, (i, o) in PRICES.items()
    }
    prices = tmp_path / "model_cost.json"
    prices.write_text(json.dumps(arena))
    found = loaded(path, prices=prices)
    expected = read_means("sprout", write_format("sprout", answers, tmp_path))
    assert {model: found.mean_price(model) for model in found.models} == {m: c for m, (_, c) in expected.items()}


ARENA = '[{"prediction": "a", "global index": "q", "accuracy": 1, "cost": 1}]'
GOOD = "sample_id,a,b,a|total_cost,b|total_cost\n"
RECORD = '{"score": 1, "num_input_tokens": 7, "num_output_tokens": 9}'


@pytest.mark.for_each(
    ("name", "text", "said"),
    [
        ("a.csv", GOOD + "q,1.5,0,1,1\n", "a.csv:2:a='1.5' must lie in 0..1"),
        ("a.csv", GOOD + "q,-1,0,1,1\n", "a.csv:2:a='-1' must lie in 0..1"),
        ("a.csv", GOOD + "q,x,0,1,1\n", "a.csv:2:a='x' must be a number"),
        ("a.csv", GOOD + "q,1,0,-1,1\n", "a.csv:2:a|total_cost='-1' must lie in"),
        ("a.csv", GOOD + "q,1,0,inf,1\n", "must lie in"),
        ("a.csv", GOOD + ",1,0,1,1\n", "a.csv:2:question='' must be a name"),
        ("a.csv", GOOD + "q,1,0,1\n", "a.csv:2='q,1,0,1' has 4 cells, not 5"),
        ("a.csv", "sample_id,a,a|total_cost,b|total_cost\nq,1,1,1\n", "a.csv:b must be given"),
        ("a.csv", "a,b,a|total_cost,b|total_cost\n1,1,1,1\n", "a.csv:sample_id must be given"),
        ("a.csv", GOOD[:-1] + ",a\nq,1,1,1,1,1\n", "a='a' is given twice"),
        ("a.csv", GOOD, "a.csv holds no record: remove"),
        ("a.csv", "question,answer\n1,2\n", "is of no known format: the columns are question, answer; name the"),
        ("a.csv", GOOD.replace("b", "b\x1b[2J") + "q,1,1,1,1\n", "holds a control or an invisible character"),
        ("a.csv", GOOD.replace("b", "b" * 300) + "q,1,1,1,1\n", "has more than 200 characters"),
        ("a.json", '{"records": [1]}', "a.json:1=1 must be an object"),
        ("a.json", ARENA[:-1], "a.json:1='' stands where , or ] must"),
        ("a.json", ARENA[:-1] + ",]", "stands where , or ] must"),
        ("a.json", ARENA + " 7", "a.json:1='7' follows the end of the document"),
        ("a.json", '[{"a": tru}]', "is not valid JSON"),
        ("a.json", "[" * 100_000, "is nested too deep"),
        ("a.json", '[{"a": ' + "9" * 5000 + "}]", "holds a number of too many digits"),
        ("a.json", "7", "must be an array of records"),
        ("a.json", "", "must be an array of records"),
        ("a.json", '{"a" 1}', "must be a key and a colon"),
        ("a.txt", "hello", "must end in"),
        ("a.csv", GOOD[:-1] + ",c,c|model_response\nq,1,1,1,1,1,x\n", "a.csv:c|total_cost must be given"),
        ("a.jsonl", f'{{"a": {RECORD}, "b": {json.dumps(RECORD)}}}\n', "a.jsonl:1:b=" + repr(RECORD)[:30]),
        ("a.json", '{"split": "a", "split": "b", "records": []}', "a.json:1 has the key 'split' twice"),
        ("a.json", '{"model_name": 3, "records": [{"index": 1, "score": 1, "cost": 1}]}', "model_name=3 must"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(name: str, text: str, said: str, folder: Path) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    assert said in refused(folder / name)


def test_arguments_are_checked(tmp_path: Path) -> None:
    path = write_format("routerbench", made_answers(), tmp_path)
    assert "did you mean routerbench?" in refused(path, format="routrbench")
    assert "sample_id must" not in refused(path, format="routerarena")
    assert "must be given" in refused(path, format="routerarena")
    assert "did you mean 'gpt-4'?" in refused(path, models=["gpt4", "mistral/8x7b"])
    assert "is the only model whose answers count" in refused(path, models=["gpt-4"])
    assert "is not a suspicion" in refused(path, accept=["nothing"])
    assert "is neither a file nor a folder" in refused(tmp_path / "nowhere")
    assert "is not a subfolder" in refused(tmp_path, benchmark="aime")
    (tmp_path / "empty").mkdir()
    assert "holds no file of answers" in refused(tmp_path / "empty")
    (tmp_path / "one.csv").write_text("sample_id,a,a|total_cost\nq,1,1\n")
    assert "is the only model whose answers count" in refused(tmp_path / "one.csv")


@pytest.mark.for_each(
    ("text", "said"),
    [
        ("model,output_price\nm,-1\n", "prices.csv:2:output_price='-1' must lie in"),
        ("model,output_price\nm,\n", "output_price='' must be a number"),
        *(
            (f"model,output_price\nm,{of}\n", "must be a number: write 2.5: it is a price in")
            for of in ("$2.5", "USD 2.5")
        ),
        ("model,output_price\nm,1\nm,2\n", "prices.csv:3:model='m' is given twice"),
        ("model,output_price\n,1\n", "model='' must be a name"),
        ("name,price\nm,1\n", "model must be given"),
        ("model,output_price\n", "holds no price"),
        *((text, "prices") for text in ("[]", '[{"model": "a"}]', '{"a": 1}', '{"a": {}}', "{}", '{"a": {"output"')),
    ],
)
def test_wrong_prices_are_refused(text: str, said: str, folder: Path) -> None:
    path = folder / ("prices.csv" if "," in text else "prices.json")
    path.write_text(text)
    assert said in str(refusal(read_prices, path))


# ----------------------------------------------------------------------------------------------------
# Failures, repeated answers, prices and names that change the numbers.


def notes(evaluation: CompleteAnswers) -> str:
    """Return what somebody who takes the setting of an evaluation is shown."""
    setting = setting_of_answers(evaluation, quality_threshold=0.5)
    return " | ".join(answer_notes(answer_laws(evaluation, setting), setting))


def table(path: Path, rows: Sequence[tuple[str, object, float, float]]) -> Path:
    """Write rows of model, question, score and cost as LLMRouterBench's table."""
    lines = [",".join(COLUMNS), *(f"d,t,{model},{question},{score},{cost}" for model, question, score, cost in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


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


@pytest.mark.parametrize("score", [0.0, 0.25, None])
def test_failures_count_and_both_means_are_given(score: float | None, tmp_path: Path) -> None:
    counted: list[tuple[Fraction, bool]] = []

    def change(record: dict[str, Any], failed: bool) -> None:
        if failed:
            record["generated_result"]["success"] = None if score else False
            record.update(accuracy=score, cost=record["cost"] if score is not None else None)
        counted.append((Fraction(record["accuracy"] or 0), failed))

    found = load_answers(arena(tmp_path / "router.json", change))
    mean, kept = sum(each for each, _ in counted) / 40, [each for each, failed in counted if not failed]
    assert found.quality(MODELS[0]) == mean
    assert f"{MODELS[0]} failed 10 of 40 answers" in notes(found)
    assert f"its mean score is {float(mean):.6g}, and {float(sum(kept) / 30):.6g} without them" in notes(found)
    found = load_answers(tmp_path / "router.json", failed="drop", models=MODELS)
    assert (len(found.questions), found.quality(MODELS[0])) == (30, sum(kept) / 30)
    both = f"{float(sum(kept) / 30):.6g} without them, and {float(mean):.6g} if they count as 0"
    assert f"{MODELS[0]} failed 10 of 40 answers: its mean score is {both}" in notes(found)


def test_a_model_that_missing_scores_leave_out_has_both_means(tmp_path: Path) -> None:
    rows = [(model, i, 0.25 if model == "c" and i % 2 else 1.0, 0.1 + i) for model in "abc" for i in range(20)]
    path = table(tmp_path / "answers.csv", [*rows, ("a", 20, 0.0, 1.0), ("b", 20, 0.5, 1.0)])
    path.write_text(path.read_text().replace(",0.25,", ",,"))
    found = load_answers(path)
    assert found.models == ("a", "b")
    said = "c has no score for 10 of 20 answers: its mean score is 1 without them, and 0.5 if they count as 0"
    assert said in notes(found)
    found = load_answers(path, failed="zero")
    assert (found.models, found.quality("c")) == (("a", "b", "c"), Fraction(1, 2))
    assert "its mean score is 0.5, and 1 without them" in notes(found)


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


@pytest.mark.parametrize("kind", ["two filters", "epochs", "one question", "no score differs"])
def test_repeats_are_refused_if_scores_differ_until_one_says_which_count(kind: str, tmp_path: Path) -> None:
    rows = repeated(random.Random(kind), kind)
    path, expected = table(tmp_path / "t.csv", rows), means(rows)
    differing = {"one question": ["small"], "no score differs": []}.get(kind, ["small", "large"])
    said = {
        model: "is {} if the first counts, {} if the last does, {} if each does".format(
            *(f"{float(expected[which][model]):.6g}" for which in ("first", "last", "each"))
        )
        for model in differing
    }
    if differing:
        line = refused(path)
        assert re.match(r"t\.csv:\d+ repeats a question of the same model, and scores differ", line)
        assert all(model in line and means in line for model, means in said.items())
        assert "--repeats first or last or each" in line
    for which in ("first", "last", "each"):
        found = load_answers(path, repeats=which)  # type: ignore[arg-type]
        told = {each.split()[0]: each for each in found.noticed if "another score" in each}
        assert told.keys() == said.keys()
        assert all(means in told[model] for model, means in said.items())
        if kind != "one question":  # of which one model has more answers
            assert {model: found.quality(model) for model in ("small", "large")} == expected[which]


def test_repeats_with_one_score_are_read_and_another_cost_is_said(tmp_path: Path) -> None:
    rows = [
        (model, question, 0.5 + 0.5 * (model == "a"), 0.001 + 0.001 * question)
        for model in "ab"
        for question in range(5)
    ]
    found = load_answers(table(tmp_path / "t.csv", [*rows, *rows[:3], ("a", 4, 1.0, 0.5)]))
    assert str(found.left_out[0]).startswith("4 answers repeating a question of the same model (a 4 of 9; first: ")
    assert "a repeats 4 answers, 1 of them at another cost" in found.noticed
    with pytest.raises(InputError, match="repeats='best' is not a known repeats: use first, last, each"):
        load_answers(tmp_path / "t.csv", repeats="best")  # type: ignore[arg-type]


def priced(folder: Path, prices: Mapping[str, tuple[float, float]], columns: str = "", cells: str = "") -> Path:
    rows = [f"{model},{of[0]},{of[1]}{cells}" for model, of in prices.items()]
    (folder / "prices.csv").write_text("\n".join([f"model,input_price,output_price{columns}", *rows, ""]))
    return folder / "prices.csv"


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
    path = write_format("sprout", made_answers(40, ["llama", "qwen", model]), tmp_path)
    prices = priced(tmp_path, {"llama": (0.1, 0.2), "qwen": (0.2, 0.3), price: (1, 2), "unrelated": (3, 4)})
    found = load_answers(path, prices=prices)
    assert found.models == ("llama", "qwen")
    assert f"{model} has no price: did you mean {price!r}?" in notes(found)
    assert f"2 prices belong to no model here: {price}, unrelated" in notes(found)
    assert f"40 answers without a cost ({model} 40 of 40; first: sprout.jsonl:1)" in notes(found)
    line = refused(write_format("sprout", made_answers(40, ["llama", model]), tmp_path), prices=prices)
    assert line.startswith("answers='llama' is the only model whose answers count")
    assert f"{model} has no price: did you mean {price!r}?" in line
    assert f"{model} has no price: did you mean {price!r}?" in refused(path, prices=prices, models=["llama", model])


def test_prices_where_no_tokens_are_recorded_are_refused(tmp_path: Path) -> None:
    rows = [("a", 0, 1, 0.001), ("a", 1, 1, 0.002), ("b", 0, 0, 0.003), ("b", 1, 1, 0.004)]
    path = table(tmp_path / "t.csv", rows)
    for models in (["a", "b"], ["b"]):
        line = refused(path, prices=priced(tmp_path, dict.fromkeys(models, (1, 2))))
        assert "prices cannot be used: no tokens are recorded here (llmrouterbench): costs are recorded" in line


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3])
def test_prices_beside_recorded_costs_of_another_unit_are_suspicious(factor: float, tmp_path: Path) -> None:
    answers = made_answers()
    path = tmp_path / "router.json"
    path.write_text(json.dumps(routerarena(answers)))
    load_answers(path, prices=priced(tmp_path, PRICES))
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
    ids = enumerate(("1", "1.0", "v2.0", "v2.00.1"))
    rows = [(model, q, float(model == "a"), 0.001 + i) for i, q in ids for model in "ab"]
    assert len(load_answers(table(tmp_path / "t.csv", rows)).questions) == 4


# ----------------------------------------------------------------------------------------------------
# Units, and ordinary evaluations.

LIST = {"opus": (15.0, 75.0), "haiku": (1.0, 5.0), "llama": (0.1, 0.2)}
COLUMNS_AND_TOKENS = "dataset_id,split,model_name,record_index,score,cost,prompt_tokens,completion_tokens"


def answers(path: Path, *, costs: Mapping[str, float] | None = None, ids: str = "{}", tokens: bool = True) -> Path:
    """Write answers of three models; llama names the questions in its own way. Without factors no cost is recorded."""
    rng, lines = random.Random(1), [COLUMNS_AND_TOKENS]
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
    """Write the list of prices, some multiplied."""
    return priced(
        folder, {m: (i * factors.get(m, 1), o * factors.get(m, 1)) for m, (i, o) in LIST.items()}, columns, cells
    )


@pytest.mark.parametrize(
    ("factors", "sentence"),
    [
        ({}, "output prices are from 0.2 (llama) to 75 (opus) USD per 10^6 tokens"),
        ({"haiku": 0}, "output prices are from 0 (haiku) to 75 (opus) USD per 10^6 tokens"),
        (
            {"haiku": 1e3},
            "output prices are from 0.2 (llama) to 5000 (haiku) USD per 10^6 tokens, 25,000 times as much: is this the "
            "unit of all of them?",
        ),
        (
            dict.fromkeys(LIST, 1e3),
            "output prices are from 200 (llama) to 75000 (opus) USD per 10^6 tokens: is this their unit?",
        ),
    ],
)
def test_the_range_of_the_prices_is_stated(factors: Mapping[str, float], sentence: str, tmp_path: Path) -> None:
    found = load_answers(answers(tmp_path / "t.csv"), prices=listed(tmp_path, factors), accept=["zero-prices"])
    assert [each for each in found.noticed if "output prices" in each] == [sentence]
    assert [each for each in found.noticed if "input tokens cost nothing" in each] == [
        "haiku has no input price above 0: its input tokens cost nothing"
    ] * (factors == {"haiku": 0})
    if not factors:
        path = listed(tmp_path, {})
        path.write_text(path.read_text().replace("input_price", "input"))
        found = load_answers(tmp_path / "t.csv", prices=path)
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
    assert f"look like prices {units}" in load_answers(path, prices=prices, accept=["price-units"]).accepted[0]


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
    assert len(load_answers(answers(tmp_path / "t.csv"), prices=prices).models) == 3


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("tokens", [True, False])
def test_recorded_costs_in_another_unit_are_noticed(factor: float, tokens: bool, tmp_path: Path) -> None:
    found = load_answers(answers(tmp_path / "t.csv", costs={"haiku": factor}, tokens=tokens))
    asked = [each for each in found.noticed if "in USD?" in each]
    if tokens:
        assert len(asked) == 1
        assert asked[0].startswith("haiku costs ")
        assert asked[0].endswith(" USD per 10^6 tokens as recorded: are its costs in USD?")
    elif factor != 1e-3:  # haiku in units of 1,000 USD costs less than llama, but no more than usual
        assert len(asked) == 1
        assert "(haiku)" in asked[0]
        assert asked[0].endswith("times as much: are all of them in USD?")
    assert not load_answers(answers(tmp_path / "t.csv", costs={}, tokens=tokens)).noticed
    found = load_answers(answers(tmp_path / "t.csv", costs=dict.fromkeys(LIST, 1e6), tokens=tokens))
    assert len([each for each in found.noticed if "in USD?" in each]) == (3 if tokens else 1)


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
    found = load_answers(path, accept=["zero-prices"])
    assert any("gpt-4 failed 40 of 40 answers" in each for each in found.noticed)
    assert found.quality("gpt-4") == 0


@pytest.mark.parametrize("format", ["routerbench", "llmrouterbench", "sprout"])
def test_wrong_answers_without_a_cost_leave_both_means(format: str, tmp_path: Path) -> None:
    """A call that timed out is often recorded with a score of 0, and without a cost or tokens."""
    made, prices = made_answers(40), priced(tmp_path, PRICES) if format == "sprout" else None
    lost = [each.model == MODELS[1] and each.score == 0 for each in made]
    given = [
        replace(each, dollars=None, output_tokens=None) if out else each for each, out in zip(made, lost, strict=True)
    ]
    found = load_answers(write_format(format, given, tmp_path), models=MODELS, prices=prices)
    scores = [Fraction(each.score or 0) for each in made if each.model == MODELS[1]]
    kept = len(scores) - sum(lost)
    assert 0 < kept < len(scores)
    assert (
        f"{MODELS[1]} has a mean score of {float(sum(scores) / kept):.6g} on the {kept} questions that count, and of "
        f"{float(sum(scores) / 40):.6g} on all 40 that it answers"
    ) in found.noticed


@pytest.mark.parametrize("first", [True, False])
def test_each_answer_is_a_question_with_any_names_of_questions(first: bool, tmp_path: Path) -> None:
    rows = [
        f"d,t,{model},{question},{score},{score + 1},,"
        for question in range(3)
        for model, score in (("a", 1), ("b", 0.5))
    ]
    rows.insert(0 if first else 6, "d,t,a,0 (answer 2),1,0.3,,")
    (tmp_path / "t.csv").write_text("\n".join([COLUMNS_AND_TOKENS, *rows, "d,t,a,0,0.25,0.2,,", ""]))
    found = load_answers(tmp_path / "t.csv", repeats="each")
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

    found = load_answers(arena(tmp_path / "router.json", change))
    assert int(any("failed 10 of 40" in each for each in found.noticed)) == (failed > 0)


@pytest.mark.parametrize("ids", ["{}e0", "+{}", "q{}", "{}_", '"{:,}"', "{}.5"])
def test_a_model_that_shares_no_question_is_named_with_an_example(ids: str, tmp_path: Path) -> None:
    found = load_answers(answers(tmp_path / "t.csv", costs={}, ids=ids))
    assert found.models == ("opus", "haiku")
    theirs = ids.strip('"').format(1000)
    assert f"llama answers none of the questions that count: 'gsm/test/{theirs}', not 'gsm/test/1000'" in str(
        found.left_out[0]
    )


@pytest.mark.parametrize("format", ["routerbench", "llmrouterbench", "routerarena"])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_said_of_ordinary_evaluations(format: str, seed: int, tmp_path: Path) -> None:
    models = ["o1", "gpt-4", "mistral/8x7b", "claude instant"][: 2 + seed % 3]
    found = load_answers(write_format(format, made_answers(30, models, seed), tmp_path))
    assert not found.left_out
    assert not found.accepted
    assert not found.noticed

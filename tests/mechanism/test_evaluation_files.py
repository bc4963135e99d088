"""Public evaluations from files: each format, what is left out, what is refused."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.evaluations.answers import Answer, AnswerRows
from mechanism.evaluations.evaluation import Evaluation, exact_sum
from mechanism.evaluations.files import evaluation_format, load_evaluation
from mechanism.evaluations.formats import FORMATS
from mechanism.evaluations.prices import read_prices
from mechanism.evaluations.selection import select
from tests.mechanism.made_evaluations import (
    MODELS,
    PRICE_FILE,
    PRICES,
    Made,
    made_answers,
    read_means,
    routerarena,
    routerbench,
    sprout,
    write_format,
)
from tests.mechanism.provider_tables import write_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that the entries of a table share."""
    return tmp_path


def loaded(path: Path, **more: Any) -> Evaluation:
    if "prices" not in more and (path.name.startswith("sprout")):
        prices = path.parent / "prices.csv"
        prices.write_text(PRICE_FILE)
        more["prices"] = prices
    return load_evaluation(path, **more)


def refused(path: Path, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        loaded(path, **more)
    line = str(caught.value)
    assert line.isprintable()
    return line


@pytest.mark.parametrize("format", FORMATS)
def test_the_means_are_those_of_the_standard_library(format: str, tmp_path: Path) -> None:
    answers = made_answers()
    # One answer lacks its score: its question is left out, of all models.
    answers[4] = replace(answers[4], score=None)
    path = write_format(format, answers, tmp_path)
    found = loaded(path)
    expected = read_means(format, path)
    assert found.format == format == evaluation_format(path)
    assert sorted(found.models) == sorted(expected) == sorted(MODELS)
    assert len(found.questions) == 39
    for i, model in enumerate(found.models):
        assert (found.mean_score(i), found.mean_price(i)) == expected[model]
    told = [str(each) for each in found.left_out]
    assert any(line.startswith("1 answer without a score (") for line in told)
    assert any(line.startswith("1 question that not every model answered") for line in told)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "jsonl.gz", "json", "json.gz", "parquet"])
def test_all_kinds_of_files_say_the_same(ending: str, tmp_path: Path) -> None:
    answers = made_answers()
    (tmp_path / "plain").mkdir()
    names = ("dataset_id", "split", "model_name", "record_index", "score", "cost")
    cells = (("mmlu", "test", each.model, int(each.question[5:]), each.score, each.dollars) for each in answers)
    tables = {
        "routerbench": routerbench(answers),
        "sprout": sprout(answers),
        "routerarena": routerarena(answers),
        "llmrouterbench": [dict(zip(names, row, strict=True)) for row in cells],
    }
    for format, rows in tables.items():
        path = tmp_path / f"{format}.{ending}"
        write_rows(path, rows)
        if format == "sprout" and "csv" in ending:
            assert "known format" in refused(path)
            continue
        found = loaded(path)
        expected = read_means(format, write_format(format, answers, tmp_path / "plain"))
        assert {m: (found.mean_score(i), found.mean_price(i)) for i, m in enumerate(found.models)} == expected


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
                rows.add(Answer(f"q{q}", f"m{m}", 1, 0.1), lambda cell: float(str(cell)), "")
    answers = rows.answers()
    asked = {m: {q for q, given_ in enumerate(line) if given_} for m, line in enumerate(answered) if any(line)}
    try:
        found = select(answers)
    except InputError:
        assert not any(asked[a] & asked[b] for a in asked for b in asked if a < b)
        return
    size = len(found.models) * len(found.questions)
    assert found.rows.shape == (len(found.models), len(found.questions))
    assert (found.rows >= 0).all()
    assert size >= len(asked) * len(set.intersection(*asked.values()))
    left_out = sum(each.count for each in found.left_out if each.what == "models")
    assert left_out == len(asked) - len(found.models)


class Payload:
    """Leaves a trace if it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("unpickled",)


@pytest.mark.parametrize("name", ["routerbench_0shot.pkl", "bench.pickle", "bench.csv", "bench.parquet", "b.json.gz"])
def test_a_pickle_is_refused_with_the_way_to_convert_it(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Payload())
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    line = refused(tmp_path / name)
    assert "is a pickle, which is never read" in line
    assert "pandas.read_pickle" in line
    assert ".to_parquet(" in line
    assert not (tmp_path / "unpickled").exists()
    if name.endswith((".pkl", ".pickle")):
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
    assert {m: found.mean_price(i) for i, m in enumerate(found.models)} == {m: c for m, (_, c) in expected.items()}


def test_without_costs_or_prices_nothing_counts(tmp_path: Path) -> None:
    path = write_format("sprout", made_answers(), tmp_path)
    line = refused(path, prices=None)
    assert "without a cost" in line
    assert "--prices FILE" in line


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
        (
            "samples_gsm8k.jsonl",  # of lm-evaluation-harness
            '{"doc_id": 0, "doc": {"question": "2+2"}, "target": "4", "exact_match": 1.0}\n',
            "the columns are doc_id, doc, target, exact_match; name the format",
        ),
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
    assert "must be two or more names" in refused(path, models=["gpt-4"])
    assert "is no suspicion" in refused(path, accept=["nothing"])
    assert "is no file and no folder" in refused(tmp_path / "nowhere")
    assert "is no subfolder" in refused(tmp_path, benchmark="aime")
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
    with pytest.raises(InputError) as caught:
        read_prices(path)
    assert said in str(caught.value)


@given(st.lists(st.floats(-1e300, 1e300), max_size=30))
def test_sums_are_exact(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == sum(map(Fraction, values), Fraction(0))

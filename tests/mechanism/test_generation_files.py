import csv
import gzip
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bounds.errors import InputError
from mechanism.recorded.files import load_generations
from mechanism.recorded.generations import Generations

COLUMNS = ("model", "question", "generation", "correct", "tokens", "reward")
PAPER_NAME = "{}--temp-0.6--samples-2--max-512.jsonl"
HAS_PYARROW = find_spec("pyarrow") is not None
FLAT_ENDINGS = [".csv", ".csv.gz", ".jsonl", ".ndjson", ".jsonl.gz", ".CSV", *[".parquet"] * HAS_PYARROW]
needs_pyarrow = pytest.mark.skipif(not HAS_PYARROW, reason="pyarrow is an extra")
FILES = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])

HEADER = "model,question,generation,correct,tokens,reward\n"
ROWS = "".join(f"a,q{i},0,1,5,0.5\n" for i in range(99))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Messages show long names in part, so the tests use a short one."""
    place = tmp_path / "GPQA"
    place.mkdir()
    monkeypatch.chdir(tmp_path)
    return place


def flat_rows(generations: Generations) -> list[tuple[Any, ...]]:
    shape = generations.correct.shape
    return [
        (
            generations.models[m],
            generations.questions[q],
            s,
            bool(generations.correct[m, q, s]),
            int(generations.tokens[m, q, s]),
            None if generations.reward is None else float(generations.reward[m, q, s]),
        )
        for m, q, s in np.ndindex(*shape)
    ]


def write_flat(path: Path, rows: list[tuple[Any, ...]]) -> None:
    name = path.name.lower()
    if name.endswith(".parquet"):
        import pyarrow as pa
        from pyarrow import parquet

        kinds = (pa.string(), pa.string(), pa.int64(), pa.bool_(), pa.int32(), pa.float64())
        columns = [pa.array(list(column), kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
        parquet.write_table(pa.table(columns, names=list(COLUMNS)), path, row_group_size=5)
        return
    opener: Any = gzip.open if name.endswith(".gz") else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        if ".csv" in name:
            writer = csv.writer(file)
            writer.writerows([COLUMNS, *(["" if cell is None else cell for cell in row] for row in rows)])
        else:
            file.writelines(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)


def paper_line(qid: Any = "gpqa-1", **changes: Any) -> dict[str, Any]:
    """A line as the data set has it, text included."""
    line = {
        "qid": qid,
        "prompt": "How?",
        "answers": ["So.", "Thus."],
        "correct": [True, False],
        "explanations": ["A", None],
        "num_tokens": [12, 512],
        "rewards": [0.0859375, 0.0625],
        "ground_truths": ["A"],
        "question_meta": {"level": 1},
        "model_name": "organization/model",
        "reward_model_name": "armo_rm",
    }
    return {key: value for key, value in (line | changes).items() if value is not ...}


def write_paper(folder: Path, model: str, lines: list[dict[str, Any]]) -> Path:
    path = folder / PAPER_NAME.format(model)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@st.composite
def generations(draw: st.DrawFn) -> Generations:
    name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
    models = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    questions = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    shape = (len(models), len(questions), draw(st.integers(1, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    reward = rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, shape) if draw(st.booleans()) else None
    correct, tokens = rng.integers(0, 2, shape), rng.integers(0, 2**31, shape)
    return Generations(
        benchmark="GPQA", models=models, questions=questions, correct=correct, tokens=tokens, reward=reward
    )


def same(found: Generations, expected: Generations) -> bool:
    """Whether they agree, each in its own order of questions."""
    order = [expected.questions.index(question) for question in found.questions]
    pairs = [(found.correct, expected.correct), (found.tokens, expected.tokens)]
    if expected.reward is not None:
        assert found.reward is not None
        pairs.append((found.reward, expected.reward))
    assert (found.reward is None) == (expected.reward is None)
    return found.models == expected.models and all(np.array_equal(a, b[:, order]) for a, b in pairs)


@FILES
@given(expected=generations(), ending=st.sampled_from(FLAT_ENDINGS), seed=st.integers(0, 9))
def test_one_row_a_generation_loads_exactly_in_any_order(
    folder: Path, expected: Generations, ending: str, seed: int
) -> None:
    for path in folder.iterdir():
        path.unlink()
    rows = flat_rows(expected)
    order = np.random.default_rng(seed).permutation(len(rows))
    write_flat(folder / f"mine{ending}", [rows[i] for i in order])
    assert same(load_generations(folder, models=expected.models), expected)


@needs_pyarrow
def test_rows_may_be_spread_over_files_and_formats(folder: Path) -> None:
    correct, tokens = np.eye(2)[:, None].repeat(2, 1), np.ones((2, 2, 2))
    expected = Generations(benchmark="GPQA", models=("a", "b"), questions=("q1", "q2"), correct=correct, tokens=tokens)
    rows = flat_rows(expected)
    write_flat(folder / "1.csv", rows[::2])
    write_flat(folder / "2.parquet", rows[1::2])
    assert same(load_generations("GPQA", "GPQA"), expected)


def test_the_papers_layout(folder: Path) -> None:
    write_paper(folder, "Llama-3-8B", [paper_line("gpqa-10"), paper_line("gpqa-9", correct=[0, 1.0])])
    write_paper(folder, "Qwen2-7B", [paper_line("gpqa-9", num_tokens=[1, [7, 30]]), paper_line("gpqa-10")])
    (folder / "README.md").write_text("not data")
    found = load_generations(".", "GPQA", require_rewards=True)
    assert (found.benchmark, found.models, found.questions) == (
        "GPQA",
        ("Llama-3-8B", "Qwen2-7B"),
        ("gpqa-9", "gpqa-10"),
    )
    assert found.correct.tolist() == [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]
    assert found.tokens.tolist() == [[[12, 512], [12, 512]], [[1, 30], [12, 512]]]
    assert found.reward is not None
    assert found.reward.tolist() == [[[0.0859375, 0.0625]] * 2] * 2
    assert found.alignment.dropped == ()


@needs_pyarrow
def test_the_papers_layout_in_parquet(folder: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    lines = [paper_line("gpqa-1"), paper_line("gpqa-2", rewards=[1.0, None])]
    parquet.write_table(pa.Table.from_pylist(lines), folder / "Qwen2-7B--temp-0.7.parquet")
    found = load_generations(folder, require_rewards=True)
    assert (found.models, found.questions) == (("Qwen2-7B",), ("gpqa-1",))
    assert [str(each) for each in found.alignment.misalignments] == [
        "question 'gpqa-2': Qwen2-7B lacks 1 of 2 rewards (GPQA/Qwen2-7B--temp-0.7.parquet:2)"
    ]


def test_a_misaligned_question_is_dropped_from_all_models_and_reported(folder: Path) -> None:
    """One question of one model lacks a reward, as in the paper: it goes only where best-of-n is in use."""
    questions = [f"gpqa-{i}" for i in range(5)]
    write_paper(folder, "a", [paper_line(qid) for qid in questions])
    path = write_paper(
        folder, "b", [paper_line(qid, rewards=[1, None] if qid[-1] == "3" else [1, 2]) for qid in questions]
    )
    with_rewards = load_generations(folder, require_rewards=True)
    assert with_rewards.questions == ("gpqa-0", "gpqa-1", "gpqa-2", "gpqa-4")
    assert with_rewards.correct.shape == (2, 4, 2)
    assert with_rewards.alignment.dropped == ("gpqa-3",)
    assert str(with_rewards.alignment.misalignments[0]) == (
        f"question 'gpqa-3': b lacks 1 of 2 rewards (GPQA/{path.name}:4)"
    )
    without = load_generations(folder)
    assert without.questions == tuple(questions)
    assert without.reward is None
    assert [each.question for each in without.alignment.reward_misalignments] == ["gpqa-3"]
    # Another roster does not include the model, so nothing is dropped.
    assert load_generations(folder, models=["a"], require_rewards=True).questions == tuple(questions)


def test_a_question_that_a_model_lacks_is_dropped(folder: Path) -> None:
    text = HEADER + "a,q1,0,1,5,\na,q2,0,1,5,\nb,q2,0,0,7,\n"
    (folder / "mine.csv").write_text(text)
    found = load_generations(folder)
    assert found.questions == ("q2",)
    assert [str(each) for each in found.alignment.misalignments] == ["question 'q1': b has no row"]


def test_a_repeated_question_keeps_the_first_row_and_is_reported(folder: Path) -> None:
    path = write_paper(folder, "a", [paper_line(num_tokens=[1, 2]), paper_line(num_tokens=[3, 4])])
    found = load_generations(folder)
    assert found.tokens.tolist() == [[[1, 2]]]
    name = f"GPQA/{path.name}"
    other = "with other answers (mean score 0.5, 3.5 tokens, not mean score 0.5, 1.5 tokens)"
    told = f"{name}:2 repeats question 'gpqa-1' of a {other}; {name}:1 is kept"
    assert found.alignment.repeated_rows == (told,)


@pytest.mark.parametrize("seed", range(4))
def test_mean_scores_that_change_with_the_dropped_questions_are_stated(seed: int, folder: Path) -> None:
    """A model that lacks its wrong answers looks better, and the others change with it."""
    rng = np.random.default_rng(seed)
    right = {model: rng.random(30) < 0.6 for model in ("a", "b", "c")}
    lost = np.flatnonzero(~right["b"] & (rng.random(30) < 0.7))
    for model, scores in right.items():
        kept = [q for q in range(30) if model != "b" or q not in lost]
        write_paper(folder, model, [paper_line(f"q{q}", correct=[bool(scores[q])] * 2) for q in kept])
    report = load_generations(folder).alignment
    assert set(report.dropped) == {f"q{q}" for q in lost}
    rest = np.delete(np.arange(30), lost)
    expected = [
        f"{model} has a mean score of {right[model][rest].mean():.6g} on the {len(rest)} questions that count, and of "
        f"{right[model].mean():.6g} on all 30 that it has"
        for model in ("a", "c")
        if f"{right[model][rest].mean():.6g}" != f"{right[model].mean():.6g}"
    ]
    assert list(report.changed_means) == expected


def test_models_choose_and_order(folder: Path) -> None:
    for model in ("a", "b", "c"):
        write_paper(folder, model, [paper_line()])
    write_flat(folder / "more.csv", [("d", "gpqa-1", s, True, 5, None) for s in (0, 1)])
    assert load_generations(folder, models=["d", "a"]).models == ("d", "a")
    assert load_generations(folder).models == ("a", "b", "c", "d")
    with pytest.raises(InputError, match="models='Qwen2' has no recorded generations in GPQA: there are a, b, c, d"):
        load_generations(folder, models=["Qwen2"])


def test_a_model_that_is_not_wanted_may_have_another_number_of_generations(folder: Path) -> None:
    write_paper(folder, "a", [paper_line()])
    write_paper(folder, "reasoner", [paper_line(correct=[True], num_tokens=[[3, 9]], rewards=[1.0])])
    assert load_generations(folder, models=["a"]).samples == 2
    with pytest.raises(InputError, match=r"a 2, reasoner 1"):
        load_generations(folder)


def test_progress_is_told_file_by_file(folder: Path) -> None:
    names = [write_paper(folder, model, [paper_line()]).name for model in ("a", "b")]
    told: list[tuple[str, int, int]] = []
    load_generations(folder, progress=lambda *each: told.append(each))
    assert told == [(names[0], 1, 2), (names[1], 2, 2)]


def test_a_byte_order_mark_blank_lines_and_other_columns_are_fine(folder: Path) -> None:
    text = "\ufeffnote,correct,model,question,generation,tokens\n\nx,TRUE,a,1,0,5.0\n\ny,0,a,1,1,6\n"
    (folder / "mine.csv").write_text(text, encoding="utf-8")
    found = load_generations(folder)
    assert found.correct.tolist() == [[[1, 0]]]
    assert found.tokens.tolist() == [[[5, 6]]]


def test_invalid_rows_can_be_dropped_and_are_reported(folder: Path) -> None:
    path = write_paper(folder, "a", [paper_line("1"), paper_line("2", correct=[True, "maybe"])])
    path.write_text(path.read_text() + '{"qid": "3", "answers": ["cut o\n' + json.dumps(paper_line("4")) + "\n")
    write_paper(folder, "b", [paper_line(str(qid)) for qid in range(1, 5)])
    found = load_generations(folder, invalid_rows="drop")
    assert found.questions == ("1", "4")
    assert found.alignment.dropped == ("2", "3")
    assert [text.split("=")[0] for text in found.alignment.invalid_rows] == [
        f"GPQA/{path.name}:2:correct[1]",
        f"GPQA/{path.name}:3",
    ]


FLAT_ERRORS = {
    "a,q,0,1,5,x": ":3:reward='x' must be a number",
    "a,q,0,1,5.5,": ":3:tokens='5.5' must be a whole number",
    "a,q,0,1,-5,": ":3:tokens='-5' must be a whole number",
    "a,q,0,1,nan,": ":3:tokens='nan' must be a whole number",
    "a,q,0,1,3000000000,": ":3:tokens='3000000000' must be a whole number in 0..2147483647",
    "a,q,0,yes,5,": ":3:correct='yes' must be true or false, 1 or 0",
    "a,q,0,,5,": ":3:correct='' must be true or false, 1 or 0",
    "a,q,one,1,5,": ":3:generation='one' must be a whole number",
    " ,q,0,1,5,": ":3:model=' ' must be a name: it names the model",
    "a,,0,1,5,": ":3:question='' must be a name",
    "a,q,0,1,5": ":3='a,q,0,1,5' has 5 cells, not 6 as the header",
    "a,p,0,1,9,": ":3:generation=0 of question 'p' of a is given twice",
    'a,"q,0,1,5,': """:3='a,"q,0,1,5,' is not valid CSV""",
}


@pytest.mark.parametrize("line", FLAT_ERRORS)
def test_errors_of_a_generation_name_file_row_and_column(folder: Path, line: str) -> None:
    (folder / "mine.csv").write_text(f"{HEADER}a,p,0,1,5,0.5\n{line}\n")
    with pytest.raises(InputError) as caught:
        load_generations(folder)
    assert str(caught.value).startswith("GPQA/mine.csv" + FLAT_ERRORS[line])


LINE_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"correct": [True, None]}, ":correct[1]=None must be true or false, 1 or 0"),
    ({"correct": [True, 2]}, ":correct[1]=2 must be"),
    ({"correct": True}, ":correct=True must be a list"),
    ({"correct": [[True], [False]]}, ":correct[0]=[True] must be"),
    ({"num_tokens": [1, "2"]}, ":num_tokens[1]='2' must be a whole number"),
    ({"num_tokens": [1, True]}, ":num_tokens[1]=True must be a whole number"),
    ({"num_tokens": [[1, 2, 3], 2]}, ":num_tokens[0]=[1, 2, 3] must be a whole number"),
    ({"num_tokens": ...}, ":num_tokens=None must be a list"),
    ({"rewards": ["high", 2]}, ":rewards[0]='high' must be a number"),
    ({"rewards": 1}, ":rewards=1 must be a list"),
    ({"qid": None}, ":qid=None must be a name"),
    ({"qid": 1.5}, ":qid=1.5 must be a name"),
]


@pytest.mark.parametrize(("changes", "message"), LINE_ERRORS)
def test_errors_of_a_question_name_file_row_column_and_entry(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    path = write_paper(folder, "a", [paper_line("gpqa-0"), paper_line(**changes)])
    with pytest.raises(InputError) as caught:
        load_generations(folder)
    assert str(caught.value).startswith(f"GPQA/{path.name}:2{message}")


@needs_pyarrow
def test_errors_of_parquet_name_the_row(folder: Path) -> None:
    write_flat(folder / "mine.parquet", [("a", "q", s, True, 5 if s < 7 else -1, None) for s in range(9)])
    with pytest.raises(InputError, match=r"^GPQA/mine.parquet:8:tokens=-1 must be a whole number"):
        load_generations(folder)


COLUMN_ERRORS = {
    "model,question,generation,correct\na,q,0,1\n": ":1:tokens=None must be given: it is the number of output tokens",
    "model,question,generation,correct,Tokens\na,q,0,1,5\n": ":1:tokens=None must be given: is it the column 'tokens'",
    "model,question,generation,correct,tokens,rewards\na,q,0,1,5,1\n": ":1:reward=None must be given",
    "model,model,question,generation,correct,tokens\na,a,q,0,1,5\n": ":1:model='model' is given twice",
    HEADER: " holds no row",
    "": " holds no row",
}


@pytest.mark.parametrize("text", COLUMN_ERRORS)
def test_errors_of_columns_name_the_file(folder: Path, text: str) -> None:
    (folder / "mine.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        load_generations(folder)
    assert str(caught.value).startswith("GPQA/mine.csv" + COLUMN_ERRORS[text])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"{nonsense\n", r"^GPQA/a.jsonl:1=.*is not valid JSON"),
        ("a.jsonl", b"[1]\n", r"^GPQA/a.jsonl:1='\[1\]' must be an object"),
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\n", r"run 'git lfs pull'"),
        ("a.jsonl", b'{"qid": ' + b"[" * 100_000 + b"\n", r"^GPQA/a.jsonl:1=.*is (nested too deep|not valid JSON)"),
        ("a.jsonl", b'{"qid": ' + b"9" * 5000 + b"}\n", r"^GPQA/a.jsonl:1=.*holds a number of too many digits"),
        ("a.jsonl", b'{"qid": "\xff"}\n', r"^GPQA/a.jsonl:1=b'\\xff' is not UTF-8"),
        ("a.csv.gz", b"no gzip", r"^GPQA/a.csv.gz cannot be read beyond line 0"),
        ("a.csv.gz", gzip.compress((HEADER + ROWS).encode())[:-9], r"^GPQA/a.csv.gz cannot be read beyond line \d+"),
        pytest.param("a.parquet", b"no", r"^GPQA/a.parquet is not Parquet", marks=needs_pyarrow),
    ],
    ids=["json", "array", "pointer", "nested", "digits", "encoding", "gzip", "truncated", "parquet"],
)
def test_damaged_files_are_named(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_generations(folder)


def test_without_pyarrow_parquet_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'costproof\[parquet\]'"):
        load_generations(folder)
    write_flat(folder / "mine.csv", [("a", "q", 0, True, 5, None)])
    (folder / "mine.parquet").unlink()
    assert load_generations(folder).samples == 1


def test_two_files_of_a_model_are_refused(folder: Path) -> None:
    write_paper(folder, "a", [paper_line()])
    (folder / "a--temp-0.7.jsonl").write_text(json.dumps(paper_line()) + "\n")
    with pytest.raises(InputError, match=r"is a second file of a, after GPQA/a--temp"):
        load_generations(folder)


def test_wrong_folders_and_arguments_are_told(folder: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        load_generations("nowhere")
    with pytest.raises(InputError, match=r"benchmark='gpqa' is no subfolder of .*: its subfolders are: GPQA"):
        load_generations(".", "gpqa")
    with pytest.raises(InputError, match="choose a benchmark among GPQA"):
        load_generations(".")
    with pytest.raises(InputError, match=r"files must end in \.jsonl"):
        load_generations(folder)
    with pytest.raises(InputError, match="invalid_rows='keep'"):
        load_generations(folder, invalid_rows="keep")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="each once"):
        load_generations(folder, models=["a", "a"])
    with pytest.raises(InputError, match="is no folder"):
        load_generations("\0")
    with pytest.raises(InputError, match="cannot be read"):
        load_generations(7)  # type: ignore[arg-type]


def test_a_file_of_nothing_but_invalid_rows_is_an_error(folder: Path) -> None:
    (folder / "mine.csv").write_text(f"{HEADER}a,q,0,maybe,5,\n")
    with pytest.raises(InputError, match="holds no valid row"):
        load_generations(folder, invalid_rows="drop")


def test_the_documented_example_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[2] / "docs" / "generations.md").read_text(encoding="utf-8")
    monkeypatch.chdir(folder)
    values: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], values)
    assert values["generations"].best_of_n_quality("large", 2) == 1
    assert values["setting"].platform.quality_threshold == 0.5
    score, cost = values["market"].outcome(step=1, provider=1)
    assert score == 1.0
    assert cost in (0.2 / 1.25 * 200, 0.2 / 1.25 * 350)

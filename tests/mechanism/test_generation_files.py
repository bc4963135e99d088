import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyarrow import parquet

from bounds.errors import InputError
from mechanism.recorded.files import load_generations
from mechanism.recorded.generations import Generations
from tests.mechanism.provider_tables import write_rows

COLUMNS = ("model", "question", "generation", "correct", "tokens", "reward")
PAPER_NAME = "{}--temp-0.6--samples-2--max-512.jsonl"
FLAT_ENDINGS = [".csv", ".csv.gz", ".jsonl", ".ndjson", ".jsonl.gz", ".CSV", ".parquet"]
FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

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
    if path.suffix == ".parquet":
        kinds = (pa.string(), pa.string(), pa.int64(), pa.bool_(), pa.int32(), pa.float64())
        columns = [pa.array(list(column), kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
        parquet.write_table(pa.table(columns, names=list(COLUMNS)), path, row_group_size=5)
        return
    write_rows(path, [dict(zip(COLUMNS, row, strict=True)) for row in rows])


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


def test_the_papers_layout(folder: Path) -> None:
    write_paper(folder, "Llama-3-8B", [paper_line("gpqa-10"), paper_line("gpqa-9", correct=[0, 1.0])])
    write_paper(folder, "Qwen2-7B", [paper_line("gpqa-9", num_tokens=[1, [7, 30]]), paper_line("gpqa-10")])
    (folder / "README.md").write_text("not data")
    found = load_generations(".", "GPQA", require_rewards=True)
    assert (found.benchmark, found.models) == ("GPQA", ("Llama-3-8B", "Qwen2-7B"))
    assert found.questions == ("gpqa-9", "gpqa-10")
    assert found.correct.tolist() == [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]
    assert found.tokens.tolist() == [[[12, 512], [12, 512]], [[1, 30], [12, 512]]]
    assert found.reward is not None
    assert found.reward.tolist() == [[[0.0859375, 0.0625]] * 2] * 2
    assert found.alignment.dropped == ()


def test_the_papers_layout_in_parquet(folder: Path) -> None:
    lines = [paper_line("gpqa-1"), paper_line("gpqa-2", rewards=[1.0, None])]
    parquet.write_table(pa.Table.from_pylist(lines), folder / "Qwen2-7B--temp-0.7.parquet")
    found = load_generations(folder, require_rewards=True)
    assert (found.models, found.questions) == (("Qwen2-7B",), ("gpqa-1",))
    assert [str(each) for each in found.alignment.misalignments] == [
        "question 'gpqa-2': Qwen2-7B lacks 1 of 2 rewards (GPQA/Qwen2-7B--temp-0.7.parquet:2)"
    ]


#: By question: the model, what its line has otherwise, and what is said of it.
PROBLEMS: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "q1": ("b", {"correct": [0, 1, 1], "num_tokens": [1, 2, 3], "rewards": [1, 2, 3]}, "has 3 generations, not 2"),
    "q2": ("a", {"num_tokens": [1]}, "has 2 correctness labels and 1 token counts"),
    "q3": ("b", None, "has no row"),
}
#: These questions lack rewards, as one of the paper's: they go only where best-of-n is in use.
LACKING: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "q4": ("a", {"rewards": [1.0]}, "has 1 rewards for 2 generations"),
    "q5": ("b", {"rewards": [None, None]}, "lacks 2 of 2 rewards"),
    "q6": ("b", {"rewards": []}, "has 0 rewards for 2 generations"),
}


def test_misaligned_questions_are_dropped_jointly_and_reported(folder: Path) -> None:
    questions, changes = [f"q{i}" for i in range(12)], {**PROBLEMS, **LACKING}
    for model in ("a", "b"):
        changed = {question: cells for question, (of, cells, _) in changes.items() if of == model}
        kept = [question for question in questions if changed.get(question, {}) is not None]
        write_paper(folder, model, [paper_line(question, **(changed.get(question) or {})) for question in kept])
    found = load_generations(folder, require_rewards=True)
    assert found.questions == ("q0", "q7", "q8", "q9", "q10", "q11")
    assert [(m.question, m.model, m.reason) for m in found.alignment.misalignments] == [
        (question, model, reason) for question, (model, _, reason) in changes.items()
    ]
    assert str(found.alignment.misalignments[1]).endswith(f" (GPQA/{PAPER_NAME.format('a')}:3)")
    assert (found.correct.shape, found.alignment.reward_misalignments) == ((2, 6, 2), ())
    without = load_generations(folder)
    assert without.questions == tuple(question for question in questions if question not in PROBLEMS)
    assert without.reward is None
    assert [(m.question, m.model, m.reason) for m in without.alignment.reward_misalignments] == [
        (question, model, reason) for question, (model, _, reason) in LACKING.items()
    ]
    # Another roster does not include the model, so fewer are dropped.
    assert load_generations(folder, models=["a"], require_rewards=True).alignment.dropped == ("q2", "q4")


def test_no_common_question_is_an_error(folder: Path) -> None:
    for model, question in (("a", "q1"), ("b", "q2")):
        write_paper(folder, model, [paper_line(question)])
    with pytest.raises(InputError, match=r"a, b: question 'q1': b has no row; question 'q2': a has no row"):
        load_generations(folder)


def test_a_repeated_question_keeps_the_first_row_and_is_reported(folder: Path) -> None:
    path = write_paper(folder, "a", [paper_line(num_tokens=[1, 2]), paper_line(num_tokens=[3, 4])])
    found = load_generations(folder)
    assert found.tokens.tolist() == [[[1, 2]]]
    (told,) = found.alignment.repeated_rows
    assert told.startswith(f"GPQA/{path.name}:2 repeats question 'gpqa-1' of a")
    assert "3.5 tokens, not mean score 0.5, 1.5 tokens" in told


def test_mean_scores_that_change_with_the_dropped_questions_are_stated(folder: Path) -> None:
    """A model that lacks its wrong answers looks better, and the others change with it."""
    rng = np.random.default_rng(0)
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
    "a,q,0,1,-5,": ":3:tokens='-5' must be a whole number",
    "a,q,0,1,3000000000,": ":3:tokens='3000000000' must be a whole number in 0..2147483647",
    "a,q,0,yes,5,": ":3:correct='yes' must be true or false, 1 or 0",
    "a,q,one,1,5,": ":3:generation='one' must be a whole number",
    " ,q,0,1,5,": ":3:model=' ' must be a name: it names the model",
    "a,,0,1,5,": ":3:question='' must be a name",
    "a,q,0,1,5": ":3='a,q,0,1,5' has 5 cells, not 6 as the header",
    "a,p,0,1,9,": ":3:generation=0 of question 'p' of a is given twice",
    'a,"q,0,1,5,': """:3='a,"q,0,1,5,' is not valid CSV""",
}


LINE_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"correct": [True, None]}, ":correct[1]=None must be true or false, 1 or 0"),
    ({"correct": True}, ":correct=True must be a list"),
    ({"correct": [[True], [False]]}, ":correct[0]=[True] must be"),
    ({"num_tokens": [1, "2"]}, ":num_tokens[1]='2' must be a whole number"),
    ({"num_tokens": [[1, 2, 3], 2]}, ":num_tokens[0]=[1, 2, 3] must be a whole number"),
    ({"num_tokens": ...}, ":num_tokens=None must be a list"),
    ({"rewards": ["high", 2]}, ":rewards[0]='high' must be a number"),
    ({"qid": 1.5}, ":qid=1.5 must be a name"),
]


def wrong_files() -> Iterator[tuple[str, str | bytes, str]]:
    """Yield a file's name, what it holds, and what is said of it."""
    for line, message in FLAT_ERRORS.items():
        yield "a.csv", f"{HEADER}a,p,0,1,5,0.5\n{line}\n", message
    for text, message in COLUMN_ERRORS.items():
        yield "a.csv", text, message
    for changes, message in LINE_ERRORS:
        lines = (paper_line("gpqa-0"), paper_line(**changes))
        yield PAPER_NAME.format("a"), "".join(json.dumps(line) + "\n" for line in lines), f":2{message}"
    yield "a.jsonl", "{nonsense\n", ":1='{nonsense' is not valid JSON"
    yield "a.jsonl", "[1]\n", ":1='[1]' must be an object"
    yield "a.jsonl", "version https://git-lfs.github.com/spec/v1\n", ":1='version https://git-lfs"
    yield "a.jsonl", '{"qid": ' + "9" * 5000 + "}\n", ":1="
    yield "a.jsonl", b'{"qid": "\xff"}\n', ":1=b'\\xff' is not UTF-8"
    yield "a.csv.gz", b"no gzip", " cannot be read beyond line 0"
    yield "a.csv.gz", gzip.compress((HEADER + ROWS).encode())[:-9], " cannot be read beyond line "
    yield "a.parquet", b"no", " is not Parquet"


@pytest.mark.for_each(("name", "contents", "message"), wrong_files)
def test_errors_name_file_row_and_column(folder: Path, name: str, contents: str | bytes, message: str) -> None:
    for path in folder.iterdir():
        path.unlink()
    (folder / name).write_bytes(contents.encode() if isinstance(contents, str) else contents)
    with pytest.raises(InputError) as caught:
        load_generations(folder)
    assert str(caught.value).startswith(f"GPQA/{name}{message}")


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
    calls: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        (("nowhere",), {}, "is no folder"),
        ((".", "gpqa"), {}, r"benchmark='gpqa' is no subfolder of .*: its subfolders are: GPQA"),
        ((".",), {}, "choose a benchmark among GPQA"),
        ((folder,), {}, r"files must end in \.jsonl"),
        ((folder,), {"invalid_rows": "keep"}, "invalid_rows='keep'"),
        ((folder,), {"models": ["a", "a"]}, "each once"),
        (("\0",), {}, "is no folder"),
        ((7,), {}, "cannot be read"),
    ]
    for arguments, options, words in calls:
        with pytest.raises(InputError, match=words):
            load_generations(*arguments, **options)


def test_a_file_of_nothing_but_invalid_rows_is_an_error(folder: Path) -> None:
    (folder / "mine.csv").write_text(f"{HEADER}a,q,0,maybe,5,\n")
    with pytest.raises(InputError, match="holds no valid row"):
        load_generations(folder, invalid_rows="drop")

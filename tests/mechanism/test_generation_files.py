"""Recorded generations from files: each layout, alignment, what is refused, downloads."""

import fnmatch
import gzip
import inspect
import json
import random
import shutil
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyarrow import parquet

from bounds.characters import is_hidden
from bounds.errors import InputError
from mechanism.answers.complete import CompleteAnswers
from mechanism.answers.files import load_answers
from mechanism.answers.hub import PAPER_DATA, download_generations
from mechanism.tabular.files import natural_order
from tests.mechanism.provider_tables import write_rows
from tests.refusals import assert_refused, refusal

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


def flat_rows(generations: CompleteAnswers) -> list[tuple[Any, ...]]:
    shape = generations.score.shape
    return [
        (
            generations.models[m],
            generations.questions[q],
            s,
            bool(generations.score[m, q, s]),
            int(generations.output_tokens(generations.models[m])[q, s]),
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
def generations(draw: st.DrawFn) -> CompleteAnswers:
    # The writer of Python's csv leaves a bare carriage return without quotes.
    name = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1).filter(str.strip)
    shown = name.filter(lambda model: not any(map(is_hidden, model)))
    models = draw(st.lists(shown, min_size=1, max_size=3, unique=True))
    questions = draw(st.lists(name, min_size=1, max_size=3, unique=True))
    shape = (len(models), len(questions), draw(st.integers(1, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    reward = rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, shape) if draw(st.booleans()) else None
    correct, tokens = rng.integers(0, 2, shape), rng.integers(0, 2**31, shape)
    return CompleteAnswers(
        name="GPQA", models=models, questions=questions, score=correct, tokens_out=tokens, reward=reward
    )


def same(found: CompleteAnswers, expected: CompleteAnswers) -> bool:
    """Whether they agree, each in its own order of questions."""
    order = [expected.questions.index(question) for question in found.questions]
    pairs = [(found.score, expected.score), (found.tokens_out, expected.tokens_out)]
    if expected.reward is not None:
        pairs.append((found.reward, expected.reward))
    assert (found.reward is None) == (expected.reward is None)
    return found.models == expected.models and all(np.array_equal(a, b[:, order]) for a, b in pairs)


@FILES
@given(expected=generations(), ending=st.sampled_from(FLAT_ENDINGS), seed=st.integers(0, 9))
def test_one_row_a_generation_loads_exactly_in_any_order(
    folder: Path, expected: CompleteAnswers, ending: str, seed: int
) -> None:
    for path in folder.iterdir():
        path.unlink()
    rows = flat_rows(expected)
    order = np.random.default_rng(seed).permutation(len(rows))
    write_flat(folder / f"mine{ending}", [rows[i] for i in order])
    assert same(load_answers(folder, models=expected.models), expected)


def test_the_papers_layout(folder: Path) -> None:
    write_paper(folder, "Llama-3-8B", [paper_line("gpqa-10"), paper_line("gpqa-9", correct=[0, 1.0])])
    write_paper(folder, "Qwen2-7B", [paper_line("gpqa-9", num_tokens=[1, [7, 30]]), paper_line("gpqa-10")])
    (folder / "README.md").write_text("not data")
    found = load_answers(".", "GPQA", require_rewards=True)
    assert (found.name, found.models) == ("GPQA", ("Llama-3-8B", "Qwen2-7B"))
    assert found.questions == ("gpqa-9", "gpqa-10")
    assert found.score.tolist() == [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]
    assert found.tokens_out.tolist() == [[[12, 512], [12, 512]], [[1, 30], [12, 512]]]
    assert found.reward.tolist() == [[[0.0859375, 0.0625]] * 2] * 2
    assert found.dropped == ()


def test_the_papers_layout_in_parquet(folder: Path) -> None:
    lines = [paper_line("gpqa-1"), paper_line("gpqa-2", rewards=[1.0, None])]
    parquet.write_table(pa.Table.from_pylist(lines), folder / "Qwen2-7B--temp-0.7.parquet")
    found = load_answers(folder, require_rewards=True)
    assert (found.models, found.questions) == (("Qwen2-7B",), ("gpqa-1",))
    assert [str(each) for each in found.misaligned] == [
        "question 'gpqa-2': Qwen2-7B lacks 1 of 2 rewards (Qwen2-7B--temp-0.7.parquet:2)"
    ]


#: By question: the model, what its line has otherwise, and what is said of it.
PROBLEMS: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "q1": ("b", {"correct": [0, 1, 1], "num_tokens": [1, 2, 3], "rewards": [1, 2, 3]}, "has 3 generations, not 2"),
    "q2": ("a", {"num_tokens": [1]}, "has 2 correctness labels and 1 token counts"),
    "q3": ("b", None, "has no row"),
}
#: These questions lack rewards, as one of the paper's: they go only where best-of-n is in use.
LACKING: dict[str, tuple[str, dict[str, Any] | None, str]] = {
    "q4": ("a", {"rewards": [1.0]}, "lacks 1 of 2 rewards"),
    "q5": ("b", {"rewards": [None, None]}, "lacks 2 of 2 rewards"),
    "q6": ("b", {"rewards": [1, 2, 3]}, "has 3 rewards for 2 generations"),
}


def test_misaligned_questions_are_dropped_jointly_and_reported(folder: Path) -> None:
    questions, changes = [f"q{i}" for i in range(12)], {**PROBLEMS, **LACKING}
    for model in ("a", "b"):
        changed = {question: cells for question, (of, cells, _) in changes.items() if of == model}
        kept = [question for question in questions if changed.get(question, {}) is not None]
        write_paper(folder, model, [paper_line(question, **(changed.get(question) or {})) for question in kept])
    found = load_answers(folder, require_rewards=True)
    assert found.questions == ("q0", "q7", "q8", "q9", "q10", "q11")
    assert [(m.question, m.model, m.reason) for m in found.misaligned] == [
        (question, model, reason) for question, (model, _, reason) in changes.items()
    ]
    assert str(found.misaligned[1]).endswith(f" ({PAPER_NAME.format('a')}:3)")
    assert (found.score.shape, found.unrewarded) == ((2, 6, 2), ())
    without = load_answers(folder)
    assert without.questions == tuple(question for question in questions if question not in PROBLEMS)
    assert without.reward is None
    assert [(m.question, m.model, m.reason) for m in without.unrewarded] == [
        (question, model, reason) for question, (model, _, reason) in LACKING.items()
    ]
    # Another roster does not include the model, so fewer are dropped.
    assert load_answers(folder, models=["a"], require_rewards=True).dropped == ("q2", "q4")


def test_no_common_question_is_an_error(folder: Path) -> None:
    for model, question in (("a", "q1"), ("b", "q2")):
        write_paper(folder, model, [paper_line(question)])
    assert_refused(r"a, b: question 'q1': b has no row; question 'q2': a has no row", load_answers, folder)


def test_a_repeated_question_keeps_the_first_row_and_is_reported(folder: Path) -> None:
    path = write_paper(folder, "a", [paper_line(num_tokens=[1, 2]), paper_line(num_tokens=[3, 4], correct=[1, 1])])
    found = load_answers(folder)
    assert found.tokens_out.tolist() == [[[1, 2]]]
    assert f"2 answers repeating a question of the same model (a 2 of 4; first: {path.name}:2)" in map(
        str, found.left_out
    )
    assert found.noticed == (
        "a repeats 2 answers, 1 of them with another score: its mean score is 0.5 if the first counts, 1 if the last "
        "does, 0.75 if each does",
    )
    # A longer record does not complete the first one.
    write_paper(folder, "a", [paper_line(), paper_line(correct=[1, 0, 1], num_tokens=[1, 2, 3]), paper_line("other")])
    assert load_answers(folder).samples == 2


def test_mean_scores_that_change_with_the_dropped_questions_are_stated(folder: Path) -> None:
    """A model that lacks its wrong answers looks better, and the others change with it."""
    rng = np.random.default_rng(0)
    right = {model: rng.random(30) < 0.6 for model in ("a", "b", "c")}
    lost = np.flatnonzero(~right["b"] & (rng.random(30) < 0.7))
    for model, scores in right.items():
        kept = [q for q in range(30) if model != "b" or q not in lost]
        write_paper(folder, model, [paper_line(f"q{q}", correct=[bool(scores[q])] * 2) for q in kept])
    found = load_answers(folder)
    assert set(found.dropped) == {f"q{q}" for q in lost}
    rest = np.delete(np.arange(30), lost)
    expected = [
        f"{model} has a mean score of {right[model][rest].mean():.6g} on the {len(rest)} questions that count, and of "
        f"{right[model].mean():.6g} on all 30 that it answers"
        for model in ("a", "c")
        if f"{right[model][rest].mean():.6g}" != f"{right[model].mean():.6g}"
    ]
    assert list(found.noticed) == expected


def test_models_choose_and_order(folder: Path) -> None:
    for model in ("a", "b", "c"):
        write_paper(folder, model, [paper_line()])
    write_flat(folder / "more.csv", [("d", "gpqa-1", s, True, 5, None) for s in (0, 1)])
    assert load_answers(folder, models=["d", "a"]).models == ("d", "a")
    assert load_answers(folder).models == ("a", "b", "c", "d")
    with pytest.raises(InputError, match="models='Qwen2' has no answers that count: there are a, b, c, d"):
        load_answers(folder, models=["Qwen2"])


def test_a_model_that_is_not_wanted_may_have_another_number_of_generations(folder: Path) -> None:
    write_paper(folder, "a", [paper_line()])
    write_paper(folder, "reasoner", [paper_line(correct=[True], num_tokens=[[3, 9]], rewards=[1.0])])
    assert load_answers(folder, models=["a"]).samples == 2
    assert_refused(r"a 2, reasoner 1", load_answers, folder)


def test_a_byte_order_mark_blank_lines_and_other_columns_are_fine(folder: Path) -> None:
    text = "\ufeffnote,correct,model,question,generation,tokens\n\nx,TRUE,a,1,0,5.0\n\ny,0,a,1,1,6\n"
    (folder / "mine.csv").write_text(text, encoding="utf-8")
    found = load_answers(folder)
    assert found.score.tolist() == [[[1, 0]]]
    assert found.tokens_out.tolist() == [[[5, 6]]]


def test_invalid_rows_can_be_dropped_and_are_reported(folder: Path) -> None:
    path = write_paper(folder, "a", [paper_line("1"), paper_line("2", correct=[True, "maybe"])])
    path.write_text(path.read_text() + '{"qid": "3", "answers": ["cut o\n' + json.dumps(paper_line("4")) + "\n")
    write_paper(folder, "b", [paper_line(str(qid)) for qid in range(1, 5)])
    found = load_answers(folder, invalid_rows="drop")
    assert found.questions == ("1", "4")
    assert found.dropped == ("2", "3")
    assert [text.split("=")[0] for text in found.invalid_rows] == [f"{path.name}:2:correct[1]", f"{path.name}:3"]


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
    ({"num_tokens": [1, "two"]}, ":num_tokens[1]='two' must be a whole number"),
    ({"num_tokens": [[1, 2, 3], 2]}, ":num_tokens[0]=[1, 2, 3] must be a whole number"),
    ({"num_tokens": ...}, ":num_tokens=None must be a list"),
    ({"rewards": ["high", 2]}, ":rewards[0]='high' must be a number"),
    ({"qid": 1.5}, ":question=1.5 must be a name"),
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
    assert str(refusal(load_answers, folder)).startswith(f"{name}{message}")


def test_errors_of_parquet_name_the_row(folder: Path) -> None:
    write_flat(folder / "mine.parquet", [("a", "q", s, True, 5 if s < 7 else -1, None) for s in range(9)])
    assert_refused(r"^mine.parquet:8:tokens=-1 must be a whole number", load_answers, folder)


COLUMN_ERRORS = {
    "model,question,generation,correct\na,q,0,1\n": ":tokens must be given: a table of generations has",
    "model,question,generation,correct,Tokens\na,q,0,1,5\n": ":tokens must be given: is it the column 'tokens'",
    "model,question,generation,correct,tokens,rewards\na,q,0,1,5,1\n": ":reward must be given",
    "model,model,question,generation,correct,tokens\na,a,q,0,1,5\n": ":1:model='model' is given twice",
    HEADER: " holds no record",
    "": " holds no record",
}


def test_two_files_of_a_model_are_refused(folder: Path) -> None:
    write_paper(folder, "a", [paper_line()])
    (folder / "a--temp-0.7.jsonl").write_text(json.dumps(paper_line()) + "\n")
    assert_refused(r"is a second file of a, after a--temp", load_answers, folder)


def test_wrong_folders_and_arguments_are_told(folder: Path) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        (("nowhere",), {}, "is neither a file nor a folder"),
        ((".", "gpqa"), {}, r"benchmark='gpqa' is not a subfolder of .*: its subfolders are: GPQA"),
        ((folder,), {}, r"files must end in \.csv"),
        ((folder,), {"invalid_rows": "keep"}, "invalid_rows='keep'"),
        ((folder,), {"models": ["a", "a"]}, "each once"),
        (("\0",), {}, "is neither a file nor a folder"),
        ((7,), {}, "cannot be read"),
    ]
    for arguments, options, words in calls:
        assert_refused(words, load_answers, *arguments, **options)
    write_paper(folder, "a", [paper_line()])
    for options, words in (
        ({}, "choose a benchmark among GPQA"),
        ({"benchmark": "GPQA", "accept": ["zero-prices"]}, "accept='zero-prices' changes nothing"),
        ({"benchmark": "GPQA", "repeats": "last"}, "repeats='last' changes nothing"),
    ):
        assert_refused(words, load_answers, ".", **options)


def test_a_file_of_nothing_but_invalid_rows_is_an_error(folder: Path) -> None:
    (folder / "mine.csv").write_text(f"{HEADER}a,q,0,maybe,5,\n")
    assert_refused("holds no answer that counts", load_answers, folder, invalid_rows="drop")


@given(st.sets(st.integers(0, 10**30)), st.sets(st.text()))
def test_numbers_in_names_sort_as_numbers(numbers: set[int], names: set[str]) -> None:
    assert natural_order({f"q-{i}" for i in numbers}) == [f"q-{i}" for i in sorted(numbers)]
    assert set(natural_order(names)) == names
    assert natural_order(sorted(names)) == natural_order(sorted(names, reverse=True))


# ----------------------------------------------------------------------------------------------------
# The paper's data by name.

MODELS = ("Llama-3-8B", "Llama-3-8B-Instruct", "Qwen2-7B")


class Hub(SimpleNamespace):
    """Stands for huggingface_hub: copies what matches into its cache, and returns that folder."""

    def snapshot_download(self, name: str, *, repo_type: str, revision: str | None, allow_patterns: list[str]) -> str:
        self.calls.append((name, repo_type, revision))
        if self.error is not None:
            raise self.error
        for path in self.source.rglob("*.jsonl"):
            found = path.relative_to(self.source)
            if any(fnmatch.fnmatch(str(found), pattern) for pattern in allow_patterns):
                (self.cache / found).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.cache / found)
        return str(self.cache)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    found = Hub(source=tmp_path / "hub", cache=tmp_path / "cache", calls=[], error=None)
    for benchmark in ("GPQA", "GSM8K"):
        (found.source / benchmark).mkdir(parents=True)
        for model in MODELS:
            write_paper(found.source / benchmark, model, [paper_line()])
    monkeypatch.setitem(sys.modules, "huggingface_hub", found)
    return found


def test_one_benchmark_or_some_models_are_downloaded_and_load(hub: Hub) -> None:
    folder = download_generations("GPQA", revision="760f75d")
    assert hub.calls == [(PAPER_DATA, "dataset", "760f75d")]
    assert [path.name for path in hub.cache.iterdir()] == ["GPQA"]
    found = load_answers(folder, "GPQA", require_rewards=True)
    assert (found.name, found.models) == ("GPQA", MODELS)
    shutil.rmtree(hub.cache / "GPQA")
    assert load_answers(download_generations("GPQA", models=["Llama-3-8B"])).models == ("Llama-3-8B",)
    assert load_answers(download_generations("GPQA", models="Qwen2-7B")).models == ("Llama-3-8B", "Qwen2-7B")


# Not "benchmark": a plugin claims that name.
@pytest.mark.for_each("asked", ["MATH", "*", "../GPQA", "..", "", "G?QA"])
def test_a_benchmark_that_is_not_there_is_told(hub: Hub, asked: str) -> None:
    assert_refused("benchmark=", download_generations, asked)
    hub.calls.clear()
    assert_refused(r"models='\*'", download_generations, "GPQA", models=["*"])
    assert hub.calls == []


def test_a_failed_download_is_one_line(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    for hub.error in (ConnectionError("no route"), ValueError("no such revision"), FileNotFoundError(2, "gone")):
        with pytest.raises(InputError, match=r"^name='.*cannot be downloaded \((no route|no such revision|gone)\)"):
            download_generations("GPQA")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert_refused(r"pip install 'costproof\[hub\]'", download_generations, "GPQA")


@pytest.mark.long("needs huggingface_hub")
def test_the_real_package_takes_these_arguments() -> None:
    """The stand-in above would hide a change of the package's interface."""
    real = pytest.importorskip("huggingface_hub")
    inspect.signature(real.snapshot_download).bind(
        PAPER_DATA, repo_type="dataset", revision=None, allow_patterns=["GPQA/*"]
    )
    for name in ("HfHubHTTPError", "LocalEntryNotFoundError", "HFValidationError", "OfflineModeIsEnabled"):
        assert issubclass(getattr(real.errors, name), (OSError, ValueError))


# ----------------------------------------------------------------------------------------------------
# The layout that the paper's authors prepare.

PREPARED = {"Qwen2-7B": 0.7, "Llama-3-8B": 0.4}


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    rng = random.Random(1)
    for model, quality in PREPARED.items():
        rows, rewards = [], []
        for q in range(5):
            right = [int(rng.random() < quality) for _ in range(4)]
            tokens: list[Any] = [rng.randrange(1, 500) for _ in range(4)]
            rows.append({"qid": f"gpqa_{q}", "correctness": right, "num_tokens": tokens})
            rewards.append({"qid": f"gpqa_{q}", "rewards": [rng.choice((0.25, 0.5)) + x for x in right]})
        write(tmp_path / "datasets" / "GPQA" / f"{model}.jsonl", rows)
        write(tmp_path / "rewards" / "GPQA" / f"{model}.jsonl", rewards)
    return tmp_path


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    "place", [("", "GPQA"), ("datasets", "GPQA"), ("datasets/GPQA", None), ("datasets/GPQA", "GPQA")]
)
def test_the_means_are_those_of_the_standard_library(prepared: Path, place: tuple[str, str | None]) -> None:
    found = load_answers(prepared / place[0], place[1], require_rewards=True)
    assert (found.name, found.samples, len(found.questions)) == ("GPQA", 4, 5)
    for model in PREPARED:
        rows = lines(prepared / "datasets" / "GPQA" / f"{model}.jsonl")
        right = [Fraction(sum(row["correctness"]), 4) for row in rows]
        assert found.quality(model) == sum(right) / 5
        assert found.mean_tokens(model) == Fraction(sum(sum(row["num_tokens"]) for row in rows), 20)
        # Best of 2: every ordered pair, the higher reward, the first of two equal ones.
        total = Fraction(0)
        for row, rewarded in zip(rows, lines(prepared / "rewards" / "GPQA" / f"{model}.jsonl"), strict=True):
            reward = rewarded["rewards"]
            for a, b in permutations(range(4), 2):
                total += Fraction(row["correctness"][b if reward[b] > reward[a] else a], 12)
        assert found.quality(model, 2) == total / 5


def test_without_rewards_the_data_serve_single_generations(prepared: Path) -> None:
    for path in (prepared / "rewards" / "GPQA").iterdir():
        path.unlink()
    assert_refused("has no file of rewards of these models", load_answers, prepared, "GPQA")
    (prepared / "rewards" / "GPQA").rmdir()
    found = load_answers(prepared, "GPQA")
    assert found.reward is None
    assert len(found.questions) == 5


def test_what_does_not_match_is_told(prepared: Path) -> None:
    path = prepared / "rewards" / "GPQA" / "Qwen2-7B.jsonl"
    rows = lines(path)
    write(path, [{"qid": "gpqa_x", "rewards": [1.0]}, {**rows[0], "rewards": rows[0]["rewards"][:3]}, *rows[2:]])
    found = load_answers(prepared, "GPQA", require_rewards=True)
    assert found.questions == ("gpqa_2", "gpqa_3", "gpqa_4")
    assert [str(each) for each in found.misaligned] == [
        "question 'gpqa_0': Qwen2-7B lacks 1 of 4 rewards (Qwen2-7B.jsonl:1)",
        "question 'gpqa_1': Qwen2-7B lacks 4 of 4 rewards (Qwen2-7B.jsonl:2)",
    ]
    assert "rewards/Qwen2-7B.jsonl has rewards of 1 unknown questions, as 'gpqa_x'; they are ignored" in found.noticed


@pytest.mark.for_each(
    ("row", "said"),
    [
        ({"qid": "gpqa_0", "rewards": 3}, "rewards/Qwen2-7B.jsonl:1:rewards=3 must be a list"),
        ({"qid": "gpqa_0", "rewards": ["x"]}, "rewards[0]='x' must be a number"),
        ({"rewards": [1]}, "rewards/Qwen2-7B.jsonl:1:qid=None must be a name"),
    ],
)
def test_wrong_rewards_are_refused(prepared: Path, row: dict[str, Any], said: str) -> None:
    write(prepared / "rewards" / "GPQA" / "Qwen2-7B.jsonl", [row])
    assert said in str(refusal(load_answers, prepared, "GPQA"))

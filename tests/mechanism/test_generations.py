"""Recorded generations: qualities against every ordered sample, downloads, and the layout that the authors prepare."""

from __future__ import annotations

import fnmatch
import inspect
import json
import random
import shutil
import sys
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.recorded.alignment import AlignmentReport, Misalignment, natural_order
from mechanism.recorded.files import load_generations
from mechanism.recorded.generations import Generations, token_cost
from mechanism.recorded.hub import PAPER_DATA, download_generations

ARRAYS = ("models", "questions", "correct", "tokens", "reward")


def recorded(correct: Any, tokens: Any = None, reward: Any = None, **options: Any) -> Generations:
    models = tuple(f"m{i}" for i in range(len(correct)))
    questions = tuple(f"q{i}" for i in range(len(correct[0])))
    tokens = np.ones_like(np.array(correct)) if tokens is None else tokens
    return Generations(
        benchmark="toy", models=models, questions=questions, correct=correct, tokens=tokens, reward=reward, **options
    )


@st.composite
def one_model(draw: st.DrawFn) -> tuple[list[list[int]], list[list[float]]]:
    samples, questions = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    few = st.sampled_from([-0.0, 0.0, 0.5, -1e300, float(np.nextafter(0.5, 1))])
    row = st.lists(st.tuples(st.integers(0, 1), few), min_size=samples, max_size=samples)
    rows = draw(st.lists(row, min_size=questions, max_size=questions))
    return [[c for c, _ in row] for row in rows], [[r for _, r in row] for row in rows]


def enumerated_quality(correct: list[list[int]], reward: list[list[float]], n: int) -> Fraction:
    """Every ordered sample of n distinct generations is equally likely; the first of the best is returned."""
    right = cases = 0
    for labels, scores in zip(correct, reward, strict=True):
        for sample in permutations(range(len(labels)), n):
            best = next(i for i in sample if scores[i] == max(scores[j] for j in sample))
            right, cases = right + labels[best], cases + 1
    return Fraction(right, cases)


@given(one_model())
def test_quality_is_that_of_all_ordered_samples(data: tuple[list[list[int]], list[list[float]]]) -> None:
    correct, reward = data
    generations = recorded([correct], reward=[reward])
    for n in range(1, len(correct[0]) + 1):
        assert generations.best_of_n_quality("m0", n) == enumerated_quality(correct, reward, n)


def test_tokens_and_costs_are_exact() -> None:
    tokens = [[[10, 20, 31], [1, 2, 3]]]
    generations = recorded(np.zeros((1, 2, 3), int), tokens)
    assert generations.mean_tokens("m0") == Fraction(67, 6)
    samples = [s for row in tokens[0] for s in permutations(row, 2)]
    assert generations.mean_tokens("m0", 2) == Fraction(sum(map(sum, samples)), len(samples))
    assert generations.most_tokens("m0", 2) == 51
    assert generations.mean_cost("m0", 2, 0.1) == Fraction(67, 3) * Fraction(0.1) / Fraction(5, 4)
    assert token_cost(0.2, 0.0) == Fraction(0.2)


@pytest.mark.for_each(
    ("arguments", "message"),
    [
        ((("m", "m"), ("q",), [[[1]], [[1]]], [[[1]], [[1]]]), "models='m' is given twice"),
        (((), ("q",), [], []), "models=() must be one or more"),
        ((("m",), ("",), [[[1]]], [[[1]]]), "questions=('',) must be one or more non-empty strings"),
        ((("m",), ("q",), [[[2]]], [[[1]]]), "correct[0, 0, 0]=2 must be a whole number in 0..1"),
        ((("m",), ("q",), [[[0.5]]], [[[1]]]), "correct[0, 0, 0]=0.5 must be a whole number in 0..1"),
        ((("m",), ("q",), [[[1, 1]]], [[[1, -1]]]), "tokens[0, 0, 1]=-1 must be a whole number in 0..2147483647"),
        ((("m",), ("q",), [[[1, 1]]], [[[1]]]), "tokens=(1, 1, 1) must have shape (1, 1, 2)"),
        ((("m",), ("q",), [[[]]], [[[]]]), "correct='float64 of shape (1, 1, 0)' must be numbers of shape (1, 1, S)"),
        ((("m",), ("q",), [[["1"]]], [[[1]]]), "correct='<U1 of shape (1, 1, 1)' must be numbers"),
        ((("m",), ("q",), [[[1]]], [[[1]]], [[[float("nan")]]]), "reward[0, 0, 0]=nan must be finite"),
    ],
)
def test_bad_arrays_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Generations(benchmark="toy", **dict(zip(ARRAYS, arguments, strict=False)))
    assert message in str(caught.value)


@pytest.mark.for_each("n", [0, 3, -1, True, 1.0, "1"])
def test_a_bad_number_of_candidates_is_refused(n: Any) -> None:
    generations = recorded([[[1, 0]]], reward=[[[1.0, 2.0]]])
    for method in (generations.best_of_n_quality, generations.mean_tokens, generations.most_tokens):
        with pytest.raises(InputError, match=r"must be a whole number in 1\.\.2"):
            method("m0", n)


def test_an_unknown_model_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="did you mean 'm0'"):
        recorded([[[1]]]).best_of_n_quality("m0x")


@pytest.mark.for_each(("price", "margin"), [(0, 0.25), (-1.0, 0.25), (float("nan"), 0.25), (1.0, -0.1), ("1", 0)])
def test_bad_prices_are_refused(price: Any, margin: Any) -> None:
    with pytest.raises(InputError):
        token_cost(price, margin)


def test_best_of_n_without_rewards_says_which_are_missing() -> None:
    missing = Misalignment("q0", "m0", "lacks 1 of 2 rewards", "a.jsonl:1")
    generations = recorded([[[1, 0]]], alignment=AlignmentReport(reward_misalignments=(missing,)))
    assert generations.best_of_n_quality("m0") == Fraction(1, 2)
    with pytest.raises(InputError, match=r"lacks 1 of 2 rewards.*require_rewards=True"):
        generations.best_of_n_quality("m0", 2)


@given(st.lists(st.integers(0, 10**30), unique=True))
def test_numbers_in_names_sort_as_numbers(numbers: list[int]) -> None:
    assert natural_order(f"q-{i}" for i in numbers) == [f"q-{i}" for i in sorted(numbers)]


@given(st.sets(st.text()))
def test_natural_order_keeps_every_name(names: set[str]) -> None:
    assert set(natural_order(names)) == names
    assert natural_order(sorted(names)) == natural_order(sorted(names, reverse=True))


LINE = {"qid": "gpqa-1", "correct": [True, False], "num_tokens": [3, 4], "rewards": [0.5, 0.25]}
MODELS = ("Llama-3-8B", "Llama-3-8B-Instruct", "Qwen2-7B")


class Hub(ModuleType):
    """Behaves as huggingface_hub.snapshot_download: copies what matches, and returns the folder."""

    def __init__(self, source: Path, cache: Path) -> None:
        super().__init__("huggingface_hub")
        self.source, self.cache = source, cache
        self.calls: list[dict[str, Any]] = []

    def snapshot_download(
        self, repo_id: str, *, repo_type: str, revision: str | None, allow_patterns: list[str]
    ) -> str:
        self.calls.append({"repo_id": repo_id, "repo_type": repo_type, "revision": revision})
        for path in self.source.rglob("*.*"):
            name = path.relative_to(self.source)
            if any(fnmatch.fnmatch(str(name), pattern) for pattern in allow_patterns):
                (self.cache / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, self.cache / name)
        return str(self.cache)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    for benchmark in ("GPQA", "GSM8K"):
        for model in MODELS:
            path = tmp_path / "hub" / benchmark / f"{model}--temp-0.6--samples-2--max-512.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(LINE))
    replaced = Hub(tmp_path / "hub", tmp_path / "cache")
    replaced.cache.mkdir()
    monkeypatch.setitem(sys.modules, "huggingface_hub", replaced)
    return replaced


def test_one_benchmark_is_downloaded_and_loads(hub: Hub) -> None:
    folder = download_generations("GPQA", revision="760f75d")
    assert hub.calls == [{"repo_id": PAPER_DATA, "repo_type": "dataset", "revision": "760f75d"}]
    assert [path.name for path in hub.cache.iterdir()] == ["GPQA"]
    found = load_generations(folder, "GPQA", require_rewards=True)
    assert (found.benchmark, found.models) == ("GPQA", MODELS)


def test_models_limit_the_download(hub: Hub) -> None:
    folder = download_generations("GPQA", models=["Llama-3-8B"])
    assert load_generations(folder).models == ("Llama-3-8B",)
    assert load_generations(download_generations("GPQA", models="Qwen2-7B")).models == ("Llama-3-8B", "Qwen2-7B")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match=r"pip install 'costproof\[hub\]'"):
        download_generations("GPQA")


# Not "benchmark": a plugin claims that name.
@pytest.mark.parametrize("asked", ["MATH", "*", "../GPQA", "..", "", "G?QA"])
def test_a_benchmark_that_is_not_there_is_told(hub: Hub, asked: str) -> None:
    with pytest.raises(InputError, match="benchmark="):
        download_generations(asked)
    hub.calls.clear()
    with pytest.raises(InputError, match=r"models='\*'"):
        download_generations("GPQA", models=["*"])
    assert hub.calls == []


@pytest.mark.parametrize(
    "error", [ConnectionError("no route"), ValueError("no such revision"), FileNotFoundError(2, "gone")]
)
def test_a_failed_download_is_one_line(hub: Hub, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: Any, **__: Any) -> str:
        raise error

    monkeypatch.setattr(hub, "snapshot_download", fail, raising=False)
    with pytest.raises(InputError, match=r"^name='.*cannot be downloaded \((no route|no such revision|gone)\)"):
        download_generations("GPQA")


@pytest.mark.long("needs huggingface_hub")
def test_the_real_package_takes_these_arguments() -> None:
    """The stand-in above would hide a change of the package's interface."""
    real = pytest.importorskip("huggingface_hub")
    inspect.signature(real.snapshot_download).bind(
        PAPER_DATA, repo_type="dataset", revision=None, allow_patterns=["GPQA/*"]
    )
    for name in ("HfHubHTTPError", "LocalEntryNotFoundError", "HFValidationError", "OfflineModeIsEnabled"):
        assert issubclass(getattr(real.errors, name), (OSError, ValueError))


PREPARED = {"Qwen2-7B": 0.7, "Llama-3-8B": 0.4}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
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
def test_the_means_are_those_of_the_standard_library(folder: Path, place: tuple[str, str | None]) -> None:
    found = load_generations(folder / place[0], place[1], require_rewards=True)
    assert (found.benchmark, found.samples, len(found.questions)) == ("GPQA", 4, 5)
    for model in PREPARED:
        rows = lines(folder / "datasets" / "GPQA" / f"{model}.jsonl")
        right = [Fraction(sum(row["correctness"]), 4) for row in rows]
        assert found.best_of_n_quality(model) == sum(right) / 5
        assert found.mean_tokens(model) == Fraction(sum(sum(row["num_tokens"]) for row in rows), 20)
        # Best of 2: every ordered pair, the higher reward, the first of two equal ones.
        total = Fraction(0)
        for row, rewarded in zip(rows, lines(folder / "rewards" / "GPQA" / f"{model}.jsonl"), strict=True):
            reward = rewarded["rewards"]
            for a, b in permutations(range(4), 2):
                total += Fraction(row["correctness"][b if reward[b] > reward[a] else a], 12)
        assert found.best_of_n_quality(model, 2) == total / 5


def test_without_rewards_the_data_serve_single_generations(folder: Path) -> None:
    for path in (folder / "rewards" / "GPQA").iterdir():
        path.unlink()
    with pytest.raises(InputError, match="has no file of rewards of these models"):
        load_generations(folder, "GPQA")
    (folder / "rewards" / "GPQA").rmdir()
    found = load_generations(folder, "GPQA")
    assert found.reward is None
    assert len(found.questions) == 5


def test_what_does_not_match_is_told(folder: Path) -> None:
    path = folder / "rewards" / "GPQA" / "Qwen2-7B.jsonl"
    rows = lines(path)
    write(path, [{"qid": "gpqa_x", "rewards": [1.0]}, {**rows[0], "rewards": rows[0]["rewards"][:3]}, *rows[2:]])
    found = load_generations(folder, "GPQA", require_rewards=True)
    assert found.questions == ("gpqa_2", "gpqa_3", "gpqa_4")
    assert [str(each) for each in found.alignment.misalignments] == [
        "question 'gpqa_0': Qwen2-7B has 3 rewards for 4 generations (GPQA/Qwen2-7B.jsonl:1)",
        "question 'gpqa_1': Qwen2-7B has 0 rewards for 4 generations (GPQA/Qwen2-7B.jsonl:2)",
    ]
    assert found.alignment.unused_rewards == (
        "rewards/GPQA/Qwen2-7B.jsonl has rewards of 1 unknown questions, as 'gpqa_x'",
    )


@pytest.mark.for_each(
    ("row", "said"),
    [
        ({"qid": "gpqa_0", "rewards": 3}, "rewards/GPQA/Qwen2-7B.jsonl:1:rewards=3 must be a list"),
        ({"qid": "gpqa_0", "rewards": ["x"]}, "rewards[0]='x' must be a number"),
        ({"rewards": [1]}, "rewards/GPQA/Qwen2-7B.jsonl:1:qid=None must be a name"),
    ],
)
def test_wrong_rewards_are_refused(folder: Path, row: dict[str, Any], said: str) -> None:
    write(folder / "rewards" / "GPQA" / "Qwen2-7B.jsonl", [row])
    with pytest.raises(InputError) as caught:
        load_generations(folder, "GPQA")
    assert said in str(caught.value)

"""The layout that the paper's authors prepare: `datasets/` and `rewards/`."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from bounds.errors import InputError
from mechanism.recorded.files import load_generations

MODELS = {"Qwen2-7B": 0.7, "Llama-3-8B": 0.4}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    for model, quality in MODELS.items():
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
    for model in MODELS:
        rows = lines(folder / "datasets" / "GPQA" / f"{model}.jsonl")
        right = [Fraction(sum(row["correctness"]), 4) for row in rows]
        assert found.best_of_n_quality(model) == sum(right) / 5
        assert found.mean_tokens(model) == Fraction(sum(sum(row["num_tokens"]) for row in rows), 20)
        # Best of 2: every ordered pair, the higher reward, the first of two equal ones.
        total = Fraction(0)
        for row, given in zip(rows, lines(folder / "rewards" / "GPQA" / f"{model}.jsonl"), strict=True):
            reward = given["rewards"]
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


@pytest.mark.parametrize(
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


def test_wrong_labels_name_their_column(folder: Path) -> None:
    path = folder / "datasets" / "GPQA" / "Qwen2-7B.jsonl"
    rows = lines(path)
    rows[1]["correctness"][2] = 2
    write(path, rows)
    with pytest.raises(InputError) as caught:
        load_generations(folder, "GPQA")
    assert "GPQA/Qwen2-7B.jsonl:2:correctness[2]=2 must be true or false" in str(caught.value)


def test_a_benchmark_must_be_named(folder: Path) -> None:
    with pytest.raises(InputError, match="choose a benchmark among GPQA"):
        load_generations(folder)
    with pytest.raises(InputError, match="its subfolders are: GPQA"):
        load_generations(folder, "GSM8K")

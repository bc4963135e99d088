"""`costproof simulate --generations`: recorded generations on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.episode import simulate
from mechanism.metrics.measures import metrics_of
from mechanism.metrics.tally import tally_of
from mechanism.policies import POLICIES
from mechanism.recorded.files import load_generations
from mechanism.recorded.setting import recorded_laws
from mechanism.tabular.traces import read_trace
from proofs_checks.cli.main import main

HORIZON = 400
COMMON = ("--horizon", HORIZON, "--runs", 2, "--jobs", 1, "--json")


def made_up_lines(model: str, quality: float, questions: int = 6, samples: int = 4) -> list[dict]:
    """The layout of the paper's data; exactly `quality` of the generations are right."""
    rng = np.random.default_rng(len(model))
    right = rng.permutation(np.arange(questions * samples) < quality * questions * samples).reshape(questions, samples)
    return [
        {
            "qid": f"q{i}",
            "correct": row.tolist(),
            "num_tokens": rng.integers(1, 40, samples).tolist(),
            "rewards": (0.5 * rng.integers(0, 2, samples) + row).tolist(),
        }
        for i, row in enumerate(right)
    ]


def write(folder: Path, model: str, lines: list[dict]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{model}--made-up.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "generations" / "quiz"
    place.mkdir(parents=True)
    write(place, "large", made_up_lines("large", 0.75))
    write(place, "small", made_up_lines("small", 0.25))
    return place


@pytest.fixture
def setting(folder: Path, tmp_path: Path) -> Setting:
    """A setting with the data's exact numbers."""
    generations = load_generations(folder)
    roster = [("large", 0.2, 1), ("large", 0.2, 2), ("small", 0.1, 1), ("small", 0.1, 3)]
    platform = PlatformParameters(0.5, 0.05, 40.0, 0.5, 0.75)
    providers = [
        Provider(
            f"{model}@{n}",
            float(generations.best_of_n_quality(model, n)),
            float(generations.mean_cost(model, n, price)),
            price,
            n,
        )
        for model, price, n in roster
    ]
    found = Setting("quiz", platform, tuple(providers))
    (tmp_path / "quiz.toml").write_text(format_setting(found), encoding="utf-8")
    return found


@pytest.fixture
def call(setting: Setting, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*more: object) -> tuple[int, str, str]:
        capsys.readouterr()
        words = ("simulate", tmp_path / "quiz.toml", "--generations", folder, *COMMON, *more)
        return main([str(word) for word in words]), *capsys.readouterr()

    return run


def test_runs_are_those_of_the_plain_episode(call, setting: Setting, folder: Path, tmp_path: Path) -> None:
    code, out, err = call("--out", tmp_path / "out")
    data = json.loads(out)
    laws = recorded_laws(load_generations(folder), setting)
    assert (code, err) == (0, "")
    assert list(data["policies"]) == list(POLICIES)
    assert data["market"] == json.loads(json.dumps(laws.describe()))
    for name, policy in POLICIES.items():
        expected = []
        for run in range(2):
            trace = simulate(setting, horizon=HORIZON, seed=data["seed"], run=run, policy=policy, laws=laws)
            kept = read_trace(tmp_path / "out" / f"{name}-{run:04d}.csv.gz", setting)
            for column, values in trace.columns().items():
                assert values.tobytes() == kept.columns()[column].tobytes()
            expected.append(metrics_of(setting, tally_of(setting, trace, (), policy), window=HORIZON).accuracy)
        assert data["policies"][name]["accuracy"]["mean"] == pytest.approx(np.mean(expected), rel=1e-12)


def test_the_folder_is_resumed_with_the_same_data_only(call, folder: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out", "--no-traces")
    first, again = (json.loads(call(*out)[1]) for _ in range(2))
    assert (first["resumed_runs"], again["resumed_runs"]) == (0, 10)
    assert first["policies"] == again["policies"]
    lines = made_up_lines("small", 0.25)
    lines[3]["num_tokens"][0], lines[3]["num_tokens"][1] = lines[3]["num_tokens"][1], lines[3]["num_tokens"][0]
    write(folder, "small", lines)  # all qualities and costs stay
    code, _, err = call(*out)
    assert code == 2
    assert "market_tables" in err
    without = ["simulate", tmp_path / "quiz.toml", *COMMON, *out]
    assert main([str(word) for word in without]) == 2


def test_questions_that_are_left_out_are_told(call, folder: Path) -> None:
    lines = made_up_lines("small", 0.25)
    write(folder, "small", [*lines[:-1], {**lines[-1], "rewards": [None, 1, 1, 1]}])
    code, out, err = call()
    assert code == 0
    assert json.loads(out)["market"]["dropped"] == ["q5"]
    notes = " ".join(err.split()).split("costproof: note: ")[1:]
    assert "1 question(s) are left out (small lacks 1): question 'q5': small lacks 1 of 4 rewards" in notes[0]


@pytest.mark.parametrize(
    ("more", "mentioned"), [(("--generations", "nowhere"), "nowhere"), (("--benchmark", "other"), "other")]
)
def test_a_missing_folder_is_one_line(call, more: tuple[str, ...], mentioned: str) -> None:
    code, out, err = call(*more)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert mentioned in err

"""The hub is replaced by a folder: no test uses the network."""

import fnmatch
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bounds.errors import InputError
from mechanism.recorded.files import load_generations
from mechanism.recorded.hub import PAPER_DATA, download_generations

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


def test_a_model_that_is_no_plain_name_is_refused(hub: Hub) -> None:
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
    with pytest.raises(
        InputError, match=r"^name='Human-Centric.*cannot be downloaded \((no route|no such revision|gone)\)"
    ):
        download_generations("GPQA")


def test_the_real_package_takes_these_arguments() -> None:
    """The stand-in above would hide a change of the package's interface."""
    import inspect

    real = pytest.importorskip("huggingface_hub")
    inspect.signature(real.snapshot_download).bind(
        PAPER_DATA, repo_type="dataset", revision=None, allow_patterns=["GPQA/*"]
    )
    for name in ("HfHubHTTPError", "LocalEntryNotFoundError", "HFValidationError", "OfflineModeIsEnabled"):
        assert issubclass(getattr(real.errors, name), (OSError, ValueError))

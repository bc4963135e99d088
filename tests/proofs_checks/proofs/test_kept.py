"""What is kept between runs: that Coq checked the sources here; never an error, and never believed of another user."""

import os
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proofs_checks.proofs.kept import keep, read_kept
from proofs_checks.proofs.kernel import theorems as kernel
from proofs_checks.proofs.kernel.theorems import remember, said_here

pytestmark = pytest.mark.usefixtures("folder", "_fresh")


@pytest.fixture
def _fresh() -> Iterator[None]:
    said_here.cache_clear()
    yield
    said_here.cache_clear()


class Hostile:
    """What writes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.marker,)


def test_a_pickle_among_what_is_kept_is_never_loaded(folder: Path) -> None:
    marker = folder / "marker"
    attack = pickle.dumps(Hostile(marker))
    pickle.loads(attack)
    assert marker.exists()
    marker.unlink()
    (folder / "kernel.json").write_bytes(attack)
    assert said_here() is None
    assert not marker.exists()


@pytest.mark.parametrize("content", ["[]", "{", '{"KEY": 3}', '{"KEY": {"coq": "8"}}', "\x00", "[" * 9999])
def test_a_spoilt_file_says_nothing_and_is_made_again(folder: Path, content: str) -> None:
    (folder / "kernel.json").write_text(content.replace("KEY", kernel._key()))
    assert said_here() is None
    remember("8.99")
    assert said_here() == kernel.CoqSaid(coq="8.99")


def test_where_nothing_can_be_written_nothing_is_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    for place in (str(folder / "file"), "off", "/proc/none"):
        monkeypatch.setenv("COSTPROOF_CACHE", place)
        remember("8.99")
        assert said_here() is None


def test_the_page_on_security_names_every_file_that_is_kept(folder: Path) -> None:
    remember("8.99")
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    [unasked] = [line for line in page.splitlines() if line.startswith("| written unasked")]
    files = [str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()]
    assert files == [f"{kernel._REMEMBERED}.json"]
    assert set(files) <= set(re.findall(r"`([^`]+)`", unasked))


def test_a_table_may_be_shared(folder: Path) -> None:
    keep("t", {"a": 1})
    keep("t", {"b": 2})
    assert read_kept("t") == {"a": 1, "b": 2}


def test_what_another_user_wrote_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep("t", {"a": 1})
    monkeypatch.setattr(os, "getuid", lambda: -1, raising=False)
    assert read_kept("t") == {}

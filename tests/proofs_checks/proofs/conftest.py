"""What the tests of this room share: nothing that Coq said is kept."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests change what Coq says: nothing of it may be kept, or be known from before."""
    monkeypatch.setenv("COSTPROOF_CACHE", "off")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path))
    return tmp_path

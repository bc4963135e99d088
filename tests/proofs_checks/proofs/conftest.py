"""What the tests of this room share: nothing that solvers or Coq said is kept, and one process of each solver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_checks.proofs.solvers.solvers import shared_processes


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests change what Coq says: nothing of it may be kept, or be known from before."""
    monkeypatch.setenv("COSTPROOF_CACHE", "off")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _nothing_is_kept: None) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("COSTPROOF_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def shared_solvers() -> Iterator[None]:
    """One process of each solver for all tests of a module."""
    with shared_processes():
        yield

"""What tests of the readers of files share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder of its own: messages show long paths in part."""
    monkeypatch.chdir(tmp_path)
    return tmp_path

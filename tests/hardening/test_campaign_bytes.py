"""A thousand single-byte changes of a campaign's folder; docs/campaigns.md has the figures that this prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mechanism.byte_changes import attacked


@pytest.mark.hardening
@pytest.mark.parametrize("in_database", [False, True], ids=["all files", "database"])
def test_a_thousand_bytes(tmp_path: Path, in_database: bool) -> None:
    found = attacked(tmp_path, 1000, seed=15, in_database=in_database)
    for what, times in sorted(found.items()):
        print(f"{times:5} {what}")  # noqa: T201
    assert sum(found.values()) == 1000

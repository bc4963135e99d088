"""What tests of the suite share."""

import pytest

from proofs_checks.conformance.checks import search


@pytest.fixture
def little_shrinking(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Shrink little, or as little as a module says: what is caught matters, not how small it is shown."""
    monkeypatch.setattr(search, "SHRINKING", getattr(request.module, "SHRINKING", 5))

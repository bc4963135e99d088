"""What tests of audits share."""

import pytest


@pytest.fixture
def undiagnosed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the diagnosis, which takes most of the time of an audit that finds violations."""
    monkeypatch.setattr("proofs_checks.audit.run.diagnose", lambda log: ())

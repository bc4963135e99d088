"""Makes the gallery of broken platforms and logs next to the tests importable, and shares the default instances."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from proofs_checks.case import Case
from proofs_checks.instances import random_case
from proofs_checks.verify import DEFAULT

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def default_cases() -> list[Case]:
    """The instances that `verify` tries by default."""
    return [random_case(0, instance) for instance in range(DEFAULT.instances)]

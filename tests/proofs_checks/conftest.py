"""The instances that `verify` tries by default, drawn once for all tests."""

from __future__ import annotations

import pytest

from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.registry import all_claims
from proofs_checks.verify.run import DEFAULT


@pytest.fixture(scope="session")
def default_cases() -> list[Case]:
    """The instances that `verify` tries by default."""
    return [instance_case(0, instance) for instance in range(DEFAULT.instances)]


@pytest.fixture(scope="session")
def default_findings(default_cases: list[Case]) -> dict[str, list[Finding]]:
    """What every claim says about each of them."""
    return {
        label: [claim.check(case) for case in default_cases] for label, claim in all_claims().items() if claim.checks
    }

"""What all tests here share: commands, the default instances, drawn once, and a look at every printed document."""

import argparse
import functools
import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator

from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli import main, output
from proofs_checks.cli.schema import json_schema
from proofs_checks.verify.run import DEFAULT
from tests.proofs_checks.outcomes import Outcome, Run, outcome_of


@functools.cache
def _quick_validator(command: str) -> Any:
    return jsonschema_rs.Draft202012Validator(json_schema(command))


def _refused(command: str, document: Any) -> list[str]:
    """Return why the schema of a command refuses a document; nothing if it accepts it."""
    if _quick_validator(command).is_valid(document):
        return []
    found = [*Draft202012Validator(json_schema(command)).iter_errors(document)]
    return [f"{command} --json: {error.json_path}: {error.message[:200]}" for error in found] or [f"{command} --json"]


@pytest.fixture
def undiagnosed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the diagnosis, which takes most of the time of an audit that finds violations."""
    monkeypatch.setattr("proofs_checks.audit.run.diagnose", lambda log: ())


@pytest.fixture(scope="session", autouse=True)
def documents_keep_to_their_schemas() -> Iterator[None]:
    """Hold whatever a command prints with `--json`, in whatever test, to the command's schema."""
    # Commands are loaded when they run: one first loaded under a test's patch would keep what the patch put there.
    main.make_parser()
    run, print_json = main._run, output.print_json
    running: list[str] = []

    def held(data: Any) -> None:
        if running:
            assert _refused(running[-1], json.loads(json.dumps(data))) == []
        print_json(data)

    def holding(arguments: argparse.Namespace) -> int:
        running.append(arguments.command)
        try:
            return run(arguments)
        finally:
            running.pop()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output, "print_json", held)
        patch.setattr(main, "_run", holding)
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""
    return lambda *arguments: outcome_of(capsys, *arguments)


@pytest.fixture
def passed(run: Run) -> Run:
    """Run a command in this process that ends with exit code 0."""

    def passing(*arguments: object) -> Outcome:
        outcome = run(*arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return passing


@pytest.fixture(scope="session")
def default_cases() -> list[Case]:
    """The instances that `verify` tries by default."""
    return [instance_case(0, instance) for instance in range(DEFAULT.instances)]


@pytest.fixture(scope="session")
def default_findings(default_cases: list[Case]) -> dict[str, list[Evidence]]:
    """What every claim says about each of them."""
    return {
        label: [claim.check(case) for case in default_cases] for label, claim in all_claims().items() if claim.checks
    }

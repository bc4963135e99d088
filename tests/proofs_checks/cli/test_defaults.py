"""What helps say about defaults is true: the numbers live in modules that a help does not load."""

import inspect

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.published.defaults import HORIZON
from proofs_checks.audit.run import audit
from proofs_checks.cli.main import main, make_parser


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([command, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


def default_of(function: object, parameter: str) -> object:
    return inspect.signature(function).parameters[parameter].default


def test_horizons_are_the_papers(capsys: pytest.CaptureFixture[str]) -> None:
    assert {published(name).horizon for name in PUBLISHED_NAMES} == {HORIZON}
    assert all(f"(default {HORIZON:,}, the paper's)" in help_of(command, capsys) for command in ("bounds", "simulate"))


def test_audit(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"(default {default_of(audit, 'most_violations'):,})" in help_of("audit", capsys)
    given = make_parser().parse_args(["audit", "log.csv", "--setting", "gpqa-strong"])
    assert given.tolerance == default_of(audit, "tolerance")

"""What helps say about defaults is true: the numbers live in modules that a help does not load."""

import inspect

from bounds.published import PUBLISHED_NAMES, published
from bounds.published.defaults import HORIZON
from proofs_checks.audit.run import audit
from proofs_checks.cli.main import make_parser
from tests.proofs_checks.outcomes import Run


def default_of(function: object, parameter: str) -> object:
    return inspect.signature(function).parameters[parameter].default


def test_horizons_are_the_papers(passed: Run) -> None:
    assert {published(name).horizon for name in PUBLISHED_NAMES} == {HORIZON}
    for command in ("bounds", "simulate"):
        assert f"(default {HORIZON:,}, the paper's)" in passed(command, "--help").told


def test_audit(passed: Run) -> None:
    assert f"(default {default_of(audit, 'most_violations'):,})" in passed("audit", "--help").told
    given = make_parser().parse_args(["audit", "log.csv", "--setting", "gpqa-strong"])
    assert given.tolerance == default_of(audit, "tolerance")

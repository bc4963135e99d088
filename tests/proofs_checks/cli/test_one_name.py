"""What is said in two places is the same: names of quantities in tables of commands, and defaults in helps.

Names come from `bounds.glossary`; defaults live in modules that a help does not load.
"""

import inspect
import re

import pytest

from bounds.glossary import name_of
from bounds.guarantees import GUARANTEES
from bounds.published import PUBLISHED_NAMES, published
from bounds.published.defaults import HORIZON
from proofs_checks.audit.run import audit
from proofs_checks.cli.main import make_parser
from proofs_checks.explorer.metrics import METRICS
from tests.proofs_checks.outcomes import Run

NAME = "gpqa-strong"
#: Commands that name every guaranteed quantity in their tables.
WITH_ALL = {
    "bounds": ["bounds", NAME],
    "bounds --all": ["bounds", NAME, "--all"],
    "bounds --latex-table": ["bounds", NAME, "--latex-table"],
    "simulate": ["simulate", NAME, "--horizon", "2000", "--runs", "2", "--policy", "platform"],
    "plan": ["plan", NAME, "--goal", "identify-by=200k", "--runs", "0", "--all"],
    "sweep": ["sweep", NAME, "--over", "k=1,2", "--all"],
}


@pytest.mark.parametrize("named", WITH_ALL)
def test_every_table_of_guarantees_has_the_names(named: str, passed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    text = passed(*WITH_ALL[named]).out
    words = set(re.findall(r"[a-z]+", text.lower()))  # a narrow column has a name on several lines
    for name in filter(None, METRICS.values()) if named == "simulate" else GUARANTEES:
        assert set(name_of(name).split()) <= words
        assert name_of(name) in " ".join(text.lower().split()) or named == "sweep"


def default_of(function: object, parameter: str) -> object:
    return inspect.signature(function).parameters[parameter].default


def test_horizons_that_helps_name_are_the_papers(passed: Run) -> None:
    assert {published(name).horizon for name in PUBLISHED_NAMES} == {HORIZON}
    for command in ("bounds", "simulate"):
        assert f"(default {HORIZON:,}, the paper's)" in passed(command, "--help").told


def test_defaults_that_the_help_of_audit_names_are_those_of_python(passed: Run) -> None:
    assert f"(default {default_of(audit, 'most_violations'):,})" in passed("audit", "--help").told
    given = make_parser().parse_args(["audit", "log.csv", "--setting", "gpqa-strong"])
    assert given.tolerance == default_of(audit, "tolerance")

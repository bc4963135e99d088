"""One quantity, one name: tables of commands take it from `bounds.glossary`."""

import re

import pytest

from bounds.glossary import name_of
from bounds.guarantees import GUARANTEES
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

"""Amounts near the largest double: the audit counts them as what they are, without warning and without traceback."""

from pathlib import Path

import numpy as np
import pytest

from bounds.published import published
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from tests.proofs_checks.outcomes import Run


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize(
    ("names", "ending"),
    [(("cost",), "csv"), (("payment",), "parquet"), (("bid",), "csv"), (("cost", "payment", "bid"), "parquet")],
)
def test_sums_beyond_all_doubles_warn_nobody(names: tuple[str, ...], ending: str, tmp_path: Path, run: Run) -> None:
    setting = published("gpqa-strong").setting
    case = play(setting, "truthful", horizon=400, seed=0, run=0)
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    for name in names:
        columns[name][5::3] = np.finfo(float).max
    write_trace(Trace(**columns), tmp_path / f"log.{ending}", setting)
    outcome = run("audit", tmp_path / f"log.{ending}", "--setting", "gpqa-strong", "--jobs", 1)
    assert (outcome.code, outcome.err) == (1, "")
    assert "break a rule" in outcome.out or "out of range" in outcome.out or "outside" in outcome.out

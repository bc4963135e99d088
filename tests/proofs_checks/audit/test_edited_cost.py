"""One edited cost moves all later means of its provider: it is told as one cost, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.published import published
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.cli.main import main
from proofs_checks.pages.page import page_of
from tests.proofs_checks.pages.parsed import parsed

SETTING = published("gpqa-strong").setting
TRACE = simulate(SETTING, horizon=3_000, seed=1)
#: A row of the provider that serves most, with many of its rows after it.
ROW = int(np.flatnonzero(TRACE.provider == np.bincount(TRACE.provider).argmax())[50])


def audited(rows: int = 3_000, costs: Mapping[int, float] = {}, bids: Mapping[int, float] = {}) -> AuditReport:
    """The audit of the log with some costs and bids changed, in parts of so many rows."""
    columns = {name: column.copy() for name, column in TRACE.columns().items()}
    for name, changes in (("cost", costs), ("bid", bids)):
        for row, value in changes.items():
            columns[name][row] = value
    trace = Trace(**columns)

    def parts() -> Iterator[Trace]:
        for start in range(0, len(trace), rows):
            yield trace.rows(slice(start, start + rows))

    return audit(parts(), SETTING, labels=["eq:payment"])


@pytest.mark.for_each("rows", [3_000, 700, 64])
@pytest.mark.parametrize("cost", [0.0, 70.0])
def test_one_edited_cost_is_found(rows: int, cost: float) -> None:
    report = audited(rows, {ROW: cost})
    assert report.bids_off_mean_cost > 100
    assert report.edited_cost is not None
    assert (report.edited_cost.step, report.edited_cost.logged) == (ROW + 1, cost)
    assert report.edited_cost.instead == pytest.approx(TRACE.cost[ROW], abs=1e-6)  # type: ignore[index]


def test_a_right_log_has_none() -> None:
    report = audited()
    assert (report.bids_off_mean_cost, report.edited_cost) == (0, None)


def test_other_edits_are_not_told_so() -> None:
    """A bid, two costs of one provider, and costs of two providers."""
    own = np.flatnonzero(TRACE.provider == TRACE.provider[ROW])
    other = int(np.flatnonzero(TRACE.provider != TRACE.provider[ROW])[-40])
    last = int(own[-1])
    assert audited(bids={ROW: 1.0}).edited_cost is None
    assert audited(costs={ROW: 1.0, int(own[90]): 1.0}).edited_cost is None
    assert audited(costs={ROW: 1.0, other: 1.0}).edited_cost is None
    assert audited(bids={last: 1.0}).edited_cost is None
    # The last cost of a provider moves one bid alone, as an edit of that bid would.
    assert audited(costs={last: 1.0}).edited_cost is None


def test_a_log_of_other_bids_is_not_told_so() -> None:
    assert audited(bids=dict.fromkeys(range(1_000, 3_000), 30.0)).edited_cost is None


def told(folder: Path, capsys: pytest.CaptureFixture[str], *more: str, **cells: tuple[int, float]) -> tuple[int, str]:
    """The exit code and the output of the command on the log with one cell of a column changed."""
    columns = {name: column.copy() for name, column in TRACE.columns().items()}
    for name, (row, value) in cells.items():
        columns[name][row] = value
    path = folder / "log.csv"
    write_trace(Trace(**columns), path, SETTING)
    code = main(["audit", str(path), "--setting", "gpqa-strong", "--jobs", "1", *more])
    return code, " ".join(capsys.readouterr().out.split())


EDITED = f"No rule is broken in 3,000 steps, but one cost seems edited (step {ROW + 1:,}). "
NO_FAULT = "That breaks no rule and refutes no claim: the exit code is 0."


class TestTheFirstLine:
    """That no rule is broken is not all that a log says of which one cell is odd."""

    @pytest.mark.parametrize("more", [(), ("--claim", "eq:payment")])
    def test_of_an_edited_cost(self, more: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        code, shown = told(tmp_path, capsys, *more, cost=(ROW, 70.0))
        assert code == 0
        assert shown.startswith(EDITED)
        assert f"All are explained by one cost: at step {ROW + 1:,} the log has 70; with" in shown
        assert NO_FAULT in shown
        data = costproof.audit(str(tmp_path / "log.csv"), "gpqa-strong").to_data()
        assert (data["edited_cost"]["step"], data["first_bid_off_mean_cost"]) == (ROW + 1, ROW + 1)

    def test_of_a_cost_outside_the_range(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        code, shown = told(tmp_path, capsys, "--claim", "eq:payment", cost=(ROW, 1e4))
        assert code == 1
        assert shown.startswith("1 cost lies outside")
        assert EDITED in shown
        assert NO_FAULT not in shown

    def test_of_one_bid(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        """The last bid of a provider decides nothing here, as an edit of its last cost would."""
        last = int(np.flatnonzero(TRACE.provider == TRACE.provider[ROW])[-1])
        code, shown = told(tmp_path, capsys, "--claim", "eq:payment", cost=(last, TRACE.cost[last] + 1))  # type: ignore[index]
        assert code == 0
        odd = f"one bid is not the running mean cost (step {last + 1:,})"
        assert shown.startswith(f"No rule is broken in 3,000 steps, but {odd}. ")

    def test_of_a_right_log(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        code, shown = told(tmp_path, capsys)
        assert code == 0
        assert shown.startswith("No rule is broken in 3,000 steps. ")

    def test_of_a_page(self) -> None:
        shown = parsed(page_of(audited(costs={ROW: 70.0}).to_data())).text()
        assert f"One cost seems edited, at step {ROW + 1:,}: the log has 70; with " in shown
        last = int(np.flatnonzero(TRACE.provider == TRACE.provider[ROW])[-1])
        shown = parsed(page_of(audited(costs={last: 1.0}).to_data())).text()
        assert f"One bid is not the running mean cost of its provider, at step {last + 1:,}." in shown
        shown = parsed(page_of(audited().to_data())).text()
        assert "seems edited" not in shown
        assert "running mean cost of its provider" not in shown

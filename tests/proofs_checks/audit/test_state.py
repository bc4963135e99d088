"""`audit` with a state: parts of a growing log say together what one audit of the whole says."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import Setting
from costproof import audit
from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.tabular.layout import Join, LogLayout
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from tests.proofs_checks.audit.audited import edited, lost, right_case
from tests.proofs_checks.outcomes import Run

SETTING = published("gpqa-strong").setting
RULE = {"labels": "eq:payment"}


def in_parts(folder: Path, trace: Trace, cuts: list[int], setting: Setting = SETTING, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rows in cuts:
        write_trace(trace.head(rows), folder / "log.csv", setting)
        found = audit(folder / "log.csv", setting, state=folder / "state.json", **options).to_data()
    return found


def without_news(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name not in ("earlier", "nothing_new")}


TAMPERED = {
    "right": lambda trace: trace,
    "payment": lambda trace: edited("payment", lambda x: 0.9 * x)(trace, len(trace) - 10),
    "bid": lambda trace: edited("bid", lambda x: x + 5)(trace, len(trace) - 15),
    "lost": lambda trace: lost(trace, len(trace) - 15),
}


@pytest.mark.long("audits a log six times with all claims")
@pytest.mark.parametrize(
    ("log", "tampered"), [*product([0], TAMPERED), (2, "bid"), *product(["3,lost=0.02"], ["right", "lost"])]
)
def test_parts_say_what_the_whole_says(tmp_path: Path, log: int | str, tampered: str) -> None:
    setting = right_case(log).setting if isinstance(log, int) else SETTING
    plain = (
        right_case(log).trace if isinstance(log, int) else simulate(SETTING, horizon=600, seed=1, delay=delay_law(log))
    )
    trace = TAMPERED[tampered](plain)
    cuts = sorted(np.random.default_rng().integers(1, len(trace) - 20, 4).tolist())
    found = in_parts(tmp_path, trace, [*cuts, len(trace)], setting)
    assert without_news(found) == without_news(audit(tmp_path / "log.csv", setting).to_data()), cuts
    assert found["earlier"]["steps"] == cuts[-1]
    assert found["nothing_new"] == found["passed"]


def test_row_by_row(tmp_path: Path) -> None:
    trace = simulate(SETTING, horizon=12, seed=1, delay=delay_law("3,lost=0.05"))
    found = in_parts(tmp_path, trace, list(range(1, 13)), **RULE)
    assert without_news(found) == without_news(audit(tmp_path / "log.csv", SETTING, **RULE).to_data())


LOG = simulate(SETTING, horizon=60, seed=2)


REFUSED = {
    "of the first 40 steps, step 21 has another score": {"trace": edited("score", lambda x: 1 - x)(LOG, 20)},
    "some of 1 to 40 have another bid, as when a row before them comes late": {"trace": lost(LOG, 20)},
    "it has 40 rows, and this one 39": {"trace": LOG.head(39)},
    "another setting": {"setting": replace(SETTING, name="another")},
    "another tolerance": {"tolerance": 0.5},
    "another choice of claims": {"labels": "eq:allocation"},
    "another layout": {"layout": LogLayout(unit=2.0)},
}


@pytest.mark.parametrize("rule", REFUSED)
def test_another_log_or_audit_is_refused(tmp_path: Path, rule: str) -> None:
    in_parts(tmp_path, LOG, [40], **RULE)
    state = (tmp_path / "state.json").read_bytes()
    options = {"trace": LOG, **RULE, **REFUSED[rule]}
    with pytest.raises(InputError, match=rule):
        in_parts(tmp_path, cuts=[60], **options)
    assert (tmp_path / "state.json").read_bytes() == state


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    in_parts(tmp_path, LOG, [40], **RULE)
    content = (tmp_path / "state.json").read_bytes()
    for damaged in (b"", content[:-1], content.replace(b"setting", b"sittings", 1), b"\xff" + content[1:]):
        (tmp_path / "state.json").write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged, or no audit wrote it"):
            in_parts(tmp_path, LOG, [60], **RULE)


@pytest.mark.long("explains violations twice")
def test_the_command_ends_with_what_is_new(tmp_path: Path, run: Run) -> None:
    once = edited("payment", lambda x: x + 1)
    trace, (log, state) = once(once(LOG, 50), 30), (tmp_path / "log.csv", tmp_path / "state.json")
    said = []
    for rows in (20, 40, 45, 60):
        write_trace(trace.head(rows), log, SETTING)
        options = ("--setting", "gpqa-strong", "--state", state, "--claim", "eq:payment", "--jobs", 1)
        said.append(run("audit", log, *options))
    assert [outcome.code for outcome in said] == [0, 1, 0, 1]
    assert said[0].told.startswith("Passed")
    assert "5 new steps and nothing new is wrong, so the exit code is 0. Before: 1 violation in 40" in said[2].told
    assert all("payment edited. The payment of row 31 is edited" in outcome.told for outcome in said[1:3])
    assert "15 new steps and 1 new violation. Before: 1 violation in 45 steps. Not passed: 2 of 60" in said[3].told
    assert " 51 " in said[3].told


@pytest.mark.usefixtures("undiagnosed")
@pytest.mark.parametrize("joined", [False, True])
def test_scores_that_come_late_hide_no_new_violation(tmp_path: Path, joined: bool) -> None:
    """Without the scores of its last rows a right log breaks rules; with them it does not, but a later payment does."""
    seldom = replace(SETTING, platform=replace(SETTING.platform, exploration_scale=0.01))
    trace = edited("payment", lambda x: x + 1)(simulate(seldom, horizon=60, seed=2), 55)
    log, layout, found = tmp_path / "log.csv", LogLayout(settled_at="done", order_by="step"), []
    for rows, scored in ((50, 30), (60, 60)):
        write_trace(trace.head(rows), log, seldom)
        heading, *lines = log.read_text().splitlines()
        cells = [line.split(",") for line in lines]
        late = [[*row[:3], row[3] * (at < scored), *row[4:], f"{at + 1.5}"] for at, row in enumerate(cells)]
        log.write_text("\n".join([f"{heading},done", *map(",".join, late), ""]))
        if joined:
            grades = tmp_path / f"{rows}.csv"
            grades.write_text("\n".join(["id,grade", *(f"{row[0]},{row[3]}" for row in late)]))
            layout = LogLayout(columns={"score": "grade"}, join=Join(path=str(grades), on="step", other="id"))
        found.append(audit(log, seldom, layout=layout, state=tmp_path / "state.json", **RULE).news["violation"])
    assert found[0] > found[1] > 0

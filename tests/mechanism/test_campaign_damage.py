"""Damaged campaign folders: what was altered is refused, or simulated again and told; it never becomes a result."""

import json
import math
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mechanism.campaign import store as campaign_store
from mechanism.campaign.checksum import checksum
from mechanism.campaign.records import CampaignResult
from mechanism.campaign.run import run_campaign
from mechanism.campaign.store import FILE_NAME
from mechanism.metrics.curves import Curves
from proofs_checks.cli.main import main
from tests.mechanism.byte_changes import CAMPAIGN, attacked, exported, finished_folder, outcome
from tests.refusals import assert_refused

_ONE = "WHERE policy = 'platform' AND run = 1"
_CHECKSUMS = "UPDATE runs SET checksum = checksum('runs', setting, policy, run, tally, metrics, seconds, session)", ()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CampaignResult]:
    folder = tmp_path_factory.mktemp("whole")
    finished_folder(folder)
    return folder, run_campaign(CAMPAIGN, out=str(folder), tallies=True, curves=True)


def execute(folder: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        connection.create_function("checksum", -1, checksum)
        for statement, values in statements:
            connection.execute(statement, values)


def read(folder: Path, query: str) -> Any:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return connection.execute(query).fetchone()[0]


def altered(whole: tuple[Path, CampaignResult], place: Path, *statements: tuple[str, tuple[object, ...]]) -> Path:
    folder = place / "copy"
    shutil.copytree(whole[0], folder)
    execute(folder, *statements)
    return folder


def after(whole: tuple[Path, CampaignResult], place: Path, *statements: tuple[str, tuple[object, ...]]) -> str:
    def change(folder: Path) -> str:
        execute(folder, *statements)
        return str(statements)

    return outcome(whole[0], place / "changed", whole[1], change)[1]


@pytest.mark.long("resumes 80 folders")
def test_single_bytes_change_no_result(tmp_path: Path) -> None:
    found = attacked(tmp_path, 40, seed=1)
    found += attacked(tmp_path / "database", 40, seed=2, in_database=True)
    assert sum(found.values()) == 80
    assert len(found) >= 4  # some bytes are unused, some are of traces, some of rows, some hold the file together


@pytest.mark.long("resumes up to 400 folders")
def test_the_attack_finds_what_checksums_prevent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_store, "_matches", lambda table, row: True)
    with pytest.raises(AssertionError, match=r"campaign\.sqlite byte"):
        attacked(tmp_path, 400, seed=1, in_database=True)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("tally", "zeroblob(length(tally))"),
        ("metrics", "replace(metrics, '\"eligible\": ', '\"eligible\": 1')"),
        ("seconds", "seconds + 1e-9"),
        ("seconds", "1e999"),
        ("session", "session + 1"),
        ("checksum", "x'0011223344556677'"),
        ("metrics", "CAST(x'fffefffe' AS TEXT)"),
        ("tally", "'text'"),
    ],
)
def test_an_altered_row_is_refused_and_simulated_again(
    whole: tuple[Path, CampaignResult], tmp_path: Path, column: str, value: str
) -> None:
    found = after(whole, tmp_path, (f"UPDATE runs SET {column} = {value} {_ONE}", ()))
    assert found == "export refused, told and simulated again"


def test_altered_curves_are_simulated_again(whole: tuple[Path, CampaignResult], tmp_path: Path) -> None:
    other = read(whole[0], "SELECT curves FROM curves WHERE policy = 'platform' AND run = 2")
    found = after(whole, tmp_path, (f"UPDATE curves SET curves = ? {_ONE}", (other,)))
    assert found == "exported, told and simulated again"


@pytest.mark.parametrize("key", ["policy = 'lowest-priced'", "run = 7", "setting = 'gpqa-weak'"])
def test_a_row_of_another_key_is_no_result(whole: tuple[Path, CampaignResult], tmp_path: Path, key: str) -> None:
    folder = altered(whole, tmp_path, (f"UPDATE runs SET {key} {_ONE}", ()))
    assert_refused("holds a damaged row", exported, folder)
    resumed = run_campaign(CAMPAIGN, out=str(folder), traces=False, tallies=True)
    assert (resumed.resumed, resumed.metrics, resumed.tallies) == (5, whole[1].metrics, whole[1].tallies)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE campaign SET identity = replace(identity, '0.', '1.')",
        "UPDATE campaign SET created = ''",
        "UPDATE campaign SET identity = CAST(zeroblob(9) || x'ff' AS TEXT)",
        "INSERT INTO campaign SELECT * FROM campaign",
        "DELETE FROM campaign",
        "UPDATE sessions SET versions = replace(versions, 'numpy', 'bumpy') WHERE session = 1",
        "UPDATE sessions SET session = 9 WHERE session = 1",
        "ALTER TABLE runs RENAME COLUMN tally TO tallies",
        "DROP TABLE curves",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 3",
    ],
)
def test_what_describes_the_campaign_is_protected(
    whole: tuple[Path, CampaignResult], tmp_path: Path, statement: str
) -> None:
    assert after(whole, tmp_path, (statement, ())) == "export refused, resuming refused"


_NUMBERS = ("1e999", "NaN", "1" + "0" * 400, "1" + "0" * 5000, "true", "Infinity")
_METRICS = ("accuracy", "eligible", "selections", "payoffs", "excess_payment", "window")


@pytest.mark.parametrize(("metric", "number"), [*zip(_METRICS, _NUMBERS, strict=True), ("eligible", "true")])
def test_numbers_that_are_not_finite_are_refused_whatever_the_checksum(
    whole: tuple[Path, CampaignResult], tmp_path: Path, metric: str, number: str
) -> None:
    data = json.loads(read(whole[0], f"SELECT metrics FROM runs {_ONE}"))
    data[metric] = [*data[metric][:-1], "?"] if isinstance(data[metric], list) else "?"
    other = json.dumps(data).replace('"?"', number)
    folder = altered(whole, tmp_path, (f"UPDATE runs SET metrics = ? {_ONE}", (other,)), _CHECKSUMS)
    assert_refused(r"holds a damaged row in campaign\.sqlite \(gpqa-strong, platform, run 1\)", exported, folder)
    resumed = run_campaign(CAMPAIGN, out=str(folder), traces=False)
    assert (resumed.resumed, resumed.metrics) == (5, whole[1].metrics)


@pytest.mark.parametrize("number", [math.inf, math.nan])
def test_totals_that_are_not_finite_are_refused_whatever_the_checksum(
    whole: tuple[Path, CampaignResult], tmp_path: Path, number: float
) -> None:
    totals = np.frombuffer(read(whole[0], f"SELECT tally FROM runs {_ONE}"), dtype="<f8").copy()
    totals[5] = number
    folder = altered(whole, tmp_path, (f"UPDATE runs SET tally = ? {_ONE}", (totals.tobytes(),)), _CHECKSUMS)
    resumed = run_campaign(CAMPAIGN, out=str(folder), traces=False, tallies=True)
    assert (resumed.resumed, resumed.tallies) == (5, whole[1].tallies)
    assert f"1 damaged row of {folder} was refused" in resumed.notes[0]


@pytest.mark.parametrize("name", ["quality_regret", "eligible"])
def test_curves_that_are_not_finite_are_refused(whole: tuple[Path, CampaignResult], name: str) -> None:
    found = whole[1].curves["gpqa-strong", "platform"]
    first = Curves(window=found.window, steps=found.steps, **{n: found[n][:1] for n in _curve_arrays()})
    n_providers = first.selections.shape[2]
    assert Curves.from_bytes(first.to_bytes(), first.window, n_providers) == first
    broken = first[name].astype(float)
    broken[0, 3] = math.inf if name == "quality_regret" else math.nan
    arrays = {n: first[n] for n in _curve_arrays()} | {name: broken}
    packed = Curves(window=first.window, steps=first.steps, **arrays).to_bytes()
    assert_refused("not finite", Curves.from_bytes, packed, first.window, n_providers)


def _curve_arrays() -> list[str]:
    return [name for name in Curves.__dataclass_fields__ if name not in ("window", "steps")]


def test_the_command_line_tells_what_it_simulated_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", "gpqa-strong", "--horizon", "200", "--runs", "2", "--policy", "platform", "--no-traces"]
    command += ["--json", "--out", str(tmp_path)]
    assert main(command) == 0
    before = json.loads(capsys.readouterr().out)
    execute(tmp_path, (f"UPDATE runs SET seconds = 3.5 {_ONE}", ()))
    assert main(command) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["policies"] == before["policies"]
    assert "simulated again: gpqa-strong, platform, run 1" in told.err.replace("\n", " ")
    execute(tmp_path, ("UPDATE campaign SET created = 'x'", ()))
    assert main(command) == 2
    assert "(a row of its table campaign)" in " ".join(capsys.readouterr().err.split())

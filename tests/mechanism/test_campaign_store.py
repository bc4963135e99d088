"""The campaign's database: all of a chunk or nothing, refused when it is somebody else's, exported as it is."""

import csv
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from joblib import Parallel, delayed

from mechanism.campaign import chunks
from mechanism.campaign.export import export_rows, export_runs
from mechanism.campaign.run import run_campaign
from mechanism.campaign.store import FILE_NAME, CampaignStore, StoredRun
from mechanism.metrics.measures import Metrics
from tests.mechanism.byte_changes import CAMPAIGN
from tests.refusals import assert_refused

IDENTITY = {"seed": 3, "settings": {"toy": {"horizon": 10}}}
VERSIONS = {"numpy": "2"}
METRICS = Metrics(
    window=50,
    share_of_optimal=None,
    moving_share_of_optimal=0.1 + 0.2,
    unqualified_share=0.0,
    quality_regret=1 / 3,
    generation_regret=None,
    accuracy=0.5,
    generation_cost=2.0,
    amount_paid=3.0,
    identified=1.0,
    eligible=2,
    exploration_steps=7,
    excess_payment=None,
    excess_payment_without_exploration=None,
    average_payment_deviation=1.0,
    auction_payment_moving=1e-300,
    selections=(3, 4),
    payoffs=(-0.1, 5e15),
)


def rows(runs: range, policy: str = "platform") -> list[StoredRun]:
    return [
        StoredRun(setting="toy", policy=policy, run=run, tally=bytes([run % 256]) * 8, metrics=METRICS, seconds=0.25)
        for run in runs
    ]


def finished(store: CampaignStore, setting: str, policy: str) -> set[int]:
    return {stored.run for stored in store.runs(setting, policy)}


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        store.keep(rows(range(3)))
        store.keep(rows(range(5, 6), "lowest-price"))
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        assert finished(store, "toy", "platform") == {0, 1, 2}
        assert finished(store, "toy", "uniform-eligible") == finished(store, "other", "platform") == set()
        assert list(store.runs("toy", "platform")) == rows(range(3))
        assert list(store.runs()) == rows(range(5, 6), "lowest-price") + rows(range(3))
        assert store.identity == IDENTITY


def test_the_first_result_of_a_run_stays(tmp_path: Path) -> None:
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        store.keep(rows(range(2)))
        store.keep([replace(run, seconds=9.0) for run in rows(range(3))])
        assert [run.seconds for run in store.runs()] == [0.25, 0.25, 9.0]


def test_a_clock_that_runs_backwards_damages_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(1e6, -0.125)
    monkeypatch.setattr(chunks, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    asked = {"out": str(tmp_path), "traces": False, "jobs": 1}
    first = run_campaign(CAMPAIGN, **asked)
    again = run_campaign(CAMPAIGN, **asked)
    assert (again.metrics, again.resumed, first.seconds) == (first.metrics, 6, 0.0)


@pytest.mark.parametrize("content", [b"not a database, but long enough to have a header" * 40, b"\x00" * 5000])
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    assert_refused(r"campaign\.sqlite", CampaignStore.open, str(tmp_path), IDENTITY, VERSIONS)
    assert_refused(r"campaign\.sqlite", CampaignStore.existing, str(tmp_path))
    assert (tmp_path / FILE_NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE cats (name)", "is not a campaign: name another folder"),
        ("PRAGMA user_version = 1", r"format 1, not 2: use the costproof that wrote it \(0.1 wrote format 1\)"),
        ("PRAGMA user_version = 99", "format 99"),
    ],
)
def test_another_database_is_refused(tmp_path: Path, statement: str, words: str) -> None:
    if "format" in words:
        CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS).__exit__()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(statement)
    before = (tmp_path / FILE_NAME).read_bytes()
    assert_refused(words, CampaignStore.open, str(tmp_path), IDENTITY, VERSIONS)
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("keep", [100, 5000, 9000])
def test_a_truncated_file_is_refused(tmp_path: Path, keep: int) -> None:
    run_campaign(replace(CAMPAIGN, runs=30), out=str(tmp_path), traces=False)
    whole = (tmp_path / FILE_NAME).read_bytes()
    assert len(whole) > 2 * keep
    (tmp_path / FILE_NAME).write_bytes(whole[:keep])
    assert_refused(r"^out=", run_campaign, replace(CAMPAIGN, runs=30), out=str(tmp_path), traces=False)


def test_an_empty_file_is_a_campaign_that_did_not_begin(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"")
    assert run_campaign(CAMPAIGN, out=str(tmp_path), traces=False).resumed == 0


def test_no_campaign_to_read(tmp_path: Path) -> None:
    assert_refused(r"holds no campaign\.sqlite", CampaignStore.existing, str(tmp_path))


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        store.keep(rows(range(1)))
        store._connection.execute("PRAGMA max_page_count = 10")
        assert_refused("full", store.keep, rows(range(1000)))
        assert finished(store, "toy", "platform") == {0}


def _work(folder: str, runs: int) -> object:
    return run_campaign(replace(CAMPAIGN, runs=runs), out=folder, traces=False).metrics


@pytest.mark.long("starts two processes")
def test_two_processes_on_one_file(tmp_path: Path) -> None:
    found = Parallel(n_jobs=2)(delayed(_work)(str(tmp_path), 40) for _ in range(2))
    alone = run_campaign(replace(CAMPAIGN, runs=40)).metrics
    assert found == [alone, alone]
    with CampaignStore.existing(str(tmp_path)) as store:
        assert len(list(store.runs())) == 80


@pytest.mark.long("kills a process")
def test_killed_within_a_transaction(tmp_path: Path) -> None:
    """The rollback journal undoes what a killed process had already written into the file."""
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        store.keep(rows(range(2)))
    script = (
        "import os, signal, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1'); c.execute('BEGIN IMMEDIATE')\n"
        "c.executemany('INSERT INTO runs VALUES (?, ?, ?, zeroblob(3000), ?, 0, 1, zeroblob(8))',\n"
        "    [('toy', 'platform', n, '{}') for n in range(10, 500)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    file = tmp_path / FILE_NAME
    done = subprocess.run([sys.executable, "-c", script, file], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert os.path.getsize(f"{file}-journal") > 0
    with CampaignStore.open(str(tmp_path), IDENTITY, VERSIONS) as store:
        assert list(store.runs()) == rows(range(2))


def read_csv(file: Path) -> list[dict[str, str]]:
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_export_to_csv_is_exact(tmp_path: Path) -> None:
    result = run_campaign(CAMPAIGN, out=str(tmp_path), traces=False)
    assert export_runs(str(tmp_path), str(tmp_path / "runs.csv")) == 6
    table = read_csv(tmp_path / "runs.csv")
    assert [(row["policy"], row["run"]) for row in table] == [
        (p, r) for p in ("lowest-price", "platform") for r in "012"
    ]
    for row in table:
        metrics = asdict(result.metrics["gpqa-strong", row["policy"]][int(row["run"])])
        for name, values in (("selections", metrics.pop("selections")), ("payoffs", metrics.pop("payoffs"))):
            assert [float(row[f"{name}[{p.name}]"]) for p in CAMPAIGN.parts[0].setting.providers] == list(values)
        assert {name: None if row[name] == "" else float(row[name]) for name in metrics} == metrics


@pytest.mark.parametrize(
    ("name", "words"),
    [("runs.parquet", r"must end in \.csv: .*to_parquet"), ("runs", "must end in"), ("no/runs.csv", "is not there")],
)
def test_exports_that_make_no_sense(tmp_path: Path, name: str, words: str) -> None:
    assert_refused(words, export_rows, [], {}, str(tmp_path / name))


def test_a_failed_export_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("old")

    def broken():
        yield "one", "platform", 0, METRICS
        raise RuntimeError

    with pytest.raises(RuntimeError):
        export_rows(broken(), {"one": ["a", "b"]}, str(file))
    assert [path.name for path in tmp_path.iterdir()] == ["runs.csv"]
    assert file.read_text() == "old"

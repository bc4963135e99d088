"""`costproof audit` on logs that are laid out in their own way: what it finds, and how it says it read them."""

import csv
import html
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.errors import InputError
from bounds.published import published
from mechanism.config import MechanismConfig
from mechanism.episode import simulate
from mechanism.platform import reference_mechanism
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.traces import write_trace
from proofs_checks.pages.audit import audit_page
from tests.mechanism.provider_tables import write_rows
from tests.proofs_checks.outcomes import Run, assert_bad_input

NAME = "gpqa-strong"
SETTING = published(NAME).setting


@pytest.fixture(autouse=True)
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """The rows of a right log, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    write_trace(simulate(SETTING, horizon=1500, seed=1), "plain.csv", SETTING)
    with open("plain.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def audited(run: Run) -> Run:
    options = ("--setting", NAME, "--jobs", 1, "--claim", "lem:payment-range", "--json")
    return lambda *arguments: run("audit", *arguments, *options)


def in_auction(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    standing: dict[str, str] = {}
    found = []
    for row in rows:
        found.append({**row, "bid": standing.get(row["provider"], "")})
        standing[row["provider"]] = row["bid"]
    return found


def test_a_plain_log_says_nothing_of_how_it_was_read(audited: Run) -> None:
    outcome = audited("plain.csv")
    assert outcome.code == 0
    data = outcome.data
    assert data["reading"] == {"options": [], "ignored_columns": [], "left_out": 0, "left_out_unknown": 0, "notes": []}
    assert data["step_faults"] == {"places": 0, "first": []}


@pytest.mark.long("diagnoses a log")
def test_other_names_and_money(rows: list[dict[str, str]], audited: Run) -> None:
    money = {"payment": "spend", "bid": "bid", "cost": "cost"}
    for row in rows:
        row |= {name: repr(float(row[name]) / 1e6) for name in money}
        row["spend"], row["id"] = row.pop("payment"), "x"
    write_rows("log.csv", rows)
    outcome = audited("log.csv", "--columns", "payment=spend", "--unit", "1e6")
    assert outcome.code == 0
    data = outcome.data
    assert data["reading"] == {
        "options": ["--columns", "payment=spend", "--unit", "1000000"],
        "ignored_columns": ["id"],
        "left_out": 0,
        "left_out_unknown": 0,
        "notes": [],
    }
    assert audited("log.csv", "--columns", "payment=spend").code == 1
    layout = LogLayout(columns={"payment": "spend"}, unit=1e6)
    assert costproof.audit("log.csv", NAME, layout=layout, labels="lem:payment-range").passed
    with pytest.raises(InputError, match=r"^layout=.* is of a file"):
        costproof.audit(simulate(SETTING, horizon=3000, seed=1), NAME, layout=layout)
    assert "--columns payment=spend --unit 1000000" in audit_page(data)
    # A report of an earlier version does not say how it read the file.
    assert "How the file was read" not in audit_page({k: data[k] for k in data.keys() - {"reading", "step_faults"}})


def test_cache_hits_that_were_paid_zero_are_left_out(rows: list[dict[str, str]], audited: Run, passed: Run) -> None:
    """Without them the log is right: an engineer leaves them out, and calculates columns in the same command."""
    for at in (1200, 700):
        rows.insert(at, {**rows[at], "payment": "0.0"})
    rows = [{**row, "step": str(step), "usd": repr(float(row["payment"]) / 1e6)} for step, row in enumerate(rows, 1)]
    write_rows("log.csv", [{name: cell for name, cell in row.items() if name != "payment"} for row in rows])
    given = ("--where", "usd > 0", "--columns", "payment=coalesce(usd, 0)*1e6,bid=bid")
    outcome = audited("log.csv", *given)
    data = outcome.data
    assert (outcome.code, data["steps"]) == (0, 1500)
    assert data["reading"]["left_out"] == 2
    assert data["reading"]["notes"] == ["--where left out 2 of 1,502 rows."]
    assert data["step_faults"]["places"] == 0
    assert "--where 'usd > 0'" in html.unescape(audit_page(data))
    screen = passed("audit", "log.csv", "--setting", NAME, *given).out
    assert "--where left out 2 of 1,502 rows." in screen
    command = screen.partition("\n  costproof ")[2].replace("\\\n", "")
    assert shlex.split(command)[:-1] == ["audit", "log.csv", "--setting", NAME, *given[2:], *given[:2]]


class TestBidsInTheAuction:
    def test_they_are_read(self, rows: list[dict[str, str]], audited: Run) -> None:
        write_rows("log.csv", in_auction(rows))
        outcome = audited("log.csv", "--bids", "before")
        assert outcome.code == 0
        assert "4 providers" in outcome.data["reading"]["notes"][0]

    @pytest.mark.long("diagnoses a log")
    def test_each_layout_is_recognised_where_the_other_is_given(self, rows: list[dict[str, str]], audited: Run) -> None:
        write_rows("log.csv", [{**row, "bid": row["bid"] or "1.0"} for row in in_auction(rows)])
        for arguments, named in ((("log.csv",), "bids before"), (("plain.csv", "--bids", "before"), "bids after")):
            outcome = audited(*arguments)
            assert outcome.code == 1
            assert outcome.data["diagnosis"][0]["cause"] == named

    def test_empty_bids_are_explained(self, rows: list[dict[str, str]], run: Run) -> None:
        write_rows("log.csv", in_auction(rows))
        assert_bad_input(run("audit", "log.csv", "--setting", NAME), "--bids before")


def test_posted_bids(audited: Run, run: Run) -> None:
    """The log of a platform whose providers always bid their mean costs needs no bids."""
    rng = np.random.default_rng(5)
    platform = reference_mechanism(MechanismConfig.of(SETTING), rng)
    rows = []
    for _ in range(400):
        index, payment = platform.assign()
        served = SETTING.providers[index]
        rows.append({"provider": served.name, "payment": payment, "score": float(rng.random() < served.quality)})
        platform.settle(rows[-1]["score"], served.mean_cost)
    write_rows("log.csv", rows)
    outcome = audited("log.csv", "--bids", "posted")
    data = outcome.data
    assert (outcome.code, data["steps"], data["reading"]["options"]) == (0, 400, ["--bids", "posted"])
    refused = run("audit", "log.csv", "--setting", NAME)
    assert_bad_input(refused, "bid must be given", "--bids posted takes mean costs of the setting as bids")
    assert "without scores" not in refused.err


@pytest.mark.long("diagnoses two logs of 600 rows that break rules throughout")
def test_posted_prices_are_recognized_though_accidents_explain_most_rows(run: Run) -> None:
    """A router that learns and pays each provider its price: rows that are alike look repeated."""
    rng, providers = np.random.default_rng(1), SETTING.providers
    served = [int(i) for i in rng.integers(0, len(providers), 600)]
    rows = [
        {"provider": providers[i].name, "payment": providers[i].mean_cost, "score": float(rng.random() < 0.5), "bid": 0}
        for i in served
    ]
    write_rows("log.csv", rows)
    for options in ([], ["--bids", "posted"]):
        found = run("audit", "log.csv", "--setting", NAME, *options)
        assert found.code == 1
        assert "Each provider is paid one price in all its rows: these seem to be posted prices" in found.told
        assert "is ignored" not in found.told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--join", "plain.csv"), "--on must be given beside --join: --join FILE --on COLUMN"),
        (("--on", "step"), "--join must be given beside --on"),
        (("--columns", "payment"), "'payment' must be NAME=COLUMN, as payment=spend"),
        (("--columns", "payment=a,payment=b"), "'payment' is given twice"),
        (("--columns", "payment=spend*1e6"), "--columns='spend*1e6' names 'spend', which is not a column of"),
        (
            ("--columns", "payment=coalesce(cost, x), bid=cost"),
            "names 'x', which is not a column of the file: the columns are step",
        ),
        (("--where", "cost > 'high"), '--where="cost > \'high" is not an expression'),
        (("--columns", "pay=a"), "--columns='pay=a' names no column of a log: did you mean payment?"),
        (("--columns", "payment=spend"), "--columns='spend' is not a column of the file"),
        (("--order-by", "time"), "--order-by='time' is not a column of the file"),
        (("--unit", "0"), "must be a finite number above 0"),
        (("--join", "none.csv", "--on", "step"), "--join='none.csv' cannot be read"),
    ],
)
def test_options_that_make_no_sense(arguments: tuple[str, ...], told: str, run: Run) -> None:
    assert_bad_input(run("audit", "plain.csv", "--setting", NAME, *arguments), told)

"""Logs of other programs: recognized by their columns, read as the same queries in costproof's own columns."""

import csv
import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.published import published
from mechanism.tabular.layout import Join, LogLayout
from mechanism.tabular.log_formats import FORMATS, guessed
from mechanism.tabular.logs import LogReading, read_log
from proofs_checks.cli.main import main
from tests.mechanism.provider_tables import write_rows
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("own_folder")

LOGS = Path(__file__).parents[2] / "examples" / "logs"
SETTING = published("gpqa-strong").setting
FILES = {
    "litellm": "litellm_spend_logs.jsonl.gz",
    "langfuse": "langfuse_observations.json.gz",
    "opentelemetry": "otel_spans.jsonl.gz",
    "helicone": "helicone_requests.jsonl.gz",
    "portkey": "portkey_logs.jsonl.gz",
    "openrouter": "openrouter_activity.csv",
}
#: The options that say where each log has its scores and bids.
GRADES: dict[str, dict[str, Any]] = {
    "litellm": {"join": ("litellm_feedback.csv", "request_id", "request_id")},
    "langfuse": {"columns": {"score": "metadata.score", "bid": "metadata.bid"}},
    "opentelemetry": {
        "columns": {"score": "attributes.gen_ai.evaluation.score.value", "bid": "attributes.auction.bid"}
    },
    "helicone": {"columns": {"score": "scores.correct", "bid": "properties.bid"}},
    "portkey": {"join": ("portkey_feedback.csv", "id", "request")},
    "openrouter": {"columns": {"score": "grade"}, "join": ("openrouter_grades.csv", "generation_id", "generation")},
}


def as_read(path: str | Path, **layout: Any) -> tuple[dict[str, Any], LogReading]:
    if "join" in layout:
        file, on, other = layout.pop("join")
        layout["join"] = Join(path=str(LOGS / file), on=on, other=other)
    reading = LogReading(layout=LogLayout(**layout))
    (columns,) = read_log(path, SETTING, reading)
    return columns, reading


def records(name: str) -> list[dict[str, Any]]:
    with gzip.open(LOGS / FILES[name], "rt", encoding="utf-8") as file:
        return json.load(file)["data"] if name == "langfuse" else [json.loads(line) for line in file]


def write_lines(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("name", GRADES)
def test_each_log_has_the_queries_of_the_others(name: str) -> None:
    """What the authors' log says of the same queries, read by the standard library."""
    found, reading = as_read(LOGS / FILES[name], unit=1e6, **GRADES[name])
    assert reading.layout.format == name
    with open(LOGS / "authors_rounds.csv", newline="", encoding="utf-8") as file:
        rounds = list(csv.DictReader(file))
    names = [provider.name for provider in SETTING.providers]
    assert [names[index] for index in found["provider"]] == [row["winner"] for row in rounds]
    assert found["payment"] == pytest.approx([float(row["payment"]) for row in rounds], rel=1e-12)
    assert found["score"].tolist() == [float(row["correctness"]) for row in rounds]
    assert "cost" not in found
    assert any("log of" in note for note in reading.notes)


def test_every_format_has_an_example() -> None:
    assert GRADES.keys() == FILES.keys() == {each.name for each in FORMATS}


def test_the_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--help"]) == 0
    assert f"{', '.join(FILES)}; costproof" in " ".join(capsys.readouterr().out.split())


def in_snake_case(row: Mapping[str, Any]) -> dict[str, Any]:
    """An observation as Langfuse exports it to blob storage: the names and times of its documentation."""
    times = {f"{name}_time": row[f"{name}Time"].replace("T", " ").rstrip("Z") for name in ("start", "end")}
    kept = {name: row.get(name) for name in ("id", "type", "level", "metadata")}
    return {**kept, **times, "provided_model_name": row.get("model", ""), "total_cost": row.get("totalCost", 0)}


def test_what_else_langfuse_exports() -> None:
    rows = records("langfuse")
    write_lines("export.jsonl", map(in_snake_case, rows))
    Path("table.json").write_text(json.dumps(rows), encoding="utf-8")
    same_as_the_example("langfuse", "export.jsonl", "table.json")
    graded = [row for row in rows if "metadata" in row]
    write_lines("scores.jsonl", [{"observation_id": row["id"], "value": row["metadata"]["score"]} for row in graded])
    columns = {"score": "value", "bid": "metadata.bid"}
    join = (Path("scores.jsonl").resolve(), "id", "observation_id")
    assert_same(as_read("export.jsonl", unit=1e6, columns=columns, join=join)[0], "langfuse")


def test_what_else_other_programs_write() -> None:
    rows = records("litellm")
    Path("page.json").write_text(json.dumps({"data": rows, "total": len(rows), "page": 1}), encoding="utf-8")
    same_as_the_example("litellm", "page.json")
    text = gzip.decompress((LOGS / FILES["opentelemetry"]).read_bytes()).decode()
    Path("spans.jsonl").write_text(text.replace("gen_ai.usage.cost", "litellm.cost.total"), encoding="utf-8")
    same_as_the_example("opentelemetry", "spans.jsonl")
    # The export tool's columns in CSV; only here an answer from the cache cannot be told but by its cost.
    names = ("response_id", "response_created_at", "response_status", "request_created_at", "model", "cost")
    flat = [{**row, **row["properties"], **row["scores"]} for row in records("helicone")]
    served = [row for row in flat if "correct" in row or row["response_status"] != 200]
    write_rows("requests.csv", [{name: row.get(name, "") for name in (*names, "correct", "bid")} for row in served])
    found, reading = as_read("requests.csv", columns={"score": "correct"}, unit=1e6)
    assert reading.layout.format == "helicone"
    assert_same(found, "helicone")


def same_as_the_example(name: str, *others: str) -> None:
    for other in others:
        assert_same(as_read(other, unit=1e6, **GRADES[name])[0], name)


def assert_same(found: Mapping[str, Any], name: str) -> None:
    expected = as_read(LOGS / FILES[name], unit=1e6, **GRADES[name])[0]
    assert found.keys() == expected.keys()
    for column in ("provider", "payment", "score", "bid", "settled"):
        np.testing.assert_array_equal(found[column], expected[column])


SPENT = [
    {"request_id": i, "model_group": name, "model": f"x/{name}", "spend": 75, "startTime": 9 - i, "endTime": 9 - i}
    | {"status": "success", "cache_hit": "False", "score": 1, "bid": 9, "id": i}
    for i, name in enumerate(provider.name for provider in SETTING.providers)
]


class TestOptions:
    @pytest.fixture(autouse=True)
    def log(self, own_folder: None) -> None:
        write_rows("log.csv", SPENT)

    def test_they_replace_parts_of_the_format(self) -> None:
        assert as_read("log.csv")[0]["provider"].tolist() == [3, 2, 1, 0]
        found, reading = as_read("log.csv", order_by="request_id", where="request_id <> 1")
        assert found["provider"].tolist() == [0, 2, 3]
        assert "settled" not in found
        assert reading.layout.options[:4] == ("--format", "litellm", "--columns", "provider=model_group,payment=spend")
        assert "LiteLLM" in " ".join(reading.notes)

    def test_who_names_columns_knows_the_log(self) -> None:
        found, reading = as_read("log.csv", columns={"provider": "model_group", "payment": "2 * spend"})
        assert found["payment"].tolist() == [150.0] * 4
        assert found["provider"].tolist() == [0, 1, 2, 3]
        assert reading.layout.format is None

    def test_names_of_formats(self) -> None:
        assert "log.csv:1:provider, payment must be given" in str(refusal(as_read, "log.csv", format="costproof"))
        assert "did you mean litellm?" in str(refusal(as_read, "log.csv", format="litelm"))
        lacking = "does not have: cost_total, created_at, provider_name"
        assert lacking in str(refusal(as_read, "log.csv", format="openrouter"))

    def test_posted_bids_need_no_column(self) -> None:
        found, _ = as_read("log.csv", bids="posted", unit=2.0)
        costs = [provider.mean_cost for provider in SETTING.providers]
        assert found["bid"].tolist() == costs[::-1]
        assert found["payment"].tolist() == [150.0] * 4
        assert "drop bid=x" in str(refusal(LogLayout, bids="posted", columns={"bid": "x"}))


@pytest.mark.parametrize("name", GRADES)
def test_a_log_without_scores_and_bids_says_what_it_needs(name: str) -> None:
    told = str(refusal(as_read, LOGS / FILES[name]))
    form = next(each for each in FORMATS if each.name == name)
    noted = {} if "join" in GRADES[name] else GRADES[name]["columns"]
    assert "score, bid must be given" in told
    assert f"This log of {form.program} has" in told
    assert f"--columns score={noted.get('score', 'NAME')},bid={noted.get('bid', 'NAME')} says" in told
    assert f"--join FILE --on {form.key} takes them" in told
    assert "--bids posted" in told
    assert ("without scores nothing" in told) == (not noted)


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (
            "ts,model_name,price_usd,graded,bidAmount",
            "--columns provider=model_name,payment=price_usd,score=NAME,bid=bidAmount",
        ),
        ("x,y,z", "--columns provider=NAME,payment=NAME,score=NAME,bid=NAME says which these are; --join FILE"),
        ("deployment,amount,grade,offer,createdAt", "payment=amount,score=grade,bid=offer says which"),
        ("deployment,amount,grade,offer,createdAt", "--order-by createdAt"),
    ],
)
def test_an_unknown_log_is_looked_at(header: str, told: str) -> None:
    Path("log.csv").write_text(f"{header}\n{','.join('1' for _ in header.split(','))}\n")
    assert told in str(refusal(as_read, "log.csv"))


def test_a_column_is_one_of_ours_only() -> None:
    assert guessed(["payment", "bid"], ["bid_price"]) == {"payment": "bid_price"}

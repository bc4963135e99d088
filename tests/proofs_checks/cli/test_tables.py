"""`--csv`, `--markdown` and `--latex-table` of every command: the numbers of `--json`, in tables that hold together."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import costproof
from bounds.errors import printable
from bounds.glossary import name_of
from bounds.published import published
from bounds.setting.file import format_setting
from bounds.setting.model import Provider
from bounds.sheet import HasSheet
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from tests.bounds.table_readers import caption_of, check_printable, read_csv, read_html, read_latex, read_markdown
from tests.parametrized import long_but
from tests.proofs_checks.cli.known import slow_ones_once
from tests.proofs_checks.outcomes import Run, assert_bad_input, parsers

NAME = "gpqa-strong"
REFERENCE = "mechanism.platform:reference_mechanism"
BROKEN = f"{Path(__file__).parents[1] / 'conformance' / 'misbehaving.py'}:Negative"
FLAGS = {"--csv": read_csv, "--markdown": read_markdown, "--latex-table": read_latex}
WITNESS = {"kind": "steered", "claim": "lem:payment-range", "seed": 0, "instance": 0}
REPORT = {
    "claims": [
        {"label": "lem:payment-range", "setting": None, "evidence": [{"verdict": "REFUTED", "witness": WITNESS}]}
    ]
}

Rows = list[dict[str, Any]]


def taken(*keys: str) -> Callable[[Rows], Rows]:
    """Some keys of every row."""
    return lambda rows: [{key: row[key] for key in keys} for row in rows]


def guarantees(data: Any) -> Rows:
    told = {"identification": data["identification"], **data["bounds"]}
    # Units are in no document.
    plain = ("value", "applies", "informative", "trivial", "share_of_trivial", "informative_from")
    return [
        {"guarantee": name, **{key: one[key] for key in plain}}
        | {key: one[key] if one["applies"] else None for key in ("value", "share_of_trivial")}
        | {"driver": one["driver"] and one["driver"]["name"], "driver_share": one["driver"] and one["driver"]["share"]}
        | {
            "unit": ...,
            "identification_horizon": data["identification_horizon"] if name == "identification" else None,
            "burn_in": data["burn_in"] if name == "average_payment_deviation" else None,
            "label": one["label"],
            "proved_as": one["proved_as"],
            "not_proved_because": one["not_proved_because"],
        }
        for name, one in told.items()
    ]


def bands(data: Any) -> Rows:
    keys = ("name", "quality", "qualified", "budget", "exact_score_failure", "score_failure_at_least", "tail_bound")
    keys += ("share_of_budget", "downward_failure", "cost_failure")
    rows = []
    for each in data["providers"]:
        told = each["elimination"]
        found = {} if told is None else {one["probability"]: one["selections"] for one in told["quantiles"]}
        rows.append({key: each[key] for key in keys} | {"mean_selections": ... if told else None})  # between two ends
        rows[-1] |= {f"selections_at_{share:g}": found.get(share) for share in (0.5, 0.05, 0.001, 1e-6)}
    return rows


def policies(data: Any) -> Rows:
    first = ("share_of_optimal", "unqualified_share", "accuracy", "generation_cost", "amount_paid")
    return [
        {"setting": data["setting"], "policy": name}
        | {f"{metric}{ending}": found[metric][key] for metric in first for ending, key in (("", "mean"), ("_sd", "sd"))}
        for name, found in data["policies"].items()
    ]


def metrics(data: Any) -> Rows:
    rows = []
    for policy, found in data["policies"].items():
        for metric, summary in found.items():
            each = isinstance(summary["mean"], list)
            for place, name in enumerate(data["providers"] if each else [None]):
                mean, sd = ((told[place] if each and told else told) for told in (summary["mean"], summary["sd"]))
                rows.append({"policy": policy, "metric": metric, "provider": name, "mean": mean, "sd": sd})
    return rows


def metrics_of_settings(data: Any) -> Rows:
    return [{"setting": data["setting"], **row} for row in metrics(data)]


def values(data: Any) -> Rows:
    assert not any(row["sd"] for row in metrics(data))
    return [{"metric": row["metric"], "provider": row["provider"], "value": row["mean"]} for row in metrics(data)]


def swept(data: Any) -> Rows:
    counts = ("identification_horizon", "burn_in", "exploration_cap", "exploration_steps", "unqualified_queries")
    return [
        row["point"]
        | {name: bound["value"] for name, bound in row["bounds"].items()}
        | {name: row[name] for name in counts}
        | {
            f"simulated.{metric}{ending}": told[part]
            for metric, told in row["simulated"].items()
            for ending, part in (("", "mean"), (".sd", "sd"))
        }
        for row in data["settings"]
    ]


def claims_listed(data: Any) -> Rows:
    """A list of hypotheses is one cell."""
    lists = ("stated_under", "kernel_assumptions", "refuted_variants")
    return [row | {name: "; ".join(row[name]) for name in lists} for row in data["claims"]]


def originals(data: Any) -> Rows:
    return [row for row in claims_listed(data) if row["label"].count(":") < 2]


def ratio(rows: Rows) -> float | None:
    """The largest ratio of evidence that compared something."""
    told = [e for row in rows for e in row["evidence"] if e["checked"] and e["verdict"] != "VACUOUS"]
    return max((e["tightest_ratio"] for e in told if e["tightest_ratio"] is not None), default=None)


def total(rows: Rows, key: str) -> int:
    return sum(e[key] for row in rows for e in row["evidence"] if e["kind"] != "certificate")


def verified(data: Any) -> Rows:
    """Of one setting: its verdict is the one here."""
    found = []
    for label in dict.fromkeys(row["label"] for row in data["claims"]):
        rows = [row for row in data["claims"] if row["label"] == label]
        here = [row for row in rows if row["setting"] is not None]
        told = {key: rows[0][key] for key in ("label", "number", "name", "verdict_of_claim")}
        told |= {"verdict_here": here[0]["verdict"] if here else None, "settings_alike": len(here)}
        told |= {"checked": total(here, "checked"), "tightest_ratio": ratio(here)}
        idle = sum(row["could_fail"] is False for row in here)
        told |= {"could_fail": here[0]["could_fail"] if here else None, "settings_idle": idle}
        found.append(told | {"compared_as": rows[0]["compared_as"]})
    return found


def verified_by_setting(data: Any) -> Rows:
    return [
        {key: row[key] for key in ("label", "number", "name", "setting", "verdict")}
        | {key: total([row], key) for key in ("checked", "violations")}
        | {"tightest_ratio": ratio([row])}
        for row in data["claims"]
    ]


def proved(data: Any) -> Rows:
    keys = {"label": "label", "number": "number", "verdict": "verdict", "theorem": "kernel_theorem"}
    keys |= {"file": "kernel_file", "kernel": "kernel", "beyond": "beyond", "reason": "reason"}
    return [{column: claim[key] for column, key in keys.items()} for claim in data["claims"]]


def printed(data: Any) -> Rows:
    keys = ("setting", "table", "column", "stat", "printed", "ours", "standard_error", "z", "agrees", "reason")
    return [
        {**dict.fromkeys(("setting", "table", "row")), **{key: row[key] for key in keys}, "row": ...} for row in data
    ]


AUDITED = taken(
    "label", "number", "name", "verdict", "checked", "violations", "tightest_ratio", "tightest_margin", "reason"
)
CHECKED = taken("name", "claim", "group", "status", "examples", "compared", "message")
LISTED = taken("name", "claim", "group", "says", "false_alarm", "power")
AGREED = taken(
    *("setting", "table", "label", "numbers", "compared", "agree_within_3", "agree_within_2", "largest_absolute_z")
)
TINY = ("--horizon", "300", "--runs", "1", "--jobs", "1")
CLAIMS = ("--claim", "lem:payment-range", "--claim", "eq:payment", "--claim", "thm:robust-dominant:best-reply")
VERIFY = ("verify", NAME, *TINY, "--instances", "2", *CLAIMS)
AUDIT = ("audit", "log.csv", "--setting", NAME, "--jobs", "1")
SIMULATE = ("simulate", NAME, "--horizon", "300", "--runs", "2", "--jobs", "1")
REPRODUCE = ("reproduce", NAME, "--runs", "2", "--jobs", "1")
#: Every table that a command has, with its rows as JSON tells them, key by key in the order of the columns.
TABLES: dict[str, tuple[tuple[str, ...], Callable[[Any], Rows]]] = {
    "settings": (("settings",), lambda data: data["settings"]),
    "settings NAME": (("settings", NAME), lambda data: data["provider"]),
    "bounds": (("bounds", NAME), guarantees),
    "bounds, assumptions unmet": (("bounds", "lone.toml", "--horizon", "50"), guarantees),
    "coverage": (("coverage", NAME, "--horizon", "50"), bands),
    "simulate": (SIMULATE, policies),
    "simulate --all": ((*SIMULATE, "--all"), metrics_of_settings),
    "simulate, one run": ((*SIMULATE, "--runs", "1", "--all", "--policy", "platform"), metrics_of_settings),
    "compare": (
        ("compare", "platform", "lowest-price", NAME, "--horizon", "300", "--runs", "5"),
        lambda data: data["metrics"],
    ),
    "sweep": (("sweep", NAME, "--over", "k=1:2:2", "--over", "N=3,4", "--horizon", "300", "--runs", "2"), swept),
    "plan": (
        ("plan", NAME, "--goal", "identify-by=2k", "--goal", "exploration-budget=1000@300", "--runs", "2"),
        lambda data: data["backing"],
    ),
    "claims": (("claims",), originals),
    "claims --all": (("claims", "--all"), claims_listed),
    "claims WORDS": (("claims", "payment", "range"), claims_listed),
    "verify": (VERIFY, verified),
    "verify --all": ((*VERIFY, "--all"), verified_by_setting),
    "prove": (("prove", "lem:payment-range", "lem:payment-range:repaired"), proved),
    "check": (
        ("check", BROKEN, "--quick", "--only", "payment-range", "--only", "lone-payment"),
        lambda data: CHECKED(data["checks"]),
    ),
    "check --list": (("check", "--list"), LISTED),
    "play": (("play", REFERENCE, NAME, "--horizon", "300"), values),
    "audit": (AUDIT, lambda data: data["violations"]),
    "audit --all": ((*AUDIT, "--all"), lambda data: AUDITED(data["claims"])),
    "replay": (
        ("replay", "report.json"),
        lambda data: [{**one, "differs": ", ".join(one["differs"]) or None} for one in data["witnesses"]],
    ),
    "reproduce": (REPRODUCE, lambda data: printed(data["numbers"])),
    "reproduce --summary": ((*REPRODUCE, "--summary"), lambda data: AGREED(data["tables"])),
}
#: What an exit code other than 0 says in these.
CODES = {"check": 1, "audit": 1, "audit --all": 1, "replay": 1}


#: Tables of commands that take longer, each of which has another table here.
SLOW = {
    "audit",
    "bounds, assumptions unmet",
    "simulate --all",
    "plan",
    "verify --all",
    "prove",
    "check",
    "audit --all",
    "reproduce --summary",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What commands read: a log with a wrong bid, and a report whose witness shows nothing."""
    place = tmp_path_factory.mktemp("tables")
    write_trace(tampered(costproof.simulate(NAME, horizon=300, seed=1)), place / "log.csv", published(NAME).setting)
    (place / "report.json").write_text(json.dumps(REPORT))
    toml = format_setting(published(NAME).setting)
    (place / "lone.toml").write_text(toml.replace("quality_threshold = 0.1451107", "quality_threshold = 0.19"))
    return place


def tampered(trace: Trace) -> Trace:
    columns = {name: column.copy() for name, column in trace.columns().items()}
    columns["bid"][150] *= 1.5
    columns["payment"][200] += 1
    columns["provider"][250:254] = (0, 1, 2, 3)
    return Trace(**columns)


def differing(cells: list[str], row: dict[str, Any]) -> list[str]:
    """The columns in which a row of CSV does not say what a row of JSON says, to the last digit."""
    return [key for text, (key, value) in zip(cells, row.items(), strict=True) if not says(text, value)]


def says(text: str, value: Any) -> bool:
    if value is ...:
        return bool(text)
    if value is None or isinstance(value, (bool, str)):
        return text == ("" if value is None else printable(str(value)))
    return float(text) == value


once = slow_ones_once()


@pytest.mark.parametrize("name", long_but(TABLES.keys() - SLOW, TABLES, reason="runs a command four times"))
def test_every_table_says_what_json_says(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    import pandas

    monkeypatch.chdir(folder)
    once(monkeypatch)
    arguments, rows_of = TABLES[name]
    texts = {}
    for flag in ("--json", *FLAGS):
        outcome = run(*arguments, flag)
        assert outcome.code == CODES.get(name, 0), flag
        texts[flag] = outcome.out
    rows = rows_of(json.loads(texts["--json"]))
    head, *body = read_csv(texts["--csv"])
    assert rows
    assert head == list(rows[0])
    assert len(body) == len(rows)
    assert [differing(cells, row) for cells, row in zip(body, rows, strict=True)] == [[]] * len(rows)
    for flag in ("--markdown", "--latex-table"):
        shown, *lines = FLAGS[flag](texts[flag])
        if name == "simulate":  # of one setting, with both numbers in a cell
            columns = [column for column in rows[0] if column != "setting" and not column.endswith("_sd")]
            assert all(" ± " in cell for line in lines for cell in line[1:])
        else:
            columns = list(rows[0])
        assert arguments[0] == "bounds" or shown == [name_of(column) for column in columns]
        assert len(lines) == len(rows)
        assert {len(line) for line in lines} == {len(shown)}
    frame = pandas.read_csv(io.StringIO(texts["--csv"]), dtype=str, keep_default_na=False)
    assert [list(frame.columns), *frame.to_numpy().tolist()] == [head, *body]


def test_several_settings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding about T_id shows on one of the two; no theorem is looked at."""
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    report = costproof.verify(["gsm8k-full", NAME], labels="claim:T_id:tightened", quick=True, horizon=200, instances=0)
    frame = report.to_frame()
    assert frame.loc["claim:T_id:tightened", ["verdict_here", "settings_alike"]].tolist() == ["REFUTED", 1]
    by_setting = report.sheet_by_setting().to_frame().query("label == 'claim:T_id:tightened'")
    assert by_setting[["setting", "verdict"]].to_numpy().tolist() == [["gsm8k-full", "REFUTED"], [NAME, "EXACT"]]


def test_every_command_with_a_table_takes_the_flags() -> None:
    having = {
        name: {"--csv", "--markdown", "--latex-table"} & parser._option_string_actions.keys()
        for name, parser in parsers().items()
    }
    assert {name for name, flags in having.items() if flags} == {arguments[0] for arguments, _ in TABLES.values()}
    assert {len(flags) for flags in having.values()} == {0, 3}


def test_the_documentation_lists_the_commands() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == list(dict.fromkeys(listed))
    assert set(listed) == {arguments[0] for arguments, _ in TABLES.values()}


REFUSED = {arguments[0]: arguments for arguments, _ in TABLES.values()}


@pytest.mark.parametrize("name", REFUSED)
def test_json_and_a_table_are_refused_at_once(name: str, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(f"proofs_checks.cli.commands.{name}.run", lambda arguments: pytest.fail("it began to work"))
    for flag in FLAGS:
        refused = run(*REFUSED[name], "--json", flag)
        assert_bad_input(refused, "costproof: --json and a table cannot both be printed: ")


ODD = "<b>a|b&c_d~$x^2$%#{}\x1b[31m\u202e\n[0pt]*--"


@pytest.mark.long("diagnoses a log")
def test_a_hostile_column_of_a_log_reaches_no_terminal(folder: Path, tmp_path: Path, run: Run) -> None:
    import pandas

    log = pandas.read_csv(folder / "log.csv", dtype=str, keep_default_na=False)
    log.assign(**{ODD: ODD}).to_csv(tmp_path / "log.csv", index=False)
    code, out, err = run("audit", tmp_path / "log.csv", "--setting", NAME, "--jobs", 1)
    assert code == 1
    assert "Ignored: 1 column" in out
    check_printable(out + err)


def results(place: Path) -> dict[str, HasSheet]:
    """One result of every kind that Python returns."""
    trace = tampered(costproof.simulate(NAME, horizon=300, seed=1))
    audited = costproof.audit(trace, NAME, name=ODD)
    verified_now = costproof.verify(NAME, labels="lem:radius-monotone", quick=True, horizon=200, instances=2)
    setting = published(NAME).setting
    renamed = replace(setting, name=ODD, providers=(Provider(ODD, 0.5, 1.0), *setting.providers[1:]))
    campaign = Campaign(settings=setting, horizon=200, runs=2, seed=0, window=10)
    return {
        "bounds": costproof.bounds(renamed, 200_000),
        "simulate": trace,
        "measure": costproof.measure(NAME, trace),
        "curves": costproof.curves(NAME, horizon=200, runs=2, policies="platform")["platform"],
        "campaign": run_campaign(campaign, jobs=1),
        "claims": costproof.claims("payment range"),
        "verify": verified_now,
        "replay": costproof.replay(verified_now),
        "check": costproof.check(REFERENCE, only="lone-payment", quick=True),
        "play": costproof.play(REFERENCE, renamed, 300),
        "audit": audited,
        "prove": costproof.prove("lem:payment-range"),
        "reproduce": costproof.reproduce(NAME, runs=2),
    }


@pytest.mark.long("makes a result of every kind")
def test_every_result_of_python_is_a_frame_and_a_table_for_notebooks(folder: Path) -> None:
    found_by_name = results(folder)
    for name, found in found_by_name.items():
        sheet, html = found.sheet(), found._repr_html_()
        frame = found.to_frame().reset_index(drop=sheet.key is None)
        assert list(frame.columns) == list(sheet.columns), name
        assert len(frame) == len(sheet.rows) > 0, name
        for place, column in enumerate(sheet.columns):
            cells = [row[place] for row in sheet.rows]
            told = frame[column].astype(object).where(frame[column].notna(), None).tolist()
            assert told == cells, (name, column)
            assert {type(cell) for cell in cells} <= {str, int, float, bool, type(None)}, (name, column)
        rows = read_html(html)
        assert len(rows) == 1 + min(len(sheet.rows), 100), name
        assert caption_of(html), name
    assert printable(ODD) in caption_of(found_by_name["bounds"]._repr_html_())


def test_lists_stay_tuples() -> None:
    found = costproof.claims("Theorem 4")
    assert isinstance(found, tuple)
    assert found[0] is costproof.claim("Theorem 4")
    assert repr(found.without_variants()[:1]).startswith("(Claim(")
    assert [stated.label for stated in costproof.claims(["payment", "range"])] == [
        stated.label for stated in costproof.claims("payment range")
    ]
    with pytest.raises(costproof.InputError, match="words=3 must be words of a claim"):
        costproof.claims(3)  # type: ignore[arg-type]

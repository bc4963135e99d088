"""What reads files from outside, with a small valid input of each, and what makes a changed one valid."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator

from bounds.published import published
from bounds.setting.file import format_setting
from bounds.setting.model import Setting
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.cli.schema import json_schema
from tests.hardening.mutations import Mutation, changed_bytes, changed_gzip, changed_parquet, changed_text
from tests.mechanism.made_evaluations import (
    PRICE_FILE,
    as_csv,
    as_parquet,
    llmrouterbench,
    made_answers,
    routerarena,
    routerbench,
    sprout,
)

ROOT = Path(__file__).parents[2]
SETTING = published("gpqa-strong").setting
HORIZON = 120

#: Of files by name.
Contents = Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A command that reads files."""

    #: Its arguments, in a folder with the files.
    command: Sequence[str]
    #: Returns the files of a valid input, by name.
    files: Callable[[], Contents]
    change: Mutation
    #: From the valid and the changed files, and what the command printed with exit code 0: what makes the changed input
    #: invalid, found without the product's readers; an empty string if nothing does.
    objection: Callable[[Contents, Contents, str], str]
    #: Which files are changed.
    target: Callable[[str], bool] = lambda name: True
    #: What makes it print JSON instead.
    json: Sequence[str] = ("--json",)


# ----------------------------------------------------------------------------------------------------
# Settings.


def _setting() -> Contents:
    return {"setting.toml": format_setting(SETTING).encode()}


_RANGES: Mapping[str, Callable[[float], bool]] = {
    "quality_threshold": lambda x: 0 <= x <= 1,
    "confidence": lambda x: 0 < x < 1,
    "cost_bound": lambda x: x > 0,
    "exploration_scale": lambda x: x > 0,
    "exploration_exponent": lambda x: 0 < x < 1,
    "belief_slack": lambda x: x >= 0,
    "underbid": lambda x: x >= 0,
    "overbid": lambda x: x >= 0,
}
_OF_PROVIDERS: Mapping[str, Callable[[float], bool]] = {
    "quality": lambda x: 0 <= x <= 1,
    "mean_cost": lambda x: x >= 0,
    "listed_price": lambda x: x > 0,
    "multiplicity": lambda x: x >= 1 and x == int(x),
}
_OPTIONAL = {"belief_slack", "underbid", "overbid", "listed_price", "multiplicity"}


def _wrong_numbers(table: Mapping[str, Any], ranges: Mapping[str, Callable[[float], bool]]) -> str:
    for name, inside in ranges.items():
        value = table.get(name)
        if value is None and name in _OPTIONAL:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return f"{name} = {value!r:.40} is no number"
        if not inside(value):
            return f"{name} = {value!r:.40} is out of range"
    return ""


def invalid_setting(data: Mapping[str, Any]) -> str:
    """Return what the contract has against a parsed setting, or an empty string."""
    platform, providers = data.get("platform"), data.get("provider")
    if not isinstance(platform, dict) or not isinstance(providers, list) or len(providers) < 2:
        return "no platform, or fewer than two providers"
    unknown = {*data} - {"platform", "provider"} or {*platform} - {*_RANGES}
    if unknown or (wrong := _wrong_numbers(platform, _RANGES)):
        return str(unknown or wrong)
    for provider in providers:
        if {*provider} - {*_OF_PROVIDERS, "name"} or not isinstance(provider.get("name"), str) or not provider["name"]:
            return f"provider {provider!r:.80}"
        if wrong := _wrong_numbers(provider, _OF_PROVIDERS):
            return wrong
        if provider["mean_cost"] > platform["cost_bound"]:
            return "mean cost above the cost bound"
    names = [provider["name"] for provider in providers]
    return "a name twice" if len(set(names)) < len(names) else ""


def _setting_objection(_: Contents, changed: Contents, __: str) -> str:
    try:
        return invalid_setting(tomllib.loads(changed["setting.toml"].decode("utf-8-sig")))
    except ValueError as error:
        return f"no TOML: {error}"


def _table(name: str) -> Callable[[], Contents]:
    def files() -> Contents:
        text = format_setting(SETTING)
        data = tomllib.loads(text)
        rows = [{key: provider.get(key) for key in ("name", *_OF_PROVIDERS)} for provider in data["provider"]]
        setting = f"providers = {json.dumps(name)}\n" + text.partition("[[provider]]")[0]
        return {"setting.toml": setting.encode(), name: _packed(name, rows)}

    return files


def _packed(name: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    if name.endswith(".parquet"):
        import pyarrow as pa
        from pyarrow import parquet

        target = io.BytesIO()
        kinds = {"name": pa.string(), "multiplicity": pa.int64()}
        schema = pa.schema([(key, kinds.get(key, pa.float64())) for key in rows[0]])
        parquet.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema), target)
        return target.getvalue()
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue().encode()


def _table_objection(_: Contents, changed: Contents, __: str) -> str:
    (name,) = (name for name in changed if name != "setting.toml")
    platform = tomllib.loads(changed["setting.toml"].decode())["platform"]
    try:
        rows = _rows(name, changed[name])
        if any(None in row for row in rows):
            return "a cell without a column"
        given = [{key: _typed(key, cell) for key, cell in row.items() if cell not in (None, "")} for row in rows]
    except (ValueError, KeyError, TypeError, OSError, AttributeError, csv.Error) as error:
        return f"unreadable: {type(error).__name__} {error}"
    return invalid_setting({"platform": platform, "provider": given})


def _typed(key: str, cell: Any) -> Any:
    """Return a cell of a text as the number that it names."""
    return float(cell) if isinstance(cell, str) and key != "name" else cell


# ----------------------------------------------------------------------------------------------------
# Logs.


def _log(name: str) -> Callable[[], Contents]:
    def files() -> Contents:
        trace = play(SETTING, "truthful", horizon=HORIZON, seed=15, run=0).trace
        with tempfile.TemporaryDirectory() as folder:
            write_trace(trace, Path(folder) / name, SETTING)
            return {name: (Path(folder) / name).read_bytes()}

    return files


def _rows(name: str, content: bytes) -> list[Mapping[str, Any]]:
    """Return the rows of a log, read with the standard library, or with pyarrow."""
    if name.endswith(".parquet"):
        from pyarrow import parquet

        return list(parquet.read_table(io.BytesIO(content)).to_pylist())
    if name.endswith(".gz"):
        content, name = gzip.decompress(content), name[:-3]
    text = content.decode("utf-8-sig")
    if name.endswith(".csv"):
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _log_objection(_: Contents, changed: Contents, __: str) -> str:
    ((name, content),) = changed.items()
    try:
        return broken_rule(SETTING, _rows(name, content))
    except (ValueError, KeyError, TypeError, OSError, EOFError) as error:
        return f"unreadable: {type(error).__name__} {error}"


def broken_rule(setting: Setting, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what the paper's mechanism has against a log, written out by hand; an empty string if nothing.

    Doubles decide, with a slack of 1e-9: what lies within it is allowed.
    """
    platform, names = setting.platform, [provider.name for provider in setting.providers]
    n, top, near = len(names), platform.cost_bound, 1e-9
    count, total, bids = [0] * n, [0.0] * n, [0.0] * n
    for step, row in enumerate(rows, start=1):
        served = row["provider"]
        index = names.index(served) if served in names else int(served)
        payment, score, bid = (float(row[key]) for key in ("payment", "score", "bid"))
        cost = float(row["cost"]) if row.get("cost") not in (None, "") else 0.0
        if int(row.get("step", step)) != step or not 0 <= index < n:
            return f"step {step}: numbered {row.get('step')}, served by {served}"
        if not (0 <= score <= 1 and 0 <= bid <= top and 0 <= cost <= top):
            return f"step {step}: out of range"
        expected = {top}
        allowed = {i for i in range(n) if not count[i]}
        if not allowed:
            radius = [
                math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * platform.confidence)) / (2 * m)) for m in count
            ]
            able = [i for i in range(n) if total[i] / count[i] + radius[i] >= platform.quality_threshold - near]
            goal = platform.exploration_scale * (step / n) ** platform.exploration_exponent
            poor = {i for i in able if count[i] < goal + near}
            allowed = poor or set(able) or set(range(n))
            if able and index in able and not any(count[i] < goal - near for i in able):
                width = [(1 + platform.belief_slack) * top * r for r in radius]
                score_of = [bids[i] - width[i] for i in range(n)]
                others = [score_of[j] for j in able if j != index]
                price = min(top, width[index] + min(others, default=math.inf))
                expected = {price} | ({top} if index in poor else set())
                allowed = poor | {i for i in able if score_of[i] <= min(score_of[j] for j in able) + near * top}
        if index not in allowed:
            return f"step {step}: {names[index]} may not serve"
        if min(abs(payment - right) for right in expected) > near * top:
            return f"step {step}: paid {payment}, due {expected}"
        count[index], total[index], bids[index] = count[index] + 1, total[index] + score, bid
    return "" if rows else "no row"


# ----------------------------------------------------------------------------------------------------
# Reports, proofs, campaigns, recorded generations.


def _printed(*arguments: str) -> bytes:
    """Return what a command prints, in a process of its own: it may start threads, and this one will fork."""
    command = [sys.executable, "-m", "proofs_checks", *arguments, "--json"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}).stdout


@functools.cache
def _report() -> Contents:
    return {
        "report.json": _printed("verify", "--claim", "lem:payment-range", "--claim", "thm:robust-dominant", "--quick")
    }


def _report_objection(valid: Contents, changed: Contents, __: str) -> str:
    """Whatever is taken keeps to the published schema."""
    try:
        data = json.loads(changed["report.json"])
    except ValueError as error:
        return f"no JSON: {error}"
    errors = list(Draft202012Validator(json_schema("verify")).iter_errors(data))
    return f"{errors[0].json_path}: {errors[0].message:.200}" if errors else ""


def _same_words(valid: Contents, changed: Contents, __: str) -> str:
    """Whatever is taken says the same: the documents are equal, if perhaps written otherwise."""
    for name in valid:
        if name.endswith(".json") and json.loads(valid[name]) == json.loads(changed[name]):
            continue
        if valid[name] != changed[name]:
            return f"{name} differs"
    return ""


def _proofs() -> Contents:
    return _folder("prove", "lem:payment-range", "--out", "{}")


def _folder(*arguments: str) -> Contents:
    """Return the files that a command writes into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        _printed(*(argument.format(folder) for argument in arguments))
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


_CAMPAIGN = ("--runs", "2", "--horizon", "200", "--policy", "platform", "--jobs", "1", "--seed", "3")


def _campaign() -> Contents:
    return _folder("simulate", "gpqa-strong", *_CAMPAIGN, "--no-traces", "--out", "{}")


def _same_totals(valid: Contents, changed: Contents, printed: str) -> str:
    return "" if json.loads(printed)["policies"] == _totals() else "other totals"


@functools.cache
def _totals() -> Any:
    return json.loads(_printed("simulate", "gpqa-strong", *_CAMPAIGN))["policies"]


def _generations() -> Contents:
    models = {"large": (0.9, 120), "small": (0.4, 60)}
    lines = ["model,question,generation,correct,tokens,reward"]
    for model, (share, tokens) in models.items():
        for question in range(12):
            for generation in range(3):
                right = (question * 3 + generation) % 10 < 10 * share
                lines.append(f"{model},q{question},{generation},{str(right).lower()},{tokens + question},0.{question}")
    setting = """[platform]
quality_threshold = 0.65
confidence = 0.05
cost_bound = 60.0
exploration_scale = 1.0
exploration_exponent = 0.5

[[provider]]
name = "large"
quality = 0.9
mean_cost = 25.1
listed_price = 0.2

[[provider]]
name = "small"
quality = 0.4
mean_cost = 6.55
listed_price = 0.1
"""
    return {"generations.csv": ("\n".join(lines) + "\n").encode(), "setting.toml": setting.encode()}


def _generations_objection(_: Contents, changed: Contents, __: str) -> str:
    """What is taken is a table in which both models have all generations of some question; the others are left out."""
    try:
        text = changed["generations.csv"].decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        counts: dict[tuple[str, str], set[int]] = {}
        for row in rows:
            if row["correct"].strip().lower() not in ("true", "false", "1", "0") or int(row["tokens"]) < 0:
                return f"row {row!r:.80}"
            if row["model"] in ("large", "small"):
                counts.setdefault((row["model"], row["question"]), set()).add(int(row["generation"]))
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        return f"unreadable: {type(error).__name__} {error}"
    shared = {q for m, q in counts if m == "large"} & {q for m, q in counts if m == "small"}
    most = max((len(counts[model, question]) for model in ("large", "small") for question in shared), default=0)
    whole = [q for q in shared if all(counts[model, q] == set(range(most)) for model in ("large", "small"))]
    return "" if whole else f"no question with all {most} generations"


def _market_objection(_: Contents, __: Contents, printed: str) -> str:
    """Whatever is taken makes a market within its ranges, of different providers."""
    found = json.loads(printed)["market"]["providers"]
    if len({provider["name"] for provider in found}) < len(found):
        return "a name twice"
    return next((wrong for provider in found if (wrong := _wrong_numbers(provider, _OF_PROVIDERS))), "")


def routerbench_files() -> Contents:
    """Return RouterBench's table as CSV."""
    return {"routerbench.csv": as_csv(routerbench(made_answers(12))).encode()}


def routerarena_files() -> Contents:
    """Return a file of RouterArena's predictions."""
    return {"router.json": json.dumps(routerarena(made_answers(6)), indent=1).encode()}


def llmrouterbench_files() -> Contents:
    """Return LLMRouterBench's documents."""
    found = llmrouterbench(made_answers(6))
    return {f"{Path(name).name}": json.dumps(document, indent=1).encode() for name, document in found.items()}


def sprout_files() -> Contents:
    """Return SPROUT's table as Parquet, and prices."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sprout.parquet")
        as_parquet(sprout(made_answers(12)), path)
        return {"sprout.parquet": path.read_bytes(), "prices.csv": PRICE_FILE.encode()}


PREPARED_MODELS = {"large": (0.75, 60), "small": (0.25, 30)}


def prepared_files() -> Contents:
    """Return data sets and rewards of two models, and prices."""
    found = {"prices.csv": b"model,output_price\nlarge,0.2\nsmall,0.1\n"}
    for model, (share, tokens) in PREPARED_MODELS.items():
        rows, rewards = [], []
        for q in range(8):
            right = [int((q + g) % 4 < 4 * share) for g in range(4)]
            counts = [tokens + q, tokens, [q, tokens + 1], 7]
            rows.append(json.dumps({"qid": f"quiz_{q}", "correctness": right, "num_tokens": counts}))
            rewards.append(json.dumps({"qid": f"quiz_{q}", "rewards": [0.5 * x + 0.1 * q for x in right]}))
        found[f"datasets/quiz/{model}.jsonl"] = ("\n".join(rows) + "\n").encode()
        found[f"rewards/quiz/{model}.jsonl"] = ("\n".join(rewards) + "\n").encode()
    return found


_AUDIT = ("--setting", "gpqa-strong", "--jobs", "1")


def _audited(name: str, change: Mutation) -> Reader:
    return Reader(command=("audit", name, *_AUDIT), files=_log(name), change=change, objection=_log_objection)


def _tabled(name: str, change: Mutation) -> Reader:
    command, target = ("bounds", "setting.toml"), lambda file: file == name
    return Reader(command=command, files=_table(name), target=target, change=change, objection=_table_objection)


_SHORT = ("--runs", "1", "--horizon", "60", "--jobs", "1", "--qualified", "1")


def _evaluated(path: str, files: Callable[[], Contents], change: Mutation, *more: str) -> Reader:
    return Reader(
        command=("simulate", "--generations", path, *more, *_SHORT),
        files=files,
        change=change,
        objection=_market_objection,
        target=lambda name: name != "prices.csv",
    )


_SIMULATE = ("simulate", "setting.toml", "--generations", ".", "--runs", "1", "--horizon", "60", "--jobs", "1")

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "setting (TOML)": Reader(
            command=("bounds", "setting.toml"), files=_setting, change=changed_text, objection=_setting_objection
        ),
        "log (CSV)": _audited("log.csv", changed_text),
        "log (JSON Lines)": _audited("log.jsonl", changed_text),
        "log (gzip)": _audited("log.csv.gz", changed_gzip),
        "log (Parquet)": _audited("log.parquet", changed_parquet),
        "table of providers (CSV)": _tabled("providers.csv", changed_text),
        "table of providers (Parquet)": _tabled("providers.parquet", changed_parquet),
        "recorded generations": Reader(
            command=_SIMULATE,
            files=_generations,
            change=changed_text,
            objection=_generations_objection,
            target=lambda name: name == "generations.csv",
        ),
        "recorded generations, prepared": Reader(
            command=("simulate", "--generations", ".", "--benchmark", "quiz", "--prices", "prices.csv", *_SHORT),
            files=prepared_files,
            change=changed_text,
            objection=_market_objection,
        ),
        "evaluation (RouterBench, CSV)": _evaluated("routerbench.csv", routerbench_files, changed_text),
        "evaluation (RouterArena, JSON)": _evaluated("router.json", routerarena_files, changed_text),
        "evaluation (LLMRouterBench, JSON)": _evaluated(".", llmrouterbench_files, changed_text),
        "evaluation (SPROUT, Parquet)": _evaluated(
            "sprout.parquet", sprout_files, changed_parquet, "--prices", "prices.csv"
        ),
        "report, replayed": Reader(
            command=("replay", "report.json"), files=_report, change=changed_text, objection=_report_objection
        ),
        "report, as a page": Reader(
            command=("page", "report.json"), files=_report, change=changed_text, objection=_report_objection, json=()
        ),
        "proof folder": Reader(
            command=("prove", "--recheck", "."), files=_proofs, change=changed_text, objection=_same_words
        ),
        "campaign": Reader(
            command=("simulate", "gpqa-strong", *_CAMPAIGN, "--no-traces", "--out", "."),
            files=_campaign,
            change=changed_bytes,
            objection=_same_totals,
        ),
    }
)

"""What reads files from outside: commands, a small valid input of each, and how it is changed."""

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bounds.published import published
from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play
from tests.hardening.mutations import Mutation, changed_gzip, changed_parquet, changed_text
from tests.mechanism.made_evaluations import (
    PRICE_FILE,
    llmrouterbench,
    made_answers,
    routerarena,
    routerbench,
    sprout,
    table,
)
from tests.mechanism.provider_tables import setting_with_table, write_rows

ROOT = Path(__file__).parents[2]
SETTING = published("gpqa-strong").setting

#: Of files by name.
Contents = Mapping[str, bytes]


class Reader(NamedTuple):
    """A command that reads files."""

    #: Its arguments, in a folder with the files.
    command: Sequence[str]
    #: Returns the files of a valid input, by name.
    files: Callable[[], Contents]
    change: Mutation = changed_text
    #: The only file that is changed; any of them by default.
    target: str = ""


def _setting() -> Contents:
    return {"setting.toml": format_setting(SETTING).encode()}


def _files_by(write: Callable[[Path], object]) -> Contents:
    """Return the files that are written into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def _table(ending: str) -> Callable[[], Contents]:
    return lambda: _files_by(lambda folder: setting_with_table(folder, SETTING.providers, ending, SETTING.platform))


def _log(name: str) -> Callable[[], Contents]:
    def write(folder: Path) -> None:
        write_trace(play(SETTING, "truthful", horizon=120, seed=15, run=0).trace, folder / name, SETTING)

    return lambda: _files_by(write)


def _printed(*arguments: str) -> bytes:
    command = [sys.executable, "-m", "proofs_checks", *arguments, "--json"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}).stdout


@functools.cache
def _report() -> Contents:
    return {"report.json": _printed("verify", "--claim", "lem:payment-range", "--quick")}


def _generations() -> Contents:
    models = {"large": (0.9, 120), "small": (0.4, 60)}
    lines = ["model,question,generation,correct,tokens,reward"]
    for model, (share, tokens) in models.items():
        for question in range(12):
            for generation in range(3):
                right = (question * 3 + generation) % 10 < 10 * share
                lines.append(f"{model},q{question},{generation},{str(right).lower()},{tokens + question},0.{question}")
    platform = PlatformParameters(0.65, 0.05, 60.0, 1.0, 0.5)
    setting = Setting("market", platform, (Provider("large", 0.9, 25.1, 0.2), Provider("small", 0.4, 6.55, 0.1)))
    return {"generations.csv": ("\n".join(lines) + "\n").encode(), "setting.toml": format_setting(setting).encode()}


def _written(name: str, rows: Sequence[Mapping[str, object]]) -> Contents:
    return _files_by(lambda folder: write_rows(folder / name, rows))


def sprout_files() -> Contents:
    return {**_written("sprout.parquet", sprout(made_answers(12))), "prices.csv": PRICE_FILE.encode()}


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
_SHORT = ("--runs", "1", "--horizon", "60", "--jobs", "1")
_MARKET = ("market", "--qualified", "1", "--answers")
_PREPARED = (*_MARKET, ".", "--benchmark", "quiz", "--prices", "prices.csv")

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "setting (TOML)": Reader(("bounds", "setting.toml"), _setting),
        "log (CSV)": Reader(("audit", "log.csv", *_AUDIT), _log("log.csv")),
        "log (JSON Lines)": Reader(("audit", "log.jsonl", *_AUDIT), _log("log.jsonl")),
        "log (gzip)": Reader(("audit", "log.csv.gz", *_AUDIT), _log("log.csv.gz"), changed_gzip),
        "log (Parquet)": Reader(("audit", "log.parquet", *_AUDIT), _log("log.parquet"), changed_parquet),
        "table of providers (CSV)": Reader(("bounds", "market.toml"), _table(".csv"), target="providers.csv"),
        "table of providers (Parquet)": Reader(
            ("bounds", "market.toml"), _table(".parquet"), changed_parquet, "providers.parquet"
        ),
        "recorded generations": Reader(
            ("simulate", "setting.toml", "--answers", ".", *_SHORT), _generations, target="generations.csv"
        ),
        "recorded generations, prepared": Reader(_PREPARED, prepared_files),
        "evaluation (table, CSV)": Reader(
            (*_MARKET, "table.csv", "--prices", "prices.csv"),
            lambda: {**_written("table.csv", table(made_answers(12))), "prices.csv": PRICE_FILE.encode()},
        ),
        "evaluation (RouterBench, CSV)": Reader(
            (*_MARKET, "routerbench.csv"), lambda: _written("routerbench.csv", routerbench(made_answers(12)))
        ),
        "evaluation (RouterArena, JSON)": Reader(
            (*_MARKET, "router.json"),
            lambda: {"router.json": json.dumps(routerarena(made_answers(6)), indent=1).encode()},
        ),
        "evaluation (LLMRouterBench, JSON)": Reader(
            (*_MARKET, "."),
            lambda: {Path(name).name: json.dumps(it).encode() for name, it in llmrouterbench(made_answers(6)).items()},
        ),
        "evaluation (SPROUT, Parquet)": Reader(
            (*_MARKET, "sprout.parquet", "--prices", "prices.csv"), sprout_files, changed_parquet, "sprout.parquet"
        ),
        "report, replayed": Reader(("replay", "report.json"), _report),
        "report, as a page": Reader(("page", "report.json"), _report),
    }
)

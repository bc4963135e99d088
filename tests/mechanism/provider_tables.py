"""Markets of any size, drawn at random, as settings whose providers stand in the file or in a table beside it."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from bounds.setting.file import format_setting
from bounds.setting.model import PlatformParameters, Provider, Setting

PLATFORM = PlatformParameters(0.764, 0.05, 102.4, 2.0, 0.75)
COLUMNS = tuple(field.name for field in fields(Provider))
ENDINGS = (".csv", ".csv.gz", ".jsonl", ".parquet")


def random_providers(
    count: int, *, rng: np.random.Generator, priced: bool = False, digits: int = 6
) -> tuple[Provider, ...]:
    """Return providers with qualities and costs of so many digits; few digits make ties."""
    qualities, costs = rng.uniform(0, 1, count).round(digits), rng.uniform(1, 90, count).round(digits)
    prices = rng.uniform(0.01, 0.1, count) if priced else [None] * count
    kinds = rng.integers(1, 4, count) if priced else np.ones(count, int)
    rows = zip(qualities.tolist(), costs.tolist(), prices, kinds.tolist(), strict=True)
    return tuple(
        Provider(f"provider {i}", quality, cost, None if price is None else float(price), kind)
        for i, (quality, cost, price, kind) in enumerate(rows)
    )


def table_rows(providers: Sequence[Provider]) -> list[dict[str, object]]:
    named = [name for name in COLUMNS if any(getattr(each, name) not in (None, 1) for each in providers)]
    return [{name: getattr(provider, name) for name in named} for provider in providers]


def write_rows(path: Path | str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as the ending of the path says; what is None is an empty cell."""
    path = Path(path)
    if path.suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)
        return
    text = io.StringIO(newline="")
    if {".jsonl", ".ndjson"} & {*path.suffixes}:
        text.writelines(f"{json.dumps(row)}\n" for row in rows)
    elif ".json" in path.suffixes:
        json.dump(rows, text)
    else:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, 1) if path.suffix == ".gz" else content)


def head(named: str, platform: PlatformParameters = PLATFORM) -> str:
    """Return a setting file that names its table so."""
    lines: Iterable[str] = (f"{key} = {value!r}" for key, value in vars(platform).items())
    return "\n".join((f"providers = {named}", "[platform]", *lines, ""))


def setting_with_table(
    folder: Path, providers: Sequence[Provider], ending: str = ".csv", platform: PlatformParameters = PLATFORM
) -> Path:
    write_rows(folder / f"providers{ending}", table_rows(providers))
    path = folder / "market.toml"
    path.write_text(head(f'"providers{ending}"', platform))
    return path


def setting_inline(folder: Path, providers: Sequence[Provider], platform: PlatformParameters = PLATFORM) -> Path:
    """Write the same setting with its providers in the file, in a folder of its own, and return its path."""
    (folder / "inline").mkdir()
    path = folder / "inline" / "market.toml"
    path.write_text(format_setting(Setting("market", platform, tuple(providers))))
    return path

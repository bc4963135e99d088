"""Small files that unpack, nest or count to much: each is refused in one line, in bounded time and memory."""

import functools
import gzip
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bounds.loading import load_setting
from bounds.setting.file import read_setting
from mechanism.answers.files import load_answers
from mechanism.answers.prices import read_prices
from mechanism.files import read_whole
from mechanism.tabular.text import MOST_LINES
from mechanism.tabular.traces import read_trace
from proofs_checks.cli.input import read_json
from tests.refusals import refusal

MIB = 1 << 20
HEADER = b"step,provider,payment,score,bid\n"
LONG, DEEP = b"9" * 100_000, b"[" * 100_000 + b"]" * 100_000
#: The pieces of a text, or what makes them.
Pieces = Iterable[bytes] | Callable[[], Iterable[bytes]]
#: Tables by name, as pieces of their text: the name's ending says how they are packed.
TABLES: dict[str, Pieces] = {
    "newlines.csv.gz": [b"\n" * MIB] * 512,
    "newlines.jsonl.gz": [b"\n" * MIB] * 512,
    "blanks.jsonl.gz": [(b" " * 1023 + b"\n") * 1024] * 512,
    "a line.csv.gz": [HEADER[:-1], *[b"a" * MIB] * 512],
    "a line.jsonl.gz": [b'{"step": "', *[b"a" * MIB] * 512],
    "a cell.csv.gz": [HEADER, b'1,"', *[b"a\n" * (MIB // 2)] * 512],
    "a row of many lines.csv.gz": [HEADER, *[b'"a\n",' * (MIB // 5)] * 512],
    "zeros.csv.gz": [b"\0" * MIB] * 512,
    "deep.jsonl": [b'{"step": ', DEEP, b"}\n"],
    "digits.csv": [HEADER, b"1,0,", LONG, b",1,1\n"],
    "digits.jsonl": [b'{"step": 1, "provider": 0, "payment": ', LONG, b', "score": 1, "bid": 1}\n'],
    "columns.csv": lambda: [",".join(f"c{i}" for i in range(100_000)).encode(), b"\n1\n"],
    "columns.jsonl": lambda: [json.dumps({f"c{i}": 1 for i in range(70_000)}).encode(), b"\n"],
}
SETTINGS = {
    "deep.toml": b"a = " + DEEP,
    "digits.toml": b"[platform]\nconfidence = " + LONG,
    "tables.toml": b"[" + b".".join([b"a"] * 100_000) + b"]\n",
    "keys.toml": b".".join([b"a"] * 100_000) + b" = 1\n",
    "columns.toml": b"".join(b"c%d = 1\n" % i for i in range(80_000)),
}
RECORD = b'{"prediction": "a", "global index": 1, "accuracy": 1, "cost": 1}'
#: Documents of records by name, as pieces.
EVALUATIONS: dict[str, Pieces] = {
    "blanks.json.gz": [b" " * MIB] * 512,
    "blanks in an array.json.gz": [b"[", RECORD, *[b"\n" * MIB] * 512],
    "a string.json.gz": [b'[{"prediction": "', *[b"a" * MIB] * 512],
    "a key.json.gz": [b'{"', *[b"a" * MIB] * 512],
    "a number.json.gz": [b'{"a": ', *[b"1" * MIB] * 512],
    "fields.json.gz": lambda: [b"{", *[b'"c%d": 1,' % i for i in range(1_000_000)]],
    "deep records.json.gz": [b'[{"a": ', b"[" * 64 * MIB],
    "zeros.json.gz": [b"\0" * MIB] * 512,
    "models.json": lambda: [b"[", *[RECORD.replace(b'"a"', b'"m%d"' % i) + b"," for i in range(20_000)], RECORD, b"]"],
    "models.csv": lambda: [b"sample_id", *[b",m%d,m%d|total_cost" % (i, i) for i in range(6_000)], b"\n1\n"],
    "a model.json": [b"[", RECORD.replace(b'"a"', b'"' + LONG + b'"'), b"]"],
    "a question.json": [b"[", RECORD.replace(b"1", b'"' + LONG + b'"', 1), b"]"],
}
DOCUMENTS = {"deep.json": DEEP, "digits.json": LONG, "objects.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000}


@functools.lru_cache(maxsize=4)
def packed(piece: bytes) -> bytes:
    return gzip.compress(piece, 1)


def packed_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of a packed file: a large piece is packed once, however often it comes; small ones together."""
    for is_large, group in itertools.groupby(pieces, lambda piece: len(piece) >= MIB // 8):
        parts = list(group)
        yield from map(packed, parts if is_large else [b"".join(parts)])


def written(path: Path, pieces: Pieces) -> Path:
    pieces = pieces() if callable(pieces) else pieces
    with open(path, "wb") as file:
        file.writelines(packed_pieces(pieces) if path.suffix == ".gz" else pieces)
    return path


def refused(function: object, path: Path) -> str:
    """Return the one line that a reader refuses a file with."""
    line = str(refusal(function, path))
    assert len(line) < 1000
    return line


READS_MUCH = pytest.mark.long("reads up to 512 MiB")


def tiers(names: Iterable[str]) -> list[Any]:
    """Return names of files as parameters; what is packed or has many models is long but for two packed files."""
    first = {"a line.csv.gz", "blanks.json.gz"}
    return [
        pytest.param(name, marks=READS_MUCH) if name not in first and name.endswith((".gz", "models.json")) else name
        for name in names
    ]


@pytest.mark.parametrize("name", tiers([*EVALUATIONS, *TABLES]))
def test_evaluations_that_unpack_to_much_are_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, (EVALUATIONS | TABLES)[name])
    refused(load_answers, path)
    refused(lambda place: load_answers(place.parent, format="routerarena"), path)
    refused(read_prices, path)


@pytest.mark.parametrize("name", tiers(TABLES))
def test_tables_that_unpack_to_much_are_refused(name: str, tmp_path: Path) -> None:
    setting = load_setting("gpqa-strong")
    path = written(tmp_path / name, TABLES[name])
    refused(lambda place: read_trace(place, setting), path)
    refused(lambda place: load_answers(place.parent), path)


def test_blank_lines_between_rows_are_no_fault(tmp_path: Path) -> None:
    """As many as are allowed before a row, again and again: only lines without a row in between count."""
    setting = load_setting("gpqa-strong")
    blank = b"\n" * (MOST_LINES // 2)
    rows = [b"%d,%d,75.008,1,1\n" % (step, step - 1) for step in range(1, 5)]
    path = written(tmp_path / "log.csv", [HEADER, *(piece for row in rows for piece in (blank, row))])
    assert len(read_trace(path, setting)) == 4


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_that_nest_or_count_to_much_are_refused(name: str, tmp_path: Path) -> None:
    refused(read_setting, written(tmp_path / name, [SETTINGS[name]]))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_that_nest_or_count_to_much_are_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, [DOCUMENTS[name]])
    refused(lambda place: read_json("report", str(place)), path)


def test_what_never_ends_is_refused() -> None:
    assert "larger than 64 MiB" in refused(lambda place: read_json("report", str(place)), Path("/dev/zero"))
    with pytest.raises(OSError, match="larger than 1 MiB"):
        read_whole("/dev/zero", MIB)

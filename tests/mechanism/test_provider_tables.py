"""Settings whose providers stand in a table: the same market as inline, and one clear line for whatever is wrong."""

import gzip
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import costproof
from bounds.loading import load_setting as load_without_tables
from bounds.setting.file import MAX_BYTES, parse_setting
from bounds.setting.model import Provider
from mechanism.settings import load_setting
from mechanism.tabular import providers as reader
from tests.mechanism.provider_tables import (
    ENDINGS,
    head,
    random_providers,
    setting_inline,
    setting_with_table,
    write_rows,
)
from tests.refusals import assert_refused, refusal

ROWS = [{"name": "a", "quality": 0.9, "mean_cost": 1.5}, {"name": "b", "quality": 0.8, "mean_cost": 2.0}]
GOOD = "name,quality,mean_cost\na,0.9,1.5\nb,0.8,2\n"


def refused(folder: Path, table: str | bytes, *, named: str = '"p.csv"', file: str = "p.csv") -> str:
    """Return the line that a setting with this table is refused with, without the folder."""
    (folder / file).write_bytes(table.encode() if isinstance(table, str) else table)
    (folder / "market.toml").write_text(head(named))
    line = str(refusal(load_setting, folder / "market.toml"))
    assert len(line) < 1000
    return line.replace(f"{folder}{os.sep}", "")


def refused_in_parquet(folder: Path, table: pa.Table) -> str:
    parquet.write_table(table, folder / "p.parquet", store_schema=False)
    return refused(folder, (folder / "p.parquet").read_bytes(), named='"p.parquet"', file="p.parquet")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("count", "priced"), [(2, False), (7, True), pytest.param(3000, True, marks=pytest.mark.long("3,000 providers"))]
)
def test_a_table_is_the_same_setting_as_the_file(tmp_path: Path, ending: str, priced: bool, count: int) -> None:
    providers = random_providers(count, rng=np.random.default_rng(count), priced=priced)
    inline = load_setting(setting_inline(tmp_path, providers))
    assert load_setting(setting_with_table(tmp_path, providers, ending)) == inline
    assert inline.providers == providers


@pytest.mark.parametrize("ending", ENDINGS)
def test_empty_cells_are_values_that_are_not_given(tmp_path: Path, ending: str) -> None:
    providers = [
        Provider("a, with a comma", 0.9, 1.5, listed_price=0.5),
        Provider('b "quoted"', 0.8, 2.0),
        Provider("ünï", 1.0, 0.0, multiplicity=3),
    ]
    assert load_setting(setting_with_table(tmp_path, providers, ending)).providers == tuple(providers)


def test_columns_stand_in_any_order_and_numbers_are_the_nearest_doubles(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("\ufeffmean_cost,name,quality\n1e0,a,0.30000000000000004\n\n 2.50 ,b,1\n")
    (tmp_path / "m.toml").write_text(head('"p.csv"'))
    assert load_setting(tmp_path / "m.toml").providers == (
        Provider("a", 0.30000000000000004, 1.0),
        Provider("b", 1.0, 2.5),
    )


def test_a_table_may_lie_below_the_folder_and_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "p.csv").write_text(GOOD)
    (tmp_path / "m.toml").write_text(head('"below/p.csv"'))
    assert costproof.load_setting(tmp_path / "m.toml").n_providers == 2
    monkeypatch.chdir(tmp_path)
    assert costproof.load_setting("m.toml").n_providers == 2


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "market.toml: p.csv:0 is empty: write the columns name, quality, mean_cost"),
        ("name,quality,mean_cost\n", "p.csv: 0 rows holds too few providers"),
        ("name,quality\na,1\n", "p.csv:1:mean_cost must be given: it is c_i"),
        ("name,quality,mean_cost,cost\na,1,1,1\n", "p.csv:1:cost is not a known column: "),
        ("name,qualty,mean_cost\na,1,1\n", "p.csv:1:qualty is not a known column: did you mean quality?"),
        ("name,quality,mean_cost,quality\na,1,1,1\n", "p.csv:1:quality='quality' is given twice"),
        ("name,quality,mean_cost\na,1,1\nb,nan,1\n", "p.csv:3:quality=nan must be finite"),
        ("name,quality,mean_cost\na,1,1\nb,1,1e400\n", "p.csv:3:mean_cost=inf must be finite"),
        ("name,quality,mean_cost\na,1,1\nb,1,-1\n", "p.csv:3:mean_cost=-1.0 must not be negative"),
        ("name,quality,mean_cost\na,1,1\nb,1.5,1\n", "p.csv:3:quality=1.5 must lie in [0, 1]"),
        ("name,quality,mean_cost\na,1,1\nb,1,103\n", "p.csv:3:mean_cost=103.0 must not exceed cost_bound=102.4"),
        ("name,quality,mean_cost\na,1,1\nb,,1\n", "p.csv:3:quality=None must be a number"),
        ("name,quality,mean_cost\na,1,1\nb,1\n", "p.csv:3='b,1' has 2 cells, not 3 as the header"),
        ("name,quality,mean_cost\na,1,1\na,1,1\n", "p.csv:3:name='a' is a duplicate: it stands at p.csv:2 as well"),
        ("name,quality,mean_cost\na,1,1\n ,1,1\n", "p.csv:3:name=' ' must be a non-empty text"),
        ("name,quality,mean_cost\na,1,1\nb\x1b[2J,1,1\n", "p.csv:3:name='b\\x1b[2J' holds a control"),
        ("name,quality,mean_cost,multiplicity\na,1,1,1\nb,1,1,1.5\n", "p.csv:3:multiplicity=1.5 must be a whole"),
        ("name,quality,mean_cost,listed_price\na,1,1,1\nb,1,1,0\n", "p.csv:3:listed_price=0.0 must be positive"),
        (f"name,quality,mean_cost\na,1,1\n{'b' * 1001},1,1\n", "has more than 1,000 characters: write it shorter"),
        (f"name,quality,mean_cost\na,1,1\n{'b' * 140_000},1,1\n", "is longer than 131072 bytes"),
        (b"name,quality,mean_cost\na,1,1\n\xff,1,1\n", "p.csv:3=b'\\xff' is not UTF-8"),
    ],
)
def test_what_is_wrong_with_a_table_is_told_with_its_place(tmp_path: Path, table: str | bytes, told: str) -> None:
    assert told in refused(tmp_path, table)


def test_a_wrong_row_among_many_is_told(tmp_path: Path) -> None:
    """Far into the file, where rows are read as whole columns."""
    rows = [f"p{i},0.5,{i % 90}\n" for i in range(20_000)]
    rows[15_000] = "p77,0.5,1\n"
    line = refused(tmp_path, "name,quality,mean_cost\n" + "".join(rows))
    assert "p.csv:15002:name='p77' is a duplicate: it stands at p.csv:79 as well" in line
    rows[15_000] = "new,2,1\n"
    assert "p.csv:15002:quality=2.0 must lie in [0, 1]" in refused(tmp_path, "name,quality,mean_cost\n" + "".join(rows))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"quality": float("nan")}, "p.parquet:2:quality=nan must be finite"),
        ({"quality": None}, "p.parquet:2:quality=None must be a number"),
        ({"name": "a"}, "p.parquet:2:name='a' is a duplicate: it stands at p.parquet:1 as well"),
        ({"name": None}, "p.parquet:2:name=None must be a non-empty text"),
        ({"mean_cost": -2.0}, "p.parquet:2:mean_cost=-2.0 must not be negative"),
    ],
)
def test_what_is_wrong_with_a_row_of_parquet_is_told(tmp_path: Path, change: dict[str, object], told: str) -> None:
    assert told in refused_in_parquet(tmp_path, pa.Table.from_pylist([ROWS[0], ROWS[1] | change]))


@pytest.mark.parametrize("columns", [["quality", "mean_cost"], ["Name", "quality", "mean_cost"]])
def test_a_table_of_parquet_without_names_is_refused(tmp_path: Path, columns: list[str]) -> None:
    assert "name" in refused_in_parquet(tmp_path, pa.table({name: [0.5, 0.5] for name in columns}))


def test_a_long_name_that_many_rows_of_parquet_repeat_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """10 GB of text in a small file: a dictionary of one name, and 10,000 times its number."""
    names = pa.DictionaryArray.from_arrays(pa.array([0] * 10_000, pa.int32()), ["n" * 1_000_000])
    table = pa.table({"name": names, "quality": [0.5] * 10_000, "mean_cost": [1.0] * 10_000})
    told = refused_in_parquet(tmp_path, table)
    assert "p.parquet:name has more than 1,000 characters" in told


def test_types_hold_for_parquet(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{**ROWS[0], "name": name} for name in (7, 8)])
    assert "p.parquet:1:name=7 must be a non-empty text" in refused_in_parquet(tmp_path, table)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("limit", "most", "told"),
    [
        ("MOST_ROWS", 2, " has more than 2 rows: give fewer or shorter rows"),
        ("MOST_BYTES", 30, " has more than 30 bytes (unpacked): give fewer or shorter rows"),
        ("MOST_CHARACTERS", 1, " characters: write it shorter"),
    ],
)
def test_what_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, limit: str, most: int, told: str
) -> None:
    rows = [{**ROWS[0], "name": name} for name in ("aa", "bb", "cc")]
    write_rows(tmp_path / f"p.{ending}", rows)
    monkeypatch.setattr(reader, limit, most)
    content = (tmp_path / f"p.{ending}").read_bytes()
    assert told in refused(tmp_path, content, named=f'"p.{ending}"', file=f"p.{ending}")


def test_a_table_in_place_of_the_path_is_refused(tmp_path: Path) -> None:
    told = refused(tmp_path, GOOD, named='{file = "p.csv", most_rows = 5}')
    assert "must name a file: write providers = " in told


@pytest.mark.long("unpacks 256 MiB")
def test_a_small_file_that_unpacks_to_much_is_refused_early(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", 1) as file:
        file.write(b"name,quality,mean_cost\n")
        for i in range(400):
            file.write(b"".join(b"p%d,0.5,%s\n" % (i * 1000 + j, b"0" * 900) for j in range(1000)))
    table = (tmp_path / "bomb.csv.gz").read_bytes()
    told = refused(tmp_path, table, named='"bomb.csv.gz"', file="bomb.csv.gz")
    assert "bomb.csv.gz has more than 268,435,456 bytes (unpacked)" in told


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ('"missing.csv"', "providers='missing.csv' cannot be read (no such file or directory)"),
        ('"."', "providers='.' is a folder, not a plain file"),
        ('"pipe.csv"', "providers='pipe.csv' is a device, a pipe or a socket, not a plain file"),
        ('"../p.csv"', "providers='../p.csv' must lie in the folder of the setting file or below it"),
        ('"/etc/passwd"', "providers='/etc/passwd' must lie in the folder of the setting file or below it"),
        ('"link.csv"', "providers='link.csv' must lie in the folder of the setting file or below it"),
        ('"p.txt"', "must end in .csv, .tsv, .jsonl"),
        ('""', "providers='' must name a file"),
        ("{}", "providers={} must name a file"),
        ("3", "providers=3 is not a known key: did you mean provider?"),
        (r'"p\u0000.csv"', "cannot be read"),
    ],
)
def test_only_a_plain_file_below_the_folder_is_read(tmp_path: Path, named: str, told: str) -> None:
    folder = tmp_path / "settings"
    folder.mkdir()
    (tmp_path / "p.csv").write_text(GOOD)
    (folder / "p.txt").write_text(GOOD)
    (folder / "link.csv").symlink_to(tmp_path / "p.csv")
    os.mkfifo(folder / "pipe.csv")
    assert told in refused(folder, GOOD, named=named, file="unused.csv")


def test_a_table_and_providers_in_the_file_exclude_each_other(tmp_path: Path) -> None:
    path = setting_with_table(tmp_path, random_providers(3, rng=np.random.default_rng(0)))
    path.write_text(path.read_text() + '[[provider]]\nname = "z"\nquality = 1\nmean_cost = 1\n')
    assert_refused(r"providers='providers.csv' cannot be combined with \[\[provider\]\]", load_setting, path)


def test_the_platform_of_a_setting_with_a_table_is_checked_as_ever(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(GOOD)
    for text, told in (
        (head('"p.csv"').replace("confidence = 0.05", "confidence = 5"), r"platform\.confidence=5"),
        ('providers = "p.csv"\n', "platform must be given"),
        ("[platform]\nproviders = 'p.csv'\n", r"providers='p.csv' is not a known key: write it above \[platform\]"),
    ):
        (tmp_path / "m.toml").write_text(text)
        assert_refused(told, load_setting, tmp_path / "m.toml")


def test_a_text_without_a_folder_names_no_table() -> None:
    assert_refused("has no folder to look in: save the setting in a file", parse_setting, head('"p.csv"'), "text")


def test_the_formulas_alone_open_no_table(tmp_path: Path) -> None:
    path = setting_with_table(tmp_path, random_providers(3, rng=np.random.default_rng(0)))
    assert_refused(r"is not opened here: costproof\.load_setting reads it", load_without_tables, path)


def test_a_file_that_is_too_long_is_told_of_tables(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    assert_refused(r'name a table of the providers: providers = "providers.csv"', load_setting, tmp_path / "m.toml")

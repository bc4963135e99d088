"""Tables are read back by other programs as what they were, whatever the cells hold; ratios never round to 1."""

import math
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from bounds.errors import printable
from bounds.sheet import SHOWN_ROWS, Cell, Sheet
from bounds.words import ROUNDING, number, ratio_text
from tests.bounds.table_readers import HOSTILE, caption_of, read_csv, read_html, read_latex, read_markdown
from tests.refusals import assert_refused

SHEET = Sheet(
    title="Five",
    columns=("name", "share_of_all", "holds", "money"),
    rows=(
        ("a", 0.123456789, True, 70_000),
        ("b", None, False, -1234.5),
        ("c", 1e-20, None, 12345.678),
        ("", -2.5e30, True, 0.1 + 0.2),
    ),
    key="name",
)
FORMATS: dict[str, tuple[Callable[[Sheet], str], Callable[[str], list[list[str]]]]] = {
    "csv": (Sheet.csv, read_csv),
    "markdown": (Sheet.markdown, read_markdown),
    "latex": (Sheet.latex, read_latex),
    "html": (Sheet.html, read_html),
}
CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(HOSTILE),
)


def shown(cell: Cell) -> str:
    """What a reader should see in a cell, by the rules as they are documented."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return printable(cell) if isinstance(cell, str) else number(cell)


def trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Without the spaces at the ends of cells, which no format but CSV keeps."""
    return [[" ".join(cell.split()) for cell in row] for row in rows]


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), max_size=4)))
def test_every_format_is_read_back(cells: list[list[Cell]]) -> None:
    names = tuple(f"column_{place}" for place in range(len(cells[0]) if cells else 2))
    sheet = Sheet(title="\x1b]0;any\nthing", columns=names, rows=tuple(map(tuple, cells)))
    expected = [[name.replace("_", " ") for name in names], *([shown(cell) for cell in row] for row in cells)]
    for written, read in (FORMATS[name] for name in ("markdown", "latex", "html")):
        assert trimmed(read(written(sheet))) == trimmed(expected)
    head, *body = read_csv(sheet.csv())
    assert head == list(names)
    for row, told in zip(cells, body, strict=True):
        for cell, text in zip(row, told, strict=True):
            if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                assert float(text) == cell  # every digit
            else:
                assert text == ("" if cell is None else printable(str(cell)))


@pytest.mark.for_each("name", HOSTILE)
@pytest.mark.parametrize("form", FORMATS)
def test_hostile_names_are_shown_as_they_are(form: str, name: str) -> None:
    written, read = FORMATS[form]
    text = written(Sheet(title=name, columns=("name", "n"), rows=((name, 1), (f"x{name}", 2))))
    assert trimmed([row[:1] for row in read(text)[1:]]) == trimmed([[printable(name)], [f"x{printable(name)}"]])
    if form == "html":
        assert caption_of(text) == printable(name)


def test_numbers_for_reading() -> None:
    latex = SHEET.latex()
    assert r"b & - & no & $-1{,}234.5$ \\" in latex
    assert r"c & $1 \times 10^{-20}$ & - & 12,345.7 \\" in latex
    assert r" & $-2.5 \times 10^{30}$ & yes & 0.3 \\" in latex
    assert [number(value) for value in (math.inf, -math.inf, math.nan, 2**60)] == ["inf", "-inf", "nan", "1.15292e+18"]


def test_columns_of_numbers_stand_to_the_right() -> None:
    assert SHEET.latex().splitlines()[2] == r"\begin{tabular}{lrlr}"
    assert SHEET.markdown().splitlines()[1] == "|:--|--:|:--|--:|"
    assert SHEET.html().count("text-align: right") == 2 * 5


def test_headings_are_for_people() -> None:
    """Programs find the names of the columns, people what is said in their place; it is escaped like a cell."""
    said = Sheet(title="t", columns=("a_b", "n"), rows=(("x", 1),), headings=(HOSTILE[0], "P&L_"))
    assert said.csv().startswith("a_b,n\n")
    assert list(said.to_frame().columns) == ["a_b", "n"]
    assert [FORMATS[form][1](FORMATS[form][0](said))[0] for form in ("markdown", "latex", "html")] == [
        [HOSTILE[0], "P&L_"]
    ] * 3


def test_no_rows() -> None:
    empty = Sheet(title="none", columns=("step", "rule"), rows=(), key="step")
    assert empty.csv() == "step,rule\n"
    assert [read(written(empty)) for written, read in FORMATS.values()] == [[["step", "rule"]]] * 4
    assert list(empty.to_frame().columns) == ["rule"]
    assert len(empty.to_frame()) == 0


def test_a_notebook_shows_the_first_rows_and_says_so() -> None:
    long = Sheet(title="many", columns=("n",), rows=tuple((n,) for n in range(1019)))
    html = long._repr_html_()
    assert len(read_html(html)) == 1 + SHOWN_ROWS
    assert caption_of(html) == "many (the first 100 of 1,019 rows)"
    assert len(read_html(long.html())) == 1020


def test_a_frame_has_what_the_csv_has() -> None:
    import pandas

    frame = SHEET.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "name"
    assert frame.loc["b", "money"] == -1234.5
    rows = read_csv(SHEET.csv())[1:]
    assert [float(row[3]) for row in rows] == frame["money"].tolist()
    assert np.isnan(frame.loc["b", "share_of_all"])
    assert frame.loc["a", "share_of_all"] == float(rows[0][1]) == 0.123456789
    empty = Sheet(title="t", columns=("a", "b", "c"), rows=((None, 1, "x"), (None, None, None))).to_frame()
    assert [str(kind) for kind in empty.dtypes[:2]] == ["float64", "float64"]
    assert empty.isna().to_numpy().tolist() == [[True, False, False], [True, True, True]]
    assert not any(cell is None for cell in empty.to_numpy().ravel())
    names = Sheet(title="t", columns=("name",), rows=tuple((name,) for name in HOSTILE)).to_frame()
    assert names["name"].tolist() == list(HOSTILE)  # as they are


def test_rows_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="as many cells"):
        Sheet(title="t", columns=("a", "b"), rows=((1, 2), (1,)))
    with pytest.raises(ValueError, match="as many cells"):
        Sheet(title="t", columns=("a", "b"), rows=((1, 2),), headings=("one",))


def test_a_missing_pandas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert_refused(r"pandas.*is not installed: pip install 'costproof\[frames\]'", SHEET.to_frame)


#: Formats of percentages as modules had their own.
PERCENTAGE = re.compile(r":[,.\d]*%\}|100 \* [^{}]*:[^{}]*\}%")
ROOMS = st.none() | st.integers(4, 9)


def read(text: str) -> float:
    return float(text.replace(",", ""))


@given(st.floats(0, 1e9), ROOMS)
@example(0.99996, 5)
@example(1.00004, 4)
@example(0.9996, 5)
@example(1.0004, None)
def test_only_1_reads_as_1(ratio: float, room: int | None) -> None:
    text = ratio_text(ratio, room=room)
    if abs(ratio - 1) <= ROUNDING:
        assert text == "1"
    elif text[0] in "<>":
        assert (text == "<1") == (ratio < 1)
    else:
        assert read(text) != 1
        assert (read(text) > 1) == (ratio > 1)


@given(st.floats(0, 999.4), ROOMS)
def test_a_ratio_keeps_three_digits_or_as_many_as_there_is_room_for(ratio: float, room: int | None) -> None:
    text = ratio_text(ratio, room=room)
    assert room is None or len(text) <= room
    if text[0] not in "<>":
        allowed = 0.005 * ratio if room is None else max(0.005 * ratio, 0.5 * 10.0 ** (2 - room))
        assert read(text) == pytest.approx(ratio, abs=allowed + 1e-9)


def test_no_other_module_writes_percentages() -> None:
    """It would round a share otherwise than the next screen does."""
    assert all(map(PERCENTAGE.search, ('f"{part:.1%}"', 'f"{100 * part:.3g}%"')))
    root = Path(__file__).parents[2]
    modules = [
        path for room in ("bounds", "mechanism", "proofs_checks", "costproof") for path in (root / room).rglob("*.py")
    ]
    writing = [path.relative_to(root).as_posix() for path in modules if PERCENTAGE.search(path.read_text("utf-8"))]
    assert writing == ["bounds/words.py"]

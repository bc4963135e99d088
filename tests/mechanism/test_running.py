"""Tables of steps and providers, folded as NumPy folds them, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mechanism.running import LONG, WIDE, across, columns_of, held, least_of_others, of_each_row, running, tallied


def _table(kind: str, rows: int, columns: int) -> NDArray[Any]:
    rng = np.random.default_rng(rows + columns)
    if kind == "flags":
        return rng.random((rows, columns)) < 0.3
    if kind == "counts":
        return rng.integers(-9, 9, (rows, columns))
    found = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-300, 300, (rows, columns))
    found.flat[:: max(rows // 3, 1)] = [-0.0, np.inf, np.nan][columns % 3]
    return found


@pytest.mark.for_each("columns", [1, 2, 9, WIDE + 1])
@pytest.mark.parametrize("rows", [1, 5, LONG])
@pytest.mark.parametrize("kind", ["flags", "counts", "money"])
@pytest.mark.filterwarnings("ignore:(invalid|overflow) value")
def test_sums_and_maxima_down_the_steps(kind: str, rows: int, columns: int) -> None:
    table = _table(kind, rows, columns)
    before = table.copy()
    for fold in (np.add, np.maximum):
        found, wanted = running(fold, table), fold.accumulate(table, axis=0)
        assert found.dtype == wanted.dtype
        assert found.tobytes() == wanted.tobytes()
    assert table.tobytes() == before.tobytes()
    assert running(np.add, before, out=before) is before
    assert np.array_equal(before, np.add.accumulate(table, axis=0, out=table.copy()), equal_nan=kind == "money")
    turned = np.asfortranarray(table)
    assert np.array_equal(running(np.add, turned), np.add.accumulate(table, axis=0), equal_nan=kind == "money")


def test_of_one_column_without_axis() -> None:
    assert running(np.add, np.array([1.0, 2.0])).tolist() == [1.0, 3.0]


@pytest.mark.for_each("columns", [1, 2, 9, WIDE + 1])
@pytest.mark.parametrize("rows", [40, LONG])
@pytest.mark.parametrize("kind", ["flags", "counts", "money"])
def test_ends_across_the_providers(kind: str, rows: int, columns: int) -> None:
    table = _table(kind, rows, columns)
    before = table.copy()
    for fold in (np.minimum, np.maximum, np.logical_or, np.logical_and):
        found, wanted = across(fold, table), fold.reduce(table, axis=1)
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted, equal_nan=kind == "money")
    assert table.tobytes() == before.tobytes()


@pytest.mark.for_each("columns", [1, 2, WIDE, WIDE + 1, 300])
def test_flags_are_counted_in_bytes_where_these_hold_the_number(columns: int) -> None:
    flags = np.ones((3, columns), dtype=bool)
    flags[1, 0] = False
    assert across(np.add, flags.view(np.int8)).tolist() == [columns, columns - 1, columns]


def test_one_entry_of_each_row() -> None:
    table = np.arange(6).reshape(3, 2)
    assert of_each_row(table, np.array([1, 0, 1])).tolist() == [1, 2, 5]


def test_nobody_has_anything() -> None:
    assert across(np.logical_or, np.empty((3, 0), dtype=bool)).tolist() == [False] * 3
    assert columns_of(np.arange(6).reshape(2, 3), []).shape == (2, 0)


@pytest.mark.parametrize("chosen", [[0], [2, 0], [1, 1]])
def test_some_of_the_columns(chosen: list[int]) -> None:
    table = np.arange(12).reshape(4, 3)
    assert columns_of(table, chosen).tolist() == table[:, chosen].tolist()
    assert columns_of(table, chosen).flags.c_contiguous
    assert columns_of(table[0], chosen).tolist() == table[0][chosen].tolist()


@pytest.mark.parametrize("columns", [1, 2, 9])
@pytest.mark.for_each("rows", [0, 1, 5, LONG])
@pytest.mark.parametrize("kind", ["flags", "counts", "money"])
@pytest.mark.filterwarnings("ignore:(invalid|overflow) value")
def test_tables_that_change_in_one_entry_a_step(kind: str, rows: int, columns: int) -> None:
    table = _table(kind, rows + 1, columns)
    before, steps = table[0].copy(), np.arange(rows)
    served = np.random.default_rng(rows).integers(0, columns, rows)
    amounts = table[1:][steps, served]
    found = held(before, served, amounts)
    # Each entry is what its provider was last given.
    assert found[1:][steps, served].tobytes() == amounts.tobytes()
    others = served[:, None] != np.arange(columns)
    assert found[1:][others].tobytes() == found[:-1][others].tobytes()
    assert found[0].tobytes() == before.tobytes()
    if kind != "flags":
        added = np.zeros_like(table)
        added[0], added[1:][steps, served] = before, amounts
        assert np.array_equal(tallied(before, served, amounts), np.add.accumulate(added, axis=0), equal_nan=True)


@pytest.mark.parametrize("columns", [1, 2, 9])
@pytest.mark.for_each("rows", [0, 5, LONG])
def test_the_least_of_the_others(rows: int, columns: int) -> None:
    rng = np.random.default_rng(columns)
    table = rng.integers(0, 4, (rows, columns)).astype(float)  # ties are frequent
    table[rng.random(table.shape) < 0.2] = np.inf
    found = least_of_others(table)
    for column in range(columns):
        rest = np.delete(table, column, axis=1)
        assert np.array_equal(found[:, column], rest.min(axis=1, initial=np.inf))


def test_the_least_of_others_of_which_one_is_undefined() -> None:
    few = np.array([[np.nan, 1.0, 2.0], [np.nan, np.nan, 2.0], [0.0, 1.0, np.nan], [1.0, np.nan, 0.5]])
    wanted = [[1.0, np.nan, np.nan], [np.nan] * 3, [np.nan, np.nan, 0.0], [np.nan, 0.5, np.nan]]
    for table in (few, np.tile(few, (LONG, 1))):
        found = least_of_others(table)
        assert np.array_equal(found[:4], wanted, equal_nan=True)
        assert np.array_equal(found[-4:], wanted, equal_nan=True)

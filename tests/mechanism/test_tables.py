"""Tables of radii and targets beside exact numbers, and tables of steps folded as NumPy folds them, to the last bit."""

import math
import threading
import time
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from bounds.formulas.selection import EXPLORATION_CAP
from bounds.language.arithmetic import Array
from mechanism.running import LONG, WIDE, across, held, least_of_others, running, tallied
from mechanism.tables import TabulatedFunction, entries, radius_table, target_table, window


class Recorder:
    """A function that depends on where in the block an argument stands, and remembers its blocks."""

    def __init__(self, pause: float = 0.0) -> None:
        self.blocks: list[tuple[float, float]] = []
        self._pause = pause

    def __call__(self, arguments: Array) -> Array:
        time.sleep(self._pause)
        self.blocks.append((arguments[0], arguments[-1]))
        return arguments + np.arange(len(arguments)) / 2**20


@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=6))
def test_entries_do_not_depend_on_how_far_was_asked(arguments: list[int]) -> None:
    little, much = TabulatedFunction(Recorder()), TabulatedFunction(Recorder())
    much.upto(20_000)
    assert [little[i] for i in arguments] == [much[i] for i in arguments]
    assert little.upto(max(arguments))[1:].tolist() == much.upto(max(arguments))[1:].tolist()


def test_threads_may_share_a_table() -> None:
    recorder = Recorder(pause=0.02)
    table, found = TabulatedFunction(recorder), []
    threads = [threading.Thread(target=lambda: found.append(table[9000])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [end for _, end in recorder.blocks[-3:]] == [4096, 8192, 12288]
    assert len(recorder.blocks) == 8, "no block is computed by two"
    assert found == [TabulatedFunction(Recorder())[9000]] * 4


@pytest.mark.for_each(("n", "confidence"), [(2, 0.05), (9, 0.05), (4096, 1e-9), (2, 0.999)])
def test_radii_are_those_of_the_paper(n: int, confidence: float) -> None:
    table = radius_table(n, confidence)
    with mpmath.workdps(40):
        for m in [1, 2, 3, 17, 4096, 4097, 10_000]:
            inside = 2 * mpmath.pi**2 * n * mpmath.mpf(m) ** 2 / (3 * mpmath.mpf(confidence))
            assert table[m] == pytest.approx(float(mpmath.sqrt(mpmath.log(inside) / (2 * m))), rel=1e-15)


@pytest.mark.for_each("root", range(2, 12))
def test_a_target_that_is_whole_is_not_rounded_up(root: int) -> None:
    """At t = 3 root^4 and alpha = 3/4, g is 2 root^3: rounding must not lift it to the next integer."""
    t = 3 * root**4
    table = target_table(3, 2.0, 0.75)
    assert table[t] == 2 * root**3
    assert table[t + 1] == 2 * root**3 + 1


@given(st.integers(2, 50), st.floats(1e-6, 1e6), st.floats(0.01, 0.99), st.lists(st.integers(1, 9000), min_size=1))
def test_targets_agree_with_sixty_digits(n: int, k: float, alpha: float, steps: list[int]) -> None:
    table = target_table(n, k, alpha)
    with mpmath.workdps(60):
        for t in steps:
            exact = mpmath.mpf(k) * (mpmath.mpf(t) / n) ** mpmath.mpf(alpha)
            assert table[t] == int(mpmath.ceil(exact))


@pytest.mark.for_each("alpha", [5e-324, 1e-17, 1e-10, 1 - 1e-10, 1 - 2**-52, 1 - 2**-53])
@pytest.mark.parametrize(
    ("n", "k"), [(2, 1.0), (3, 2.0), (7, 1.5), (2, 2 + 1e-12), (3, math.nextafter(2, 1)), (7, 7 / 3)]
)
def test_targets_near_a_whole_number_agree_with_four_hundred_digits(n: int, k: float, alpha: float) -> None:
    """With alpha near 0 g(t) is near k, and with alpha near 1 near k t / N."""
    table = target_table(n, k, alpha)
    with mpmath.workdps(400):
        for t in (*range(1, 40), n * 1000, n * 1000 + 1, 65_535, 99_999):
            assert table[t] == int(mpmath.ceil(mpmath.mpf(k) * (mpmath.mpf(t) / n) ** mpmath.mpf(alpha)))


@pytest.mark.long("decides 200,000 caps twice")
@pytest.mark.parametrize("alpha", [1e-10, 1 - 1e-10])
def test_caps_of_exploration_are_those_of_the_table(alpha: float) -> None:
    """The sign of logarithms decides the table, balls decide the cap."""
    values = {"n_providers": 4, "exploration_scale": 2.0, "exploration_exponent": alpha}
    caps = EXPLORATION_CAP(values, horizon=np.arange(1, 200_001))
    assert np.array_equal(caps, target_table(4, 2.0, alpha).upto(200_000)[1:] - 1)


def test_targets_out_of_reach_and_vanishing_ones_are_found_at_once() -> None:
    assert target_table(3, 1e300, 0.999).upto(5000)[1:].tolist() == [np.inf] * 5000
    assert target_table(3, 1e308, 0.75)[5000] == np.inf
    assert target_table(3, 1e-300, 0.75).upto(5000)[1:].tolist() == [1.0] * 5000
    assert target_table(3, 5e-324, 0.25)[1] == 1.0


def test_targets_just_within_reach_are_still_whole_numbers() -> None:
    scale = 2.0**39
    assert target_table(2, scale, 0.5)[2] == scale
    assert target_table(2, scale, 0.5)[8] == np.inf


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


def test_entries_beyond_what_is_kept_are_those_of_the_function_at_the_edges_of_blocks() -> None:
    table, arguments = TabulatedFunction(lambda n: n * n), np.array([1, 4095, 4096, 4097, 8192, 8193, 40_961])
    assert entries(table, arguments, kept=5).tolist() == (arguments**2).tolist()
    assert window(table, 4096, 8193, kept=5).tolist() == (np.arange(4096, 8194) ** 2).tolist()

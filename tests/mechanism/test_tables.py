import math
import threading
import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from bounds.language.arithmetic import Array
from mechanism.tables import Table, radius_table, target_table


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
@settings(deadline=None)
def test_entries_do_not_depend_on_how_far_was_asked(arguments: list[int]) -> None:
    little, much = Table(Recorder()), Table(Recorder())
    much.upto(20_000)
    assert [little[i] for i in arguments] == [much[i] for i in arguments]
    assert little.upto(max(arguments))[1:].tolist() == much.upto(max(arguments))[1:].tolist()


def test_blocks_follow_each_other_without_gap_or_overlap() -> None:
    recorder = Recorder()
    table = Table(recorder)
    for argument in (1, 4096, 4097, 5, 20_000):
        table[argument]
    ends = [end for _, end in recorder.blocks]
    assert [start for start, _ in recorder.blocks] == [1, *(end + 1 for end in ends[:-1])]
    lengths = [end - start + 1 for start, end in recorder.blocks]
    assert lengths[:6] == [128, 128, 256, 512, 1024, 2048], "each as long as all before it"
    assert {*lengths[6:]} == {4096}


def test_threads_may_share_a_table() -> None:
    recorder = Recorder(pause=0.02)
    table, found = Table(recorder), []
    threads = [threading.Thread(target=lambda: found.append(table[9000])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [end for _, end in recorder.blocks[-3:]] == [4096, 8192, 12288]
    assert len(recorder.blocks) == 8, "no block is computed by two"
    assert found == [Table(Recorder())[9000]] * 4


@pytest.mark.for_each(("n", "confidence"), [(2, 0.05), (9, 0.05), (4096, 1e-9), (2, 0.999)])
def test_radii_are_those_of_the_paper(n: int, confidence: float) -> None:
    table = radius_table(n, confidence)
    with mpmath.workdps(40):
        for m in [1, 2, 3, 17, 4096, 4097, 10_000]:
            inside = 2 * mpmath.pi**2 * n * mpmath.mpf(m) ** 2 / (3 * mpmath.mpf(confidence))
            assert table[m] == pytest.approx(float(mpmath.sqrt(mpmath.log(inside) / (2 * m))), rel=1e-15)


def least_whole_above(n: int, k: float, p: int, q: int, t: int, start: int) -> int:
    """Return ceil(k (t/n)^(p/q)) in whole numbers: the least m with m^q >= k^q (t/n)^p, from `start` on."""
    goal = Fraction(k) ** q * Fraction(t, n) ** p
    m = start
    while m**q < goal:
        m += 1
    return m


@pytest.mark.parametrize("n", [2, 3, 4, 9])
@pytest.mark.for_each("k", [2.0, 1.0, 0.5, 3.7, 0.1])
@pytest.mark.parametrize(("p", "q"), [(3, 4), (1, 2), (1, 4)])
def test_targets_are_exact_where_the_arithmetic_is_rational(n: int, k: float, p: int, q: int) -> None:
    table, expected = target_table(n, k, p / q), 0
    for t in range(1, 4200):
        expected = least_whole_above(n, k, p, q, t, expected)
        assert table[t] == expected


@pytest.mark.for_each("root", range(2, 12))
def test_a_target_that_is_whole_is_not_rounded_up(root: int) -> None:
    """At t = 3 root^4 and alpha = 3/4, g is 2 root^3: rounding must not lift it to the next integer."""
    t = 3 * root**4
    table = target_table(3, 2.0, 0.75)
    assert table[t] == 2 * root**3
    assert table[t + 1] == 2 * root**3 + 1


@given(st.integers(2, 50), st.floats(1e-6, 1e6), st.floats(0.01, 0.99), st.lists(st.integers(1, 9000), min_size=1))
@settings(deadline=None, max_examples=30)
def test_targets_agree_with_sixty_digits(n: int, k: float, alpha: float, steps: list[int]) -> None:
    table = target_table(n, k, alpha)
    with mpmath.workdps(60):
        for t in steps:
            exact = mpmath.mpf(k) * (mpmath.mpf(t) / n) ** mpmath.mpf(alpha)
            assert table[t] == int(mpmath.ceil(exact))


@pytest.mark.parametrize("alpha", [5e-324, 1e-17, 1e-10, 1 - 1e-10, 1 - 2**-52, 1 - 2**-53])
@pytest.mark.parametrize("k", [1.0, 2.0, 1.5, 2 + 1e-12, math.nextafter(2, 3), math.nextafter(2, 1), 7 / 3])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_targets_near_a_whole_number_at_every_step_agree_with_four_hundred_digits(
    n: int, k: float, alpha: float
) -> None:
    """With alpha near 0 g(t) is near k, and with alpha near 1 near k t / N."""
    table = target_table(n, k, alpha)
    with mpmath.workdps(400):
        for t in (*range(1, 40), n * 1000, n * 1000 + 1, 65_535, 99_999):
            assert table[t] == int(mpmath.ceil(mpmath.mpf(k) * (mpmath.mpf(t) / n) ** mpmath.mpf(alpha)))


@pytest.mark.parametrize("alpha", [5e-324, 1e-10, 1 - 1e-10, 1 - 2**-53])
@pytest.mark.parametrize("k", [2.0, 3 - 1e-12])
def test_targets_take_linear_time_where_they_are_near_a_whole_number_at_every_step(alpha: float, k: float) -> None:
    started = time.process_time()
    target_table(4, k, alpha).upto(400_000)
    assert time.process_time() - started < 5  # it took 25 where each of them was decided by itself


def test_targets_out_of_reach_and_vanishing_ones_are_found_at_once() -> None:
    started = time.monotonic()
    assert target_table(3, 1e300, 0.999).upto(5000)[1:].tolist() == [np.inf] * 5000
    assert target_table(3, 1e308, 0.75)[5000] == np.inf
    assert target_table(3, 1e-300, 0.75).upto(5000)[1:].tolist() == [1.0] * 5000
    assert target_table(3, 5e-324, 0.25)[1] == 1.0
    assert time.monotonic() - started < 5  # it took minutes and all memory to find the ceiling of 1e300


def test_targets_just_within_reach_are_still_whole_numbers() -> None:
    scale = 2.0**39
    assert target_table(2, scale, 0.5)[2] == scale
    assert target_table(2, scale, 0.5)[8] == np.inf

"""Algebraic numbers: identities that hold exactly, near misses that do not, and roots against numpy."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_checks.proofs.lemma import algebraic
from proofs_checks.proofs.lemma.algebraic import Algebraic, UndecidedSignError, read_cvc5_root, read_z3_root, root_of

TWO, THREE = root_of([1, 0, -2], place=2), root_of([1, 0, -3], place=2)
CUBE = root_of([1, 0, 0, -2], place=1)
HAIR = Fraction(1, 10**60)


def test_identities() -> None:
    assert TWO * TWO == 2
    assert root_of([1, 0, -6], place=2) == TWO * THREE
    assert TWO + THREE == root_of([1, 0, -10, 0, 1], place=4) == 1 / (THREE - TWO)
    rest = TWO + THREE + CUBE - TWO - THREE
    assert rest * rest * rest == 2
    assert root_of([1, -4, 5, -2], place=2) == 2
    assert root_of([1, 0, -4, 0, 4], place=2) == TWO, "a double root counts once"
    assert root_of([2, -1], place=1) == Fraction(1, 2)
    assert root_of([1, 0, 0], place=1) == 0
    assert root_of([1, 0, -2], between=(Fraction(5, 4), Fraction(3, 2))) == TWO


def test_near_misses() -> None:
    assert root_of([1, 0, -6], place=2) + HAIR != TWO * THREE
    assert TWO + THREE - root_of([1, 0, -10, 0, 1], place=4) < HAIR
    assert TWO * TWO - 2 < HAIR
    assert TWO * TWO + HAIR > 2
    assert 2 > TWO > 1
    assert Fraction(3, 2) >= TWO
    assert not Fraction(3, 2) <= TWO
    assert root_of([1, 0, -2], place=1) == -TWO
    assert 1 - TWO < 0


def test_no_number_is_divided_by_zero_in_disguise() -> None:
    with pytest.raises(ZeroDivisionError):
        1 / (TWO * THREE - root_of([1, 0, -6], place=2))
    assert 1 / (TWO * THREE - root_of([1, 0, -6], place=2) + HAIR) == 1 / HAIR


def test_a_sign_that_would_take_too_long_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    near = TWO * THREE - root_of([1, 0, -6], place=2) + HAIR
    assert near.sign() == 1
    monkeypatch.setattr(algebraic, "MOST_BITS", 64)
    with pytest.raises(UndecidedSignError):
        near.sign()


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6).filter(lambda c: c[0] != 0))
def test_roots_are_where_the_polynomial_is_zero(coefficients: list[int]) -> None:
    found = []
    while True:
        try:
            found.append(root_of(coefficients, place=len(found) + 1))
        except ValueError:
            break
    assert all(a < b for a, b in itertools.pairwise(found))
    for root in found:
        value = Fraction(0)
        for coefficient in coefficients:
            value = value * root + coefficient
        assert value == 0
    roots = np.roots(coefficients)
    simple = [z.real for z in roots if abs(z.imag) < 1e-9 and np.sum(np.abs(roots - z) < 1e-2) == 1]
    ends = [root.enclosure(50) if isinstance(root, Algebraic) else (root, root) for root in found]
    for value in simple:
        assert any(float(low) - 1e-6 <= value <= float(high) + 1e-6 for low, high in ends)


def test_solvers_write_the_same_numbers_differently() -> None:
    of_z3 = read_z3_root(["root-obj", ["+", ["*", "4", ["^", "x", "2"]], ["*", ["-", "4"], "x"], ["-", "7"]], "2"])
    assert of_z3 == TWO + Fraction(1, 2)
    assert of_z3 == read_cvc5_root("(_ real_algebraic_number <4*x^2 + (-4*x) + (-7), (7/4, 2)>)")
    assert str(of_z3) == "1.914213562... (a root of 4*x^2 + -4*x^1 + -7)"


@pytest.mark.for_each(
    "expression",
    [["root-obj", "x"], ["root-obj", ["+", "1"], "1"], ["root-obj", ["sin", "x"], "1"], ["root-obj", "x", "0"]],
)
def test_what_is_no_root_is_refused(expression: object) -> None:
    with pytest.raises(ValueError, match=r"no|invalid"):
        read_z3_root(expression)


@pytest.mark.for_each("bits", [1, 10, 100, 1000])
def test_enclosures_hold_the_number(bits: int) -> None:
    low, high = TWO.enclosure(bits)
    assert low * low <= 2 <= high * high
    assert high - low <= Fraction(1, 1 << bits)
    low, high = (TWO * THREE - CUBE / TWO).enclosure(bits)
    exact = 6**0.5 - 2 ** (1 / 3) / 2**0.5
    assert float(low) - 1e-12 <= exact <= float(high) + 1e-12
    assert high - low <= Fraction(8, 1 << bits)

"""What is handed in: floats stand for their decimals, subclasses are refused, and mappings are read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import InputError
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import Number, Term, constants, number
from proofs_checks.proofs.language.well_formed import plain
from proofs_checks.proofs.prove import prove

X, Y = constants("x y")


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), np.float64("-inf"), None, "a", "1/0", 1j, np.array([1, 2])]
)
def test_what_is_no_finite_number_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="is not a finite real number"):
        number(value)


@pytest.mark.parametrize("given", [2, 0.1, Fraction(1, 10)])
def test_what_a_subclass_says_of_itself_is_not_believed(given: Number) -> None:
    said = {"__str__": lambda self: "3", "__repr__": lambda self: "3", "__int__": lambda self: 3}
    lying = type("Lying", (type(given),), said)
    assert number(lying(given)).number == Fraction(str(given))


@pytest.mark.parametrize("value", [3, np.int64(3), True, Fraction(1, 3), 1e300, 5e-324])
def test_a_number_is_exact(value: float) -> None:
    found = number(value).number
    assert type(found) is Fraction
    assert float(found) == float(value)


class LyingObligation(Obligation):
    @property
    def refutation(self) -> dict[str, Term]:
        return {"first": X > 0, "second": X < 0}


class SilentProof(Proof):
    @property
    def saying(self) -> tuple[Obligation, ...]:
        return ()


class SubclassedHypothesis(Hypothesis):
    pass


class Text(str):
    __slots__ = ()


class Shifting(Mapping[str, Hypothesis]):
    """Hypotheses that hold when they are read first, and contradict each other afterwards."""

    def __init__(self) -> None:
        self._reads = 0

    def __len__(self) -> int:
        return 1

    def __iter__(self):
        self._reads += 1
        return iter(["a"])

    def __getitem__(self, name: str) -> Hypothesis:
        return Hypothesis(X >= X if self._reads <= 2 else X < X)


@dataclass(frozen=True)
class LyingMutant(Mutant):
    pass


def without_end() -> list[Term]:
    """Return a list that holds itself."""
    found: list[Term] = []
    found.append(found)  # type: ignore[arg-type]
    return found


FALSE = X > Y
REFUSED: dict[str, Callable[[], Obligation]] = {
    "a subclass of Obligation": lambda: LyingObligation("false", "", {}, FALSE),
    "a subclass of Hypothesis": lambda: Obligation("false", "", {"a": SubclassedHypothesis(X > 0)}, FALSE),
    "a subclass of Mutant": lambda: Obligation("false", "", {}, FALSE, (LyingMutant("m", goal=X > 1),)),
    "a name of a subclass of str": lambda: Obligation(Text("false"), "", {}, FALSE),
    "a source of a subclass of str": lambda: Obligation(
        "false", "", {"a": Hypothesis(X > 0, Text("assumption"))}, FALSE
    ),
    "a subclass of tuple": lambda: Obligation("false", "", {}, FALSE, hints=type("Hints", (tuple,), {})((X,))),
    "a list that holds itself": lambda: Obligation("false", "", {}, FALSE, hints=without_end()),
    "a generator": lambda: Obligation("false", "", {}, FALSE, hints=(term for term in [X])),
    "a class that lies": type("Liar", (), {"__class__": Obligation}),
    "no obligation": lambda: "false",
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_is_of_another_type_is_refused(make: Callable[[], Obligation]) -> None:
    with pytest.raises(InputError, match="proof"):
        prove(proofs={"lem:false": Proof("lem:false", (make(),), "")})


@pytest.mark.parametrize("hypotheses", [None, [("a", Hypothesis(X > 0))], "a"])
def test_hypotheses_are_a_mapping(hypotheses: object) -> None:
    with pytest.raises(TypeError, match="the hypotheses are no mapping"):
        Obligation("false", "", hypotheses, FALSE)


def test_a_subclass_of_proof_is_refused() -> None:
    stated = (Obligation("false", "", {}, FALSE),)
    for proof in (SilentProof("lem:false", stated, ""), Proof(Text("lem:false"), stated, "")):
        with pytest.raises(InputError, match="proof"):
            prove(proofs={"lem:false": proof})


def test_a_mapping_is_read_once() -> None:
    """Read again, its hypotheses would contradict each other, and everything would follow."""
    copied = plain(Obligation("false", "", Shifting(), FALSE))
    assert type(copied.hypotheses) is dict


@pytest.mark.parametrize(
    "parts",
    [(Text("x"),), ("x", (), Text("Never")), ("f", [X]), ("f", (Text("x"),)), ("number", (), "Seldom", Text("1"))],
)
def test_a_term_is_made_of_exact_types(parts: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        Term(*parts[:1], *parts[1:] or ((), "Sort of this test alone"))

"""Random formulas over a few symbols, and models in which they are true or false."""

from fractions import Fraction

from hypothesis import strategies as st

from proofs_checks.proofs.lemma import (
    BOOL,
    Model,
    Term,
    all_of,
    any_of,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
    provider,
)

X, Y = constants("x y")
ONE, J, K = map(provider, "ijk")
F, G = function("f"), function("g", BOOL)

_ORDERS = st.sampled_from([Term.__lt__, Term.__le__, Term.__gt__, Term.__ge__, equal])


def _applied(operators: st.SearchStrategy, operands: st.SearchStrategy) -> st.SearchStrategy[Term]:
    return st.builds(lambda op, a, b: op(a, b), operators, operands, operands)


def formulas() -> st.SearchStrategy[Term]:
    """Return formulas with numbers, functions of providers, choices and quantifiers over providers."""
    people = st.sampled_from([ONE, J, K])
    reals = st.recursive(
        st.sampled_from([X, Y]) | people.map(F) | st.fractions(-2, 2, max_denominator=3).map(number),
        lambda inner: (
            _applied(st.sampled_from([Term.__add__, Term.__sub__, Term.__mul__]), inner)
            | st.builds(lambda a, b, c, d: either(a < b, c, d), inner, inner, inner, inner)
        ),
        max_leaves=3,
    )
    atoms = _applied(_ORDERS, reals) | people.map(G) | st.builds(equal, people, people)
    return st.recursive(
        atoms,
        lambda inner: (
            st.builds(all_of, inner, inner)
            | st.builds(any_of, inner, inner)
            | st.builds(implies, inner, inner)
            | inner.map(Term.__invert__)
            | inner.map(lambda formula: for_all([J], formula))
            | inner.map(lambda formula: exists([J, K], formula))
        ),
        max_leaves=4,
    )


@st.composite
def models(draw: st.DrawFn) -> Model:
    size = draw(st.integers(1, 3))
    few, index = st.integers(-2, 2).map(Fraction), st.integers(0, size - 1)
    values: dict[tuple[object, ...], object] = {(name,): draw(few) for name in "xy"}
    values |= {(name,): draw(index) for name in "ijk"}
    for k in range(size):
        values |= {("f", k): draw(few), ("g", k): draw(st.booleans()), (f"provider.{k}",): k}
    return Model(providers=size, values=values)

"""Models: the vocabulary against the rules of the mechanism on random auctions, and what solvers print."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mechanism import rules
from proofs_checks.proofs.lemma import (
    Auction,
    Model,
    Term,
    all_of,
    any_of,
    either,
    equal,
    every,
    exists,
    for_all,
    implies,
    market,
    provider,
)
from proofs_checks.proofs.lemma.models import NoValueError, asked_of, model_of, with_providers
from proofs_checks.proofs.lemma.scripts import logic_of, script
from proofs_checks.proofs.lemma.solvers import Solvers
from tests.proofs_checks.proofs.lemma.formulas import ONE, F, J, K, X, Y, formulas, models

AMOUNTS = st.sampled_from([Fraction(k, 4) for k in range(-2, 9)])


@st.composite
def auctions(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction], tuple[int, ...], Fraction]:
    n = draw(st.integers(1, 5))
    bids = draw(st.lists(AMOUNTS, min_size=n, max_size=n))
    radii = draw(st.lists(AMOUNTS.filter(lambda amount: amount >= 0), min_size=n, max_size=n))
    able = draw(st.sets(st.integers(0, n - 1), min_size=1))
    return bids, radii, tuple(sorted(able)), draw(AMOUNTS.filter(lambda amount: amount > 0))


def model_of_auction(
    bids: Sequence[Fraction], radii: Sequence[Fraction], able: Sequence[int], bound: Fraction, winner: int | None = None
) -> Model:
    """Return the model of an auction that `mechanism.rules` holds; by default the first of those that tie wins."""
    adjusted = rules.adjusted_bids(bids, radii)
    found: dict[tuple[Any, ...], Any] = {("cost_bound",): bound}
    found["winner",] = rules.lowest(able, adjusted)[0] if winner is None else winner
    for k, (bid, radius) in enumerate(zip(bids, radii, strict=True)):
        critical = rules.critical_payment(k, able, adjusted, radius)
        # Without a rival the least one may be anything: the vocabulary does not read it then.
        least = Fraction(0) if critical is None else critical - radius
        found |= {("bid", k): bid, ("cost_radius", k): radius, ("eligible", k): k in able}
        found |= {("has_rival", k): critical is not None, ("least_rival", k): least}
    return Model(providers=len(bids), values=found)


@given(auctions(), st.data())
def test_an_auction_of_the_rules_is_one_of_the_vocabulary(drawn: Any, data: st.DataObject) -> None:
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    winner = data.draw(st.sampled_from(rules.lowest(able, adjusted)))
    model, auction = model_of_auction(bids, radii, able, bound, winner=winner), Auction()
    for name, formula in {**market(), **auction.definitions()}.items():
        assert model.value(formula), name
    critical = rules.critical_payment(winner, able, adjusted, radii[winner])
    assert model.value(auction.payment(auction.winner)) == rules.auction_payment(critical, bound)


@given(auctions(), st.data())
def test_a_wrong_winner_or_a_wrong_rival_is_none_of_the_vocabulary(drawn: Any, data: st.DataObject) -> None:
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    losers = [k for k in range(len(bids)) if k not in rules.lowest(able, adjusted)]
    auction = Auction()
    if losers:
        model = model_of_auction(bids, radii, able, bound, winner=data.draw(st.sampled_from(losers)))
        assert not all(map(model.value, auction.definitions().values()))
    if len(able) > 1:
        right = model_of_auction(bids, radii, able, bound)
        shifted = {**right.values, ("least_rival", able[0]): right.values["least_rival", able[0]] + 1}
        assert not all(map(Model(providers=len(bids), values=shifted).value, auction.definitions().values()))


class TestFinitelyManyProviders:
    """A model with so many providers is a model, whatever the formulas are."""

    def test_no_quantifier_over_them_is_left(self) -> None:
        finite = with_providers([for_all([J], F(J) > 0), exists([J], equal(J, ONE))], 3)
        assert logic_of(finite) == "QF_UFLRA"
        assert with_providers([X > 0], 3) == [X > 0]
        [over_numbers] = with_providers([for_all([J, X], F(J) > X)], 1)
        assert str(over_numbers) == "(forall ((x Real)) (> (f provider.0) x))"

    @given(formulas(), models())
    def test_expanded_formulas_are_true_exactly_where_the_quantified_are(self, formula: Term, model: Model) -> None:
        expanded, *added = with_providers([formula], model.providers)
        assert model.value(expanded) == model.value(formula)
        assert all(map(model.value, added))

    @pytest.mark.long("asks both solvers")
    def test_they_differ_and_are_all_that_there_is(self) -> None:
        differ, nobody_else = exists([J, K], ~equal(J, K)), for_all([J], F(J) > 0) & (F(ONE) <= 0)
        alike = for_all([J, K], equal(J, K))
        asked = [with_providers([one], size) for one in (differ, alike, nobody_else) for size in (1, 2, 3)]
        with Solvers() as solvers:
            told = solvers.ask([script(one) for one in asked])
        for solver in ("z3", "cvc5"):
            assert [one[solver].answer for one in told] == ["unsat", "sat", "sat", "sat", *["unsat"] * 5]


def test_a_division_by_zero_that_decides_nothing_is_passed_over() -> None:
    weight = F
    at_zero = Model(providers=2, values={("x",): Fraction(0), ("f", 0): Fraction(0), ("f", 1): Fraction(2)})
    assert at_zero.value(any_of(1 / X > 0, equal(X, 0)))
    assert not at_zero.value(all_of(1 / X > 0, ~equal(X, 0)))
    assert at_zero.value(implies(~equal(X, 0), 1 / X > 0))
    assert at_zero.value(either(equal(X, 0), 5, 1 / X)) == 5
    assert at_zero.value(exists([J], 1 / weight(J) > 0))
    for undefined in (all_of(1 / X > 0, equal(X, 0)), every(1 / weight(J) > 0), ~(1 / X > 0)):
        with pytest.raises(ZeroDivisionError):
            at_zero.value(undefined)


class TestAnswers:
    """A solver's values are read in the order in which they were asked for."""

    def test_what_is_asked_says_all_of_a_model(self) -> None:
        asked = asked_of(with_providers([F(ONE) > F(J) + X], 2), 2)
        assert {str(one) for one in asked} >= {"x", "(f i)", "(f j)", "(= i provider.0)", "(= j provider.1)"}
        answer = "((a true) (b false) (c false) (d true) (x 1.5) (e (- 2.0)) (f (/ 1.0 3.0)))"
        model = model_of(asked, answer, 2)
        assert (model.providers, model.value(ONE), model.value(provider("j"))) == (2, 0, 1)
        assert model.value(F(ONE) + F(J)) == Fraction(-5, 3)
        with pytest.raises(NoValueError, match="no value to y"):
            model.value(Y)

    def test_values_of_functions_at_functions(self) -> None:
        asked = asked_of([equal(F(F(X)), X + 1)], 0)
        assert model_of(asked, "((x 1.0) (y 3.0) (z 2.0))", 0).values == {("x",): 1, ("f", 1): 3, ("f", 3): 2}

    @pytest.mark.for_each(
        "answer",
        [
            "((x 1.0))",
            "((x 1.0) (y 2.0) (z 3.0) (w 4.0))",
            "((x 3.0) (y 3.0) (z 2.0))",  # f(3) is 3, and f(f(3)) is 2
            "((x 1.0 2.0) (y 1.0) (z 1.0))",
        ],
    )
    def test_too_few_or_too_many_values_are_none(self, answer: str) -> None:
        with pytest.raises(NoValueError):
            model_of(asked_of([equal(F(F(X)), X + 1)], 0), answer, 0)

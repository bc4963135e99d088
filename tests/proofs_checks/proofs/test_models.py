"""The vocabulary of the proofs against the rules of the mechanism, on random auctions in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from mechanism import rules
from proofs_checks.proofs.language.models import Model, NoValueError, model_of
from proofs_checks.proofs.language.symbolic import paths
from proofs_checks.proofs.language.terms import constant, constants
from proofs_checks.proofs.language.vocabulary import COST_BOUND, Auction, market, provider

AMOUNTS = st.sampled_from([Fraction(k, 4) for k in range(-2, 9)])


@st.composite
def auctions(draw):
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
    return Model(len(bids), found)


@given(auctions(), st.data())
def test_an_auction_of_the_rules_is_one_of_the_vocabulary(drawn, data):
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    winner = data.draw(st.sampled_from(rules.lowest(able, adjusted)))
    model, auction = model_of_auction(bids, radii, able, bound, winner=winner), Auction()
    for name, hypothesis in {**market(), **auction.definitions()}.items():
        assert model.value(hypothesis.formula), name
    critical = rules.critical_payment(winner, able, adjusted, radii[winner])
    assert model.value(auction.payment(auction.winner)) == rules.auction_payment(critical, bound)


@given(auctions(), st.data())
def test_a_wrong_winner_or_a_wrong_rival_is_none_of_the_vocabulary(drawn, data):
    bids, radii, able, bound = drawn
    adjusted = rules.adjusted_bids(bids, radii)
    losers = [k for k in range(len(bids)) if k not in rules.lowest(able, adjusted)]
    auction = Auction()
    if losers:
        model = model_of_auction(bids, radii, able, bound, winner=data.draw(st.sampled_from(losers)))
        assert not all(model.value(h.formula) for h in auction.definitions().values())
    if len(able) > 1:
        right = model_of_auction(bids, radii, able, bound)
        shifted = {**right.values, ("least_rival", able[0]): right.values["least_rival", able[0]] + 1}
        assert not all(Model(len(bids), shifted).value(h.formula) for h in auction.definitions().values())


@given(st.lists(AMOUNTS, min_size=3, max_size=3))
def test_every_point_lies_on_exactly_one_path(values):
    """The rules on solver numbers: the path whose condition holds returns what the rules return on the numbers."""
    symbols = constants("a b c")
    model = Model(0, {(s.head,): value for s, value in zip(symbols, values, strict=True)})
    lowest = lambda numbers: rules.lowest((0, 1, 2), numbers)  # noqa: E731 - the same rule twice
    met = [
        found for condition, found in paths(lambda lift: lowest([lift(s) for s in symbols])) if model.value(condition)
    ]
    assert met == [lowest(values)]


def test_abbreviations_of_a_solver_are_written_out():
    model = model_of({"x": "2.0", "(let ((_let_1 (+ x 1.0))) (let ((_let_2 (* _let_1 _let_1))) (f _let_2)))": "5.0"})
    assert model.values == {("x",): 2, ("f", Fraction(9)): 5}
    with pytest.raises(NoValueError, match="cannot be read"):
        model_of({"(let x)": "5.0"})


def test_numbers_of_both_signs_are_read():
    model = model_of({"x": "(- (/ 1.0 2.0))", "(bid provider_0)": "3.5", "(= i provider_0)": "true", "flag": "false"})
    assert model.value(constant("x")) == Fraction(-1, 2)
    assert model.value(Auction().bid(provider("i"))) == Fraction(7, 2)
    with pytest.raises(NoValueError, match="no value to cost_bound"):
        model.value(COST_BOUND)

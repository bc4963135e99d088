"""Lemmas of a user: proved, refuted by numbers, vacuous, or refused with a word on what is wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.errors import InputError
from proofs_checks.proofs import lemma as lemmas
from proofs_checks.proofs.language.obligation import Mutant, Obligation
from proofs_checks.proofs.language.terms import (
    PROVIDER,
    Term,
    all_of,
    constant,
    constants,
    either,
    equal,
    for_all,
    function,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    Auction,
    assuming,
    market,
    provider,
    same_others,
    within,
)
from proofs_checks.proofs.lemma import prove_lemma
from proofs_checks.verdict import Verdict

E, D = constants("estimate deviation")
ONE = provider("i")
TRUTHFUL, OTHER = Auction("_truthful"), Auction("_other")


def test_a_lone_provider_is_paid_the_cost_bound() -> None:
    auction = Auction()
    alone = {**market(), **auction.definitions(), **assuming(alone=~HAS_RIVAL(auction.winner))}
    found = prove_lemma(Obligation("lone", "alone", alone, equal(auction.payment(auction.winner), COST_BOUND)))
    assert (found.verdict, found.certified) == (Verdict.PROVED, True)


def test_a_first_price_auction_is_refuted_by_numbers() -> None:
    def gain(auction: Auction, bid: Term) -> Term:
        return either(equal(auction.winner, ONE), bid - E, 0)

    hypotheses = {
        **market(),
        **TRUTHFUL.definitions(),
        **OTHER.definitions(),
        **assuming(
            others=same_others(TRUTHFUL, OTHER, ONE),
            truth=equal(TRUTHFUL.bid(ONE), E),
            lie=equal(OTHER.bid(ONE), D),
            ranges=all_of(within(0, E, COST_BOUND), within(0, D, COST_BOUND)),
            able=ELIGIBLE(ONE),
        ),
    }
    found = prove_lemma(Obligation("first-price", "truthful?", hypotheses, gain(TRUTHFUL, E) >= gain(OTHER, D)))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample.value(gain(OTHER, D)) > 0
    assert isinstance(found.counterexample.values[("deviation",)], Fraction)


def test_a_mutant_that_is_true_as_well_makes_a_lemma_vacuous() -> None:
    idle = Obligation("idle", "idle", assuming(a=E > 0, b=D > 0), E > 0, (Mutant("no b", drop=("b",)),))
    found = prove_lemma(idle)
    assert (found.verdict, found.reason) == (Verdict.VACUOUS, "mutant 'no b' is not shown to be false: does it matter?")


def test_contradictory_hypotheses_make_a_lemma_vacuous() -> None:
    assert prove_lemma(Obligation("absurd", "", assuming(a=E > 0, b=E < 0), D > 0)).verdict is Verdict.VACUOUS


def test_numbers_that_rest_on_a_division_by_zero_refute_nothing() -> None:
    found = prove_lemma(Obligation("quotient", "", assuming(a=E >= 0), E / E >= 1))
    assert found.verdict in (Verdict.SKIPPED, Verdict.REFUTED)
    if found.counterexample is not None:
        assert found.counterexample.values[("estimate",)] != 0


def test_a_lemma_that_is_false_for_many_providers_only_is_found_or_called_false(monkeypatch) -> None:
    five = [constant(f"p{k}", PROVIDER) for k in range(5)]
    apart = all_of(*(~equal(a, b) for k, a in enumerate(five) for b in five[:k]))
    crowded = Obligation("crowded", "", assuming(a=for_all([five[0]], function("f")(five[0]) > 0)), ~apart)
    assert prove_lemma(crowded).verdict is Verdict.REFUTED
    monkeypatch.setattr(lemmas, "_SIZES", (2, 3))
    found = prove_lemma(crowded)
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "sat" in found.reason or found.reason.startswith("both solvers refute it")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Obligation("wrong", "", {}, Auction().winner == ONE), "the goal is False, no formula"),
        (lambda: Obligation("wrong", "", assuming(a=E + 1), E > 0), "hypothesis 'a' is a term of sort Real"),
        (lambda: Obligation("wrong", "", {"a": E > 0}, E > 0), "hypothesis 'a' is no Hypothesis"),
    ],
)
def test_what_is_no_formula_is_named(make, said) -> None:
    with pytest.raises(TypeError, match=said):
        make()


def test_what_cannot_be_written_is_bad_input() -> None:
    twice = Obligation("twice", "", assuming(a=function("bid")(ONE) > function("bid")(ONE, ONE)), E > 0)
    with pytest.raises(InputError, match="cannot be written as SMT-LIB"):
        prove_lemma(twice)

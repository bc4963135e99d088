"""Lemmas of a user: proved, refuted by numbers, vacuous, or refused with a word on what is wrong."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.errors import InputError
from proofs_checks.proofs import lemma as lemmas
from proofs_checks.proofs.language.axioms import (
    exp_of_minus_log,
    log_monotone,
    log_product,
    log_tangent,
    power_monotone,
    root_non_negative,
    root_positive,
    square_root,
)
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation
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
    ln,
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


X, Y, ROOT, LOG, TAIL, SECOND = constants("x y root log_of_x tail second")
NOT_ZERO = exp_of_minus_log(TAIL, LOG, LOG, X)


@pytest.mark.for_each(
    ("lemma", "verdict"),
    [
        (Obligation("root", "every real is >= 0", {"root": square_root(ROOT, Y)}, Y >= 0), Verdict.SKIPPED),
        (
            Obligation("root", "of numbers >= 0", assuming(y=Y >= 0) | {"r": square_root(ROOT, Y)}, Y >= 0),
            Verdict.PROVED,
        ),
        (Obligation("exp", "no real is 0", {"exp": NOT_ZERO}, ~equal(X, 0)), Verdict.SKIPPED),
        (Obligation("exp", "nor is a number > 0", assuming(x=X > 0) | {"exp": NOT_ZERO}, TAIL > 0), Verdict.PROVED),
        (Obligation("ln", "every real is > 0", {"log": log_tangent(LOG, X)}, LOG <= X), Verdict.SKIPPED),
        # The root of the root of y: the first derives what the second needs, and not the other way round.
        (
            Obligation(
                "roots",
                "in their order",
                assuming(y=Y > 0) | {"root": root_positive(ROOT, Y), "other": square_root(SECOND, ROOT)},
                SECOND >= 0,
            ),
            Verdict.PROVED,
        ),
        (
            Obligation(
                "roots", "in a circle", {"root": square_root(ROOT, X * X * X), "other": square_root(SECOND, X)}, X >= 0
            ),
            Verdict.SKIPPED,
        ),
        (
            Obligation(
                "power", "", assuming(x=all_of(X > 0, Y > X)) | {"p": power_monotone(X, LOG, Y, TAIL, E)}, LOG < TAIL
            ),
            Verdict.SKIPPED,
        ),
    ],
)
def test_axioms_hold_only_where_their_conditions_are_derived(lemma: Obligation, verdict: Verdict) -> None:
    found = prove_lemma(lemma)
    assert found.verdict is verdict
    assert found.reason.endswith("is not derived") == (verdict is Verdict.SKIPPED)


def test_what_is_not_derived_is_said() -> None:
    found = prove_lemma(Obligation("root", "", {"root": square_root(ROOT, Y)}, Y >= 0))
    assert found.reason == "the condition (>= y 0.0) of square-root is not derived"


REAL_ROOT = square_root(ROOT, Y)


@pytest.mark.parametrize(
    "hypotheses",
    [
        pytest.param({"h": Hypothesis(X <= -1, "axiom", "hoeffding")}, id="made by hand"),
        pytest.param({"h": Hypothesis(X <= -1, "axiom", "wishful-thinking")}, id="no axiom"),
        pytest.param({"h": Hypothesis(equal(X, 2), "axiom", "log-product", (X, 2, ()))}, id="a number as a logarithm"),
        pytest.param(
            {"h": Hypothesis(REAL_ROOT.formula, "axiom", REAL_ROOT.of, REAL_ROOT.arguments, (), REAL_ROOT.names)},
            id="without its conditions",
        ),
        pytest.param(
            {"h": Hypothesis(REAL_ROOT.formula, "axiom", REAL_ROOT.of, REAL_ROOT.arguments, REAL_ROOT.conditions)},
            id="without its names",
        ),
        pytest.param({"h": Hypothesis(Y >= 0, "axiom", REAL_ROOT.of, REAL_ROOT.arguments)}, id="another formula"),
        pytest.param({"h": Hypothesis(X > 2, "ball", "radius-logarithm")}, id="another symbol in a ball fact"),
        pytest.param({"h": Hypothesis(X > 2, "ball", "pi-is-3")}, id="no ball fact"),
        pytest.param({"a": log_tangent(LOG, X), "b": log_tangent(LOG, 2 * X)}, id="two logarithms of one symbol"),
        pytest.param(
            {
                "a": BALL_FACTS["radius-logarithm"].hypothesis,
                "b": log_tangent(constant("log_of_4_pi_squared_over_3"), X),
            },
            id="a symbol of a ball fact",
        ),
        pytest.param({"a": square_root(ROOT, Y), "b": square_root(Y, ROOT)}, id="roots of each other"),
        pytest.param({"a": Hypothesis(X > 0, names=((X, ln(Y)),))}, id="an assumption that names something"),
    ],
)
def test_what_is_no_axiom_is_refused(hypotheses: dict[str, Hypothesis]) -> None:
    with pytest.raises(InputError):
        prove_lemma(Obligation("attack", "", assuming(positive=all_of(X > 0, Y > 0)) | hypotheses, X > 1))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: log_product(X, 2, {}), id="x = 2"),
        pytest.param(lambda: log_product(X, 2, {X: Y}), id="a logarithm that is a number"),
        pytest.param(lambda: log_product(LOG, 2 * SECOND, {LOG: X, SECOND: X}), id="the square of x is x"),
        pytest.param(lambda: log_product(LOG, SECOND, {LOG: X * Y, SECOND: X + Y}), id="a product that is a sum"),
        pytest.param(lambda: log_product(LOG, 0, {LOG: -1}), id="the logarithm of -1"),
        pytest.param(lambda: log_tangent(X, X), id="x is its own logarithm"),
        pytest.param(lambda: log_tangent(X, X + 1), id="x is the logarithm of x + 1"),
        pytest.param(lambda: log_tangent(X * Y, X), id="a product as a name"),
        pytest.param(lambda: log_tangent(X - X, Y), id="0 as a name"),
        pytest.param(lambda: log_tangent(X + 1, Y), id="a sum with a number as a name"),
        pytest.param(lambda: log_monotone(X, LOG, Y, LOG), id="one logarithm of two"),
        pytest.param(lambda: square_root(2 * ROOT, Y), id="a multiple as a root"),
        pytest.param(lambda: square_root(ROOT, -4), id="the root of -4"),
        pytest.param(lambda: square_root(function("f")(ONE), Y), id="a function as a name"),
        pytest.param(lambda: log_tangent(LOG, ln(X)), id="what no script says"),
        pytest.param(lambda: log_product(LOG, None, {}), id="nothing"),
        pytest.param(lambda: log_tangent("log", X), id="text"),
        pytest.param(lambda: log_tangent(LOG, X > 0), id="a formula"),
    ],
)
def test_no_instance_is_made_of_what_is_none(make) -> None:
    with pytest.raises(InputError):
        make()


def test_what_no_logarithm_is_refutes_nothing() -> None:
    """That ln 4 < 4/3 does not follow from ln 4 <= 3; numbers for which it is false are no logarithms."""
    four = assuming(x=equal(X, 4)) | {"tangent": log_tangent(LOG, X)}
    found = prove_lemma(Obligation("four", "", four, 3 * LOG < 4))
    assert (found.verdict, found.counterexample) == (Verdict.SKIPPED, None)
    assert "no numbers refute it" in found.reason


def test_a_counterexample_with_a_root_has_the_root() -> None:
    """That the root is at least 0 is all that is stated, and its square is 4 all the same."""
    some = assuming(y=equal(Y, 4)) | {"root": root_non_negative(ROOT, Y)}
    found = prove_lemma(Obligation("root", "", some, ROOT < 2))
    assert found.verdict is Verdict.REFUTED
    assert found.counterexample is not None
    assert found.counterexample.value(equal(ROOT, 2))
    assert prove_lemma(Obligation("root", "", some, ROOT < 3)).verdict is Verdict.SKIPPED

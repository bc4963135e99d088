"""What an obligation rests on with what it cites: carried, stated, derived, or left open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bounds.errors import InputError
from proofs_checks.proofs.composition import Composition
from proofs_checks.proofs.language.axioms import log_tangent
from proofs_checks.proofs.language.models import Model
from proofs_checks.proofs.language.obligation import Obligation, Proof
from proofs_checks.proofs.language.terms import Term, constants, function, implies, ln
from proofs_checks.proofs.language.vocabulary import assuming, concluded, every, provider, read
from proofs_checks.proofs.lemma import Counterexample, Lemma, Refuted
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.results import ClaimProof, ProveReport
from proofs_checks.verdict import Verdict

X, Y, A, B = constants("x y a b")
ONE, J = provider("i"), provider("j")
COST, PRICE = function("cost"), function("price")

GROWS = Obligation("grows", "x + y > y for x > 0", assuming(positive=X > 0), X + Y > Y)
OF_EACH = Obligation(
    "of-each", "who costs is paid more", assuming(costs=COST(ONE) > 0), PRICE(ONE) + COST(ONE) > PRICE(ONE)
)


def citing(**more: Term) -> Obligation:
    """An obligation that cites the first one for a and b."""
    return Obligation("uses", "a + b > b", concluded("grows", cited=A + B > B) | assuming(**more), A + B >= B)


def proved(*obligations: Obligation, assumes: tuple[str, ...] = (), beyond: str = "") -> ClaimProof:
    proof = Proof("lem:tried", obligations, "directly", assumes=assumes, beyond=beyond)
    [found] = prove(proofs={"lem:tried": proof}, mutants=False).claims
    return found


def carried(obligation: Obligation, *cited: Obligation) -> list[str]:
    sequent = Composition({one.name: one for one in (obligation, *cited)}).sequent(obligation.name)
    return [str(premise.formula) for premise in sequent.carried]


def test_a_premise_is_carried_in_the_symbols_of_who_cites() -> None:
    assert carried(citing(), GROWS) == ["(< 0.0 a)"]


def test_a_premise_that_is_stated_is_not_carried() -> None:
    assert carried(citing(here=A > 0), GROWS) == []


def test_an_unstated_premise_leaves_the_claim_open() -> None:
    found = proved(GROWS, citing())
    assert found.verdict is Verdict.SKIPPED
    assert "leaves unstated what it rests on: grows: positive: (< 0.0 a)" in found.reason


def test_a_stated_premise_is_part_of_the_statement() -> None:
    found = proved(GROWS, citing(), assumes=("grows: positive",))
    assert (found.verdict, found.composition) == (Verdict.PROVED, "checked")
    [statement] = found.to_data()["statements"]
    assert statement["assumes"] == [{"formula": "(< 0.0 a)", "kind": "assumption", "of": "grows: positive"}]


def test_a_premise_that_follows_is_derived_by_both_solvers() -> None:
    found = proved(GROWS, citing(more=A > 3))
    assert found.verdict is Verdict.PROVED
    assert found.to_data()["statements"][0]["derived"] == ["(< 0.0 a)"]


def test_assumptions_that_cannot_be_make_the_claim_vacuous() -> None:
    found = proved(GROWS, citing(less=A < 0), assumes=("grows: positive",))
    assert found.verdict is Verdict.VACUOUS


def test_what_english_joins_is_proved_step_by_step() -> None:
    found = proved(GROWS, citing(), beyond="That a is positive.")
    assert (found.verdict, found.composition) == (Verdict.PROVED_STEPS, "argued")
    assert found.to_data()["beyond"] == "That a is positive."


def test_a_citation_that_says_more_is_refused() -> None:
    more = Obligation("more", "b > a + b", concluded("grows", cited=B > A + B), B >= A + B)
    found = proved(GROWS, more, beyond="nothing")
    assert found.verdict is Verdict.SKIPPED
    assert "cited does not follow from grows, which it cites" in found.reason


def test_stating_what_nothing_rests_on_is_an_error() -> None:
    with pytest.raises((InputError, ValueError), match="states what nothing rests on: grows: other"):
        proved(GROWS, citing(), assumes=("grows: positive other",))


def test_what_is_said_of_everybody_is_assumed_of_everybody() -> None:
    of_all = every(PRICE(J) + COST(J) > PRICE(J))
    everybody = Obligation("everybody", "all", concluded("of-each", all=of_all), PRICE(ONE) + COST(ONE) >= PRICE(ONE))
    assert carried(everybody, OF_EACH) == ["(forall ((j Provider)) (< 0.0 (cost j)))"]
    of_some = every(implies(COST(J) > 0, PRICE(J) + COST(J) > PRICE(J)))
    some = replace(everybody, hypotheses=concluded("of-each", all=of_some))
    assert carried(some, OF_EACH) == []


def test_a_number_of_one_provider_is_a_function_of_it() -> None:
    local = Obligation("local", "by a local number", assuming(above=COST(ONE) > X, positive=X > 0), COST(ONE) > 0)
    everybody = Obligation("all", "all cost", concluded("local", all=every(COST(J) > 0)), COST(ONE) >= 0)
    assert carried(everybody, local) == [
        "(forall ((j Provider)) (< (x_each j) (cost j)))",
        "(forall ((j Provider)) (< 0.0 (x_each j)))",
    ]


def test_a_reading_that_is_given_is_decided_by_the_solvers() -> None:
    hypotheses = read(concluded("grows", cited=2 * A + B > B), {X: 2 * A, Y: B})
    twice = Obligation("twice", "2 a + b > b", hypotheses, 2 * A + B >= B)
    assert carried(twice, GROWS) == ["(< 0.0 (* 2.0 a))"]
    assert proved(GROWS, twice, assumes=("grows: positive",)).verdict is Verdict.PROVED
    assert proved(GROWS, replace(twice, hypotheses=read(hypotheses, {X: A}))).verdict is Verdict.SKIPPED


def test_a_symbol_may_name_what_is_cited_and_that_is_a_premise() -> None:
    named = Obligation("named", "a > b", concluded("grows", cited=A > B), A >= B)
    assert set(carried(named, GROWS)) == {"(< 0.0 x)", "(= a (+ x b))"}
    assert proved(GROWS, named, assumes=("grows: positive",)).verdict is Verdict.SKIPPED


def test_an_axiom_brings_its_condition_and_what_its_symbols_stand_for() -> None:
    tangent = Obligation("tangent", "ln x < x", {"tangent": log_tangent(A, X)}, A < X)
    sequent = Composition({"tangent": tangent}).sequent("tangent")
    assert {(one.kind, str(one.formula)) for one in sequent.premises} == {
        ("condition", "(< 0.0 x)"),
        ("name", f"(= a {ln(X)})"),
    }
    assert proved(tangent).verdict is Verdict.SKIPPED
    assert proved(replace(tangent, hypotheses=tangent.hypotheses | assuming(x=X > 0))).verdict is Verdict.PROVED


def test_a_claim_that_is_proved_and_refuted_is_a_contradiction() -> None:
    claim = proved(GROWS)
    assert claim.verdict is Verdict.PROVED
    false = Counterexample(
        label="lem:tried", says="it is false", obligation=GROWS, replay=lambda model: True, replayed_with="nothing"
    )
    lemma = Lemma(obligation=GROWS, verdict=Verdict.REFUTED, reason="", counterexample=Model(0, {}))
    refuted = Refuted(counterexample=false, lemma=lemma, replayed=True)
    report = ProveReport(claims=(claim,), balls={}, seconds=0.0, refuted=(refuted,))
    assert report.contradictions == ("lem:tried: its proof and its counterexample stand in one report",)

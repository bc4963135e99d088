"""What an obligation cites: an instance, or what follows from it; what it rests on is carried, stated, derived or open.

Matching unifies the two; what it does not find is asked from both solvers.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from proofs_checks.proofs.catalogue import all_proofs, assumed_by, obligations_of, proved_whole_in_coq
from proofs_checks.proofs.composition import Composition
from proofs_checks.proofs.evidence import certificate_evidence
from proofs_checks.proofs.language.axioms import log_tangent
from proofs_checks.proofs.language.matching import Reading, consistent, readings_of
from proofs_checks.proofs.language.obligation import Obligation, Proof
from proofs_checks.proofs.language.smtlib import assertions, script
from proofs_checks.proofs.language.terms import (
    INT,
    PROVIDER,
    Term,
    all_of,
    constant,
    constants,
    equal,
    for_all,
    function,
    implies,
    ln,
)
from proofs_checks.proofs.language.vocabulary import assuming, concluded, every, provider, read
from proofs_checks.proofs.prove import prove
from proofs_checks.proofs.results import ClaimProof
from proofs_checks.proofs.solvers import solvers
from proofs_checks.proofs.solvers.solvers import SOLVERS, ask_both
from proofs_checks.verdict import Verdict
from tests.proofs_checks.proofs.citing import cited

pytestmark = pytest.mark.usefixtures("shared_solvers")

OBLIGATIONS = obligations_of(all_proofs())
#: Obligations in which a constant stands for two terms, and why those are the same.
TWO_NAMES = {
    "radii-of-one-provider": "inverse_root is 1/root_of_count, by its definition",
    "deviations-by-kind-of-step": "radii_of_band is 3 in an auction",
}


@pytest.fixture(scope="module")
def composition() -> Composition:
    return Composition(OBLIGATIONS)


@pytest.fixture(scope="module")
def ways() -> dict[tuple[str, str], list[tuple[Reading, ...]]]:
    """How each hypothesis that cites an obligation is an instance of its goal."""
    found = {}
    for citing, obligation in OBLIGATIONS.items():
        for name, hypothesis in obligation.hypotheses.items():
            if hypothesis.source == "obligation":
                cited_one = OBLIGATIONS[hypothesis.of]
                step = any(one.source == "induction" for one in cited_one.hypotheses.values())
                found[citing, name] = readings_of(cited_one.goal, hypothesis.formula, step=step)
    return found


def test_what_is_no_instance_of_what_it_cites_is_asked(composition: Composition, ways) -> None:
    asked = {(name, c.hypothesis) for name in OBLIGATIONS for c in composition.sequent(name).citations if c.question}
    readings = {(name, key) for name, o in OBLIGATIONS.items() for key, one in o.hypotheses.items() if one.reading}
    assert {place for place, found in ways.items() if not found} | readings <= asked
    assert len(asked) * 10 < len(ways)


@pytest.mark.long("asks both solvers")
def test_what_is_asked_follows_and_needs_what_is_cited(composition: Composition) -> None:
    questions: dict[str, str] = {}
    for name in OBLIGATIONS:
        for one in composition.sequent(name).questions:
            formulas = assertions(one.text)
            questions[one.name] = one.text
            without = {key: formula for key, formula in formulas.items() if key != "cited"}
            questions[f"{one.name} alone"] = script(without, title=one.name, satisfiable=True)
    answers = ask_both(questions)
    for solver in SOLVERS:
        found = {name: answered.answer for name, answered in answers[solver].items()}
        assert {name for name, answer in found.items() if answer == "unsat"} == {n for n in found if " " not in n}


def test_constants_are_read_in_one_way(ways) -> None:
    """A constant that names a term of a cited goal can name the same one wherever the obligation cites."""
    found = set()
    for citing in {citing for citing, _ in ways}:
        each = [matched for place, matched in ways.items() if place[0] == citing and matched]
        if not any(consistent(itertools.chain(*choice)) for choice in itertools.product(*each)):
            found.add(citing)
    assert found == TWO_NAMES.keys()


X, Y, A, B = constants("x y a b")
P, Q = constants("p q", PROVIDER)
ONE, J = provider("i"), provider("j")
COST, PRICE, LIMIT = function("cost"), function("price"), constant("limit")


@pytest.mark.for_each(
    ("goal", "formula"),
    [
        (X < Y + 1, A < B + 1),
        (X < Y + 1, A <= B),
        (X < Y + 1, COST(P) + 3 < A * A + 1),
        (X < Y + 1, for_all([P], implies(COST(P) > 0, COST(P) < PRICE(P) + 1))),
        (all_of(X > 0, X <= 2 * Y), A > 0),
        (all_of(X > 0, X <= 2 * Y), 2 * B >= A),
        (all_of(X > 0, X <= 2 * Y), all_of(A > 0, A <= B)),
        (COST(P) <= PRICE(P), for_all([Q], function("low")(Q) <= function("high")(Q))),
        (equal(X + 1, Y), X + 1 <= Y),
        (equal(X + 1, Y), equal(Y, X + 1)),
        (implies(X > 0, Y > X), for_all([P], implies(COST(P) > 0, PRICE(P) > COST(P)))),
    ],
)
def test_instances_are_recognized(goal: Term, formula: Term) -> None:
    assert readings_of(goal, formula)


@pytest.mark.for_each(
    ("goal", "formula"),
    [
        (X <= Y + 1, A < B + 1),
        (2 * X < Y + 1, A + 1 < 2 * B),
        (X + 2 < Y, A + 1 < B + 0),
        (X < Y + 1, A < A * A),
        (X <= X, A <= B),
        (X > 0, all_of(A > B)),
        (COST(P) <= PRICE(P), for_all([Q], COST(Q) <= LIMIT)),
        (COST(P) <= PRICE(P), COST(P) <= PRICE(Q)),
        (X > Y - 2 * A, X > Y),
        (all_of(X >= 0, X <= Y), all_of(X >= 1, X <= Y)),
        (equal(COST(P), PRICE(P)), COST(P) < PRICE(P)),
        (implies(X > 0, Y > X), Y > X),
        (implies(X > 0, Y > X), implies(X > 1, Y > X)),
        (Y + COST(P) >= X, constant("m", INT) <= constant("n", INT)),
    ],
)
def test_what_says_more_is_no_instance(goal: Term, formula: Term) -> None:
    assert not readings_of(goal, formula)


GROWS = Obligation("grows", "x + y > y for x > 0", assuming(positive=X > 0), X + Y > Y)
OF_EACH = Obligation(
    "of-each", "who costs is paid more", assuming(costs=COST(ONE) > 0), PRICE(ONE) + COST(ONE) > PRICE(ONE)
)
LOCAL = Obligation("local", "by a local number", assuming(above=COST(ONE) > X, positive=X > 0), COST(ONE) > 0)


def citing(of: Obligation, formula: Term, **more: Term) -> Obligation:
    """Return an obligation that cites one."""
    return Obligation("uses", "", concluded(of.name, cited=formula) | assuming(**more), formula)


TWICE = citing(GROWS, 2 * A + B > B)
TWICE = replace(TWICE, hypotheses=read(TWICE.hypotheses, {X: 2 * A, Y: B}))


def carried(obligation: Obligation, *cited: Obligation) -> set[str]:
    sequent = Composition({one.name: one for one in (obligation, *cited)}).sequent(obligation.name)
    return {str(premise.formula) for premise in sequent.carried}


@pytest.mark.for_each(
    ("of", "obligation", "expected"),
    [
        (GROWS, citing(GROWS, A + B > B), {"(< 0.0 a)"}),
        (GROWS, citing(GROWS, A + B > B, here=A > 0), set()),
        (GROWS, TWICE, {"(< 0.0 (* 2.0 a))"}),
        # A symbol may name what is cited, and that is a premise.
        (GROWS, citing(GROWS, A > B), {"(< 0.0 x)", "(= a (+ x b))"}),
        # What is said of everybody is assumed of everybody.
        (OF_EACH, citing(OF_EACH, every(PRICE(J) + COST(J) > PRICE(J))), {"(forall ((j Provider)) (< 0.0 (cost j)))"}),
        (OF_EACH, citing(OF_EACH, every(implies(COST(J) > 0, PRICE(J) + COST(J) > PRICE(J)))), set()),
        # A number of one provider is a function of it.
        (
            LOCAL,
            citing(LOCAL, every(COST(J) > 0)),
            {"(forall ((j Provider)) (< (x_each j) (cost j)))", "(forall ((j Provider)) (< 0.0 (x_each j)))"},
        ),
    ],
)
def test_premises_are_carried_in_the_symbols_of_who_cites(of, obligation: Obligation, expected: set[str]) -> None:
    assert carried(obligation, of) == expected


def proved(*obligations: Obligation, assumes: tuple[str, ...] = ()) -> ClaimProof:
    proof = Proof("lem:tried", obligations, "directly", assumes=assumes)
    [found] = prove(proofs={"lem:tried": proof}, mutants=False).claims
    return found


def test_a_premise_is_stated_or_derived_by_both_solvers() -> None:
    found = proved(GROWS, citing(GROWS, A + B > B), assumes=("grows: positive",))
    assert (found.verdict, found.composition) == (Verdict.PROVED, "checked")
    [statement] = found.to_data()["statements"]
    assert statement["assumes"] == [{"formula": "(< 0.0 a)", "kind": "assumption", "of": "grows: positive"}]
    found = proved(GROWS, citing(GROWS, A + B > B, more=A > 3))
    assert found.verdict is Verdict.PROVED
    assert found.to_data()["statements"][0]["derived"] == ["(< 0.0 a)"]


@pytest.mark.long("asks both solvers several times")
def test_what_does_not_follow_is_not_derived() -> None:
    assert proved(GROWS, citing(GROWS, A + B > B, more=A > -1)).verdict is Verdict.SKIPPED
    assert proved(GROWS, TWICE, assumes=("grows: positive",)).verdict is Verdict.PROVED
    wrong = replace(TWICE, hypotheses=read(TWICE.hypotheses, {X: A}))
    assert proved(GROWS, wrong).verdict is Verdict.SKIPPED
    assert proved(GROWS, citing(GROWS, A > B), assumes=("grows: positive",)).verdict is Verdict.SKIPPED


def test_an_axiom_brings_its_condition_and_what_its_symbols_stand_for() -> None:
    tangent = Obligation("tangent", "ln x < x", {"tangent": log_tangent(A, X)}, A < X)
    sequent = Composition({"tangent": tangent}).sequent("tangent")
    assert {(one.kind, str(one.formula)) for one in sequent.premises} == {
        ("condition", "(< 0.0 x)"),
        ("name", f"(= a {ln(X)})"),
    }
    assert proved(tangent).verdict is Verdict.SKIPPED
    assert proved(replace(tangent, hypotheses=tangent.hypotheses | assuming(x=X > 0))).verdict is Verdict.PROVED


def test_what_is_only_named_or_does_not_follow_is_not_cited(theory, stored) -> None:
    named = Proof("thm:named", theory["lem:cost"].obligations, "by name", uses=("lem:sum",), beyond="all")
    more = Obligation("too-much", "more", concluded("sum-positive", sum=X + Y > 1), X + Y > 0)
    proofs = {"lem:sum": theory["lem:sum"], "thm:product": theory["thm:product"], "thm:named": named}
    proofs["thm:more"] = Proof("thm:more", (more,), "", uses=("lem:sum",))
    found = {one.proof.label: one for one in prove(proofs=proofs, mutants=False).claims}
    assert found["thm:more"].verdict is Verdict.SKIPPED
    assert {label: one.cited_proofs for label, one in found.items() if one.cited_proofs} == {
        "thm:product": {"lem:sum": ("sum-positive",)}
    }


def test_without_solvers_only_instances_count(monkeypatch) -> None:
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    labels = ["lem:radius-inversion", "lem:two-sided-payment", "thm:regret:sharp"]
    found = certificate_evidence(labels)
    by_coq = proved_whole_in_coq()
    for label, piece in found.items():
        assert piece.verdict is (Verdict.PROVED if label in by_coq else Verdict.SKIPPED)
        assert {name for names in piece.cited.values() for name in names} <= {
            name for names in cited(label).values() for name in names
        }
    assert found["lem:two-sided-payment"].cited


def test_axioms_are_assumed_by_name_and_not_left_to_english() -> None:
    proofs = all_proofs()
    for label, proof in proofs.items():
        own = {h.of for o in proof.obligations for h in o.hypotheses.values() if h.source == "axiom"}
        assert own <= assumed_by(proof, proofs).keys(), label
        assert "axiom" not in proof.beyond, label
    # What is cited or joined in English counts as well; what is only named by a claim that is PROVED does not.
    assert "hoeffding" in assumed_by(proofs["thm:sample-complexity"], proofs)
    assert assumed_by(proofs["lem:unqualified-exclusion"], proofs).keys() == {"log-tangent", "log-product"}
    assert assumed_by(proofs["lem:qualified-eligibility"], proofs) == {}

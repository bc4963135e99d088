"""Every hypothesis that cites an obligation is an instance of its goal, or follows from it: nothing more is assumed.

Matching unifies the two; what it does not find is asked from both solvers. That what is cited applies, is checked here
once more where a hypothesis speaks of every provider, without the sequents of `composition`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.composition import Composition
from proofs_checks.proofs.language.matching import (
    FIXED,
    GOAL,
    Reading,
    conclusions,
    conjuncts,
    consistent,
    plain,
    readings_of,
    tagged,
    untagged,
)
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation
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
)
from proofs_checks.proofs.solvers.solvers import SOLVERS, ask_both

OBLIGATIONS = obligations_of(all_proofs())
COMPOSITION = Composition(OBLIGATIONS)
CITING = [
    (obligation.name, name)
    for obligation in OBLIGATIONS.values()
    for name, hypothesis in obligation.hypotheses.items()
    if hypothesis.source == "obligation"
]

#: Assumptions of obligations that hold of every provider at every step t > N.
ALWAYS = {"(<= 1.0 (selection_count fixed_j))": "each is selected once in initialization, and counts do not fall"}
#: Obligations in which a constant stands for two terms, and why those are the same.
TWO_NAMES = {
    "radii-of-one-provider": "inverse_root is 1/root_of_count, by its definition",
    "deviations-by-kind-of-step": "radii_of_band is 3 in an auction",
}


def hypothesis_of(citing: str, name: str) -> tuple[Obligation, Hypothesis, Obligation]:
    obligation = OBLIGATIONS[citing]
    hypothesis = obligation.hypotheses[name]
    return obligation, hypothesis, OBLIGATIONS[hypothesis.of]


def ways_of(citing: str, name: str) -> list[tuple[Reading, ...]]:
    _, hypothesis, cited = hypothesis_of(citing, name)
    return ways(hypothesis, cited)


def ways(hypothesis: Hypothesis, cited: Obligation) -> list[tuple[Reading, ...]]:
    step = any(one.source == "induction" for one in cited.hypotheses.values())
    return readings_of(cited.goal, hypothesis.formula, step=step)


def test_what_is_no_instance_of_what_it_cites_is_asked() -> None:
    asked = {(name, c.hypothesis) for name in OBLIGATIONS for c in COMPOSITION.sequent(name).citations if c.question}
    readings = {(name, key) for name, o in OBLIGATIONS.items() for key, one in o.hypotheses.items() if one.reading}
    assert {place for place in CITING if not ways_of(*place)} <= asked
    assert readings <= asked
    assert len(asked) * 10 < len(CITING)


def test_what_is_asked_follows_and_needs_what_is_cited() -> None:
    questions: dict[str, str] = {}
    for name in OBLIGATIONS:
        for one in COMPOSITION.sequent(name).questions:
            formulas = assertions(one.text)
            questions[one.name] = one.text
            without = {key: formula for key, formula in formulas.items() if key != "cited"}
            questions[f"{one.name} alone"] = script(without, title=one.name, satisfiable=True)
    answers = ask_both(questions)
    for solver in SOLVERS:
        found = {name: answered.answer for name, answered in answers[solver].items()}
        assert {name for name, answer in found.items() if answer == "unsat"} == {n for n in found if " " not in n}


def test_constants_are_read_in_one_way() -> None:
    """A constant that names a term of a cited goal can name the same one wherever the obligation cites."""
    found = set()
    for citing in dict.fromkeys(citing for citing, _ in CITING):
        every = [matched for place in CITING if place[0] == citing and (matched := ways_of(*place))]
        if not any(consistent(itertools.chain(*choice)) for choice in itertools.product(*every)):
            found.add(citing)
    assert found == TWO_NAMES.keys()


def premises_of(hypothesis: Hypothesis) -> set[Term]:
    return {plain(premise) for premises, _ in conclusions(hypothesis.formula) for premise in premises}


def stated(obligation: Obligation) -> set[Term]:
    return {part for one in obligation.hypotheses.values() for part in conjuncts(plain(one.formula))}


def assumed(obligation: Obligation) -> Iterator[Term]:
    """Yield what an obligation assumes, and what those assume that it cites, unless it has that from elsewhere."""
    for name, hypothesis in obligation.hypotheses.items():
        if hypothesis.source == "assumption":
            yield from conjuncts(plain(hypothesis.formula))
        if hypothesis.source == "obligation":
            for way in ways_of(obligation.name, name)[:1]:
                for one in assumed(OBLIGATIONS[hypothesis.of]):
                    said = untagged(way[0].resolved(tagged(one, GOAL)))
                    if said not in premises_of(hypothesis) | stated(obligation):
                        yield said


def unmet(obligation: Obligation, hypothesis: Hypothesis) -> set[str]:
    """Return what a cited obligation assumes of the providers over which a hypothesis quantifies, and it does not."""
    known = stated(obligation) | premises_of(hypothesis)
    cited = OBLIGATIONS[hypothesis.of]
    said = {
        untagged(reading.resolved(tagged(one, GOAL)))
        for way in ways(hypothesis, cited)[:1]
        for reading in way
        for one in assumed(cited)
    }
    return {str(one) for one in said - known if FIXED in str(one)}


QUANTIFIED = [place for place in CITING if hypothesis_of(*place)[1].formula.head == "forall"]


def test_hypotheses_quantify_only_where_the_cited_assumptions_hold() -> None:
    found = {place: unmet(*hypothesis_of(*place)[:2]) for place in QUANTIFIED}
    assert {place: needs for place, needs in found.items() if needs - ALWAYS.keys()} == {}
    assert any(found.values())


@pytest.mark.for_each("place", QUANTIFIED, ids=": ".join)
def test_nobody_in_particular_is_quantified_over(place: tuple[str, str]) -> None:
    """What is known of the winner or of i* is not said of everybody."""
    for way in ways_of(*place):
        for reading in way:
            for name in ("winner", "winner_truthful", "winner_deviating", "optimal"):
                assert FIXED not in str(reading.resolved(constant(GOAL + name, PROVIDER)))


def test_a_dropped_premise_is_noticed() -> None:
    """lem:unqualified-exclusion of every provider, qualified or not, eligible or not, is more than was proved."""
    obligation, hypothesis, _ = hypothesis_of("ordinary-eligible-are-qualified", "excluded")
    j = hypothesis.formula.bound[0]
    body = hypothesis.formula.arguments[0].arguments[1]
    stronger = Hypothesis(for_all([j], body), "obligation", hypothesis.of)
    assert unmet(obligation, stronger) - ALWAYS.keys() == {"(not (qualified fixed_j))", "(eligible fixed_j)"}


X, Y, A, B = constants("x y a b")
P, Q = constants("p q", PROVIDER)
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


@pytest.mark.parametrize(
    ("goal", "formula"),
    [
        pytest.param(X <= Y + 1, A < B + 1, id="strict"),
        pytest.param(2 * X < Y + 1, A + 1 < 2 * B, id="reversed"),
        pytest.param(X + 2 < Y, A + 1 < B + 0, id="another number"),
        pytest.param(X < Y + 1, A < A * A, id="a sum that is a product"),
        pytest.param(X <= X, A <= B, id="two names of one"),
        pytest.param(X > 0, all_of(A > B), id="0 by a name"),
        pytest.param(COST(P) <= PRICE(P), for_all([Q], COST(Q) <= LIMIT), id="a bound of each is no bound of all"),
        pytest.param(COST(P) <= PRICE(P), COST(P) <= PRICE(Q), id="another provider"),
        pytest.param(X > Y - 2 * A, X > Y, id="a term less, of the same name"),
        pytest.param(all_of(X >= 0, X <= Y), all_of(X >= 1, X <= Y), id="1 for 0"),
        pytest.param(equal(COST(P), PRICE(P)), COST(P) < PRICE(P), id="equal, not less"),
        pytest.param(implies(X > 0, Y > X), Y > X, id="without its premise"),
        pytest.param(implies(X > 0, Y > X), implies(X > 1, Y > X), id="another premise"),
        pytest.param(Y + COST(P) >= X, constant("m", INT) <= constant("n", INT), id="real, not whole"),
    ],
)
def test_what_says_more_is_no_instance(goal: Term, formula: Term) -> None:
    assert not readings_of(goal, formula)

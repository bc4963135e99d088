"""Every hypothesis that cites an obligation is an instance of its goal, or weaker: nothing more is assumed.

`instances` unifies the two. What needs arithmetic is listed with how its symbols are read, and decided by z3. A new
hypothesis that is neither fails. That what is cited applies, is checked where a hypothesis speaks of every provider.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation
from proofs_checks.proofs.language.smtlib import script
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
    open_subterms,
    subterms,
)
from proofs_checks.proofs.solvers.solvers import ask_all
from proofs_checks.proofs.statements.payments import PAID
from tests.proofs_checks.proofs.instances import (
    FIXED,
    GOAL,
    Reading,
    conclusions,
    conjuncts,
    consistent,
    fixed,
    plain,
    readings_of,
    tagged,
    untagged,
)

OBLIGATIONS = obligations_of(all_proofs())
CITING = [
    (obligation.name, name)
    for obligation in OBLIGATIONS.values()
    for name, hypothesis in obligation.hypotheses.items()
    if hypothesis.source == "obligation"
]

FIXED_J = constant(f"{FIXED}j", PROVIDER)
SMALLER, RATIO, LOG_SMALLER, LOG_RATIO = constants("smaller ratio log_of_smaller log_of_ratio")


def goal_constant(name: str, sort: str = "Real") -> Term:
    return constant(GOAL + name, sort)


def squared(which: str, count: Term, log: Term) -> dict[Term, Term]:
    """A squared radius of the hypothesis is the square of the goal's radius."""
    return {
        constant(f"squared_radius_of_{which}"): goal_constant("beta") * goal_constant("beta"),
        goal_constant("count"): count,
        goal_constant("log_of_count"): log,
    }


SQUARED = {
    "radius-of-smaller": squared("smaller", SMALLER, LOG_SMALLER),
    "radius-of-larger": squared("larger", SMALLER * RATIO, LOG_SMALLER + LOG_RATIO),
}
CONCENTRATED = {
    goal_constant("estimate"): function("cost_estimate")(FIXED_J),
    goal_constant("mean_cost_of_one"): function("mean_cost")(FIXED_J),
    goal_constant("widened_cost_bound"): function("cost_radius")(FIXED_J) + function("bias")(FIXED_J),
    goal_constant("beta"): constant("one"),
    constant("one"): Term("number", (), "Real", 1),
}
#: By citing obligation and hypothesis: what symbols of the goal and of the hypothesis stand for, where arithmetic makes
#: the one the other. Constants of one name stand for each other.
REARRANGED: dict[tuple[str, str], dict[Term, Term]] = {
    **{("squared-radius-decreases", name): reading for name, reading in SQUARED.items()},
    **{("squared-radius-increases-below-two", name): reading for name, reading in SQUARED.items()},
    ("share-root-below-line-at-one", "tangent"): {goal_constant("share"): Term("number", (), "Real", 1)},
    ("exploration-deviation", "paid"): {},
    ("initialization-and-exploration-of-others", "explored"): {
        constant("explorations_of_others"): goal_constant("total") + goal_constant("term"),
        constant("providers_number"): goal_constant("terms_number", INT) + 2,
        goal_constant("each_at_most"): constant("target_rounded_up_real") - 1,
    },
    ("less-than-two-radii-fails", "short"): {
        constant("payment"): tagged(PAID, GOAL),
        function(f"{GOAL}cost_radius")(goal_constant("optimal", PROVIDER)): constant("radius_of_winner"),
    },
    ("unwidened-adjusted-bid-bounds", "concentrated"): CONCENTRATED,
    ("unwidened-auction-won-by-another", "concentrated"): CONCENTRATED,
    ("unwidened-selection-gap", "concentrated"): CONCENTRATED,
}
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


def test_hypotheses_are_instances_of_cited_goals() -> None:
    unmatched = {place for place in CITING if not ways_of(*place)}
    assert unmatched == REARRANGED.keys()
    assert len(unmatched) * 10 < len(CITING)


def defined(place: tuple[str, str]) -> dict[Term, Term]:
    """Return what symbols stand for, with constants of one name made the same."""
    _, hypothesis, cited = hypothesis_of(*place)
    own = {part for part in open_subterms(fixed(hypothesis.formula)) if _is_constant(part)}
    same = {Term(GOAL + part.head, (), part.sort): part for part in open_subterms(cited.goal) if part in own}
    return {**same, **REARRANGED[place]}


def _is_constant(term: Term) -> bool:
    return not term.arguments and term.number is None


def rearranged(place: tuple[str, str], goal: Term) -> dict[str, Term]:
    _, hypothesis, _ = hypothesis_of(*place)
    readings = {f"reading-{k}": equal(*pair) for k, pair in enumerate(defined(place).items())}
    return {"goal": tagged(goal, GOAL), **readings, "negated": ~fixed(hypothesis.formula)}


def test_rearranged_hypotheses_follow_from_cited_goals() -> None:
    questions = {}
    for place in REARRANGED:
        _, _, cited = hypothesis_of(*place)
        for name, goal in {"": cited.goal, " without the goal": equal(0, 0)}.items():
            questions[f"{place}{name}"] = script(rearranged(place, goal), title="rearranged", satisfiable=bool(name))
    answers = {name: answered.answer for name, answered in ask_all("z3", questions).items()}
    assert answers == {name: "sat" if name.endswith("goal") else "unsat" for name in questions}


@pytest.mark.parametrize("place", REARRANGED, ids=": ".join)
def test_readings_define_and_assume_nothing(place: tuple[str, str]) -> None:
    """Each says of one symbol what it stands for, by others that are not defined by it."""
    readings = list(defined(place).items())
    for k, (symbol, value) in enumerate(readings):
        assert _is_constant(symbol) or all(_is_constant(argument) for argument in symbol.arguments)
        undefined = {s for s, _ in readings[: k + 1]}
        assert not undefined & set(subterms(value))
        if not symbol.head.startswith(GOAL):
            assert all(p.head.startswith(GOAL) for p in subterms(value) if _is_constant(p))


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


@pytest.mark.parametrize("place", QUANTIFIED, ids=": ".join)
def test_nobody_in_particular_is_quantified_over(place: tuple[str, str]) -> None:
    """What is known of the winner or of i* is not said of everybody."""
    for way in ways_of(*place):
        for reading in way:
            for name in ("winner", "winner_truthful", "winner_deviating", "optimal"):
                assert FIXED not in str(reading.resolved(goal_constant(name, PROVIDER)))


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


@pytest.mark.parametrize(
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

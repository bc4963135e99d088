"""False statements, and how somebody might get them proved: none may come out `PROVED`.

Each attack has the words of the page docs/attacks.md: what is claimed, how, and what becomes of it. ``python -m
tests.proofs_checks.proofs.attacks`` writes the tables of that page.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.language import axioms
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    Term,
    all_of,
    any_of,
    constant,
    constants,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    ln,
    sqrt,
)
from proofs_checks.proofs.language.vocabulary import (
    ELIGIBLE,
    Hypotheses,
    assuming,
    concluded,
    defining,
    every,
    induction,
)

#: What becomes of an attack: `refused` is an InputError, `failed` a folder that does not re-check.
Outcome = Literal["refused", "SKIPPED", "VACUOUS", "REFUTED", "PROVED_STEPS", "failed"]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A false statement, and a way to get it proved.

    Parameters
    ----------
    name : str
    claims : str
        What is false.
    how : str
    outcome : str
    because : str
        Part of the reason that is given: it names the right thing.
    """

    name: str
    claims: str
    how: str
    outcome: Outcome
    because: str


@dataclass(frozen=True, kw_only=True)
class OnProve(Attack):
    """An attack on `prove(proofs=...)`: the claim `lem:false` must not be proved."""

    proofs: Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class OnLemma(Attack):
    """An attack on `prove_lemma`."""

    lemma: Callable[[], Obligation]


@dataclass(frozen=True, kw_only=True)
class OnFolder(Attack):
    """An attack on a folder that was written; `tamper` changes it, and knows the name of the claim's obligation."""

    tamper: Callable[[Path], None]
    folder: Literal["true", "false"] = field(default="true")


FALSE = "lem:false"
X, Y, Z, LOW = constants("x y z low")
M, N = constants("m n", INT)
REAL_N = constant("n")
ONE, J, K, P, Q, R = constants("i j k p q r", PROVIDER)
COST, PRICE, DISTANCE, LIKES = function("cost"), function("price"), function("distance"), function("likes", BOOL)
GAMMA = constant("gamma")
SQUARE = Obligation("a-square", "a square is not negative", {}, X * X >= 0)


def obligation(name: str, hypotheses: Mapping[str, Hypothesis], goal: Term, **more: Any) -> Obligation:
    """Return an obligation whose hypotheses need not all be needed: an attacker says so."""
    return Obligation(name, "", hypotheses, goal, redundant=dict.fromkeys(hypotheses, "an attack"), **more)


def proof(*obligations: Obligation, label: str = FALSE, **more: Any) -> Callable[[], dict[str, Proof]]:
    """Return the proof of the false claim by some obligations."""
    return lambda: {label: Proof(label, obligations, "", **more)}


def false(hypotheses: Mapping[str, Hypothesis], goal: Term, **more: Any) -> Obligation:
    """Return the obligation that says the false claim."""
    return obligation("says-it", hypotheses, goal, **more)


def cited(hypotheses: Mapping[str, Hypothesis], goal: Term) -> Obligation:
    """Return the obligation that is cited."""
    return obligation("cited", hypotheses, goal)


def by(formula: Term, *reading: tuple[Term, Term], of: str = "cited") -> Hypotheses:
    """Return the hypothesis that cites it, with a reading."""
    return {"h": Hypothesis(formula, "obligation", of, reading=reading)}


def _threshold_at_ten() -> dict[str, Proof]:
    """Return the paper's proof of lem:radius-inversion with a corollary at a = 10, and the false claim by it."""
    inversion = all_proofs()["lem:radius-inversion"]
    [positive] = [one for one in inversion.obligations if one.name == "threshold-at-least-one"]
    [bound_positive] = [one for one in inversion.obligations if one.name == "inversion-bound-positive"]
    bound = bound_positive.goal.arguments[0]
    gap = bound_positive.hypotheses["gap-positive"].formula.arguments[0]
    ten = assuming(gap_is_ten=equal(gap, 10))
    goal = bound > 0
    assert positive.goal.arguments[0].sort == INT
    says = false({**ten, **concluded("inversion-bound-positive", bound=goal)}, goal)
    return {
        "lem:radius-inversion": inversion,
        FALSE: Proof(FALSE, (says,), "at a = 10", uses=("lem:radius-inversion",), assumes=_STATED),
    }


#: What a proof at a = 10 states of what it rests on: all but that a <= 1.
_STATED = ("inversion-bound-positive: bound", "inversion-logarithm-positive: delta-below-one provider-exists bound")


def _threshold_cited_at_ten() -> dict[str, Proof]:
    inversion = all_proofs()["lem:radius-inversion"]
    [positive] = [one for one in inversion.obligations if one.name == "threshold-at-least-one"]
    [bound_positive] = [one for one in inversion.obligations if one.name == "inversion-bound-positive"]
    gap = bound_positive.hypotheses["gap-positive"].formula.arguments[0]
    says = false(
        {**assuming(gap_is_ten=equal(gap, 10)), **concluded("threshold-at-least-one", threshold=positive.goal)},
        positive.goal,
    )
    return {
        "lem:radius-inversion": inversion,
        FALSE: Proof(FALSE, (says,), "at a = 10", uses=("lem:radius-inversion",)),
    }


def _two_sided_with_one_radius() -> dict[str, Proof]:
    """Return the paper's proofs, with 1 for 2 in what is cited and concluded."""
    proofs = dict(all_proofs())
    two = proofs["lem:two-sided-payment"]
    [with_two] = [one for one in two.obligations if one.name == "two-sided-payment-with-two"]
    [mutant] = [one for one in with_two.further_mutants if one.goal is not None]
    assert mutant.goal is not None
    says = false(concluded("two-sided-payment-with-two", sharper=mutant.goal), mutant.goal)
    proofs[FALSE] = Proof(FALSE, (says,), "", uses=("lem:two-sided-payment",))
    needed = {"lem:two-sided-payment", FALSE}
    while more := {used for label in needed for used in proofs[label].uses} - needed:
        needed |= more
    return {label: one for label, one in proofs.items() if label in needed}


CITATIONS = (
    OnProve(
        name="threshold-at-ten",
        claims="(4/a^2) ln(57 N / (delta a^4)) > 0 at a = 10 (it is -0.175 at N = 2, delta = 0.9)",
        how="cites the obligation behind threshold-at-least-one, and states all its premises but a <= 1",
        outcome="SKIPPED",
        because="gap-at-most-one",
        proofs=_threshold_at_ten,
    ),
    OnProve(
        name="threshold-cited-at-ten",
        claims="M(10) >= 1",
        how="cites threshold-at-least-one and drops what it assumes",
        outcome="SKIPPED",
        because="gap-at-most-one",
        proofs=_threshold_cited_at_ten,
    ),
    OnProve(
        name="cites-something-else",
        claims="every x > 100",
        how="cites x^2 >= 0",
        outcome="SKIPPED",
        because="does not follow from a-square, which it cites",
        proofs=proof(SQUARE, false(by(X > 100, of="a-square"), X > 100)),
    ),
    OnProve(
        name="one-radius",
        claims="two-sided payment with one radius: c_(2) - R <= pi_t",
        how="cites the obligation with two radii",
        outcome="SKIPPED",
        because="which it cites",
        proofs=_two_sided_with_one_radius,
    ),
    OnProve(
        name="dropped-premise",
        claims="x + 1 > 101 for every x",
        how="cites what assumes x > 100, and does not say so",
        outcome="SKIPPED",
        because="leaves unstated what it rests on: cited: big",
        proofs=proof(cited(assuming(big=X > 100), X + 1 > 101), false(by(X + 1 > 101), X + 1 > 101)),
    ),
    OnProve(
        name="weaker-premise",
        claims="x + 1 > 101 for every x > 99",
        how="states less than what is cited assumes",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(
            cited(assuming(big=X > 100), X + 1 > 101), false(by(X + 1 > 101) | assuming(less=X > 99), X + 1 > 101)
        ),
    ),
    OnProve(
        name="dropped-definition",
        claims="every x > 100",
        how="cites what defines x = 101",
        outcome="SKIPPED",
        because="cited: is",
        proofs=proof(cited(defining(**{"is": equal(X, 101)}), X > 100), false(by(X > 100), X > 100)),
    ),
    OnProve(
        name="two-citations-deep",
        claims="every x > 100",
        how="the premise is dropped two citations below",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(
            cited(assuming(big=X > 102), X > 101),
            obligation("between", by(X > 101), X > 100),
            false(concluded("between", h=X > 100), X > 100),
        ),
    ),
    OnProve(
        name="citation-meets-its-own-premise",
        claims="every x > 100",
        how="cites 'x > 100 if x > 100': what it takes would be the premise of what it takes",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100)),
    ),
    OnProve(
        name="citations-meet-each-other",
        claims="every x > 100",
        how="cites '2 x > 200 if x > 100' and 'x > 100 if 2 x > 200': each would be the premise of the other",
        outcome="SKIPPED",
        because="leaves unstated what it rests on",
        proofs=proof(
            cited(assuming(big=X > 100), 2 * X > 200),
            obligation("back", assuming(twice=2 * X > 200), X > 100),
            false(by(2 * X > 200) | concluded("back", back=X > 100), X > 100),
        ),
    ),
    OnProve(
        name="cites-itself",
        claims="every x > 100",
        how="an obligation cites itself",
        outcome="refused",
        because="'says-it' is not available there",
        proofs=proof(false(by(X > 100, of="says-it"), X > 100)),
    ),
    OnProve(
        name="cites-in-a-circle",
        claims="every x > 100",
        how="two obligations cite each other",
        outcome="refused",
        because="is not available there",
        proofs=proof(cited(by(X > 100, of="says-it"), X > 100), false(by(X > 100), X > 100)),
    ),
    OnProve(
        name="uses-in-a-circle",
        claims="every x > 100",
        how="two proofs use each other",
        outcome="refused",
        because="use each other in a circle",
        proofs=lambda: {
            FALSE: Proof(FALSE, (false(by(X > 100), X > 100),), "", uses=("lem:other",)),
            "lem:other": Proof("lem:other", (cited(by(X > 100, of="says-it"), X > 100),), "", uses=(FALSE,)),
        },
    ),
    OnProve(
        name="cites-what-is-not-there",
        claims="every x > 100",
        how="cites an obligation of no proof",
        outcome="refused",
        because="'well-known' is not available there",
        proofs=proof(false(by(X > 100, of="well-known"), X > 100)),
    ),
    OnProve(
        name="two-of-one-name",
        claims="every x > 100",
        how="two obligations of one name: a true one is proved, a false one is cited",
        outcome="refused",
        because="two obligations are named cited",
        proofs=proof(cited({}, X * X >= 0), cited({}, X > 100), false(by(X > 100), X > 100)),
    ),
    OnProve(
        name="rests-on-what-is-not-proved",
        claims="every x > 100",
        how="uses a claim that is false itself",
        outcome="SKIPPED",
        because="rests on lem:other, which is not proved here",
        proofs=lambda: {
            "lem:other": Proof("lem:other", (cited({}, X > 100),), ""),
            FALSE: Proof(FALSE, (false(by(X > 100), X > 100),), "", uses=("lem:other",)),
        },
    ),
    OnProve(
        name="name-of-another-question",
        claims="every x > 7 if x > 1",
        how="the obligation has the name of a question about another one, whose answer it would get",
        outcome="refused",
        because="names are made of letters",
        proofs=proof(
            obligation("good", assuming(b=X > 1), X > 0),
            obligation("other", assuming(b=X > 1) | by(X > -1, (Y, Y), of="good"), X > -1),
            obligation("other.citation.h", assuming(b=X > 1), X > 7),
        ),
    ),
)

READINGS = (
    OnProve(
        name="two-constants-as-one",
        claims="x - y <= 0 for all x, y",
        how="cites x - x <= 0",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(cited({}, X - X <= 0), false(by(Y - Z <= 0), Y - Z <= 0)),
    ),
    OnProve(
        name="constants-identified-by-a-reading",
        claims="y <= z for all y, z",
        how="cites x <= x, and says that x stands for both",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(cited({}, X <= X), false(by(Y <= Z, (X, Y), (X, Z)), Y <= Z)),
    ),
    OnProve(
        name="a-number-as-a-constant",
        claims="every x is at least 0",
        how="cites x^2 >= 0, and says that x^2 stands for y",
        outcome="SKIPPED",
        because="cited: goal: (= y (* x x))",
        proofs=proof(cited({}, X * X >= 0), false(by(Y >= 0, (X * X, Y)), Y >= 0)),
    ),
    OnProve(
        name="a-constant-names-a-square",
        claims="every x is at least 0",
        how="cites x^2 >= 0 for y >= 0: y would only be another name",
        outcome="SKIPPED",
        because="cited: goal: (= y (* x x))",
        proofs=proof(cited({}, X * X >= 0), false(by(Y >= 0), Y >= 0)),
    ),
    OnProve(
        name="another-function",
        claims="costs are prices",
        how="cites that a function is itself, and reads it as two",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(
            cited({}, equal(COST(P), COST(P))), false(by(equal(COST(ONE), PRICE(ONE))), equal(COST(ONE), PRICE(ONE)))
        ),
    ),
    OnProve(
        name="everybody-by-one",
        claims="all costs are positive if i's is",
        how="cites it of one provider, and quantifies over all",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 1), COST(P) > 0),
            false(by(every(COST(J) > 0)) | assuming(a=COST(ONE) > 1), COST(K) > 0),
        ),
    ),
    OnProve(
        name="beyond-the-antecedent",
        claims="all costs are positive if those of the eligible are above 1",
        how="cites it of all, not only of the eligible",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 1), COST(P) > 0),
            false(by(every(COST(J) > 0)) | assuming(a=every(implies(ELIGIBLE(J), COST(J) > 1))), COST(K) > 0),
        ),
    ),
    OnProve(
        name="another-antecedent",
        claims="costs above 1 are above 5",
        how="cites what assumes cost > 6, for all with cost > 1",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 6), COST(P) > 5),
            false(by(every(implies(COST(J) > 1, COST(J) > 5))) | assuming(a=COST(K) > 1), COST(K) > 5),
        ),
    ),
    OnProve(
        name="one-bound-of-all",
        claims="a cost above twice of something positive is above x",
        how="what x is differs from provider to provider in the premise, and is one number in the conclusion",
        outcome="SKIPPED",
        because="cited: two",
        proofs=proof(
            cited(assuming(two=Y > 2 * X, pos=X > 0), Y > X),
            false(
                by(every(COST(J) > X))
                | assuming(two=every(COST(J) > 2 * function("x_each")(J)), pos=every(function("x_each")(J) > 0)),
                COST(ONE) > X,
            ),
        ),
    ),
    OnProve(
        name="all-costs-equal",
        claims="all costs are equal",
        how="cites cost = x if cost = x, with another x for each provider",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=equal(COST(P), X)), equal(COST(P), X)),
            false(
                by(every(equal(COST(J), COST(ONE))), (P, J)) | assuming(a=every(equal(COST(J), function("x_each")(J)))),
                equal(COST(K), COST(ONE)),
            ),
        ),
    ),
    OnProve(
        name="two-witnesses-for-one",
        claims="all costs are positive, if x is",
        how="cites cost > 0 if cost = x and x > 0: x > 0 is met by one x, cost = x by another for each provider",
        outcome="SKIPPED",
        because="cited: pos: (forall ((j Provider)) (< 0.0 (x_each j)))",
        proofs=proof(
            cited(assuming(pos=X > 0, a=equal(COST(P), X)), COST(P) > 0),
            false(
                by(every(COST(J) > 0)) | assuming(pos=X > 0, a=every(equal(COST(J), function("x_each")(J)))),
                COST(ONE) > 0,
            ),
        ),
    ),
    OnProve(
        name="reading-leaves-one-behind",
        claims="all costs are positive if k's is",
        how="the variable of 'for all' has the name of a provider of what is cited",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(K) > 1), COST(K) > 0),
            false(by(for_all([K], COST(K) + 1 > 1)) | assuming(a=COST(P) > 1), COST(ONE) > 0),
        ),
    ),
    OnProve(
        name="for-all-caught",
        claims="i is far from k if nobody is near itself",
        how="a symbol that is put under 'for all k' is called k",
        outcome="SKIPPED",
        because="(forall ((k_ Provider))",
        proofs=proof(
            cited(assuming(a=for_all([K], DISTANCE(K, P) > 0)), DISTANCE(Q, P) > 0),
            false(by(DISTANCE(ONE, K) > 0) | assuming(a=every(DISTANCE(J, J) > 0)), DISTANCE(ONE, K) > 0),
        ),
    ),
    OnProve(
        name="for-all-caught-twice",
        claims="i is far from k if nobody is near itself",
        how="a 'for all j' inside a 'for all j'",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=every(DISTANCE(J, P) > 0)), DISTANCE(Q, P) > 0),
            false(
                by(every(DISTANCE(ONE, J) > 0)) | assuming(a=every(every(DISTANCE(J, J) > 0).arguments[0])),
                DISTANCE(ONE, K) > 0,
            ),
        ),
    ),
    OnProve(
        name="bound-twice",
        claims="all costs are above 4 if i's is above 5",
        how="for all j: a cost of j above 5 means that, for all j, the cost of j is above 4",
        outcome="refused",
        because="binds j twice",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(every(implies(COST(J) > 5, every(COST(J) > 4)))) | assuming(a=COST(ONE) > 5), COST(K) > 4),
        ),
    ),
    OnProve(
        name="bound-and-free",
        claims="two costs are positive together if one is positive",
        how="a provider of what is cited has the name of its variable: reading one reads the other",
        outcome="refused",
        because="both as a variable of 'for all' and as a symbol",
        proofs=proof(
            cited(assuming(a=every(COST(J) > 0)), COST(J) + COST(K) > 0),
            false(by(COST(ONE) + COST(K) > 0) | assuming(a=COST(ONE) > 0), COST(ONE) + COST(K) > 0),
        ),
    ),
    OnProve(
        name="somebody-likes-themselves",
        claims="somebody likes themselves, if everybody is liked by somebody",
        how="cites that somebody likes r, and puts for r the variable of 'there is'",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(
            cited(assuming(a=for_all([P], exists([Q], LIKES(Q, P)))), exists([Q], LIKES(Q, R))),
            false(
                by(exists([Q], LIKES(Q, Q))) | assuming(a=for_all([P], exists([Q], LIKES(Q, P)))),
                exists([Q], LIKES(Q, Q)),
            ),
        ),
    ),
    OnProve(
        name="not-all-instead-of-one",
        claims="somebody does not like themselves, if nobody is liked by all",
        how="the same, with 'not for all'",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(
            cited(assuming(a=for_all([P], ~for_all([Q], LIKES(Q, P)))), ~for_all([Q], LIKES(Q, R))),
            false(
                by(~for_all([Q], LIKES(Q, Q))) | assuming(a=for_all([P], ~for_all([Q], LIKES(Q, P)))),
                ~for_all([Q], LIKES(Q, Q)),
            ),
        ),
    ),
    OnProve(
        name="there-is-read-as-this-one",
        claims="i's cost is positive if somebody's is",
        how="reads the variable of 'there is' as i",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(
            cited(assuming(a=exists([J], COST(J) > 0)), exists([J], COST(J) > 0)),
            false(by(COST(ONE) > 0, (J, ONE)) | assuming(a=exists([P], COST(P) > 0)), COST(ONE) > 0),
        ),
    ),
    OnProve(
        name="whole-numbers-for-real",
        claims="x^2 >= x for every real x",
        how="cites it of whole numbers",
        outcome="SKIPPED",
        because="cited: goal: (= x m)",
        proofs=proof(cited({}, M * M >= M), false(by(X * X >= X), X * X >= X)),
    ),
    OnProve(
        name="whole-number-of-one-name",
        claims="n^2 >= n for every real n",
        how="cites it of whole numbers of the same name",
        outcome="refused",
        because="n is used with two signatures",
        proofs=proof(cited({}, N * N >= N), false(by(REAL_N * REAL_N >= REAL_N), REAL_N * REAL_N >= REAL_N)),
    ),
    OnProve(
        name="whole-numbers-read-as-real",
        claims="x^2 >= x for every real x",
        how="cites it of whole numbers, and says that m stands for x",
        outcome="refused",
        because="m is of sort Int, x is of Real",
        proofs=proof(cited({}, M * M >= M), false(by(X * X >= X, (M, X)), X * X >= X)),
    ),
    OnProve(
        name="whole-valued-function",
        claims="f(i)^2 >= f(i) for every real-valued f",
        how="cites it of a whole-valued function of the same name",
        outcome="refused",
        because="f is used with two signatures",
        proofs=proof(
            cited({}, function("f", INT)(P) * function("f", INT)(P) >= function("f", INT)(P)),
            false(
                by(function("f")(P) * function("f")(P) >= function("f")(P)),
                function("f")(ONE) * function("f")(ONE) >= function("f")(ONE),
            ),
        ),
    ),
    *(
        OnProve(
            name=f"a-symbol-that-begins-with-{tag}",
            claims="all costs are positive if one is",
            how=f"a symbol begins with {tag}_, as the program marks symbols when it reads a citation",
            outcome="refused",
            because=f"has a symbol '{tag}_j'",
            proofs=proof(
                cited(assuming(a=COST(P) > 1), COST(P) > 0),
                false(by(every(COST(J) > 0)) | assuming(a=COST(constant(f"{tag}_j", PROVIDER)) > 1), COST(ONE) > 0),
            ),
        )
        for tag in ("fixed", "goal", "hypothesis", "shared")
    ),
    OnProve(
        name="market-constant",
        claims="all costs are equal",
        how="cites that the cost of p is gamma, a constant of the market, for a gamma that differs between providers",
        outcome="SKIPPED",
        because="cited: a: (forall ((j Provider)) (= (cost j) gamma))",
        proofs=proof(
            cited(assuming(a=equal(COST(P), GAMMA)), equal(COST(P), GAMMA)),
            false(
                by(every(equal(COST(J), GAMMA))) | assuming(a=every(equal(COST(J), function("gamma_each")(J)))),
                equal(COST(ONE), COST(K)),
            ),
        ),
    ),
)

ROOT, LOG, TAIL = constants("root log_of_x tail")
_TRUE_ROOT = axioms.square_root(ROOT, Y)
FOUNDATIONS = (
    OnProve(
        name="hoeffding-says-anything",
        claims="every x <= -1",
        how="an axiom 'hoeffding' that says x <= -1",
        outcome="SKIPPED",
        because="is no instance of the axiom hoeffding",
        proofs=proof(false({"h": Hypothesis(X <= -1, "axiom", "hoeffding")}, X <= -1)),
    ),
    OnProve(
        name="no-such-axiom",
        claims="every x <= -1",
        how="an axiom 'clearly'",
        outcome="refused",
        because="axiom 'clearly' is not available there",
        proofs=proof(false({"h": Hypothesis(X <= -1, "axiom", "clearly")}, X <= -1)),
    ),
    OnProve(
        name="ball-fact-says-something-else",
        claims="every x > 100",
        how="a ball fact 'radius-logarithm' that says x > 100",
        outcome="SKIPPED",
        because="is not the fact of ball arithmetic radius-logarithm",
        proofs=proof(false({"h": Hypothesis(X > 100, "ball", "radius-logarithm")}, X > 100)),
    ),
    OnProve(
        name="tightened-ball-fact",
        claims="ln(4 pi^2 / 3) > 3 (it is 2.577...)",
        how="the ball fact, with 3 for 2",
        outcome="SKIPPED",
        because="is not the fact of ball arithmetic radius-logarithm",
        proofs=lambda: proof(
            false({"h": replace(_BALL, formula=_BALL.formula.arguments[0] > 3)}, _BALL.formula.arguments[0] > 3)
        )(),
    ),
    OnProve(
        name="ball-fact-of-another-symbol",
        claims="every x > 2",
        how="the ball fact, of a symbol that stands for nothing",
        outcome="SKIPPED",
        because="is not the fact of ball arithmetic radius-logarithm",
        proofs=lambda: proof(false({"h": replace(_BALL, formula=X > 2, names=())}, X > 2))(),
    ),
    OnProve(
        name="ball-symbol-read-as-any-number",
        claims="every x > 2",
        how="cites a proof by the ball fact, and reads its symbol as x",
        outcome="SKIPPED",
        because="leaves unstated what symbols stand for: cited: h: (= x (ln",
        proofs=lambda: proof(
            cited({"h": _BALL}, _BALL.formula), false(by(X > 2, (_BALL.formula.arguments[0], X)), X > 2)
        )(),
    ),
    OnProve(
        name="root-read-as-any-number",
        claims="every x is at least 0",
        how="cites that the root of 4 is, and reads it as x",
        outcome="SKIPPED",
        because="leaves unstated what symbols stand for: cited: root: (= x (sqrt 4.0))",
        proofs=proof(cited({"root": axioms.root_non_negative(ROOT, 4)}, ROOT >= 0), false(by(X >= 0), X >= 0)),
    ),
    OnProve(
        name="no-such-ball-fact",
        claims="pi = 3",
        how="a ball fact 'pi-is-3'",
        outcome="refused",
        because="ball 'pi-is-3' is not available there",
        proofs=proof(false({"h": Hypothesis(equal(X, 3), "ball", "pi-is-3")}, equal(X, 3))),
    ),
    OnProve(
        name="axiom-with-another-formula",
        claims="every root is above 1",
        how="an instance of square-root whose formula was changed",
        outcome="SKIPPED",
        because="is no instance of the axiom square-root",
        proofs=proof(false({"h": replace(_TRUE_ROOT, formula=ROOT > 1)} | assuming(y=Y >= 0), ROOT > 1)),
    ),
    OnProve(
        name="axiom-without-its-condition",
        claims="every y is at least 0",
        how="an instance of square-root whose condition y >= 0 was left out",
        outcome="SKIPPED",
        because="is no instance of the axiom square-root",
        proofs=proof(false({"h": replace(_TRUE_ROOT, conditions=())}, Y >= 0)),
    ),
    OnProve(
        name="axiom-without-its-names",
        claims="every x is at least 0",
        how="an instance of square-root that no longer says that x is a root",
        outcome="SKIPPED",
        because="is no instance of the axiom square-root",
        proofs=proof(false({"h": replace(axioms.root_non_negative(X, 4), names=())}, X >= 0)),
    ),
    OnProve(
        name="condition-nobody-derives",
        claims="every y is at least 0",
        how="takes it from the square root of y, cited from elsewhere",
        outcome="SKIPPED",
        because="leaves unstated what it rests on: cited: root",
        proofs=proof(cited({"root": _TRUE_ROOT}, Y >= 0), false(by(Y >= 0), Y >= 0)),
    ),
    OnProve(
        name="x-is-its-own-root",
        claims="x = x^2 for every x at least 0",
        how="cites root^2 = y, and reads both as x",
        outcome="SKIPPED",
        because="no numbers are what its symbols stand for",
        proofs=proof(
            cited({"root": axioms.root_squared(ROOT, Y)} | assuming(y=Y >= 0), equal(ROOT * ROOT, Y)),
            false(by(equal(X * X, X)) | assuming(x=X >= 0), equal(X * X, X)),
            assumes=("cited: root",),
        ),
    ),
    OnProve(
        name="root-for-every-number",
        claims="every number is at least 0",
        how="cites that the root of 2 is, and reads it as the variable of 'for all'",
        outcome="SKIPPED",
        because="is the same for all",
        proofs=proof(
            cited({"root": axioms.root_non_negative(ROOT, 2)}, ROOT >= 0), false(by(for_all([Y], Y >= 0)), Z >= 0)
        ),
    ),
    OnProve(
        name="one-root-of-all",
        claims="costs of at least 0 are equal",
        how="gamma is the root of each provider's cost",
        outcome="SKIPPED",
        because="gamma is the same for all",
        proofs=proof(
            cited({"root": axioms.root_squared(GAMMA, X)} | assuming(x=X >= 0), equal(GAMMA * GAMMA, X)),
            false(
                by(every(equal(GAMMA * GAMMA, COST(J)))) | assuming(x=every(COST(J) >= 0)), equal(COST(ONE), COST(K))
            ),
        ),
    ),
    OnProve(
        name="function-with-two-meanings",
        claims="x = z for all x, z of at least 0",
        how="f(i) is the root of x, f(k) that of z, and i = k",
        outcome="SKIPPED",
        because="f has two meanings",
        proofs=proof(
            cited({"root": axioms.root_squared(Y, X)} | assuming(x=X >= 0), equal(Y * Y, X)),
            false(
                {
                    "first": Hypothesis(equal(function("f")(ONE) * function("f")(ONE), X), "obligation", "cited"),
                    "second": Hypothesis(equal(function("f")(K) * function("f")(K), Z), "obligation", "cited"),
                }
                | assuming(x=X >= 0, z=Z >= 0, same=equal(ONE, K)),
                equal(X, Z),
            ),
        ),
    ),
    OnProve(
        name="names-collide",
        claims="x = z for all x, z of at least 0",
        how="two instances of one axiom give one symbol two meanings",
        outcome="SKIPPED",
        because="cannot stand for",
        proofs=proof(
            false(
                {"first": axioms.root_squared(ROOT, X), "second": axioms.root_squared(ROOT, Z)}
                | assuming(x=X >= 0, z=Z >= 0),
                equal(X, Z),
            )
        ),
    ),
    OnProve(
        name="names-collide-across-citations",
        claims="x = z for all x, z of at least 0",
        how="two cited proofs use one symbol for two roots",
        outcome="SKIPPED",
        because="no numbers are what its symbols stand for",
        proofs=proof(
            cited({"root": axioms.root_squared(ROOT, X)} | assuming(x=X >= 0), equal(ROOT * ROOT, X)),
            obligation("other", {"root": axioms.root_squared(ROOT, Z)} | assuming(z=Z >= 0), equal(ROOT * ROOT, Z)),
            false(
                by(equal(ROOT * ROOT, X))
                | concluded("other", other=equal(ROOT * ROOT, Z))
                | assuming(x=X >= 0, z=Z >= 0),
                equal(X, Z),
            ),
        ),
    ),
    OnProve(
        name="probability-as-a-whole-proof",
        claims="every number is at least 0",
        how="it would be an expectation",
        outcome="SKIPPED",
        because="the axiom expectation-monotone",
        proofs=proof(false({"h": axioms.expectation_monotone(X, 0)}, X >= 0)),
    ),
    OnProve(
        name="made-up-source",
        claims="every x > 100",
        how="a hypothesis of source 'fact'",
        outcome="refused",
        because="of source 'fact'",
        proofs=proof(false({"h": Hypothesis(X > 100, "fact")}, X > 100)),  # type: ignore[arg-type]
    ),
    OnProve(
        name="conditions-of-an-assumption",
        claims="every y is at least 0",
        how="a definition with the names of an axiom",
        outcome="SKIPPED",
        because="which has no conditions and names nothing",
        proofs=proof(false({"h": Hypothesis(X > 100, "definition", names=((X, sqrt(Y)),))}, X > 100)),
    ),
)
_BALL = BALL_FACTS["radius-logarithm"].hypothesis

_STEP = induction(X > 100, start={X: 101})["so-far"]
INDUCTIONS = (
    OnProve(
        name="no-base",
        claims="every x > 100",
        how="an induction hypothesis without a base",
        outcome="SKIPPED",
        because="the induction does not begin with anything",
        proofs=proof(false({"so-far": replace(_STEP, start=())}, X + 1 > 100)),
    ),
    OnProve(
        name="base-elsewhere",
        claims="every x > 100",
        how="the base is an obligation that is not there",
        outcome="SKIPPED",
        because="its base 'first' is not there",
        proofs=proof(false({"so-far": replace(_STEP, start="first")}, X + 1 > 100)),
    ),
    OnProve(
        name="base-says-something-else",
        claims="every x > 100",
        how="the base is x^2 >= 0",
        outcome="SKIPPED",
        because="its base a-square says something else",
        proofs=proof(SQUARE, false({"so-far": replace(_STEP, start="a-square")}, X + 1 > 100)),
    ),
    OnProve(
        name="false-start",
        claims="every x > 100",
        how="begins with x = 0",
        outcome="SKIPPED",
        because="its induction does not begin with what is true",
        proofs=proof(false(induction(X > 100, start={X: 0}), X + 1 > 100)),
    ),
    OnProve(
        name="stronger-hypothesis",
        claims="every x > 100",
        how="the induction hypothesis is x > 101",
        outcome="SKIPPED",
        because="it is not the goal one step earlier",
        proofs=proof(false(induction(X > 101, start={X: 102}), X + 1 > 100)),
    ),
    OnProve(
        name="the-goal-as-hypothesis",
        claims="every x > 100",
        how="the induction hypothesis is the goal itself",
        outcome="SKIPPED",
        because="it assumes the goal itself",
        proofs=proof(false(induction(X > 100, start={X: 101}), X > 100)),
    ),
    OnProve(
        name="base-rests-on-the-step",
        claims="every x > 100",
        how="the base cites the step",
        outcome="SKIPPED",
        because="rests on it",
        proofs=proof(
            obligation("step", {"so-far": replace(_STEP, start="first")} | defining(next=equal(Y, X + 1)), Y > 100),
            obligation("first", concluded("step", h=X > 100), X > 100),
        ),
    ),
    OnProve(
        name="induction-as-a-whole-proof",
        claims="every x >= 0",
        how="a step that is true, of which nobody says over what it runs",
        outcome="SKIPPED",
        because="rests on what no solver composes (the induction of says-it)",
        proofs=proof(false(induction(X >= 0, start={X: 0}), X + 1 >= 0)),
    ),
    OnProve(
        name="induction-below",
        claims="every x >= 0",
        how="the step is hidden below a citation",
        outcome="SKIPPED",
        because="rests on what no solver composes (the induction of cited)",
        proofs=proof(cited(induction(X >= 0, start={X: 0}), X + 1 >= 0), false(by(X >= 0), X >= 0)),
    ),
    OnProve(
        name="start-of-an-assumption",
        claims="every x > 100",
        how="an assumption that begins with something, like an induction",
        outcome="refused",
        because="only an induction does",
        proofs=proof(false({"h": Hypothesis(X > 100, start=((X, X),))}, X > 100)),
    ),
)

WHOLE_PROOFS = (
    OnProve(
        name="nothing-at-all",
        claims="anything",
        how="a proof without obligations",
        outcome="refused",
        because="has no obligation",
        proofs=proof(),
    ),
    OnProve(
        name="contradictory-definitions",
        claims="every y > 7",
        how="defines x = 1 and x = 2",
        outcome="VACUOUS",
        because="not shown to say something: says-it",
        proofs=proof(false(defining(one=equal(X, 1), two=equal(X, 2)), Y > 7)),
    ),
    OnProve(
        name="contradiction-carried",
        claims="every y > 7",
        how="x = 1 is defined by what is cited, x = 2 by what cites",
        outcome="VACUOUS",
        because="what it assumes is not shown to be possible",
        proofs=proof(
            cited(defining(one=equal(X, 1)) | assuming(y=Y > 6 + X), Y > 7),
            false(by(Y > 7) | assuming(two=equal(X, 2), y=Y > 6 + X), Y > 7),
            assumes=("cited: one",),
        ),
    ),
    OnProve(
        name="condition-that-never-holds",
        claims="every y > 7",
        how="for x with x^2 < 0",
        outcome="VACUOUS",
        because="not shown to say something: says-it",
        proofs=proof(false(assuming(never=X * X < 0), Y > 7)),
    ),
    OnProve(
        name="nobody",
        claims="every y > 7",
        how="if no provider exists: there is always one",
        outcome="VACUOUS",
        because="not shown to say something: says-it",
        proofs=proof(false(assuming(nobody=every(all_of(COST(J) > 0, COST(J) < 0))), Y > 7)),
    ),
    OnProve(
        name="idle-hypothesis",
        claims="a sum is positive because x is above 1000",
        how="a hypothesis that is not needed decorates the statement",
        outcome="VACUOUS",
        because="not shown to say something: says-it",
        proofs=proof(Obligation("says-it", "", assuming(x=X > 0, idle=Y > 1000), X + 1 > 0)),
    ),
    OnProve(
        name="one-over-zero",
        claims="y = 0 if 1/y = 0",
        how="solvers may give 1/0 any value",
        outcome="VACUOUS",
        because="not shown to say something: says-it",
        proofs=proof(false(assuming(zero=equal(1 / Y, 0)), equal(Y, 0))),
    ),
    OnProve(
        name="cancelled-zero",
        claims="(x / y) y = x for all x, y",
        how="y may be 0",
        outcome="SKIPPED",
        because="z3 says sat, cvc5 says sat",
        proofs=proof(false({}, equal(X / Y * Y, X))),
    ),
    OnProve(
        name="cancelled-zero-cited",
        claims="(x / 0) 0 = x for all x",
        how="cites it for y other than 0, and reads y as 0",
        outcome="SKIPPED",
        because="cited: y",
        proofs=proof(
            cited(assuming(y=~equal(Y, 0)), equal(X / Y * Y, X)),
            false(by(equal(X / 0 * 0, X), (Y, Term("number", (), "Real", Fraction(0)))), equal(X / 0 * 0, X)),
        ),
    ),
    OnProve(
        name="states-what-nothing-rests-on",
        claims="x + 1 > 101 for every x",
        how="states a premise under the name of another obligation",
        outcome="refused",
        because="states what nothing rests on: a-square: big",
        proofs=proof(
            SQUARE,
            cited(assuming(big=X > 100), X + 1 > 101),
            false(by(X + 1 > 101), X + 1 > 101),
            assumes=("a-square: big",),
        ),
    ),
    OnProve(
        name="states-a-premise-of-another-name",
        claims="x + 1 > 101 for every x",
        how="states the harmless premise of what is cited, not the one that is needed",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(
            cited(assuming(big=X > 100, harmless=Y > 0), X + 1 > 101),
            false(by(X + 1 > 101), X + 1 > 101),
            assumes=("cited: harmless",),
        ),
    ),
    OnProve(
        name="label-of-another-claim",
        claims="thm:regret",
        how="a proof of something else under this label",
        outcome="refused",
        because="is the label of a proof of 'lem:other'",
        proofs=lambda: {FALSE: Proof("lem:other", (SQUARE,), "")},
    ),
    OnProve(
        name="vacuous-on-purpose",
        claims="every x > 100",
        how="says itself that it is vacuous",
        outcome="SKIPPED",
        because="z3 says sat, cvc5 says sat",
        proofs=proof(false({}, X > 100), empty_while="in any case"),
    ),
    OnProve(
        name="vacuous-on-purpose-of-a-condition",
        claims="every x > 100",
        how="the same, and drops the premise of what it cites",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), empty_while="in any case"),
    ),
    OnProve(
        name="only-instances",
        claims="every x > 100",
        how="says that it is about some numbers of providers only, and drops the premise",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), instances=True),
    ),
    OnProve(
        name="only-instances-in-english",
        claims="every x > 100",
        how="says the same, and leaves the premise to English: `EXACT` is no way around",
        outcome="SKIPPED",
        because="cited: big",
        proofs=proof(
            cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), instances=True, beyond="That x is so."
        ),
    ),
    OnProve(
        name="left-to-english",
        claims="every x > 100",
        how="leaves the premise to English: `beyond` is given",
        outcome="PROVED_STEPS",
        because="",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), beyond="That x is above 100."),
    ),
    OnProve(
        name="english-that-is-false",
        claims="every x > 100",
        how="leaves an obligation that is false to English",
        outcome="SKIPPED",
        because="z3 says sat, cvc5 says sat",
        proofs=proof(false({}, X > 100), beyond="That x is above 100."),
    ),
    OnProve(
        name="undefined-symbol-of-solvers",
        claims="exp(x) > 0 for every function exp",
        how="a function called exp, which z3 takes for the exponential",
        outcome="refused",
        because="has 'exp' in a formula",
        proofs=proof(false({}, function("exp")(X) > 0)),
    ),
    OnProve(
        name="reserved-word",
        claims="let > 100",
        how="a symbol called let",
        outcome="refused",
        because="'let' of sort Real is no symbol",
        proofs=proof(false({}, constant("let") > 100)),
    ),
    OnProve(
        name="script-in-a-name",
        claims="every x > 100",
        how="a symbol whose name is a piece of a script",
        outcome="refused",
        because="is no symbol",
        proofs=proof(false({}, constant("x) 0.0)) (assert false) (assert (< (+ x") > 100)),
    ),
    OnProve(
        name="script-in-a-title",
        claims="every x > 100",
        how="an explanation with a second line: (assert false)",
        outcome="refused",
        because="in more than one line",
        proofs=lambda: proof(replace(SQUARE, says="a square\n(assert false)"))(),
    ),
    OnProve(
        name="script-in-a-hypothesis",
        claims="every x > 100",
        how="a hypothesis whose name ends a quoted name",
        outcome="refused",
        because="has the name",
        proofs=proof(false({"a|)) (assert false) (assert (! true :named |b": Hypothesis(X > 0)}, X > 100)),
    ),
    OnProve(
        name="path-as-a-name",
        claims="every x > 100",
        how="an obligation called ../../stored, whose files would be elsewhere",
        outcome="refused",
        because="has the name '../../stored'",
        proofs=proof(obligation("../../stored", {}, X > 100)),
    ),
    OnProve(
        name="provider-of-a-model",
        claims="all providers are the same",
        how="uses the name provider_0, which models give to one of them",
        outcome="refused",
        because="provider_0 is kept",
        proofs=proof(false(assuming(a=COST(constant("provider_0", PROVIDER)) > 0), equal(ONE, J))),
    ),
    OnProve(
        name="no-providers",
        claims="all costs are equal",
        how="asks for models with 0 providers",
        outcome="refused",
        because="models of 0 providers",
        proofs=proof(false({}, equal(COST(ONE), COST(J)), providers=0)),
    ),
    OnProve(
        name="one-provider",
        claims="all costs are equal",
        how="asks for models with one provider only: the obligation itself is asked for any number",
        outcome="SKIPPED",
        because="z3 says sat, cvc5 says sat",
        proofs=proof(false({}, equal(COST(ONE), COST(J)), providers=1)),
    ),
    OnProve(
        name="empty-conjunction",
        claims="anything",
        how="a conjunction of nothing as the goal",
        outcome="refused",
        because="and cannot be applied to nothing",
        proofs=proof(false({}, all_of())),
    ),
    OnProve(
        name="ill-sorted",
        claims="m < x for whole m and any x",
        how="compares a whole with a real number",
        outcome="refused",
        because="cannot be applied to Int, Real",
        proofs=proof(false({}, Term("<", (M, X), BOOL))),
    ),
    OnProve(
        name="no-reading",
        claims="every x > 100",
        how="a reading that is no pair of terms",
        outcome="refused",
        because="whose reading or start is no such",
        proofs=proof(SQUARE, false({"h": Hypothesis(X > 100, "obligation", "a-square", reading=((X, 3),))}, X > 100)),  # type: ignore[arg-type]
    ),
    OnProve(
        name="no-start",
        claims="every x > 100",
        how="an induction that begins with a number",
        outcome="refused",
        because="whose reading or start is no such",
        proofs=proof(false({"h": Hypothesis(X > 100, "induction", start=((X,),))}, X + 1 > 100)),  # type: ignore[arg-type]
    ),
    OnProve(
        name="stronger-by-a-strict-sign",
        claims="x^2 > 0 for every x",
        how="cites x^2 >= 0",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(cited({}, X * X >= 0), false(by(X * X > 0), X * X > 0)),
    ),
    OnProve(
        name="without-its-condition",
        claims="x + y > 0 for x > 0",
        how="cites it for x > 0 and y > 0",
        outcome="SKIPPED",
        because="does not follow from cited",
        proofs=proof(
            cited({}, implies(all_of(X > 0, Y > 0), X + Y > 0)),
            false(by(implies(X > 0, X + Y > 0)), implies(X > 0, X + Y > 0)),
        ),
    ),
    OnProve(
        name="antecedent-of-somebody",
        claims="everybody costs above 4 if somebody costs above 5",
        how="the antecedent speaks of somebody, the premise of each",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(every(implies(exists([K], COST(K) > 5), COST(J) > 4))) | assuming(a=COST(ONE) > 5), COST(Q) > 4),
        ),
    ),
    OnProve(
        name="one-conclusion-for-another",
        claims="everybody costs above 4",
        how="of two conclusions, one has the antecedent that the other needs",
        outcome="SKIPPED",
        because="cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(all_of(every(implies(COST(J) > 5, COST(J) > 4)), for_all([K], COST(K) > 4))), COST(ONE) > 4),
        ),
    ),
    OnProve(
        name="condition-from-its-own-axiom",
        claims="every y is at least 0",
        how="cites it from a proof that takes it from the root of y, and takes the root as well",
        outcome="SKIPPED",
        because="cited: root",
        proofs=proof(
            cited({"root": _TRUE_ROOT}, Y >= 0), false(by(Y >= 0) | {"root": axioms.square_root(ROOT, Y)}, Y >= 0)
        ),
    ),
    OnProve(
        name="no-proof",
        claims="anything",
        how="a number instead of a proof",
        outcome="refused",
        because="no Proof",
        proofs=lambda: {FALSE: 42},
    ),
)


def lemma(goal: Term, hypotheses: Mapping[str, Hypothesis] | None = None, **more: Any) -> Callable[[], Obligation]:
    """Return a lemma."""
    return lambda: Obligation("asked", "", hypotheses or {}, goal, **more)


LEMMAS = (
    OnLemma(
        name="every-real-is-a-root",
        claims="every real is at least 0",
        how="x is the square root of x^2 (square_root)",
        outcome="refused",
        because="made of it",
        lemma=lambda: lemma(X >= 0, {"h": axioms.square_root(X, X * X)})(),
    ),
    OnLemma(
        name="every-real-has-a-root",
        claims="every real is at least 0",
        how="its square root exists (square_root)",
        outcome="SKIPPED",
        because="the condition (>= y 0.0) of square-root is not derived",
        lemma=lambda: lemma(Y >= 0, {"h": axioms.square_root(ROOT, Y)})(),
    ),
    OnLemma(
        name="no-real-is-zero",
        claims="no real is 0",
        how="it has a logarithm (exp_of_minus_log)",
        outcome="SKIPPED",
        because="the condition (> x 0.0) of exp-of-minus-log is not derived",
        lemma=lambda: lemma(
            ~equal(X, 0), {"h": axioms.exp_of_minus_log(TAIL, Y, LOG, X)} | assuming(y=equal(Y, LOG))
        )(),
    ),
    OnLemma(
        name="x-is-two",
        claims="x = 2",
        how="x and 2 are logarithms of the same (log_product)",
        outcome="refused",
        because="is no instance",
        lemma=lambda: lemma(equal(X, 2), {"h": axioms.log_product(X, 2, {})})(),
    ),
    OnLemma(
        name="x-is-two-by-hand",
        claims="x = 2",
        how="the same, without the function that makes instances",
        outcome="refused",
        because="is no instance of the axiom log-product",
        lemma=lemma(equal(X, 2), {"h": Hypothesis(equal(X, 2), "axiom", "log-product", arguments=(X, 2, ()))}),
    ),
    OnLemma(
        name="two-logarithms",
        claims="x = 2 x for x > 0",
        how="one symbol is the logarithm of both",
        outcome="refused",
        because="cannot stand for",
        lemma=lambda: lemma(
            equal(X, 2 * X), {"a": axioms.log_tangent(LOG, X), "b": axioms.log_tangent(LOG, 2 * X)} | assuming(x=X > 0)
        )(),
    ),
    OnLemma(
        name="logarithm-of-minus-one",
        claims="the logarithm of -1 is at most -2",
        how="ln x <= x - 1 at x = -1",
        outcome="refused",
        because="is not positive",
        lemma=lambda: lemma(LOG <= -2, {"h": axioms.log_tangent(LOG, -1)})(),
    ),
    OnLemma(
        name="every-real-is-an-expectation",
        claims="every real is at least 0",
        how="it would be the expectation of something that is (expectation_monotone)",
        outcome="SKIPPED",
        because="of probability",
        lemma=lambda: lemma(X >= 0, {"h": axioms.expectation_monotone(X, 0)})(),
    ),
    OnLemma(
        name="every-real-is-a-probability",
        claims="x <= y z for all x, y, z",
        how="x would be the probability of a union (union_bound)",
        outcome="SKIPPED",
        because="of probability",
        lemma=lambda: lemma(X <= Y * Z, {"h": axioms.union_bound(X, Y, Z)})(),
    ),
    OnLemma(
        name="lemma-that-cites",
        claims="every x > 100",
        how="a lemma that cites x^2 >= 0, which is not beside it",
        outcome="SKIPPED",
        because="which cites a-square",
        lemma=lemma(X > 100, concluded("a-square", h=X > 100)),
    ),
    OnLemma(
        name="lemma-by-induction",
        claims="every x >= 0",
        how="a lemma with an induction hypothesis",
        outcome="SKIPPED",
        because="an earlier step",
        lemma=lambda: lemma(X + 1 >= 0, induction(X >= 0, start={X: 0}))(),
    ),
    OnLemma(
        name="lemma-of-a-made-up-source",
        claims="every x > 100",
        how="a hypothesis of source 'fact'",
        outcome="refused",
        because="of source 'fact'",
        lemma=lemma(X > 100, {"h": Hypothesis(X > 100, "fact")}),  # type: ignore[arg-type]
    ),
    OnLemma(
        name="lemma-with-a-false-ball-fact",
        claims="every x > 2",
        how="a ball fact about x",
        outcome="refused",
        because="is not the fact of ball arithmetic radius-logarithm",
        lemma=lemma(X > 2, {"h": Hypothesis(X > 2, "ball", "radius-logarithm")}),
    ),
    OnLemma(
        name="algebraic-model",
        claims="the root of 2 is below 1.41",
        how="what refutes it is no fraction",
        outcome="REFUTED",
        because="1.4142",
        lemma=lemma(Fraction(141, 100) > X, assuming(square=equal(X * X, 2), positive=X > 0)),
    ),
    OnLemma(
        name="algebraic-model-of-degree-three",
        claims="a root of x^3 - x = 1 is below 1.32",
        how="a number that no square root gives",
        outcome="REFUTED",
        because="1.3247",
        lemma=lemma(Fraction(132, 100) > X, assuming(cubic=equal(X * X * X - X, 1))),
    ),
    OnLemma(
        name="function-of-a-number",
        claims="every function of a number is monotone",
        how="a function of numeric arguments",
        outcome="REFUTED",
        because="found by",
        lemma=lemma(function("f")(X) <= function("f")(Y), assuming(less=X < Y)),
    ),
    OnLemma(
        name="function-of-a-root",
        claims="every function is positive at the root of 2",
        how="a function whose argument is no fraction",
        outcome="REFUTED",
        because="1.4142",
        lemma=lemma(function("f")(X) > 0, assuming(square=equal(X * X, 2), positive=X > 0)),
    ),
    OnLemma(
        name="function-of-a-function",
        claims="f(f(x)) = x if f(x) = y",
        how="a function of its own values",
        outcome="REFUTED",
        because="found by",
        lemma=lemma(equal(function("f")(function("f")(X)), X), assuming(fixed=equal(function("f")(X), Y))),
    ),
    OnLemma(
        name="somebody-cheap",
        claims="somebody has a cost above 0",
        how="there need not be anybody such",
        outcome="REFUTED",
        because="providers",
        lemma=lemma(exists([J], COST(J) > 0), assuming(one=COST(ONE) <= 0)),
    ),
    OnLemma(
        name="nobody-there",
        claims="x = 1 if no provider exists",
        how="the set of providers is never empty",
        outcome="VACUOUS",
        because="not shown to be true together",
        lemma=lemma(equal(X, 1), assuming(nobody=every(all_of(COST(J) > 0, COST(J) < 0)))),
    ),
    OnLemma(
        name="contradictory-hypotheses",
        claims="every y > 7",
        how="x = 1 and x = 2",
        outcome="VACUOUS",
        because="not shown to be true together",
        lemma=lemma(Y > 7, defining(one=equal(X, 1), two=equal(X, 2))),
    ),
    OnLemma(
        name="zero-divided-by-zero",
        claims="x / y = 0 if y = 0",
        how="0 / 0 is nothing",
        outcome="SKIPPED",
        because="divide by zero",
        lemma=lemma(equal(X / Y, 0), assuming(zero=equal(Y, 0))),
    ),
    OnLemma(
        name="inverse-that-is-zero",
        claims="y = 0 if 1 / y = 0",
        how="no inverse is 0: only solvers have 1 / 0",
        outcome="VACUOUS",
        because="not shown to be true together",
        lemma=lemma(equal(Y, 0), assuming(zero=equal(1 / Y, 0))),
    ),
    OnLemma(
        name="quotient-of-itself",
        claims="x / x >= 1 for x >= 0",
        how="x may be 0",
        outcome="SKIPPED",
        because="divide by zero",
        lemma=lemma(X / X >= 1, assuming(x=X >= 0)),
    ),
    OnLemma(
        name="whole-numbers-are-not-real",
        claims="x^2 >= x for every real x",
        how="it holds for whole numbers",
        outcome="REFUTED",
        because="found by",
        lemma=lemma(X * X >= X),
    ),
    OnLemma(
        name="a-mutant-as-true",
        claims="a hypothesis matters",
        how="the goal is true without it",
        outcome="VACUOUS",
        because="is not shown to be false: does it matter?",
        lemma=lemma(X + 1 > 0, assuming(x=X > 0, idle=Y > 0), further_mutants=(Mutant("no idle", drop=("idle",)),)),
    ),
    OnLemma(
        name="either-way",
        claims="x < 1 or x > 2 for the root of 2",
        how="the number lies between",
        outcome="REFUTED",
        because="1.4142",
        lemma=lemma(any_of(X < 1, X > 2), assuming(two=equal(X * X, 2), positive=X > 0)),
    ),
    OnLemma(
        name="guarded-division",
        claims="x / y <= 1, or 0 where y = 0",
        how="a case distinction hides the division",
        outcome="REFUTED",
        because="found by",
        lemma=lemma(either(equal(Y, 0), 0, X / Y) <= 1, assuming(positive=X > 0)),
    ),
    OnLemma(
        name="lemma-with-an-analytic-function",
        claims="ln(x) <= 0",
        how="writes the logarithm itself",
        outcome="refused",
        because="'ln' of sort Real is no symbol",
        lemma=lemma(ln(X) <= 0),
    ),
)

MANIFEST, SCRIPT, CERTIFICATE = "manifest.json", "sum-positive.smt2", "sum-positive.certificate.json"


def manifest_of(place: Path) -> dict[str, Any]:
    """Return the manifest of a folder."""
    found: dict[str, Any] = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    return found


def forge(place: Path, **changes: Any) -> None:
    """Change a manifest, and its own hash with it."""
    found = {**manifest_of(place), **changes}
    rest = {key: value for key, value in found.items() if key != "sha256"}
    found["sha256"] = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
    (place / MANIFEST).write_text(json.dumps(found), encoding="utf-8")


def replaced(place: Path, name: str, text: str, **entry: Any) -> None:
    """Write a file, and its hash into the manifest: the work of somebody who knows how."""
    (place / name).write_text(text, encoding="utf-8")
    files = manifest_of(place)["files"]
    files[name] = {**files.get(name, {}), **entry, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    forge(place, files=files)


def _changed(place: Path) -> None:
    path = place / SCRIPT
    path.write_text(path.read_text().replace("(assert", "; weaker\n(assert", 1))


def _without_negated_goal(place: Path) -> None:
    lines = (place / SCRIPT).read_text().splitlines()
    replaced(place, SCRIPT, "\n".join(line for line in lines if "negated-goal" not in line) + "\n")


def _another_goal(place: Path) -> None:
    """The script says x + y > 1: false, and the certificate is that of x + y > 0."""
    text = (place / SCRIPT).read_text()
    stronger = text.replace("(> (+ x y) 0.0)", "(> (+ x y) 1.0)")
    assert stronger != text
    replaced(place, SCRIPT, stronger)


def _contradiction_added(place: Path) -> None:
    """A script that is unsatisfiable for another reason: (assert false)."""
    text = (place / SCRIPT).read_text().replace("(check-sat)", "(assert false)\n(check-sat)")
    replaced(place, SCRIPT, text)


def _certificates_exchanged(place: Path) -> None:
    replaced(place, CERTIFICATE, (place / "product-grows.certificate.json").read_text())


def _certificate_of_nothing(place: Path) -> None:
    replaced(place, CERTIFICATE, "{}")


def _missing_hypotheses(place: Path) -> None:
    """What shows that the hypotheses can be true is left out, from the manifest as well."""
    (place / "sum-positive.hypotheses.smt2").unlink()
    files = manifest_of(place)["files"]
    del files["sum-positive.hypotheses.smt2"]
    forge(place, files=files)


def _missing_claim(place: Path) -> None:
    claims = manifest_of(place)["claims"]
    del claims["lem:sum"]
    forge(place, claims=claims)


def _expected_otherwise(place: Path) -> None:
    files = manifest_of(place)["files"]
    files[SCRIPT]["expected"] = "sat"
    forge(place, files=files)


def _announced_otherwise(place: Path) -> None:
    """A false obligation that announces, in script and manifest, that it is satisfiable."""
    _another_goal(place)
    text = (place / SCRIPT).read_text().replace(":status unsat", ":status sat")
    replaced(place, SCRIPT, text, expected="sat")


def _label_of_the_paper(place: Path) -> None:
    """The folder says that its obligations are those of thm:regret."""
    found = manifest_of(place)
    claims = {**found["claims"], "thm:regret": found["claims"]["lem:sum"]}
    forge(place, claims=claims, composition=found["composition"] | {"thm:regret": {"checked": True, "beyond": None}})


def _no_longer_open(place: Path) -> None:
    """The manifest of a proof that was open says no more that it was."""
    forge(place, not_proved={})


FOLDERS = (
    OnFolder(
        name="open-proof-in-a-folder",
        claims="x + 1 > 101 for every x, re-checked",
        how="a folder of a proof that drops a premise",
        outcome="failed",
        because="says that lem:false was not proved when this was written: leaves unstated",
        tamper=lambda place: None,
        folder="false",
    ),
    OnFolder(
        name="open-proof-with-a-forged-manifest",
        claims="x + 1 > 101 for every x, re-checked",
        how="the same, with a manifest that does not say so",
        outcome="failed",
        because="z3 says sat, expected unsat",
        tamper=_no_longer_open,
        folder="false",
    ),
    OnFolder(
        name="changed-script",
        claims="a script is the one that was written",
        how="a comment is added",
        outcome="failed",
        because="was changed: its hash is not the manifest's",
        tamper=_changed,
    ),
    OnFolder(
        name="goal-left-out",
        claims="an obligation without its goal",
        how="the negated goal is left out, all hashes are right",
        outcome="failed",
        because="expected unsat",
        tamper=_without_negated_goal,
    ),
    OnFolder(
        name="another-goal",
        claims="x + y > 1 for x, y > 0",
        how="the goal is changed, all hashes are right",
        outcome="failed",
        because="the checker refuses it",
        tamper=_another_goal,
    ),
    OnFolder(
        name="contradiction-added",
        claims="anything",
        how="(assert false) without a name, all hashes are right",
        outcome="failed",
        because="the checker refuses it",
        tamper=_contradiction_added,
    ),
    OnFolder(
        name="certificates-exchanged",
        claims="a certificate of one obligation is that of another",
        how="one is copied over the other, all hashes are right",
        outcome="failed",
        because="the checker refuses it",
        tamper=_certificates_exchanged,
    ),
    OnFolder(
        name="certificate-of-nothing",
        claims="a certificate is there",
        how="it is {}",
        outcome="failed",
        because="the checker refuses it",
        tamper=_certificate_of_nothing,
    ),
    OnFolder(
        name="missing-script",
        claims="a folder is whole",
        how="a script is removed",
        outcome="failed",
        because="is missing or cannot be read",
        tamper=lambda place: (place / SCRIPT).unlink(),
    ),
    OnFolder(
        name="missing-hypotheses",
        claims="hypotheses that are never shown to be possible",
        how="the script that shows it is removed, from the manifest as well",
        outcome="failed",
        because="is needed by a claim, but not in the manifest",
        tamper=_missing_hypotheses,
    ),
    OnFolder(
        name="missing-claim",
        claims="thm:product, without the lemma on which it rests",
        how="the lemma is no claim of the manifest any more",
        outcome="failed",
        because="lacks the claim lem:sum, on which others rest",
        tamper=_missing_claim,
    ),
    OnFolder(
        name="added-script",
        claims="one more obligation",
        how="a script that the manifest does not name",
        outcome="failed",
        because="is not in the manifest",
        tamper=lambda place: (place / "more.smt2").write_text("(check-sat)") and None,
    ),
    OnFolder(
        name="manifest-changed",
        claims="other solvers found it",
        how="the versions in the manifest are changed",
        outcome="failed",
        because="its hash is not its own",
        tamper=lambda place: (
            (place / MANIFEST).write_text(json.dumps({**manifest_of(place), "versions": {"z3": "99"}})) and None
        ),
    ),
    OnFolder(
        name="expected-otherwise",
        claims="a false obligation is as expected",
        how="the manifest expects sat",
        outcome="failed",
        because="certifies that sum-positive.smt2 is contradictory, which the manifest denies",
        tamper=_expected_otherwise,
    ),
    OnFolder(
        name="announced-otherwise",
        claims="x + y > 1 for x, y > 0",
        how="script and manifest announce sat",
        outcome="failed",
        because="which the manifest denies",
        tamper=_announced_otherwise,
    ),
    OnFolder(
        name="label-of-the-paper",
        claims="thm:regret",
        how="the manifest gives it the obligations of a lemma on sums",
        outcome="failed",
        because="gives thm:regret other obligations than this version does",
        tamper=_label_of_the_paper,
    ),
    OnFolder(
        name="path-in-a-manifest",
        claims="a file elsewhere",
        how="the manifest names ../elsewhere.smt2",
        outcome="refused",
        because="of another form",
        tamper=lambda place: forge(
            place, files={"../elsewhere.smt2": {"sha256": "", "kind": "script", "expected": "unsat"}}
        ),
    ),
    *(
        OnFolder(
            name=f"manifest-with-a-list-for-{key}",
            claims="nothing that can be read",
            how=f"the manifest has a list for {key}",
            outcome="refused",
            because="of another form",
            tamper=lambda place, key=key: forge(place, **{key: [1]}),  # type: ignore[misc]
        )
        for key in ("uses", "composition", "not_proved", "undecided")
    ),
)

#: What is attacked, and by what.
GROUPS: Mapping[str, tuple[Attack, ...]] = {
    "What is cited": CITATIONS,
    "How it is read": READINGS,
    "Axioms and ball facts": FOUNDATIONS,
    "Inductions": INDUCTIONS,
    "Whole proofs": WHOLE_PROOFS,
    "Lemmas": LEMMAS,
    "Folders": FOLDERS,
}
ATTACKS = tuple(itertools.chain.from_iterable(GROUPS.values()))
PAGE = Path(__file__).parents[3] / "docs" / "attacks.md"
_BEGIN, _END = "<!-- attacks: begin -->", "<!-- attacks: end -->"


def current_page(page: str) -> str:
    """Return the page with the tables that these attacks make."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{chr(10).join(_tables())}\n{_END}{after}"


def _tables() -> Iterator[str]:
    yield f"{len(ATTACKS)} attacks."
    for title, attacks in GROUPS.items():
        yield from ("", f"### {title}", "", "| claimed | how | what becomes of it |", "|---|---|---|")
        for attack in attacks:
            because = f": `{_cell(attack.because)}`" if attack.because else ""
            yield f"| {_cell(attack.claims)} | {_cell(attack.how)} | {attack.outcome}{because} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(current_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""False statements, and how somebody might get them proved: none may come out `PROVED`.

Each attack says what is claimed, how, and what becomes of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.language import axioms
from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Hypothesis, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    Term,
    all_of,
    constant,
    constants,
    equal,
    exists,
    for_all,
    function,
    implies,
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


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A false statement, and a way to get it proved.

    Parameters
    ----------
    claims : str
        What is false.
    how : str
    outcome : str
        `refused` (an InputError), a verdict, or `failed` (a folder that does not re-check), and part of the reason.
    """

    claims: str
    how: str
    outcome: str


@dataclass(frozen=True, kw_only=True)
class OnProve(Attack):
    """An attack on `prove(proofs=...)`: the claim `lem:false` must not be proved."""

    proofs: Callable[[], Any]


@dataclass(frozen=True, kw_only=True)
class OnFolder(Attack):
    """An attack on a folder that was written; `tamper` changes it."""

    tamper: Callable[[Path], object]
    folder: Literal["true", "false"] = field(default="true")


FALSE = "lem:false"
X, Y, Z, LOW = constants("x y z low")
M, N = constants("m n", INT)
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


CITATIONS: Mapping[str, OnProve] = {
    "threshold-at-ten": OnProve(
        claims="(4/a^2) ln(57 N / (delta a^4)) > 0 at a = 10 (it is -0.175 at N = 2, delta = 0.9)",
        how="cites the obligation behind threshold-at-least-one, and states all its premises but a <= 1",
        outcome="SKIPPED: gap-at-most-one",
        proofs=_threshold_at_ten,
    ),
    "cites-something-else": OnProve(
        claims="every x > 100",
        how="cites x^2 >= 0",
        outcome="SKIPPED: does not follow from a-square, which it cites",
        proofs=proof(SQUARE, false(by(X > 100, of="a-square"), X > 100)),
    ),
    "one-radius": OnProve(
        claims="two-sided payment with one radius: c_(2) - R <= pi_t",
        how="cites the obligation with two radii",
        outcome="SKIPPED: which it cites",
        proofs=_two_sided_with_one_radius,
    ),
    "dropped-premise": OnProve(
        claims="x + 1 > 101 for every x",
        how="cites what assumes x > 100, and does not say so",
        outcome="SKIPPED: leaves unstated what it rests on: cited: big",
        proofs=proof(cited(assuming(big=X > 100), X + 1 > 101), false(by(X + 1 > 101), X + 1 > 101)),
    ),
    "dropped-definition": OnProve(
        claims="every x > 100",
        how="cites what defines x = 101",
        outcome="SKIPPED: cited: is",
        proofs=proof(cited(defining(**{"is": equal(X, 101)}), X > 100), false(by(X > 100), X > 100)),
    ),
    "two-citations-deep": OnProve(
        claims="every x > 100",
        how="the premise is dropped two citations below",
        outcome="SKIPPED: cited: big",
        proofs=proof(
            cited(assuming(big=X > 102), X > 101),
            obligation("between", by(X > 101), X > 100),
            false(concluded("between", h=X > 100), X > 100),
        ),
    ),
    "citation-meets-its-own-premise": OnProve(
        claims="every x > 100",
        how="cites 'x > 100 if x > 100': what it takes would be the premise of what it takes",
        outcome="SKIPPED: cited: big",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100)),
    ),
    "citations-meet-each-other": OnProve(
        claims="every x > 100",
        how="cites '2 x > 200 if x > 100' and 'x > 100 if 2 x > 200': each would be the premise of the other",
        outcome="SKIPPED: leaves unstated what it rests on",
        proofs=proof(
            cited(assuming(big=X > 100), 2 * X > 200),
            obligation("back", assuming(twice=2 * X > 200), X > 100),
            false(by(2 * X > 200) | concluded("back", back=X > 100), X > 100),
        ),
    ),
    "cites-itself": OnProve(
        claims="every x > 100",
        how="an obligation cites itself",
        outcome="refused: 'says-it' is not available there",
        proofs=proof(false(by(X > 100, of="says-it"), X > 100)),
    ),
    "cites-in-a-circle": OnProve(
        claims="every x > 100",
        how="two obligations cite each other",
        outcome="refused: is not available there",
        proofs=proof(cited(by(X > 100, of="says-it"), X > 100), false(by(X > 100), X > 100)),
    ),
    "uses-in-a-circle": OnProve(
        claims="every x > 100",
        how="two proofs use each other",
        outcome="refused: use each other in a circle",
        proofs=lambda: {
            FALSE: Proof(FALSE, (false(by(X > 100), X > 100),), "", uses=("lem:other",)),
            "lem:other": Proof("lem:other", (cited(by(X > 100, of="says-it"), X > 100),), "", uses=(FALSE,)),
        },
    ),
    "two-of-one-name": OnProve(
        claims="every x > 100",
        how="two obligations of one name: a true one is proved, a false one is cited",
        outcome="refused: two obligations are named cited",
        proofs=proof(cited({}, X * X >= 0), cited({}, X > 100), false(by(X > 100), X > 100)),
    ),
    "rests-on-what-is-not-proved": OnProve(
        claims="every x > 100",
        how="uses a claim that is false itself",
        outcome="SKIPPED: rests on lem:other, which is not proved here",
        proofs=lambda: {
            "lem:other": Proof("lem:other", (cited({}, X > 100),), ""),
            FALSE: Proof(FALSE, (false(by(X > 100), X > 100),), "", uses=("lem:other",)),
        },
    ),
    "name-of-another-question": OnProve(
        claims="every x > 7 if x > 1",
        how="the obligation has the name of a question about another one, whose answer it would get",
        outcome="refused: names are made of letters",
        proofs=proof(
            obligation("good", assuming(b=X > 1), X > 0),
            obligation("other", assuming(b=X > 1) | by(X > -1, (Y, Y), of="good"), X > -1),
            obligation("other.citation.h", assuming(b=X > 1), X > 7),
        ),
    ),
}

READINGS: Mapping[str, OnProve] = {
    "two-constants-as-one": OnProve(
        claims="x - y <= 0 for all x, y",
        how="cites x - x <= 0",
        outcome="SKIPPED: does not follow from cited",
        proofs=proof(cited({}, X - X <= 0), false(by(Y - Z <= 0), Y - Z <= 0)),
    ),
    "constants-identified-by-a-reading": OnProve(
        claims="y <= z for all y, z",
        how="cites x <= x, and says that x stands for both",
        outcome="SKIPPED: does not follow from cited",
        proofs=proof(cited({}, X <= X), false(by(Y <= Z, (X, Y), (X, Z)), Y <= Z)),
    ),
    "a-number-as-a-constant": OnProve(
        claims="every x is at least 0",
        how="cites x^2 >= 0, and says that x^2 stands for y",
        outcome="SKIPPED: cited: goal: (= y (* x x))",
        proofs=proof(cited({}, X * X >= 0), false(by(Y >= 0, (X * X, Y)), Y >= 0)),
    ),
    "another-function": OnProve(
        claims="costs are prices",
        how="cites that a function is itself, and reads it as two",
        outcome="SKIPPED: does not follow from cited",
        proofs=proof(
            cited({}, equal(COST(P), COST(P))), false(by(equal(COST(ONE), PRICE(ONE))), equal(COST(ONE), PRICE(ONE)))
        ),
    ),
    "everybody-by-one": OnProve(
        claims="all costs are positive if i's is",
        how="cites it of one provider, and quantifies over all",
        outcome="SKIPPED: cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 1), COST(P) > 0),
            false(by(every(COST(J) > 0)) | assuming(a=COST(ONE) > 1), COST(K) > 0),
        ),
    ),
    "beyond-the-antecedent": OnProve(
        claims="all costs are positive if those of the eligible are above 1",
        how="cites it of all, not only of the eligible",
        outcome="SKIPPED: cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 1), COST(P) > 0),
            false(by(every(COST(J) > 0)) | assuming(a=every(implies(ELIGIBLE(J), COST(J) > 1))), COST(K) > 0),
        ),
    ),
    "one-bound-of-all": OnProve(
        claims="a cost above twice of something positive is above x",
        how="what x is differs from provider to provider in the premise, and is one number in the conclusion",
        outcome="SKIPPED: cited: two",
        proofs=proof(
            cited(assuming(two=Y > 2 * X, pos=X > 0), Y > X),
            false(
                by(every(COST(J) > X))
                | assuming(two=every(COST(J) > 2 * function("x_each")(J)), pos=every(function("x_each")(J) > 0)),
                COST(ONE) > X,
            ),
        ),
    ),
    "two-witnesses-for-one": OnProve(
        claims="all costs are positive, if x is",
        how="cites cost > 0 if cost = x and x > 0: x > 0 is met by one x, cost = x by another for each provider",
        outcome="SKIPPED: cited: pos: (forall ((j Provider)) (< 0.0 (x_each j)))",
        proofs=proof(
            cited(assuming(pos=X > 0, a=equal(COST(P), X)), COST(P) > 0),
            false(
                by(every(COST(J) > 0)) | assuming(pos=X > 0, a=every(equal(COST(J), function("x_each")(J)))),
                COST(ONE) > 0,
            ),
        ),
    ),
    "reading-leaves-one-behind": OnProve(
        claims="all costs are positive if k's is",
        how="the variable of 'for all' has the name of a provider of what is cited",
        outcome="SKIPPED: cited: a",
        proofs=proof(
            cited(assuming(a=COST(K) > 1), COST(K) > 0),
            false(by(for_all([K], COST(K) + 1 > 1)) | assuming(a=COST(P) > 1), COST(ONE) > 0),
        ),
    ),
    "for-all-caught": OnProve(
        claims="i is far from k if nobody is near itself",
        how="a symbol that is put under 'for all k' is called k",
        outcome="SKIPPED: (forall ((k_ Provider))",
        proofs=proof(
            cited(assuming(a=for_all([K], DISTANCE(K, P) > 0)), DISTANCE(Q, P) > 0),
            false(by(DISTANCE(ONE, K) > 0) | assuming(a=every(DISTANCE(J, J) > 0)), DISTANCE(ONE, K) > 0),
        ),
    ),
    "bound-twice": OnProve(
        claims="all costs are above 4 if i's is above 5",
        how="for all j: a cost of j above 5 means that, for all j, the cost of j is above 4",
        outcome="refused: binds j twice",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(every(implies(COST(J) > 5, every(COST(J) > 4)))) | assuming(a=COST(ONE) > 5), COST(K) > 4),
        ),
    ),
    "bound-and-free": OnProve(
        claims="two costs are positive together if one is positive",
        how="a provider of what is cited has the name of its variable: reading one reads the other",
        outcome="refused: both as a variable of 'for all' and as a symbol",
        proofs=proof(
            cited(assuming(a=every(COST(J) > 0)), COST(J) + COST(K) > 0),
            false(by(COST(ONE) + COST(K) > 0) | assuming(a=COST(ONE) > 0), COST(ONE) + COST(K) > 0),
        ),
    ),
    "somebody-likes-themselves": OnProve(
        claims="somebody likes themselves, if everybody is liked by somebody",
        how="cites that somebody likes r, and puts for r the variable of 'there is'",
        outcome="SKIPPED: does not follow from cited",
        proofs=proof(
            cited(assuming(a=for_all([P], exists([Q], LIKES(Q, P)))), exists([Q], LIKES(Q, R))),
            false(
                by(exists([Q], LIKES(Q, Q))) | assuming(a=for_all([P], exists([Q], LIKES(Q, P)))),
                exists([Q], LIKES(Q, Q)),
            ),
        ),
    ),
    "there-is-read-as-this-one": OnProve(
        claims="i's cost is positive if somebody's is",
        how="reads the variable of 'there is' as i",
        outcome="SKIPPED: does not follow from cited",
        proofs=proof(
            cited(assuming(a=exists([J], COST(J) > 0)), exists([J], COST(J) > 0)),
            false(by(COST(ONE) > 0, (J, ONE)) | assuming(a=exists([P], COST(P) > 0)), COST(ONE) > 0),
        ),
    ),
    "whole-numbers-for-real": OnProve(
        claims="x^2 >= x for every real x",
        how="cites it of whole numbers",
        outcome="SKIPPED: cited: goal: (= x m)",
        proofs=proof(cited({}, M * M >= M), false(by(X * X >= X), X * X >= X)),
    ),
    "whole-numbers-read-as-real": OnProve(
        claims="x^2 >= x for every real x",
        how="cites it of whole numbers, and says that m stands for x",
        outcome="refused: m is of sort Int, x is of Real",
        proofs=proof(cited({}, M * M >= M), false(by(X * X >= X, (M, X)), X * X >= X)),
    ),
    **{
        f"a-symbol-that-begins-with-{tag}": OnProve(
            claims="all costs are positive if one is",
            how=f"a symbol begins with {tag}_, as the program marks symbols when it reads a citation",
            outcome=f"refused: has a symbol '{tag}_j'",
            proofs=proof(
                cited(assuming(a=COST(P) > 1), COST(P) > 0),
                false(by(every(COST(J) > 0)) | assuming(a=COST(constant(f"{tag}_j", PROVIDER)) > 1), COST(ONE) > 0),
            ),
        )
        for tag in ("fixed", "goal", "hypothesis", "shared")
    },
    "market-constant": OnProve(
        claims="all costs are equal",
        how="cites that the cost of p is gamma, a constant of the market, for a gamma that differs between providers",
        outcome="SKIPPED: cited: a: (forall ((j Provider)) (= (cost j) gamma))",
        proofs=proof(
            cited(assuming(a=equal(COST(P), GAMMA)), equal(COST(P), GAMMA)),
            false(
                by(every(equal(COST(J), GAMMA))) | assuming(a=every(equal(COST(J), function("gamma_each")(J)))),
                equal(COST(ONE), COST(K)),
            ),
        ),
    ),
}

ROOT, LOG, TAIL = constants("root log_of_x tail")
_TRUE_ROOT = axioms.square_root(ROOT, Y)
FOUNDATIONS: Mapping[str, OnProve] = {
    "hoeffding-says-anything": OnProve(
        claims="every x <= -1",
        how="an axiom 'hoeffding' that says x <= -1",
        outcome="SKIPPED: is no instance of the axiom hoeffding",
        proofs=proof(false({"h": Hypothesis(X <= -1, "axiom", "hoeffding")}, X <= -1)),
    ),
    "tightened-ball-fact": OnProve(
        claims="ln(4 pi^2 / 3) > 3 (it is 2.577...)",
        how="the ball fact, with 3 for 2",
        outcome="SKIPPED: is not the fact of ball arithmetic radius-logarithm",
        proofs=lambda: proof(
            false({"h": replace(_BALL, formula=_BALL.formula.arguments[0] > 3)}, _BALL.formula.arguments[0] > 3)
        )(),
    ),
    "ball-symbol-read-as-any-number": OnProve(
        claims="every x > 2",
        how="cites a proof by the ball fact, and reads its symbol as x",
        outcome="SKIPPED: leaves unstated what symbols stand for: cited: h: (= x (ln",
        proofs=lambda: proof(
            cited({"h": _BALL}, _BALL.formula), false(by(X > 2, (_BALL.formula.arguments[0], X)), X > 2)
        )(),
    ),
    "root-read-as-any-number": OnProve(
        claims="every x is at least 0",
        how="cites that the root of 4 is, and reads it as x",
        outcome="SKIPPED: leaves unstated what symbols stand for: cited: root: (= x (sqrt 4.0))",
        proofs=proof(cited({"root": axioms.root_non_negative(ROOT, 4)}, ROOT >= 0), false(by(X >= 0), X >= 0)),
    ),
    "axiom-without-its-condition": OnProve(
        claims="every y is at least 0",
        how="an instance of square-root whose condition y >= 0 was left out",
        outcome="SKIPPED: is no instance of the axiom square-root",
        proofs=proof(false({"h": replace(_TRUE_ROOT, conditions=())}, Y >= 0)),
    ),
    "condition-nobody-derives": OnProve(
        claims="every y is at least 0",
        how="takes it from the square root of y, cited from elsewhere",
        outcome="SKIPPED: leaves unstated what it rests on: cited: root",
        proofs=proof(cited({"root": _TRUE_ROOT}, Y >= 0), false(by(Y >= 0), Y >= 0)),
    ),
    "x-is-its-own-root": OnProve(
        claims="x = x^2 for every x at least 0",
        how="cites root^2 = y, and reads both as x",
        outcome="SKIPPED: no numbers are what its symbols stand for",
        proofs=proof(
            cited({"root": axioms.root_squared(ROOT, Y)} | assuming(y=Y >= 0), equal(ROOT * ROOT, Y)),
            false(by(equal(X * X, X)) | assuming(x=X >= 0), equal(X * X, X)),
            assumes=("cited: root",),
        ),
    ),
    "root-for-every-number": OnProve(
        claims="every number is at least 0",
        how="cites that the root of 2 is, and reads it as the variable of 'for all'",
        outcome="SKIPPED: is the same for all",
        proofs=proof(
            cited({"root": axioms.root_non_negative(ROOT, 2)}, ROOT >= 0), false(by(for_all([Y], Y >= 0)), Z >= 0)
        ),
    ),
    "one-root-of-all": OnProve(
        claims="costs of at least 0 are equal",
        how="gamma is the root of each provider's cost",
        outcome="SKIPPED: gamma is the same for all",
        proofs=proof(
            cited({"root": axioms.root_squared(GAMMA, X)} | assuming(x=X >= 0), equal(GAMMA * GAMMA, X)),
            false(
                by(every(equal(GAMMA * GAMMA, COST(J)))) | assuming(x=every(COST(J) >= 0)), equal(COST(ONE), COST(K))
            ),
        ),
    ),
    "function-with-two-meanings": OnProve(
        claims="x = z for all x, z of at least 0",
        how="f(i) is the root of x, f(k) that of z, and i = k",
        outcome="SKIPPED: f has two meanings",
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
    "names-collide": OnProve(
        claims="x = z for all x, z of at least 0",
        how="two instances of one axiom give one symbol two meanings",
        outcome="SKIPPED: cannot stand for",
        proofs=proof(
            false(
                {"first": axioms.root_squared(ROOT, X), "second": axioms.root_squared(ROOT, Z)}
                | assuming(x=X >= 0, z=Z >= 0),
                equal(X, Z),
            )
        ),
    ),
    "names-collide-across-citations": OnProve(
        claims="x = z for all x, z of at least 0",
        how="two cited proofs use one symbol for two roots",
        outcome="SKIPPED: no numbers are what its symbols stand for",
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
    "probability-as-a-whole-proof": OnProve(
        claims="every number is at least 0",
        how="it would be an expectation",
        outcome="SKIPPED: the axiom expectation-monotone",
        proofs=proof(false({"h": axioms.expectation_monotone(X, 0)}, X >= 0)),
    ),
    "made-up-source": OnProve(
        claims="every x > 100",
        how="a hypothesis of source 'fact'",
        outcome="refused: of source 'fact'",
        proofs=proof(false({"h": Hypothesis(X > 100, "fact")}, X > 100)),  # type: ignore[arg-type]
    ),
    "conditions-of-an-assumption": OnProve(
        claims="every y is at least 0",
        how="a definition with the names of an axiom",
        outcome="SKIPPED: which has no conditions and names nothing",
        proofs=proof(false({"h": Hypothesis(X > 100, "definition", names=((X, sqrt(Y)),))}, X > 100)),
    ),
}
_BALL = BALL_FACTS["radius-logarithm"].hypothesis

_STEP = induction(X > 100, start={X: 101})["so-far"]
INDUCTIONS: Mapping[str, OnProve] = {
    "no-base": OnProve(
        claims="every x > 100",
        how="an induction hypothesis without a base",
        outcome="SKIPPED: the induction does not begin with anything",
        proofs=proof(false({"so-far": replace(_STEP, start=())}, X + 1 > 100)),
    ),
    "base-elsewhere": OnProve(
        claims="every x > 100",
        how="the base is an obligation that is not there",
        outcome="SKIPPED: its base 'first' is not there",
        proofs=proof(false({"so-far": replace(_STEP, start="first")}, X + 1 > 100)),
    ),
    "base-says-something-else": OnProve(
        claims="every x > 100",
        how="the base is x^2 >= 0",
        outcome="SKIPPED: its base a-square says something else",
        proofs=proof(SQUARE, false({"so-far": replace(_STEP, start="a-square")}, X + 1 > 100)),
    ),
    "false-start": OnProve(
        claims="every x > 100",
        how="begins with x = 0",
        outcome="SKIPPED: its induction does not begin with what is true",
        proofs=proof(false(induction(X > 100, start={X: 0}), X + 1 > 100)),
    ),
    "stronger-hypothesis": OnProve(
        claims="every x > 100",
        how="the induction hypothesis is x > 101",
        outcome="SKIPPED: it is not the goal one step earlier",
        proofs=proof(false(induction(X > 101, start={X: 102}), X + 1 > 100)),
    ),
    "the-goal-as-hypothesis": OnProve(
        claims="every x > 100",
        how="the induction hypothesis is the goal itself",
        outcome="SKIPPED: it assumes the goal itself",
        proofs=proof(false(induction(X > 100, start={X: 101}), X > 100)),
    ),
    "base-rests-on-the-step": OnProve(
        claims="every x > 100",
        how="the base cites the step",
        outcome="SKIPPED: rests on it",
        proofs=proof(
            obligation("step", {"so-far": replace(_STEP, start="first")} | defining(next=equal(Y, X + 1)), Y > 100),
            obligation("first", concluded("step", h=X > 100), X > 100),
        ),
    ),
    "induction-as-a-whole-proof": OnProve(
        claims="every x >= 0",
        how="a step that is true, of which nobody says over what it runs",
        outcome="SKIPPED: rests on what no solver composes (the induction of says-it)",
        proofs=proof(false(induction(X >= 0, start={X: 0}), X + 1 >= 0)),
    ),
    "induction-below": OnProve(
        claims="every x >= 0",
        how="the step is hidden below a citation",
        outcome="SKIPPED: rests on what no solver composes (the induction of cited)",
        proofs=proof(cited(induction(X >= 0, start={X: 0}), X + 1 >= 0), false(by(X >= 0), X >= 0)),
    ),
    "start-of-an-assumption": OnProve(
        claims="every x > 100",
        how="an assumption that begins with something, like an induction",
        outcome="refused: only an induction does",
        proofs=proof(false({"h": Hypothesis(X > 100, start=((X, X),))}, X > 100)),
    ),
}

WHOLE_PROOFS: Mapping[str, OnProve] = {
    "nothing-at-all": OnProve(
        claims="anything", how="a proof without obligations", outcome="refused: has no obligation", proofs=proof()
    ),
    "contradictory-definitions": OnProve(
        claims="every y > 7",
        how="defines x = 1 and x = 2",
        outcome="VACUOUS: not shown to say something: says-it",
        proofs=proof(false(defining(one=equal(X, 1), two=equal(X, 2)), Y > 7)),
    ),
    "contradiction-carried": OnProve(
        claims="every y > 7",
        how="x = 1 is defined by what is cited, x = 2 by what cites",
        outcome="VACUOUS: what it assumes is not shown to be possible",
        proofs=proof(
            cited(defining(one=equal(X, 1)) | assuming(y=Y > 6 + X), Y > 7),
            false(by(Y > 7) | assuming(two=equal(X, 2), y=Y > 6 + X), Y > 7),
            assumes=("cited: one",),
        ),
    ),
    "nobody": OnProve(
        claims="every y > 7",
        how="if no provider exists: there is always one",
        outcome="VACUOUS: not shown to say something: says-it",
        proofs=proof(false(assuming(nobody=every(all_of(COST(J) > 0, COST(J) < 0))), Y > 7)),
    ),
    "idle-hypothesis": OnProve(
        claims="a sum is positive because x is above 1000",
        how="a hypothesis that is not needed decorates the statement",
        outcome="VACUOUS: not shown to say something: says-it",
        proofs=proof(Obligation("says-it", "", assuming(x=X > 0, idle=Y > 1000), X + 1 > 0)),
    ),
    "one-over-zero": OnProve(
        claims="y = 0 if 1/y = 0",
        how="solvers may give 1/0 any value",
        outcome="VACUOUS: not shown to say something: says-it",
        proofs=proof(false(assuming(zero=equal(1 / Y, 0)), equal(Y, 0))),
    ),
    "cancelled-zero": OnProve(
        claims="(x / y) y = x for all x, y",
        how="y may be 0",
        outcome="SKIPPED: z3 says sat, cvc5 says sat",
        proofs=proof(false({}, equal(X / Y * Y, X))),
    ),
    "cancelled-zero-cited": OnProve(
        claims="(x / 0) 0 = x for all x",
        how="cites it for y other than 0, and reads y as 0",
        outcome="SKIPPED: cited: y",
        proofs=proof(
            cited(assuming(y=~equal(Y, 0)), equal(X / Y * Y, X)),
            false(by(equal(X / 0 * 0, X), (Y, Term("number", (), "Real", Fraction(0)))), equal(X / 0 * 0, X)),
        ),
    ),
    "states-what-nothing-rests-on": OnProve(
        claims="x + 1 > 101 for every x",
        how="states a premise under the name of another obligation",
        outcome="refused: states what nothing rests on: a-square: big",
        proofs=proof(
            SQUARE,
            cited(assuming(big=X > 100), X + 1 > 101),
            false(by(X + 1 > 101), X + 1 > 101),
            assumes=("a-square: big",),
        ),
    ),
    "states-a-premise-of-another-name": OnProve(
        claims="x + 1 > 101 for every x",
        how="states the harmless premise of what is cited, not the one that is needed",
        outcome="SKIPPED: cited: big",
        proofs=proof(
            cited(assuming(big=X > 100, harmless=Y > 0), X + 1 > 101),
            false(by(X + 1 > 101), X + 1 > 101),
            assumes=("cited: harmless",),
        ),
    ),
    "label-of-another-claim": OnProve(
        claims="thm:regret",
        how="a proof of something else under this label",
        outcome="refused: is the label of a proof of 'lem:other'",
        proofs=lambda: {FALSE: Proof("lem:other", (SQUARE,), "")},
    ),
    "vacuous-on-purpose-of-a-condition": OnProve(
        claims="every x > 100",
        how="says itself that it is vacuous, and drops the premise of what it cites",
        outcome="SKIPPED: cited: big",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), empty_while="in any case"),
    ),
    "only-instances-in-english": OnProve(
        claims="every x > 100",
        how="says that it is about some numbers of providers only, and leaves the premise to English",
        outcome="SKIPPED: cited: big",
        proofs=proof(
            cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), instances=True, beyond="That x is so."
        ),
    ),
    "left-to-english": OnProve(
        claims="every x > 100",
        how="leaves the premise to English: `beyond` is given",
        outcome="PROVED_STEPS",
        proofs=proof(cited(assuming(big=X > 100), X > 100), false(by(X > 100), X > 100), beyond="That x is above 100."),
    ),
    "english-that-is-false": OnProve(
        claims="every x > 100",
        how="leaves an obligation that is false to English",
        outcome="SKIPPED: z3 says sat, cvc5 says sat",
        proofs=proof(false({}, X > 100), beyond="That x is above 100."),
    ),
    "script-in-a-name": OnProve(
        claims="every x > 100",
        how="a symbol whose name is a piece of a script",
        outcome="refused: is no symbol",
        proofs=proof(false({}, constant("x) 0.0)) (assert false) (assert (< (+ x") > 100)),
    ),
    "script-in-a-title": OnProve(
        claims="every x > 100",
        how="an explanation with a second line: (assert false)",
        outcome="refused: in more than one line",
        proofs=lambda: proof(replace(SQUARE, says="a square\n(assert false)"))(),
    ),
    "script-in-a-hypothesis": OnProve(
        claims="every x > 100",
        how="a hypothesis whose name ends a quoted name",
        outcome="refused: has the name",
        proofs=proof(false({"a|)) (assert false) (assert (! true :named |b": Hypothesis(X > 0)}, X > 100)),
    ),
    "path-as-a-name": OnProve(
        claims="every x > 100",
        how="an obligation called ../../stored, whose files would be elsewhere",
        outcome="refused: has the name '../../stored'",
        proofs=proof(obligation("../../stored", {}, X > 100)),
    ),
    "no-providers": OnProve(
        claims="all costs are equal",
        how="asks for models with 0 providers",
        outcome="refused: models of 0 providers",
        proofs=proof(false({}, equal(COST(ONE), COST(J)), providers=0)),
    ),
    "one-provider": OnProve(
        claims="all costs are equal",
        how="asks for models with one provider only: the obligation itself is asked for any number",
        outcome="SKIPPED: z3 says sat, cvc5 says sat",
        proofs=proof(false({}, equal(COST(ONE), COST(J)), providers=1)),
    ),
    "no-reading": OnProve(
        claims="every x > 100",
        how="a reading that is no pair of terms",
        outcome="refused: whose reading or start is no such",
        proofs=proof(SQUARE, false({"h": Hypothesis(X > 100, "obligation", "a-square", reading=((X, 3),))}, X > 100)),  # type: ignore[arg-type]
    ),
    "antecedent-of-somebody": OnProve(
        claims="everybody costs above 4 if somebody costs above 5",
        how="the antecedent speaks of somebody, the premise of each",
        outcome="SKIPPED: cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(every(implies(exists([K], COST(K) > 5), COST(J) > 4))) | assuming(a=COST(ONE) > 5), COST(Q) > 4),
        ),
    ),
    "one-conclusion-for-another": OnProve(
        claims="everybody costs above 4",
        how="of two conclusions, one has the antecedent that the other needs",
        outcome="SKIPPED: cited: a",
        proofs=proof(
            cited(assuming(a=COST(P) > 5), COST(P) > 4),
            false(by(all_of(every(implies(COST(J) > 5, COST(J) > 4)), for_all([K], COST(K) > 4))), COST(ONE) > 4),
        ),
    ),
    "condition-from-its-own-axiom": OnProve(
        claims="every y is at least 0",
        how="cites it from a proof that takes it from the root of y, and takes the root as well",
        outcome="SKIPPED: cited: root",
        proofs=proof(
            cited({"root": _TRUE_ROOT}, Y >= 0), false(by(Y >= 0) | {"root": axioms.square_root(ROOT, Y)}, Y >= 0)
        ),
    ),
    "no-proof": OnProve(
        claims="anything", how="a number instead of a proof", outcome="refused: no Proof", proofs=lambda: {FALSE: 42}
    ),
}


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


def _edited(name: str, was: str, now: str, **entry: Any) -> Callable[[Path], None]:
    """Return what replaces a text in a file, hashes included."""

    def edit(place: Path) -> None:
        text = (place / name).read_text(encoding="utf-8")
        assert was in text
        replaced(place, name, text.replace(was, now), **entry)

    return edit


def _without_negated_goal(place: Path) -> None:
    lines = (place / SCRIPT).read_text(encoding="utf-8").splitlines()
    replaced(place, SCRIPT, "\n".join(line for line in lines if "negated-goal" not in line) + "\n")


def _missing_hypotheses(place: Path) -> None:
    (place / "sum-positive.hypotheses.smt2").unlink()
    files = manifest_of(place)["files"]
    del files["sum-positive.hypotheses.smt2"]
    forge(place, files=files)


def _announced_otherwise(place: Path) -> None:
    _ANOTHER_GOAL(place)
    _edited(SCRIPT, ":status unsat", ":status sat", expected="sat")(place)


def _label_of_the_paper(place: Path) -> None:
    found = manifest_of(place)
    claims = {**found["claims"], "thm:regret": found["claims"]["lem:sum"]}
    forge(place, claims=claims, composition=found["composition"] | {"thm:regret": {"checked": True, "beyond": None}})


#: The script says x + y > 1: false, and the certificate is that of x + y > 0.
_ANOTHER_GOAL = _edited(SCRIPT, "(> (+ x y) 0.0)", "(> (+ x y) 1.0)")
FOLDERS: Mapping[str, OnFolder] = {
    "open-proof-in-a-folder": OnFolder(
        claims="x + 1 > 101 for every x, re-checked",
        how="a folder of a proof that drops a premise",
        outcome="failed: says that lem:false was not proved when this was written: leaves unstated",
        tamper=lambda place: None,
        folder="false",
    ),
    "open-proof-with-a-forged-manifest": OnFolder(
        claims="x + 1 > 101 for every x, re-checked",
        how="the same, with a manifest that does not say so",
        outcome="failed: z3 says sat, expected unsat",
        tamper=lambda place: forge(place, not_proved={}),
        folder="false",
    ),
    "changed-script": OnFolder(
        claims="a script is the one that was written",
        how="a comment is added",
        outcome="failed: was changed: its hash is not the manifest's",
        tamper=lambda place: (place / SCRIPT).write_text("; weaker\n" + (place / SCRIPT).read_text(encoding="utf-8")),
    ),
    "goal-left-out": OnFolder(
        claims="an obligation without its goal",
        how="the negated goal is left out, all hashes are right",
        outcome="failed: expected unsat",
        tamper=_without_negated_goal,
    ),
    "another-goal": OnFolder(
        claims="x + y > 1 for x, y > 0",
        how="the goal is changed, all hashes are right",
        outcome="failed: the checker refuses it",
        tamper=_ANOTHER_GOAL,
    ),
    "contradiction-added": OnFolder(
        claims="anything",
        how="(assert false) without a name, all hashes are right",
        outcome="failed: the checker refuses it",
        tamper=_edited(SCRIPT, "(check-sat)", "(assert false)\n(check-sat)"),
    ),
    "missing-hypotheses": OnFolder(
        claims="hypotheses that are never shown to be possible",
        how="the script that shows it is removed, from the manifest as well",
        outcome="failed: is needed by a claim, but not in the manifest",
        tamper=_missing_hypotheses,
    ),
    "announced-otherwise": OnFolder(
        claims="x + y > 1 for x, y > 0",
        how="script and manifest announce sat",
        outcome="failed: which the manifest denies",
        tamper=_announced_otherwise,
    ),
    "label-of-the-paper": OnFolder(
        claims="thm:regret",
        how="the manifest gives it the obligations of a lemma on sums",
        outcome="failed: gives thm:regret other obligations than this version does",
        tamper=_label_of_the_paper,
    ),
    **{
        f"manifest-with-a-list-for-{key}": OnFolder(
            claims="nothing that can be read",
            how=f"the manifest has a list for {key}",
            outcome="refused: of another form",
            tamper=lambda place, key=key: forge(place, **{key: [1]}),  # type: ignore[misc]
        )
        for key in ("uses", "composition", "not_proved", "undecided")
    },
}

#: What is attacked, and by what.
GROUPS: Mapping[str, Mapping[str, Attack]] = {
    "What is cited": CITATIONS,
    "How it is read": READINGS,
    "Axioms and ball facts": FOUNDATIONS,
    "Inductions": INDUCTIONS,
    "Whole proofs": WHOLE_PROOFS,
    "Folders": FOLDERS,
}

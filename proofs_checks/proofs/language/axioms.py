"""The facts of analysis that obligations may use, each as instances for given terms.

A solver knows no logarithm: ``ln x`` is a variable, and what is used about it is stated, instance by instance, in one
of the forms below. The tests hold each form against ball arithmetic at random points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from proofs_checks.proofs.language.obligation import Hypothesis
from proofs_checks.proofs.language.terms import Number, Term, all_of, equal, implies

#: From the name of an axiom to what it says.
AXIOMS: Mapping[str, str] = MappingProxyType(
    {
        "log-tangent": "ln x <= x - 1 for x > 0",
        "log-strict-tangent": "ln x < x - 1 for x > 0, x not 1",
        "log-monotone": "x <= y implies ln x <= ln y, for x, y > 0",
        "log-product": "ln of a product or quotient of powers is the sum of the logarithms",
        "exp-of-minus-log": "exp(-ln x) = 1/x for x > 0",
        "square-root": "sqrt(x) is the s >= 0 with s s = x, for x >= 0",
        "exp-tangent": "exp(y) >= exp(z) (1 + y - z)",
        "power-monotone": "0 < x < y implies x^a < y^a, for a > 0",
        "power-product": "(x y)^a = x^a y^a and x^a x^b = x^(a + b), (x^a)^b = x^(a b), for x, y > 0",
        "expectation-monotone": "X >= 0 surely implies E[X] >= 0; E is linear",
        "zeta-two": "the sum of 1/m^2 over m >= 1 is pi^2/6, and every partial sum is at most that",
        "hoeffding": "the mean of m independent values in [0, 1] deviates from its mean by more than b with "
        "probability at most 2 exp(-2 m b^2), for each side exp(-2 m b^2)",
        "union-bound": "the probability that some event happens is at most the sum of theirs",
    }
)


#: Axioms of probability: what their symbols stand for is no term of arithmetic, so that nothing can derive it.
OPAQUE = frozenset({"expectation-monotone", "zeta-two", "hoeffding", "union-bound"})


def log_tangent(log: Term, x: Number) -> Hypothesis:
    """Return ln x <= x - 1, where `log` stands for ln x."""
    return Hypothesis(log <= x - 1, "axiom", "log-tangent")


def log_strict_tangent(log: Term, x: Term) -> Hypothesis:
    """Return ln x < x - 1 for x other than 1, where `log` stands for ln x."""
    return Hypothesis(implies(~equal(x, 1), log < x - 1), "axiom", "log-strict-tangent")


def log_product(left: Number, right: Number) -> Hypothesis:
    """Return an identity of logarithms."""
    return Hypothesis(equal(left, right), "axiom", "log-product")


def square_root(root: Term, of: Number) -> Hypothesis:
    """Return that `root` is the square root of a number."""
    return Hypothesis(all_of(root >= 0, equal(root * root, of)), "axiom", "square-root")


def log_monotone(smaller: Term, log_smaller: Term, larger: Term, log_larger: Term) -> Hypothesis:
    """Return x <= y implies ln x <= ln y."""
    return Hypothesis(implies(smaller <= larger, log_smaller <= log_larger), "axiom", "log-monotone")


def exp_of_minus_log(tail: Term, exponent: Term, log: Term, x: Term) -> Hypothesis:
    """Return exp(-y) = 1/x for y = ln x, where `tail` stands for exp(-exponent) and `log` for ln x."""
    return Hypothesis(implies(equal(exponent, log), equal(tail * x, 1)), "axiom", "exp-of-minus-log")


def exp_tangent(value: Number, exponent: Number, at_value: Term, at_exponent: Number) -> Hypothesis:
    """Return exp(y) >= exp(z) (1 + y - z), where `value` stands for exp(y) and `at_value` for exp(z)."""
    return Hypothesis(value >= at_value * (1 + exponent - at_exponent), "axiom", "exp-tangent")


def power_product(left: Number, right: Number) -> Hypothesis:
    """Return an identity of powers."""
    return Hypothesis(equal(left, right), "axiom", "power-product")


def names_realizable(names: Iterable[tuple[Term, ...]]) -> str:
    """Return why no numbers are what symbols stand for; empty if some are."""
    return ""

"""The exponent with which the payments converge, and the best alpha.

Sources: cor:optimal-alpha, and the sentence on the rate after thm:regret.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import log_monotone
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import Term, any_of, at_least, constant, constants, either, equal, number
from proofs_checks.proofs.language.vocabulary import assuming, axiom, concluded, defining
from proofs_checks.proofs.statements.accounting import HORIZON
from proofs_checks.proofs.statements.decays import ALPHA


def _rate(alpha: Term) -> Term:
    """Return min{1 - alpha, alpha/2}."""
    return either(1 - alpha <= alpha / 2, 1 - alpha, alpha / 2)


_THIRD, _TWO_THIRDS = Fraction(1, 3), Fraction(2, 3)
BEST_RATE = Obligation(
    "rate-exponent-at-most-a-third",
    "min{1 - alpha, alpha/2} <= 1/3",
    {},
    _rate(ALPHA) <= _THIRD,
    (Mutant("3/10 for 1/3", goal=_rate(ALPHA) <= Fraction(3, 10)), Mutant("strictly", goal=_rate(ALPHA) < _THIRD)),
)
BEST_ALPHA = Obligation(
    "rate-exponent-best-at-two-thirds",
    "it is 1/3 at alpha = 2/3 and nowhere else",
    {},
    equal(equal(_rate(ALPHA), _THIRD), equal(ALPHA, _TWO_THIRDS)),
    (Mutant("1/2 for 2/3", goal=equal(equal(_rate(ALPHA), _THIRD), equal(ALPHA, Fraction(1, 2)))),),
)
_LOG_T, _RATE, _FASTER = constants("log_of_horizon rate_exponent faster_exponent")
_LOG_ONE = constant("log_of_1")
_FASTER_EXPONENT = any_of(equal(_FASTER, 1), equal(_FASTER, 1 - ALPHA), equal(_FASTER, ALPHA / 2))
SLOWEST = Obligation(
    "rate-exponent-is-slowest",
    "T^-1, T^-(1-alpha) and T^-(alpha/2) are at most T^-min{1-alpha, alpha/2} for T >= 1: in logarithms",
    {
        **defining(rate=equal(_RATE, _rate(ALPHA)), faster=_FASTER_EXPONENT, horizon=HORIZON >= 1),
        **axiom("log-product", one=equal(_LOG_ONE, 0)),
        "logarithm": log_monotone(number(1), _LOG_ONE, HORIZON, _LOG_T),
    },
    -_FASTER * _LOG_T <= -_RATE * _LOG_T,
    (Mutant("the larger exponent", replace={"rate": equal(_RATE, at_least(1 - ALPHA, ALPHA / 2))}),),
)
_CONSTANT_LOG, _LOG_FACTOR = constants("constant_of_logarithm log_factor")
LOG_ORDER = Obligation(
    "logarithm-of-order-log-T",
    "X + 2 alpha ln T <= (max{X, 0} + 2 alpha) ln T once ln T >= 1: the logarithm in the last term is O(ln T)",
    {**assuming(large=_LOG_T >= 1), **defining(factor=equal(_LOG_FACTOR, at_least(_CONSTANT_LOG, 0)))},
    _CONSTANT_LOG + 2 * ALPHA * _LOG_T <= (_LOG_FACTOR + 2 * ALPHA) * _LOG_T,
    (Mutant("without X", replace={"factor": equal(_LOG_FACTOR, 0)}),),
)
_AMOUNT, _QUICK, _SLOW, _ROOT_LOG = constants("amount quicker_power slower_power root_of_log")
TERM_ORDER = Obligation(
    "term-of-order",
    "a T^-e <= a T^-min sqrt(ln T) for a >= 0, sqrt(ln T) >= 1, T^-e <= T^-min",
    {
        **assuming(amount_non_negative=_AMOUNT >= 0, large=_ROOT_LOG >= 1),
        **concluded("rate-exponent-is-slowest", slower=_QUICK <= _SLOW),
        **defining(power_positive=_SLOW > 0),
    },
    _AMOUNT * _QUICK <= _AMOUNT * _SLOW * _ROOT_LOG,
)
LOG_TERM_ORDER = Obligation(
    "term-with-root-of-order",
    "a T^-e sqrt(ln T) <= a T^-min sqrt(ln T)",
    {
        **assuming(amount_non_negative=_AMOUNT >= 0, root_non_negative=_ROOT_LOG >= 0),
        **concluded("rate-exponent-is-slowest", slower=_QUICK <= _SLOW),
    },
    _AMOUNT * _QUICK * _ROOT_LOG <= _AMOUNT * _SLOW * _ROOT_LOG,
)
_CHAIN = (BEST_RATE, BEST_ALPHA, SLOWEST, LOG_ORDER, TERM_ORDER, LOG_TERM_ORDER)
_BEYOND = "From logarithms of powers to powers (exp is increasing), and O from an inequality with a constant."
OPTIMAL_ALPHA = Proof(
    "cor:optimal-alpha",
    _CHAIN,
    "For ln T >= 1 each of the three terms of thm:payment-convergence is a constant (free of T) times T^-e, the "
    "last with sqrt(ln T) besides, for e = 1, 1 - alpha, alpha/2; so their sum is at most the sum of the constants "
    "times T^-min{1-alpha, alpha/2} sqrt(ln T). The exponent is largest at alpha = 2/3.",
    uses=("thm:payment-convergence",),
    beyond=_BEYOND,
)
RATE = Proof(
    "claim:rate-after-thm-regret",
    _CHAIN,
    "max{T^-(1-alpha), T^-(alpha/2)} is T^-min{1-alpha, alpha/2}: cor:optimal-alpha.",
    uses=("cor:optimal-alpha",),
    beyond=_BEYOND,
)

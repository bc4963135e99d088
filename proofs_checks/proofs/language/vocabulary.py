"""The vocabulary of obligations: providers, bids, radii, eligibility, winner, payment, for any set of providers.

The least adjusted bid of the rivals is given by what defines it: it is a lower bound, and it is attained. "No rival" is
a case of its own. Radii are any non-negative numbers: the paper's, the widened ones of the Bayesian mechanism, others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from proofs_checks.proofs.language.ball_facts import BALL_FACTS
from proofs_checks.proofs.language.obligation import Hypothesis, Source
from proofs_checks.proofs.language.terms import (
    BOOL,
    PROVIDER,
    Number,
    Term,
    all_of,
    any_of,
    constant,
    either,
    equal,
    exists,
    for_all,
    function,
    implies,
    number,
)

Hypotheses = dict[str, Hypothesis]

ELIGIBLE = function("eligible", BOOL)
RADIUS = function("cost_radius")
#: Where an induction starts that the statement itself assumes at its first step.
STATED = "the statement"
HAS_RIVAL = function("has_rival", BOOL)
COST_BOUND = constant("cost_bound")


#: Constants that are the same whichever provider a statement is about.
MARKET_CONSTANTS = frozenset(
    word
    for line in (
        "cost_bound gamma delta providers_number quality_threshold underbid overbid second_cost ~pi",
        "cost_scale widened_cost_bound radius_at_target beta_at_target bias_at_target unwidened_target_radius horizon",
        "alpha now end step T0 step_over_N needed_ratio level largest_threshold larger_of_1_and_needed power_of_needed",
        "target_now target_at_end target_factor power_of_ratio log_of_C log_of_N log_of_half_N log_of_delta",
        "log_of_1 log_of_2 log_of_3 log_of_57 log_of_pi log_of_4_pi_squared_over_3",
    )
    for word in line.split()
)


def provider(name: str) -> Term:
    """Return a provider: any one.

    Examples
    --------
    >>> provider("i").sort
    'Provider'
    """
    return constant(name, PROVIDER)


_J, _K = provider("j"), provider("k")
#: j is a rival of k.
_IS_RIVAL = all_of(ELIGIBLE(_J), ~equal(_J, _K))


def every(body: Term) -> Term:
    """Return that something holds of every provider `j`."""
    return for_all([_J], body)


def assuming(**formulas: Term) -> Hypotheses:
    """Return assumptions of a statement by name; underscores of the names become hyphens.

    Examples
    --------
    >>> list(assuming(bound_positive=COST_BOUND > 0))
    ['bound-positive']
    """
    return _by_name("assumption", "", formulas)


def defining(**formulas: Term) -> Hypotheses:
    """Return definitions by name."""
    return _by_name("definition", "", formulas)


def concluded(obligation: str, /, **formulas: Term) -> Hypotheses:
    """Return conclusions of another obligation by name."""
    return _by_name("obligation", obligation, formulas)


def read(hypotheses: Hypotheses, stands_for: Mapping[Term, Term]) -> Hypotheses:
    """Return citations with what symbols, or terms, of the cited obligation stand for; other symbols keep their names.

    Examples
    --------
    >>> x, y = constant("x"), constant("y")
    >>> read(concluded("a-square", square=y * y >= 0), {x: y})["square"].reading == ((x, y),)
    True
    """
    return {name: replace(one, reading=tuple(stands_for.items())) for name, one in hypotheses.items()}


def induction(
    formula: Term,
    name: str = "so-far",
    *,
    base: str = "",
    start: Mapping[Term, Number] = MappingProxyType({}),
    stated: bool = False,
) -> Hypotheses:
    """Return an induction hypothesis, with what it begins with: exactly one of the three.

    Parameters
    ----------
    formula : Term
        What the goal says of the next step.
    name : str, optional
    base : str, optional
        The obligation that says it of the first step.
    start : mapping, optional
        Values of symbols before the first step, for which it is plainly true: of an empty sum 0.
    stated : bool, optional
        Whether it is an assumption of the statement at the first step.

    Raises
    ------
    ValueError
        None of the three, or several.

    Examples
    --------
    >>> total, cap = constant("total"), constant("cap")
    >>> induction(total <= cap, start={total: 0, cap: 0})["so-far"].source
    'induction'
    """
    values = tuple(
        (symbol, value if isinstance(value, Term) else number(value, symbol.sort)) for symbol, value in start.items()
    )
    given = sum([bool(base), bool(values), stated])
    if given != 1:
        raise ValueError(f"the induction {name} begins with {given} of base, start, stated: it needs one")
    return {name: Hypothesis(formula, "induction", start=values or base or STATED)}


def ball_fact(fact: str, name: str = "constant") -> Hypotheses:
    """Return a fact of ball arithmetic under a name.

    Examples
    --------
    >>> print(ball_fact("radius-logarithm")["constant"].formula)
    (> log_of_4_pi_squared_over_3 2.0)
    """
    return {name: BALL_FACTS[fact].hypothesis}


def only(hypotheses: Hypotheses, *names: str) -> Hypotheses:
    """Return some of the hypotheses."""
    return {name: hypotheses[name] for name in names}


def _by_name(source: Source, of: str, formulas: Mapping[str, Term]) -> Hypotheses:
    return {name.replace("_", "-"): Hypothesis(formula, source, of) for name, formula in formulas.items()}


@dataclass(frozen=True)
class Auction:
    """An auction among the eligible providers; two of them with different tags share radii and eligibility.

    Parameters
    ----------
    tag : str
        Tells the bids, the winner and the least rival of one run from those of another.

    Examples
    --------
    >>> str(Auction().critical(provider("i")))
    '(+ (cost_radius i) (least_rival i))'
    """

    tag: str = ""

    @property
    def winner(self) -> Term:
        """Who serves."""
        return provider(f"winner{self.tag}")

    def bid(self, i: Term) -> Term:
        """Return the standing bid b_i."""
        return function(f"bid{self.tag}")(i)

    def adjusted(self, i: Term) -> Term:
        """Return the adjusted bid: bid minus cost radius."""
        return self.bid(i) - RADIUS(i)

    def least_rival(self, i: Term) -> Term:
        """Return the least adjusted bid among the other eligible ones; any number without a rival."""
        return function(f"least_rival{self.tag}")(i)

    def critical(self, i: Term) -> Term:
        """Return P_i (eq:critical-payment) where there is a rival."""
        return RADIUS(i) + self.least_rival(i)

    def payment(self, i: Term) -> Term:
        """Return what i is paid if it serves (eq:payment): min{P_i, c_max}, and c_max without a rival."""
        return either(all_of(HAS_RIVAL(i), self.critical(i) <= COST_BOUND), self.critical(i), COST_BOUND)

    def gain(self, i: Term, estimate: Number) -> Term:
        """Return the net payment G_i: payment minus estimate if i serves, else 0."""
        return either(equal(self.winner, i), self.payment(i) - estimate, 0)

    def definitions(self) -> Hypotheses:
        """Return what defines the least rival and the winner."""
        attained = all_of(ELIGIBLE(_J), ~equal(_J, _K), equal(self.least_rival(_K), self.adjusted(_J)))
        named = defining(
            least_rival_bounds=for_all([_K, _J], implies(_IS_RIVAL, self.least_rival(_K) <= self.adjusted(_J))),
            least_rival_attained=for_all([_K], implies(HAS_RIVAL(_K), exists([_J], attained))),
            winner_eligible=ELIGIBLE(self.winner),
            winner_least=every(implies(ELIGIBLE(_J), self.adjusted(self.winner) <= self.adjusted(_J))),
        )
        return {f"{name}{self.tag}": hypothesis for name, hypothesis in named.items()}


def market() -> Hypotheses:
    """Return what every auction shares: a positive cost bound, non-negative radii, and what a rival is."""
    return defining(
        cost_bound_positive=COST_BOUND > 0,
        radii_non_negative=every(RADIUS(_J) >= 0),
        rival_exists=for_all([_K], implies(HAS_RIVAL(_K), exists([_J], _IS_RIVAL))),
        rival_suffices=for_all([_K, _J], implies(_IS_RIVAL, HAS_RIVAL(_K))),
    )


def same_others(first: Auction, second: Auction, i: Term) -> Term:
    """Return that everybody but i bids the same in two runs."""
    return every(any_of(equal(_J, i), equal(first.bid(_J), second.bid(_J))))


def within(low: Number, value: Term, high: Number) -> Term:
    """Return low <= value <= high."""
    return all_of(value >= low, value <= high)

"""The vocabulary of auctions: providers, bids, radii, eligibility, winner, payment, for any set of providers.

The least adjusted bid of the rivals is given by what defines it: it is a lower bound, and it is attained. "No rival" is
a case of its own. Radii are any non-negative numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.proofs.lemma.terms import (
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
)

ELIGIBLE = function("eligible", BOOL)
RADIUS = function("cost_radius")
HAS_RIVAL = function("has_rival", BOOL)
COST_BOUND = constant("cost_bound")


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

    def definitions(self) -> dict[str, Term]:
        """Return what defines the least rival and the winner, by name."""
        attained = all_of(ELIGIBLE(_J), ~equal(_J, _K), equal(self.least_rival(_K), self.adjusted(_J)))
        named = {
            "least rival bounds": for_all([_K, _J], implies(_IS_RIVAL, self.least_rival(_K) <= self.adjusted(_J))),
            "least rival attained": for_all([_K], implies(HAS_RIVAL(_K), exists([_J], attained))),
            "winner eligible": ELIGIBLE(self.winner),
            "winner least": every(implies(ELIGIBLE(_J), self.adjusted(self.winner) <= self.adjusted(_J))),
        }
        return {f"{name}{self.tag}": formula for name, formula in named.items()}


def market() -> dict[str, Term]:
    """Return what every auction shares, by name: a positive cost bound, radii of at least 0, and what a rival is."""
    return {
        "cost bound positive": COST_BOUND > 0,
        "radii not negative": every(RADIUS(_J) >= 0),
        "rival exists": for_all([_K], implies(HAS_RIVAL(_K), exists([_J], _IS_RIVAL))),
        "rival suffices": for_all([_K, _J], implies(_IS_RIVAL, HAS_RIVAL(_K))),
    }


def every(body: Term) -> Term:
    """Return that something holds of every provider `j`."""
    return for_all([_J], body)


def same_others(first: Auction, second: Auction, i: Term) -> Term:
    """Return that everybody but i bids the same in two runs."""
    return every(any_of(equal(_J, i), equal(first.bid(_J), second.bid(_J))))


def within(low: Number, value: Term, high: Number) -> Term:
    """Return low <= value <= high."""
    return all_of(value >= low, value <= high)

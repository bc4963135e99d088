"""Two numbers with a probability between them, and what rounding can do to sums of products of nonnegative doubles.

A sum of products of nonnegative numbers never cancels. If every path through it meets at most k rounded operations,
the computed value is the true one times a factor between (1 - u)^k and (1 + u)^k, where u = 2^-53. A product below
the normal doubles is off by at most 2^-1075 besides, and the weights of a walk do not enlarge that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bounds.documents import NonNegative

UNIT = 2.0**-53
#: By how much a product below the normal doubles can be off.
SMALLEST = 2.0**-1074


@dataclass(frozen=True, kw_only=True)
class Bracket:
    """A number known to lie between two others.

    Parameters
    ----------
    lower : float
        At least.
    upper : float
        At most.

    Examples
    --------
    >>> half = Bracket(lower=0.5, upper=0.5)
    >>> half.contains(0.5), (half + half).upper >= 1.0
    (True, True)
    """

    lower: NonNegative
    upper: NonNegative

    def contains(self, value: float) -> bool:
        """Whether a number lies in it."""
        return self.lower <= value <= self.upper

    def at_most(self, bound: float) -> Bracket:
        """Return it with a bound that is known otherwise for its upper end, unless the lower end contradicts it.

        Examples
        --------
        >>> Bracket(lower=0.1, upper=0.9).at_most(0.2)
        Bracket(lower=0.1, upper=0.2)
        """
        return Bracket(lower=self.lower, upper=bound) if self.lower <= bound < self.upper else self

    def __add__(self, other: Bracket) -> Bracket:
        return Bracket(lower=below(self.lower + other.lower), upper=above(self.upper + other.upper))

    @property
    def middle(self) -> float:
        """The number halfway."""
        return (self.lower + self.upper) / 2


def above(value: float) -> float:
    """Return the next double above: no less than what was rounded to this one."""
    return math.nextafter(value, math.inf)


def below(value: float) -> float:
    """Return the next double below, not below 0."""
    return max(math.nextafter(value, -math.inf), 0.0)


def growth(operations: int) -> float:
    """Return by how large a share of itself a sum of products can be off, given the roundings on a path.

    Examples
    --------
    >>> 1e-16 < growth(1) < 1.2e-16
    True
    """
    # k u / (1 - k u) bounds both (1 + u)^k - 1 and 1 - (1 - u)^k, and 1 / (1 - u)^k - 1.
    share = operations * UNIT
    return share / (1.0 - share) * (1.0 + 4 * UNIT)


def around(value: float, *, operations: int, products: int, missing: float = 0.0) -> Bracket:
    """Return between what a computed sum of products of nonnegative numbers lies.

    Parameters
    ----------
    value : float
        The computed sum.
    operations : int
        Rounded operations on a path through it, at most.
    products : int
        How many products were computed.
    missing : float, optional
        Mass that was left out, computed alike.

    Examples
    --------
    >>> around(0.25, operations=10, products=10).contains(0.25)
    True
    """
    share, small = growth(operations + 4), products * SMALLEST
    lower = below(below(value * (1.0 - share)) - small)
    upper = above(above((value + missing) * (1.0 + share)) + small)
    return Bracket(lower=min(lower, 1.0), upper=min(upper, 1.0))

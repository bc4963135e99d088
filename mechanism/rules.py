"""The rules of Algorithm 1 as pure functions over any ordered numbers (floats, Fractions, solver terms).

They know nothing of time or learning: who is eligible, who is under-sampled, who may win, what is paid. Tuples are made
of lists here, which is faster than of generators: every step of an episode does so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

#: An ordered number: anything with +, - and comparisons.
Number = Any
Kind = Literal["initialization", "exploration", "auction", "empty"]


class Allocation(NamedTuple):
    """Among whom a query is allocated, before the draw or the tie-break.

    Parameters
    ----------
    kind : {"exploration", "auction", "empty"}
        Draw among the under-sampled; lowest adjusted bid; or draw among all since nobody is eligible.
    candidates : tuple of int
        All providers that the rule permits, in increasing order; several in an auction are a tie.
    eligible : tuple of int
        The estimated-qualified set.
    """

    kind: Kind
    candidates: tuple[int, ...]
    eligible: tuple[int, ...]


def eligible(quality_estimates: Sequence[Number], radii: Sequence[Number], threshold: Number) -> tuple[int, ...]:
    """Return the providers whose quality may still reach the threshold (eq:qualified-set).

    Examples
    --------
    >>> eligible([0.5, 0.2], [0.1, 0.1], 0.6)
    (0,)
    """
    known = enumerate(zip(quality_estimates, radii, strict=True))
    return tuple([i for i, (estimate, radius) in known if may_reach(estimate, radius, threshold)])


def may_reach(quality_estimate: Number, radius: Number, threshold: Number) -> bool:
    """Return whether the quality of one provider may still reach the threshold.

    Examples
    --------
    >>> may_reach(0.5, 0.1, 0.6)
    True
    """
    return bool(quality_estimate + radius >= threshold)


def under_sampled(among: Iterable[int], counts: Sequence[Number], target: Number) -> tuple[int, ...]:
    """Return those selected fewer than `target` times, the set S_t of eq:allocation.

    Counts are whole, so ceil(g(t)) serves as the target as well as g(t) does.

    Examples
    --------
    >>> under_sampled([0, 1, 2], [3, 4, 5], 4)
    (0,)
    """
    return tuple([i for i in among if counts[i] < target])


def adjusted_bids(bids: Sequence[Number], cost_radii: Sequence[Number]) -> list[Number]:
    """Return standing bid minus cost radius, the optimistic index of an auction.

    Examples
    --------
    >>> adjusted_bids([3, 4], [1, 3])
    [2, 1]
    """
    return [bid - radius for bid, radius in zip(bids, cost_radii, strict=True)]


def lowest(among: Sequence[int], adjusted: Sequence[Number]) -> tuple[int, ...]:
    """Return all providers that attain the smallest adjusted bid.

    Examples
    --------
    >>> lowest([0, 1, 2], [2, 1, 1])
    (1, 2)
    """
    least = min([adjusted[i] for i in among])
    return tuple([i for i in among if adjusted[i] == least])


def critical_payment(
    provider: int, among: Iterable[int], adjusted: Sequence[Number], cost_radius: Number
) -> Number | None:
    """Return the bid below which a provider wins (eq:critical-payment), or None (+infinity) without a rival.

    Parameters
    ----------
    provider : int
    among : iterable of int
        The eligible providers.
    adjusted : sequence of numbers
        Adjusted bids of all providers; the provider's own is not read.
    cost_radius : number
        The provider's own cost radius.

    Examples
    --------
    >>> critical_payment(0, [0, 1, 2], [0, 3, 2], 5), critical_payment(0, [0], [0], 5)
    (7, None)
    """
    rivals = [adjusted[j] for j in among if j != provider]
    return cost_radius + min(rivals) if rivals else None


def auction_payment(critical: Number | None, cost_bound: Number) -> Number:
    """Return the smaller of critical payment and cost bound (eq:payment).

    Examples
    --------
    >>> auction_payment(7, 5), auction_payment(None, 5), auction_payment(3, 5)
    (5, 5, 3)
    """
    return cost_bound if critical is None or not critical < cost_bound else critical


def allocate(able: tuple[int, ...], counts: Sequence[Number], target: Number, adjusted: Sequence[Number]) -> Allocation:
    """Return among whom a query is allocated after initialization (eq:allocation).

    Parameters
    ----------
    able : tuple of int
        The eligible providers.
    counts : sequence
        Selection counts.
    target : number
        g(t), or its ceiling.
    adjusted : sequence of numbers
        Adjusted bids.

    Examples
    --------
    >>> allocate((0, 1), [2, 2], 2, [1, 1])
    Allocation(kind='auction', candidates=(0, 1), eligible=(0, 1))
    >>> allocate((), [2, 2], 2, [1, 1]).kind
    'empty'
    """
    return allocate_by(
        len(counts), able, lambda among: under_sampled(among, counts, target), lambda among: lowest(among, adjusted)
    )


#: From the eligible providers to some of them.
Choice = Callable[[tuple[int, ...]], tuple[int, ...]]


def allocate_by(n_providers: int, able: tuple[int, ...], explored: Choice, winners: Choice) -> Allocation:
    """Return among whom a query is allocated, given who is explored and who wins among the eligible providers.

    Examples
    --------
    >>> allocate_by(3, (1, 2), explored=lambda able: (), winners=lambda able: able[:1])
    Allocation(kind='auction', candidates=(1,), eligible=(1, 2))
    """
    if not able:
        return Allocation("empty", tuple(range(n_providers)), able)
    if chosen := explored(able):
        return Allocation("exploration", chosen, able)
    return Allocation("auction", winners(able), able)

"""Models of auctions that the rules of the mechanism hold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechanism import rules
from proofs_checks.proofs.language.models import Model


def model_of_auction(
    bids: Sequence[Fraction],
    radii: Sequence[Fraction],
    able: Sequence[int],
    cost_bound: Fraction,
    *,
    winner: int | None = None,
    tag: str = "",
) -> Model:
    """Return the model of an auction that `mechanism.rules` holds.

    Parameters
    ----------
    bids, radii : sequence of Fraction
        Standing bids and cost radii of all providers.
    able : sequence of int
        The eligible ones; one or more.
    cost_bound : Fraction
    winner : int, optional
        Which of those that tie; by default the first.
    tag : str, optional
        Of the auction's symbols.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> model = model_of_auction([Fraction(0), half], [half, half], [0, 1], Fraction(1))
    >>> from proofs_checks.proofs.language.vocabulary import Auction
    >>> auction = Auction()
    >>> model.value(auction.payment(auction.winner))
    Fraction(1, 2)
    """
    adjusted = rules.adjusted_bids(bids, radii)
    tied = rules.lowest(able, adjusted)
    found: dict[tuple[Any, ...], Any] = {
        ("cost_bound",): cost_bound,
        (f"winner{tag}",): tied[0] if winner is None else winner,
    }
    for k, (bid, radius) in enumerate(zip(bids, radii, strict=True)):
        critical = rules.critical_payment(k, able, adjusted, radius)
        found[(f"bid{tag}", k)] = bid
        found[("cost_radius", k)] = radius
        found[("eligible", k)] = k in able
        found[("has_rival", k)] = critical is not None
        # Without a rival it may be anything: the vocabulary does not read it then.
        found[(f"least_rival{tag}", k)] = Fraction(0) if critical is None else critical - radius
    return Model(len(bids), found)

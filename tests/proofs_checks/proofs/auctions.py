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
    """
    adjusted = rules.adjusted_bids(bids, radii)
    tied = rules.lowest(able, adjusted)
    found: dict[tuple[Any, ...], Any] = {
        ("cost_bound",): cost_bound,
        ("winner",): tied[0] if winner is None else winner,
    }
    for k, (bid, radius) in enumerate(zip(bids, radii, strict=True)):
        critical = rules.critical_payment(k, able, adjusted, radius)
        found[("bid", k)] = bid
        found[("cost_radius", k)] = radius
        found[("eligible", k)] = k in able
        found[("has_rival", k)] = critical is not None
        # Without a rival it may be anything: the vocabulary does not read it then.
        found[("least_rival", k)] = Fraction(0) if critical is None else critical - radius
    return Model(len(bids), found)

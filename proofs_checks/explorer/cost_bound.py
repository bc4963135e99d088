"""The least c_max that listed prices and costs allow: what the page's switch keeps it at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bounds.setting.model import Pricing


def least_cost_bound(providers: Sequence[Mapping[str, Any]], token_cap: int = Pricing.token_cap) -> float | None:
    """Return the longest answer at the dearest listed price, as in the paper's settings, or a larger mean cost.

    None where a provider lists no price, a number is not valid, or all of them are 0.

    Parameters
    ----------
    providers : sequence of mapping
        As in a setting file.
    token_cap : int, optional
        The most tokens of an answer.

    Examples
    --------
    >>> from bounds.published import published
    >>> rows = published("gpqa-strong").setting.to_data()["provider"]
    >>> least_cost_bound(rows), least_cost_bound([*rows, {"mean_cost": 90.0, "listed_price": 0.01}])
    (75.008, 90.0)
    >>> least_cost_bound([{"mean_cost": 1.0}]) is None
    True
    """
    found = [_numbers(row) for row in providers]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found):
        return None
    dearest = max(price * candidates for price, candidates, _ in known)
    scale = float(f"{token_cap * dearest:.12g}")
    return max(scale, *(cost for *_, cost in known)) or None


def _numbers(row: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """Return a provider's price of a token, its candidates and its mean cost, where all three are numbers."""
    values = (row.get("listed_price"), row.get("multiplicity", 1), row.get("mean_cost"))
    if any(isinstance(value, bool) or not isinstance(value, int | float) or value < 0 for value in values):
        return None
    price, candidates, cost = (float(value) for value in values if value is not None)
    return price, candidates, cost

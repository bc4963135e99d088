"""Regimes: what a group of claims assumes about bids, and which slacks its bounds then carry.

One relation serves all of them: with gamma = d_- = d_+ = 0 it is the statement for truthful bids, with the
slacks of the setting it is the Bayesian variant or the one under deviations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proofs_checks.claims.model.precondition import (
    BELIEFS_AND_DEVIATIONS,
    BIDS_IN_RANGE,
    BOUNDED_BELIEFS,
    BOUNDED_DEVIATIONS,
    GOOD_EVENT,
    MARKET,
    PLAIN_MECHANISM,
    TRUTHFUL_BIDS,
    Precondition,
)


@dataclass(frozen=True)
class Regime:
    """Assumptions about bids with the values they imply.

    Parameters
    ----------
    name : str
    assuming : tuple of Precondition
    overrides : mapping
        Values of quantities that replace the setting's.
    """

    name: str
    assuming: tuple[Precondition, ...]
    overrides: Mapping[str, float] = field(default_factory=dict)


_NO_DEVIATION = {"underbid": 0.0, "overbid": 0.0}
_NO_SLACK = {"belief_slack": 0.0}

#: Rules and counts that hold on every history, whatever the bids.
ANY_HISTORY = Regime("any history", ())
ANY_BIDS_ON_GOOD_EVENT = Regime("any bids, good event", (MARKET, GOOD_EVENT))
BIDS_INSIDE = Regime("bids in [0, c_max]", (BIDS_IN_RANGE,))
TRUTHFUL = Regime("truthful bids", (MARKET, PLAIN_MECHANISM, TRUTHFUL_BIDS, GOOD_EVENT), _NO_DEVIATION | _NO_SLACK)
TRUTHFUL_ANY_HISTORY = Regime("truthful bids, any history", (PLAIN_MECHANISM, TRUTHFUL_BIDS), _NO_DEVIATION | _NO_SLACK)
BAYESIAN = Regime("Bayesian bids", (MARKET, BOUNDED_BELIEFS, GOOD_EVENT), _NO_DEVIATION)
DEVIATING = Regime("bounded deviations", (MARKET, PLAIN_MECHANISM, BOUNDED_DEVIATIONS, GOOD_EVENT), _NO_SLACK)
COMBINED = Regime("Bayesian bids with deviations", (MARKET, BELIEFS_AND_DEVIATIONS, GOOD_EVENT))

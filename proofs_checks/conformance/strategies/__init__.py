"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism.

- `markets`: `platform_parameters`, `settings`, `gapped_settings`, and `steered_cases` of the reference platform.
- `scenarios`: whole interactions with a mechanism, in families; `FAMILIES` has each by name.
- `sequences`: what a provider's queries yield one after another. `bids`: standing bids, `bid_profiles`, `histories`.
- `machine`: interactions step by step, as a state machine.
"""

from proofs_checks.conformance.strategies.bids import bid_profiles, bids, histories
from proofs_checks.conformance.strategies.markets import (
    GridBidder,
    gapped_settings,
    platform_parameters,
    settings,
    steered_cases,
)
from proofs_checks.conformance.strategies.scenarios import FAMILIES, scenarios
from proofs_checks.conformance.strategies.sequences import sequences

__all__ = [
    "FAMILIES",
    "GridBidder",
    "bid_profiles",
    "bids",
    "gapped_settings",
    "histories",
    "platform_parameters",
    "scenarios",
    "sequences",
    "settings",
    "steered_cases",
]

"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism.

- `markets`: `platform_parameters`, `settings`, `gapped_settings`, and `steered_cases` of the reference platform.
- `scenarios`: whole interactions with a mechanism, in families; `FAMILIES` has each by name.
- `sequences`: what a provider's queries yield one after another. `bids`: standing bids, `bid_profiles`, `histories`.
- `machine`: interactions step by step, as a state machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exports import exports
from proofs_checks.conformance.strategies.bids import bid_profiles, bids, histories
from proofs_checks.conformance.strategies.scenarios import FAMILIES, scenarios
from proofs_checks.conformance.strategies.sequences import sequences

if TYPE_CHECKING:
    from proofs_checks.conformance.strategies.markets import (
        GridBidder as GridBidder,
        gapped_settings as gapped_settings,
        platform_parameters as platform_parameters,
        settings as settings,
        steered_cases as steered_cases,
    )

# Loaded when they are asked for: no check of a mechanism draws whole markets.
_MARKETS = "GridBidder gapped_settings platform_parameters settings steered_cases"
_, __getattr__, __dir__ = exports(__name__, {"markets": _MARKETS}, inside=__name__)

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

"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism; `costproof.strategies` is their door.

- `edges`: `settings`, and `markets` near an edge of the theory.
- `runs`: `histories` on a market, which any mechanism can play, and `traces` of the reference platform.
- `scenarios`: whole interactions with a mechanism, in families; `FAMILIES` has each by name.
- `sequences`: what a provider's queries yield one after another. `bids`: standing bids, `bid_profiles`, `misreports`.
- `machine`: interactions step by step, as a state machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exports import exports
from proofs_checks.conformance.strategies.bids import bid_profiles, bids
from proofs_checks.conformance.strategies.scenarios import FAMILIES, scenarios
from proofs_checks.conformance.strategies.sequences import sequences

if TYPE_CHECKING:
    from proofs_checks.conformance.strategies.edges import (
        EDGES as EDGES,
        markets as markets,
        platform_parameters as platform_parameters,
        settings as settings,
    )
    from proofs_checks.conformance.strategies.runs import histories as histories, traces as traces

# Loaded when they are asked for: no check of a mechanism draws whole markets.
_LATE = {"edges": "EDGES markets platform_parameters settings", "runs": "histories traces"}
_, __getattr__, __dir__ = exports(__name__, _LATE, inside=__name__)

__all__ = [
    "EDGES",
    "FAMILIES",
    "bid_profiles",
    "bids",
    "histories",
    "markets",
    "platform_parameters",
    "scenarios",
    "sequences",
    "settings",
    "traces",
]

"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism.

`platform_parameters`, `settings`, `gapped_settings` and `steered_cases` draw markets of the paper; `scenarios` draws
whole interactions with a mechanism, `sequences` the scores and costs in them, `bids`, `bid_profiles` and `histories`
the standing bids; `proofs_checks.conformance.strategies.machine` interacts step by step.
"""

from proofs_checks.conformance.strategies.bids import bid_profiles, bids, histories
from proofs_checks.conformance.strategies.cases import GridBidder, steered_cases
from proofs_checks.conformance.strategies.platforms import gapped_settings, platform_parameters, settings
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

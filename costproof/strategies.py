"""Hypothesis strategies for property-based tests of one's own: markets, histories, and runs of the reference platform.

costproof docs strategies has their distributions.

Examples
--------
>>> from hypothesis import find
>>> from costproof.strategies import markets
>>> find(markets("lone"), lambda setting: True).qualified
(0,)
"""

from proofs_checks.conformance.mutants.gallery import mechanisms
from proofs_checks.conformance.strategies.bids import bid_profiles, bids, misreports
from proofs_checks.conformance.strategies.edges import EDGES, markets, platform_parameters, settings
from proofs_checks.conformance.strategies.runs import histories, traces
from proofs_checks.conformance.strategies.scenarios import FAMILIES, scenarios
from proofs_checks.conformance.strategies.sequences import sequences

__all__ = [
    "EDGES",
    "FAMILIES",
    "bid_profiles",
    "bids",
    "histories",
    "markets",
    "mechanisms",
    "misreports",
    "platform_parameters",
    "scenarios",
    "sequences",
    "settings",
    "traces",
]

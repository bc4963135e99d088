"""Hypothesis strategies for property-based tests of one's own: markets, histories, and runs of the reference platform.

Each is loaded when it is first asked for, and Hypothesis with it. docs/reference/strategies.md has their distributions.

Examples
--------
>>> from hypothesis import find
>>> from costproof.strategies import markets
>>> find(markets("lone"), lambda setting: True).qualified
(0,)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exports import exports

if TYPE_CHECKING:
    from proofs_checks.conformance.mutants.gallery import mechanisms as mechanisms
    from proofs_checks.conformance.strategies.bids import (
        bid_profiles as bid_profiles,
        bids as bids,
        misreports as misreports,
    )
    from proofs_checks.conformance.strategies.edges import (
        EDGES as EDGES,
        markets as markets,
        platform_parameters as platform_parameters,
        settings as settings,
    )
    from proofs_checks.conformance.strategies.runs import histories as histories, traces as traces
    from proofs_checks.conformance.strategies.scenarios import FAMILIES as FAMILIES, scenarios as scenarios
    from proofs_checks.conformance.strategies.sequences import sequences as sequences

_NAMES = {
    "mutants.gallery": "mechanisms",
    "strategies.bids": "bid_profiles bids misreports",
    "strategies.edges": "EDGES markets platform_parameters settings",
    "strategies.runs": "histories traces",
    "strategies.scenarios": "FAMILIES scenarios",
    "strategies.sequences": "sequences",
}
__all__, __getattr__, __dir__ = exports(__name__, _NAMES, inside="proofs_checks.conformance")

"""Hypothesis strategies, for tests of this toolkit and of anybody's mechanism.

`platform_parameters`, `settings` and `steered_cases` draw markets of the paper; `scenarios` draws whole interactions
with a mechanism, `bids` the standing bids in them; `proofs_checks.strategies.machine` interacts step by step.
"""

from proofs_checks.strategies.bids import bids
from proofs_checks.strategies.cases import GridBidder, steered_cases
from proofs_checks.strategies.platforms import platform_parameters, settings
from proofs_checks.strategies.scenarios import FAMILIES, scenarios

__all__ = ["FAMILIES", "GridBidder", "bids", "platform_parameters", "scenarios", "settings", "steered_cases"]

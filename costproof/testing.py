"""What tests of one's own mechanism need: the checks, a state machine, and runs on drawn histories.

Examples
--------
>>> from hypothesis import given
>>> from costproof.strategies import histories
>>> from costproof.testing import broken_rules, play
>>> from mechanism.platform import reference_mechanism as my_router
>>> @given(histories())
... def test_my_router_keeps_the_rules(history):
...     assert not broken_rules(play(my_router, history))
"""

from proofs_checks.conformance.descriptions import DEFAULT, QUICK
from proofs_checks.conformance.parametrize import ConformanceError, assert_passes, check_names, parametrize_with_checks
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.played import Played, broken_rules, play
from proofs_checks.conformance.strategies.machine import BrokenRuleError, mechanism_machine

__all__ = [
    "DEFAULT",
    "QUICK",
    "BrokenRuleError",
    "ConformanceError",
    "MechanismError",
    "Played",
    "assert_passes",
    "broken_rules",
    "check_names",
    "mechanism_machine",
    "parametrize_with_checks",
    "play",
]

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

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exports import exports

if TYPE_CHECKING:
    from proofs_checks.conformance.checks.check import DEFAULT as DEFAULT, QUICK as QUICK
    from proofs_checks.conformance.parametrize import (
        ConformanceError as ConformanceError,
        assert_passes as assert_passes,
        check_names as check_names,
        parametrize_with_checks as parametrize_with_checks,
    )
    from proofs_checks.conformance.play.played import Played as Played, broken_rules as broken_rules, play as play
    from proofs_checks.conformance.play.subject import MechanismError as MechanismError
    from proofs_checks.conformance.strategies.machine import (
        BrokenRuleError as BrokenRuleError,
        mechanism_machine as mechanism_machine,
    )

_NAMES = {
    "checks.check": "DEFAULT QUICK",
    "parametrize": "ConformanceError assert_passes check_names parametrize_with_checks",
    "play.played": "Played broken_rules play",
    "play.subject": "MechanismError",
    "strategies.machine": "BrokenRuleError mechanism_machine",
}
__all__, __getattr__, __dir__ = exports(__name__, _NAMES, inside="proofs_checks.conformance")

"""The conformance suite: properties that a mechanism of anybody's must have, checked from outside.

What users need is importable from here. It is loaded when it is asked for, so that the plugin of pytest, which lives
in this package and is loaded by every run of pytest, stays light.

- `descriptions`: what every check says, and how hard it tries.
- `play`: how a mechanism is played, from outside; it knows no check.
- `loading`: a mechanism by its name. `hosting`: a mechanism in a process of its own.
- `probes`: interactions that tell mistakes apart, and what explains a mechanism's answers in all of them.
- `report`: what is said of a mechanism, as data: failures, their scripts, results.
- `strategies`: Hypothesis strategies for markets, scenarios, and interactions step by step.
- `checks`: the properties, and how each is searched for a failure.
- `suite`: every check on one mechanism. `parametrize` and `pytest_plugin` are ways to call it.
- `mutants`: broken mechanisms that the checks must catch, and correct ones that they must not accuse.

Imports run in this order, each knowing only those before it.

Examples
--------
>>> from proofs_checks.conformance import QUICK, check_mechanism
>>> from mechanism.platform import reference_mechanism
>>> check_mechanism(reference_mechanism, only=["lone-payment"], effort=QUICK).conforms
True
"""

from typing import TYPE_CHECKING

from bounds.exports import exports

if TYPE_CHECKING:
    from proofs_checks.conformance.descriptions import DEFAULT as DEFAULT, QUICK as QUICK
    from proofs_checks.conformance.parametrize import parametrize_with_checks as parametrize_with_checks
    from proofs_checks.conformance.suite import check_mechanism as check_mechanism

__all__, __getattr__, __dir__ = exports(__name__)

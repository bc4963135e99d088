"""What users import from `proofs_checks.conformance`, and what that costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bounds.errors import InputError
from mechanism.platform import reference_mechanism
from proofs_checks import conformance
from proofs_checks.conformance import check, parametrize, suite
from proofs_checks.strategies import machine


def test_it_has_what_the_documentation_imports() -> None:
    assert conformance.DEFAULT is check.DEFAULT
    assert conformance.QUICK is check.QUICK
    assert conformance.check_mechanism is suite.check_mechanism
    assert conformance.parametrize_with_checks is parametrize.parametrize_with_checks
    assert conformance.interaction_machine is machine.interaction_machine
    assert set(conformance.__all__) <= set(dir(conformance))


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc_mechanism'"):
        _ = conformance.chekc_mechanism


def test_importing_the_package_loads_nothing() -> None:
    code = (
        "import sys, importlib, typing, __future__; before = set(sys.modules); import proofs_checks.conformance; "
        "sys.exit(' '.join(sorted(set(sys.modules) - before - {'proofs_checks', 'proofs_checks.conformance'})) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("effort", ["quick", None, 8])
def test_an_effort_that_is_none_says_what_to_write(effort: object) -> None:
    for refuse in (
        lambda: suite.check_mechanism(reference_mechanism, effort=effort),
        lambda: parametrize.parametrize_with_checks([reference_mechanism], effort=effort),
    ):
        with pytest.raises(InputError, match="write effort=QUICK, after: from"):
            refuse()

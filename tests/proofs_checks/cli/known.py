"""Reports that several tests print or draw, in one way and another: they are found once."""

import functools
import inspect
import json
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

from proofs_checks.claims.registry import claim
from proofs_checks.verify.run import verify


def found_once(function: Callable[..., Any], *beside: str) -> Callable[..., Any]:
    """Return a function that finds once what the same arguments give: tests that only print it share it.

    Arguments that are named beside decide nothing: who is told of progress, and a process that was started for this.
    """
    found: dict[str, Any] = {}
    parameters = inspect.signature(function)

    @functools.wraps(function)
    def known(*arguments: Any, **named: Any) -> Any:
        given = parameters.bind(*arguments, **named).arguments
        given |= given.pop("options", {})  # further arguments by name
        asked = repr({name: value for name, value in given.items() if name not in beside})
        if asked not in found:
            found[asked] = function(*arguments, **named)
        return found[asked]

    return known


#: Where commands find what takes long, and which of its arguments decide nothing.
_SLOW = {
    "proofs_checks.audit.run.audit_log": ("progress", "stopped"),
    "proofs_checks.verify.run.verify": ("progress",),
    "mechanism.planner.plan.make_plan": (),
    "proofs_checks.conformance.suite.check_mechanism": ("factory", "begins", "progress", "playing"),
}


def slow_ones_once() -> Callable[[pytest.MonkeyPatch], None]:
    """Return what has commands of a module's tests find once what takes long; a file's name tells its content."""
    functions = {place: found_once(pkgutil.resolve_name(place), *beside) for place, beside in _SLOW.items()}

    def use(patch: pytest.MonkeyPatch) -> None:
        for place, function in functions.items():
            patch.setattr(place, function)

    return use


#: For tests that have no solver asked: what it says of certificates is kept as well.
KNOWN_VERIFY = found_once(verify, "progress")


def report_with_a_witness() -> str:
    """Return a report of `verify` with one row, whose witness replays."""
    label = "lem:radius-monotone:one-provider"
    everywhere = claim(label).everywhere
    assert everywhere is not None
    return json.dumps({"claims": [{"label": label, "setting": None, "evidence": [everywhere().to_data()]}]})

"""A failure as a script: copied into a file, it brings the mechanism to the step in question and shows what it does."""

from __future__ import annotations

from pathlib import Path

from proofs_checks.conformance.failure import Failure


def to_script(mechanism: str, check: str, claim: str, failure: Failure) -> str:
    """Return Python that reproduces a failure; it needs numpy and the mechanism, not this toolkit.

    Parameters
    ----------
    mechanism : str
        ``MODULE:OBJECT``, or ``path/to/file.py:OBJECT``.
    check, claim : str
        Name and label.
    failure : Failure
    """
    config = ", ".join(f"{name}={value!r}" for name, value in vars(failure.config).items())
    history = ", ".join(f"({score!r}, {bid!r})" for score, bid in failure.settlements)
    lines = [
        f"# {check} ({claim}) fails: {failure.message}",
        *([f"# {failure.exact}"] if failure.exact else []),
        "from types import SimpleNamespace",
        "",
        "import numpy as np",
        "",
        *_import(mechanism),
        "",
        f"config = SimpleNamespace({config})",
        f"seed = {failure.seed}",
        f"history = [{history}]  # score and standing bid, step by step",
        "",
        "mechanism = factory(config, np.random.default_rng(seed))",
        "for score, bid in history:",
        "    mechanism.assign()",
        "    mechanism.settle(score, bid)",
        "provider, payment = mechanism.assign()",
        'print(f"step {len(history) + 1}: provider {provider} serves and is paid {payment!r}")',
        *(failure.ending or _ending(failure)).rstrip("\n").split("\n"),
    ]
    return "\n".join(lines) + "\n"


def _import(mechanism: str) -> list[str]:
    module, _, name = mechanism.rpartition(":")
    if not module.endswith(".py"):
        return [f"from {module} import {name.split('.')[0]}", f"factory = {name}"]
    path = str(Path(module).resolve())
    return ["import runpy", "", f"factory = runpy.run_path({path!r})[{name!r}]"]


def _ending(failure: Failure) -> str:
    rounding = 1e-9 * (1 + failure.config.belief_slack) * failure.config.cost_bound
    if isinstance(failure.expected, float):
        return f"assert abs(payment - {failure.expected!r}) <= {rounding!r}, 'expected {failure.expected!r}'"
    if isinstance(failure.expected, list) and all(type(i) is int for i in failure.expected):
        return f"assert provider in {failure.expected!r}, 'expected one of {failure.expected!r}'"
    return f"# expected: {failure.expected!r}; found: {failure.found!r}"

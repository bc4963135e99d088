"""Other parameters of the platform than the setting says."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from bounds.errors import InputError
from mechanism.replay import RuleTable
from proofs_checks.diagnosis import proposals as propose
from proofs_checks.diagnosis.cause import Cause, Trial, Values
from proofs_checks.diagnosis.proposals import Proposal, listed

_CONFIDENCES = (0.001, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5)
_EXPONENTS = (0.25, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9)


def _parameter(name: str, values: Proposal, near: str = "") -> Cause:
    """Return that the platform has another value of a parameter."""

    def tried(trial: Trial) -> Iterable[Values]:
        now = getattr(trial.config, name)
        for proposed in values(trial):
            if math.isclose(proposed["value"], now, rel_tol=1e-9, abs_tol=1e-12):
                continue
            try:
                replace(trial.config, **{name: proposed["value"]})
            except InputError:
                continue
            yield proposed

    def change(rules: RuleTable, value: float) -> RuleTable:
        return replace(rules, parameters={**rules.parameters, name: value})

    says = f"The platform has another parameter: {name} = {{value}}{near}."
    return Cause(
        name="wrong setting", says=says, kind="setting", rules=change, values=tried, costly=True, shown_by=name
    )


#: Parameters that decide by comparison: values near each other give the same decisions.
_NEAR = " (one near it may do as well)"
PARAMETERS = (
    _parameter("cost_bound", propose.bounds),
    _parameter("quality_threshold", propose.thresholds, _NEAR),
    _parameter("confidence", listed(value=_CONFIDENCES)),
    _parameter("exploration_scale", propose.scales, _NEAR),
    _parameter("exploration_exponent", listed(value=_EXPONENTS), _NEAR),
    _parameter("belief_slack", propose.slacks),
)

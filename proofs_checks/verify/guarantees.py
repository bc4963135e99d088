"""What is guaranteed of the settings that are verified: the paper's bounds at the horizon of their runs, as data."""

from __future__ import annotations

from typing import Any

from bounds.guarantees import GUARANTEES
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting


def guarantees_data(setting: Setting, horizon: int) -> dict[str, Any]:
    """Return the guarantees of a setting at a horizon, one after another, and T_id.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = guarantees_data(published("gpqa-strong").setting, 70_000)
    >>> found["identification_horizon"], found["bounds"][0]["guarantee"], found["bounds"][0]["value"]
    (153697, 'identification', 76846)
    """
    report = evaluate_bounds(setting, horizon)
    return {
        "setting": setting.name,
        "horizon": horizon,
        "confidence": report.confidence,
        "identification_horizon": report.identification_horizon,
        "bounds": [
            {
                "guarantee": name,
                "unit": GUARANTEES[name].unit,
                "label": bound.label,
                "value": bound.value,
                "applies": bound.applies,
                "reason": bound.reason,
                "trivial": bound.worth.trivial,
                "informative": bound.worth.informative,
                "informative_from": bound.worth.informative_from,
                "why_never": bound.worth.why_never,
                "proved_as": bound.backing.proved_as,
            }
            for name, bound in report.guarantees.items()
        ],
    }

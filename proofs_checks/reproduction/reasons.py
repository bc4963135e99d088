"""Why a printed number disagrees with ours, for those that somebody has looked into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Reason:
    """What somebody found out about a disagreement; it explains no other z than those from `lowest` to `highest`."""

    text: str
    lowest: float
    highest: float


_UNIFORM_ON_LADDER = Reason(
    "borderline: -2.8 to -3.0 at 1,000 runs of two seeds. The row's shares, regrets and amounts are one finding: in "
    "the printed runs uniform routing happens to screen out a little sooner. In the long run of the same policy, which "
    "starts with these steps, every number is within 2",
    -3.3,
    -2.5,
)
#: By (setting, table, row, column).
REASONS: Mapping[tuple[str, str, str, str], Reason] = MappingProxyType(
    {
        ("gsm8k-ladder", "one-pass", "Uniform among eligible", "Unqualified share"): _UNIFORM_ON_LADDER,
        ("gsm8k-ladder", "one-pass", "Uniform among eligible", "R_qual/T"): _UNIFORM_ON_LADDER,
        ("gsm8k-full", "selections", "Llama-3.2-1B", "max"): Reason(
            "one rare run: of 40,000 further runs of ours, 3 select this provider 143 times or more (mean 45, 99.9% at "
            "most 117), so one of 30 does with probability 0.2%; among 138 printed extremes one that rare is no "
            "surprise. z misjudges it: a thousand runs of ours hold hardly any this long",
            3.0,
            8.0,
        ),
    }
)


def reason_for(key: tuple[str, str, str, str], z: float | None) -> str | None:
    """Return why a number disagrees by so much, if somebody found out."""
    known = REASONS.get(key)
    return known.text if known and z is not None and known.lowest <= z <= known.highest else None

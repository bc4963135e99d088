"""What the numbers of a method rest on: the claim that states them, and how strongly that is proved; tests compare."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from bounds.documents import named
from bounds.setting.model import Setting

ProvedAs = Literal["PROVED", "PROVED_STEPS"]

_IDENTIFICATION = "thm:sample-complexity"
_QUALITY = "thm:quality-guarantee"
_GENERATION = "thm:generation-regret"
_EXCESS = "thm:excess-payment-general"
_UNQUALIFIED = "lem:unqualified-elimination"
_EXPLORATION = "lem:forced-exploration-bound"
#: Where bids deviate, others of the paper's statements bound the same.
_DEVIATING = {
    _IDENTIFICATION: "prop:deviation-selection",
    _GENERATION: "thm:deviation-generation-regret",
    _EXCESS: "thm:deviation-payment-convergence",
    "thm:regret": "thm:deviation-payment-convergence",
}
#: The printed number is the one of appendix D.
_TIGHTENED = "claim:B_id-tightened"
_BAYESIAN = "prop:bayesian-substitution"
_BAYESIAN_AND_DEVIATING = "claim:summary-appC"
#: What the generation regret rests on where costs are not separated: its first branch alone.
_FIRST_BRANCH = "thm:deviation-generation-regret:anytime"
#: The claims that state an improved bound under another name than the paper's with the method behind it.
_STATED_BY = {(_QUALITY, "sharp"): f"{_GENERATION}:sharp", (_EXCESS, "sharp"): "thm:regret:sharp"}
#: What no bid enters, and what holds in any market.
_BID_FREE = (*(_QUALITY, _UNQUALIFIED, _EXPLORATION), *(f"{_EXPLORATION}:sharp", f"{_UNQUALIFIED}:any-radius"))
_ANY_MARKET = (_EXPLORATION,)
#: Of the claims that state a number those that are PROVED_STEPS: of every other one a theorem in Coq states it.
_STEPS_ALONE: Collection[str] = (f"{_IDENTIFICATION}:any-radius", f"{_UNQUALIFIED}:any-radius")
#: Of another radius nothing else is stated; explorations are bounded beside selections.
_ANY_RADIUS = {
    _IDENTIFICATION: f"{_IDENTIFICATION}:any-radius",
    _UNQUALIFIED: f"{_UNQUALIFIED}:any-radius",
    _EXPLORATION: f"{_UNQUALIFIED}:any-radius",
}


@dataclass(frozen=True, kw_only=True)
class Backing:
    """What a number rests on.

    Parameters
    ----------
    claim : str
        Label of the claim that states `value`; another one than `label` where a variant of the paper's statement does.
    proved_as : str or None
        Verdict on the claim `rests_on`; None where this setting lacks what the claim assumes.
    not_proved_because : str or None
        What this setting lacks of what the claim assumes, in a sentence; None if nothing.
    """

    claim: str = field(metadata=named("rests_on"))
    proved_as: ProvedAs | None
    not_proved_because: str | None = None

    @classmethod
    def without(cls, claim: str, lacking: str) -> Backing:
        """Return that a claim does not serve, for want of what it assumes."""
        told = f"{claim} assumes more than this setting has: {lacking}"
        return cls(claim=claim, proved_as=None, not_proved_because=told)


def backing_of(setting: Setting, label: str, method: str) -> Backing:
    """Return what a number rests on, and what of the claim's assumptions the setting does not meet.

    Parameters
    ----------
    setting : Setting
    label : str
        Of the paper's statement that bounds it for truthful bids.
    method : str
        As `bounds.report.evaluate_bounds` takes it.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> backing_of(setting, "thm:regret", "paper").proved_as, backing_of(setting, "thm:regret", "sharpest").proved_as
    ('PROVED', 'PROVED')
    >>> backing_of(setting, "thm:sample-complexity", "paper").claim
    'claim:B_id-tightened'
    """
    claim = _claim(setting, label, method)
    if lacking := _unmet(setting, claim):
        return Backing.without(claim, lacking)
    return Backing(claim=claim, proved_as="PROVED_STEPS" if claim in _STEPS_ALONE else "PROVED")


def _claim(setting: Setting, label: str, method: str) -> str:
    platform = setting.platform
    if not platform.papers_radius:
        return _ANY_RADIUS.get(label, label)
    if method != "paper":
        return _STATED_BY.get((label, method), f"{label}:{method}")
    if label in _BID_FREE:
        return label
    deviating = bool(platform.underbid or platform.overbid)
    if platform.belief_slack:
        return _BAYESIAN_AND_DEVIATING if deviating else _BAYESIAN
    if not deviating:
        return _TIGHTENED if label == _IDENTIFICATION else label
    return _FIRST_BRANCH if label == _GENERATION and setting.unseparated else _DEVIATING[label]


def _unmet(setting: Setting, claim: str) -> str:
    """Return what a claim assumes of a setting and this one lacks; nothing if it lacks nothing."""
    platform = setting.platform
    of_market = setting.unmet_of_market if claim in _ANY_RADIUS.values() else setting.unmet_assumptions
    if claim not in _ANY_MARKET and of_market:
        return "; ".join(of_market)
    if claim in _BID_FREE:
        return ""
    if claim.endswith(":sharp"):
        slack = platform.belief_slack or platform.underbid or platform.overbid
        return "it is stated for truthful bids: belief_slack, underbid and overbid are 0" if slack else ""
    whatever_the_gaps = (_FIRST_BRANCH, _DEVIATING[_EXCESS])
    return "" if claim in whatever_the_gaps else setting.unseparated_told

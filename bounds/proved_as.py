"""What the numbers of a method rest on: the claim that states them, and how strongly that is proved; tests compare."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from bounds.documents import named
from bounds.guarantees import GUARANTEES
from bounds.setting.model import Setting

ProvedAs = Literal["PROVED", "PROVED_STEPS"]

#: The guarantees by the label of the paper's statement.
_KINDS = {kind.label: kind for kind in GUARANTEES.values()}
_GENERATION = "thm:generation-regret"
_UNQUALIFIED = "lem:unqualified-elimination"
_EXPLORATION = "lem:forced-exploration-bound"
_BAYESIAN = "prop:bayesian-substitution"
_BAYESIAN_AND_DEVIATING = "claim:summary-appC"
#: What the generation regret rests on where costs are not separated: its first branch alone.
_FIRST_BRANCH = "thm:deviation-generation-regret:anytime"
#: Of another radius nothing else is stated; explorations are bounded beside selections.
_ANY_RADIUS = {
    "thm:sample-complexity": "thm:sample-complexity:any-radius",
    _UNQUALIFIED: f"{_UNQUALIFIED}:any-radius",
    _EXPLORATION: f"{_UNQUALIFIED}:any-radius",
}
#: What no bid enters, and what holds in any market.
_BID_FREE = ("thm:quality-guarantee", _UNQUALIFIED, _EXPLORATION, f"{_EXPLORATION}:sharp", f"{_UNQUALIFIED}:any-radius")
_ANY_MARKET = (_EXPLORATION,)
#: Claims that hold whatever the cost gaps.
_WHATEVER_THE_GAPS = (_FIRST_BRANCH, "thm:deviation-payment-convergence")
#: Of the claims that state a number those that are PROVED_STEPS: of every other one a theorem in Coq states it.
_STEPS_ALONE: Collection[str] = tuple(_ANY_RADIUS.values())


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
    if label in _KINDS and not _KINDS[label].proved:
        return Backing(claim=claim, proved_as=None, not_proved_because=f"no theorem states {claim}")
    return Backing(claim=claim, proved_as="PROVED_STEPS" if claim in _STEPS_ALONE else "PROVED")


def _claim(setting: Setting, label: str, method: str) -> str:
    platform = setting.platform
    if not platform.papers_radius:
        return _ANY_RADIUS.get(label, label)
    kind = _KINDS.get(label)
    improved = f"{label}:{method}" if kind is None else kind.improved.get(method)
    if method != "paper" and improved:
        return improved
    if kind is None or kind.deviating is None or label in _BID_FREE:
        return label
    deviating = bool(platform.underbid or platform.overbid)
    if platform.belief_slack:
        return _BAYESIAN_AND_DEVIATING if deviating else _BAYESIAN
    if not deviating:
        return kind.stated_by or label
    return _FIRST_BRANCH if label == _GENERATION and setting.unseparated else kind.deviating[0]


def _unmet(setting: Setting, claim: str) -> str:
    """Return what a claim assumes of a setting and this one lacks; nothing if it lacks nothing."""
    platform = setting.platform
    of_market = setting.unmet_of_market if claim in _ANY_RADIUS.values() else setting.unmet_assumptions
    if claim not in _ANY_MARKET and of_market:
        return "; ".join(of_market)
    if claim in _BID_FREE:
        return ""
    if claim.endswith(":sharp") or (claim in _KINDS and _KINDS[claim].deviating is None):
        slack = platform.belief_slack or platform.underbid or platform.overbid
        return "it is stated for truthful bids: belief_slack, underbid and overbid are 0" if slack else ""
    return "" if claim in _WHATEVER_THE_GAPS else setting.unseparated_told

"""Claims on a trace that comes in parts: one engine for an episode, a log of any length, and a test."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.setting.model import Setting
from mechanism.replay import ReplayState
from mechanism.trace import Trace
from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.claim import Claim, ClaimComparison
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims
from proofs_checks.oracle.step_audit import StepAudit

#: How a log came about, as far as claims may know: nobody declared its bidders to be anything.
LOG: Mapping[str, Any] = MappingProxyType({"kind": "log"})


class ClaimsOnTrace:
    """The claims that can be compared on a trace, fed with its parts in order.

    Parameters
    ----------
    setting : Setting
    claims : sequence of Claim, optional
        Default: every claim that has checks.
    origin : mapping, optional
        How the trace came about; default: it is a log.
    rounding : float, optional
        How far logged money may be from the true amounts.
    lenient : bool, optional
        Whether comparisons that rounding could turn are read in favour of the trace, as an audit reads them.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> from proofs_checks.claims.model.evidence import Evidence
    >>> from proofs_checks.claims.registry import claim
    >>> setting = published("gpqa-strong").setting
    >>> trace = simulate(setting, horizon=300, seed=0)
    >>> claims = ClaimsOnTrace(setting, [claim("lem:payment-range")])
    >>> claims.feed(trace.rows(slice(200)), ends=False)
    >>> claims.feed(trace.rows(slice(200, 300)), ends=True)
    >>> {label: found.checked for label, found in claims.evidence().items()}
    {'lem:payment-range': 600}
    """

    def __init__(
        self,
        setting: Setting,
        claims: Sequence[Claim] | None = None,
        *,
        origin: Mapping[str, Any] = LOG,
        rounding: float = 0.0,
        lenient: bool = False,
    ) -> None:
        chosen = [claim for claim in all_claims().values() if claim.checks] if claims is None else claims
        self._comparisons = [ClaimComparison(claim) for claim in chosen]
        self._case = functools.partial(Case, setting, origin=origin, rounding=rounding, lenient=lenient)
        self._before: ReplayState | None = None
        self._carried: dict[Carry[Any], Any] = {}
        carries = [carry for comparison in self._comparisons for carry in comparison.carries]
        self._carries = list(dict.fromkeys(carries))

    @property
    def state(self) -> list[Any]:
        """What the parts so far leave behind, as data: what is carried, by its place among the claims' carries."""
        carried = {place: self._carried[carry] for place, carry in enumerate(self._carries) if carry in self._carried}
        return [self._before, carried, [comparison.state for comparison in self._comparisons]]

    def go_on(self, state: list[Any]) -> None:
        """Go on after the parts that left a state behind."""
        self._before, carried, comparisons = state
        self._carried = {self._carries[place]: value for place, value in carried.items()}
        for comparison, left in zip(self._comparisons, comparisons, strict=True):
            comparison.go_on(left)

    @np.errstate(over="ignore", invalid="ignore")  # sums of logged amounts may be beyond all doubles
    def feed(self, trace: Trace, *, ends: bool, audited: StepAudit | None = None) -> None:
        """Compare the next part of the trace: whether it is the last one, and its audit where there is one."""
        case = self._case(trace, before=self._before, carried=self._carried, ends=ends, audited=audited)
        for comparison in self._comparisons:
            comparison.feed(case)
        if not ends:
            carries = {carry for comparison in self._comparisons for carry in comparison.carries}
            self._carried = {carry: case.after_part(carry) for carry in carries}
            self._before = case.replay.after

    def evidence(self) -> dict[str, Evidence]:
        """Return what the parts so far say, by the label of the claim."""
        return {comparison.claim.label: comparison.evidence for comparison in self._comparisons}

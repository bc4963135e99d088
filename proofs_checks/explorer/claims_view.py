"""The claims of the paper on the run that is shown: compared with its trace, none of them proved by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from proofs_checks.claims.evaluation import LOG, ClaimsOnTrace
from proofs_checks.claims.registry import all_claims
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.runs import run_trace
from proofs_checks.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class ClaimRow:
    """What the run says about a claim.

    Parameters
    ----------
    label, name, statement : str
    number : str or None
        What the paper's PDF prints before it.
    verdict : Verdict
    finding : str
        How the paper's own wording is known to be wrong, if it is: a refutation is then no news.
    checked, violations : int
    ratio : float or None
        The largest realised value over its bound.
    reason : str or None
    """

    label: str
    name: str
    statement: str
    number: str | None
    verdict: Verdict
    finding: str
    checked: int
    violations: int
    ratio: float | None
    reason: str | None


@lru_cache(maxsize=8)
def claim_rows(market: Market, run: int) -> tuple[ClaimRow, ...]:
    """Return every claim that can be compared with a trace, on one run of the market under the platform.

    Examples
    --------
    >>> from bounds.published import published
    >>> rows = claim_rows(Market(setting=published("gpqa-strong").setting, horizon=300, runs=1), 0)
    >>> {row.label: row.verdict.value for row in rows}["lem:payment-range"]
    'NOT_REFUTED'
    """
    # The page knows how its bidders bid, as a log does not.
    claims = ClaimsOnTrace(market.prepared, origin={**LOG, "variant": market.bidders})
    claims.feed(run_trace(market, run), ends=True)
    known = all_claims()
    rows = []
    for outcome in claims.outcomes():
        claim, found = known[outcome.label], outcome.finding
        rows.append(
            ClaimRow(
                label=claim.label,
                name=claim.name,
                statement=claim.statement,
                number=claim.number,
                verdict=found.verdict,
                finding=claim.finding,
                checked=found.tightness.checked,
                violations=found.tightness.violations,
                ratio=found.tightness.ratio,
                reason=found.reason,
            )
        )
    return tuple(rows)

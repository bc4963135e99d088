"""The claims of the paper on the run that is shown: compared with its trace, none of them proved by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from proofs_checks.claims.evaluation import LOG, ClaimsOnTrace
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements.good_event import GOOD_EVENT_CLAIM
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.runs import run_trace
from proofs_checks.verdict import Verdict

#: What draws without replacement say about the good event.
DEPENDENT = (
    "This run draws questions without replacement. Such draws are no evidence either way: the lemma is about "
    "independent draws."
)


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
        The largest realised value over its bound; None where the claim is no upper or lower bound.
    note : str or None
        What a reader must know of what this run can show.
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
    note: str | None = None


def in_passes(market: Market) -> bool:
    """Return whether the runs draw a benchmark's questions in passes without replacement.

    Examples
    --------
    >>> from bounds.published import published
    >>> in_passes(Market(setting=published("gpqa-strong").setting, horizon=300, runs=1))
    True
    """
    return market.part.market().tables().questions > 0


def _is_bound(claim: Claim) -> bool:
    """Return whether a claim bounds something: an equality, stated as two inequalities, and a rule do not."""
    sides = {(check.left, check.right) for check in claim.checks if isinstance(check, Relation)}
    return bool(sides) and not any((right, left) in sides for left, right in sides)


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
    dependent, rows = in_passes(market), []
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
                ratio=found.tightness.ratio if _is_bound(claim) else None,
                reason=found.reason,
                note=DEPENDENT if dependent and claim is GOOD_EVENT_CLAIM else None,
            )
        )
    return tuple(rows)

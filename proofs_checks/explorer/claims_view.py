"""The claims of the paper on the run that is shown: compared with its trace, none of them proved by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from proofs_checks.claims.evaluation import LOG, ClaimsOnTrace
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.reach import with_trivial
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements.good_event import GOOD_EVENT_CLAIM
from proofs_checks.explorer.controls import SimulatedMarket
from proofs_checks.explorer.runs import run_trace
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import stored_verdict

#: What draws without replacement say about the good event.
DEPENDENT = (
    "This run draws questions without replacement. Such draws are no evidence either way: the lemma is about "
    "independent draws."
)


@dataclass(frozen=True, kw_only=True)
class ClaimOnRun:
    """What the run says about a claim.

    Parameters
    ----------
    claim : Claim
    own : Verdict
        What is known of the claim itself, for all parameters.
    found : Evidence
        What this run says.
    note : str
        What a reader must know of what this run can show; empty where there is nothing.
    idle : str
        The bound beside its trivial value where no comparison could fail, as `verify` finds it; else empty.
    """

    claim: Claim
    own: Verdict
    found: Evidence
    note: str
    idle: str

    @property
    def ratio(self) -> float | None:
        """The largest realised value over its bound, 1 where both are equal; None where nothing was compared."""
        return None if self.found.verdict is Verdict.VACUOUS else self.found.tightest_ratio


def in_passes(market: SimulatedMarket) -> bool:
    """Return whether the runs draw a benchmark's questions in passes without replacement.

    Examples
    --------
    >>> from bounds.published import published
    >>> in_passes(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=300, runs=1))
    True
    """
    return market.part.outcome_laws().tables().questions > 0


@lru_cache(maxsize=8)
def claim_rows(market: SimulatedMarket, run: int) -> tuple[ClaimOnRun, ...]:
    """Return every claim that can be compared with a trace, on one run of the market under the platform.

    Examples
    --------
    >>> from bounds.published import published
    >>> rows = claim_rows(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=300, runs=1), 0)
    >>> {row.claim.label: row.found.verdict.value for row in rows}["lem:payment-range"]
    'NOT_REFUTED'
    """
    # The page knows how its bidders bid, as a log does not.
    claims = ClaimsOnTrace(market.prepared, origin={**LOG, "variant": market.bidders})
    claims.feed(run_trace(market, run), ends=True)
    known = all_claims()
    dependent, rows = in_passes(market), []
    for label, evidence in claims.evidence().items():
        claim = known[label]
        found = with_trivial(claim, evidence, [(market.prepared, market.horizon)])
        note = DEPENDENT if dependent and claim is GOOD_EVENT_CLAIM else ""
        own = stored_verdict(claim.label)
        rows.append(ClaimOnRun(claim=claim, own=own, found=found, note=note, idle=_idle(found)))
    return tuple(rows)


def _idle(found: Evidence) -> str:
    """Return the bound beside its trivial value where nothing that the claim is cited for could fail."""
    cited = [part for part in found.parts if part.headline and part.checked]
    return "; ".join(str(part.against_trivial) for part in cited) if found.could_fail is False else ""

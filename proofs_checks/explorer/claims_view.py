"""The claims of the paper on the run that is shown: compared with its trace, none of them proved by it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

from mechanism.policies import PLATFORM
from proofs_checks.claims.evaluation import LOG, ClaimsOnTrace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.reach import with_trivial
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements.good_event import GOOD_EVENT_CLAIM
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.runs import run_trace, trace_of
from proofs_checks.verdict import Verdict, any_could_fail
from proofs_checks.verify.claim_verdicts import in_words, stored_verdict

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
    own : Verdict
        What is known of the claim itself, for all parameters.
    own_in_words : str
    verdict : Verdict
        What this run says.
    finding : str
        How the wording is known to be false, empty or too strong, if it is: a refutation is then no news.
    repaired_by : str
        The label of what holds instead, if that is stated.
    checked, violations : int
    ratio : float or None
        The largest realised value over its bound, 1 where both sides are equal; None where nothing was compared.
    note : str or None
        What a reader must know of what this run can show.
    reason : str or None
    idle : str
        The bound beside its trivial value where no comparison could fail, as `verify` finds it; else empty.
    """

    label: str
    name: str
    statement: str
    number: str | None
    own: Verdict
    own_in_words: str
    verdict: Verdict
    finding: str
    repaired_by: str
    checked: int
    violations: int
    ratio: float | None
    reason: str | None
    note: str | None = None
    idle: str = ""


def in_passes(market: Market) -> bool:
    """Return whether the runs draw a benchmark's questions in passes without replacement.

    Examples
    --------
    >>> from bounds.published import published
    >>> in_passes(Market(setting=published("gpqa-strong").setting, horizon=300, runs=1))
    True
    """
    return market.part.market().tables().questions > 0


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
        claim = known[outcome.label]
        found = with_trivial(claim, outcome.finding, [(market.prepared, market.horizon)])
        own = stored_verdict(claim.label)
        rows.append(
            ClaimRow(
                label=claim.label,
                name=claim.name,
                statement=claim.statement,
                number=claim.number,
                own=own,
                own_in_words=in_words(claim, own),
                verdict=found.verdict,
                finding=claim.finding,
                repaired_by=claim.repaired_by,
                checked=found.tightness.checked,
                violations=found.tightness.violations,
                ratio=None if found.verdict is Verdict.VACUOUS else found.tightness.ratio,
                reason=found.reason,
                note=DEPENDENT if dependent and claim is GOOD_EVENT_CLAIM else None,
                idle=_idle(found),
            )
        )
    return tuple(rows)


def _idle(found: Finding) -> str:
    """Return the bound beside its trivial value where nothing that the claim is cited for could fail."""
    cited = [part for part in found.parts if part.headline and part.tightness.checked]
    if any_could_fail([part.could_fail for part in cited]) is not False:
        return ""
    return "; ".join(str(part.against_trivial) for part in cited)


#: Steps of the runs of which it is seen whether the good event held: all 30 runs of 70,000 queries.
GOOD_EVENT_STEPS = 2_100_000
_THREADS = 2


@dataclass(frozen=True, kw_only=True)
class GoodEvents:
    """In how many runs under the platform the good event held.

    Parameters
    ----------
    held, looked_at, runs : int
        The first `looked_at` of the market's runs, fewer where all would take long.
    confidence : float
        delta: the lemma says that it fails with this probability at most.
    """

    held: int
    looked_at: int
    runs: int
    confidence: float


@lru_cache(maxsize=8)
def good_events(market: Market) -> GoodEvents:
    """Return in how many runs of a market under the platform every mean stayed in its band.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = good_events(Market(setting=published("gpqa-strong").setting, horizon=300, runs=4))
    >>> found.held, found.looked_at
    (4, 4)
    """
    looked_at = max(1, min(market.runs, GOOD_EVENT_STEPS // market.horizon))
    episode = market.part.episode(PLATFORM)

    def held(run: int) -> bool:
        trace = trace_of(episode, market, run)
        return Case(market.prepared, trace, LOG).band_exit is None

    with ThreadPoolExecutor(_THREADS) as pool:
        found = list(pool.map(held, range(looked_at)))
    platform = market.prepared.platform
    return GoodEvents(held=sum(found), looked_at=looked_at, runs=market.runs, confidence=platform.confidence)


def without_runs() -> tuple[int, int]:
    """Return how many claims no run can test: those about the numbers of a setting, and all others.

    Examples
    --------
    >>> of_setting, others = without_runs()
    >>> of_setting + others + sum(bool(claim.checks) for claim in all_claims().values()) == len(all_claims())
    True
    """
    silent = [claim for claim in all_claims().values() if not claim.checks]
    of_setting = sum(claim.on_setting is not None for claim in silent)
    return of_setting, len(silent) - of_setting

"""How probable the good event is, for independent scores: evidence from the parameters of a setting alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bounds.coverage.enclosure import Bracket
from bounds.coverage.tail import tail_bound
from bounds.setting.model import Setting
from proofs_checks.claims.model.band_walk import EXACT_COUNTS, band_exit, hoeffding_exit
from proofs_checks.claims.model.evidence import Evidence, exact_evidence, not_applicable
from proofs_checks.verdict import Verdict

#: Settings of more providers follow each less far, so that all of them take no longer.
_MANY = 24


def followed_counts(setting: Setting, most: int = EXACT_COUNTS) -> int:
    """Return up to which count means are followed; the time of a walk grows with the power 1.5 of it."""
    return int(most * min(1.0, _MANY / setting.n_providers) ** (2 / 3))


def good_event_probability(setting: Setting) -> Evidence:
    """Bound the probability that the good event fails in a setting with Bernoulli scores.

    Scores are followed exactly up to `EXACT_COUNTS`, or less far if there are many providers; the rest and all costs
    are bounded by Hoeffding. A mean of one draw cannot leave its band (beta(1) >= 1), so costs fail with probability
    at most (1 - 6/pi^2) delta/2.
    """
    n, delta, counts = setting.n_providers, setting.platform.confidence, followed_counts(setting)
    exits = [band_exit(p.quality, n_providers=n, confidence=delta, counts=counts) for p in setting.providers]
    scores = sum(each.upper for each in exits) + n * tail_bound(counts, n_providers=n, confidence=delta)
    costs = hoeffding_exit(delta, n)
    return _bounded(
        f"the probability that any of {2 * n} means leaves its band (scores and costs of {n} providers), compared with "
        f"delta: Bernoulli scores exactly up to m = {counts:,}, the rest and all costs by Hoeffding",
        scores + costs,
        _rounding(exits),
        delta,
        {
            "scores_fail_at_most": scores,
            "costs_fail_at_most": costs,
            "delta": delta,
            "largest_exact_exit": max(each.upper for each in exits),
        },
    )


def qualified_never_excluded(setting: Setting) -> Evidence:
    """Bound the probability that some qualified provider is ever excluded: only downward exits matter."""
    n, delta, counts = setting.n_providers, setting.platform.confidence, followed_counts(setting)
    exits = [
        band_exit(setting.providers[i].quality, n_providers=n, confidence=delta, counts=counts, side="below")
        for i in setting.qualified
    ]
    rest = len(exits) * tail_bound(counts, n_providers=n, confidence=delta, sides=1)
    total = sum(each.upper for each in exits) + rest
    return _bounded(
        f"the probability that any of {len(exits)} qualified providers is ever excluded, compared with delta: downward "
        f"exits of Bernoulli scores exactly up to m = {counts:,}, the rest by Hoeffding",
        total,
        _rounding(exits),
        delta,
        {"fails_at_most": total, "delta": delta},
        checked=int(bool(exits)),
    )


def _rounding(exits: Sequence[Bracket]) -> float:
    """Return how much of the sum of the upper ends may be due to rounding alone."""
    return sum(each.upper - each.lower for each in exits)


def _bounded(
    tried: str, failure: float, rounding: float, delta: float, parameters: dict[str, float], *, checked: int = 1
) -> Evidence:
    """Return evidence of a bound on a failure probability, for one law of the scores: never more than NOT_REFUTED.

    It is one comparison, however many means the probability is about; none if it is about no mean at all. A bound above
    delta refutes the claim only if it exceeds delta by more than rounding can account for.
    """
    if failure - rounding <= delta < failure:
        return not_applicable(tried, hidden_by_rounding(failure, delta), Verdict.SKIPPED)
    evidence = exact_evidence(
        tried, failure <= delta, checked=checked, ratio=failure / delta, margin=delta - failure, parameters=parameters
    )
    return replace(evidence, verdict=Verdict.NOT_REFUTED) if evidence.verdict is Verdict.EXACT else evidence


def hidden_by_rounding(failure: float, allowed: float) -> str:
    """Return why a probability cannot be compared with what is allowed: its enclosure contains that."""
    return f"rounding hides probabilities below {failure:.2g}, and {allowed:.2g} is allowed"

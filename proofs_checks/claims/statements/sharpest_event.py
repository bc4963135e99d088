"""How probable the event of the sharpest bounds is, and what no platform can undercut: evidence from parameters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from bounds.coverage.elimination import EliminationLaw, elimination_law
from bounds.coverage.walk import exit_probability
from bounds.formulas.radius import RADIUS
from bounds.language.arithmetic import Enclosure, RigorousArithmetic, double_above, rigorous
from bounds.limits import LARGEST_HORIZON
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.elimination import chernoff_counts
from bounds.sharpest.information import information_counts
from bounds.sharpest.probability import FIRST_COUNT, impossible_counts, spare_probability, stitched_radii
from proofs_checks.claims.model.band_walk import band_exit
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, exact_evidence, not_applicable
from proofs_checks.verdict import Verdict

#: Counts up to which single means are followed.
_FOLLOWED = 1000
#: Providers that may have to be followed for more counts are not: their laws take too long.
_MOST_COUNTS = 1 << 18
#: Nor is a law followed to a smaller probability.
_LEAST_FAILURE = 1e-200
#: Of precision: a relative entropy near 0 is the difference of numbers near 1, and counts go up to 2^53.
_BITS = 256


def delta_pays_for_all(setting: Setting) -> Evidence:
    """Enclose what the parts of the event cost, and compare their sum with delta; beside it, exact probabilities.

    The good event costs nothing up to m_0, the last count with beta(m) >= 1; an exclusion at one count costs Chernoff's
    bound there; the stitched radius costs half of `spare_probability`, and all of it is counted.
    """
    n, delta = setting.n_providers, setting.platform.confidence
    values = formula_inputs(setting)
    last = impossible_counts(n, delta)
    never = RADIUS.enclose(count=last, n_providers=n, confidence=delta).lower >= 1  # and beta decreases
    with rigorous(_BITS) as numbers:
        exclusion = _exclusion_costs(values, numbers)
        square_sum = sum((Fraction(1, m**2) for m in range(1, last + 1)), Fraction(0))
        bands = flint.arb(delta) * (1 - 6 / flint.arb.pi() ** 2 * numbers.array(square_sum).item())
        costs = (bands, exclusion, bands + exclusion + spare_probability(n, delta))
        of_bands, of_exclusions, total = (double_above(numbers.enclosure(cost).upper) for cost in costs)
    return exact_evidence(
        f"what the good event beyond m = {last}, the exclusions of {len(values['unqualified_quality'])} unqualified "
        "providers at one count each, and the stitched radius cost together, in interval arithmetic, "
        "against delta; and exact probabilities for scores of 0 and 1",
        never and total <= delta,
        checked=3,
        ratio=total / delta,
        margin=delta - total,
        parameters={
            "delta": delta,
            "counts_that_cannot_fail": last,
            "bands_cost": of_bands,
            "exclusions_cost": of_exclusions,
            "spare": spare_probability(n, delta),
            **_exact_probabilities(setting, values),
        },
    )


def _exclusion_costs(values: Mapping[str, Any], numbers: RigorousArithmetic) -> Any:
    """Return the sum of exp(-m kl(q_min - beta(m), q_i)) at m = M_i + 1, enclosed."""
    pairs = zip(values["unqualified_quality"].tolist(), (chernoff_counts(values) + 1).tolist(), strict=True)
    # No run is so long that a later exclusion matters.
    tested = [(quality, count) for quality, count in pairs if count <= LARGEST_HORIZON]
    radii = [RADIUS.enclose(values, count=count) for _, count in tested]
    costs = (
        _at(values["quality_threshold"], quality, radius, count, numbers)
        for (quality, count), radius in zip(tested, radii, strict=True)
    )
    return sum(costs, flint.arb(0))


def _at(threshold: float, quality: float, radius: Enclosure, count: float, numbers: RigorousArithmetic) -> Any:
    """Return exp(-m kl(q_min - beta, q)), or 1 where q_min - beta may not be above q."""
    low, high = numbers.array([radius.lower, radius.upper]).tolist()
    tested = threshold - low.union(high)
    if not tested > quality:
        return flint.arb(1)
    if quality == 0:
        return flint.arb(0)
    other = 1 - tested
    entropy = tested * (tested / quality).log() + other * (other / (1 - flint.arb(quality))).log()
    return (-count * entropy).exp()


def _exact_probabilities(setting: Setting, values: Mapping[str, Any]) -> dict[str, float]:
    """Return what fails for scores of 0 and 1: far below what is paid for."""
    n, delta = setting.n_providers, setting.platform.confidence
    bands = sum(
        band_exit(p.quality, n_providers=n, confidence=delta, counts=_FOLLOWED).upper for p in setting.providers
    )
    found = {"exact_band_failure_of_scores": bands}
    excluded = 0.0
    counts = chernoff_counts(values).tolist() if len(values["unqualified_quality"]) else []
    for quality, count in zip(values["unqualified_quality"].tolist(), counts, strict=True):
        law = _law_of(quality, count, values)
        if law is None:
            return found
        excluded += float(law.survival_upper[min(int(count) + 1, len(law.survival_upper) - 1)])
    found["exact_exclusion_failure"] = excluded
    if setting.second_lowest_cost is not None:
        radii = stitched_radii(np.arange(1.0, _FOLLOWED + 1), spare_probability(n, delta) / 2)
        mean = min(setting.second_lowest_cost / setting.platform.cost_bound, 1.0)
        found["exact_stitched_failure"] = exit_probability(mean, np.minimum(radii, 2.0), "above").upper
    return found


def _law_of(quality: float, count: float, values: Mapping[str, Any]) -> EliminationLaw | None:
    """Return the law of an elimination, followed to its quantile; None if `count`, which bounds it, is too large."""
    threshold, n, confidence = (float(values[name]) for name in ("quality_threshold", "n_providers", "confidence"))
    failure = FIRST_COUNT * confidence / (n - float(values["n_qualified"]))
    if count > _MOST_COUNTS or failure < _LEAST_FAILURE:
        return None
    return elimination_law(
        quality, quality_threshold=threshold, n_providers=int(n), confidence=confidence, failure=failure
    )


def no_platform_needs_less(setting: Setting) -> Evidence:
    """Hold the bound against a rule that it speaks of: query i until it is excluded, and name it if it never is.

    It is right with probability 1 - delta in both markets, so its mean number of queries is not below the bound.
    """
    tried = "kl(delta, 1 - delta)/kl(q_i, q_min) against the exact mean of the queries until the exclusion"
    if setting.unmet_assumptions:
        return not_applicable(tried, "; ".join(setting.unmet_assumptions))
    values = formula_inputs(setting)
    if not len(values["unqualified_quality"]):
        return not_applicable(tried, "every provider is qualified", Verdict.VACUOUS)
    bounds, counts = information_counts(values).tolist(), chernoff_counts(values).tolist()
    qualities = values["unqualified_quality"].tolist()
    needed = [each for each in zip(bounds, qualities, counts, strict=True) if each[0] > 0]
    if not needed:
        return not_applicable(tried, "no unqualified provider is cheaper than i*", Verdict.VACUOUS)
    ratios = []
    for bound, quality, count in needed:
        law = _law_of(quality, count, values)
        if law is None:
            return not_applicable(tried, "an exclusion takes too long to be followed", Verdict.SKIPPED)
        ratios.append(bound / (law.mean.lower + 1))
    return exact_evidence(
        tried, max(ratios) <= 1, checked=len(ratios), ratio=max(ratios), parameters={"queries": sum(bounds)}
    )


EVENT = Claim(
    label="lem:good-event:sharpest",
    name="Event of the sharpest bounds",
    statement="with probability 1 - delta, together: all means within their radii, each unqualified provider excluded "
    "at one count, and the cheapest competitor's mean cost below its stitched radius",
    on_setting=delta_pays_for_all,
    note="A union bound: Hoeffding's for the means, Chernoff's for the exclusions, Ville's for the stitched radius.",
)
INFORMATION = Claim(
    label="claim:own-information-bound",
    name="Information bound",
    statement="a platform that names the optimal provider rightly with probability 1 - delta, here and where one "
    "cheaper unqualified provider is qualified, sends it at least kl(delta, 1 - delta)/kl(q_i, q_min) queries in "
    "the mean, for scores of 0 and 1",
    on_setting=no_platform_needs_less,
    note="Kaufmann, Cappe and Garivier (2016), lemma 1; derived in bounds.sharpest.information.",
)

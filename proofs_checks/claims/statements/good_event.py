"""The good event and the confidence radius."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from sympy import exp, log, pi

from bounds.formulas.radius import LOG_CONSTANT
from bounds.language.formula import Formula
from bounds.language.quantities import pure
from bounds.setting.model import Setting
from proofs_checks.claims.band_exit import good_event_probability
from proofs_checks.claims.model.band_failure import FALSE_ALARM, OUTLIERS, Kind, band_failure
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, exact_evidence
from proofs_checks.claims.model.joint_evidence import joint_over_runs
from proofs_checks.claims.model.precondition import required
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check

#: 57 - 128 pi^2 / (3 e^2), the slack of the constant in lem:radius-inversion.
CONSTANT_SLACK = Formula(
    pure("constant_slack", r"57 - \frac{128 \pi^2}{3 e^2}", "slack of the constant 57"),
    57 - 128 * pi**2 / (3 * exp(2)),
    "lem:radius-inversion",
)
#: ln C_0 - 2, whose sign is that of -beta' on [1, infinity).
MONOTONICITY_SLACK = Formula(
    pure("monotonicity_slack", r"\ln\frac{2 \pi^2 N}{3 \delta} - 2", "slack of the monotonicity condition"),
    log(LOG_CONSTANT) - 2,
    "lem:radius-monotone",
)


def constant_is_large_enough() -> Evidence:
    """Reduce the lemma to one maximum and enclose it.

    With s = m a^2/4, a <= 2 beta(m) says e^(2s) <= 16 C_0 s^2/a^4, and the conclusion is e^s <= 57 N/(delta a^4).
    Eliminating a leaves (32 pi^2/3) s^2 e^-s <= 57 for all s > 0.
    """
    import sympy

    s = sympy.Symbol("s", positive=True)
    objective = sympy.Rational(32, 3) * sympy.pi**2 * s**2 * sympy.exp(-s)
    # The objective is nowhere 0, so that its derivative is 0 where that of its logarithm is.
    stationary = sympy.real_roots(sympy.fraction(sympy.together(sympy.diff(objective, s) / objective))[0])
    ends = sympy.limit(objective, s, 0), sympy.limit(objective, s, sympy.oo)
    largest = objective.subs(s, stationary[0])
    same = sympy.expand(57 - largest - CONSTANT_SLACK.expression) == 0
    box = CONSTANT_SLACK.enclose()
    holds = len(stationary) == 1 and ends == (0, 0) and same and box.lower > 0
    return exact_evidence(
        "maximum of (32 pi^2/3) s^2 e^-s by calculus, 57 minus it enclosed in balls",
        holds,
        ratio=float((57 - box.lower) / 57),
        margin=float(box.lower),
        parameters={"maximum_at": str(stationary)},
    )


def radius_decreases(setting: Setting) -> Evidence:
    """Enclose ln(C_0) - 2: beta decreases on [1, infinity) if and only if it is not negative."""
    n, delta = setting.n_providers, setting.platform.confidence
    lower = MONOTONICITY_SLACK.enclose(n_providers=n, confidence=delta).lower
    tried = "sign of ln(2 pi^2 N/(3 delta)) - 2 by balls; the derivative's sign is its opposite"
    return exact_evidence(tried, lower > 0, margin=float(lower), parameters={"n_providers": n, "confidence": delta})


def radius_can_increase_for_one_provider() -> Evidence:
    """Show that the lemma needs N >= 2: with N = 1 and delta = 0.95 the radius grows from m = 1 on."""
    import sympy

    one, more = (
        sympy.log(2 * sympy.pi**2 * m**2 / (3 * sympy.Rational(95, 100))) / (2 * m)
        for m in (sympy.Integer(1), sympy.Rational(105, 100))
    )
    grows = bool((more - one).evalf(50) > 0)
    witness = {"kind": "radius", "n_providers": 1, "confidence": 0.95, "m": 1.0, "larger_m": 1.05}
    return exact_evidence("beta(1.05) against beta(1) at N = 1, delta = 0.95", not grows, witness=witness)


DRAWN = required(
    "scores and costs drawn independently", lambda case: case.is_drawn, "those of this trace were chosen, not drawn"
)


@trace_check(OUTLIERS, by_ratio=True, false_alarm=FALSE_ALARM / 2)
def mean_scores_stay_in_their_bands(case: Case) -> Tightness:
    """Mean scores stay in their bands, or leave them no further than chance explains."""
    return _against_false_alarm(case, "score")


@trace_check(OUTLIERS, by_ratio=True, false_alarm=FALSE_ALARM / 2)
def mean_costs_stay_in_their_bands(case: Case) -> Tightness:
    """Mean costs stay in their bands, or leave them no further than chance explains."""
    if not case.knows_costs:
        return replace(NOTHING_COMPARED, note="the trace logs no costs") if case.ends else NOTHING_COMPARED
    return _against_false_alarm(case, "cost")


def _against_false_alarm(case: Case, kind: Kind) -> Tightness:
    """Return how surprising the means of a whole trace are, ln(1/p), against what is refuted.

    Where no mean has left its band, p is 1; every step has moved one mean.
    """
    if not case.ends:
        return NOTHING_COMPARED
    found = band_failure(case, kind)
    p = 1.0 if found is None else found.p_value
    left, right = 0.0 if found is None else -math.log(p), -math.log(FALSE_ALARM / 2)
    where: dict[str, Any] = {"relation": f"ln(1/p) of the mean {kind}s", "p_value": p, "left": left, "right": right}
    if found is not None:
        where |= {"step": found.outlier.step, "provider": case.setting.providers[found.outlier.provider].name}
    # Without an outlier nothing was used of a bound: how near the means came to their bands is not what this compares.
    ratio = None if found is None else left / right
    note = f"no mean {kind} left its band: no evidence for delta" if found is None else found.text
    return Tightness(case.last_step, int(p < FALSE_ALARM / 2), right - left, ratio, where, note)


GOOD_EVENT_CLAIM = Claim(
    label="lem:good-event",
    any_delay=True,
    name="Good event",
    statement="Pr(all mean scores and mean costs stay within their radii) >= 1 - delta",
    checks=(mean_scores_stay_in_their_bands, mean_costs_stay_in_their_bands),
    assuming=(DRAWN,),
    over_runs=joint_over_runs,
    on_setting=good_event_probability,
    implies=("claim:Q-subset-Qhat-probability",),
    note="For independent draws. On a trace, a mean outside its band counts against it by its p-value: refuted below "
    f"{FALSE_ALARM:g} a trace (half each for scores and costs), which independent draws with the setting's means reach "
    "no more often. A trace on which the event holds is not evidence for delta: the exact failure probability is far "
    "below. The paper's experiments draw questions without replacement, shared by the providers, so their draws are "
    "not independent: their 30 of 30 runs are no evidence either way.",
)
RADIUS_INVERSION = Claim(
    label="lem:radius-inversion",
    name="Radius inversion",
    statement="a <= 2 beta(m) implies m <= (4/a^2) ln(57 N/(delta a^4))",
    everywhere=constant_is_large_enough,
)
RADIUS_MONOTONE = Claim(
    label="lem:radius-monotone",
    name="Radius decreases",
    statement="beta is decreasing on [1, infinity), for N >= 2",
    on_setting=radius_decreases,
)
RADIUS_MONOTONE_ONE = Claim(
    label="lem:radius-monotone:one-provider",
    name="Radius decreases, without N >= 2",
    statement="beta is decreasing on [1, infinity) for N = 1 as well",
    everywhere=radius_can_increase_for_one_provider,
    stronger_reading=True,
    finding="The radius can increase for N = 1. It does for delta > 2 pi^2/(3 e^2) = 0.8905; the paper's "
    "|Q| >= 2 excludes it.",
    repaired_by="lem:radius-monotone",
)

"""Identification: how many queries miss the optimal provider, and from when on it leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bounds.formulas.identification import (
    first_crossing_of_tightened_bound,
    identification_horizon,
    main_text_condition,
    main_text_identification_horizon,
)
from bounds.formulas.rate import growth_exponent
from bounds.formulas.selection import (
    COMPETITOR_CAP,
    ELIMINATION_BOUND,
    EXPLORATION_TARGET,
    IDENTIFICATION_BOUND,
    IDENTIFICATION_BOUND_MAIN_TEXT,
    NON_OPTIMAL_STEPS_BOUND,
    ORDINARY_BOUND,
)
from bounds.language.quantities import ALPHA, HORIZON, STEP, N
from bounds.setting.file import format_setting
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.running import across, columns_of
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.case import Carry, Case, Flags
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.evidence import Evidence, exact_evidence, not_applicable
from proofs_checks.claims.model.in_flight import IN_FLIGHT_NOTE, in_flight
from proofs_checks.claims.model.lead import leads
from proofs_checks.claims.model.precondition import unseparated
from proofs_checks.claims.model.regime import TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.statements.eligibility import selected_at_most
from proofs_checks.verdict import Verdict

COMPETITOR_SELECTIONS = selected_at_most(
    COMPETITOR_CAP, "competitors", "a competitor is selected at most max{L_i, ceil(g(T)) - 1} times"
)
NON_OPTIMAL_STEPS = Relation(
    trace.NON_OPTIMAL, NON_OPTIMAL_STEPS_BOUND, horizons, "at most N - 1 + B_id(T) queries miss i*", exact=True
)
_MOST_IN_MAIN_TEXT = N - 1 + IDENTIFICATION_BOUND_MAIN_TEXT
NON_OPTIMAL_STEPS_MAIN_TEXT = Relation(
    trace.NON_OPTIMAL, _MOST_IN_MAIN_TEXT, horizons, "at most N - 1 + B_id(T) queries miss i*, with k (T/N)^alpha"
)
NON_OPTIMAL_SHARE = Relation(
    trace.NON_OPTIMAL / HORIZON,
    _MOST_IN_MAIN_TEXT / HORIZON,
    horizons,
    "the share of queries that miss i* is at most (N - 1 + B_id(T)) / T",
)

#: What the lead of i* may lack of T.
LACKING = N + 2 * (IDENTIFICATION_BOUND + trace.OTHERS_IN_FLIGHT)
LEAD_BY_HORIZON = Relation(
    trace.RIVAL_LEAD + HORIZON,
    trace.OPTIMAL_COUNT + LACKING,
    horizons,
    "i* leads by at least T - N - 2 (B_id(T) + sum d_i)",
    exact=True,
)
LEADS_AFTER_IDENTIFICATION = leads(
    IDENTIFICATION_BOUND, "from T_id on i* has more selections than any rival", "T_id", twice=True, truthful=True
)


def literal_minimum_is_a_threshold(setting: Setting) -> Evidence:
    """Compare min{T : T > N + 2 B_id(T)} with the horizon from which the condition stays true."""
    tried = "min{T : T > N + 2 B_id(T)} against the least T from which the condition stays true"
    if (reason := "; ".join(setting.unmet_assumptions) or unseparated(setting)) is not None:
        return not_applicable(tried, reason)
    values = formula_inputs(setting)
    literal, threshold = first_crossing_of_tightened_bound(values), identification_horizon(values)
    if literal is None or threshold is None:
        return not_applicable(tried, "no identification horizon below 2^52", Verdict.VACUOUS)
    found = {"literal_minimum": literal, "threshold": threshold}
    if literal == threshold:
        return exact_evidence(tried, True, parameters=found)
    failing = next(t for t in range(literal, threshold) if t <= _needed(values, t))
    witness = {"kind": "identification", "setting": format_setting(setting), **found, "holds_at": literal}
    witness |= {"fails_at": failing, "needed_at_failure": int(_needed(values, failing))}
    return exact_evidence(tried, False, witness=witness, parameters=found)


def minimum_of_main_text_is_a_threshold(setting: Setting) -> Evidence:
    """Confirm with the real-valued B_id that the condition fails up to T_id - 1 and stays true from T_id on.

    T - N - 2 B_id(T) is convex in T, since k (T/N)^alpha is concave: what is not positive at N and at T_id - 1 is not
    positive in between, and what is positive at T_id, after it was not, grows.
    """
    tried = "T > N + 2 B_id(T), with the real-valued B_id, at N, T_id - 1 and T_id; between and beyond by convexity"
    if (reason := "; ".join(setting.unmet_assumptions) or unseparated(setting)) is not None:
        return not_applicable(tried, reason)
    values = formula_inputs(setting)
    if (threshold := main_text_identification_horizon(values)) is None:
        return not_applicable(tried, "no identification horizon below 2^52", Verdict.VACUOUS)
    at = [main_text_condition(values, horizon) for horizon in (setting.n_providers, threshold - 1, threshold)]
    return exact_evidence(tried, at == [False, False, True], checked=3, parameters={"T_id": threshold})


def _needed(values: Mapping[str, Any], horizon: int) -> float:
    """Return N + 2 B_id(T), which the horizon T must exceed."""
    return float(values["n_providers"] + 2 * IDENTIFICATION_BOUND.value(values, horizon=horizon))


def threshold_of_main_text(setting: Setting) -> Evidence:
    """Compute T_id with both forms of B_id and confirm the last failure just below it."""
    tried = "T_id as the last failure plus one; the condition at T_id and just below"
    if (reason := "; ".join(setting.unmet_assumptions) or unseparated(setting)) is not None:
        return not_applicable(tried, reason)
    values = formula_inputs(setting)
    threshold, main = identification_horizon(values), main_text_identification_horizon(values)
    if threshold is None or main is None:
        return not_applicable(tried, "no identification horizon below 2^52", Verdict.VACUOUS)
    holds = threshold > _needed(values, threshold) and threshold - 1 <= _needed(values, threshold - 1)
    return exact_evidence(tried, holds, checked=2, parameters={"T_id": threshold, "T_id_main_text": main})


def vanishing_share() -> Evidence:
    """Derive how the T-dependent term of B_id(T)/T decays: as T^-(1 - alpha); the others are constants over T."""
    import sympy

    growing = growth_exponent(EXPLORATION_TARGET.expression.subs(STEP, HORIZON) / HORIZON)
    constant = growth_exponent(1 / HORIZON)
    free = "horizon" not in {q.name for bound in (ELIMINATION_BOUND, ORDINARY_BOUND) for q in bound.inputs}
    decays = sympy.expand(growing - (1 - ALPHA)) == 0 and constant == 1 and free
    tried = "exponents of g(T)/T and 1/T by symbolic limits; M_i and L_i are free of T"
    return exact_evidence(tried, decays, parameters={"exponent": str(growing)})


@trace_check()
def original_condition(case: Case) -> Tightness:
    """Check auctions after m > M_i for all unqualified and m > L_i for all competitors, as the corollary says."""
    # Selection counts never fall: a condition that was met in an earlier part is met in this one.
    counts, setting = case.replay.counts, case.setting
    others = columns_of(counts, [*setting.unqualified, *setting.competitors])
    bounds = np.concatenate([bound(case.truthful_constants) for bound in (ELIMINATION_BOUND, ORDINARY_BOUND)])
    met = across(np.logical_and, others > bounds)
    return auctions_go_to_optimal(case, met)


def _settled(case: Case) -> Flags:
    """Where no provider but i* can win an auction any more, shape (T,)."""
    replay, constants = case.replay, case.truthful_constants
    settled = ~replay.initialization
    for provider, most in zip(case.setting.competitors, ORDINARY_BOUND(constants), strict=True):
        settled &= replay.counts[:, provider] > most
    for provider, most in zip(case.setting.unqualified, ELIMINATION_BOUND(constants), strict=True):
        gone = ~replay.eligible[:, provider]
        # The last scores of an ineligible provider may make it eligible again; without any it gets no query.
        if replay.delayed:
            gone &= replay.in_flight[:, provider] == 0
        settled &= gone | (replay.counts[:, provider] > most)
    return settled


_SETTLED: Carry[bool] = Carry(
    start=lambda setting: False, after=lambda before, case: before or bool(case.where(_settled).any())
)


@trace_check(_SETTLED)
def nobody_else_wins(case: Case) -> Tightness:
    """Check auctions after m > L_i for competitors, and the unqualified gone with nothing in flight, or m > M_i."""
    return auctions_go_to_optimal(case, case.where(_settled) | case.before_part(_SETTLED))


def auctions_go_to_optimal(case: Case, met: Flags) -> Tightness:
    """Check that from the first step at which a condition is met every auction goes to i*."""
    from_then_on = np.maximum.accumulate(met) & case.replay.auction
    if not from_then_on.any():
        return NOTHING_COMPARED
    missed = from_then_on & (case.trace.provider != case.setting.optimal)
    step = case.first_step + int(np.argmax(missed if missed.any() else from_then_on))
    where = {"relation": "the auction goes to i*", "step": step}
    return Tightness(int(from_then_on.sum()), int(missed.sum()), -float(missed.any()), None, where)


def optimal_provider_is_cheapest(setting: Setting) -> Evidence:
    """Recompute i*, the gaps and c_(2) from the providers by sorting."""
    tried = "i*, the gaps and c_(2) by sorting the qualified providers by cost"
    if setting.unmet_assumptions:
        return not_applicable(tried, "; ".join(setting.unmet_assumptions))
    threshold = setting.platform.quality_threshold
    ranked = sorted((p.mean_cost, i) for i, p in enumerate(setting.providers) if p.quality >= threshold)
    values = formula_inputs(setting)
    holds = (
        ranked[0][1] == setting.optimal
        and ranked[1][0] == setting.second_lowest_cost
        and bool((values["competitor_cost"] > values["optimal_cost"]).all())
        and bool((values["unqualified_quality"] < threshold).all())
    )
    return exact_evidence(tried, holds, checked=setting.n_providers)


OPTIMAL_PROVIDER = Claim(
    label="eq:optimal-provider",
    any_radius=True,
    name="Optimal provider",
    statement="i* is the unique cheapest qualified provider; eps_i > 0 outside Q, Delta_i > 0 in Q without i*",
    on_setting=optimal_provider_is_cheapest,
)
QUALIFIED_SUBOPTIMAL = Claim(
    label="lem:qualified-suboptimal-selection",
    name="Qualified suboptimal selections",
    statement="i in Q without i* is selected at most max{L_i, ceil(g(T)) - 1} times after initialization, at every "
    "horizon",
    checks=(COMPETITOR_SELECTIONS,),
    regime=TRUTHFUL,
)
SAMPLE_COMPLEXITY = Claim(
    label="thm:sample-complexity",
    name="Number of non-optimal steps",
    statement="at most N - 1 + B_id(T) queries miss i*, at every horizon T >= N",
    checks=(NON_OPTIMAL_STEPS_MAIN_TEXT,),
    regime=TRUTHFUL,
    # Not the reverse: divided by T, more passes as rounding.
    implies=("cor:vanishing-nonoptimal-selections",),
)
TIGHTENED = Claim(
    label="claim:B_id-tightened",
    name="Tightened B_id (appendix D)",
    statement="Theorem 3 with k (T/N)^alpha replaced by ceil(g(T)) - 1 in B_id(T)",
    checks=(NON_OPTIMAL_STEPS,),
    regime=TRUTHFUL,
    implies=("thm:sample-complexity",),
)
TIGHTENED_IN_FLIGHT = in_flight(
    replace(TIGHTENED, checks=(NON_OPTIMAL_STEPS, COMPETITOR_SELECTIONS), headline=(NON_OPTIMAL_STEPS,)),
    "at most N - 1 + B_id(T) + the sum of the d_i of all others queries miss i*, with appendix D's B_id, since i in Q "
    "without i* is selected at most max{L_i, ceil(g(T)) - 1} + d_i times after initialization",
    (trace.OTHERS_IN_FLIGHT, trace.MOST_IN_FLIGHT),
    name="Number of non-optimal steps, queries in flight",
    implies=("claim:B_id-tightened", "lem:qualified-suboptimal-selection"),
)
IDENTIFICATION_HORIZON = Claim(
    label="claim:T_id",
    name="Identification horizon",
    statement="min{T : T > N + 2 B_id(T)}, with the B_id of thm:sample-complexity, is the step beyond which the "
    "theorem guarantees the lead: from it on the condition stays true",
    on_setting=minimum_of_main_text_is_a_threshold,
)
IDENTIFICATION_HORIZON_TIGHTENED = Claim(
    label="claim:T_id:tightened",
    name="Identification horizon of appendix D",
    statement="with the B_id of appendix D, too, min{T : T > N + 2 B_id(T)} equals both the step from which the "
    "condition stays true and the printed T_id",
    on_setting=literal_minimum_is_a_threshold,
    finding="For gsm8k-full the minimum is below the printed T_id. Appendix D puts the integer cap ceil(g(T)) - 1 for "
    "k (T/N)^alpha into the definition of Section 5. Then the condition can hold at T and fail at T + 1: it holds at "
    "63,738, fails at 63,739, and stays true from 63,740 on. The printed 63,740 is right as the step beyond which the "
    "lead is guaranteed, and is not the minimum. Section 5 with the real-valued B_id has no such gap (claim:T_id), and "
    "gives 63,740 as well.",
    repaired_by="claim:T_id:repaired",
)
IDENTIFICATION_HORIZON_REPAIRED = Claim(
    label="claim:T_id:repaired",
    name="Identification horizon of appendix D, repaired",
    statement="from the least T with T' > N + 2 B_id(T') for every T' >= T on, with appendix D's B_id, i* is the "
    "unique most selected provider",
    checks=(LEADS_AFTER_IDENTIFICATION,),
    regime=TRUTHFUL,
    on_setting=threshold_of_main_text,
)
LEAD_IN_FLIGHT = Claim(
    label="claim:T_id:repaired:in-flight",
    any_delay=True,
    name="Lead of the optimal provider, queries in flight, with appendix D's bound",
    statement="i* has at least T - N - 2 (B_id(T) + the sum of the d_i of all others) selections more than any rival, "
    "with appendix D's B_id: it leads where that is positive",
    checks=(LEAD_BY_HORIZON,),
    regime=TRUTHFUL,
    implies=("claim:T_id:repaired",),
    note=IN_FLIGHT_NOTE,
)
VANISHING = Claim(
    label="cor:vanishing-nonoptimal-selections",
    name="Vanishing non-optimal share",
    statement="the share of queries that miss i* is at most (N - 1 + B_id(T))/T, which tends to 0",
    checks=(NON_OPTIMAL_SHARE,),
    regime=TRUTHFUL,
    everywhere=vanishing_share,
)
EVENTUAL = Claim(
    label="cor:eventual-ordinary-optimality",
    name="Eventual optimality of auctions",
    statement="once m > M_i for every unqualified i and m > L_i for every competitor, every auction goes to i*",
    checks=(original_condition,),
    regime=TRUTHFUL,
    finding="The condition never holds while a provider is unqualified. On the good event such a provider never "
    "reaches m > M_i. Where every provider is qualified, the condition can hold.",
    repaired_by="cor:eventual-ordinary-optimality:repaired",
)
EVENTUAL_REPAIRED = Claim(
    label="cor:eventual-ordinary-optimality:repaired",
    name="Eventual optimality of auctions, repaired",
    statement="once every unqualified provider is ineligible and m > L_i for every competitor, every auction goes "
    "to i*",
    checks=(nobody_else_wins,),
    regime=TRUTHFUL,
    # On the good event m > M_i makes i ineligible: this condition is met no later.
    implies=("cor:eventual-ordinary-optimality", "cor:eventual-ordinary-optimality:in-flight"),
)
EVENTUAL_IN_FLIGHT = in_flight(
    EVENTUAL_REPAIRED,
    "once every unqualified provider has m > M_i, or is ineligible with none of its queries in flight, and m > L_i for "
    "every competitor, every auction goes to i*",
    (None,),
    label="cor:eventual-ordinary-optimality:in-flight",
    name="Eventual optimality of auctions, queries in flight",
    note="It is about what has arrived. The condition of the repaired corollary is not enough in flight: an ineligible "
    "provider may become eligible again when its last scores arrive.",
)

"""What decides a step, in words: the counts and g(t), the kind of step that is due, and the one that was held."""

from __future__ import annotations

from bounds.words import counted, first_of
from proofs_checks.oracle.rule_oracle import Decision, RuleOracle
from proofs_checks.oracle.step_rules import Breach, one_of_providers

#: So many counts are told; of more, how many there are.
_MOST_COUNTS = 8
#: Beyond this g(t) is told in powers of ten.
_LARGE = 1e9


def deciding(oracle: RuleOracle) -> str:
    """Return what decides the next step, in a sentence; empty where nothing judges it.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> oracle = RuleOracle(usual_config(n_providers=2, exploration_scale=1.5))
    >>> deciding(oracle)
    'Step 1 of the first 2: one of providers 0, 1 is due its first query, for c_max.'
    >>> oracle.settle(0, 1.0, 0.25)
    >>> oracle.settle(1, 1.0, 0.5)
    >>> deciding(oracle)
    'g(3) = 1.84: providers 0 (1 selection), 1 (1 selection) are below it, so one of them must be explored, for c_max.'
    """
    decisions = oracle.decisions()
    if not decisions:
        return ""
    told = _told(oracle, decisions[0])
    return told if len(decisions) == 1 else f"{told} Rounding decides: another reading was accepted, too."


def _told(oracle: RuleOracle, decision: Decision) -> str:
    if decision.kind == "initialization":
        due = one_of_providers(decision.providers)
        return f"Step {oracle.step} of the first {oracle.config.n_providers}: {due} is due its first query, for c_max."
    if decision.kind == "empty":
        return "Nobody is eligible: any provider may be drawn, for c_max."
    goal = _goal(oracle)
    if decision.kind == "exploration":
        below = [f"{i} ({counted(oracle.counts[i], 'selection')})" for i in decision.providers]
        if len(below) == 1:
            return f"{goal}: provider {below[0]} is below it, so it must be explored, for c_max."
        return f"{goal}: providers {', '.join(below)} are below it, so one of them must be explored, for c_max."
    if decision.lone:
        lone = decision.eligible[0]
        served = counted(oracle.counts[lone], "selection")
        return f"{goal}: provider {lone} alone is eligible, and it has {served}, enough: it serves and is paid c_max."
    return f"{goal}: no eligible provider has fewer selections, so an auction is due."


def mistaken(oracle: RuleOracle, breach: Breach, provider: int, payment: float) -> str:
    """Return which other kind of step a mechanism seems to have held, for the end of a message; empty if none.

    Parameters
    ----------
    oracle : RuleOracle
        Before the step.
    breach : Breach
        What the answer breaks there.
    provider, payment
        The answer.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> from proofs_checks.oracle.step_rules import breaches
    >>> oracle = RuleOracle(usual_config(n_providers=2))
    >>> oracle.settle(0, 1.0, 0.25)
    >>> oracle.settle(1, 1.0, 0.5)
    >>> [breach] = breaches(oracle.decisions(), 0, 1.0, 1e-9)
    >>> mistaken(oracle, breach, 0, 1.0)
    ': the mechanism pays c_max, as in an exploration; an auction is due (selections 1, 1; target g(3) = 0.0122)'
    """
    counts = first_of([*map(str, oracle.counts)], _MOST_COUNTS)
    numbers = f"(selections {counts}; target {_goal(oracle)})"
    paid_bound = abs(payment - oracle.config.cost_bound) <= oracle.money_rounding
    if breach.rule in ("critical-payment", "index-minimizer") and paid_bound:
        also = " or without a rival" if oracle.config.quality_threshold > 0 else ""
        return f": the mechanism pays c_max, as in an exploration{also}; an auction is due {numbers}"
    if breach.rule in ("exploration-payment", "exploration-set") and not paid_bound:
        standings = oracle.standings()
        price = standings[provider].critical_payment if standings else None
        if price is not None and abs(payment - min(price, oracle.config.cost_bound)) <= oracle.money_rounding:
            return f": the mechanism pays the price of an auction; exploration is due {numbers}"
    return f": exploration is due {numbers}" if breach.rule == "exploration-set" else ""


def _goal(oracle: RuleOracle) -> str:
    """Return g(t) with its step, in as many digits as tell it from a whole number."""
    goal = float(oracle.goal)
    if goal >= _LARGE:
        return f"g({oracle.step}) = {goal:.3g}"
    near_whole = goal > 0.5 and abs(goal - round(goal)) < 0.01
    return f"g({oracle.step}) = {goal:.{12 if near_whole else len(f'{int(goal)}') + 2}g}"

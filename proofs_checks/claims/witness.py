"""Witnesses: data from which a violation can be produced again, by anybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bounds.errors import InputError
from bounds.formulas.identification import first_crossing_of_tightened_bound, identification_horizon
from bounds.formulas.radius import RADIUS
from bounds.published import published
from bounds.setting.file import parse_setting
from bounds.setting.formula_inputs import formula_inputs
from mechanism.trace import Trace
from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import claim
from proofs_checks.claims.statements.experiments import table_numbers
from proofs_checks.claims.statements.findings import profits_of_provider
from proofs_checks.claims.statements.unwidened import replays_more_wins
from proofs_checks.claims.statements.wording import (
    replays_exclusion,
    replays_main_text,
    replays_margin,
    replays_target,
    replays_tie,
)
from proofs_checks.verdict import Verdict


def replays(witness: Mapping[str, Any]) -> bool:
    """Return whether a witness produces its violation again.

    Parameters
    ----------
    witness : mapping
        From the ``witness`` of an evidence, also after a round trip through JSON.

    Raises
    ------
    InputError
        It is no witness, or the kind of witness is unknown.

    Examples
    --------
    >>> replays({"kind": "steered", "claim": "lem:payment-range", "seed": 0, "instance": 0})  # nothing is violated
    False
    """
    kind = witness.get("kind") if isinstance(witness, Mapping) else None
    if kind not in _REPLAYS:
        rule, remedy = f"is an unknown kind of witness: {kind!r}", f"the kinds are {', '.join(_REPLAYS)}"
        raise InputError("witness", witness, rule, remedy)
    return _REPLAYS[kind](witness)


def _replay_trace(witness: Mapping[str, Any]) -> bool:
    setting = parse_setting(witness["setting"], "witness")
    case = Case(setting, Trace(**witness["trace"]), dict(witness["origin"]))
    return claim(witness["claim"]).check(case).verdict is Verdict.REFUTED


def _replay_simulation(witness: Mapping[str, Any]) -> bool:
    return claim(witness["claim"]).check(_played(witness)).verdict is Verdict.REFUTED


def _replay_runs(witness: Mapping[str, Any]) -> bool:
    stated, runs = claim(witness["claim"]), witness["runs"]
    return stated.over(runs, [stated.check(_played(run)) for run in runs]).verdict is Verdict.REFUTED


def _played(run: Mapping[str, Any]) -> Case:
    setting = parse_setting(run["setting"], run["setting_name"])
    return play(setting, run["variant"], horizon=run["horizon"], seed=run["seed"], run=run["run"])


def _replay_steered(witness: Mapping[str, Any]) -> bool:
    case = instance_case(witness["seed"], witness["instance"])
    return claim(witness["claim"]).check(case).verdict is Verdict.REFUTED


def _replay_identification(witness: Mapping[str, Any]) -> bool:
    values = formula_inputs(parse_setting(witness["setting"], "witness"))
    literal, threshold = first_crossing_of_tightened_bound(values), identification_horizon(values)
    return (literal, threshold) == (witness["literal_minimum"], witness["threshold"]) and literal != threshold


def _replay_radius(witness: Mapping[str, Any]) -> bool:
    # N = 1 is outside the formula's range on purpose: evaluate its expression without the range check.
    at = {"n_providers": witness["n_providers"], "confidence": witness["confidence"]}
    small, large = (
        RADIUS.expression.subs(
            {s: (count if s.name == "count" else at[s.name]) for s in RADIUS.expression.free_symbols}
        ).evalf()
        for count in (witness["m"], witness["larger_m"])
    )
    return bool(large > small)


def _replay_strategies(witness: Mapping[str, Any]) -> bool:
    profits = profits_of_provider(witness["horizon"])
    return profits == (witness["truthful_profit"], witness["overbidding_profit"]) and profits[1] > profits[0]


def _replay_table(witness: Mapping[str, Any]) -> bool:
    return table_numbers(published(witness["setting"]).setting).verdict is Verdict.REFUTED


_REPLAYS = {
    "trace": _replay_trace,
    "simulation": _replay_simulation,
    "runs": _replay_runs,
    "steered": _replay_steered,
    "identification": _replay_identification,
    "radius": _replay_radius,
    "strategies": _replay_strategies,
    "table": _replay_table,
    "unwidened": replays_more_wins,
    "target": replays_target,
    "tie": replays_tie,
    "main-text": replays_main_text,
    "margin": replays_margin,
    "exclusion": replays_exclusion,
}

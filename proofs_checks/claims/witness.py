"""Witnesses: data from which a violation can be produced again, by anybody."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError
from bounds.formulas.identification import first_crossing_of_tightened_bound, identification_horizon
from bounds.formulas.radius import RADIUS
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import parse_setting
from bounds.setting.formula_inputs import formula_inputs
from mechanism.trace import Trace
from proofs_checks.claims.cases.instances import delayed_case, instance_case
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import shown
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.registry import claim
from proofs_checks.claims.statements.experiments import table_numbers
from proofs_checks.claims.statements.findings import payments_where_optimism_fails, profits_of_provider
from proofs_checks.claims.statements.unwidened import replays_more_wins
from proofs_checks.claims.statements.wording import (
    replays_discount,
    replays_exclusion,
    replays_main_text,
    replays_margin,
    replays_target,
    replays_tie,
    replays_unobserved_mean,
)
from proofs_checks.verdict import Verdict

#: So far may a number computed again be off, relatively: mathematical libraries round their last digits differently.
_ROUNDING = 1e-9
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a witness shows, played or computed again.

    Parameters
    ----------
    label : str
        The claim that it is a witness against.
    replays : bool
        Whether its violation came about again, with every number that it states.
    numbers : mapping
        Those of the replay, never those that a report states.
    differs : tuple of str
        The fields of the witness that came out otherwise, as paths: ``"trace.payment[3]"``.
    """

    label: str
    replays: bool
    numbers: Mapping[str, Any]
    differs: tuple[str, ...] = ()


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
    return shown_by(witness).replays


def shown_by(witness: Mapping[str, Any]) -> Shown:
    """Replay a witness, and return what it shows; arguments and errors are those of `replays`."""
    kind = str(witness.get("kind")) if isinstance(witness, Mapping) else "none"
    if kind in _TRACES:
        found, made = _TRACES[kind](witness)
        label, violated, shows = witness["claim"], found.verdict is Verdict.REFUTED, shown(found)
        made = {**made, "kind": kind, "claim": label, "shows": shows}
        numbers = {**(shows["where"] or {}), "violations in this witness": shows["violations"]}
    elif kind in _COMPUTED:
        label, again = _COMPUTED[kind]
        violated, made = again(witness), _made_again(label, witness) or {}
        numbers = numbers_in(made)
    else:
        rule, remedy = f"is an unknown kind of witness: {kind!r}", f"the kinds are {', '.join(KINDS)}"
        raise InputError("witness", witness, rule, remedy)
    differs = tuple(differing(witness, made))
    return Shown(label=label, replays=violated and not differs, numbers=numbers, differs=differs)


def differing(stated: Any, made: Any, path: str = "") -> Iterator[str]:
    """Yield where data states something else than what was made again; what it does not state is not looked at.

    Examples
    --------
    >>> list(differing({"kind": "x", "at": [1, 2.5]}, {"kind": "x", "at": [1, 2.25], "more": 3}))
    ['at[1]']
    """
    if isinstance(stated, Mapping) and isinstance(made, Mapping):
        for name, value in stated.items():
            below = f"{path}.{name}" if path else str(name)
            yield from differing(value, made[name], below) if name in made else (below,)
    elif _is_list(stated) and _is_list(made):
        for place, value in enumerate(stated):
            below = f"{path}[{place}]"
            yield from differing(value, made[place], below) if place < len(made) else (below,)
    elif not _alike(stated, made):
        yield path


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str)


def _alike(stated: Any, made: Any) -> bool:
    if isinstance(stated, bool) or isinstance(made, bool):
        return stated is made
    if stated is None:  # JSON has no infinity
        return made is None or (isinstance(made, float) and not math.isfinite(made))
    if isinstance(stated, float) or isinstance(made, float):
        numbers = isinstance(stated, (int, float)) and isinstance(made, (int, float))
        return numbers and math.isclose(stated, made, rel_tol=_ROUNDING)
    return bool(stated == made)


def numbers_in(witness: Mapping[str, Any]) -> dict[str, int | float | str]:
    """Return the numbers that a witness states by name; exact fractions are text there.

    Examples
    --------
    >>> numbers_in({"kind": "tie", "estimate": "1/2", "deviation": "3/4", "rival": "1/2"})
    {'estimate': '1/2', 'deviation': '3/4', 'rival': '1/2'}
    """
    return {
        key: value
        for key, value in witness.items()
        if isinstance(value, (int, float)) or (isinstance(value, str) and _FRACTION.fullmatch(value))
    }


_Again = tuple[Finding, Mapping[str, Any]]


def _of_trace(witness: Mapping[str, Any]) -> _Again:
    setting = parse_setting(witness["setting"], "witness")
    case = Case(setting, Trace(**witness["trace"]), dict(witness["origin"]))
    # Anybody can write a trace that breaks a claim: only the one that the claim itself builds shows something.
    return claim(witness["claim"]).check(case), _made_again(witness["claim"], witness) or {}


def _of_simulation(witness: Mapping[str, Any]) -> _Again:
    case = _played(witness)
    return claim(witness["claim"]).check(case), case.origin


def _of_runs(witness: Mapping[str, Any]) -> _Again:
    stated, cases = claim(witness["claim"]), [_played(run) for run in witness["runs"]]
    found = stated.over(witness["runs"], [stated.check(case) for case in cases])
    return found, {"runs": [case.origin for case in cases]}


def _played(run: Mapping[str, Any]) -> Case:
    setting = parse_setting(run["setting"], run["setting_name"])
    return play(setting, run["variant"], horizon=run["horizon"], seed=run["seed"], run=run["run"])


def _of_instance(witness: Mapping[str, Any]) -> _Again:
    instance = delayed_case if "delay" in witness else instance_case
    case = instance(witness["seed"], witness["instance"])
    return claim(witness["claim"]).check(case), case.origin


def _made_again(label: str, witness: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the witness that the evidence of a claim comes with today, on the setting of one that is given."""
    stated = claim(label)
    if stated.on_setting is None:
        return None if stated.everywhere is None else stated.everywhere().witness
    text = witness["setting"]
    named = text in PUBLISHED_NAMES
    found = stated.on_setting(published(text).setting if named else parse_setting(text, "witness")).witness
    # The name of a setting is no part of its text.
    return found if named or found is None else {**found, "setting": text}


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


def _replay_band(witness: Mapping[str, Any]) -> bool:
    found = payments_where_optimism_fails()
    return found["optimism_fails_by"] > 0 and found["compared"] > 0 and found["outside"] == witness["outside"] == 0


def _replay_table(witness: Mapping[str, Any]) -> bool:
    return table_numbers(published(witness["setting"]).setting).verdict is Verdict.REFUTED


_TRACES: Mapping[str, Callable[[Mapping[str, Any]], _Again]] = {
    "trace": _of_trace,
    "simulation": _of_simulation,
    "runs": _of_runs,
    "steered": _of_instance,
}
#: Each kind that is computed belongs to one claim.
_COMPUTED: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], bool]]] = {
    "identification": ("claim:T_id:tightened", _replay_identification),
    "radius": ("lem:radius-monotone:one-provider", _replay_radius),
    "strategies": ("thm:robust-dominant:best-reply", _replay_strategies),
    "table": ("claim:table-numbers", _replay_table),
    "unwidened": ("claim:widening-necessary:count", replays_more_wins),
    "band": ("claim:widening-necessary:for-convergence", _replay_band),
    "target": ("lem:forced-exploration-bound:any-g", replays_target),
    "tie": ("thm:robust-dominant:strict-at-ties", replays_tie),
    "main-text": ("claim:T_id:main-text", replays_main_text),
    "margin": ("thm:regret:advertised-margins", replays_margin),
    "exclusion": ("lem:unqualified-elimination:queries-to-exclude", replays_exclusion),
    "unobserved-mean": ("lem:good-event:means-of-all-counts", replays_unobserved_mean),
    "discount": ("eq:experimental-generation-cost:discount", replays_discount),
}
#: Every kind of witness.
KINDS = (*_TRACES, *_COMPUTED)

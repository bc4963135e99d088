"""Witnesses: data from which a violation can be produced again, by anybody."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import parse_setting
from mechanism.trace import Trace
from proofs_checks.claims.cases.instances import delayed_case, instance_case
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.model.witness_kinds import COMPUTED_KINDS
from proofs_checks.claims.registry import claim
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
        It is not a witness, or the kind of witness is unknown.

    Examples
    --------
    >>> replays({"kind": "steered", "claim": "lem:payment-range", "seed": 0, "instance": 0})  # nothing is violated
    False
    """
    return shown_by(witness).replays


def shown_by(witness: Mapping[str, Any]) -> Shown:
    """Replay a witness, and return what it shows; arguments and errors are those of `replays`."""
    kind = str(witness.get("kind")) if isinstance(witness, Mapping) else "none"
    lacking: tuple[str, ...] = ()
    if kind in _TRACES:
        found, made = _TRACES[kind](witness)
        label, violated, shows = witness["claim"], found.verdict is Verdict.REFUTED, found.shows
        made = {**made, "kind": kind, "claim": label, "shows": shows}
        numbers = {**(shows["where"] or {}), "violations in this witness": shows["violations"]}
    elif kind in COMPUTED_KINDS:
        label = COMPUTED_KINDS[kind]
        made = _made_again(label, witness) or {}
        violated, numbers = bool(made), numbers_in(made)
        lacking = tuple(name for name in made if name not in witness)
    else:
        rule, remedy = f"is an unknown kind of witness: {kind!r}", f"the kinds are {', '.join(KINDS)}"
        raise InputError("witness", witness, rule, remedy)
    differs = (*differing(witness, made), *lacking)
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


_Again = tuple[Evidence, Mapping[str, Any]]


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
    """Return the witness of what refutes a claim today, on the setting of one that is given; None if nothing does."""
    stated = claim(label)
    if stated.on_setting is None:
        return None if stated.everywhere is None else _refuting(stated.everywhere())
    text = witness["setting"]
    named = text in PUBLISHED_NAMES
    found = _refuting(stated.on_setting(published(text).setting if named else parse_setting(text, "witness")))
    # The name of a setting is no part of its text.
    return found if named or found is None else {**found, "setting": text}


def _refuting(found: Evidence) -> Mapping[str, Any] | None:
    return found.witness if found.verdict is Verdict.REFUTED else None


_TRACES: Mapping[str, Callable[[Mapping[str, Any]], _Again]] = {
    "trace": _of_trace,
    "simulation": _of_simulation,
    "runs": _of_runs,
    "steered": _of_instance,
}
#: Every kind of witness.
KINDS = (*_TRACES, *COMPUTED_KINDS)

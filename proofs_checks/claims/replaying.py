"""The witnesses in a report, replayed: what each shows, and whether it still does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, NamedTuple

from bounds.documents import Document, one_of
from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.file import parse_setting
from bounds.sheet import HasSheet, Sheet
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.claims.witness import KINDS, shown_by
from proofs_checks.verdict import Verdict

_FORM = "give the JSON of `costproof verify --json`"
#: What may go wrong in data that were changed by hand.
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True, kw_only=True)
class Replayed(Document):
    """A witness of a report, or the tightest comparison of a claim that holds, replayed.

    Parameters
    ----------
    label : str
        Label of the claim.
    setting : str or None
        Name of its setting; None if it needs none.
    kind : str
        What the witness is made of; none where a refuted claim lacks one.
    shows : str
        The numbers of the replay, in words; no number is the report's own.
    replays : bool
        Whether the violation, or the tightest comparison, came about again, with every number that the report states.
    differs : tuple of str
        Fields of the witness that came out otherwise: fails_at, trace.payment[3].
    holds : bool
        Whether the claim holds there, and this is its tightest comparison.
    """

    label: str
    setting: str | None
    kind: Annotated[str, one_of((*KINDS, "none"))]
    shows: str
    replays: bool
    differs: tuple[str, ...] = ()
    holds: bool = False


class ReplayedWitnesses(tuple[Replayed, ...], HasSheet):
    """The witnesses of a report, replayed: a tuple that is also a table."""

    def sheet(self) -> Sheet:
        """Return a row for every witness."""
        columns = [each.name for each in fields(Replayed)]
        rows = ({**vars(one), "differs": ", ".join(one.differs) or None} for one in self)
        return Sheet.of("Witnesses, replayed", columns, rows)


def replay_report(report: Mapping[str, Any], labels: Collection[str] = ()) -> ReplayedWitnesses:
    """Replay the witnesses in a report: of all claims, or of some, and the tightest comparisons of these.

    Examples
    --------
    >>> witness = {"kind": "steered", "claim": "lem:payment-range", "seed": 0, "instance": 0}
    >>> row = {"label": "lem:payment-range", "setting": None, "evidence": [{"verdict": "REFUTED", "witness": witness}]}
    >>> [found.replays for found in replay_report({"claims": [row]})]  # nothing is violated there
    [False]
    """
    found = _witnesses(report)
    known = dict.fromkeys(one.label for one in found)
    for label in labels:
        if not any(is_or_varies(one, label) for one in known):
            remedy = f"those with one are {', '.join(known)}" if known else "nothing is refuted in it"
            raise InputError("labels", label, "has no witness in this report", remedy)
    if labels:
        wanted = [each for each in found if any(is_or_varies(each.label, label) for label in labels)]
    else:
        wanted = [each for each in found if not each.holds]
    built_in = report.get("built_in", PUBLISHED_NAMES)
    return ReplayedWitnesses(_replayed(one, built_in) for one in wanted)


class _Found(NamedTuple):
    """A witness of a report, None where a refutation lacks one, what it was found with, and its place if none fails."""

    label: str
    setting: str | None
    witness: Mapping[str, Any] | None
    parameters: Mapping[str, Any]
    holds: bool
    where: Any


def _witnesses(report: Mapping[str, Any]) -> list[_Found]:
    """Return label, setting and witness of every witness in a report; None as witness where a refutation lacks one."""
    rows = report.get("claims") if isinstance(report, Mapping) else None
    if isinstance(rows, Sequence) and rows and isinstance(report.get("violation_counts"), Mapping):
        remedy = "its witness is the log: run `costproof audit` on that again"
        raise InputError("report", "an audit", "holds no witnesses", remedy)
    if isinstance(report, Mapping) and "checks" in report:
        remedy = "run the script that `costproof check` prints for the failure"
        raise InputError("report", "a check", "holds no witnesses", remedy)
    if not rows or not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError("report", report, "is not a report of claims", _FORM)
    return [found for place, row in enumerate(rows) for found in _witnesses_of(f"claims[{place}]", row)]


def _witnesses_of(place: str, row: Any) -> Iterator[_Found]:
    label, setting, pieces = (_item(place, row, key) for key in ("label", "setting", "evidence"))
    if not isinstance(pieces, Sequence) or isinstance(pieces, str):
        raise _no_report(place, "has no list of evidence")
    for number, piece in enumerate(pieces):
        verdict, witness = (_item(f"{place}.evidence[{number}]", piece, key) for key in ("verdict", "witness"))
        holds = witness is None and verdict != Verdict.REFUTED.value
        witness = piece.get("tightest_run") if holds else witness
        if witness is not None or not holds:
            parameters = piece.get("parameters")
            parameters = parameters if isinstance(parameters, Mapping) else {}
            yield _Found(
                label=str(label),
                setting=setting,
                witness=witness,
                parameters=parameters,
                holds=holds,
                where=piece.get("where"),
            )


def _item(place: str, holder: Any, key: str) -> Any:
    if not isinstance(holder, Mapping) or key not in holder:
        raise _no_report(place, f"lacks {key!r}")
    return holder[key]


def _no_report(place: str, problem: str) -> InputError:
    return InputError("report", place, f"{problem}, so it is not a report of claims", _FORM)


def _replayed(one: _Found, built_in: Collection[str]) -> Replayed:
    label, setting, witness = one.label, one.setting, one.witness
    if witness is None:
        shows = "REFUTED in the report, which has no witness for it"
        return Replayed(label=label, setting=setting, kind="none", shows=shows, replays=False)
    try:
        again = shown_by(witness)
        elsewhere = tuple(dict.fromkeys(_of_another_place(one, witness, built_in)))
    except InputError as error:
        rule = f"holds a witness that cannot be replayed ({error.argument} {error.rule})"
        raise InputError("report", label, rule, error.remedy) from None
    except _UNREADABLE as error:
        rule = f"holds a witness that cannot be read ({type(error).__name__}: {error})"
        raise InputError("report", label, rule, _FORM) from error
    if again.label != label:
        raise InputError("report", label, f"holds a witness against {again.label}", "undo what was changed by hand")
    return Replayed(
        label=label,
        setting=setting,
        kind=witness["kind"],
        shows=_shown(again.numbers),
        replays=(again.replays or (one.holds and not again.differs)) and not elsewhere,
        differs=tuple(dict.fromkeys([*again.differs, *elsewhere])),
        holds=one.holds,
    )


def _of_another_place(one: _Found, witness: Mapping[str, Any], built_in: Collection[str]) -> Iterator[str]:
    """Yield the fields by which a witness is not of the setting, seed and length of runs that are listed with it."""
    if one.holds and witness["shows"] != {"violations": 0, "where": one.where}:
        yield "shows"
    runs = [run for run in witness.get("runs", [witness]) if isinstance(run, Mapping)]
    for place, run in enumerate(runs):
        within = "" if run is witness else f"runs[{place}]."
        if run.get("setting_name", one.setting) != one.setting:
            yield f"{within}setting_name"
        if (text := run.get("setting")) is not None and one.setting in built_in and one.setting in PUBLISHED_NAMES:
            same = text == one.setting or parse_setting(text, one.setting) == published(one.setting).setting
            yield from [] if same else [f"{within}setting"]
        if run.get("seed", 0) != one.parameters.get("seed", run.get("seed", 0)):
            yield f"{within}seed"
        usual = one.parameters.get("horizon" if run.get("variant") == "truthful" else "variant_horizon")
        if usual is None or "variant" not in run:
            continue
        # A run has at least a query of each provider.
        if run["horizon"] != max(usual, parse_setting(run["setting"], run["setting_name"]).n_providers):
            yield f"{within}horizon"


def _shown(numbers: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in numbers.items()
    )

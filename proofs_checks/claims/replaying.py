"""The witnesses in a report, replayed: what each shows, and whether it still does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from bounds.errors import InputError
from bounds.sheet import HasSheet, Sheet
from proofs_checks.claims.witness import replays

_FORM = "give the JSON of `costproof verify --json`"
#: What may go wrong in data that were changed by hand.
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A witness of a report, replayed.

    Parameters
    ----------
    label : str
        The claim that it refutes.
    setting : str or None
        The setting that it is about; None for small instances.
    kind : str
        What it is made of, see `proofs_checks.claims.witness`.
    shows : str
        What is violated, in words.
    replays : bool
        Whether the violation came about again.
    """

    label: str
    setting: str | None
    kind: str
    shows: str
    replays: bool

    def to_data(self) -> dict[str, Any]:
        """Return the fields as plain JSON data."""
        return dict(vars(self))


class ReplayedWitnesses(tuple[Replayed, ...], HasSheet):
    """The witnesses of a report, replayed: a tuple that is also a table."""

    def sheet(self) -> Sheet:
        """Return a row for every witness."""
        columns = [each.name for each in fields(Replayed)]
        return Sheet.of("Witnesses, replayed", columns, (one.to_data() for one in self))


def replay_report(report: Mapping[str, Any], labels: Collection[str] = ()) -> ReplayedWitnesses:
    """Replay the witnesses in a report, of some claims or of all.

    Parameters
    ----------
    report : mapping
        As `VerifyReport.to_data` returns and ``verify --json`` prints it.
    labels : collection of str, optional
        Only the witnesses of these claims and of their variants.

    Raises
    ------
    InputError
        It is no such report, a witness in it cannot be read, or one of the claims has no witness there.

    Examples
    --------
    >>> witness = {"kind": "steered", "claim": "lem:payment-range", "seed": 0, "instance": 0}
    >>> row = {"label": "lem:payment-range", "setting": None, "evidence": [{"tried": "one", "witness": witness}]}
    >>> [found.replays for found in replay_report({"claims": [row]})]  # nothing is violated there
    [False]
    """
    found = _witnesses(report)
    known = dict.fromkeys(label for label, *_ in found)
    for label in labels:
        if not any(_is_of(one, label) for one in known):
            remedy = f"those with one are {', '.join(known)}" if known else "nothing is refuted in it"
            raise InputError("labels", label, "has no witness in this report", remedy)
    wanted = [one for one in found if not labels or any(_is_of(one[0], label) for label in labels)]
    return ReplayedWitnesses(_replayed(*one) for one in wanted)


def _is_of(label: str, wanted: str) -> bool:
    """Whether a label is the wanted one or a variant of it."""
    return f"{label}:".startswith(f"{wanted}:")


_Found = tuple[str, str | None, Mapping[str, Any], Mapping[str, Any]]


def _witnesses(report: Mapping[str, Any]) -> list[_Found]:
    """Return label, setting, evidence and witness of every witness in a report."""
    rows = report.get("claims") if isinstance(report, Mapping) else None
    if isinstance(rows, Sequence) and rows and isinstance(report.get("violation_counts"), Mapping):
        remedy = "its witness is the log: run `costproof audit` on that again"
        raise InputError("report", "an audit", "holds no witnesses", remedy)
    if isinstance(report, Mapping) and "checks" in report:
        remedy = "run the script that `costproof check` prints for the failure"
        raise InputError("report", "a check", "holds no witnesses", remedy)
    try:
        return [
            (str(row["label"]), row["setting"], piece, piece["witness"])
            for row in rows or _no_claims()
            for piece in row["evidence"]
            if piece["witness"] is not None
        ]
    except (KeyError, TypeError, AttributeError):
        raise InputError("report", report, "is no report of claims", _FORM) from None


def _no_claims() -> Sequence[Any]:
    raise KeyError("claims")


def _replayed(label: str, setting: str | None, piece: Mapping[str, Any], witness: Mapping[str, Any]) -> Replayed:
    try:
        again = replays(witness)
    except InputError as error:
        raise InputError("report", label, f"holds a witness that is none ({error.rule})", error.remedy) from None
    except _UNREADABLE as error:
        rule = f"holds a witness that cannot be read ({type(error).__name__}: {error})"
        raise InputError("report", label, rule, _FORM) from error
    return Replayed(label=label, setting=setting, kind=witness["kind"], shows=_shown(piece), replays=again)


def _shown(piece: Mapping[str, Any]) -> str:
    where = piece.get("where") or {}
    at = ", ".join(
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in where.items()
    )
    return f"{piece.get('tried', '')}{f' ({at})' if at else ''}"

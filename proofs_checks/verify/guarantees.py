"""What is guaranteed of the settings that are verified: the paper's bounds at the horizon of their runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from bounds.documents import Document, FromOne, OpenProbability, one_of
from bounds.glossary import unit_of
from bounds.guarantees import GUARANTEES
from bounds.proved_as import ProvedAs
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting


@dataclass(frozen=True, kw_only=True)
class SettingGuarantee:
    """A guarantee, as in `bounds --json`.

    Parameters
    ----------
    guarantee : str
        What is bounded.
    unit : str
        Unit of the bound.
    label : str
        Label in the paper of what states it.
    value : float or None
        The bound; None where an assumption leaves it undefined.
    applies : bool
        Whether the theorem speaks of this setting and horizon.
    reason : str or None
        Why it does not apply, or is not informative; None if neither.
    trivial : float or None
        What holds without any theory; None where it is undefined.
    informative : bool
        Whether it applies and is below its trivial value.
    informative_from : int or None
        Least horizon from which on it always is informative; None if there is none.
    why_never : str or None
        Why no horizon makes it informative; None if one does.
    proved_as : str or None
        Verdict on the claim that states it; None where the setting lacks what that assumes.
    """

    guarantee: Annotated[str, one_of(GUARANTEES)]
    unit: Annotated[str, one_of(dict.fromkeys(map(unit_of, GUARANTEES)))]
    label: str
    value: float | None
    applies: bool
    reason: str | None
    trivial: float | None
    informative: bool
    informative_from: FromOne | None
    why_never: str | None
    proved_as: ProvedAs | None


@dataclass(frozen=True, kw_only=True)
class SettingGuarantees(Document):
    """What the paper guarantees of a setting at the horizon of its truthful runs.

    Parameters
    ----------
    setting : str
        Name of the setting.
    horizon : int
        T.
    confidence : float
        Probability delta with which the guarantees may fail.
    identification_horizon : int or None
        T_id: from there on the optimum is guaranteed to lead; None where it is undefined or beyond 2^52.
    bounds : tuple of SettingGuarantee
        The guarantees.
    """

    setting: str
    horizon: FromOne
    confidence: OpenProbability
    identification_horizon: FromOne | None
    bounds: tuple[SettingGuarantee, ...]


def guarantees_of_setting(setting: Setting, horizon: int) -> SettingGuarantees:
    """Return the guarantees of a setting at a horizon, one after another, and T_id.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = guarantees_of_setting(published("gpqa-strong").setting, 70_000)
    >>> found.identification_horizon, found.bounds[0].guarantee, found.bounds[0].value
    (153697, 'identification', 76846)
    """
    report = evaluate_bounds(setting, horizon)
    return SettingGuarantees(
        setting=setting.name,
        horizon=horizon,
        confidence=report.confidence,
        identification_horizon=report.identification_horizon,
        bounds=tuple(
            SettingGuarantee(
                guarantee=name,
                unit=unit_of(name),
                label=bound.label,
                value=bound.value,
                applies=bound.applies,
                reason=bound.reason,
                trivial=bound.worth.trivial,
                informative=bound.worth.informative,
                informative_from=bound.worth.informative_from,
                why_never=bound.worth.why_never,
                proved_as=bound.backing.proved_as,
            )
            for name, bound in report.guarantees.items()
        ),
    )

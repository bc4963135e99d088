"""From a folder of recorded generations to the market of a setting, and what to tell about it."""

from __future__ import annotations

import os

from bounds.setting.model import Setting
from mechanism.recorded.files import load_generations
from mechanism.recorded.market import RecordedLaws
from mechanism.recorded.setting import base_models_of, recorded_laws

__all__ = ["load_recorded_laws", "recording_notes"]

#: Largest difference to a setting's quality, and to its mean cost in relation to it, that is not worth a note.
QUALITY_TOLERANCE, COST_TOLERANCE = 1e-3, 1e-2
_SHOWN = 3


def load_recorded_laws(
    folder: str | os.PathLike[str], setting: Setting, *, benchmark: str | None = None
) -> RecordedLaws:
    """Load the recorded generations that a setting's providers serve.

    Parameters
    ----------
    folder : str or path-like
    setting : Setting
        Only its models are loaded; rewards are required if a provider is best-of-n.
    benchmark : str, optional
        See `mechanism.recorded.files.load_generations`.

    Returns
    -------
    RecordedLaws

    Raises
    ------
    InputError
        What `load_generations` and `mechanism.recorded.setting.recorded_laws` refuse.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.4, 0.05, 8.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("a", 0.5, 4.0, 0.5), Provider("b", 0.25, 4.0, 0.5)])
    >>> rows = "a,q,0,1,10\\na,q,1,0,10\\nb,q,0,0,5\\nb,q,1,0,15\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.csv").write_text("model,question,generation,correct,tokens\\n" + rows)
    ...     laws = load_recorded_laws(folder, setting)
    >>> laws.market(seed=0, run=0).outcome(step=1, provider=0)[1]
    4.0
    >>> recording_notes(laws, setting)
    ("recorded qualities differ from the setting's, which regrets use: most for b, 0 against 0.25",)
    """
    models = tuple(dict.fromkeys(base_models_of(setting)))
    best_of_n = any(provider.multiplicity > 1 for provider in setting.providers)
    generations = load_generations(folder, benchmark, models=models, require_rewards=best_of_n)
    return recorded_laws(generations, setting)


def recording_notes(laws: RecordedLaws, setting: Setting) -> tuple[str, ...]:
    """Return what somebody who runs a setting on recorded generations should know, a line each.

    Parameters
    ----------
    laws : RecordedLaws
        Of the setting's providers.
    setting : Setting

    Returns
    -------
    tuple of str
        Questions that were left out, repeated rows, and the largest difference to the setting's qualities and mean
        costs if it exceeds 1e-3 and 1 percent.
    """
    report = laws.generations.alignment
    notes = []
    if report.misalignments:
        left_out = f"{len(report.dropped)} question(s) are left out"
        notes.append(f"{left_out}: {_listed([str(each) for each in report.misalignments])}")
    if report.repeated_rows:
        notes.append(f"repeated rows are ignored: {_listed(report.repeated_rows)}")
    providers = range(setting.n_providers)
    qualities = [(float(laws.quality(i)), float(setting.providers[i].quality)) for i in providers]
    costs = [(float(laws.mean_cost(i)), float(setting.providers[i].mean_cost)) for i in providers]
    notes += _difference("qualities", setting, qualities, [QUALITY_TOLERANCE] * len(qualities))
    notes += _difference("mean costs", setting, costs, [COST_TOLERANCE * stated for _, stated in costs])
    return tuple(notes)


def _listed(found: list[str] | tuple[str, ...]) -> str:
    more = len(found) - _SHOWN
    return "; ".join(found[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _difference(what: str, setting: Setting, pairs: list[tuple[float, float]], tolerances: list[float]) -> list[str]:
    """Return a line on the provider whose recorded value exceeds its tolerance most, or nothing if none does."""
    excess = [abs(found - stated) - tolerance for (found, stated), tolerance in zip(pairs, tolerances, strict=True)]
    worst = max(range(len(excess)), key=excess.__getitem__)
    if excess[worst] <= 0:
        return []
    found, stated = pairs[worst]
    name = setting.providers[worst].name
    most = f"most for {name}, {found:.6g} against {stated:.6g}"
    return [f"recorded {what} differ from the setting's, which regrets use: {most}"]

"""Figures of settings drawn and written to a folder, several settings at the same time."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from bounds.errors import InputError
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from bounds.setting.model import Setting
from mechanism.campaign.records import CampaignResult
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.files import reason, replacing
from mechanism.parallel import open_workers
from mechanism.policy_names import PLATFORM
from proofs_checks.conformance.own_policies import is_own, own_policies
from proofs_checks.figures.catalogue import FigureKind
from proofs_checks.figures.drawing import chosen_kinds, draw, kinds_of_policies
from proofs_checks.figures.inline import inline_svg
from proofs_checks.figures.look import save
from proofs_checks.figures.pictures import FigureReport, NotDrawn, Picture
from proofs_checks.figures.runs import SettingRuns

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, kw_only=True)
class FigureRequest:
    """What is to be drawn, how, and what becomes of it: files in a folder, or text to stand in a page, or neither."""

    kinds: tuple[FigureKind, ...]
    dark: bool = False
    folder: str | None = None
    formats: tuple[Format, ...] = FORMATS
    inline: bool = False


def check_formats(formats: Sequence[str]) -> tuple[Format, ...]:
    """Return formats, each once, or raise an `InputError`.

    Examples
    --------
    >>> check_formats(["png", "svg", "png"])
    ('png', 'svg')
    """
    known: dict[str, Format] = {form: form for form in FORMATS}
    for form in formats:
        if form not in known:
            raise InputError("formats", form, f"must be one of {', '.join(FORMATS)}", "or several with commas between")
    if not formats:
        raise InputError("formats", "", "names no format", f"give one or more of {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(known[form] for form in formats))


def simulated(
    setting: Setting, horizon: int | None = None, *, runs: int = 30, seed: int = 0, policies: Sequence[str] = ()
) -> SettingRuns:
    """Play a setting as figures need it: its policies, and the log of one platform run if that is among them.

    Parameters
    ----------
    setting : Setting
    horizon : int, optional
        T; by default the paper's, or N.
    runs, seed : int, optional
    policies : sequence of str, optional
        Names, of one's own as MODULE:OBJECT; by default those of the paper that the setting's prices allow.

    Raises
    ------
    proofs_checks.conformance.play.subject.MechanismError
        A policy of one's own fails.
    """
    horizon = default_horizon(setting) if horizon is None else horizon
    check_horizon(setting, horizon)
    with own_policies(policies) as own:
        campaign = Campaign(
            setting,
            horizon=horizon,
            runs=runs,
            seed=seed,
            window=default_window(setting, horizon),
            policies=tuple(policies),
            own_policies=own,
        )
        return runs_of(run_campaign(campaign, traces=False, curves=True))


def runs_of(result: CampaignResult) -> SettingRuns:
    """Return what figures are drawn from, for a campaign of one setting with curves."""
    (part,) = result.campaign.parts
    log = None
    if PLATFORM in part.policies:
        log = part.episode(PLATFORM).trace(horizon=part.horizon, seed=part.seed, run=0)
    return SettingRuns(
        setting=part.setting,
        curves={policy: curves for (_, policy), curves in result.curves.items()},
        first_run=log,
        margin=part.outcome_laws().tables().margin,
    )


def draw_settings(
    settings: Sequence[Setting],
    request: FigureRequest,
    horizon: int | None = None,
    *,
    policies: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
    **effort: Any,
) -> FigureReport:
    """Simulate settings and draw them; for files and pages, one process per setting.

    Policies of one's own are played in this process, one setting after another.

    Parameters
    ----------
    settings : sequence of Setting
        With different names.
    request : FigureRequest
    horizon, policies, **effort
        As `simulated` takes them.
    jobs : int, optional
        Processes; they change no figure.
    progress : callable, optional
        Called with the settings done and all of them.
    """
    if request.folder is not None:
        make_folder(request.folder)
    stems = file_stems([setting.name for setting in settings])
    play = functools.partial(simulated, horizon=horizon, policies=policies, **effort)
    tasks = [(position, setting, stems[position], request, play) for position, setting in enumerate(settings)]
    found: dict[int, list[Picture | NotDrawn]] = {}
    progress(0, len(tasks))
    leaves = (request.inline or request.folder is not None) and not any(map(is_own, policies))
    with open_workers("processes", jobs if leaves else 1) as workers:
        for position, results in workers.run(_simulate_and_draw, tasks):
            found[position] = results
            progress(len(found), len(tasks))
    return report_of([each for position in sorted(found) for each in found[position]])


def draw_runs(runs: SettingRuns, request: FigureRequest) -> FigureReport:
    """Draw what runs of one setting allow."""
    if request.folder is not None:
        make_folder(request.folder)
    (stem,) = file_stems([runs.setting.name])
    return report_of(_draw(runs, stem, request))


def _simulate_and_draw(
    position: int, setting: Setting, stem: str, request: FigureRequest, play: Callable[[Setting], SettingRuns]
) -> tuple[int, list[Picture | NotDrawn]]:
    return position, _draw(play(setting), stem, request)


def _draw(runs: SettingRuns, stem: str, request: FigureRequest) -> list[Picture | NotDrawn]:
    return [written(draw(kind, runs, dark=request.dark), f"{stem}-{kind.name}", request) for kind in request.kinds]


def report_of(results: Sequence[Picture | NotDrawn]) -> FigureReport:
    """Return what was drawn and what was not, each in its order."""
    return FigureReport(
        pictures=tuple(one for one in results if isinstance(one, Picture)),
        not_drawn=tuple(one for one in results if isinstance(one, NotDrawn)),
    )


def written(result: Picture | NotDrawn, stem: str, request: FigureRequest) -> Picture | NotDrawn:
    """Write a figure to its files or as text, if that was asked for; the figure itself is then let go."""
    if isinstance(result, NotDrawn) or result.drawn is None:
        return result
    if request.inline:
        return replace(result, svg=inline_svg(result.drawn, title=result.title, alt=result.alt), drawn=None)
    if request.folder is None:
        return result
    ending = "-dark" if request.dark else ""
    files = []
    for form in request.formats:
        path = os.path.join(request.folder, f"{stem}{ending}.{form}")
        with replacing(path, "out", "name a folder you may write to") as new:
            save(result.drawn, os.fspath(new), form, title=result.title, alt=result.alt)
        files.append(path)
    return replace(result, files=tuple(files), drawn=None)


def make_folder(folder: str) -> None:
    """Make a folder, or raise an `InputError` if that cannot be."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        rule = f"is not a folder that can be written to ({reason(error)})"
        raise InputError("out", folder, rule, "name another") from None


def file_stems(names: Sequence[str]) -> list[str]:
    """Return what file names begin with, by setting: safe on every system, and different from each other.

    Examples
    --------
    >>> file_stems(["gpqa-strong", "../my <market>", "../my {market}"])
    ['gpqa-strong', 'my-market-2', 'my-market-3']
    """
    stems = [re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60] or "setting" for name in names]
    folded = [stem.casefold() for stem in stems]
    return [
        stem if folded.count(stem.casefold()) == 1 else f"{stem}-{position}" for position, stem in enumerate(stems, 1)
    ]


def request_of(
    names: Sequence[str],
    *,
    folder: str | None,
    formats: Sequence[str] = FORMATS,
    dark: bool = False,
    inline: bool = False,
    policies: Sequence[str] = (),
) -> FigureRequest:
    """Return a request for figures by their names; where none is named for all, with policies for those that show them.

    Raises
    ------
    InputError
        No such figure or format, or a figure that has no place for policies, and some are named.
    """
    kinds = chosen_kinds(names) if not policies else kinds_of_policies(names)
    return FigureRequest(kinds=kinds, dark=dark, folder=folder, formats=check_formats(formats), inline=inline)

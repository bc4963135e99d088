"""Figures of settings drawn and written to a folder, several settings at the same time."""

from __future__ import annotations

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
from mechanism.policies import PLATFORM
from proofs_checks.conformance.own_policies import is_own, own_policies
from proofs_checks.figures.catalogue import FigureKind
from proofs_checks.figures.drawing import (
    NotDrawn,
    Picture,
    Ratios,
    chosen_kinds,
    draw,
    draw_across,
    kinds_of_policies,
    ratios_of,
)
from proofs_checks.figures.inline import inline_svg
from proofs_checks.figures.look import save
from proofs_checks.figures.runs import SettingRuns

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, kw_only=True)
class FigureReport:
    """What was drawn, and what could not be."""

    pictures: tuple[Picture, ...]
    not_drawn: tuple[NotDrawn, ...]

    def __repr__(self) -> str:
        return f"FigureReport({len(self.pictures)} figures, {len(self.not_drawn)} not drawn)"

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "figures": [each.to_data() for each in self.pictures],
            "not_drawn": [each.to_data() for each in self.not_drawn],
        }


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be drawn, how, and what becomes of it: files in a folder, or text to stand in a page, or neither."""

    kinds: tuple[FigureKind, ...]
    dark: bool = False
    folder: str | None = None
    formats: tuple[Format, ...] = FORMATS
    inline: bool = False


@dataclass(frozen=True, kw_only=True)
class FigureEffort:
    """How a setting is simulated: T (default the paper's, or N), R and the seed.

    `policies` are names, of one's own as MODULE:OBJECT; empty for those of the paper that the setting's prices allow.
    """

    horizon: int | None = None
    runs: int = 30
    seed: int = 0
    policies: tuple[str, ...] = ()


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


def simulated(setting: Setting, effort: FigureEffort, jobs: int = 1) -> SettingRuns:
    """Play a setting as figures need it: its policies, and the log of one platform run if that is among them.

    Raises
    ------
    proofs_checks.conformance.play.subject.MechanismError
        A policy of one's own fails.
    """
    horizon = default_horizon(setting) if effort.horizon is None else effort.horizon
    check_horizon(setting, horizon)
    with own_policies(effort.policies) as own:
        campaign = Campaign(
            setting,
            horizon=horizon,
            runs=effort.runs,
            seed=effort.seed,
            window=default_window(setting, horizon),
            policies=effort.policies,
            own_policies=own,
        )
        return runs_of(run_campaign(campaign, jobs=jobs, traces=False, curves=True))


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
        margin=part.market().tables().margin,
    )


def draw_settings(
    settings: Sequence[Setting],
    request: Request,
    effort: FigureEffort,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FigureReport:
    """Simulate settings and draw them; for files and pages, one process per setting.

    Policies of one's own are played in this process, one setting after another.

    Parameters
    ----------
    settings : sequence of Setting
        With different names.
    request : Request
    effort : FigureEffort
    jobs : int, optional
        Processes; they change no figure.
    progress : callable, optional
        Called with the settings done and all of them.
    """
    if request.folder is not None:
        make_folder(request.folder)
    stems = file_stems([setting.name for setting in settings])
    tasks = [(position, setting, stems[position], request, effort) for position, setting in enumerate(settings)]
    found: list[_Drawn] = []
    progress(0, len(tasks))
    leaves = (request.inline or request.folder is not None) and not any(map(is_own, effort.policies))
    with open_workers("processes", jobs if leaves else 1) as workers:
        for each in workers.run(_simulate_and_draw, tasks):
            found.append(each)
            progress(len(found), len(tasks))
    found.sort(key=lambda each: each.position)
    return _report(found, request)


def draw_runs(runs: SettingRuns, request: Request) -> FigureReport:
    """Draw what runs of one setting allow."""
    if request.folder is not None:
        make_folder(request.folder)
    (stem,) = file_stems([runs.setting.name])
    return _report([_draw(0, runs, stem, request)], request)


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """The figures of one setting, and what it adds to that of all settings, if that is asked for."""

    position: int
    results: tuple[Picture | NotDrawn, ...]
    ratios: Ratios | None


def _simulate_and_draw(position: int, setting: Setting, stem: str, request: Request, effort: FigureEffort) -> _Drawn:
    return _draw(position, simulated(setting, effort), stem, request)


def _draw(position: int, runs: SettingRuns, stem: str, request: Request) -> _Drawn:
    kinds = [kind for kind in request.kinds if not kind.across]
    results = tuple(written(draw(kind, runs, dark=request.dark), f"{stem}-{kind.name}", request) for kind in kinds)
    ratios = ratios_of(runs) if any(kind.across for kind in request.kinds) else None
    return _Drawn(position=position, results=results, ratios=ratios)


def _report(found: Sequence[_Drawn], request: Request) -> FigureReport:
    ratios = [each.ratios for each in found if each.ratios is not None]
    across = [
        written(draw_across(ratios, dark=request.dark), kind.name, request) for kind in request.kinds if kind.across
    ]
    results = [*(one for each in found for one in each.results), *across]
    return FigureReport(
        pictures=tuple(one for one in results if isinstance(one, Picture)),
        not_drawn=tuple(one for one in results if isinstance(one, NotDrawn)),
    )


def written(result: Picture | NotDrawn, stem: str, request: Request) -> Picture | NotDrawn:
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
        rule = f"is no folder that can be written to ({reason(error)})"
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
) -> Request:
    """Return a request for figures by their names; where none is named for all, with policies for those that show them.

    Raises
    ------
    InputError
        No such figure or format, or a figure that has no place for policies, and some are named.
    """
    kinds = chosen_kinds(names) if not policies else kinds_of_policies(names)
    return Request(kinds=kinds, dark=dark, folder=folder, formats=check_formats(formats), inline=inline)

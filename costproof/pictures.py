"""Figures of settings, drawn or written to a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bounds.loading import AnySetting
from bounds.published import PUBLISHED_NAMES
from costproof.arguments import settings_of
from proofs_checks.figures.extra import require_matplotlib

if TYPE_CHECKING:
    from proofs_checks.figures.pictures import FigureReport


def figures(
    names: str | Iterable[str] = (),
    settings: AnySetting | Iterable[AnySetting] = PUBLISHED_NAMES,
    horizon: int | None = None,
    *,
    runs: int = 30,
    seed: int = 0,
    policies: str | Iterable[str] = (),
    dark: bool = False,
    out: str | os.PathLike[str] | None = None,
    formats: str | Iterable[str] = ("svg", "pdf", "png"),
    jobs: int = 1,
) -> FigureReport:
    """Draw the paper's figures, and those that it has not, from runs of our own.

    Parameters
    ----------
    names : str or iterable of str, optional
        Figures, as ``"payments"``; default all (``costproof figures --list`` names them).
    settings : Setting, PublishedSetting, str, path-like or several of these, optional
        Settings, built-in names or paths of TOML files; default the five of the paper.
    horizon : int, optional
        T, at least N; default 70,000, the paper's, or N if that is larger.
    runs : int, optional
        R of every policy; default 30, the paper's.
    seed : int, optional
    policies : str or iterable of str, optional
        Names of policies, of one's own as ``"MODULE:OBJECT"``, in the figures that show policies; default the paper's,
        as far as the setting's prices allow.
    dark : bool, optional
        For a dark page.
    out : str or path-like, optional
        Folder for files. Without one, nothing is written.
    formats : str or iterable of str, optional
        Of the files: ``"svg"``, ``"pdf"``, ``"png"``.
    jobs : int, optional
        Processes, where files are written; they change no figure.

    Returns
    -------
    FigureReport
        ``pictures``, each with its title, its alternative text, the labels of the paper's figures that it stands for
        and its files, or, without a folder, the `matplotlib.figure.Figure` as ``drawn``; and ``not_drawn``, with
        reasons.

    Raises
    ------
    InputError
        matplotlib is not installed, there is no such figure, setting, policy or format, a figure has no place for
        policies, or the folder cannot be written.
    proofs_checks.conformance.play.subject.MechanismError
        A policy of one's own fails.

    Examples
    --------
    >>> report = figures("landscape", "gpqa-strong", 600, runs=2)
    >>> [picture] = report.pictures
    >>> picture.figure, picture.labels, len(picture.drawn.axes)
    ('landscape', ('fig:strong-landscape',), 1)
    """
    require_matplotlib()
    # matplotlib takes half a second, and is an extra.
    from proofs_checks.figures.files import draw_settings, request_of

    chosen = (policies,) if isinstance(policies, str) else tuple(dict.fromkeys(policies))
    request = request_of(
        (names,) if isinstance(names, str) else tuple(names),
        folder=None if out is None else os.fspath(out),
        formats=(formats,) if isinstance(formats, str) else tuple(formats),
        dark=dark,
        policies=chosen,
    )
    given = settings_of(settings)
    return draw_settings(given, request, horizon, policies=chosen, runs=runs, seed=seed, jobs=jobs)

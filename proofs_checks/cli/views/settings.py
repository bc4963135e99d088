"""The table of `costproof settings`."""

from __future__ import annotations

from bounds.sheet import number
from proofs_checks.cli.output import write
from proofs_checks.cli.views.plain import lines, plain_width

TYPE_CHECKING = False  # to load `typing` takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bounds.published import PublishedSetting

_TITLE = "Money in 1e-6 USD per query; |Q| of N providers are qualified"
_HEAD = ("name", "N", "|Q|", "q_min", "c_max", "cheapest qualified", "2nd cost")
_NEXT = ("Next: costproof bounds gsm8k-full", "or:   costproof settings NAME > my-market.toml")
#: Said of the last of these, below it.
_OF_LAST, _INDENT = "(one as TOML, ready to edit)", 6


def show_settings(papers: Iterable[PublishedSetting]) -> None:
    """Print the built-in settings."""
    rows = [_row(paper) for paper in papers]
    opening = f"{len(rows)} settings of the paper are built in; each name serves wherever SETTING stands."
    width = plain_width()
    after = (*_NEXT, " " * _INDENT + _OF_LAST)
    plain = None if width is None else lines(width, (opening, _TITLE), (_HEAD, *rows), after)
    if plain is None:
        _lay_out(opening, rows)
    else:
        write("\n".join(plain) + "\n")


def _row(paper: PublishedSetting) -> tuple[str, ...]:
    setting = paper.setting
    return (
        setting.name,
        str(setting.n_providers),
        str(len(setting.qualified)),
        f"{setting.platform.quality_threshold:g}",
        f"{setting.platform.cost_bound:g}",
        paper.optimal_provider,
        number(setting.second_lowest_cost),
    )


def _lay_out(opening: str, rows: Sequence[Sequence[str]]) -> None:
    from proofs_checks.cli.views.console import console, say, show, table  # takes as long as all else

    screen = console()
    say(screen, opening)
    found = table(_TITLE, dict.fromkeys(_HEAD, "whole"))
    for row in rows:
        found.add_row(*row)
    show(screen, found)
    for sentence in _NEXT:
        say(screen, sentence)
    say(screen, _OF_LAST, indent=_INDENT)

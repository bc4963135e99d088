"""What `costproof sweep` prints: a row for every setting, or for the first of many, and the next command."""

from __future__ import annotations

import shlex

import numpy as np

from bounds.glossary import name_of
from bounds.guarantees import GUARANTEES
from bounds.proved_as import backing_of
from bounds.words import at_most, counted, to_digits
from mechanism.sweep import SweepResult
from proofs_checks.cli.views.console import console, number, say, show, suggest, table

#: Rows on the screen at most; a table for papers or programs has all.
_MOST_ROWS = 40
#: Means of runs beside the bounds.
_MEANS = {
    "share_of_optimal": "share of i*",
    "unqualified_share": "unqualified",
    **{name: name_of(name) for name in ("quality_regret", "excess_payment", "average_payment_deviation")},
}


def show_sweep(found: SweepResult, *, asked: str) -> None:
    """Print a sweep; `asked` is how the caller named the setting, for the next command."""
    screen, sweep = console(), found.sweep
    keys = ", ".join(axis.key for axis in sweep.axes)
    say(screen, f"{counted(len(found), 'setting')} of {sweep.setting.name} over {keys}", style="bold")
    leads = found.column("identification_horizon")
    known = leads[np.isfinite(leads)]
    if len(known):
        span = f"{number(known.min())} to {number(known.max())}" if known.min() < known.max() else number(known.min())
        platform = sweep.setting.platform
        by = f"{sweep.method} bounds" if platform.papers_radius else f"radius {platform.radius}"
        say(screen, f"i* is guaranteed to lead from T_id = {span} on ({by}).")
    if len(known) < len(found):
        without = counted(len(found) - len(known), "setting")
        say(screen, f"In {without} the theory promises no lead: --json says why.", style="yellow")
    screen.print()
    heads = {name: name_of(name) for name in GUARANTEES}
    title = f"At most, by the {sweep.method} bounds (*: not below its trivial value, so not informative)"
    if not sweep.setting.platform.papers_radius:
        title = f"T_id for radius {sweep.setting.platform.radius}, to which the {sweep.method} bounds do not apply"
    _rows(found, title, heads, bounds=True)
    if found.simulated:
        screen.print()
        _rows(found, f"Means of {counted(sweep.runs, 'simulated run')}, seed {sweep.seed}", _MEANS, bounds=False)
    if len(found) > _MOST_ROWS:
        say(screen, f"These are {_MOST_ROWS} of {len(found):,} settings, evenly spread; --csv has all.")
    if told := _not_proved(found):
        say(screen, told)
    say(screen, "-: the theorem does not apply, or the number is undefined. Money in the unit of cost_bound.")
    words = " ".join(shlex.quote(f"{axis.key}={','.join(map(str, axis.values))}") for axis in sweep.axes[:1])
    if len(sweep.axes) == 1 and len(words) < 200 and not sweep.runs:
        horizon = "" if sweep.axes[0].key == "horizon" else f" --horizon {sweep.horizon}"
        again = f"costproof sweep {shlex.quote(asked)} --over {words}{horizon} --runs 10"
        suggest(screen, again, "what happens there in simulated runs")


def _rows(found: SweepResult, title: str, heads: dict[str, str], *, bounds: bool) -> None:
    axes = found.sweep.axes
    told = [{"": "whole"} if len(axes) > 1 else {}, dict.fromkeys((axis.key for axis in axes), "right")]
    columns = {name: kind for each in told for name, kind in each.items()}
    columns |= {"T_id": "right"} if bounds else {}
    narrow = (head.replace(" ", "\n") for head in heads.values())
    result = table(title, columns | dict.fromkeys(narrow, "right"))
    chosen, texts = _chosen(found), {axis.key: axis.texts for axis in axes}
    values = {name: found.column(name if bounds else f"simulated.{name}") for name in heads}
    leads = found.column("identification_horizon")
    for place in chosen:
        point = found.sweep.points[place]
        cells = [str(place + 1)] if len(axes) > 1 else []
        cells += [texts[key][value] for key, value in point.items()]
        cells += [to_digits(leads[place], 4, keep_whole=True)] if bounds else []
        for name in heads:
            value = values[name][place]
            if bounds and not np.isnan(value):
                cells.append(f"{at_most(value)}{'' if found.informative(name)[place] else ' *'}")
            else:
                cells.append(to_digits(value, 4, keep_whole=True))
        result.add_row(*cells)
    show(console(), result)


def _chosen(found: SweepResult) -> list[int]:
    """Return the settings that have a row on the screen."""
    return [int(place) for place in np.unique(np.linspace(0, len(found) - 1, min(_MOST_ROWS, len(found))).astype(int))]


def _not_proved(found: SweepResult) -> str:
    """Return which bounds above are proved for other settings alone, and in how many of those shown; empty if none."""
    settings = [(place, found.sweep.at(place)[0]) for place in _chosen(found)]
    told = []
    for name in GUARANTEES:
        values, label = found.column(name), GUARANTEES[name].label
        lacking = sum(
            not np.isnan(values[place]) and backing_of(setting, label, found.sweep.method).proved_as is None
            for place, setting in settings
        )
        told += [f"{name_of(name)} ({counted(lacking, 'setting')})"] if lacking else []
    if not told:
        return ""
    return f"Not proved there: {', '.join(told)}. `costproof bounds` says why."

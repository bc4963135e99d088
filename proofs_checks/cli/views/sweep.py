"""What `costproof sweep` prints: a row for every setting, or for some of many, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import numpy as np

from bounds.glossary import name_of
from bounds.grid.axes import ALIASES
from bounds.guarantees import GUARANTEES
from bounds.proved_as import backing_of
from bounds.setting.model import Setting
from bounds.setting.region import Region
from bounds.words import at_most, counted, listed, to_digits
from mechanism.sweep import SweepResult
from proofs_checks.cli.views.console import Screen, console, number

#: Rows at most: on the screen, there with many axes, and with --all; a table for papers or programs has all.
_ROWS, _NARROW_ROWS, _MOST_ROWS = 12, 4, 40
#: Axes at most for which a row of the screen fits into a line.
_FEW_AXES = 3
#: Characters of the name of an optimum that fits into such a row of one axis.
_NAME_ROOM = 16
#: Bounds of the screen: without and with means of runs, of which it has so many.
_SHOWN, _FEW_SHOWN, _MOST_MEANS = ("identification", "excess_payment", "average_payment_deviation"), 2, 3
#: Means of runs, by column.
_MEANS = {
    "simulated.share_of_optimal": "share of i*",
    "simulated.unqualified_share": "unqualified",
    "simulated.amount_paid": "mean amount paid",
    **{f"simulated.{name}": f"mean {name_of(name)}" for name in ("quality_regret", "excess_payment")},
    "simulated.average_payment_deviation": "mean average payment deviation",
}
#: Bounds that a table may have, and the heads of those that are not called by their name.
_BOUNDS, _HEADS = (*GUARANTEES, "burn_in"), {"burn_in": "T_0"}
#: The symbols of keys, which make narrow columns.
_SYMBOLS = {key: symbol for symbol, key in ALIASES.items()}


def show_sweep(found: SweepResult, *, asked: str, everything: bool = False) -> None:
    """Print a sweep; `asked` is how the caller named the setting, for the next command."""
    screen, sweep, papers = console(), found.sweep, found.sweep.setting.platform.papers_radius
    chosen = _chosen(found, everything)
    keys = ", ".join(axis.key for axis in sweep.axes)
    screen.say(f"{counted(len(found), 'setting')} of {sweep.setting.name} over {keys}", style="bold")
    screen.say_estimates(sweep.setting)
    settings = (sweep.at(place)[0] for place in chosen)
    optima = ["-" if each.optimal is None else each.providers[each.optimal].name for each in settings]
    # Where a column of names does not fit, the table would be cut in two.
    fit = everything or (len(sweep.axes) == 1 and not found.simulated and max(map(len, optima)) <= _NAME_ROOM)
    leads = found.column("identification_horizon")
    known = leads[np.isfinite(leads)]
    if len(known):
        span = f"{number(known.min())} to {number(known.max())}" if known.min() < known.max() else number(known.min())
        by = f"{sweep.method} bounds" if papers else f"radius {sweep.setting.platform.radius}: costproof docs radii"
        whose = f" of each row{'' if fit else ' (--all names it)'}" if len({*optima}) > 1 else f" ({optima[0]})"
        screen.say(f"The optimum i*{whose} is guaranteed the most selections from T_id = {span} on ({by}).")
    if undefined := len(found) - len(known):
        screen.say(f"T_id is undefined in {counted(undefined, 'setting')}: --json has why.", style="yellow")
    screen.print()
    fixed = all(axis.key != "horizon" for axis in sweep.axes)
    at = f" at T = {sweep.horizon:,}" * fixed
    title = f"At most{at}, by the {sweep.method} bounds (*: not informative)"
    if not papers:
        title = f"T_id for radius {sweep.setting.platform.radius}, to which the {sweep.method} bounds do not apply"
    if found.simulated:
        title = f"{title}; means of {counted(sweep.runs, 'simulated run')}, seed {sweep.seed}"
    bounds = {name: _HEADS.get(name, name_of(name)) for name in (_BOUNDS if everything else _shown(found))}
    means = dict(list(_MEANS.items())[: None if everything else _MOST_MEANS]) if found.simulated else {}
    named = optima if fit and len({*optima}) > 1 else [""] * len(chosen)
    _show_rows(screen, found, dict(zip(chosen, named, strict=True)), title, bounds | means)
    if len(found) > len(chosen):
        more = "--csv has all" if everything else "--all prints more, --csv all"
        screen.say(f"These are {len(chosen)} of {len(found):,} settings, evenly spread; {more}.")
    if line := _not_proved(found, chosen):
        screen.say(line)
    legend = ["T_0: until there the bound on the average payment deviation is trivial, perhaps longer."] * (
        "burn_in" in bounds
    )
    shown = np.array([found.column(name)[chosen] for name in ("identification_horizon", *bounds, *means)])
    legend += ["-: the theorem does not apply, or the number is undefined."] * bool(np.isnan(shown).any())
    screen.say(" ".join([*legend, "Money is in the unit of cost_bound."]))
    missing = [head for head in (_MEANS.values() if found.simulated else ()) if head not in means.values()]
    missing = [name_of(name) for name in (GUARANTEES if papers else ()) if name not in bounds] + missing
    if missing:
        screen.say(f"Not shown (--all): {listed(missing)}.")
    words = " ".join(shlex.quote(f"{axis.key}={','.join(map(str, axis.values))}") for axis in sweep.axes[:1])
    if len(sweep.axes) == 1 and len(words) < 200 and not sweep.runs:
        horizon = f" --horizon {sweep.horizon}" * fixed
        again = f"costproof sweep {shlex.quote(asked)} --over {words}{horizon} --runs 10"
        screen.suggest(again, "what happens in simulated runs")
    elif fixed and len(known) and known.max() > sweep.horizon and not _is_open(sweep.setting):
        goal = f"costproof plan {shlex.quote(asked)} --goal identify-by={sweep.horizon}"
        screen.suggest(goal, f"parameters, if any, with T_id at most {sweep.horizon:,}")


def _show_rows(
    screen: Screen, found: SweepResult, chosen: Mapping[int, str], title: str, heads: Mapping[str, str]
) -> None:
    """Print a row for each chosen setting: the axes, i* where it is named, T_id, and the columns with these heads."""
    axes, several = found.sweep.axes, len(found.sweep.axes) > 1
    columns = ({"": "whole"} if several else {}) | {_head(axis.key): "right" for axis in axes}
    columns |= {"i*": "whole"} if any(chosen.values()) else {}
    columns |= {head.replace(" ", "\n"): "right" for head in ("T_id", *heads.values())}
    rows, texts = [], {axis.key: axis.texts for axis in axes}
    informative = {name: found.informative[name] for name in heads if name in GUARANTEES}
    values = {name: found.column(name) for name in ("identification_horizon", *heads)}
    for place, optimum in chosen.items():
        cells = [str(place + 1)] if several else []
        cells += [texts[key][value] for key, value in found.sweep.points[place].items()]
        cells += [optimum] * bool(optimum)
        for name, column in values.items():
            value = column[place]
            if name in informative and not np.isnan(value):
                cells.append(f"{at_most(value)}{'' if informative[name][place] else ' *'}")
            else:
                cells.append(to_digits(value, 4, keep_whole=True))
        rows.append(cells)
    screen.table(title, columns, rows)


def _shown(found: SweepResult) -> list[str]:
    """Return the bounds of the screen that are defined somewhere on the grid."""
    kept = _SHOWN[: _FEW_SHOWN if found.simulated else None]
    return [name for name in kept if not np.isnan(found.column(name)).all()]


def _is_open(setting: Setting) -> bool:
    """Whether the uncertain inputs leave open who is qualified or who is the optimum."""
    return setting.is_uncertain and not Region(setting=setting).is_settled


def _head(key: str) -> str:
    """Return the heading of an axis: its symbol if it has one, else the key on several lines."""
    return _SYMBOLS.get(key, key.replace(".", ".\n"))


def _chosen(found: SweepResult, everything: bool) -> list[int]:
    """Return the settings that have a row on the screen."""
    most = _MOST_ROWS if everything else _ROWS if len(found.sweep.axes) <= _FEW_AXES else _NARROW_ROWS
    return [int(place) for place in np.unique(np.linspace(0, len(found) - 1, min(most, len(found))).astype(int))]


def _not_proved(found: SweepResult, chosen: list[int]) -> str:
    """Return which bounds above are proved for other settings alone, and in how many of those shown; empty if none."""
    settings = [(place, found.sweep.at(place)[0]) for place in chosen]
    told = []
    for name in GUARANTEES:
        values, label = found.column(name), GUARANTEES[name].label
        lacking = sum(
            not np.isnan(values[place]) and backing_of(setting, label, found.sweep.method).proved_as is None
            for place, setting in settings
        )
        told += [f"{name_of(name)} ({counted(lacking, 'setting')})"] if lacking else []
    return f"Not proved: {', '.join(told)}; costproof bounds prints why." if told else ""

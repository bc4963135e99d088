"""What `costproof compare` prints: which policy is lower in words, a row for every metric, and the next command."""

from __future__ import annotations

import shlex
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from bounds.glossary import name_of
from bounds.words import all_but, counted, to_digits
from mechanism.comparison.compare import ComparedMetric, Comparison
from proofs_checks.cli.views.console import console, number, say, show, suggest, table
from proofs_checks.cli.views.simulate import flags_of

#: Of every number on the screen.
_DIGITS = 4


def show_comparison(found: Comparison, *, asked: str) -> None:
    """Print a comparison; `asked` is how the caller named the setting, for the next command."""
    screen = console()
    part = found.part
    first, second = part.policies
    for metric in found.metrics:
        say(screen, _sentence(metric, found), style="bold")
    screen.print()
    say(screen, f"A is {first}, B is {second}, on {part.setting.name}: {_played(found)}")
    for told in found.warnings:
        say(screen, told, style="yellow")
    columns = {"metric (mean of a run)": "whole", **dict.fromkeys(("A", "B", "A - B", "from", "to", "most"), "right")}
    rows = table("", columns)
    for each in found.metrics:
        means = (to_digits(mean, _DIGITS) for mean in (each.first_mean, each.second_mean, each.mean_difference))
        most = to_digits(each.largest_difference, _DIGITS)
        rows.add_row(name_of(each.metric), *means, *_outward(each.low, each.high), most)
    show(screen, rows)
    say(
        screen,
        f"from, to: the expected A - B lies between them after every run, in all rows, with probability "
        f"{all_but(found.error)} at least, whenever one stops. most: no run can differ by more. Only "
        "this and the independence of runs are assumed: no normal distribution (costproof docs compare).",
    )
    _suggest_next(found, asked)


def _sentence(metric: ComparedMetric, found: Comparison) -> str:
    first, second = found.part.policies
    name = name_of(metric.metric)
    if metric.lower is None or metric.decided_after is None:
        between = " and ".join(_outward(metric.low, metric.high))
        return (
            f"Which has the lower {name} is open after {counted(found.runs, 'pair')} of runs: "
            f"{first} minus {second} lies between {between}."
        )
    other = second if metric.lower == first else first
    least, most = _outward(*sorted((abs(metric.low), abs(metric.high))))
    known = f"known after {counted(metric.decided_after, 'pair')} of runs"
    return f"{metric.lower} has the lower {name}: {least} to {most} below {other} ({known})."


def _played(found: Comparison) -> str:
    part = found.part
    return (
        f"{counted(found.runs, 'pair')} of runs of {part.horizon:,} queries, seed {part.seed}, {part.bidders} bidders"
    )


def _outward(low: float, high: float) -> tuple[str, str]:
    """Return the ends of an interval with four digits, the lower rounded down and the upper up."""
    down, up = (Context(prec=_DIGITS, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))
    return number(float(down.create_decimal_from_float(low))), number(float(up.create_decimal_from_float(high)))


def _suggest_next(found: Comparison, asked: str) -> None:
    part = found.part
    first, second = map(shlex.quote, part.policies)
    how = flags_of(part)
    if found.decided < len(found.metrics):
        # The same metrics and error: who keeps the open ones alone would share the error anew, after looking.
        same = "".join(f" --metric {each.metric}" for each in found.metrics) + f" --error {found.error:g}"
        more = f"costproof compare {first} {second} {asked} {how} --runs {4 * found.most_runs}{same}"
        suggest(console(), more, "the same with more runs")
        return
    again = f"costproof simulate {asked} --policy {first} --policy {second} {how}"
    suggest(console(), f"{again} --runs {found.runs} --all", "every metric of the same runs")

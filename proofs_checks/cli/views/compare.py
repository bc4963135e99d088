"""What `costproof compare` prints: which policy is lower in words, a row for every metric, and the next command."""

from __future__ import annotations

import math
import shlex
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from bounds.glossary import name_of, unit_of
from bounds.words import all_but, counted, listed, rough, rounded_up, to_digits
from mechanism.comparison.compare import ComparedMetric, Comparison
from proofs_checks.cli.views.console import Screen, console, number
from proofs_checks.cli.views.simulate import flags_of, invoices, show_unused_prices

#: More pairs than this are not suggested.
_MOST_RUNS = 100_000
#: Of every number on the screen.
_DIGITS = 4


def show_comparison(found: Comparison, *, everything: bool, asked: str) -> None:
    """Print a comparison; `asked` is how the caller named the setting, for the next command."""
    screen = console()
    part = found.part
    first, second = part.policies
    screen.say(_verdict(found), style="bold")
    screen.say(
        f"A is {first}, B is {second}: means over runs of {part.horizon:,} queries on {part.setting.name}, "
        f"seed {part.seed}, {part.bidders} bidders."
    )
    for warning in found.warnings:
        screen.say(warning, style="yellow")
    screen.say_estimates(part.setting)
    numbers = ("A", "B", "A - B", "paired interval", "anytime interval", *("largest", "decided after") * everything)
    rows = []
    for each in found.metrics:
        total = " per run" * (unit_of(each.metric) in ("money", "quality points"))
        rows.append((name_of(each.metric), f"{unit_of(each.metric)}{total}", *_cells(each)[: len(numbers)]))
    screen.table("", {"metric": "whole", "unit": "whole", **dict.fromkeys(numbers, "right")}, rows)
    screen.say(invoices(part, part.policies))
    show_unused_prices(screen, part.outcome_laws(), everything)
    for line in _what_intervals_mean(found):
        screen.say(line)
    if everything:
        screen.say("largest: no run can differ by more. decided after: pairs after which it is known who is lower.")
    _suggest_next(screen, found, asked)


def _what_intervals_mean(found: Comparison) -> list[str]:
    """Say under which assumptions the intervals hold, and how probably."""
    early = " (it was not: comparing stopped when all was decided)" if found.runs < found.most_runs else ""
    return [
        f"paired interval: Student's t. It assumes a number of pairs that was fixed beforehand{early}, and means that "
        "are about normal.",
        "anytime interval: valid after every pair, whenever one stops. It assumes the range of a metric alone "
        "(costproof docs compare).",
        "Intervals are for the expected A - B; those of one kind hold in all rows with probability "
        f"{all_but(found.error)} at least.",
    ]


def _verdict(found: Comparison) -> str:
    """Say in one sentence under which policy each metric is lower, and which are open."""
    named: dict[str | None, list[str]] = {}
    for each in found.metrics:
        named.setdefault(each.lower, []).append(name_of(each.metric))
    undecided = named.pop(None, [])
    parts = [f"{policy} has the lower {listed(names)}" for policy, names in named.items()]
    parts += [f"which one is lower is open for {listed(undecided)}"] * bool(undecided)
    return f"After {counted(found.runs, 'pair')} of runs, by the anytime interval: {'; '.join(parts)}."


def _cells(each: ComparedMetric) -> list[str]:
    means = (to_digits(mean, _DIGITS) for mean in (each.first_mean, each.second_mean, each.mean_difference))
    after = "open" if each.decided_after is None else f"{each.decided_after:,}"
    intervals = _interval(each.paired_low, each.paired_high), _interval(each.low, each.high)
    return [*means, *intervals, to_digits(each.largest_difference, _DIGITS), after]


def _interval(low: float | None, high: float | None) -> str:
    """Return an interval with four digits, the lower end rounded down and the upper up."""
    if low is None or high is None:
        return "-"
    down, up = (Context(prec=_DIGITS, rounding=way) for way in (ROUND_FLOOR, ROUND_CEILING))
    ends = down.create_decimal_from_float(low), up.create_decimal_from_float(high)
    return " to ".join(number(float(end)) for end in ends)


def _suggest_next(screen: Screen, found: Comparison, asked: str) -> None:
    part = found.part
    first, second = map(shlex.quote, part.policies)
    how = flags_of(part)
    if found.decided < len(found.metrics):
        # The same metrics and error: who keeps the open ones alone would share the error anew, after looking.
        same = "".join(f" --metric {each.metric}" for each in found.metrics) + f" --error {found.error:g}"
        share = min(abs(e.mean_difference) / e.largest_difference for e in found.metrics if e.decided_after is None)
        # How many pairs decide where differences hardly vary (costproof docs compare).
        needed = rounded_up(math.log(4 / found.error_each) / share, 2) if share else 0.0
        if needed <= _MOST_RUNS:
            runs = max(4 * found.most_runs, int(needed))
            why = (
                "the runs that these differences need at least, if they are the true ones"
                if share
                else "four times as many runs"
            )
            screen.suggest(f"costproof compare {first} {second} {asked} {how} --runs {runs}{same}", why)
            return
        screen.say(f"The smallest open difference needs {rough(needed)} pairs or more to be decided.")
    again = f"costproof simulate {asked} --policy {first} --policy {second} {how}"
    screen.suggest(f"{again} --runs {found.runs} --all", "every metric of the same runs")

"""What `costproof coverage` prints: what the exact failure says about delta, then providers and eliminations."""

from __future__ import annotations

import math
import shlex

from rich.table import Table

from bounds.words import all_but, counted, rough, rounded_up, share, until_distinct
from proofs_checks.cli.views.console import MOST_PROVIDERS, console, number, say, show, suggest, table
from proofs_checks.coverage.report import QUANTILES, CoverageReport

#: The runs that the paper reports.
_RUNS = 30
#: A probability below which an outcome would surprise.
_RARE = 0.05


def show_coverage(report: CoverageReport, asked: str) -> None:
    """Print a report; `asked` is how the setting was named, for the next command."""
    screen = console()
    for line in headline(report):
        say(screen, line)
    show(screen, _bands(report))
    say(screen, _worst(report))
    if any(each.elimination is not None for each in report.providers):
        show(screen, _eliminations(report))
        say(
            screen,
            "Selections after the first: a number is exceeded with at most the probability above its column, whatever "
            "the others do. The law is that of a provider that is always selected while it is eligible.",
            style="dim",
        )
    for each in report.providers:
        if each.no_elimination is not None:
            say(screen, f"{each.provider.name} is not followed to its elimination: {each.no_elimination}.")
    if len(report.providers) > MOST_PROVIDERS:
        say(screen, f"{MOST_PROVIDERS} providers are shown; all {len(report.providers):,} are in what --json prints.")
    say(
        screen,
        "Assumed: scores are 0 or 1; scores and costs are independent, with the means of the setting, costs with the "
        "laws of its market. Questions that are asked in passes break this (costproof docs coverage).",
        style="dim",
    )
    suggest(screen, f"costproof bounds {shlex.quote(asked)}", "what is guaranteed while all bands hold")


def headline(report: CoverageReport) -> list[str]:
    """Return what a person would say aloud: how improbable a failure is, and what runs without one tell."""
    delta, total = report.confidence, report.total
    name = report.setting.name
    lines = [f"{name}: the good event fails with probability at most {upwards(total)}. delta allows {delta:g}."]
    if 0 < total < delta:
        lines[0] += f" That is {rough(delta / total)} times as much."
    seen = report.runs_to_see_a_failure
    if seen is not None:
        shown = "show only that it fails less often than delta allows"
        if (1 - delta) ** _RUNS > _RARE:
            shown = "test nothing"
        held = (1 - delta) ** _RUNS
        if_failing = f"{held:.2g}" if held < 0.995 else all_but(-math.expm1(_RUNS * math.log1p(-delta)))
        lines.append(
            f"If it held in {_RUNS} of {_RUNS} runs, that would {shown}. It would do so with probability "
            f"{all_but(report.some_fail(_RUNS))} by this number, and with {if_failing} even if it failed as "
            f"often as delta allows. A failure is seen with probability 0.95 only after {rough(seen)} runs."
        )
    return lines


def upwards(value: float) -> str:
    """Return a probability with three digits, rounded up.

    Examples
    --------
    >>> upwards(4.1271e-06), upwards(0.0), upwards(1.0)
    ('4.13e-06', '0', '1')
    """
    return f"{rounded_up(value, 3, keep_whole=False):.3g}"


def _bands(report: CoverageReport) -> Table:
    budget = report.providers[0].budget
    title = f"Probability, at most, that a mean ever leaves its band; budget delta/(2N) = {budget:.3g} each for scores"
    heads = ("quality", "scores", "of budget", "costs", "excluded")
    found = table(f"{title} and for costs", {"provider": "whole", **dict.fromkeys(heads, "right")})

    def add(name: str, quality: str, scores: float, allowed: float, costs: float, excluded: float | None) -> None:
        cells = quality, upwards(scores), _share(scores, allowed), upwards(costs)
        found.add_row(name, *cells, "-" if excluded is None else upwards(excluded))

    for each in report.providers[:MOST_PROVIDERS]:
        provider, failure = each.provider, each.score_failure
        add(provider.name, f"{provider.quality:.4g}", failure, each.budget, each.costs.upper, each.downward)
    excluded = report.false_exclusion if report.setting.qualified else None
    add("all providers", "", report.score_failure, report.confidence / 2, report.cost_failure, excluded)
    return found


def _share(failure: float, budget: float) -> str:
    if not failure:
        return "0"
    if failure < budget:
        return f"1/{rough(budget / failure)}"
    return f"{failure / budget:.3g}" if budget else "1"


def _worst(report: CoverageReport) -> str:
    worst, budget = report.worst, report.providers[0].budget
    lines = [
        f"Scores: exact up to {counted(report.counts, 'selection')}, rounding enclosed; beyond, a bound for all laws "
        f"({upwards(report.providers[0].tail_bound)} a provider)."
    ]
    if report.rounding_hides:
        lines.append("Where rounding hides the exact probability, the bound for all laws is shown: the whole budget.")
    if report.setting.qualified:
        lines.append(
            "excluded: the probability, at most, that a qualified provider is ever excluded; its mean must leave its "
            "band downwards first."
        )
    low, high = until_distinct(lambda digits: (f"{worst.failure:.{digits}g}", f"{worst.at_most:.{digits}g}"), 3)
    if worst.failure > 0:
        other = "" if worst.quality == 0.5 else f" or {1 - worst.quality:.4f}"
        lines.append(f"Worst quality: {worst.quality:.4f}{other}, with {low} at least.")
    how = "found by cutting 0..1 into cells and bounding each" if worst.at_most < budget else "the bound for all laws"
    lines.append(f"No quality has more than {high} (budget {budget:.3g}): {how}.")
    return " ".join(lines)


def _eliminations(report: CoverageReport) -> Table:
    heads = [share(rest) for rest in QUANTILES]
    found = table(
        "Selections that eliminate an unqualified provider",
        {"provider": "whole", "mean": "right", **dict.fromkeys(heads, "right")},
    )
    for each in report.providers[:MOST_PROVIDERS]:
        if each.elimination is not None:
            known = dict(each.elimination.quantiles)
            cells = [number(known.get(rest)) for rest in QUANTILES]
            found.add_row(each.provider.name, f"{each.elimination.mean.middle:,.1f}", *cells)
    return found

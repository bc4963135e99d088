"""What `costproof coverage` prints: how improbable a failure is beside delta, then providers and eliminations."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from bounds.words import all_but, counted, rough, rounded_up, share, until_distinct
from proofs_checks.cli.views.console import Screen, console, largest, number
from proofs_checks.coverage.report import QUANTILES, CoverageReport, ProviderCoverage

#: The runs that the paper reports.
_RUNS = 30
#: A probability below which an outcome would surprise.
_RARE = 0.05
#: Providers of a table on the screen at most, and the probabilities of its columns.
_MOST_SHOWN, _MOST_ELIMINATED, _SHOWN = 7, 3, QUANTILES[:2]


def show_coverage(report: CoverageReport, asked: str, everything: bool = False) -> None:
    """Print a report; `asked` is how the setting was named, for the next command."""
    screen, providers = console(), report.providers
    failing = providers if everything else largest(providers, [each.score_failure for each in providers], _MOST_SHOWN)
    followed = [each for each in providers if each.elimination is not None]
    means = [each.elimination.mean.middle for each in followed if each.elimination is not None]
    slowest = followed if everything else largest(followed, means, _MOST_ELIMINATED)
    screen.say(" ".join(headline(report, everything)))
    screen.say_estimates(report.setting)
    screen.print()
    _show_bands(screen, report, failing, everything)
    screen.left_out(providers, failing)
    screen.say(_worst(report, everything))
    screen.print()
    if slowest:
        _show_eliminations(screen, slowest, QUANTILES if everything else _SHOWN)
        screen.left_out(followed, slowest)
    if everything:
        for each in providers:
            if each.no_elimination is not None:
                screen.say(f"{each.provider.name} is not followed to its elimination: {each.no_elimination}.")
        screen.say(
            "Selections are those after the first. The law is that of a provider that is always selected while it is "
            "eligible; other providers do not change it. Assumed: scores are 0 or 1; scores and costs are independent, "
            "with the means of the setting, costs with the laws of its market. Questions that are asked in passes "
            "break this (costproof docs coverage).",
            style="dim",
        )
    screen.suggest(f"costproof bounds {shlex.quote(asked)}", "what is guaranteed while all bands hold")
    if not everything:
        screen.say("--all prints every provider and probability, and what is assumed.")


def headline(report: CoverageReport, everything: bool = True) -> list[str]:
    """Return the answer: how improbable a failure is, and what runs without one show."""
    delta, total = report.confidence, report.total
    name = report.setting.name
    times = f", {rough(delta / total)} times as much" if 0 < total < delta else ""
    lines = [
        f"{name}: the good event (all bands hold) fails with probability at most {upwards(total)}; "
        f"delta allows {delta:g}{times}."
    ]
    seen = report.runs_to_see_a_failure
    if seen is not None:
        held = (1 - delta) ** _RUNS
        shown = "show nothing" if held > _RARE else "show only that it fails less often than delta allows"
        if_failing = f"{held:.2g}" if held < 0.995 else all_but(-math.expm1(_RUNS * math.log1p(-delta)))
        lines.append(
            f"{_RUNS} runs (as many as the paper has) without a failure {shown}: they "
            f"have probability {if_failing} even if it failed as often as delta allows."
        )
        if everything:
            by_total = all_but(-math.expm1(_RUNS * math.log1p(-report.total)))
            lines.append(
                f"At that probability of failure theirs is {by_total}. A failure is seen with probability 0.95 only "
                f"after {rough(seen)} runs."
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


def _show_bands(screen: Screen, report: CoverageReport, shown: Sequence[ProviderCoverage], everything: bool) -> None:
    title = "Probability, at most, that the mean score or cost ever leaves its band"
    heads = ("quality", "score leaves", "cost leaves", "excluded", *(("score's budget / it",) * everything))
    excluded = report.false_exclusion if report.setting.qualified else None
    rows = [
        (each.provider.name, f"{each.provider.quality:.4g}", each.score_failure, each.costs.upper, each.downward)
        for each in shown
    ]
    cells = []
    for name, quality, *chances in (*rows, ("all providers", "", report.score_failure, report.cost_failure, excluded)):
        allowed = report.providers[0].budget if quality else report.confidence / 2
        times = [rough(allowed / chances[0]) if chances[0] else "-"] * everything
        cells.append((name, quality, *("-" if chance is None else upwards(chance) for chance in chances), *times))
    screen.table(title, {"provider": "whole", **dict.fromkeys(heads, "right")}, cells)


def _worst(report: CoverageReport, everything: bool) -> str:
    worst, budget = report.worst, report.providers[0].budget
    lines = []
    if report.setting.qualified:
        lines.append("excluded: that a qualified provider is ever ruled out: its mean score falls below its band.")
    if report.rounding_hides:
        lines.append("Where rounding hides the exact probability, the bound for all laws is shown: the whole budget.")
    if not everything:
        return " ".join(lines)
    lines += [
        f"budget: delta/(2N) = {budget:.3g}, for the scores of each provider and for its costs.",
        f"Scores: exact up to {counted(report.counts, 'selection')}, rounding enclosed; beyond, a bound for all laws "
        f"({upwards(report.providers[0].tail_bound)} a provider).",
    ]
    low, high = until_distinct(lambda digits: (f"{worst.failure:.{digits}g}", f"{worst.at_most:.{digits}g}"), 3)
    if worst.failure > 0:
        other = "" if worst.quality == 0.5 else f" or {1 - worst.quality:.4f}"
        lines.append(f"Worst quality: {worst.quality:.4f}{other}, with {low} at least.")
    how = "found by cutting 0..1 into cells and bounding each" if worst.at_most < budget else "the bound for all laws"
    lines.append(f"No quality has more than {high} (budget {budget:.3g}): {how}.")
    return " ".join(lines)


def _show_eliminations(screen: Screen, shown: Sequence[ProviderCoverage], shares: Sequence[float]) -> None:
    title = (
        "Selections, besides the first, until an unqualified provider is ruled out: the mean, and numbers exceeded "
        "with at most the probability in the heading"
    )
    rows = []
    for each in shown:
        if each.elimination is not None:
            known = dict(each.elimination.quantiles)
            cells = [number(known.get(rest)) for rest in shares]
            rows.append((each.provider.name, f"{each.elimination.mean.middle:,.1f}", *cells))
    screen.table(title, {"provider": "whole", **dict.fromkeys(("mean", *map(share, shares)), "right")}, rows)

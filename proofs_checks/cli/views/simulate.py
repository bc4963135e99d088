"""What `costproof simulate` prints: a headline, metrics and selections by policy, and the market that was served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bounds.setting.model import Setting
from mechanism.campaign.records import CampaignResult
from mechanism.metrics.measures import Summary
from mechanism.metrics.rows import FIRST_METRICS
from proofs_checks.cli.views.console import console, number, say, suggest, table
from proofs_checks.plurals import counted


def show_simulation(result: CampaignResult, *, every_row: bool = False, asked: str = "") -> None:
    """Print a headline, the metrics of every policy and who was selected, for a campaign of one setting.

    With `every_row`, all metrics with their standard deviations, rather than the means of the first ones. `asked` is
    how the caller named the setting, for the next command.
    """
    screen = console()
    (part,) = result.campaign.parts
    policies = result.summaries(part)
    market = part.market().describe()
    work = result.work[part.setting.name]
    _show_headline(screen, part.setting, policies)
    title = (
        f"{part.setting.name}: {counted(result.campaign.runs, 'run')} of {part.horizon:,} queries, "
        f"seed {result.campaign.seed}, {result.campaign.bidders} bidders"
    )
    say(screen, title, style="bold")
    if every_row:
        _print_by_policy(screen, "metric (mean ± sd over runs)", _metrics(policies), list(policies))
    else:
        screen.print(_overview(policies))
    names = [provider.name for provider in part.setting.providers]
    _print_by_policy(screen, "selections (mean over runs)", _selections(names, policies), list(policies))
    say(screen, _market_line(market))
    speed = work.steps_per_second
    done = f"{number(round(speed))} steps/s of one worker" if speed else "nothing left to simulate"
    resumed = f"; {counted(work.resumed, 'run')} resumed from disk" if work.resumed else ""
    say(screen, f"window {part.window:,} steps; {done}{resumed}", style="dim")
    say(screen, "What each metric means: docs/metrics.md.", style="dim")
    for law in market["providers"]:
        if law.get("price_unused"):
            reason = f"{law['name']}: costs are not token counts times the listed price: {law['price_unused']}"
            say(screen, reason, style="yellow")
    if not every_row:
        setting = asked or part.setting.name
        again = f"costproof simulate {setting} --horizon {part.horizon} --runs {result.campaign.runs}"
        seed = f" --seed {result.campaign.seed}" if result.campaign.seed else ""
        suggest(screen, f"{again}{seed} --all", "every metric with its standard deviation")


def _show_headline(screen: Console, setting: Setting, policies: Mapping[str, Mapping[str, Summary]]) -> None:
    """Say who served under the first policy, and how far the unqualified fall short."""
    name, found = next(iter(policies.items()))
    if setting.optimal is None:
        say(screen, f"{name}: no provider is qualified, or several are cheapest: none is optimal.", style="bold")
    else:
        optimal = setting.providers[setting.optimal].name
        text = f"{name}: {_percent(found['share_of_optimal'])} of queries went to the optimal provider, {optimal}."
        say(screen, text, style="bold")
    means = found["selections"].mean
    threshold, qualified = setting.platform.quality_threshold, setting.qualified
    short = [i for i in range(setting.n_providers) if i not in qualified]
    if short and isinstance(means, tuple):
        most = max(short, key=lambda i: means[i])
        provider = setting.providers[most]
        gap = f"its quality is {threshold - provider.quality:.3g} below the threshold"
        share = _percent(found["unqualified_share"])
        say(screen, f"{share} went to an unqualified provider, most of them to {provider.name}: {gap}.")


def _percent(summary: Summary) -> str:
    return f"{summary.mean:.1%}" if isinstance(summary.mean, float) else "-"


#: How the first table calls `FIRST_METRICS`.
_HEADS = ("optimal", "unqualified", "accuracy", "cost", "paid")


def _overview(policies: Mapping[str, Mapping[str, Summary]]) -> Table:
    """Return the means of the first metrics, a row for every policy."""
    found = table("", {"policy (means over runs)": "whole", **dict.fromkeys(_HEADS, "right")})
    for name, summaries in policies.items():
        means = [summaries[metric].mean for metric in FIRST_METRICS]
        found.add_row(name, *(_rounded(mean, 4) if isinstance(mean, float) else "-" for mean in means))
    return found


def _metrics(policies: Mapping[str, Mapping[str, Summary]]) -> dict[str, list[str]]:
    """Return every metric that is one number, by policy."""
    return {
        f"{metric.replace('_', ' ')}": [_mean_sd(summaries[metric]) for summaries in policies.values()]
        for metric, summary in next(iter(policies.values())).items()
        if not isinstance(summary.mean, tuple)
    }


def _selections(providers: Sequence[str], policies: Mapping[str, Mapping[str, Summary]]) -> dict[str, list[str]]:
    """Return how often each provider was selected, by policy."""
    means = [mean for each in policies.values() if isinstance(mean := each["selections"].mean, tuple)]
    return {provider: [_rounded(mean[i]) for mean in means] for i, provider in enumerate(providers)}


def _print_by_policy(screen: Console, head: str, rows: Mapping[str, Sequence[str]], policies: Sequence[str]) -> None:
    """Print rows with a column for every policy, in as many tables as the width asks for."""
    label = max(map(len, (head, *rows)), default=0)
    first = 0
    while first < len(policies):
        width, last = label, first
        while last < len(policies):
            width += 2 + max(map(len, (policies[last], *(cells[last] for cells in rows.values()))))
            if width > screen.width and last > first:
                break
            last += 1
        found = table("", {head: "whole", **dict.fromkeys(policies[first:last], "right")})
        for name, cells in rows.items():
            found.add_row(name, *cells[first:last])
        screen.print()
        screen.print(found)
        first = last


def _market_line(market: Mapping[str, Any]) -> str:
    """State what was served: recorded generations, questions in passes, or independent queries."""
    options = market.get("options")
    if options is None:
        return (
            f"market: recorded generations of {market['benchmark']}: {market['questions']:,} questions, "
            f"{market['generations_per_question']:,} generations each"
        )
    questions = options["questions"]
    served = f"questions in passes of {questions:,}" if questions else "independent queries"
    given = options["cost_variation"]
    each = given if isinstance(given, Sequence) else (given,)
    spread = f"{min(each):g}" if min(each) == max(each) else f"{min(each):g} to {max(each):g} by provider"
    return f"market: {served}; cost variation (sd/mean of one generation) {spread}"


def _mean_sd(summary: Summary) -> str:
    mean, spread = summary.mean, summary.sd
    if not isinstance(mean, float):
        return "-"
    if not isinstance(spread, float):
        return _rounded(mean)
    return f"{_rounded(mean)} ± {_rounded(spread, 2)}" if spread else _rounded(mean)


def _rounded(value: float, digits: int = 6) -> str:
    return number(float(f"{value:.{digits}g}"))

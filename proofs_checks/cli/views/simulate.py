"""What `costproof simulate` prints: metrics and selections by policy, and the market that was served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from mechanism.campaign.records import CampaignResult
from mechanism.metrics.measures import Summary
from proofs_checks.cli.views.console import console, number, table


def show_simulation(result: CampaignResult) -> None:
    """Print means and standard deviations of every metric and policy, for a campaign of one setting."""
    screen = console()
    (part,) = result.campaign.parts
    policies = result.summaries(part)
    market = part.market().describe()
    work = result.work[part.setting.name]
    title = (
        f"{part.setting.name}: {result.campaign.runs} run(s) of {part.horizon:,} queries, "
        f"seed {result.campaign.seed}, {result.campaign.bidders} bidders"
    )
    screen.print(_metrics(title, policies))
    screen.print(_selections([provider.name for provider in part.setting.providers], policies))
    screen.print(_market_line(market), soft_wrap=True)
    speed = work.steps_per_second
    done = f"{number(round(speed))} steps/s of one worker" if speed else "nothing left to simulate"
    screen.print(f"window {part.window:,} steps; {done}; {work.resumed} run(s) resumed from disk", style="dim")
    screen.print("What each metric means: docs/metrics.md.", style="dim")
    for law in market["providers"]:
        if law.get("price_unused"):
            reason = f"{law['name']}: costs are not token counts times the listed price: {law['price_unused']}"
            screen.print(reason, style="yellow")


def _metrics(title: str, policies: Mapping[str, Mapping[str, Summary]]) -> Table:
    """Return every metric that is one number, by policy."""
    found = table(title, {"metric (mean ± sd over runs)": "", **dict.fromkeys(policies, "right")})
    for metric, summary in next(iter(policies.values())).items():
        if not isinstance(summary.mean, tuple):
            found.add_row(metric.replace("_", " "), *(_mean_sd(summaries[metric]) for summaries in policies.values()))
    return found


def _selections(providers: Sequence[str], policies: Mapping[str, Mapping[str, Summary]]) -> Table:
    """Return how often each provider was selected, by policy."""
    found = table("", {"selections (mean over runs)": "", **dict.fromkeys(policies, "right")})
    means = [summaries["selections"].mean for summaries in policies.values()]
    for i, provider in enumerate(providers):
        found.add_row(provider, *(_rounded(mean[i]) for mean in means if isinstance(mean, tuple)))
    return found


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
    # Rounding noise of equal runs is no spread.
    spread = 0.0 if spread <= 1e-12 * abs(mean) else spread
    return f"{_rounded(mean)} ± {_rounded(spread, 2)}"


def _rounded(value: float, digits: int = 6) -> str:
    return number(float(f"{value:.{digits}g}"))

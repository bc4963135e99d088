"""What `costproof play` prints: what became of the queries in words, the metrics, who served, and what to do next."""

from __future__ import annotations

import shlex

from bounds.names import name_of
from bounds.published import published_with
from bounds.setting.model import Setting
from bounds.words import counted, to_digits
from mechanism.metrics.measures import Metrics
from proofs_checks.cli.prose import wrapped
from proofs_checks.conformance.play.market import Play

#: What is told one by one, and how: the name of each metric, and its unit.
_TOLD = {
    "share_of_optimal": "share of queries to the best provider",
    "moving_share_of_optimal": "in the last {window}, {why}",
    "unqualified_share": "share of queries to unqualified providers",
    "exploration_steps": "queries that the paper's rules explore",
    "accuracy": "mean score",
    "generation_cost": "generation cost per query",
    "amount_paid": "paid per query",
    "quality_regret": f"{name_of('quality_regret')}, total",
    "generation_regret": f"{name_of('generation_regret')}, total",
    "excess_payment": f"{name_of('excess_payment')}, total",
}
#: How the names of shares end.
_SHARES = ("share", "share_of_optimal")
#: What the sum leaves out, which the mean payment above it does not.
_EXCESS = "  (a sum over the queries that were paid more; the others do not lower it)"


def play_told(played: Play, *, log: str | None, setting: str) -> str:
    """Return the headline, the metrics, the selections, and the next command to try; `setting` as it was named."""
    lines = [*map(wrapped, headline(played.setting, played.metrics)), ""]
    lines += [f"{len(played.trace):,} queries on {played.setting.name}, seed {played.seed}, truthful bidders"]
    if played.in_flight is not None:
        lines += [f"queries in flight: {played.in_flight}"]
    known = published_with(played.setting.providers)
    why = f"one pass of {known.benchmark}" if known else "T/50"
    if played.metrics.window == len(played.trace):
        why = "all of them"
    window = counted(played.metrics.window, "query")
    for name, meaning in _TOLD.items():
        if (value := getattr(played.metrics, name)) is not None:
            shown = f"{value:.3%}" if name.endswith(_SHARES) else to_digits(value)
            lines += [f"  {meaning.format(window=window, why=why):<44} {shown:>14}"]
    if played.metrics.excess_payment is not None:
        lines += [_EXCESS]
    lines += ["", "Queries by provider"]
    total = len(played.trace)
    for provider, count in zip(played.setting.providers, played.metrics.selections, strict=True):
        mark = "" if played.setting.platform.quality_threshold <= provider.quality else "  unqualified"
        lines += [f"  {count:>11,}  {_percent(count / total):>13}  {provider.name}{mark}"]
    audited = f"costproof audit {shlex.quote(log or 'log.csv')} --setting {shlex.quote(setting)}"
    then = f"Log written to {log}.\nNext:" if log else "Next: the same with --out log.csv, then"
    return "\n".join([*lines, "", then, f"  {audited}"]) + "\n"


def headline(setting: Setting, metrics: Metrics) -> list[str]:
    """Return what became of the queries, as a person would say it."""
    told = [_unqualified(setting, metrics)]
    if setting.optimal is not None and metrics.share_of_optimal is not None:
        best = setting.providers[setting.optimal].name
        told += [f"{_percent(metrics.share_of_optimal)} went to {best}, the cheapest qualified provider."]
    second = setting.second_lowest_cost
    if second:
        told += [
            f"Users paid {to_digits(metrics.amount_paid)} per query. As queries go on, the paper's payments "
            f"converge to the second-lowest cost of a qualified provider, {to_digits(second)}; before, they may "
            "be lower or higher."
        ]
    return told


def _unqualified(setting: Setting, metrics: Metrics) -> str:
    share = metrics.unqualified_share
    total = sum(metrics.selections)
    if not share:
        return "No query went to an unqualified provider."
    most = max(setting.unqualified, key=lambda place: metrics.selections[place])
    name, quality = setting.providers[most].name, setting.providers[most].quality
    below = f"{setting.platform.quality_threshold - quality:.2g} below the threshold"
    if metrics.selections[most] == round(share * total):
        return f"{_percent(share)} of queries went to an unqualified provider, {name}; its quality is {below}."
    is_most = 2 * metrics.selections[most] > round(share * total)
    mostly = f", most of them to {name}, whose quality is {below}" if is_most else ""
    return f"{_percent(share)} of queries went to unqualified providers{mostly}."


def _percent(share: float) -> str:
    """Return a share in per cent, never 0 or 100 for what is neither."""
    if 0 < share < 0.005:
        return "fewer than 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"

"""What `costproof play` prints: what became of the queries in words, the metrics, who served, and what to do next."""

from __future__ import annotations

import shlex

from bounds.glossary import explained, name_of, unit_of
from bounds.published import published_with
from bounds.report import evaluate_bounds
from bounds.words import counted, share, to_digits
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.console import largest
from proofs_checks.cli.views.simulate import headline
from proofs_checks.conformance.play.market import Play

#: Metrics that one screen has beside the headline, and all of them.
_FIRST = (*("share_of_optimal", "moving_share_of_optimal", "quality_regret", "generation_regret", "excess_payment"),)
_ALL = (
    *("share_of_optimal", "moving_share_of_optimal", "unqualified_share", "exploration_steps", "accuracy"),
    *("generation_cost", "amount_paid", "quality_regret", "generation_regret", "excess_payment"),
)
#: Providers on one screen.
_PROVIDERS = 7


def played_text(played: Play, *, setting: str, everything: bool = False) -> str:
    """Return the headline, metrics, selections and the next command; `setting` as it was named."""
    total, leads = len(played.trace), evaluate_bounds(played.setting, len(played.trace)).identification_horizon
    lines = [*map(wrapped, headline(played.setting, vars(played.metrics) | {"identified": None}))]
    if played.metrics.unqualified_share and leads is not None and total < leads:
        lines += [wrapped(f"Algorithm 1, too, is guaranteed to select the optimum most only from T_id = {leads:,} on.")]
    flight = "" if played.in_flight is None else f", in flight: {played.in_flight}"
    lines += ["", f"{total:,} queries on {played.setting.name}, seed {played.seed}, truthful bidders{flight}"]
    lines += [line for name in (_ALL if everything else _FIRST) for line in _metric(played, name)]
    if played.metrics.excess_payment is not None:
        lines += [wrapped(explained("excess_payment"))]
    selections = played.metrics.selections
    shown = largest(range(len(selections)), selections, len(selections) if everything else _PROVIDERS)
    lines += ["", "Queries by provider"]
    for i in shown:
        provider, count = played.setting.providers[i], selections[i]
        mark = "" if played.setting.platform.quality_threshold <= provider.quality else "  unqualified"
        lines += [f"  {count:>11,}  {share(count / total):>13}  {provider.name}{mark}"]
    if more := len(selections) - len(shown):
        lines += [f"  and {more:,} more (--all)"]
    audited = f"costproof audit {shlex.quote(played.log or 'log.csv')} --setting {shlex.quote(setting)}"
    lines += ["", "These numbers do not say whether the mechanism obeys the rules: audit its log."]
    then = f"Log written to {played.log}.\nNext:" if played.log else "Next: the same with --out log.csv, then"
    return "\n".join([*lines, then, f"  {audited}"]) + "\n"


def _metric(played: Play, name: str) -> list[str]:
    """Return the line of a metric; none where it is not measured."""
    value = getattr(played.metrics, name)
    if value is None:
        return []
    due = " due by the rules" * (name == "exploration_steps")  # a mechanism may explore at other steps
    label, shown = f"{name_of(name)}{due} ({unit_of(name)})", to_digits(value)
    if unit_of(name.removeprefix("moving_")).startswith("share"):
        label, shown = name_of(name), share(value)
    if name.startswith("moving"):
        known = published_with(played.setting.providers)
        whole = played.metrics.window == len(played.trace)
        why = "all of them" if whole else f"one pass of {known.benchmark}" if known else "T/50"
        label = f"in the last {counted(played.metrics.window, 'query')}, {why}"
    return [f"  {label:<44} {shown:>14}"]

"""What `costproof play` prints: what became of the queries in words, the metrics, who served, and what to do next."""

from __future__ import annotations

import shlex

from bounds.glossary import explained, name_of, unit_of
from bounds.published import published_with
from bounds.words import counted, share, to_digits
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.simulate import headline
from proofs_checks.conformance.play.market import Play

#: What is told one by one.
_TOLD = (
    *("share_of_optimal", "moving_share_of_optimal", "unqualified_share", "exploration_steps", "accuracy"),
    *("generation_cost", "amount_paid", "quality_regret", "generation_regret", "excess_payment"),
)


def play_told(played: Play, *, setting: str) -> str:
    """Return the headline, the metrics, the selections, and the next command to try; `setting` as it was named."""
    lines = [*map(wrapped, headline(played.setting, vars(played.metrics))), ""]
    lines += [f"{len(played.trace):,} queries on {played.setting.name}, seed {played.seed}, truthful bidders"]
    if played.in_flight is not None:
        lines += [f"queries in flight: {played.in_flight}"]
    known = published_with(played.setting.providers)
    why = f"one pass of {known.benchmark}" if known else "T/50"
    if played.metrics.window == len(played.trace):
        why = "all of them"
    window = f"in the last {counted(played.metrics.window, 'query')}, {why}"
    for name in _TOLD:
        if (value := getattr(played.metrics, name)) is not None:
            label, shown = f"{name_of(name)} ({unit_of(name)})", to_digits(value)
            if unit_of(name.removeprefix("moving_")).startswith("share"):
                label, shown = name_of(name), share(value)
            lines += [f"  {window if name.startswith('moving') else label:<44} {shown:>14}"]
    if played.metrics.excess_payment is not None:
        lines += [wrapped(explained("excess_payment"))]
    lines += ["", "Queries by provider"]
    total = len(played.trace)
    for provider, count in zip(played.setting.providers, played.metrics.selections, strict=True):
        mark = "" if played.setting.platform.quality_threshold <= provider.quality else "  unqualified"
        lines += [f"  {count:>11,}  {share(count / total):>13}  {provider.name}{mark}"]
    audited = f"costproof audit {shlex.quote(played.log or 'log.csv')} --setting {shlex.quote(setting)}"
    then = f"Log written to {played.log}.\nNext:" if played.log else "Next: the same with --out log.csv, then"
    return "\n".join([*lines, "", then, f"  {audited}"]) + "\n"

"""What the violations of a log are consistent with: an edit of the log, a wrong setting, or a wrong mechanism.

Each hypothesis is tested: the rows around the first violation are audited again with one edit undone. That an edit
explains the violations does not show that it happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bounds.setting import Setting
from proofs_checks import log_edits
from proofs_checks.log_window import Watch, Window
from proofs_checks.step_rules import STEP_RULES

#: An edit that explains less than this share of the violations in the window is not mentioned.
TELLING = 0.8
#: The same for what would concern the whole log: exchanged columns, another setting.
NEARLY_ALL = 0.95
#: A rule broken at this share of the steps where it applies is broken by habit.
HABIT = 0.2
#: So many violations are no single accident.
RECURRING = 3
#: An undone edit must leave no violation up to the first of the log, and none so many rows after it.
QUIET = 20
#: How many hypotheses are reported.
MOST = 6


@dataclass(frozen=True)
class Hypothesis:
    """Something that the violations of a log are consistent with.

    Parameters
    ----------
    hypothesis : str
        Its kind, as ``"payment edited"`` or ``"wrong mechanism"``.
    where : mapping or None
        Step and provider, where it has a place.
    explained, violations : int
        How many violations of the window it explains, and how many there are.
    text : str
        For readers; it never claims certainty.
    """

    hypothesis: str
    where: Mapping[str, Any] | None
    explained: int
    violations: int
    text: str

    @property
    def share(self) -> float:
        """The share of the violations that it explains."""
        return self.explained / self.violations

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        explains = f"{self.explained:,} of {self.violations:,} violations in the window"
        return {"hypothesis": self.hypothesis, "where": self.where, "explains": explains, "text": self.text}


def diagnose(watch: Watch, counts: Mapping[str, int], applicable: Mapping[str, int]) -> tuple[Hypothesis, ...]:
    """Return what the violations of a log are consistent with, the best explanation first; nothing if nothing is.

    Parameters
    ----------
    watch : Watch
        What was kept of the log.
    counts, applicable : mapping
        By rule: how many steps of the log break it, and at how many it has something to say.
    """
    window, head = watch.window(), watch.head()
    if window is None or head is None:
        return ()
    habits = _habits(counts, applicable)
    edits = [edit for edit in _edits(window) if not (habits and edit.hypothesis == "payment edited")]
    cut, others = _beginning(head, counts), [*edits, *_columns(head), *_settings(head)]
    found = [*cut, *others, *([] if others else habits)] or _recurring(counts)
    return tuple(sorted(found, key=lambda h: -h.share)[:MOST])


def _edits(window: Window) -> list[Hypothesis]:
    """Return the edits that explain most of a window, the best of each kind."""
    best: dict[str, Hypothesis] = {}
    for edit in log_edits.edits(window):
        explained = window.violations - edit.remaining
        if explained < TELLING * window.violations or edit.next_violation <= window.first + QUIET:
            continue
        known = best.get(edit.kind)
        if known is None or explained > known.explained:
            text = f"The violations are consistent with {edit.text}."
            best[edit.kind] = Hypothesis(edit.kind, edit.where, explained, window.violations, text)
    return sorted(best.values(), key=lambda h: -h.share)


def _habits(counts: Mapping[str, int], applicable: Mapping[str, int]) -> list[Hypothesis]:
    """Return that the mechanism is wrong, if rules are broken by habit."""
    broken = [rule for rule in STEP_RULES if counts[rule] > 1 and counts[rule] >= HABIT * applicable[rule]]
    if not broken:
        return []
    shares = ", ".join(f"{rule} at {counts[rule]:,} of {applicable[rule]:,} steps" for rule in broken)
    text = f"The log looks like that of a wrong mechanism: where these rules apply, they are broken often: {shares}."
    return [_wrong(counts, sum(counts[rule] for rule in broken), text)]


def _recurring(counts: Mapping[str, int]) -> list[Hypothesis]:
    """Return that the mechanism is wrong, if violations recur and no single edit explains them."""
    total = sum(counts.values())
    if total < RECURRING:
        return []
    text = (
        f"There are {total:,} violations and no single edit that was tried explains them: this is consistent with a "
        "wrong mechanism, with a setting that is not the log's, or with several edits."
    )
    return [_wrong(counts, total, text)]


def _wrong(counts: Mapping[str, int], explained: int, text: str) -> Hypothesis:
    return Hypothesis("wrong mechanism", None, explained, sum(counts.values()), text)


def _beginning(head: Window, counts: Mapping[str, int]) -> list[Hypothesis]:
    """Return that the beginning is missing, if the first rows are no initialization and later ones are wrong too."""
    n = head.setting.n_providers
    again, paid = (int(head.audit.flags[rule].sum()) for rule in ("initialization-order", "initialization-payment"))
    total = sum(counts.values())
    if len(head.trace) < n or not (again or paid) or total - again - paid < RECURRING:
        return []
    text = (
        f"The violations are consistent with a log whose beginning is missing: of its first {n} rows, {again} serve a "
        f"provider again and {paid} are not paid c_max. Without the beginning the state of the platform is unknown, "
        "and what the audit says of later steps means nothing."
    )
    return [Hypothesis("beginning missing", {"step": 1}, total, total, text)]


def _columns(head: Window) -> Iterator[Hypothesis]:
    """Yield pairs of columns that were exchanged, if exchanging them back explains the beginning of the log."""
    columns = head.trace.columns()
    pairs = (("payment", "bid"), ("payment", "cost"), ("bid", "cost"), ("payment", "score"), ("score", "bid"))
    for first, second in ((a, b) for a, b in pairs if {a, b} <= columns.keys()):
        swapped = {**columns, first: columns[second], second: columns[first]}
        score = swapped["score"]
        if score.min() < 0 or score.max() > 1 or head.violations < HABIT * len(head.trace):
            continue
        remaining = replace(head, trace=type(head.trace)(**swapped)).violations
        if head.violations - remaining >= NEARLY_ALL * head.violations:
            text = f"The violations are consistent with the columns {first} and {second} being exchanged."
            yield Hypothesis(
                "columns exchanged", {"columns": [first, second]}, head.violations - remaining, head.violations, text
            )


def _settings(head: Window) -> Iterator[Hypothesis]:
    """Yield other settings that explain the beginning of the log, the best of them only."""
    if head.violations < 2:
        return
    tried = [(replace(head, setting=setting).violations, text) for setting, text in _other_settings(head)]
    remaining, text = min(tried, default=(head.violations, ""))
    if head.violations - remaining >= NEARLY_ALL * head.violations:
        told = f"The violations are consistent with another setting: {text}."
        yield Hypothesis("wrong setting", None, head.violations - remaining, head.violations, told)


def _other_settings(head: Window) -> Iterator[tuple[Setting, str]]:
    platform = head.setting.platform

    def changed(**values: float) -> tuple[Setting, str]:
        told = " and ".join(
            f"{name} = {value:g} instead of {getattr(platform, name):g}" for name, value in values.items()
        )
        return replace(head.setting, platform=replace(platform, **values)), told

    for slack in (0.0, 0.05, 0.1, 0.25, 0.5, 1.0):
        if slack != platform.belief_slack:
            yield changed(belief_slack=slack)
    for confidence in (0.001, 0.01, 0.05, 0.1, 0.2):
        if confidence != platform.confidence:
            yield changed(confidence=confidence)
    for factor in (0.5, 2.0):
        yield changed(exploration_scale=platform.exploration_scale * factor)
    for exponent in (0.5, 2 / 3, 0.75):
        if exponent != platform.exploration_exponent:
            yield changed(exploration_exponent=exponent)
    values, counts = np.unique(head.trace.payment[: head.setting.n_providers], return_counts=True)
    paid = float(values[np.argmax(counts)])
    dearest = max(provider.mean_cost for provider in head.setting.providers)
    if paid != platform.cost_bound and paid > 0 and paid >= dearest:
        yield changed(cost_bound=paid)

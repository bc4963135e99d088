"""One wrong decision of the platform: a single step breaks rules, and the log after it fits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proofs_checks.audit.diagnosis.eligibility import nearly_eligible
from proofs_checks.audit.diagnosis.evidence import Explanation, LogEvidence
from proofs_checks.audit.diagnosis.window import Window
from proofs_checks.oracle.step_rules import of_payment

#: How many other changes of a provider's bid must be known to say that one is larger than all of them.
_CHANGES = 3


def decided_otherwise(log: LogEvidence) -> list[Explanation]:
    """Return that the platform decided otherwise once, if one step breaks rules about who serves, and nothing else."""
    window = log.window
    row = window.first
    broken = [rule for rule, flags in window.audit.flags.items() if flags[row]]
    who = [rule for rule in broken if not of_payment(rule)]
    if len(broken) != log.total or not who or window.replay.initialization[row]:
        return []
    step, names = window.step(row), window.setting.providers
    name, where = names[int(window.trace.provider[row])].name, {"step": step}
    if "exploration-set" in who and _holds_an_auction(window, row):
        explored = _named(window, np.flatnonzero(window.replay.under_sampled[row]).tolist())
        text = (
            f"The violations are consistent with an exploration that was skipped once: at step {step:,} an auction was "
            f"held, and {name} won it for its critical payment, where {explored} had to be explored. All after it fits."
        )
        return [log.in_log.explained("exploration skipped", text, where=where)]
    if len(who) < len(broken):
        return []
    text = (
        f"The violations are consistent with a platform that decided otherwise once: {name} served step {step:,}, "
        f"which the rules do not allow there. What it was paid is right for it, and all after it fits."
    )
    decision = log.in_log.explained("wrong decision", text, where={**where, "provider": name})
    return [decision, *nearly_eligible(log, row)]


def _named(window: Window, providers: list[int]) -> str:
    names = [window.setting.providers[i].name for i in providers]
    return names[0] if len(names) == 1 else f"one of {', '.join(names[:4])}"


def _holds_an_auction(window: Window, row: int) -> bool:
    """Whether a row is what an auction would have been: a least adjusted bid served for its critical payment."""
    contenders, served = window.replay.contenders[row], int(window.trace.provider[row])
    slack = window.audit.slack.twice
    price = min(float(window.replay.critical_payments[row, served]), window.setting.platform.cost_bound)
    least = contenders[served] <= contenders.min() + slack
    return bool(least and abs(float(window.trace.payment[row]) - price) <= slack)


def is_odd_bid(log: LogEvidence, where: Mapping[str, object]) -> bool:
    """Whether the bid of a row is farther from its provider's bids before and after it than any two others in turn."""
    names = [provider.name for provider in log.window.setting.providers]
    step, name = where.get("step"), where.get("provider")
    if not isinstance(step, int) or name not in names:
        return False
    provider, trace = names.index(str(name)), log.around.trace
    served = np.flatnonzero(trace.provider == provider)
    at = np.flatnonzero(served == step - log.window.first_step)
    bids = np.append(log.window.before.bids[provider], trace.bid[served])
    if not len(at) or at[0] + 2 >= len(bids):
        return False
    changes, row = np.abs(np.diff(bids)), int(at[0])
    others = np.delete(changes, [row, row + 1])
    others = others[np.isfinite(others)]
    return len(others) >= _CHANGES and bool(changes[row : row + 2].min() > others.max())

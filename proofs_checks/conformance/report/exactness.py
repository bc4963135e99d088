"""A failure once more in exact fractions: rounding is then no explanation."""

from __future__ import annotations

from collections.abc import Sequence

from mechanism.config import MechanismConfig
from proofs_checks.oracle.rule_oracle import EXACT, RuleOracle
from proofs_checks.oracle.step_rules import breaches

#: Longer histories are not replayed in fractions: their numbers grow with every step.
LONGEST = 2_000


def exact_verdict(
    config: MechanismConfig,
    providers: Sequence[int],
    settlements: Sequence[tuple[float, float]],
    answer: tuple[int, float],
) -> str:
    """Return what exact arithmetic says of an answer that breaks a rule in floats.

    Parameters
    ----------
    config : MechanismConfig
    providers : sequence of int
        Who served before.
    settlements : sequence of (float, float)
        Score and bid of these steps.
    answer : (int, float)
        Who served at the step in question, and what was paid.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.0, 0.05, 1.0, 0.01, 0.5)
    >>> exact_verdict(config, [0, 1], [(1.0, 0.25), (1.0, 0.5)], (0, 0.75))
    'confirmed in exact fractions: critical-payment expects 0.5, found 0.75'
    """
    if len(settlements) > LONGEST:
        return f"not replayed in exact fractions: more than {LONGEST} steps"
    shadow = RuleOracle(config, EXACT)
    for provider, (score, bid) in zip(providers, settlements, strict=True):
        shadow.settle(provider, score, bid)
    provider, payment = answer
    found = breaches(shadow.decisions(), provider, EXACT.number(payment), shadow.money_rounding)
    if not found:
        return "not confirmed in exact fractions: rounding explains it"
    said = (f"{breach.rule} expects {_text(breach.expected)}, found {_text(breach.found)}" for breach in found)
    return f"confirmed in exact fractions: {'; '.join(said)}"


def _text(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else f"{value}"

"""The rules of Algorithm 1 that a single step can break, by the names that `check` and `audit` report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mechanism.rules import Number
from proofs_checks.oracle.rule_oracle import Decision

#: From the name of a rule to the label in the paper that states it.
STEP_RULES: Mapping[str, str] = MappingProxyType(
    {
        "initialization-order": "alg:platform",
        "initialization-payment": "alg:platform",
        "eligibility": "eq:qualified-set",
        "exploration-set": "eq:allocation",
        "exploration-payment": "eq:payment",
        "empty-payment": "alg:platform",
        "lone-payment": "eq:critical-payment",
        "index-minimizer": "eq:allocation",
        "critical-payment": "eq:payment",
    }
)

#: Which rules speak about a step, by its kind; "lone" is an auction with one eligible provider.
_APPLYING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "initialization": ("initialization-order", "initialization-payment"),
        "exploration": ("eligibility", "exploration-set", "exploration-payment"),
        "auction": ("eligibility", "index-minimizer", "critical-payment"),
        "lone": ("eligibility", "lone-payment"),
        "empty": ("empty-payment",),
    }
)


@dataclass(frozen=True)
class Breach:
    """A rule that a step breaks.

    Parameters
    ----------
    rule : str
        A name of `STEP_RULES`.
    expected, found : object
        Providers (a list of indices, and an index), or payments.
    """

    rule: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        if isinstance(self.found, float):
            return f"{self.rule}: paid {self.found:.12g}, expected {self.expected:.12g}"
        return f"{self.rule}: provider {self.found} serves, expected one of {self.expected}"


def applying(decision: Decision) -> tuple[str, ...]:
    """Return the rules that speak about a step.

    Examples
    --------
    >>> applying(Decision("empty", (0, 1), {0: 1.0, 1: 1.0}, ()))
    ('empty-payment',)
    """
    return _APPLYING["lone" if decision.lone else decision.kind]


def breaches(decisions: Sequence[Decision], provider: int, payment: Number, rounding: Number) -> tuple[Breach, ...]:
    """Return the rules that an answer breaks, in the reading most favourable to it; none if a reading allows it.

    Parameters
    ----------
    decisions : sequence of Decision
        The readings that rounding leaves open, from `rule_oracle`; without any the step is not judged.
    provider : int
        Who served.
    payment : number
        What was paid.
    rounding : number
        How far a payment may be off, money.

    Examples
    --------
    >>> auction = Decision("auction", (0,), {0: 0.5, 1: 0.75}, (0, 1))
    >>> breaches([auction], 0, 0.5, 1e-9)
    ()
    >>> [breach.rule for breach in breaches([auction], 1, 0.5, 1e-9)]
    ['index-minimizer', 'critical-payment']
    """
    found = [_breaches(decision, provider, payment, rounding) for decision in decisions]
    return min(found, key=len, default=())


def _breaches(decision: Decision, provider: int, payment: Number, rounding: Number) -> tuple[Breach, ...]:
    *about_provider, about_payment = applying(decision)
    broken = []
    if provider not in decision.providers and about_provider:
        excluded = decision.kind != "initialization" and provider not in decision.eligible
        allowed = decision.eligible if excluded else decision.providers
        broken.append(Breach(about_provider[0 if excluded else -1], list(allowed), provider))
    if abs(payment - decision.payments[provider]) > rounding:
        broken.append(Breach(about_payment, float(decision.payments[provider]), float(payment)))
    return tuple(broken)

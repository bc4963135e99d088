"""The rules of Algorithm 1 that a single step can break, stated once: for one answer, and for all steps of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mechanism.rules import Number

if TYPE_CHECKING:  # loads NumPy, which the names of the rules do not need
    from proofs_checks.oracle.rule_oracle import Decision


@dataclass(frozen=True, eq=False, kw_only=True)
class StepFacts:
    """What the rules ask about a step and its answer: one truth value each, or arrays of them, shape (T,)."""

    #: What kind of step it is; a contest is an auction with two eligible providers or more, `lone` one with a single.
    initialization: Any
    exploration: Any
    contest: Any
    lone: Any
    empty: Any
    #: Whether who serves has not served before.
    fresh: Any
    #: Whether who serves is in the estimated-qualified set, and the opposite.
    eligible: Any
    ineligible: Any
    #: Whether who serves is in S_t.
    under_sampled: Any
    #: Whether its adjusted bid is within rounding of the least one of the eligible.
    least: Any
    #: Whether the payment is c_max, and whether it is min{P, c_max}, within rounding.
    paid_bound: Any
    paid_price: Any


@dataclass(frozen=True)
class StepRule:
    """A rule that a step keeps or breaks.

    Parameters
    ----------
    label : str
        Label in the paper of what states it.
    applies, kept : callable
        From the facts of a step (or of many) to whether the rule speaks about it, and whether it is kept there.
    """

    label: str
    applies: Callable[[StepFacts], Any]
    kept: Callable[[StepFacts], Any]


#: The rules by the names that `check` and `audit` report. Who is not eligible breaks the rule of eligibility alone.
STEP_RULES: Mapping[str, StepRule] = MappingProxyType(
    {
        "initialization-order": StepRule("alg:platform", lambda s: s.initialization, lambda s: s.fresh),
        "initialization-payment": StepRule("alg:platform", lambda s: s.initialization, lambda s: s.paid_bound),
        "eligibility": StepRule("eq:qualified-set", lambda s: s.exploration | s.contest | s.lone, lambda s: s.eligible),
        "exploration-set": StepRule("eq:allocation", lambda s: s.exploration, lambda s: s.under_sampled | s.ineligible),
        "exploration-payment": StepRule("eq:payment", lambda s: s.exploration, lambda s: s.paid_bound),
        "empty-payment": StepRule("alg:platform", lambda s: s.empty, lambda s: s.paid_bound),
        "lone-payment": StepRule(
            "eq:critical-payment",
            lambda s: s.lone,
            lambda s: (s.eligible & s.paid_bound) | (s.ineligible & s.paid_price),
        ),
        "index-minimizer": StepRule("eq:allocation", lambda s: s.contest, lambda s: s.least | s.ineligible),
        "critical-payment": StepRule("eq:payment", lambda s: s.contest, lambda s: s.paid_price),
    }
)


def of_payment(rule: str) -> bool:
    """Return whether a rule is about what is paid; the others are about who serves."""
    return rule.endswith("-payment")


@dataclass(frozen=True, kw_only=True)
class Breach:
    """A rule that an answer breaks.

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
            return f"paid {self.found:.12g}, expected {self.expected:.12g} (rule {self.rule})"
        return f"provider {self.found} serves, expected {one_of_providers(self.expected)} (rule {self.rule})"


def one_of_providers(providers: Sequence[int]) -> str:
    """Return who may serve, in words.

    Examples
    --------
    >>> one_of_providers([0]), one_of_providers([0, 2]), one_of_providers([])
    ('provider 0', 'one of providers 0, 2', 'nobody')
    """
    if len(providers) == 1:
        return f"provider {providers[0]}"
    return f"one of providers {', '.join(map(str, providers))}" if providers else "nobody"


def applying(decision: Decision) -> tuple[str, ...]:
    """Return the rules that speak about a step.

    Examples
    --------
    >>> from proofs_checks.oracle.rule_oracle import Decision
    >>> applying(Decision("empty", (0, 1), {0: 1.0, 1: 1.0}, ()))
    ('empty-payment',)
    """
    facts = _facts(decision, serves=True, eligible=True, paid=True)
    return tuple(name for name, rule in STEP_RULES.items() if rule.applies(facts))


def breaches(decisions: Sequence[Decision], provider: int, payment: Number, rounding: Number) -> tuple[Breach, ...]:
    """Return the rules that an answer breaks, in the reading most favourable to it; none if a reading allows it.

    Examples
    --------
    >>> from proofs_checks.oracle.rule_oracle import Decision
    >>> auction = Decision("auction", (0,), {0: 0.5, 1: 0.75}, (0, 1))
    >>> breaches([auction], 0, 0.5, 1e-9)
    ()
    >>> [breach.rule for breach in breaches([auction], 1, 0.5, 1e-9)]
    ['index-minimizer', 'critical-payment']
    """
    found = [_breaches(decision, provider, payment, rounding) for decision in decisions]
    return min(found, key=len, default=())


#: Payments that depend on who serves: in an auction each provider has one of its own.
_OF_THE_WINNER = ("lone-payment", "critical-payment")


def blamed(found: Sequence[Breach]) -> tuple[Breach, ...]:
    """Return the breaches that a mechanism is blamed for: of a wrong winner of an auction not what it is paid.

    The rules say what the right winner is paid, and a mended mechanism has no other.

    Examples
    --------
    >>> from proofs_checks.oracle.rule_oracle import Decision
    >>> auction = Decision("auction", (0,), {0: 0.5, 1: 0.75}, (0, 1))
    >>> [breach.rule for breach in blamed(breaches([auction], 1, 0.5, 1e-9))]
    ['index-minimizer']
    >>> [breach.rule for breach in blamed(breaches([auction], 0, 0.75, 1e-9))]
    ['critical-payment']
    """
    right = all(of_payment(breach.rule) for breach in found)
    return tuple(breach for breach in found if right or breach.rule not in _OF_THE_WINNER)


def _breaches(decision: Decision, provider: int, payment: Number, rounding: Number) -> tuple[Breach, ...]:
    facts = _facts(
        decision,
        serves=provider in decision.providers,
        eligible=provider in decision.eligible,
        paid=not abs(payment - decision.payments[provider]) > rounding,
    )
    broken = [name for name, rule in STEP_RULES.items() if rule.applies(facts) and not rule.kept(facts)]
    return tuple([_breach(name, decision, provider, payment) for name in broken])


def _breach(rule: str, decision: Decision, provider: int, payment: Number) -> Breach:
    if of_payment(rule):
        return Breach(rule=rule, expected=float(decision.payments[provider]), found=float(payment))
    permitted = decision.eligible if rule == "eligibility" else decision.providers
    return Breach(rule=rule, expected=list(permitted), found=provider)


def _facts(decision: Decision, *, serves: bool, eligible: bool, paid: bool) -> StepFacts:
    """Return the facts of one answer: who may serve and what it is paid there are what a decision says."""
    kind = decision.kind
    return StepFacts(
        initialization=kind == "initialization",
        exploration=kind == "exploration",
        contest=kind == "auction" and not decision.lone,
        lone=decision.lone,
        empty=kind == "empty",
        fresh=serves,
        eligible=eligible,
        ineligible=not eligible,
        under_sampled=serves,
        least=serves,
        paid_bound=paid,
        paid_price=paid,
    )

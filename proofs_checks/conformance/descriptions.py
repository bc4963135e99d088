"""What every check tests, in the order in which checks run: read without Hypothesis, NumPy or what a check runs.

The modules in `checks` say how a mechanism is searched for a failure, each check by the name that it has here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from bounds.documents import INTERNAL, Count, Document, Probability
from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.oracle.step_rules import STEP_RULES

Group = Literal["contract", "economic", "rules"]
#: What each group of checks is about.
GROUPS: Mapping[Group, str] = MappingProxyType(
    {"contract": "answers to calls", "economic": "any learning auction", "rules": "the paper's mechanism"}
)


@dataclass(frozen=True, kw_only=True)
class SuiteEffort(Document):
    """How hard each check tries.

    Parameters
    ----------
    examples : int
        Random scenarios of each family.
    draws : int
        Random draws that a test of them looks at.
    """

    examples: Count
    draws: Count


#: How hard `check` tries by default.
DEFAULT = SuiteEffort(examples=40, draws=20_000)
#: Fewer scenarios and draws, as `--quick` has it.
QUICK = SuiteEffort(examples=8, draws=6_000)


@dataclass(frozen=True, kw_only=True)
class StatedCheck(Document):
    """A check of the suite: one property of a mechanism.

    Parameters
    ----------
    name : str
        Name of the check.
    claim : str
        Label of the claim behind it.
    group : {"contract", "economic", "rules"}
        What it belongs to.
    says : str
        What it tests, in one line.
    false_alarm : float
        Probability that a right mechanism fails, at most: 0 for all but tests of random draws.
    power : str
        What a test of random draws finds, and with which probability; empty for other checks.
    """

    name: str
    claim: str
    group: Group
    says: str
    false_alarm: Probability = 0.0
    power: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class Description(StatedCheck):
    """A check of the suite, as `--list` prints it; `power` is that of `DEFAULT`, `quick_power` that of `QUICK`."""

    quick_power: str = field(default="", metadata=INTERNAL)

    def power_with(self, effort: SuiteEffort) -> str:
        """Return what a test of randomness finds with an effort; empty where that was not measured."""
        if effort.draws >= DEFAULT.draws:
            return self.power
        return self.quick_power if effort.draws >= QUICK.draws else ""


def _contract(name: str, says: str) -> Description:
    return Description(name=name, claim="alg:platform", group="contract", says=says)


def _economic(name: str, claim: str, says: str, group: Group = "economic") -> Description:
    return Description(name=name, claim=claim, group=group, says=says)


def _rule(name: str, says: str, claim: str = "") -> Description:
    return Description(name=name, claim=claim or STEP_RULES[name].label, group="rules", says=says)


_CONTRACT = (
    _contract("answers", "every call returns in time, and assign() returns a provider's index and a finite payment"),
    _contract("configuration-unchanged", "the mechanism does not change the configuration that its factory receives"),
    _contract("reproducible", "the same seed and history give the same answers"),
    _contract("independent-instances", "instances share no state"),
)

#: What the parts are parts of.
_LEMMA, _THEOREM = number_of("lem:one-step"), number_of("thm:robust-dominant")

#: From premises to consequences; the check that names a defect best comes before those that notice it too.
_INCENTIVES = (
    _economic("payment-range", "lem:payment-range", "every payment lies in [0, c_max]"),
    _economic("own-bid-independence", "eq:critical-payment", "a winner's payment does not depend on its own bid"),
    _economic("past-bids", "eq:provider-history", "a bid that was replaced does not affect later answers"),
    _economic(
        "monotone-allocation", "prop:selection-threshold", "a provider that wins with a bid wins with every lower bid"
    ),
    _economic(
        "selection-threshold", "prop:selection-threshold", "a bid wins below the critical payment and loses above"
    ),
    _economic(
        "no-loss", "lem:one-step", f"{_LEMMA}, part a: a provider that bids its cost estimate never expects a loss"
    ),
    _economic("no-profitable-misreport", "lem:one-step", f"{_LEMMA}, part b: no bid gains more than the cost estimate"),
    # By the paper's critical payment: a mechanism with another index has another one.
    _economic(
        "strict-misreport",
        "lem:one-step",
        f"{_LEMMA}, part c: a bid across the paper's critical payment gains strictly less",
        group="rules",
    ),
)
_ROBUST = (
    _economic(
        "robust-no-loss",
        "thm:robust-dominant",
        f"{_THEOREM}, part i: truthful bidding never loses, for any rivals and any horizon",
    ),
    _economic(
        "robust-worst-case",
        "thm:robust-dominant",
        f"{_THEOREM}, part ii: truthful bidding has the best worst case over rivals and horizons",
    ),
    # By the paper's critical payment, too.
    _economic(
        "robust-strict",
        "thm:robust-dominant",
        f"{_THEOREM}, part iii: bidding across the paper's critical payment has a strictly worse worst case",
        group="rules",
    ),
)

#: From the special to the general: the first check that fails names the defect best.
_RULES = (
    _rule("initialization-order", "the first N steps serve each provider once, in any order"),
    _rule("initialization-payment", "the first N steps pay c_max"),
    _rule("exploration-payment", "an exploration step pays c_max"),
    _rule("empty-payment", "a step without eligible providers pays c_max"),
    _rule("lone-payment", "a lone eligible provider is paid c_max"),
    _rule("eligibility", "the served provider has qhat + beta(m) >= q_min, unless no provider has"),
    _rule("exploration-set", "eligible providers with m < g(t) serve before any auction is held"),
    _rule(
        "standing-bids",
        "a bid stands until its provider serves again; auctions use the last one",
        "eq:provider-history",
    ),
    _rule("index-minimizer", "the winner of an auction has the least bid minus cost radius"),
    _rule("critical-payment", "an auction pays min{P, c_max}"),
    _rule(
        "widened-radius",
        "gamma widens the cost radius to (1 + gamma) c_max beta(m), in index and payment alone",
        "eq:bayesian-mechanism",
    ),
    _rule("state-estimates", "qhat is the mean of all scores and m is their number", "eq:quality-estimate"),
    _rule("long-run", "no rule breaks after a thousand steps", "alg:platform"),
)

#: Bound on the probability that a right mechanism fails a run of one of the checks of draws.
FALSE_ALARM = 2e-7
#: How much too often, among 2, 3, 4 and 5.
_POWER = (
    "a draw is among the providers due for exploration, or among all if none is eligible. In a long run, a provider "
    "drawn {} times too often among 2 ({} among 3, {} among 4, {} among 5) is found with probability 0.99 or more"
)


def _draw(name: str, claim: str, says: str) -> Description:
    return Description(
        name=name,
        claim=claim,
        group="rules",
        says=says,
        false_alarm=FALSE_ALARM,
        power=_POWER.format(1.25, 1.3, 1.35, 1.4),
        quick_power=_POWER.format(1.5, 1.6, 1.7, 1.8),
    )


_DRAWS = (
    _draw(
        "exploration-draw",
        "eq:allocation",
        "an exploration step draws uniformly from the under-sampled eligible providers, independently of the past",
    ),
    _draw(
        "empty-draw",
        "alg:platform",
        "without eligible providers the draw is uniform among all providers, independently of the past",
    ),
)
_WHOLE = _rule("whole-interactions", "no rule breaks in interactions that a state machine generates", "alg:platform")
_RESTART = _contract("restart", "a new instance that restores the saved state gives the same answers")
_LATE = (
    _rule(
        "overtaking-feedback",
        "no rule breaks where feedback arrives in another order than queries were assigned",
        "alg:platform",
    ),
    _rule("lost-feedback", "no rule breaks where the feedback of some queries never arrives", "alg:platform"),
)

#: Every check by name, in the order in which they run: what others rest on first, the special before the general.
ALL_DESCRIPTIONS: Mapping[str, Description] = MappingProxyType(
    {each.name: each for each in (*_CONTRACT, *_INCENTIVES, *_ROBUST, *_RULES, *_DRAWS, _WHOLE)}
)
#: Those of a mechanism with queries in flight. What a strategy earns in the end is known with immediate feedback alone.
IN_FLIGHT_DESCRIPTIONS: Mapping[str, Description] = MappingProxyType(
    {each.name: each for each in (*_CONTRACT, _RESTART, *_INCENTIVES, *_RULES, *_LATE, *_DRAWS, _WHOLE)}
)


def described(name: str) -> Description:
    """Return what a check says, of either list.

    Examples
    --------
    >>> described("lone-payment").says
    'a lone eligible provider is paid c_max'
    """
    return {**ALL_DESCRIPTIONS, **IN_FLIGHT_DESCRIPTIONS}[name]


def selection(only: str | Sequence[str], *, in_flight: bool = False) -> dict[str, Description]:
    """Return the checks that a list of names and groups selects, in the order of the suite.

    `in_flight` says whether the mechanism has queries in flight: other checks make sense then.

    Raises
    ------
    InputError
        An unknown name; the nearest are named.

    Examples
    --------
    >>> list(selection(["lone-payment", "initialization-order"]))
    ['initialization-order', 'lone-payment']
    """
    wanted = [only] if isinstance(only, str) else only
    checks = IN_FLIGHT_DESCRIPTIONS if in_flight else ALL_DESCRIPTIONS
    for name in wanted:
        if name not in GROUPS:
            known("only", name, checks, "with" if in_flight else "without")
    return {name: check for name, check in checks.items() if not wanted or {name, check.group} & {*wanted}}


def known(argument: str, name: str, checks: Mapping[str, object], where: str) -> None:
    """Raise an `InputError` if a name is not among some checks; `where` says of which mechanisms these are.

    Examples
    --------
    >>> known("only", "answers", ALL_DESCRIPTIONS, "without")
    """
    if name in checks:
        return
    if name in ALL_DESCRIPTIONS or name in IN_FLIGHT_DESCRIPTIONS:
        remedy = "costproof check --list names those, with --in-flight the others"
        raise InputError(argument, name, f"is not a check of a mechanism {where} queries in flight", remedy)
    remedy = did_you_mean(name, [*checks, *GROUPS], "costproof check --list names them", most=3)
    raise InputError(argument, name, "is not a check of the suite", remedy)

"""What every check tests, a table, `checks.csv`: read without Hypothesis, NumPy or what a check runs.

The modules in `checks` say how a mechanism is searched for a failure, each check by the name that it has here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from bounds.documents import INTERNAL, Count, Document, Probability
from bounds.errors import InputError, did_you_mean
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.oracle.step_rules import STEP_RULES

Group = Literal["contract", "economic", "rules", "routing"]
#: What each group of checks is about.
GROUPS: Mapping[Group, str] = MappingProxyType(
    {
        "contract": "answers to calls",
        "economic": "payments and bids",
        "rules": "the paper's mechanism",
        "routing": "who serves in the long run",
    }
)
Profile = Literal["auction", "posted-price", "router"]
#: What each profile is for; it selects the checks that make sense for such a mechanism.
PROFILES: Mapping[Profile, str] = MappingProxyType(
    {
        "auction": "bids decide who serves and what is paid",
        "posted-price": "no bid changes what is paid",
        "router": "it decides who serves; payments are not judged",
    }
)
#: What the profiles check that both fit a mechanism with posted prices that learns.
PROFILES_CHECK: Mapping[Profile, str] = MappingProxyType(
    {"posted-price": "checks its payments", "router": "checks what it learns"}
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
    group : {"contract", "economic", "rules", "routing"}
        What it belongs to.
    says : str
        What it tests, in one line.
    false_alarm : float
        Probability that a right mechanism fails, at most: 0 for all but tests of randomness.
    power : str
        What a test of randomness finds, and with which probability; empty for other checks.
    """

    name: str
    claim: str
    group: Group
    says: str
    false_alarm: Probability = 0.0
    power: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class Description(StatedCheck):
    """A check of the suite, as `--list` prints it; a quick run may find less: `quick_power`."""

    quick_power: str = field(default="", metadata=INTERNAL)

    def power_with(self, effort: SuiteEffort) -> str:
        """Return what a test of randomness finds with an effort; empty where that was not measured."""
        if effort.draws >= DEFAULT.draws:
            return self.power
        return self.quick_power or self.power if effort.draws >= QUICK.draws else ""


#: Bound on the probability that a right mechanism fails a run of one of the checks of draws.
FALSE_ALARM = 2e-7
#: How much too often, among 2, 3, 4 and 5.
_POWER = (
    "a draw is among the providers due for exploration, or among all if none is eligible. In a long run, a provider "
    "drawn {} times too often among 2 ({} among 3, {} among 4, {} among 5) is found with probability 0.99 or more"
)
_OF_DRAWS = {
    "false_alarm": FALSE_ALARM,
    "power": _POWER.format(1.25, 1.3, 1.35, 1.4),
    "quick_power": _POWER.format(1.5, 1.6, 1.7, 1.8),
}
_OF_THE_BEST = {
    "false_alarm": 1e-9,
    "power": "the fair share 1/N is enough; a quarter of it or less is found with probability 0.99 or more",
}
#: What the checks of the group `routing` find, for routers that draw each provider with such probabilities.
_OF_ROUTING: Mapping[str, Mapping[str, Any]] = {
    "continued-exploration": {
        "false_alarm": 1e-7,
        "power": "1 query in 100 for every provider is enough; 1 in 10,000 or fewer for one is found with probability "
        "0.99 or more",
    },
    "best-provider": _OF_THE_BEST,
    "feedback-recovery": _OF_THE_BEST,
    "quality-threshold": {
        "false_alarm": 1e-9,
        "power": "15 of 100 later queries are few enough; 40 or more are found with probability 0.99 or more",
    },
}
#: A row for each check, in the order in which they run: what others rest on first, the special before the general, so
#: that the first one that fails names the defect best. Without a claim it is about the rule of its name; feedback says
#: whether mechanisms are asked whose scores and bids arrive at once, late, or both; profiles in which it makes sense.
_TABLE = Path(__file__).with_name("checks.csv")


def _description(row: Mapping[str, Any]) -> Description:
    name, claim = row["name"], row["claim"] or STEP_RULES[row["name"]].label
    says = row["says"].replace("{number}", f"{number_of(claim)}")
    more = _OF_DRAWS if name.endswith("-draw") else _OF_ROUTING.get(name, {})
    return Description(name=name, claim=claim, group=row["group"], says=says, **more)


_ROWS = [*csv.DictReader(_TABLE.read_text(encoding="utf-8").splitlines())]
#: Every check by name.
DESCRIPTIONS: Mapping[str, Description] = MappingProxyType({row["name"]: _description(row) for row in _ROWS})


def described(profile: Profile = "auction", *, in_flight: bool = False) -> dict[str, Description]:
    """Return the checks of a profile by name, in the order in which they run.

    `in_flight` says whether the mechanism has queries in flight: what a strategy earns in the end is known with
    immediate feedback alone, and other checks make sense then.

    Examples
    --------
    >>> len(described()), list(described("router"))[-1]
    (32, 'quality-threshold')
    """
    other = "at once" if in_flight else "late"
    rows = (row for row in _ROWS if row["feedback"] != other and profile in row["profiles"].split())
    return {row["name"]: DESCRIPTIONS[row["name"]] for row in rows}


#: What makes most calls of `assign`, in increasing order: of a right mechanism with `QUICK`, from 2,200 to 24,000.
_EXPENSIVE = (
    *("whole-interactions", "past-bids", "no-loss", "eligibility", "selection-threshold", "no-profitable-misreport"),
    *("state-estimates", "long-run", "own-bid-independence", "continued-exploration", "best-provider"),
    *("quality-threshold", "monotone-allocation", "empty-draw", "exploration-draw", "feedback-recovery"),
    *("robust-no-loss", "robust-strict", "robust-worst-case"),
)


def cheapest_first(checks: Iterable[str]) -> list[str]:
    """Return names of checks by their calls, after those of the contract, on which the others rest.

    Examples
    --------
    >>> cheapest_first(["answers", "reproducible", "robust-strict", "long-run", "lone-payment"])
    ['answers', 'reproducible', 'lone-payment', 'long-run', 'robust-strict']
    """
    calls = {name: place for place, name in enumerate(_EXPENSIVE, 1)}
    return sorted(checks, key=lambda name: -1 if DESCRIPTIONS[name].group == "contract" else calls.get(name, 0))


def profiles_of(name: str) -> list[str]:
    """Return the profiles that a check belongs to.

    Examples
    --------
    >>> profiles_of("no-loss")
    ['auction', 'posted-price']
    """
    return next(row["profiles"].split() for row in _ROWS if row["name"] == name)


def selection(
    only: str | Sequence[str] = (),
    *,
    exclude: str | Sequence[str] = (),
    profile: Profile = "auction",
    in_flight: bool = False,
) -> dict[str, Description]:
    """Return the checks of a profile that two lists of names and groups leave, in the order of the suite.

    Raises
    ------
    InputError
        An unknown name or profile, the nearest are named; or nothing is left.

    Examples
    --------
    >>> list(selection(["lone-payment", "initialization-order"]))
    ['initialization-order', 'lone-payment']
    >>> list(selection("routing", exclude="best-provider", profile="router"))
    ['continued-exploration', 'quality-threshold']
    """
    if profile not in PROFILES:
        raise InputError("profile", profile, "is unknown", did_you_mean(profile, PROFILES, "--help describes them"))
    wanted, unwanted = ({names} if isinstance(names, str) else {*names} for names in (only, exclude))
    checks = described(profile, in_flight=in_flight)
    for name in sorted(wanted - GROUPS.keys()):
        known("only", name, checks, profile, in_flight=in_flight)
    for name in sorted(unwanted - GROUPS.keys()):
        known("exclude", name, DESCRIPTIONS, profile, in_flight=in_flight)
    found = {
        name: check
        for name, check in checks.items()
        if (not wanted or {name, check.group} & wanted) and not {name, check.group} & unwanted
    }
    if not found:
        argument, names = ("exclude", unwanted) if unwanted else ("only", wanted)
        rule = f"leaves no check of the profile {profile}"
        remedy = f"costproof check --list --profile {profile} names them"
        raise InputError(argument, ", ".join(sorted(names)), rule, remedy)
    return found


def known(
    argument: str, name: str, checks: Mapping[str, object], profile: str = "auction", *, in_flight: bool = False
) -> None:
    """Raise an `InputError` if a name is not among some checks, which are those of a profile.

    Examples
    --------
    >>> known("only", "answers", described())
    """
    if name in checks:
        return
    if name in GROUPS:
        remedy = f"name single checks of it (costproof check --list), or leave it out: --exclude {name}"
        raise InputError(argument, name, "is a group of checks", remedy)
    if name not in DESCRIPTIONS:
        remedy = did_you_mean(name, [*checks, *GROUPS], "costproof check --list names them", most=3)
        raise InputError(argument, name, "is not a check of the suite", remedy)
    if profile not in (profiles := profiles_of(name)):
        rule = f"is not a check of the profile {profile}"
        raise InputError(argument, name, rule, f"take the profile {' or '.join(profiles)}")
    where = "with" if in_flight else "without"
    remedy = "costproof check --list names those, with --in-flight the others"
    raise InputError(argument, name, f"is not a check of a mechanism {where} queries in flight", remedy)

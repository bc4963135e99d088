"""Which properties are the weakest refuted, which stand, and which cannot be told, from what tests found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proofs_checks.properties.lattice import PROPERTIES, SHORT, weaker, weakest

#: Where what stands was looked at, if the weakest refuted property is that the rules are kept elsewhere, too.
_ONLY = {"belief-slack": "with gamma = 0", "long-runs": f"in the first {SHORT} steps"}

#: So many failed tests are named beside a property that they leave open.
_TESTS_NAMED = 3

#: "passed" is "not refuted by this test", never more; "stopped" is that it failed by something that another property
#: says, before it could tell; "ended" is that it passed as far as it could be made, since an assumption of it fails.
Outcome = Literal["failed", "passed", "stopped", "ended"]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A test of a property, and what came of it.

    Parameters
    ----------
    test : str
        A check, a rule or a claim.
    of : str
        The property. One that failed names the weakest that its counterexample refutes for sure, together with all
        that this rests on.
    outcome : str
    judged : bool
        Whether it compares the mechanism with what the paper's rules say in the same state, so that it means nothing
        of its own once a weaker property is refuted. Others compare a mechanism with itself, or with a number.
    replayed : bool
        Whether it plays a history again, so that it means nothing of its own once answers are found not to repeat.
    until : int
        Of one that ended: the last step up to which it was made; 0 for none.
    """

    test: str
    of: str
    outcome: Outcome
    judged: bool = True
    replayed: bool = False
    until: int = 0


@dataclass(frozen=True, kw_only=True)
class Told:
    """What is told of a property.

    Parameters
    ----------
    name : str
    by : tuple of str
        The tests that refute it, or that did not; of what cannot be told, those that failed but say nothing of it.
    why : str
        Why it cannot be told; empty otherwise.
    until : int or None
        Of what cannot be told since assumptions fail: the last step up to which all its tests were made; 0 for none.
    """

    name: str
    by: tuple[str, ...] = ()
    why: str = ""
    until: int | None = None

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "name": self.name,
            "says": PROPERTIES[self.name].says,
            "by": list(self.by),
            "why": self.why or None,
            "until": self.until,
        }


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where a mechanism or a log stands among the properties; each property is in one of the four.

    Parameters
    ----------
    weakest_refuted : tuple of Told
        Refuted, and all that they rest on is not.
    also_refuted : tuple of Told
        Refuted by a test of their own that needs nothing of what is refuted below them.
    standing : tuple of Told
        Tested, and not refuted here.
    untold : tuple of Told
        Not tested, or only by tests that rest on what is refuted, or that ended before the log did.
    """

    weakest_refuted: tuple[Told, ...] = ()
    also_refuted: tuple[Told, ...] = ()
    standing: tuple[Told, ...] = ()
    untold: tuple[Told, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The weakest refuted properties by name."""
        return frozenset(told.name for told in self.weakest_refuted)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {group: [told.to_data() for told in found] for group, found in vars(self).items()}


def placement(trials: Iterable[Trial]) -> Placement:
    """Return what trials say of every property.

    Parameters
    ----------
    trials : iterable of Trial
        Of one mechanism, or one log.

    Examples
    --------
    Somebody pays a first price: bids move payments, and who wins is right.

    >>> found = placement([
    ...     Trial(test="index-minimizer", of="allocation", outcome="passed"),
    ...     Trial(test="critical-payment", of="critical-payments", outcome="failed"),
    ...     Trial(test="no-loss", of="individual-rationality", outcome="passed", judged=False),
    ...     Trial(test="no-profitable-misreport", of="truthfulness", outcome="failed", judged=False),
    ...     Trial(test="strict-misreport", of="strict-truthfulness", outcome="failed"),
    ... ])
    >>> [told.name for told in found.weakest_refuted], [told.name for told in found.also_refuted]
    (['critical-payments'], ['truthfulness'])
    >>> [told.name for told in found.standing]
    ['allocation', 'individual-rationality']
    >>> [told.why for told in found.untold if told.name == "strict-truthfulness"]
    ['it rests on what is refuted: critical-payments']
    """
    by_property: dict[str, list[Trial]] = {name: [] for name in PROPERTIES}
    for trial in trials:
        by_property[trial.of].append(trial)
    failed = {name for name, of_it in by_property.items() if _tests(of_it, "failed")}
    first = frozenset(weakest(failed))
    groups: dict[str, list[Told]] = {group: [] for group in Placement.__dataclass_fields__}
    for name, of_it in by_property.items():
        group, told = _told(name, of_it, first, failed)
        groups[group].append(told)
    return Placement(**{group: tuple(found) for group, found in groups.items()})


def _told(name: str, trials: list[Trial], first: frozenset[str], failed: set[str]) -> tuple[str, Told]:
    """Return in which group a property is, and what is told of it."""
    refuting = _tests(trials, "failed")
    if name in first:
        return "weakest_refuted", Told(name=name, by=refuting)
    if alone := tuple(trial.test for trial in trials if trial.outcome == "failed" and _needs_nothing(trial, failed)):
        return "also_refuted", Told(name=name, by=alone)
    if refuting:
        below = weakest(failed & weaker(name))
        return "untold", Told(name=name, by=refuting, why=f"it rests on what is refuted: {', '.join(below)}")
    if ended := _tests(trials, "ended"):
        until = min(trial.until for trial in trials if trial.outcome == "ended")
        why = f"an assumption of what tests it fails at step {until + 1:,}"
        return "untold", Told(name=name, by=ended, why=why, until=until)
    if passed := _tests(trials, "passed"):
        return "standing", Told(name=name, by=passed)
    if stopped := _tests(trials, "stopped"):
        return "untold", Told(name=name, by=stopped, why="its tests failed by something else, before they could tell")
    return "untold", Told(name=name, why="not tested")


def _needs_nothing(trial: Trial, failed: set[str]) -> bool:
    """Return whether a failed test refutes its property whatever else is refuted.

    Answers that do not repeat differ between two plays by themselves: then no difference is due to a bid.
    """
    return not trial.judged and not (trial.replayed and "repeatable" in failed)


def _tests(trials: Iterable[Trial], outcome: Outcome) -> tuple[str, ...]:
    return tuple(dict.fromkeys(trial.test for trial in trials if trial.outcome == outcome))


def in_words(found: Mapping[str, Any], *, of_checked: bool = False) -> tuple[str, ...]:
    """Return the sentences that tell a placement, from its JSON data; none where nothing is refuted.

    With `of_checked` it is said where something weaker was not tested, so that a whole run may name that instead.

    Examples
    --------
    >>> trials = [
    ...     Trial(test="index-minimizer", of="allocation", outcome="passed"),
    ...     Trial(test="critical-payment", of="critical-payments", outcome="failed"),
    ... ]
    >>> for sentence in in_words(placement(trials).to_data()):
    ...     print(sentence)
    Weakest property refuted: critical-payments (an auction pays the bid up to which its winner wins, min{P, c_max}).
    Not refuted here: allocation.
    """
    refuted = found["weakest_refuted"]
    if not refuted:
        return ()
    told = " and ".join(f"{each['name']} ({each['says']})" for each in refuted)
    partly = of_checked and _weaker_was_not_tested(found)
    within = [_ONLY[each["name"]] for each in refuted if each["name"] in _ONLY]
    below = {each["name"] for each in refuted}
    ended = {each["name"]: until for each in found["untold"] if (until := each.get("until")) is not None}
    silent = [
        each for each in found["untold"] if each["by"] and each["name"] not in ended and weaker(each["name"]) & below
    ]
    weakest_one = f"Weakest {'property' if len(refuted) == 1 else 'properties'} refuted"
    sentences = {
        f"{weakest_one} of those checked" if partly else weakest_one: told,
        "Refuted as well": _names(found["also_refuted"]),
        " ".join(["Not refuted here", *within]): _names(found["standing"]),
        **{
            _only_until(until): ", ".join(name for name in ended if ended[name] == until)
            for until in sorted(set(ended.values()), reverse=True)
        },
        f"Their tests failed too, perhaps only because of {'that' if len(refuted) == 1 else 'those'}": ", ".join(
            map(_with_tests, silent)
        ),
    }
    return tuple(f"{what}: {names}." for what, names in sentences.items() if names)


def _weaker_was_not_tested(found: Mapping[str, Any]) -> bool:
    """Return whether a refuted property rests on one that no test was made of."""
    below = {name for each in found["weakest_refuted"] for name in weaker(each["name"])}
    return any(each["name"] in below and not each["by"] for each in found["untold"])


def _only_until(until: int) -> str:
    if not until:
        return "Cannot be told, since an assumption fails at step 1"
    return f"Not refuted before an assumption fails at step {until + 1:,} and not compared from there on"


def _with_tests(told: Mapping[str, Any]) -> str:
    """Return a property with the tests of it that failed, as the table beside it names them."""
    named, others = told["by"][:_TESTS_NAMED], len(told["by"]) - _TESTS_NAMED
    more = f" and {others} more" if others > 0 else ""
    return f"{told['name']} ({', '.join(named)}{more})"


def _names(found: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(each["name"] for each in found)

"""Where the mutants stand among the properties, beside the labels that they have by hand: docs/properties.md.

``python -m proofs_checks.conformance.mutants.placed`` writes the page: from docs/mutants.md, and from playing the
mechanisms of `strangers`, which takes some minutes.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.kills import TIME_LIMIT, Kill
from proofs_checks.conformance.mutants.labelled import LABELLED, LABELLED_STRANGERS
from proofs_checks.conformance.mutants.plain import Factory
from proofs_checks.conformance.mutants.strangers import STRANGERS
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from proofs_checks.properties.lattice import PROPERTIES, SHORT
from proofs_checks.properties.placement import Placement, Trial, placement
from proofs_checks.properties.tested_by import OF_CHECK, OF_RULE

#: Why a mutant is placed elsewhere than its label, for readers.
WHY: Mapping[str, str] = {
    **dict.fromkeys(
        ["RoundedScores", "BottomScoresAreNothing"],
        "a provider is taken for ineligible, and only rules about auctions show it in a quick run",
    ),
    "InitializesTwice": "it does not draw in its second round, which is refuted rightly; the label forgot it",
    **dict.fromkeys(
        ["LateClawback", "LateFirstPrice", "LateTurns"],
        "it goes wrong after step 45, which short runs reach; the label says long runs",
    ),
    "FirstScoresHalved": "the names alone do not tell; `check` places it as labelled, by the counterexample",
}
#: A row of docs/mutants.md: the mutant, what it breaks, the checks that caught it.
_ROW = re.compile(r"^\| `(\w+)` \| .+? \| ((?:\*\*)?[\w-]+[\w*, -]*) \|$", re.MULTILINE)


def recorded_kills(page: str) -> tuple[Kill, ...]:
    """Return which checks caught which mutant, as docs/mutants.md has it.

    Examples
    --------
    >>> recorded_kills("| `BidsReset` | Loses all bids. | **long-run**, whole-interactions |")
    (Kill(mutant='BidsReset', caught_by=('long-run', 'whole-interactions')),)
    """
    found = ((name, tuple(caught.replace("*", "").split(", "))) for name, caught in _ROW.findall(page))
    return tuple(Kill(name, caught) for name, caught in found if name in MUTANTS)


def placement_by_names(failed: Iterable[str]) -> Placement:
    """Return where a mechanism stands of which no more is known than the names of the checks that fail.

    Without the counterexample, a check that compares several rules, or plays gamma > 0 besides, refutes less for sure.

    Examples
    --------
    >>> sorted(placement_by_names(["critical-payment", "long-run"]).names)
    ['critical-payments']
    """
    trials = ((check, OF_CHECK[check.name]) for check in map(ALL_CHECKS.__getitem__, failed))
    return placement(
        Trial(test=check.name, of=tests.failed, outcome="failed", judged=check.group == "rules", replayed=tests.replays)
        for check, tests in trials
        if tests.failed
    )


def played_placement(factory: Factory, only: Iterable[str] = (), seed: int = 0) -> Placement:
    """Return where `costproof check --quick` places a mechanism, by its counterexamples.

    Examples
    --------
    >>> from proofs_checks.conformance.mutants.corners import InitializationPaysLess
    >>> sorted(played_placement(InitializationPaysLess, only=["initialization-payment"]).names)
    ['initialization']
    """
    report = check_mechanism(factory, only=tuple(only), seed=seed, effort=QUICK, time_limit=TIME_LIMIT, explain=False)
    return report.properties


def page(kills: Sequence[Kill], strangers: Mapping[str, frozenset[str]]) -> str:
    """Return docs/properties.md, from what caught the mutants, and where `strangers` were placed when they were played.

    Examples
    --------
    >>> page([], {}).splitlines()[0]
    '# Properties, from weak to strong'
    """
    found = {kill.mutant: placement_by_names(kill.caught_by).names for kill in kills}
    apart = {name: names for name, names in found.items() if names != LABELLED[name]}
    right = sum(names == LABELLED_STRANGERS[name] for name, names in strangers.items())
    return _PAGE.format(
        properties="".join(map(_property_row, PROPERTIES)),
        short=SHORT,
        right=len(found) - len(apart),
        total=len(found),
        share=(len(found) - len(apart)) / max(len(found), 1),
        apart="".join(
            f"| `{name}` | {_listed(LABELLED[name])} | {_listed(names)} | {WHY.get(name, '')} |\n"
            for name, names in apart.items()
        ),
        strangers_right=right,
        strangers_total=len(strangers),
        strangers="".join(
            f"| `{name}` | {_listed(LABELLED_STRANGERS[name])} | {_listed(names)} |\n"
            for name, names in strangers.items()
        ),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in PROPERTIES if name in set(names)) or "-"


def _property_row(name: str) -> str:
    stated = PROPERTIES[name]
    checks = (f"`{check}`" for check, tests in OF_CHECK.items() if tests.passed == name)
    rules = (f"`{rule}`" for rule, of in OF_RULE.items() if of == name)
    cells = (f"`{name}`", stated.says, _listed(stated.rests_on), ", ".join(checks) or "-", ", ".join(rules) or "-")
    return f"| {' | '.join(cells)} |\n"


_PAGE = """\
# Properties, from weak to strong

Of a broken mechanism many checks fail. `check` and `audit` say where it begins: the weakest property that is refuted.
Elle, the checker of Jepsen, does the same for databases (Kingsbury and Alvaro, VLDB 2020). For a first-price auction:

```
Weakest property refuted: critical-payments (an auction pays the bid up to which
its winner wins, min{{P, c_max}}).
Refuted as well: bid-independence, truthfulness, robust-truthfulness.
Not refuted here: answers, repeatable, initialization, eligibility, exploration,
fixed-payments, uniform-draws, allocation, payment-range,
individual-rationality.
Their tests failed too, perhaps only because of that: belief-slack
(widened-radius), long-runs (long-run), strict-truthfulness (strict-misreport).
```

Written by `python -m proofs_checks.conformance.mutants.placed`: do not edit.

| property | says | rests on | checks | rules of `audit` |
|---|---|---|---|---|
{properties}
A property stands for itself and for all that it rests on. So it implies these, and what refutes one of them refutes
it.

- **Weakest refuted**: a test refutes it, and none refutes anything that it rests on. There may be two that do not rest
  on each other. A failed check refutes the weakest property that implies what it checks. A counterexample says more:
  which rule breaks. If gamma > 0 there, or if its step is after the {short}th, it refutes only `belief-slack` or
  `long-runs`, for the rules may be kept elsewhere. Where `--only` leaves out the tests of something that this rests on,
  it is the weakest "of those checked".
- **Refuted as well**: by a test that compares the mechanism with itself or with a number, as a loss or a better bid.
  Where `repeatable` is refuted, the tests that play a history again refute nothing: two plays differ then by
  themselves, and not by the bid.
- **Not refuted here**: its own tests ran and none failed. That is no proof, and it says nothing of what it rests on.
- **Their tests failed too, perhaps only because of that**: the failed tests stand in parentheses. They compare with
  the paper's rules in a state that a weaker property decides, play again what does not repeat, or failed by something
  weaker. So the property is open until that is mended. `untold` of `properties` in `--json` has these and those that no
  test was made of, with the reason.

A log shows less than a mechanism that can be called: not what another bid would have earned, nor what another run would
have answered. So `audit` says of `answers`, `repeatable`, `truthfulness` and some others that they cannot be told. Of
the claims that a log refutes, those count that imply no other refuted one.

**What it is not.** The list is short, and the order is that of the paper's argument. A wrong radius shows first in
eligibility, though the auctions are wrong as well. Where a check of a weak property misses a defect in a quick run, a
stronger one is named: what is named is refuted, but something weaker may be broken too.

## How often it is right

Every mutant ([mutants.md](mutants.md)) was labelled by hand, from its source, with its weakest broken property, before
any program placed one (`proofs_checks/conformance/mutants/labelled.py`). The properties were chosen by the same hand,
which knew what checks must catch a mutant, and a part of mutants.md. By the names of the checks that mutants.md lists,
and nothing else, **{right} of {total} mutants ({share:.1%})** are placed where the label says. The first count was 141:
five explorations with a wrong price seemed to break `belief-slack` too, until that rested on `fixed-payments`. No label
was changed.

The others:

| mutant | label | placed | why |
|---|---|---|---|
{apart}
The mechanisms of `proofs_checks/conformance/mutants/strangers.py`, in another style, were labelled at the same time,
and played with `--quick` and seed 0: {strangers_right} of {strangers_total} are placed where the label says.

| mechanism | label | placed |
|---|---|---|
{strangers}"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m proofs_checks.conformance.mutants.placed", description=__doc__)
    parser.add_argument("--mutants", type=Path, default=Path("docs/mutants.md"), metavar="FILE")
    parser.add_argument("--out", type=Path, default=Path("docs/properties.md"), metavar="FILE")
    arguments = parser.parse_args()
    strangers = {name: played_placement(made).names for name, made in STRANGERS.items()}
    kills = recorded_kills(arguments.mutants.read_text(encoding="utf-8"))
    arguments.out.write_text(page(kills, strangers), encoding="utf-8")


if __name__ == "__main__":
    main()

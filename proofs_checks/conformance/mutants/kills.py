"""Which checks of the suite catch which mutants: the table, and the page of the documentation that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from proofs_checks.conformance.checks.check import QUICK, SuiteEffort
from proofs_checks.conformance.mutants.gallery import CORRECT, KEPT_FOR, MUTANTS
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism

#: Seconds that a call may take: mutants answer in microseconds, or never.
TIME_LIMIT = 1.0


@dataclass(frozen=True)
class Kill:
    """A mutant by its name in the gallery, and the checks that fail on it, in the order of the suite."""

    mutant: str
    caught_by: tuple[str, ...]


def kills_of(mutant: str, seed: int = 0, effort: SuiteEffort = QUICK, only: Iterable[str] = ()) -> Kill:
    """Run the suite, or some of its checks, on a mutant of the gallery.

    Examples
    --------
    >>> kills_of("InitializationPaysLess", only=["initialization-order", "initialization-payment"]).caught_by
    ('initialization-payment',)
    """
    report = check_mechanism(
        MUTANTS[mutant].factory, only=tuple(only), seed=seed, effort=effort, time_limit=TIME_LIMIT, explain=False
    )
    return Kill(mutant, tuple(result.name for result in report.checks if result.status == "failed"))


def kill_table(
    seed: int = 0, effort: SuiteEffort = QUICK, *, mutants: Iterable[str] = tuple(MUTANTS), jobs: int = 1
) -> tuple[Kill, ...]:
    """Run the whole suite on mutants of the gallery, in `jobs` processes; all of them take minutes.

    Examples
    --------
    >>> kill_table(mutants=["ReturnsNothing"])
    (Kill(mutant='ReturnsNothing', caught_by=('answers',)),)
    """
    return tuple(Parallel(n_jobs=jobs)(delayed(kills_of)(mutant, seed, effort) for mutant in mutants))


def caught_first(kills: Iterable[Kill], *, in_group: bool = False) -> Mapping[str, tuple[str, ...]]:
    """Return, for every check, the mutants that it catches before any other check, or any other `in_group`, does.

    Examples
    --------
    >>> caught_first([Kill("A", ("eligibility", "exploration-set"))])["eligibility"]
    ('A',)
    """
    found: dict[str, list[str]] = {name: [] for name in ALL_CHECKS}
    for kill in kills:
        groups: set[str] = set()
        for name in kill.caught_by:
            group = ALL_CHECKS[name].group if in_group else ""
            if group not in groups:
                found[name].append(kill.mutant)
            groups.add(group)
    return {name: tuple(mutants) for name, mutants in found.items()}


_HEAD = """\
# Mutants

Mechanisms that are broken on purpose, and what the conformance suite says of them. Written by
`python -m proofs_checks.conformance.mutants`, from one run with quick effort and seed {seed}: do not edit.

Every check in bold must catch the mutant, whatever the seed; the others happened to.
What hangs is not checked further; of what fails to answer from some step on, the other checks look at what came before.
"""

_CHECKS = """\
## What each check is for

Mutants that no other check catches, or that no check of its group before it does. The rule checks come after the
economic ones, which most mutants break as well: `costproof check --only rules` runs them alone.
"""


def page(kills: Sequence[Kill], seed: int) -> str:
    """Return docs/mutants.md, from a kill for every mutant of the gallery.

    Examples
    --------
    >>> page([], 0).splitlines()[0]
    '# Mutants'
    """
    parts = [_HEAD.format(seed=seed)]
    for theme in dict.fromkeys(mutant.theme for mutant in MUTANTS.values()):
        of_theme = [kill for kill in kills if MUTANTS[kill.mutant].theme == theme]
        title = theme.replace("_", " ").capitalize()
        parts += [f"## {title}\n", _table(["mutant", "breaks", "caught by"], map(_mutant_row, of_theme))]
    header = ["check", "only it", "it first in its group", "all that it catches"]
    parts += [_CHECKS, _table(header, _check_rows(kills))]
    if KEPT_FOR:
        parts += ["Kept without one:\n", "\n".join(f"- `{name}`: {why}" for name, why in KEPT_FOR.items()) + "\n"]
    parts += ["## Correct mechanisms\n", "Every check must pass all of these, whatever the seed.\n", _correct()]
    return "\n".join(parts)


def _mutant_row(kill: Kill) -> list[str]:
    mutant = MUTANTS[kill.mutant]
    found = dict.fromkeys([*mutant.caught_by, *kill.caught_by])
    ordered = [name for name in ALL_CHECKS if name in found]
    caught = [f"**{name}**" if name in mutant.caught_by else name for name in ordered]
    return [f"`{mutant.name}`", mutant.breaks, ", ".join(caught)]


def _check_rows(kills: Sequence[Kill]) -> Iterable[list[str]]:
    first = caught_first(kills, in_group=True)
    for name in ALL_CHECKS:
        only = [kill.mutant for kill in kills if kill.caught_by == (name,)]
        earlier = [mutant for mutant in first[name] if mutant not in only]
        total = sum(name in kill.caught_by for kill in kills)
        yield [f"`{name}`", _listed(only), _listed(earlier), f"{total}"]


def _listed(mutants: Sequence[str], shown: int = 4) -> str:
    more = f" and {len(mutants) - shown} more" if len(mutants) > shown else ""
    return ", ".join(f"`{mutant}`" for mutant in mutants[:shown]) + more or "-"


def _correct() -> str:
    rows = ([f"`{name}`", (made.__doc__ or "").partition("\n")[0]] for name, made in CORRECT.items())
    return _table(["mechanism", "what is different"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    body = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in (header, *rows)]
    body.insert(1, "|" + "---|" * len(header))
    return "\n".join(body) + "\n"

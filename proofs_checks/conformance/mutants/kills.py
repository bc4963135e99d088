"""Which checks of the suite catch which mutants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from proofs_checks.conformance.check import QUICK, Effort
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism

#: Seconds that a call may take: mutants answer in microseconds, or never.
TIME_LIMIT = 1.0


@dataclass(frozen=True)
class Kill:
    """The checks that catch a mutant.

    Parameters
    ----------
    mutant : str
        Its name in the gallery.
    caught_by : tuple of str
        Names of the checks that fail, in the order of the suite.
    """

    mutant: str
    caught_by: tuple[str, ...]


def kills_of(mutant: str, seed: int = 0, effort: Effort = QUICK, only: Iterable[str] = ()) -> Kill:
    """Run the suite, or some of its checks, on a mutant.

    Parameters
    ----------
    mutant : str
        A name of the gallery.
    seed : int, optional
    effort : Effort, optional
        `QUICK` by default.
    only : iterable of str, optional
        Names of checks; all by default.

    Examples
    --------
    >>> kills_of("InitializationPaysLess", only=["initialization-order", "initialization-payment"]).caught_by
    ('initialization-payment',)
    """
    report = check_mechanism(MUTANTS[mutant].factory, only=tuple(only), seed=seed, effort=effort, time_limit=TIME_LIMIT)
    return Kill(mutant, tuple(result.name for result in report.checks if result.status == "failed"))


def kill_table(
    seed: int = 0, effort: Effort = QUICK, *, mutants: Iterable[str] = tuple(MUTANTS), jobs: int = 1
) -> tuple[Kill, ...]:
    """Run the whole suite on mutants.

    Parameters
    ----------
    seed : int, optional
    effort : Effort, optional
        `QUICK` by default.
    mutants : iterable of str, optional
        Names of the gallery; all by default, which takes minutes.
    jobs : int, optional
        Processes.

    Examples
    --------
    >>> kill_table(mutants=["ReturnsNothing"])
    (Kill(mutant='ReturnsNothing', caught_by=('answers',)),)
    """
    from joblib import Parallel, delayed

    return tuple(Parallel(n_jobs=jobs)(delayed(kills_of)(mutant, seed, effort) for mutant in mutants))


def caught_first(kills: Iterable[Kill], *, in_group: bool = False) -> Mapping[str, tuple[str, ...]]:
    """Return, for every check, the mutants that it catches before any other check does.

    Parameters
    ----------
    kills : iterable of Kill
    in_group : bool, optional
        Whether only the checks of its own group count as others; by default all do.

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

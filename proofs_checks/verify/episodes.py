"""The episodes of a verification: which are played, in parallel, and what each says about every claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bounds.setting.model import Setting
from mechanism.arguments import whole_number
from mechanism.parallel import run_tasks
from proofs_checks.claims.cases.instances import instance_case
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.claims.registry import claim

#: Random instances that one parallel task checks.
_BATCH = 10
#: Truthful runs of a setting in one task: they share the tables of its bounds.
RUNS_PER_TASK = 5


@dataclass(frozen=True)
class Effort:
    """How much `verify` tries.

    Parameters
    ----------
    runs : int
        Truthful runs a setting; the other variants run once.
    horizon : int
        T of truthful runs.
    variant_horizon : int
        T of Bayesian, deviating and combined runs.
    instances : int
        Small instances steered to the band edges; the first ones are built at the boundary of a bound.

    Raises
    ------
    InputError
        Not a whole number, or below 1 (`instances`: below 0).
    """

    runs: int = 30
    horizon: int = 70_000
    variant_horizon: int = 70_000
    instances: int = 200

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            whole_number(name, value, "it says how much is tried", least=0 if name == "instances" else 1)


DEFAULT = Effort()
QUICK = Effort(runs=1, horizon=10_000, variant_horizon=3_000, instances=40)


def effort_of(
    *, quick: bool = False, runs: int | None = None, horizon: int | None = None, instances: int | None = None
) -> Effort:
    """Return the usual or the quick effort with some of its numbers replaced.

    Parameters
    ----------
    quick : bool, optional
        Whether to start from `QUICK` rather than from `DEFAULT`.
    runs, instances : int, optional
    horizon : int, optional
        Of truthful runs; the other variants run at most as many queries.

    Examples
    --------
    >>> effort_of(quick=True, horizon=200)
    Effort(runs=1, horizon=200, variant_horizon=200, instances=40)
    """
    usual = QUICK if quick else DEFAULT
    variant_horizon = None if horizon is None else min(usual.variant_horizon, horizon)
    given = {"runs": runs, "horizon": horizon, "variant_horizon": variant_horizon, "instances": instances}
    return replace(usual, **{name: value for name, value in given.items() if value is not None})


def flags_of(effort: Mapping[str, int]) -> tuple[str, ...] | None:
    """Return the shortest flags of `costproof verify` that stand for an effort; None if no flags do.

    Parameters
    ----------
    effort : mapping
        The fields of an `Effort`, as a report holds them.

    Examples
    --------
    >>> flags_of({"runs": 1, "horizon": 10_000, "variant_horizon": 3_000, "instances": 40})
    ('--quick',)
    >>> flags_of({"runs": 2, "horizon": 900, "variant_horizon": 900, "instances": 200})
    ('--runs', '2', '--horizon', '900')
    """
    found = [flags for quick in (False, True) if (flags := _flags(effort, quick)) is not None]
    return min(found, key=len, default=None)


def _flags(effort: Mapping[str, int], quick: bool) -> tuple[str, ...] | None:
    usual = vars(QUICK if quick else DEFAULT)
    given = {name: effort[name] for name in ("runs", "horizon", "instances") if effort[name] != usual[name]}
    if dict(effort) != vars(effort_of(quick=quick, **given)):
        return None
    return (*["--quick"] * quick, *(word for name, value in given.items() for word in (f"--{name}", f"{value}")))


@dataclass(frozen=True, kw_only=True)
class Episode:
    """What one episode says about every claim.

    Parameters
    ----------
    order : tuple of int
        Its setting and its place within: results must not depend on who finished first.
    setting : str or None
        None for a small instance.
    variant : str
        How its providers bid.
    origin : mapping
        How to play it again.
    steps : int
    findings : dict of str to Finding
        By claim label.
    """

    order: tuple[int, int]
    setting: str | None
    variant: str
    origin: Mapping[str, Any]
    steps: int
    findings: dict[str, Finding]


def planned(settings: Sequence[Setting], seed: int, effort: Effort, labels: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the tasks of a verification, none if no claim among the labels is compared on traces.

    Truthful runs, the longest, come first, so that the processes end together.
    """
    compared = tuple(label for label in labels if claim(label).checks)
    if not compared:
        return []
    tasks: list[tuple[Any, ...]] = []
    for position, setting in enumerate(settings):
        for start in range(0, effort.runs, RUNS_PER_TASK):
            runs = range(start, min(start + RUNS_PER_TASK, effort.runs))
            tasks.append((_episodes, position, setting, "truthful", effort.horizon, seed, runs, 0, compared))
    for start in range(0, effort.instances, _BATCH):
        batch = range(start, min(start + _BATCH, effort.instances))
        tasks.append((_instances, len(settings), seed, batch, compared))
    for position, setting in enumerate(settings):
        for offset, variant in enumerate(v for v in VARIANTS if v != "truthful"):
            how = (variant, effort.variant_horizon, seed, range(1), effort.runs + offset)
            tasks.append((_episodes, position, setting, *how, compared))
    return tasks


def play_all(
    tasks: list[tuple[Any, ...]], jobs: int, progress: Callable[[int, int], None]
) -> tuple[list[Episode], int]:
    """Run the tasks and return the outcomes in order, and how many tasks were done.

    An interruption keeps what is finished.
    """
    outcomes: list[Episode] = []
    done = 0
    try:
        for found in run_tasks(_do, tasks, jobs):
            outcomes.extend(found)
            done += 1
            progress(done, len(tasks))
    except KeyboardInterrupt:
        pass
    return sorted(outcomes, key=lambda outcome: outcome.order), done


def _do(function: Callable[..., list[Episode]], *arguments: Any) -> list[Episode]:
    return function(*arguments)


def _episodes(
    position: int,
    setting: Setting,
    variant: str,
    horizon: int,
    seed: int,
    runs: range,
    place: int,
    labels: tuple[str, ...],
) -> list[Episode]:
    horizon = max(horizon, setting.n_providers)
    cases = ((run, play(setting, variant, horizon=horizon, seed=seed, run=run)) for run in runs)
    return [_episode((position, place + run), setting.name, variant, case, labels) for run, case in cases]


def _instances(position: int, seed: int, batch: range, labels: tuple[str, ...]) -> list[Episode]:
    cases = ((instance, instance_case(seed, instance)) for instance in batch)
    return [_episode((position, instance), None, "steered", case, labels) for instance, case in cases]


def _episode(order: tuple[int, int], setting: str | None, variant: str, case: Case, labels: tuple[str, ...]) -> Episode:
    return Episode(
        order=order,
        setting=setting,
        variant=variant,
        origin=case.origin,
        steps=len(case.trace),
        findings={label: claim(label).check(case) for label in labels},
    )

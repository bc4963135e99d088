"""The work of a verification, done in parallel: the proofs, the episodes, and what each says about every claim.

What is computed of a setting without any episode is part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from bounds.documents import Count, FromOne
from bounds.setting.model import Setting
from mechanism.arguments import whole_number
from mechanism.parallel import run_tasks
from mechanism.running import LONG, load_machine_code
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.cases.instances import delayed_case, instance_case
from proofs_checks.claims.cases.late_boundary import LATE_BOUNDARY
from proofs_checks.claims.cases.variants import VARIANTS, play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import claim
from proofs_checks.proofs.evidence import CertificateEvidence, certificate_evidence, with_proofs
from proofs_checks.verdict import Verdict

#: Modules that most tasks need, and that take long to load or to compile: copies of this process have them then.
_SHARED = ("bounds.coverage.kernel", "proofs_checks.claims.model.comparison")
#: Random instances that one parallel task checks.
_BATCH = 10
#: Steps times providers whose episodes in plain Python take about as long as to compile the simulator.
_WORTH_MACHINE_CODE = 5_000_000
#: Steps of a run that show what has to be compiled for it, and after which most assumptions about the bids of an
#: instance that fail at all have failed.
_FIRST_STEPS = 20
#: Truthful runs of a setting in one task: they share the tables of its bounds, which take as long as several runs.
RUNS_PER_TASK = 30


@dataclass(frozen=True)
class Effort:
    """How much was to be tried.

    Parameters
    ----------
    runs : int
        Truthful runs of each setting.
    horizon : int
        Queries of a truthful run.
    variant_horizon : int
        Queries of a run of the other variants, each of which runs once.
    instances : int
        Instances constructed at the band edges; the first are built at the boundary of a bound. A tenth as many
        more have queries in flight.

    Raises
    ------
    InputError
        Not a whole number, or below 1 (`instances`: below 0).
    """

    runs: FromOne = 30
    horizon: FromOne = 70_000
    variant_horizon: FromOne = 70_000
    instances: Count = 200

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
        None for a constructed instance.
    variant : str
        How its providers bid.
    origin : mapping
        How to play it again.
    steps : int
    evidence : dict of str to Evidence
        By claim label.
    market : Setting or None
        The setting that a constructed instance has of its own.
    """

    order: tuple[int, int]
    setting: str | None
    variant: str
    origin: Mapping[str, Any]
    steps: int
    evidence: dict[str, Evidence]
    market: Setting | None = None


@dataclass(frozen=True, kw_only=True)
class SettingEvidence:
    """What the parameters of a setting say about claims, without any episode.

    Parameters
    ----------
    setting : str or None
        None for what holds on none in particular.
    evidence : mapping of str to Evidence or None
        By claim label; None where they decide nothing.
    """

    setting: str | None
    evidence: Mapping[str, Evidence | None]

    @classmethod
    def of(cls, setting: Setting | None, labels: Sequence[str]) -> SettingEvidence:
        """Compute it."""
        return cls(
            setting=None if setting is None else setting.name, evidence={each: _said(each, setting) for each in labels}
        )


def _said(label: str, setting: Setting | None) -> Evidence | None:
    stated = claim(label)
    if setting is not None:
        return stated.of_setting(setting)
    return None if stated.everywhere is None else stated.everywhere()


@dataclass(frozen=True, kw_only=True)
class TaskResults:
    """What the tasks of a verification found.

    Parameters
    ----------
    episodes : tuple of Episode
        In order.
    certificates : mapping of str to CertificateEvidence
        By claim label; empty if an interruption cut the proofs short.
    computed : tuple of SettingEvidence
        By setting.
    done : int
        Tasks done.
    """

    episodes: tuple[Episode, ...]
    certificates: Mapping[str, CertificateEvidence]
    computed: tuple[SettingEvidence, ...]
    done: int

    def said(self, label: str, setting: Setting | None) -> Evidence | None:
        """Return what the parameters say about a claim; computed now if an interruption cut that short."""
        name = None if setting is None else setting.name
        found = next((each.evidence for each in self.computed if each.setting == name and label in each.evidence), None)
        return _said(label, setting) if found is None else found[label]


def planned(settings: Sequence[Setting], seed: int, effort: Effort, labels: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the tasks of a verification: proofs, what parameters say, and episodes if a label is compared on traces.

    The proofs, the longest task, come first, then the truthful runs, so that the processes end together.
    """
    tasks: list[tuple[Any, ...]] = [(certificate_evidence, tuple(labels))] if with_proofs(labels) else []
    if of_setting := tuple(label for label in labels if claim(label).on_setting):
        tasks.extend((SettingEvidence.of, setting, of_setting) for setting in settings)
    if anywhere := tuple(label for label in labels if claim(label).everywhere):
        tasks.append((SettingEvidence.of, None, anywhere))
    compared = tuple(label for label in labels if claim(label).checks)
    if not compared:
        return tasks
    code = in_machine_code(settings, effort)
    for position, setting in enumerate(settings):
        for start in range(0, effort.runs, RUNS_PER_TASK):
            runs = range(start, min(start + RUNS_PER_TASK, effort.runs))
            tasks.append((_episodes, position, setting, "truthful", effort.horizon, seed, runs, 0, compared, code))
    for start in range(0, effort.instances, _BATCH):
        batch = range(start, min(start + _BATCH, effort.instances))
        tasks.append((_instances, len(settings), seed, batch, compared))
    of_any_delay = tuple(label for label in compared if claim(label).any_delay)
    if of_any_delay and effort.instances >= _BATCH:
        late = range(len(LATE_BOUNDARY) + effort.instances // _BATCH)
        tasks.append((_delayed_instances, len(settings) + 1, seed, late, of_any_delay))
    for position, setting in enumerate(settings):
        for offset, variant in enumerate(v for v in VARIANTS if v != "truthful"):
            how = (variant, effort.variant_horizon, seed, range(1), effort.runs + offset)
            tasks.append((_episodes, position, setting, *how, compared, code))
    return tasks


def in_machine_code(settings: Sequence[Setting], effort: Effort) -> bool:
    """Return whether episodes are played in machine code: not where it takes longer to compile it than to do without.

    Parameters
    ----------
    settings : sequence of Setting
    effort : Effort
    """
    horizons = [effort.horizon] * effort.runs + [effort.variant_horizon] * (len(VARIANTS) - 1)
    return sum(horizons) * sum(setting.n_providers for setting in settings) > _WORTH_MACHINE_CODE


def carry_out(tasks: list[tuple[Any, ...]], jobs: int, progress: Callable[[int, int], None]) -> TaskResults:
    """Run the tasks and return what they found.

    An interruption keeps what is finished.
    """
    episodes: list[Episode] = []
    certificates: dict[str, CertificateEvidence] = {}
    computed: list[SettingEvidence] = []
    done = 0
    try:
        if jobs > 1:
            _prepare(tasks)
        for found in run_tasks(_do, tasks, jobs, lambda: progress(0, len(tasks))):
            if isinstance(found, dict):
                certificates.update(found)
            elif isinstance(found, SettingEvidence):
                computed.append(found)
            else:
                episodes.extend(found)
            done += 1
            progress(done, len(tasks))
    except KeyboardInterrupt:
        pass
    in_order = sorted(episodes, key=lambda episode: episode.order)
    return TaskResults(episodes=tuple(in_order), certificates=certificates, computed=tuple(computed), done=done)


def _prepare(tasks: Sequence[tuple[Any, ...]]) -> None:
    """Load and compile here what the processes need that are copies of this one: play the first steps of a run."""
    for module in _SHARED:
        import_module(module)
    if any(map(_is_long, tasks)):
        load_machine_code()
    runs = [arguments for function, *arguments in tasks if function is _episodes]
    if len(runs) > 1:
        position, setting, variant, horizon, seed, _, place, labels, machine_code = runs[0]
        _episodes(position, setting, variant, min(horizon, _FIRST_STEPS), seed, range(1), place, labels, machine_code)


def _is_long(task: tuple[Any, ...]) -> bool:
    """Whether a task has tables that are long enough for machine code, as some instances at a boundary have."""
    function, *arguments = task
    if function is _episodes:
        _, setting, _, horizon, *_ = arguments
        return bool(horizon * setting.n_providers >= LONG)
    return function in (_instances, _delayed_instances)


def _do(
    function: Callable[..., list[Episode] | dict[str, CertificateEvidence] | SettingEvidence], *arguments: Any
) -> Any:
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
    machine_code: bool,
) -> list[Episode]:
    horizon = max(horizon, setting.n_providers)
    cases = (
        (run, play(setting, variant, horizon=horizon, seed=seed, run=run, machine_code=machine_code)) for run in runs
    )
    return [_episode((position, place + run), setting.name, variant, case, labels) for run, case in cases]


def _instances(position: int, seed: int, batch: range, labels: tuple[str, ...]) -> list[Episode]:
    return [_instance((position, instance), seed, instance, labels) for instance in batch]


def _delayed_instances(position: int, seed: int, batch: range, labels: tuple[str, ...]) -> list[Episode]:
    cases = ((instance, delayed_case(seed, instance)) for instance in batch)
    return [_episode((position, instance), None, "in flight", case, labels) for instance, case in cases]


def _instance(order: tuple[int, int], seed: int, instance: int, labels: tuple[str, ...]) -> Episode:
    """Play an instance; only its first steps, if an assumption of every label fails in them."""
    if instance >= len(BOUNDARY) and all(claim(label).preconditions for label in labels):
        start = instance_case(seed, instance, at_most=_FIRST_STEPS)
        said = _episode(order, None, "steered", start, labels)
        if all(found.verdict is Verdict.ASSUMPTION_VIOLATED for found in said.evidence.values()):
            return said
    return _episode(order, None, "steered", instance_case(seed, instance), labels)


def _episode(order: tuple[int, int], setting: str | None, variant: str, case: Case, labels: tuple[str, ...]) -> Episode:
    return Episode(
        order=order,
        setting=setting,
        variant=variant,
        origin=case.origin,
        steps=len(case.trace),
        evidence={label: claim(label).check(case) for label in labels},
        market=case.setting if setting is None else None,
    )

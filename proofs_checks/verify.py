"""`verify`: episodes of the given settings, every claim on every trace, and what they say together."""

from __future__ import annotations

import platform as _python_platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from bounds.setting import Setting
from bounds.setting_file import format_setting
from mechanism.parallel import run_tasks
from proofs_checks.claim import Claim, Finding, merge
from proofs_checks.instances import random_case
from proofs_checks.registry import all_claims, claim
from proofs_checks.variants import VARIANTS, play
from proofs_checks.verdict import Evidence, Verdict, overall

#: Random instances that one parallel task checks.
_BATCH = 10


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
        Small random instances steered to the band edges.
    """

    runs: int = 2
    horizon: int = 70_000
    variant_horizon: int = 20_000
    instances: int = 200


DEFAULT = Effort()
QUICK = Effort(runs=1, horizon=10_000, variant_horizon=3_000, instances=40)


@dataclass(frozen=True)
class ClaimResult:
    """What is known about one claim on one setting, or on none in particular (`setting` is None)."""

    label: str
    setting: str | None
    verdict: Verdict
    evidence: tuple[Evidence, ...]

    @property
    def counts_as_refuted(self) -> bool:
        """Whether a refutation is news: a documented finding about the paper's wording is not."""
        return self.verdict is Verdict.REFUTED and not claim(self.label).finding

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        stated = claim(self.label)
        return {
            "label": self.label, "name": stated.name, "kind": stated.kind, "setting": self.setting,
            "verdict": self.verdict.value, "statement": stated.statement, "latex": list(stated.latex()),
            "assumptions": [p.name for p in stated.preconditions],
            "documented_finding": stated.finding or None, "repaired_by": stated.repaired_by or None,
            "note": stated.note or None, "evidence": [evidence.to_data() for evidence in self.evidence],
        }  # fmt: skip


@dataclass(frozen=True)
class VerifyReport:
    """The table of claims with everything needed to do it again."""

    settings: tuple[str, ...]
    seed: int
    effort: Effort
    results: tuple[ClaimResult, ...]
    ran: dict[str, int]

    @property
    def interrupted(self) -> bool:
        """Whether an interruption cut the episodes short; the results are those of the finished ones."""
        return self.ran["tasks_done"] < self.ran["tasks"]

    @property
    def refuted(self) -> tuple[ClaimResult, ...]:
        """Results that refute a claim and are no documented finding."""
        return tuple(result for result in self.results if result.counts_as_refuted)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        counts = Counter(result.verdict.value for result in self.results)
        return {
            "settings": list(self.settings), "seed": self.seed, "versions": versions(), "effort": vars(self.effort),
            "claims": [result.to_data() for result in self.results],
            "counts": {verdict.value: counts[verdict.value] for verdict in Verdict}, "ran": self.ran,
        }  # fmt: skip


def versions() -> dict[str, str]:
    """Return the versions that produced a result."""
    names = ("costproof", "numpy", "scipy", "sympy", "mpmath", "python-flint")
    found = {"python": _python_platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except ModuleNotFoundError:
            found[name] = "not installed"
    return found


def verify(
    settings: Sequence[Setting],
    *,
    seed: int = 0,
    effort: Effort = DEFAULT,
    labels: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerifyReport:
    """Check every claim on every setting.

    Parameters
    ----------
    settings : sequence of Setting
    seed : int
        Of the markets and of the random instances.
    effort : Effort, optional
    labels : sequence of str, optional
        Only these claims (and their variants); default all.
    jobs : int, optional
        Processes.
    progress : callable, optional
        Called with the tasks done and all tasks.

    Returns
    -------
    VerifyReport

    Raises
    ------
    InputError
        A label is unknown.

    Examples
    --------
    >>> from bounds.published import published
    >>> effort = Effort(runs=1, horizon=200, variant_horizon=100, instances=2)
    >>> report = verify([published("gpqa-strong").setting], effort=effort, labels=["lem:payment-range"])
    >>> [(r.setting, r.verdict.value) for r in report.results if r.label == "lem:payment-range"]
    [('gpqa-strong', 'NOT_REFUTED'), (None, 'NOT_REFUTED')]
    """
    chosen = _chosen(labels)
    tasks = list(_tasks(settings, seed, effort, tuple(chosen)))
    outcomes, done = _outcomes(tasks, jobs, progress)
    results = [
        result
        for name in [*(setting.name for setting in settings), None]
        for result in _results(
            name, next((s for s in settings if s.name == name), None), chosen.values(), outcomes, seed, effort
        )
    ]
    in_paper_order = {label: position for position, label in enumerate(chosen)}
    results.sort(key=lambda result: in_paper_order[result.label])
    ran = {
        "tasks": len(tasks), "tasks_done": done, "episodes": len(outcomes),
        "steps": sum(outcome.steps for outcome in outcomes),
        "claims": len(chosen), "results": len(results),
        "comparisons": sum(evidence.checked for result in results for evidence in result.evidence),
    }  # fmt: skip
    return VerifyReport(tuple(s.name for s in settings), seed, effort, tuple(results), ran)


def _outcomes(
    tasks: list[tuple[Any, ...]], jobs: int, progress: Callable[[int, int], None]
) -> tuple[list[Outcome], int]:
    """Run the tasks; an interruption keeps what is finished."""
    outcomes: list[Outcome] = []
    done = 0
    try:
        for found in run_tasks(_do, tasks, jobs):
            outcomes.extend(found)
            done += 1
            progress(done, len(tasks))
    except KeyboardInterrupt:
        pass
    return sorted(outcomes, key=lambda outcome: outcome.order), done


def _do(function: Callable[..., list[Outcome]], *arguments: Any) -> list[Outcome]:
    return function(*arguments)


def _chosen(labels: Sequence[str]) -> dict[str, Claim]:
    known = all_claims()
    if not labels:
        return dict(known)
    for label in labels:
        claim(label)
    return {
        label: c
        for label, c in known.items()
        if any(label == wanted or label.startswith(f"{wanted}:") for wanted in labels)
    }


@dataclass(frozen=True)
class Outcome:
    """What one episode says about every claim."""

    order: tuple[int, int]
    setting: str | None
    variant: str
    origin: dict[str, Any]
    steps: int
    findings: dict[str, Finding]


def _tasks(
    settings: Sequence[Setting], seed: int, effort: Effort, labels: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of every task, longest first so that the processes end together."""
    for position, setting in enumerate(settings):
        for run in range(effort.runs):
            yield (
                _episode,
                (position, run),
                setting,
                "truthful",
                max(effort.horizon, setting.n_providers),
                seed,
                run,
                labels,
            )
    for start in range(0, effort.instances, _BATCH):
        batch = range(start, min(start + _BATCH, effort.instances))
        yield (_instances, (len(settings), start), seed, batch, labels)
    for position, setting in enumerate(settings):
        for offset, variant in enumerate(v for v in VARIANTS if v != "truthful"):
            order = (position, effort.runs + offset)
            yield (
                _episode,
                order,
                setting,
                variant,
                max(effort.variant_horizon, setting.n_providers),
                seed,
                0,
                labels,
            )


def _episode(
    order: tuple[int, int],
    setting: Setting,
    variant: str,
    horizon: int,
    seed: int,
    run: int,
    labels: tuple[str, ...],
) -> list[Outcome]:
    case = play(setting, variant, horizon=horizon, seed=seed, run=run)
    findings = {label: claim(label).check(case) for label in labels if claim(label).checks}
    origin = {**case.origin, "setting": format_setting(setting), "setting_name": setting.name}
    return [Outcome(order, setting.name, variant, origin, horizon, findings)]


def _instances(order: tuple[int, int], seed: int, batch: range, labels: tuple[str, ...]) -> list[Outcome]:
    outcomes = []
    for instance in batch:
        case = random_case(seed, instance)
        findings = {label: claim(label).check(case) for label in labels if claim(label).checks}
        outcomes.append(Outcome((order[0], instance), None, "steered", case.origin, len(case.trace), findings))
    return outcomes


def _results(
    name: str | None,
    setting: Setting | None,
    chosen: Sequence[Claim] | Any,
    outcomes: list[Outcome],
    seed: int,
    effort: Effort,
) -> Iterator[ClaimResult]:
    mine = [outcome for outcome in outcomes if outcome.setting == name]
    for stated in chosen:
        evidence = []
        if stated.checks and mine:
            evidence.append(_sampled(stated, mine, name, seed, effort))
        if setting is not None and stated.on_setting:
            evidence.append(stated.on_setting(setting))
        if name is None and stated.everywhere:
            evidence.append(stated.everywhere())
        if evidence:
            verdict = overall([piece.verdict for piece in evidence])
            yield ClaimResult(stated.label, name, verdict, tuple(evidence))


def _sampled(stated: Claim, outcomes: list[Outcome], name: str | None, seed: int, effort: Effort) -> Evidence:
    """Merge what all episodes of a setting say about one claim."""
    findings = [outcome.findings[stated.label] for outcome in outcomes]
    merged = merge(findings)
    refuting = next((o for o, f in zip(outcomes, findings, strict=True) if f.verdict is Verdict.REFUTED), None)
    unexercised = [part for part, done in zip(stated.part_names(), merged.exercised, strict=False) if not done]
    found = merged.tightness
    return Evidence(
        kind="simulation" if name else "property",
        tried=_tried(outcomes, findings, name),
        verdict=merged.verdict,
        checked=found.checked,
        violations=found.violations,
        tightest_ratio=found.ratio,
        tightest_margin=found.margin,
        where=found.where,
        reason=merged.reason,
        witness={**refuting.origin, "claim": stated.label} if refuting else None,
        unexercised=tuple(unexercised) if merged.verdict is Verdict.NOT_REFUTED else (),
        parameters={"seed": seed, **vars(effort)},
    )


def _tried(outcomes: list[Outcome], findings: list[Finding], name: str | None) -> str:
    """Say on which episodes the claim was compared, and how many it could not be."""
    compared = [o for o, f in zip(outcomes, findings, strict=True) if f.tightness.checked]
    if name is None:
        return f"{len(compared)} of {len(outcomes)} steered instances"
    if not compared:
        return f"no comparison on {len(outcomes)} runs"
    groups = Counter((outcome.variant, outcome.steps) for outcome in compared)
    return ", ".join(
        f"{count} {variant} run{'s' * (count > 1)} of {steps:,}" for (variant, steps), count in groups.items()
    )

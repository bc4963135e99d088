"""Bounds and runs on grids of settings, and parameters for goals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from bounds.grid.axes import Axis, axis_of, canonical_key
from bounds.loading import AnySetting
from bounds.published.defaults import default_horizon
from mechanism.planner.goals import goal_of
from mechanism.planner.plan import RUNS, Plan, PlanRequest, make_plan
from mechanism.planner.ranges import range_of
from mechanism.settings import load_setting
from mechanism.sweep import Sweep, SweepResult, run_sweep
from proofs_checks.proofs.kernel.formulas import check_formulas


def sweep(
    setting: AnySetting,
    over: str | Iterable[str] | Mapping[str, Sequence[float]],
    *,
    horizon: int | None = None,
    method: str = "paper",
    runs: int = 0,
    seed: int = 0,
    jobs: int = 1,
    out: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SweepResult:
    """Evaluate the bounds on a grid of settings, and simulate the platform there.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file. It has every value that does not vary.
    over : str, iterable of str, or mapping of str to sequence of float
        What varies: ``"delta=0.01:0.2:20"`` as on the command line, several for a grid, or values by key. A key is one
        of the platform (or its symbol), ``horizon``, ``N``, ``margin``, ``provider.NAME.quality`` or ``.mean_cost``.
    horizon : int, optional
        T where it does not vary; default 70,000, the paper's, or N if that is larger.
    method : str, optional
        As `costproof.bounds` takes it.
    runs : int, optional
        Simulated runs of the platform for every setting; by default none.
    seed : int, optional
    jobs : int, optional
        Workers of the simulation.
    out : str, optional
        A folder that keeps finished runs and the table ``sweep.csv``.
    progress : callable, optional
        Called with the runs done and all runs.

    Returns
    -------
    SweepResult
        `column` has a number of every setting, `to_frame` all of them as a data frame.

    Raises
    ------
    InputError
        There is no such setting, key or method, or a number is out of range.

    Examples
    --------
    >>> found = sweep("gpqa-strong", "k=1:4:4")
    >>> found.column("identification_horizon").tolist()
    [153697.0, 153697.0, 157119.0, 163361.0]
    >>> sweep("gpqa-strong", {"delta": [0.01, 0.1]}, method="sharp").column("identification_horizon").tolist()
    [94328.0, 86144.0]
    """
    check_formulas()
    given = load_setting(setting)
    steps = default_horizon(given) if horizon is None else horizon
    if isinstance(over, Mapping):
        axes = tuple(
            Axis(key=canonical_key("over", key, given), values=tuple(map(float, values)))
            for key, values in over.items()
        )
    else:
        axes = tuple(axis_of(text, given) for text in ([over] if isinstance(over, str) else over))
    asked = Sweep(setting=given, axes=axes, horizon=steps, method=method, runs=runs, seed=seed)
    return run_sweep(asked, jobs=jobs, out=out, progress=progress)


def plan(
    setting: AnySetting,
    goals: str | Iterable[str],
    *,
    confidence: float | None = None,
    ranges: str | Iterable[str] = (),
    horizon: int | None = None,
    method: str | None = None,
    radius: str | None = None,
    runs: int = RUNS,
    seed: int = 0,
) -> Plan:
    """Choose k, alpha, delta and the confidence radius for goals, and say what backs each number.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    goals : str or iterable of str
        ``"identify-by=70000"``, ``"payment-within=5@1M"``, ``"unqualified-at-most=20000@70000"`` or
        ``"exploration-budget=250000@70000"``, as on the command line.
    confidence : float, optional
        What delta may be at most; by default the setting's.
    ranges : str or iterable of str, optional
        Intervals in which numbers of the setting lie, as ``"provider.NAME.quality=0.5:0.6"``: the plan holds anywhere.
    horizon : int, optional
        T of goals that state none; default 70,000, the paper's, or N if that is larger.
    method : str, optional
        Of the bounds; by default the best, ``"sharpest"``, and ``"sharp"`` with ranges or more than 50 providers.
    radius : str, optional
        The confidence radius; by default the setting's, and another one where only that meets the goals.
    runs : int, optional
        Simulated runs at the parameters that are found; 0 for none.
    seed : int, optional

    Returns
    -------
    Plan
        `feasible` says whether there is one, `reason` why not, `chosen` has the parameters.

    Raises
    ------
    InputError
        There is no such setting, goal or method, or a number is out of range.

    Examples
    --------
    >>> found = plan("gpqa-strong", "payment-within=20%@2M", runs=0, method="sharp")
    >>> found.feasible, found.answers[0].value <= found.answers[0].goal.limit
    (True, True)
    """
    check_formulas()
    given = load_setting(setting)
    steps = default_horizon(given) if horizon is None else horizon
    texts = [goals] if isinstance(goals, str) else list(goals)
    asked = [ranges] if isinstance(ranges, str) else list(ranges)
    request = PlanRequest(
        setting=given,
        goals=tuple(goal_of(text, given, steps) for text in texts),
        confidence=given.platform.confidence if confidence is None else confidence,
        ranges=tuple(range_of(text, given) for text in asked),
        method=method or "",
        radius=radius or "",
        runs=runs,
        seed=seed,
    )
    return make_plan(request)

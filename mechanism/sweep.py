"""Sweeps: bounds on a grid of settings, and what happens there in simulated runs, kept in a folder and resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np

from bounds.documents import (
    BY_NAME,
    INLINE,
    INTERNAL,
    Count,
    Document,
    FromTwo,
    NonNegative,
    Text,
    key,
    limits,
    named,
    one_of,
    to_data,
)
from bounds.errors import InputError
from bounds.grid.axes import SIZE, Axis, check_axes, grid_columns, grid_points
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import COUNTS, ManyBounds, evaluate_many
from bounds.guarantees import GUARANTEES
from bounds.published.defaults import default_window
from bounds.report import NO_LEAD, plain_number
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted, number
from mechanism.arguments import whole_number
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.files import replacing
from mechanism.market.published import published_market
from mechanism.metrics.measures import MetricSummary, Summary
from mechanism.policy_names import PLATFORM

#: The metrics that a sweep tells of its runs.
SIMULATED = (
    "share_of_optimal",
    "identified",
    "unqualified_share",
    "quality_regret",
    "generation_regret",
    "excess_payment",
    "average_payment_deviation",
    "amount_paid",
    "exploration_steps",
)
#: Settings of a sweep with runs at most: each has a market of its own.
MOST_SIMULATED = 10_000
#: What a sweep's folder holds: the runs as a campaign's database, and the table.
TABLE = "sweep.csv"
#: Which sweep a folder is of.
_DESCRIPTION = "sweep.json"


class SweptBound(TypedDict):
    """A guarantee at a point of the grid.

    Parameters
    ----------
    value : float or None
        The bound; None where its theorem does not apply.
    informative : bool
        Whether it applies and is below its trivial value.
    """

    value: NonNegative | None
    informative: bool


class SweptSetting(TypedDict):
    """What was found of one setting of the grid.

    Parameters
    ----------
    point : dict of float
        The values of the axes, by their keys.
    bounds : dict
        The guarantees.
    identification_horizon : int or None
        T_id, from which on i* is guaranteed the most selections; None if undefined.
    burn_in : float or None
        T_0, from which on all bidders of an auction are qualified; None beyond all doubles.
    exploration_cap : int or None
        How often one provider is explored at most; None beyond all doubles.
    exploration_steps : int or None
        How many queries are explorations at most; None beyond all doubles.
    unqualified_queries : int or None
        How many queries go to unqualified providers at most; None where nothing bounds them.
    reason : str or None
        Why the theory does not apply to the setting; None where it does.
    simulated : dict or None
        What happened in the runs; None if there were none.
    """

    point: Annotated[Mapping[str, float], limits(minProperties=1)]
    bounds: Annotated[Mapping[Annotated[str, one_of(GUARANTEES)], SweptBound], limits(required=tuple(GUARANTEES))]
    identification_horizon: FromTwo | None
    burn_in: NonNegative | None
    exploration_cap: Count | None
    exploration_steps: Count | None
    unqualified_queries: Count | None
    reason: str | None
    simulated: (
        Annotated[Mapping[Annotated[str, one_of(SIMULATED)], MetricSummary[float | None]], limits(required=SIMULATED)]
        | None
    )


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is swept.

    Parameters
    ----------
    setting : Setting
        Name of the setting that has everything that does not vary.
    axes : tuple of Axis
        What varies, in all combinations; the last axis fastest.
    horizon : int
        Queries, where no axis varies them.
    method : str
        The method of the bounds, as `bounds --method` calls it.
    runs : int
        Simulated runs of the platform for every setting; 0 for bounds alone.
    seed : int
        Seed of all randomness.

    Raises
    ------
    InputError
        An axis comes twice, there are too many settings, or a number is not whole.
    """

    setting: Setting = field(metadata=BY_NAME)
    axes: Annotated[tuple[Axis, ...], limits(minItems=1)] = field(metadata=named("over"))
    horizon: FromTwo
    method: Text = "paper"
    runs: Count = 0
    seed: Count = 0

    def __post_init__(self) -> None:
        size = check_axes(self.axes)
        whole_number("runs", self.runs, "0 evaluates bounds alone", least=0)
        if self.runs and size > MOST_SIMULATED:
            rule = f"makes {size:,} settings, and at most {MOST_SIMULATED:,} are simulated"
            raise InputError("over", size, rule, "take fewer values, or --runs 0")

    @cached_property
    def points(self) -> tuple[dict[str, float], ...]:
        """The values of the axes in every setting."""
        return tuple(grid_points(self.axes))

    @cached_property
    def blocks(self) -> list[tuple[list[int], SettingColumns]]:
        """The settings as columns, one block for each number of providers, with the points that they are."""
        return grid_columns(self.setting, self.axes, self.horizon)

    def at(self, point: int) -> tuple[Setting, int]:
        """Return a setting, named by its point, and its horizon."""
        columns, row = self._place[point]
        told = " ".join(f"{key}={value:.10g}" for key, value in self.points[point].items())
        return columns.setting(row, f"{self.setting.name} {told}"), int(columns.horizon[row])

    @cached_property
    def _place(self) -> dict[int, tuple[SettingColumns, int]]:
        return {point: (columns, row) for points, columns in self.blocks for row, point in enumerate(points)}

    def description(self) -> dict[str, Any]:
        """Return plain data that decide every result but the number of runs."""
        return {
            "setting": self.setting.to_data(),
            "over": to_data(self.axes),
            "horizon": self.horizon,
            "method": self.method,
            "seed": self.seed,
        }


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SweepResult(Document, HasSheet):
    """Bounds on a grid of settings, and what happened there in simulated runs of the platform.

    Parameters
    ----------
    sweep : Sweep
        What was swept.
    bounds : list of (points, ManyBounds)
        As `Sweep.blocks` has the settings.
    simulated : tuple of dict
        Mean and standard deviation over runs, for every point and metric of `SIMULATED`; empty without runs.
    steps : int
        Steps that were simulated now.
    seconds : float
        Seconds of simulating now, compilation excluded, over all workers.
    resumed : int
        Runs that the folder had already.
    """

    sweep: Sweep = field(metadata=INLINE)
    bounds: Sequence[tuple[Sequence[int], ManyBounds]] = field(metadata=INTERNAL)
    simulated: tuple[Mapping[str, Summary], ...] = field(default=(), metadata=INTERNAL)
    steps: Count = 0
    seconds: NonNegative = 0.0
    resumed: Count = field(default=0, metadata=named("resumed_runs"))

    def __repr__(self) -> str:
        keys = ", ".join(axis.key for axis in self.sweep.axes)
        return f"SweepResult({len(self)} settings of {self.sweep.setting.name!r} over {keys}, {self.sweep.runs} runs)"

    def __len__(self) -> int:
        return len(self.sweep.points)

    def column(self, name: str) -> np.ndarray:
        """Return a number of every point, NaN where it has none.

        Parameters
        ----------
        name : str
            Of `bounds.guarantees.GUARANTEES` or `COUNTS`, or ``simulated.METRIC`` for the mean over runs.

        Examples
        --------
        >>> from bounds.published import published
        >>> axis = Axis(key="exploration_scale", values=(1.0, 4.0))
        >>> found = run_sweep(Sweep(setting=published("gpqa-strong").setting, axes=(axis,), horizon=70_000))
        >>> found.column("identification_horizon").tolist()
        [153697.0, 163361.0]
        """
        if name.startswith("simulated."):
            means = [each[name.removeprefix("simulated.")].mean for each in self.simulated]
            return np.array([np.nan if mean is None else mean for mean in means], dtype=float)
        found = np.full(len(self), np.nan)
        for points, bounds in self.bounds:
            found[list(points)] = bounds.column(name)
        return found

    def _plain(self, name: str) -> list[float | None]:
        return [plain_number(value) for value in self.column(name).tolist()]

    @cached_property
    def informative(self) -> dict[str, np.ndarray]:
        """By guarantee, and for every point, whether it applies and is below its trivial value."""
        found = {name: np.zeros(len(self), dtype=bool) for name in GUARANTEES}
        for points, bounds in self.bounds:
            for name in GUARANTEES:
                found[name][list(points)] = bounds.informative[name]
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every setting: the values of the axes, the guarantees that apply, counts and means."""
        names = (*GUARANTEES, *COUNTS)
        columns: dict[str, list[Any]] = {name: self._plain(name) for name in names}
        for metric in SIMULATED if self.simulated else ():
            columns[f"simulated.{metric}"] = self._plain(f"simulated.{metric}")
            columns[f"simulated.{metric}.sd"] = [each[metric].sd for each in self.simulated]
        keys = {axis.key: [point[axis.key] for point in self.sweep.points] for axis in self.sweep.axes}
        whole = keys | columns
        return [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]

    def sheet(self) -> Sheet:
        """Return the rows as a table: the values of the axes, the bounds, and means of runs."""
        rows, sweep = self.rows(), self.sweep
        runs = f"; means of {counted(sweep.runs, 'run')}, seed {sweep.seed}" if sweep.runs else ""
        platform = sweep.setting.platform
        bounds = f"{sweep.method} bounds" if platform.papers_radius else f"radius {platform.radius}"
        title, columns = f"{sweep.setting.name}: {bounds} on {len(self):,} settings{runs}", tuple(rows[0])
        alike = [axis for axis in sweep.axes if len({*map(number, axis.values)}) < len({*axis.values})]
        apart = [row | {axis.key: axis.texts[row[axis.key]] for axis in alike} for row in rows]
        return replace(Sheet.of(title, columns, rows), for_readers=Sheet.of(title, columns, apart) if alike else None)

    @key
    def settings(self) -> Annotated[list[dict[str, Any]], Annotated[list[SweptSetting], limits(minItems=1)]]:
        """What was found of every setting, in the order of the grid."""
        values = {name: self._plain(name) for name in (*GUARANTEES, *COUNTS)}
        return [
            {
                "point": point,
                "bounds": {
                    name: {"value": values[name][place], "informative": bool(self.informative[name][place])}
                    for name in GUARANTEES
                },
                **{name: values[name][place] for name in COUNTS},
                "reason": self._reason(place) if values["identification_horizon"][place] is None else None,
                "simulated": self.simulated[place] if self.simulated else None,
            }
            for place, point in enumerate(self.sweep.points)
        ]

    def _reason(self, place: int) -> str | None:
        setting = self.sweep.at(place)[0]
        return "; ".join(setting.unmet_assumptions) or setting.unseparated_told or NO_LEAD


def run_sweep(
    sweep: Sweep,
    *,
    jobs: int = 1,
    out: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SweepResult:
    """Evaluate the bounds of a grid of settings, and simulate the platform there if runs are asked for.

    Parameters
    ----------
    sweep : Sweep
    jobs : int, optional
        Workers of the simulation.
    out : str, optional
        A folder: it gets the table ``sweep.csv``, and keeps finished runs. The same sweep does only what is missing.
    progress : callable, optional
        Called with the runs done and all runs.

    Raises
    ------
    InputError
        The folder holds another sweep or cannot be written.

    Examples
    --------
    >>> from bounds.published import published
    >>> axis = Axis(key="confidence", values=(0.01, 0.1))
    >>> run_sweep(Sweep(setting=published("gpqa-strong").setting, axes=(axis,), horizon=500, runs=2))
    SweepResult(2 settings of 'gpqa-strong' over confidence, 2 runs)
    """
    if out is not None:
        _claim(out, sweep)
    bounds = [(points, evaluate_many(columns, sweep.method)) for points, columns in sweep.blocks]
    found = SweepResult(sweep=sweep, bounds=bounds)
    if sweep.runs:
        found = _simulated(found, jobs, out, progress)
    if out is not None:
        with replacing(Path(out) / TABLE, "out", "name a folder you may write to") as new:
            new.write_text(found.sheet().csv(), encoding="utf-8")
    return found


def _simulated(found: SweepResult, jobs: int, out: str | None, progress: Callable[[int, int], None]) -> SweepResult:
    """Return the result with what happens in simulated runs of every setting."""
    sweep = found.sweep
    settings, horizons = zip(*(sweep.at(point) for point in range(len(found))), strict=True)
    # The market of the paper's rosters is another than that of strangers: it stays, whatever varies.
    known = None if any(axis.key == SIZE for axis in sweep.axes) else published_market(sweep.setting)
    campaign = Campaign(
        settings,
        horizon={setting.name: horizon for setting, horizon in zip(settings, horizons, strict=True)},
        runs=sweep.runs,
        seed=sweep.seed,
        window={
            setting.name: default_window(setting, horizon) for setting, horizon in zip(settings, horizons, strict=True)
        },
        policies=(PLATFORM,),
        laws={} if known is None else asdict(known),
    )
    result = run_campaign(campaign, jobs=jobs, out=out, traces=False, progress=progress)
    simulated = tuple(
        {metric: each[PLATFORM][metric] for metric in SIMULATED}
        for each in (result.summaries(part) for part in campaign.parts)
    )
    return replace(found, simulated=simulated, steps=result.steps, seconds=result.seconds, resumed=result.resumed)


def _claim(out: str, sweep: Sweep) -> None:
    """Make the folder of a sweep, or refuse the folder of another one."""
    folder, told = Path(out), sweep.description()
    description = folder / _DESCRIPTION
    try:
        folder.mkdir(parents=True, exist_ok=True)
        kept = json.loads(description.read_text(encoding="utf-8")) if description.exists() else None
    except OSError as error:
        raise InputError("out", out, f"cannot be used ({error.strerror})", "name a folder you may write to") from None
    except ValueError:
        raise InputError("out", out, f"holds a damaged {_DESCRIPTION}", "move the folder away") from None
    if kept is not None:
        if kept != json.loads(json.dumps(told)):
            raise InputError("out", out, "holds another sweep", "name another folder, or repeat its command")
        return
    with replacing(description, "out", "name a folder you may write to") as new:
        new.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

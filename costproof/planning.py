"""Bounds and runs on grids of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from bounds.grid.axes import Axis, axis_of, canonical_key
from bounds.published.defaults import default_horizon
from costproof.arguments import AnySetting, setting_of
from mechanism.sweep import Sweep, SweepResult, run_sweep

__all__ = ["sweep"]


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
        A setting, a built-in name, or the path of a TOML file. It has whatever does not vary.
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
    given = setting_of(setting)
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

"""What the paper measures, from a trace or from the totals of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Generic, TypedDict, TypeVar, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bounds.documents import Count, Document, NonNegative, Probability, descriptions, limits
from bounds.errors import InputError
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from mechanism.arguments import whole_number
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.policies import POLICIES, Policy
from mechanism.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Metrics(Document, HasSheet):
    """What one run amounted to; None where the setting has no unique i* or no second-lowest cost.

    Excess "without exploration" includes the N payments of initialization, as the paper's tables do.
    `average_payment_deviation` is the left side of thm:regret. `auction_payment_moving` is None if the window holds no
    auction.

    Parameters
    ----------
    window : int
        Last queries that moving averages look back at.
    share_of_optimal : float or None
        Share of the queries that the optimal provider served.
    moving_share_of_optimal : float or None
        Share of the last `window` queries that the optimal provider served.
    unqualified_share : float
        Share of the queries that unqualified providers served.
    quality_regret : float
        Sum over the queries of how far the quality falls short of the threshold.
    generation_regret : float or None
        Sum over the queries of the mean cost above the optimal provider's, money.
    accuracy : float
        Mean score of a query.
    generation_cost : float
        Mean cost of a query, money.
    amount_paid : float
        Mean payment for a query, money.
    identified : float or None
        Share of the runs in which the optimal provider served more queries than any other.
    eligible : int
        Providers that might have served the last query.
    exploration_steps : int
        Queries that exploration took; of a mechanism of one's own, those that the paper's rules would have explored.
    excess_payment : float or None
        Sum of what each query was paid above the second-lowest cost, money; less does not lower it.
    excess_payment_without_exploration : float or None
        The excess payment without the queries that exploration took, money.
    average_payment_deviation : float or None
        Average over the queries of how far the payment is from the second-lowest cost, money.
    auction_payment_moving : float or None
        Mean payment of those of the last `window` queries that exploration did not take, money.
    selections : tuple of int
        How many queries each provider served.
    payoffs : tuple of float
        Payments minus costs of each provider, money.
    """

    window: int
    share_of_optimal: Probability | None
    moving_share_of_optimal: Probability | None
    unqualified_share: Probability
    quality_regret: NonNegative
    generation_regret: NonNegative | None
    accuracy: Probability
    generation_cost: NonNegative
    amount_paid: float
    identified: Probability | None
    eligible: Count
    exploration_steps: Count
    excess_payment: NonNegative | None
    excess_payment_without_exploration: NonNegative | None
    average_payment_deviation: NonNegative | None
    auction_payment_moving: float | None
    selections: tuple[int, ...]
    payoffs: tuple[float, ...]

    def sheet(self) -> Sheet:
        """Return a row for every metric; where it is one of providers, one for each of these, counted from 0."""
        title = f"Metrics of a run (moving averages over {self.window:,} queries)"
        return Sheet(title=title, columns=("metric", "provider", "value"), rows=tuple(self._rows()))

    def _rows(self) -> Iterator[tuple[str, int | None, float | None]]:
        for name, value in vars(self).items():
            if isinstance(value, tuple):
                yield from ((name, place, each) for place, each in enumerate(value))
            elif name != "window":
                yield name, None, value

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Metrics:
        """Return metrics from their fields as plain data, lists standing for tuples.

        Raises
        ------
        InputError
            A value is not a number of its field: infinite, no whole number, or None where there is always one.
        """
        plain: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in data.items()}
        found = cls(**plain)
        for name, hint in get_type_hints(cls).items():
            what, accepts = _FIELDS[hint]
            if not accepts(value := getattr(found, name)):
                raise InputError(name, value, f"must be {what}", "read metrics as `to_data` wrote them")
        return found


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _finite(value: object) -> bool:
    # Compared, not converted: a whole number may be too large for a float.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


#: What the values of a field must be, by its type: in words, and as a test.
_FIELDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    int: ("a whole number", _whole),
    float: ("a finite number", _finite),
    float | None: ("a finite number or None", lambda value: value is None or _finite(value)),
    tuple[int, ...]: ("whole numbers", lambda value: isinstance(value, tuple) and all(map(_whole, value))),
    tuple[float, ...]: ("finite numbers", lambda value: isinstance(value, tuple) and all(map(_finite, value))),
}


def measure(setting: Setting, trace: Trace, *, window: int, policy: Policy = POLICIES["platform"]) -> Metrics:
    """Return the paper's metrics of a trace.

    Parameters
    ----------
    setting : Setting
    trace : Trace
        With costs, at least N steps long.
    window : int
        Length of the moving averages; the paper takes the benchmark's size.
    policy : Policy, optional
        Says whether there were exploration steps and a quality filter.

    Raises
    ------
    InputError
        The trace has no costs or is shorter than the initialization, or the window is not a whole number from 1.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> measure(setting, simulate(setting, horizon=1000, seed=0), window=546).window
    546
    """
    return metrics_of(setting, tally_of(setting, trace, window_start(len(trace), window), policy), window=window)


def window_start(horizon: int, window: int) -> tuple[int, ...]:
    """Return the checkpoint before the last `window` steps, none if they are all steps.

    Examples
    --------
    >>> window_start(100, 30), window_start(100, 200)
    ((70,), ())
    """
    length = whole_number("window", window, "it is the length of moving averages", least=1)
    return (horizon - length,) if length < horizon else ()


def metrics_of(setting: Setting, tally: Tally, *, window: int) -> Metrics:
    """Return the paper's metrics of a run from its totals.

    Parameters
    ----------
    setting : Setting
    tally : Tally
        With a checkpoint before the last `window` steps (`window_start`).
    window : int
        Length of the moving averages.

    Raises
    ------
    InputError
        The run is shorter than the initialization, or the checkpoint is missing.
    """
    return metrics_of_runs(setting, Tally.of_runs([tally]), window=window)[0]


def metrics_of_runs(setting: Setting, tallies: Tally, *, window: int) -> list[Metrics]:
    """Return `metrics_of` every run; of many runs each takes a tenth of the time.

    Parameters
    ----------
    setting : Setting
    tallies : Tally
        Of many runs, with a checkpoint before the last `window` steps (`window_start`).
    window : int
        Length of the moving averages.

    Returns
    -------
    list of Metrics
        One per run.

    Raises
    ------
    InputError
        The runs are shorter than the initialization, or the checkpoint is missing.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.compiled.episode import CompiledEpisode
    >>> setting = published("gpqa-strong").setting
    >>> tallies = CompiledEpisode(setting).tallies(horizon=100, seed=0, runs=[0, 1], checkpoints=[50])
    >>> together = metrics_of_runs(setting, Tally.of_runs(tallies), window=50)
    >>> together == [metrics_of(setting, tally, window=50) for tally in tallies]
    True
    """
    horizon = tallies.steps[-1]
    if horizon < setting.n_providers:
        raise InputError("trace", horizon, "steps are fewer than providers", "initialization alone serves each once")
    length = min(window, horizon)
    run, recent = Span(setting, tallies, 0, horizon), Span(setting, tallies, horizon - length, horizon)
    counts, amount_paid = run.each(ProviderField.SELECTIONS), run.per_step(run.total(ProviderField.PAYMENT))
    ordinary_steps = recent.total(ProviderField.ORDINARY)
    with np.errstate(divide="ignore", invalid="ignore"):
        ordinary_payment = recent.total(ProviderField.ORDINARY_PAYMENT) / ordinary_steps
    unique = setting.optimal is not None
    second = setting.second_lowest_cost
    found: dict[str, Any] = {
        "window": length,
        "share_of_optimal": run.per_step(run.of_optimal(ProviderField.SELECTIONS)) if unique else None,
        "moving_share_of_optimal": recent.per_step(recent.of_optimal(ProviderField.SELECTIONS)) if unique else None,
        "unqualified_share": run.per_step(run.of_unqualified(ProviderField.SELECTIONS)),
        "quality_regret": run.quality_regret,
        "generation_regret": run.generation_regret if unique else None,
        "accuracy": run.per_step(run.total(ProviderField.SCORE)),
        "generation_cost": run.per_step(run.total(ProviderField.COST)),
        "amount_paid": amount_paid,
        "identified": leads(setting, counts).astype(float) if unique else None,
        "eligible": tallies.run(RunField.ELIGIBLE).astype(np.int64),
        "exploration_steps": run.total(ProviderField.EXPLORATIONS).astype(np.int64),
        "excess_payment": None if second is None else run.excess,
        "excess_payment_without_exploration": None if second is None else run.excess_without_exploration,
        "average_payment_deviation": None if second is None else _deviation(run.excess / horizon, amount_paid, second),
        "auction_payment_moving": _or_none(ordinary_steps > 0, ordinary_payment),
        "selections": counts.astype(np.int64),
        "payoffs": run.payoffs,
    }
    rows = zip(*(_by_run(column, len(counts)) for column in found.values()), strict=True)
    return [Metrics(**dict(zip(found, row, strict=True))) for row in rows]


def _or_none(told: NDArray[np.bool_], values: NDArray[np.float64]) -> NDArray[np.object_]:
    """Return values, None where they are not defined."""
    found = values.astype(object)
    found[~told] = None
    return found


def _by_run(column: Any, runs: int) -> list[Any]:
    """Return a column's value for every run as plain data; what is not an array is the same for all."""
    if not isinstance(column, np.ndarray):
        return [column] * runs
    values = column.tolist()
    return [tuple(value) for value in values] if column.ndim > 1 else values


def _deviation(excess: Any, amount_paid: Any, second: float) -> NDArray[np.float64]:
    """Return the average of |payment - c_(2)|: |x| is twice the positive part of x, less x."""
    deviation = 2 * excess - (amount_paid - second)
    # Rounding may leave less than nothing.
    return np.where(deviation < 0, 0.0, deviation)


@dataclass(frozen=True)
class Span:
    """The totals over the steps first + 1, ..., last, of one run or of R runs.

    Amounts are floats of one run and arrays of shape (R,) of many; by provider they have a last axis of length N.

    Parameters
    ----------
    setting : Setting
    tally : Tally
        With both ends among its checkpoints; it needs none for the start of the run.
    first, last : int
        0 <= first < last; whoever asks for a total after another step than a checkpoint gets an InputError.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.compiled.episode import CompiledEpisode
    >>> setting = published("gpqa-strong").setting
    >>> tallies = CompiledEpisode(setting).totals(horizon=100, seed=0, runs=[0, 1], checkpoints=[40])
    >>> Span(setting, tallies, 40, 100).total(ProviderField.SELECTIONS).tolist()
    [60.0, 60.0]
    """

    setting: Setting
    tally: Tally
    first: int
    last: int

    def each(self, field: ProviderField) -> NDArray[np.float64]:
        """Return a total by provider."""
        after = self.tally.provider(field, self.last)
        return after - self.tally.provider(field, self.first) if self.first else after

    def total(self, field: ProviderField) -> Any:
        """Return a total over all providers."""
        return self.each(field).sum(axis=-1)

    def run(self, field: RunField) -> Any:
        """Return a total of the run."""
        before = self.tally.run(field, self.first) if self.first else 0.0
        return self.tally.run(field, self.last) - before

    def per_step(self, amount: Any) -> Any:
        """Return an amount divided by the number of steps."""
        return amount / (self.last - self.first)

    def of_unqualified(self, field: ProviderField) -> Any:
        """Return a total over the unqualified providers."""
        return np.take(self.each(field), np.array(self.setting.unqualified, dtype=np.int64), axis=-1).sum(axis=-1)

    def of_optimal(self, field: ProviderField) -> Any:
        """Return the total of i*."""
        return np.take(self.each(field), _optimal(self.setting), axis=-1)

    @property
    def quality_regret(self) -> Any:
        """R^qual of these steps."""
        return weighted_sum(self.each(ProviderField.SELECTIONS), quality_shortfalls(self.setting))

    @property
    def generation_regret(self) -> Any:
        """R^gen of these steps; NaN without a unique i*."""
        counts, excesses = self.each(ProviderField.SELECTIONS), cost_excesses(self.setting)
        return weighted_sum(counts, np.full(counts.shape[-1], np.nan) if excesses is None else excesses)

    @property
    def excess(self) -> Any:
        """E^pay of these steps: initialization, exploration and all."""
        exploration = self.run(RunField.INITIALIZATION_EXCESS) + self.run(RunField.EXPLORATION_EXCESS)
        return exploration + self.run(RunField.ORDINARY_EXCESS)

    @property
    def excess_without_exploration(self) -> Any:
        """The same without exploration steps; the payments of initialization stay, as in the paper's tables."""
        return self.run(RunField.INITIALIZATION_EXCESS) + self.run(RunField.ORDINARY_EXCESS)

    @property
    def payoffs(self) -> NDArray[np.float64]:
        """Payments minus generation costs by provider."""
        return self.each(ProviderField.PAYMENT) - self.each(ProviderField.COST)


def leads(setting: Setting, counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether i* has strictly more selections than every other provider; counts have shape (..., N).

    Examples
    --------
    >>> from bounds.published import published
    >>> leads(published("gpqa-strong").setting, np.array([[0, 0, 2, 1], [0, 0, 2, 2]])).tolist()
    [True, False]
    """
    optimal = _optimal(setting)
    return np.asarray(counts[..., optimal] > np.delete(counts, optimal, axis=-1).max(axis=-1))


def _optimal(setting: Setting) -> int:
    if setting.optimal is None:
        raise InputError("setting", setting.name, "has no unique i*", "state different costs for the cheapest two")
    return setting.optimal


def weighted_sum(amounts: NDArray[np.float64], weights: NDArray[np.float64]) -> Any:
    """Return the sums of amounts times weights over the last axis, of length N >= 1.

    They are added in order. A matrix product leaves the order to BLAS, which chooses it by the processor.

    Examples
    --------
    >>> weighted_sum(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 0.25])).tolist()
    [1.0, 2.5]
    """
    return np.cumsum(amounts * weights, axis=-1)[..., -1][()]


def quality_shortfalls(setting: Setting) -> NDArray[np.float64]:
    """Return (q_min - q_i)^+ for every provider.

    Examples
    --------
    >>> from bounds.published import published
    >>> quality_shortfalls(published("gpqa-strong").setting).round(3).tolist()
    [0.094, 0.037, 0.0, 0.0]
    """
    qualities = np.array([provider.quality for provider in setting.providers])
    return np.asarray(np.maximum(setting.platform.quality_threshold - qualities, 0.0))


def cost_excesses(setting: Setting) -> NDArray[np.float64] | None:
    """Return (cbar_i - cbar_{i*})^+ for every provider, or None without a unique i*.

    Examples
    --------
    >>> from bounds.published import published
    >>> cost_excesses(published("gpqa-strong").setting).round(1).tolist()
    [0.0, 0.0, 0.0, 7.7]
    """
    if setting.optimal is None:
        return None
    costs = np.array([provider.mean_cost for provider in setting.providers])
    return np.asarray(np.maximum(costs - costs[setting.optimal], 0.0))


_Mean = TypeVar("_Mean")


class MetricSummary(TypedDict, Generic[_Mean]):
    """A metric over the runs.

    Parameters
    ----------
    mean : float or None
        Mean over the runs; None where it is undefined.
    sd : float or None
        Sample standard deviation over the runs; None for a single run, or where the mean is undefined.
    """

    mean: _Mean
    sd: NonNegative | None


class ProviderSummary(TypedDict):
    """A number for each provider over the runs, in the order of the setting.

    Parameters
    ----------
    mean : list of float
        Mean over the runs.
    sd : list of float or None
        Sample standard deviation over the runs; None for a single run.
    """

    mean: list[float]
    sd: list[NonNegative] | None


def _summary_of(hint: Any) -> Any:
    """Return the type of what the runs say of a metric: of whole numbers, too, the mean need not be whole."""
    if get_origin(hint) is tuple:
        return ProviderSummary
    return MetricSummary[NonNegative if hint == Count else hint]  # type: ignore[misc]  # the types of `Metrics`


def _summaries(name: str, whose: str, without: Container[str]) -> Any:
    """Return the type of the summaries of all metrics but some."""
    hints, meanings = get_type_hints(Metrics, include_extras=True), descriptions(Metrics)
    keys = {
        metric: Annotated[_summary_of(hint), limits(description=meanings[metric])]
        for metric, hint in hints.items()
        if metric not in without
    }
    made: Any = TypedDict(name, keys)  # type: ignore[misc]  # its keys are fields of `Metrics`
    made.__doc__ = f"What was measured of a {whose}: regrets and excess are cumulative, costs and amounts per query."
    return made


#: Metrics that only say something of the paper's platform: they ask whom its rules find eligible, and leave out the
#: queries that its rules explore.
PLATFORM_ONLY = ("eligible", "excess_payment_without_exploration", "auction_payment_moving")
PolicySummaries = _summaries("PolicySummaries", "policy", ("window",))
MechanismSummaries = _summaries("MechanismSummaries", "mechanism", ("window", *PLATFORM_ONLY))


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation of a metric over runs; per provider they are tuples."""

    mean: float | tuple[float, ...] | None
    sd: float | tuple[float, ...] | None


def summarize(runs: Sequence[Metrics]) -> dict[str, Summary]:
    """Return mean and sample standard deviation (None for a single run) of every metric over runs.

    A metric that is None in some run is None in the summary.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> run = measure(setting, simulate(setting, horizon=1000, seed=0), window=546)
    >>> summarize([run, run])["accuracy"].sd
    0.0
    """
    return {
        field.name: _summary([getattr(run, field.name) for run in runs])
        for field in fields(Metrics)
        if field.name != "window"
    }


def _summary(values: list[object]) -> Summary:
    if any(value is None for value in values):
        return Summary(None, None)
    table = np.array(values, dtype=float)
    mean = np.asarray(table.mean(axis=0))
    # One run has no sample standard deviation, and the rounding noise of equal runs is none.
    spread = np.asarray(table.std(axis=0, ddof=1)) if len(values) > 1 else None
    if spread is not None:
        spread = np.where(spread <= 1e-12 * np.abs(mean), 0.0, spread)
    if table.ndim == 1:
        return Summary(float(mean), None if spread is None else float(spread))
    return Summary(tuple(mean.tolist()), None if spread is None else tuple(spread.tolist()))

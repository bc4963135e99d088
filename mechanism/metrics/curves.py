"""What runs look like over time: the paper's metrics after log-spaced steps, for many runs.

The definition is a function of a run's totals (`curves_of`). The compiled episode adds these totals up on its way, and
`trace_curves` recomputes them from a trace, so both give the same curves.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError, did_you_mean
from bounds.setting.model import Setting
from bounds.sheet import HasSheet, Sheet
from bounds.words import counted
from mechanism.arguments import whole_number
from mechanism.metrics.measures import cost_excesses, leads, quality_shortfalls, weighted_sum
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.policies import POLICIES, Policy
from mechanism.trace import Trace

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Log-spaced steps of a curve; and the most selection counts of a run, which leaves large markets fewer steps.
_POINTS, _FEWEST_POINTS, _COUNTS = 100, 10, 200_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves(HasSheet):
    """Metrics of R runs after each of C steps; NaN where a metric is not defined.

    Arrays have shape (R, C), `selections` (R, C, N). Names and meanings are those of `Metrics`: what they say of a
    whole run is said here of its first t steps, so the last column holds the metrics of the run.

    Parameters
    ----------
    window : int
        K, the length of moving averages; the first t steps where t < K.
    steps : array of int, shape (C,)
        t, increasing from N to T (see `curve_steps`).
    quality_regret, generation_regret, excess_payment : array of float, shape (R, C)
        Cumulative; divide by `steps` for averages.
    quality_regret_without_exploration, generation_regret_without_exploration, \
excess_payment_without_exploration : array of float, shape (R, C)
        The same without exploration steps; the N steps of initialization are in them.
    share_of_optimal, unqualified_share, accuracy, generation_cost, amount_paid : array of float, shape (R, C)
        Averages over the first t steps.
    moving_share_of_optimal, moving_unqualified_share : array of float, shape (R, C)
        Averages over the last K steps, all of them.
    amount_paid_moving, generation_cost_moving, query_price_moving : array of float, shape (R, C)
        Averages over the last K steps without those of initialization, money per query; NaN where t = N. The query
        price is what the served query is sold for at its listed price.
    auction_payment_moving, winning_bid_moving : array of float, shape (R, C)
        Averages over the non-exploration steps after initialization among the last K: the payment, and the standing
        bid of the provider that served. NaN where there is none. A policy without auctions has no winning bid.
    identified : array of float, shape (R, C)
        1.0 where i* has strictly more selections than every other provider, else 0.0.
    eligible, exploration_steps : array of int, shape (R, C)
        Providers that might have served step t; exploration steps up to t.
    selections : array of int, shape (R, C, N)
        Steps that each provider served.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> from mechanism.metrics.curves import trace_curves
    >>> setting = published("gpqa-strong").setting
    >>> curves = trace_curves(setting, simulate(setting, horizon=1000, seed=0), window=546, margin=0.25)
    >>> curves
    Curves(1 runs, 88 steps from 4 to 1000)
    >>> curves.selections[0, -1].sum(), curves.exploration_steps[0, -1] > 0
    (np.int64(1000), np.True_)
    >>> (curves.median("quality_regret") / curves.steps).shape
    (88,)
    """

    window: int
    steps: Ints
    quality_regret: Floats
    quality_regret_without_exploration: Floats
    generation_regret: Floats
    generation_regret_without_exploration: Floats
    excess_payment: Floats
    excess_payment_without_exploration: Floats
    share_of_optimal: Floats
    moving_share_of_optimal: Floats
    unqualified_share: Floats
    moving_unqualified_share: Floats
    identified: Floats
    accuracy: Floats
    generation_cost: Floats
    amount_paid: Floats
    amount_paid_moving: Floats
    generation_cost_moving: Floats
    query_price_moving: Floats
    auction_payment_moving: Floats
    winning_bid_moving: Floats
    eligible: Ints
    exploration_steps: Ints
    selections: Ints

    def __repr__(self) -> str:
        return f"Curves({self.runs} runs, {len(self.steps)} steps from {self.steps[0]} to {self.steps[-1]})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curves):
            return NotImplemented
        return self.window == other.window and all(
            np.array_equal(self[name], other[name], equal_nan=True) for name in ("steps", *CURVE_NAMES, "selections")
        )

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array by its name."""
        if name not in _ARRAYS:
            remedy = did_you_mean(str(name), _ARRAYS, "these are the curves of a run")
            raise InputError("name", name, f"must be one of {', '.join(_ARRAYS)}", remedy)
        return np.asarray(getattr(self, name))

    @property
    def runs(self) -> int:
        """R, the number of runs."""
        return len(self.selections)

    def mean(self, name: str) -> Floats:
        """Return the mean over the runs in which a metric is defined, shape (C,) or (C, N)."""
        values = self[name].astype(float)
        known = ~np.isnan(values)
        number, total = known.sum(axis=0), np.where(known, values, 0.0).sum(axis=0)
        return _ratio(total, number)

    def quantiles(self, name: str, levels: ArrayLike) -> Floats:
        """Return quantiles over the runs in which a metric is defined; NaN at steps where it is in none.

        Parameters
        ----------
        name : str
            One of `CURVE_NAMES`, or ``"selections"``.
        levels : float or sequence of float, length Q
            In [0, 1].

        Returns
        -------
        array of float, shape (C,) or (Q, C); of selections, with a last axis of length N
        """
        values, wanted = self[name].astype(float), np.asarray(levels, dtype=float)
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise InputError("levels", levels, "must lie in [0, 1]", "0.5 is the median")
        known = (~np.isnan(values)).sum(axis=0)
        found = np.full((*wanted.shape, *values.shape[1:]), np.nan)
        # NumPy looks at one column after the other where some runs are left out: only there.
        whole, partly = known == len(values), (known > 0) & (known < len(values))
        found[..., whole] = np.quantile(values[:, whole], wanted, axis=0)
        if partly.any():
            found[..., partly] = np.nanquantile(values[:, partly], wanted, axis=0)
        return found

    def median(self, name: str) -> Floats:
        """Return the median over runs, shape (C,), or (C, N) of selections."""
        return self.quantiles(name, 0.5)

    def band(self, name: str, low: float = 0.1, high: float = 0.9) -> tuple[Floats, Floats]:
        """Return two quantiles over runs, each of shape (C,), or (C, N) of selections."""
        lower, upper = self.quantiles(name, (low, high))
        return lower, upper

    def sheet(self) -> Sheet:
        """Return a row for every metric and step, and provider of `selections`: median over runs and 10-90% band."""
        title = f"Curves over {counted(self.runs, 'run')} (moving averages over {self.window:,} queries)"
        return Sheet(title=title, columns=CURVE_COLUMNS, rows=tuple(self.rows()))

    def rows(self) -> Iterator[tuple[str, int | None, int, float | None, float | None, float | None]]:
        """Yield the rows of `sheet`, with `CURVE_COLUMNS`; providers are counted from 0, None is not defined."""
        counts = self.quantiles("selections", _LEVELS)
        bands: dict[tuple[str, int | None], Floats] = {(n, None): self.quantiles(n, _LEVELS) for n in CURVE_NAMES}
        bands |= {("selections", i): counts[:, :, i] for i in range(counts.shape[2])}
        for (metric, provider), band in bands.items():
            for step, (low, median, high) in zip(self.steps.tolist(), _plain(band.T), strict=True):
                yield metric, provider, step, low, median, high

    def to_bytes(self) -> bytes:
        """Return the curves of a single run, packed; `from_bytes` needs the window and N again."""
        columns = [self.steps, *(self[name][0] for name in CURVE_NAMES), *self.selections[0].T]
        return zlib.compress(np.array(columns, dtype="<f8").tobytes(), level=1)

    @classmethod
    def from_bytes(cls, data: bytes, window: int, n_providers: int) -> Curves:
        """Return the curves that `to_bytes` packed.

        Raises
        ------
        InputError
            The data are no such curves.
        """
        width = 1 + len(CURVE_NAMES) + n_providers
        try:
            columns = np.frombuffer(zlib.decompress(data), dtype="<f8").astype(np.float64).reshape(width, -1)
        except (zlib.error, ValueError, TypeError):
            rule = f"bytes are no curves of {n_providers} providers"
            raise InputError("data", len(data), rule, "give the providers that they were written with") from None
        curves, counts = columns[1 : 1 + len(CURVE_NAMES)], [columns[0], *columns[1 + len(CURVE_NAMES) :]]
        counts += [curve for name, curve in zip(CURVE_NAMES, curves, strict=True) if name in _WHOLE]
        if np.isinf(columns).any() or np.isnan(counts).any():
            raise InputError("data", len(data), "bytes hold a number that is not finite", "make the curves again")
        rows: dict[str, NDArray[Any]] = dict(zip(CURVE_NAMES, curves[:, np.newaxis], strict=True))
        rows["selections"] = columns[np.newaxis, 1 + len(CURVE_NAMES) :].swapaxes(1, 2)
        rows |= {name: rows[name].astype(np.int64) for name in _WHOLE}
        return cls(window=window, steps=columns[0].astype(np.int64), **rows)

    def first(self, runs: int) -> Curves:
        """Return the curves of the first runs, in their order.

        Examples
        --------
        >>> from bounds.published import published
        >>> from mechanism.episode import simulate
        >>> from mechanism.metrics.curves import Curves, trace_curves
        >>> setting = published("gpqa-strong").setting
        >>> runs = [simulate(setting, horizon=200, seed=0, run=run) for run in range(3)]
        >>> joined = Curves.joined(trace_curves(setting, run, window=50, margin=0.25) for run in runs)
        >>> joined.first(2)
        Curves(2 runs, 75 steps from 4 to 200)
        """
        return Curves(
            window=self.window, steps=self.steps, **{name: self[name][:runs] for name in _ARRAYS if name != "steps"}
        )

    @classmethod
    def joined(cls, parts: Iterable[Curves]) -> Curves:
        """Return the curves of all runs of several, which have the same steps and window; at least one."""
        several = tuple(parts)
        first = several[0]
        return cls(
            window=first.window,
            steps=first.steps,
            **{name: np.concatenate([part[name] for part in several]) for name in _ARRAYS if name != "steps"},
        )


_WHOLE = ("eligible", "exploration_steps", "selections")
_ARRAYS = tuple(field.name for field in fields(Curves) if field.name != "window")
#: The names of the curves with one number per run and step.
CURVE_NAMES = tuple(name for name in _ARRAYS if name not in ("steps", "selections"))


#: What `Curves.rows` yields, and the levels of its quantiles: the median between those of the paper's bands.
CURVE_COLUMNS = ("metric", "provider", "step", "q10", "median", "q90")
_LEVELS = (0.1, 0.5, 0.9)


def _plain(values: NDArray[Any]) -> Any:
    plain = values.astype(object)
    plain[np.isnan(values)] = None
    return plain.tolist()


def curve_steps(n_providers: int, horizon: int, also: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the steps after which curves are taken: log-spaced whole numbers from N to T, about a hundred.

    Parameters
    ----------
    n_providers, horizon : int
        N <= T. Beyond 2,000 providers there are fewer steps, since each keeps N selection counts.
    also : iterable of int, optional
        More steps, such as one pass over the benchmark; those outside N..T are left out.

    Raises
    ------
    InputError
        The horizon is shorter than the initialization.

    Examples
    --------
    >>> curve_steps(4, 12, also=[9, 50]), len(curve_steps(9, 70_000))
    ((4, 5, 6, 7, 8, 9, 10, 11, 12), 100)
    """
    whole_number("horizon", horizon, "initialization alone serves each provider once", least=n_providers)
    points = min(_POINTS, max(_FEWEST_POINTS, _COUNTS // n_providers))
    spaced = np.geomspace(n_providers, horizon, points).round().astype(np.int64).tolist()
    wanted = {n_providers, horizon, *spaced, *(int(step) for step in also)}
    return tuple(sorted(step for step in wanted if n_providers <= step <= horizon))


def totals_steps(steps: Iterable[int], window: int, n_providers: int) -> tuple[int, ...]:
    """Return the steps after which `curves_of` needs totals: those of the curves, and the starts of their windows.

    Examples
    --------
    >>> totals_steps([4, 10, 100], window=30, n_providers=4)
    (4, 10, 70, 100)
    """
    ends = tuple(steps)
    return tuple(sorted({n_providers, *ends, *(end - window for end in ends if end > window)}))


def trace_curves(
    setting: Setting,
    trace: Trace,
    *,
    window: int,
    margin: float,
    policy: Policy = POLICIES["platform"],
    also: Iterable[int] = (),
) -> Curves:
    """Return the curves of a trace.

    Parameters
    ----------
    setting : Setting
    trace : Trace
        With costs, at least N steps long.
    window : int
        K >= 1, the length of moving averages; the paper takes the benchmark's size.
    margin : float
        mu: a query is sold at (1 + mu) times its cost.
    policy : Policy, optional
        Says whether there were exploration steps, auctions and a quality filter.
    also : iterable of int, optional
        Steps besides the log-spaced ones and K (see `curve_steps`).

    Raises
    ------
    InputError
        The trace has no costs or is shorter than the initialization, or the window is not a whole number from 1.
    """
    length = whole_number("window", window, "it is the length of moving averages", least=1)
    steps = curve_steps(setting.n_providers, len(trace), (length, *also))
    tally = tally_of(setting, trace, totals_steps(steps, length, setting.n_providers), policy)
    return curves_of(setting, tally, steps=steps, window=length, margin=margin, policy=policy)


def curves_of(
    setting: Setting, tally: Tally, *, steps: Sequence[int], window: int, margin: float, policy: Policy
) -> Curves:
    """Return the curves of one run from its totals.

    Parameters
    ----------
    setting : Setting
    tally : Tally
        With the steps of `totals_steps` among its checkpoints.
    steps : sequence of int
        From N on, increasing.
    window, margin, policy
        As for `trace_curves`.

    Raises
    ------
    InputError
        Totals after a step are missing.
    """
    ends, n = np.array(steps, dtype=np.int64), setting.n_providers
    every, run = _Totals(tally.steps, tally.by_provider), _Totals(tally.steps, tally.overall)
    recent = np.maximum(ends - window, 0)
    # The payments of initialization say nothing of the auctions: as in the paper's figures, averages of money leave it
    # out.
    started = np.maximum(recent, n)
    counts, explorations = every.after(ends, ProviderField.SELECTIONS), every.after(ends, ProviderField.EXPLORATIONS)
    unexplored, moving = counts - explorations, counts - every.after(recent, ProviderField.SELECTIONS)
    ordinary = every.between(recent, ends, ProviderField.ORDINARY).sum(axis=1)

    def whole(field: ProviderField) -> Floats:
        return np.asarray(every.after(ends, field).sum(axis=1) / ends)

    def money(field: ProviderField) -> Floats:
        return _ratio(every.between(started, ends, field).sum(axis=1), ends - started)

    shortfalls, excesses = quality_shortfalls(setting), cost_excesses(setting)
    unqualified, unknown = list(setting.unqualified), np.full(len(ends), np.nan)
    initial, explored, auctions = (
        unknown if setting.second_lowest_cost is None else run.after(ends, field)
        for field in (RunField.INITIALIZATION_EXCESS, RunField.EXPLORATION_EXCESS, RunField.ORDINARY_EXCESS)
    )
    best, length = setting.optimal, np.minimum(window, ends)
    rows: dict[str, NDArray[Any]] = {
        "quality_regret": weighted_sum(counts, shortfalls),
        "quality_regret_without_exploration": weighted_sum(unexplored, shortfalls),
        "generation_regret": unknown if excesses is None else weighted_sum(counts, excesses),
        "generation_regret_without_exploration": unknown if excesses is None else weighted_sum(unexplored, excesses),
        "excess_payment": initial + explored + auctions,
        "excess_payment_without_exploration": initial + auctions,
        "share_of_optimal": unknown if best is None else counts[:, best] / ends,
        "moving_share_of_optimal": unknown if best is None else moving[:, best] / length,
        "unqualified_share": counts[:, unqualified].sum(axis=1) / ends,
        "moving_unqualified_share": moving[:, unqualified].sum(axis=1) / length,
        "identified": unknown if best is None else leads(setting, counts).astype(float),
        "accuracy": whole(ProviderField.SCORE),
        "generation_cost": whole(ProviderField.COST),
        "amount_paid": whole(ProviderField.PAYMENT),
        "amount_paid_moving": money(ProviderField.PAYMENT),
        "generation_cost_moving": money(ProviderField.COST),
        "query_price_moving": (1 + margin) * money(ProviderField.COST),
        "auction_payment_moving": _ratio(
            every.between(recent, ends, ProviderField.ORDINARY_PAYMENT).sum(axis=1), ordinary
        ),
        "winning_bid_moving": _ratio(run.between(recent, ends, RunField.WINNING_BIDS), ordinary)
        if policy.auctions
        else unknown,
        "eligible": run.after(ends, RunField.ELIGIBLE).astype(np.int64),
        "exploration_steps": explorations.sum(axis=1).astype(np.int64),
        "selections": counts.astype(np.int64),
    }
    return Curves(
        window=min(window, tally.steps[-1]), steps=ends, **{name: row[np.newaxis] for name, row in rows.items()}
    )


class _Totals:
    """Totals by step and field, to be looked up for many steps at once; zero before the first step."""

    def __init__(self, steps: Sequence[int], totals: Floats) -> None:
        self._steps, self._totals = np.array((0, *steps)), np.concatenate([np.zeros_like(totals[:1]), totals])

    def after(self, steps: Ints, field: ProviderField | RunField) -> Floats:
        """Return a total after each step."""
        rows = np.searchsorted(self._steps, steps).clip(max=len(self._steps) - 1)
        missing = steps[self._steps[rows] != steps]
        if len(missing):
            rule = "is none of the totals' checkpoints"
            raise InputError("step", int(missing[0]), rule, "ask for the steps of totals_steps when simulating")
        return np.asarray(self._totals[rows, field])

    def between(self, first: Ints, last: Ints, field: ProviderField | RunField) -> Floats:
        """Return a total over the steps first + 1, ..., last."""
        return self.after(last, field) - self.after(first, field)


def _ratio(part: Floats, whole: NDArray[Any]) -> Floats:
    """Return part / whole, NaN where there is nothing to divide by."""
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))

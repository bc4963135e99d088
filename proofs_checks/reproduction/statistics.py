"""How far a printed statistic of 30 runs lies from what our runs predict for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.documents import NonNegative, Probability
from bounds.errors import InputError
from bounds.published import PrintedNumber

#: 97.5% point of the normal law: the printed half-widths are 1.96 s / sqrt(runs).
HALFWIDTH_FACTOR = 1.96
#: Distance, in standard errors, up to which two numbers agree.
AGREEMENT = 3.0

Values = NDArray[np.float64]


class _Prediction(NamedTuple):
    """What our runs say about a statistic of so many runs as the paper's."""

    #: Its expectation, estimated.
    value: float
    #: Its standard deviation over repetitions of the printed experiment, rounding apart.
    printed_error: float
    #: Standard error of `value` from our number of runs.
    own_error: float
    #: As of `NumberAgainstPrinted`.
    tail_probability: float | None = None
    tail_resolved: bool | None = None


@dataclass(frozen=True, kw_only=True)
class NumberAgainstPrinted:
    """A printed number beside ours.

    Parameters
    ----------
    ours : float
        What our runs give.
    standard_error_printed : float
        Standard error of the printed number, rounding included.
    standard_error_ours : float
        Standard error of ours.
    standard_error : float
        Standard error of the difference.
    z : float or None
        Printed minus ours, in standard errors, at most the root of 3 in size if nothing varies and they differ by
        rounding at most; None if nothing varies, nothing is rounded, and they differ.
    tail_probability : float or None
        How probable a minimum or maximum at least so extreme is, from the exact law of the extreme of draws from our
        runs, rounded up where they end; None for means and sums.
    tail_resolved : bool or None
        Whether a run of ours reaches the printed number; None for means and sums.
    halfwidth_ratio : float or None
        Printed half-width over ours; None if none is printed or ours is 0.
    z_by_halfwidth : float or None
        z with the printed half-width in place of our spread; None if none is printed.
    """

    ours: float
    standard_error_printed: NonNegative
    standard_error_ours: NonNegative
    standard_error: NonNegative
    z: float | None
    tail_probability: Probability | None
    tail_resolved: bool | None
    halfwidth_ratio: NonNegative | None
    z_by_halfwidth: float | None = None

    @property
    def varies(self) -> bool:
        """Whether runs differ in it: what never varies cannot but agree, or is wrong."""
        return self.standard_error_ours > 0

    @property
    def agrees(self) -> bool:
        """Whether |z| < 3."""
        return self.z is not None and abs(self.z) < AGREEMENT


def compare(number: PrintedNumber, values: Values, printed_runs: int) -> NumberAgainstPrinted:
    """Compare a printed number with our runs.

    Parameters
    ----------
    number : PrintedNumber
    values : array of float, shape (R,)
        What the number aggregates, run by run; R >= 2.
    printed_runs : int
        Runs behind the printed number.

    Raises
    ------
    InputError
        Fewer than two runs, values that are not finite, or an unknown statistic.

    Examples
    --------
    >>> number = PrintedNumber("toy", "table", "row", "", "mean", 1.0, 0.05, None)
    >>> round(compare(number, np.array([0.0, 1.0, 2.0, 5.0]), printed_runs=4).z, 3)
    -0.655
    """
    if len(values) < 2 or not np.isfinite(values).all():
        raise InputError("values", len(values), "must be two or more finite numbers", "run the setting at least twice")
    if number.stat not in _PREDICTIONS:
        raise InputError("stat", number.stat, "is not a known statistic", f"it is one of {', '.join(_PREDICTIONS)}")
    prediction = _PREDICTIONS[number.stat](number, values, printed_runs)
    rounding = number.half_ulp / math.sqrt(3)
    error_printed = math.hypot(prediction.printed_error, rounding)
    error = math.hypot(error_printed, prediction.own_error)
    return NumberAgainstPrinted(
        ours=prediction.value,
        standard_error_printed=error_printed,
        standard_error_ours=prediction.own_error,
        standard_error=error,
        z=_score(number.printed - prediction.value, error),
        tail_probability=prediction.tail_probability,
        tail_resolved=prediction.tail_resolved,
        halfwidth_ratio=_halfwidth_ratio(number, values, printed_runs),
        z_by_halfwidth=_score_by_halfwidth(number, prediction, rounding),
    )


def _score_by_halfwidth(number: PrintedNumber, prediction: _Prediction, rounding: float) -> float | None:
    if number.printed_halfwidth is None:
        return None
    # Half-widths are rounded like the numbers: one that is printed as 0 may be half a digit.
    spread = max(number.printed_halfwidth, number.half_ulp) / HALFWIDTH_FACTOR
    return _score(number.printed - prediction.value, math.hypot(spread, rounding, prediction.own_error))


def _score(difference: float, error: float) -> float | None:
    """Return difference / error; 0 for what is equal up to floating point."""
    if abs(difference) <= 1e-12:
        return 0.0
    return difference / error if error > 0 else None


def _mean(number: PrintedNumber, values: Values, runs: int) -> _Prediction:
    mean, spread = _mean_and_spread(runs * number.printed, values, runs)
    spread = _tiny(spread, mean)
    return _Prediction(mean, spread / math.sqrt(runs), spread / math.sqrt(len(values)))


def _sum(number: PrintedNumber, values: Values, runs: int) -> _Prediction:
    mean, spread = _mean_and_spread(number.printed, values, runs)
    return _Prediction(runs * mean, spread * math.sqrt(runs), runs * spread / math.sqrt(len(values)))


def _mean_and_spread(printed_total: float, values: Values, runs: int) -> tuple[float, float]:
    """Return the mean of our runs, and the standard deviation of one run."""
    mean = float(values.mean())
    if not np.isin(values, (0.0, 1.0)).all():
        return mean, float(values.std(ddof=1))
    # A frequency: none of our runs may show what happened in one of the printed; both together do.
    pooled = (printed_total + len(values) * mean) / (runs + len(values))
    return mean, math.sqrt(max(pooled * (1 - pooled), 0.0))


def _tiny(spread: float, mean: float) -> float:
    """Return a spread, 0 if it is only that of rounded sums."""
    return spread if spread > 1e-12 * abs(mean) else 0.0


def _max(number: PrintedNumber, values: Values, runs: int) -> _Prediction:
    return _largest(np.sort(values), runs, number.printed, number.half_ulp)


def _min(number: PrintedNumber, values: Values, runs: int) -> _Prediction:
    mirrored = _largest(np.sort(-values), runs, -number.printed, number.half_ulp)
    return mirrored._replace(value=-mirrored.value)


def _largest(ordered: Values, runs: int, printed: float, half_ulp: float) -> _Prediction:
    """Return the exact law of the largest of `runs` draws from the empirical distribution of ordered values."""
    size = len(ordered)
    shares = np.arange(size + 1) / size
    weights = np.diff(shares**runs)
    mean = float((weights * ordered).sum())
    spread = math.sqrt(float((weights * (ordered - mean) ** 2).sum()))
    # Influence of one value on the expectation: -runs times the integral of F^(runs - 1) above it, up to a constant.
    slopes = runs * shares[1:-1] ** (runs - 1) * np.diff(ordered)
    influence = -np.append(np.cumsum(slopes[::-1])[::-1], 0.0)
    own = float(influence.std(ddof=1)) / math.sqrt(size)
    tail = _tail(ordered, runs, printed, half_ulp)
    return _Prediction(mean, _tiny(spread, mean), _tiny(own, mean), *tail)


def _tail(ordered: Values, runs: int, printed: float, half_ulp: float) -> tuple[float, bool]:
    """Return twice the smaller of P(largest <= printed) and P(largest >= printed), 1 at most, and if a run reaches it.

    The printed number counts as one run more of ours, on either side: what none of R runs shows may still have a
    chance of 1/(R + 1) in each.
    """
    slack = half_ulp + 1e-9 * abs(printed)
    size = len(ordered) + 1
    below = (int(np.searchsorted(ordered, printed + slack, side="right")) + 1) / size
    reaching = len(ordered) - int(np.searchsorted(ordered, printed - slack, side="left"))
    above = (reaching + 1) / size
    return min(1.0, 2 * min(below**runs, 1 - (1 - above) ** runs)), reaching > 0


def _halfwidth_ratio(number: PrintedNumber, values: Values, runs: int) -> float | None:
    ours = HALFWIDTH_FACTOR * float(values.std(ddof=1)) / math.sqrt(runs)
    if number.printed_halfwidth is None or not _tiny(ours, float(values.mean())):
        return None
    return number.printed_halfwidth / ours


_Predictor = Callable[[PrintedNumber, Values, int], _Prediction]
_PREDICTIONS: dict[str, _Predictor] = {"mean": _mean, "sum": _sum, "max": _max, "min": _min}

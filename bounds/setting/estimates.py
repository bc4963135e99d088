"""Uncertain inputs: a number that an evaluation estimates, with an interval that contains it with a stated probability.

A setting takes the point estimate for its number; `bounds.setting.region` joins the intervals of all inputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from bounds.documents import Count, FromOne, NonNegative
from bounds.errors import InputError, did_you_mean, is_real, is_whole
from bounds.limits import LARGEST_HORIZON


@dataclass(frozen=True, kw_only=True)
class Proportion:
    """A share of correct answers. Its interval is that of Clopper and Pearson, which holds for any sample size.

    Parameters
    ----------
    correct : int
        How many answers are correct, in 0..of.
    of : int
        How many questions were asked, at least 1.

    Examples
    --------
    >>> share = Proportion(correct=131, of=200)
    >>> share.point, [round(end, 4) for end in share.interval(0.05, 1.0)]
    (0.655, [0.5847, 0.7206])
    """

    correct: Count
    of: FromOne

    def __post_init__(self) -> None:
        for name, value, least, most in (("of", self.of, 1, LARGEST_HORIZON), ("correct", self.correct, 0, self.of)):
            if not is_whole(value) or not least <= value <= most:
                rule = f"must be a whole number from {least} to {most}"
                raise InputError(name, value, rule, "write so many correct answers of so many questions")
            object.__setattr__(self, name, int(value))

    @property
    def point(self) -> float:
        """The share of correct answers."""
        return self.correct / self.of

    @property
    def exact(self) -> bool:
        """Whether it leaves no uncertainty."""
        return False

    def interval(self, failure: float, largest: float) -> tuple[float, float]:
        """Return an interval in [0, largest] that misses the number with at most this probability."""
        from scipy.special import betaincinv

        correct, of, tail = self.correct, self.of, failure / 2
        low = float(betaincinv(correct, of - correct + 1, tail)) if correct else 0.0
        return low, float(betaincinv(correct + 1, of - correct, 1 - tail)) if correct < of else 1.0


@dataclass(frozen=True, kw_only=True)
class SampleMean:
    """A mean with its standard error. Its interval takes the error as normal, which small samples may not be.

    Parameters
    ----------
    mean : float
        The mean of the sample.
    standard_error : float
        Its standard error, at least 0; 0 states an exact number.
    """

    mean: NonNegative
    standard_error: NonNegative

    def __post_init__(self) -> None:
        _set_numbers(self)
        if self.standard_error < 0:
            remedy = "it is the standard deviation over the square root of the number of questions"
            raise InputError("standard_error", self.standard_error, "must be 0 or more", remedy)

    @property
    def point(self) -> float:
        """The mean."""
        return self.mean

    @property
    def exact(self) -> bool:
        """Whether it leaves no uncertainty."""
        return self.standard_error == 0

    def interval(self, failure: float, largest: float) -> tuple[float, float]:
        """Return an interval in [0, largest] that misses the number with this probability, if the error is normal."""
        from scipy.special import ndtri

        reach = -float(ndtri(failure / 2)) * self.standard_error
        return max(0.0, self.mean - reach), min(largest, self.mean + reach)


@dataclass(frozen=True, kw_only=True)
class StatedInterval:
    """An interval that is taken as it is stated; the number of the setting is its midpoint.

    Parameters
    ----------
    low : float
        The number is at least this.
    high : float
        The number is at most this.
    """

    low: NonNegative
    high: NonNegative

    def __post_init__(self) -> None:
        _set_numbers(self)
        if self.low > self.high:
            raise InputError("low", self.low, f"must not exceed high={self.high!r}", "swap the two")

    @property
    def point(self) -> float:
        """The midpoint."""
        return self.low + (self.high - self.low) / 2

    @property
    def exact(self) -> bool:
        """Whether it leaves no uncertainty."""
        return self.low == self.high

    def interval(self, failure: float, largest: float) -> tuple[float, float]:
        """Return the interval itself, for any probability and any largest number."""
        return self.low, self.high


Estimate = Proportion | SampleMean | StatedInterval
#: How a setting file writes each estimate.
_WRITTEN: dict[type[Estimate], str] = {
    Proportion: "{correct = 131, of = 200}",
    SampleMean: "{mean = 0.655, standard_error = 0.034}",
    StatedInterval: "{low = 0.60, high = 0.71}",
}


def estimate_of(name: str, given: Mapping[str, Any]) -> Estimate:
    """Return the estimate that the keys of a table state, for a number of this name; an InputError names a wrong key.

    Examples
    --------
    >>> estimate_of("mean_cost", {"mean": 16.1, "standard_error": 0.4})
    SampleMean(mean=16.1, standard_error=0.4)
    """
    keys = {kind: [each.name for each in fields(kind)] for kind in _WRITTEN if name == "quality" or kind != Proportion}
    written = f"write {' or '.join(_WRITTEN[kind] for kind in keys)}, or a number"
    known = [key for each in keys.values() for key in each]
    for key in given:
        if key not in known:
            raise InputError(f"{name}.{key}", given[key], "is not a known key", did_you_mean(key, known, written))
    form = next((kind for kind in keys if {*keys[kind]} == {*given}), None)
    if form is None:
        raise InputError(name, dict(given), "must have the keys of one estimate", written)
    try:
        return form(**given)
    except InputError as error:
        raise error.within(name) from None


def finite_number(name: str, value: object) -> float:
    """Return a number as a finite float, or say what is wrong with it.

    Examples
    --------
    >>> finite_number("low", 3)
    3.0
    """
    if not is_real(value):
        raise InputError(name, value, "must be a number", "write it without quotes, as 0.5 or 3")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(name, value, "must be finite", "NaN and infinities have no meaning here")
    return number


def _set_numbers(estimate: SampleMean | StatedInterval) -> None:
    for each in fields(estimate):
        object.__setattr__(estimate, each.name, finite_number(each.name, getattr(estimate, each.name)))

"""The radius and the exploration target of a platform in balls, from their definitions, with the setting's doubles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from bounds.language.arithmetic import RigorousArithmetic, rigorous
from bounds.setting.model import Setting

_PRECISION = 160
#: Powers with a larger denominator in the exponent are hardly ever whole.
_LARGEST_ROOT = 64


class NotDischargedError(ArithmeticError):
    """A number has not the property that a theorem takes, or it is too near to decide."""


def require(holds: bool, what: str) -> None:
    """Refuse a number that has not a property."""
    if not holds:
        raise NotDischargedError(f"{what} does not hold")


def less(left: Any, right: Any) -> bool:
    """Return whether a number is less than another.

    Raises
    ------
    NotDischargedError
        The balls overlap.
    """
    if (left < right) is True:
        return True
    if (left >= right) is True:
        return False
    raise NotDischargedError(f"whether {left} < {right} is too near to decide")


@dataclass(frozen=True, kw_only=True, eq=False)
class Balls:
    """Numbers of one precision, within a block of `balls`: any such block serves.

    Parameters
    ----------
    arithmetic : RigorousArithmetic
    """

    arithmetic: RigorousArithmetic

    def __call__(self, exact: float | Fraction) -> Any:
        """Return a number."""
        return self.arithmetic.array(exact).item()

    def apply(self, name: str, *arguments: Any) -> Any:
        """Return a function of numbers or of arrays of numbers."""
        found = self.arithmetic.functions[name](*(np.asarray(argument, dtype=object) for argument in arguments))
        return found if found.ndim else found.item()

    @property
    def pi_squared(self) -> Any:
        """The square of pi."""
        root = self.arithmetic.functions["pi"]().item()
        return root * root

    def logarithm_times_pi_squared(self, exact: Fraction) -> Any:
        """Return ln(x pi^2), which is kept: each radius has the same."""
        if exact not in self._kept:
            self._kept[exact] = self.apply("log", self.pi_squared * self(exact))
        return self._kept[exact]

    @cached_property
    def _kept(self) -> dict[Fraction, Any]:
        return {}


@contextmanager
def balls() -> Iterator[Balls]:
    """Yield numbers of python-flint."""
    with rigorous(_PRECISION) as arithmetic:
        yield Balls(arithmetic=arithmetic)


@dataclass(frozen=True, kw_only=True)
class ExactPlatform:
    """What the radius and the target depend on, each exactly the double of a setting.

    Parameters
    ----------
    size : int
        N.
    confidence, scale, exponent : Fraction
        delta, k and alpha.
    """

    size: int
    confidence: Fraction
    scale: Fraction
    exponent: Fraction

    @classmethod
    def of(cls, setting: Setting) -> ExactPlatform:
        """Return the platform of a setting."""
        own = setting.platform
        numbers = (own.confidence, own.exploration_scale, own.exploration_exponent)
        confidence, scale, exponent = map(Fraction, numbers)
        return cls(size=setting.n_providers, confidence=confidence, scale=scale, exponent=exponent)

    def radii(self, ball: Balls, counts: Sequence[int]) -> Any:
        """Return beta(m) = sqrt(ln(2 pi^2 N m^2/(3 delta))/(2 m)) at some counts."""
        constant = ball.logarithm_times_pi_squared(Fraction(2 * self.size, 3) / self.confidence)
        numbers = ball.arithmetic.array(np.asarray(counts, dtype=float))
        return ball.apply("sqrt", (2 * ball.apply("log", numbers) + constant) / (2 * numbers))

    def mixture_radii(self, ball: Balls, counts: Sequence[int], weight: float) -> Any:
        """Return sqrt((m + w) ln((m + w) (2 N/delta)^2/w))/(2 m), the radius of a normal mixture with a weight w."""
        budget = ball.apply("log", ball(2 * self.size / self.confidence))
        total = ball.arithmetic.array(np.asarray(counts, dtype=float)) + ball(weight)
        numbers = ball.arithmetic.array(np.asarray(counts, dtype=float))
        levels = ball.apply("log", total / ball(weight)) + 2 * budget
        return ball.apply("sqrt", total * levels) / (2 * numbers)

    def radius(self, ball: Balls, count: int) -> Any:
        """Return beta(m)."""
        return self.radii(ball, [count]).item()

    def target_exceeds(self, ball: Balls, step: int, count: int) -> bool:
        """Return whether g(t) = k (t/N)^alpha is above a count."""
        if self._whole_powers is not None:
            power, root, factor, of_count = self._whole_powers
            return bool(factor * step**power > of_count * count**root)
        time = ball(Fraction(step, self.size))
        return less(ball(count), ball(self.scale) * ball.apply("power", time, ball(self.exponent)))

    @cached_property
    def _whole_powers(self) -> tuple[int, int, int, int] | None:
        """p, q, a and b such that g(t) > c if and only if a t^p > b c^q; None where these would be large."""
        power, root = self.exponent.numerator, self.exponent.denominator
        if max(root, self.scale.denominator) > _LARGEST_ROOT:
            return None
        return power, root, self.scale.numerator**root, self.scale.denominator**root * self.size**power

    def explored_below(self, ball: Balls, step: int) -> int:
        """Return ceil(g(t)) - 1: how many counts lie below the target."""
        near: float = float(self.scale) * (step / self.size) ** float(self.exponent)
        found = max(0, int(near) - 1)
        while self.target_exceeds(ball, step, found + 1):
            found += 1
        while found and not self.target_exceeds(ball, step, found):
            found -= 1
        return found

    def last_step(self, ball: Balls, count: int) -> int:
        """Return the last step t at which the target is at most a count."""
        found = int(self.size * (count / float(self.scale)) ** (1 / float(self.exponent)))
        while self.target_exceeds(ball, found, count):
            found -= 1
        while not self.target_exceeds(ball, found + 1, count):
            found += 1
        return found

    def grows_by(self, ball: Balls, slope: int, count: int) -> bool:
        """Return whether the time at which the target reaches a count grows by so much a count, here and later on.

        That is N (c/k)^(1/alpha), which is convex. Its derivative is N/(alpha k) (c/k)^(1/alpha - 1).
        """
        factor = ball(Fraction(self.size) / (self.exponent * self.scale))
        steep = ball.apply("power", ball(Fraction(count) / self.scale), ball(1 / self.exponent - 1))
        return (factor * steep >= ball(slope)) is True

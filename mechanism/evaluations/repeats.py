"""Answers of a model to a question that it has answered before: which of them count, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from bounds.errors import MISSING, InputError
from bounds.words import counted

__all__ = ["RepeatedAnswers", "Repeats"]

Repeats = Literal["first", "last", "each"]
"""Which answers of a model to one question count: the first, the last, or each as a question of its own."""


@dataclass
class _Repeated:
    """What one model repeats: how often, where first, and what changes if other answers count."""

    place: str
    count: int = 0
    scores_differ: int = 0
    costs_differ: int = 0
    total: Fraction = Fraction(0)
    change: Fraction = Fraction(0)


class RepeatedAnswers:
    """Collects the answers that repeat a question of the same model.

    Parameters
    ----------
    count : Repeats, optional
        Which of them count; by default the first, if all have one score.
    """

    def __init__(self, count: Repeats | None) -> None:
        if count is not None and count not in get_args(Repeats):
            rule = f"must be one of {', '.join(get_args(Repeats))}"
            raise InputError("repeats", count, rule, "it says which answers to one question count")
        self.count = count
        self._last: dict[int, tuple[int, tuple[float, ...]]] = {}  # by row: how many answers, and the last
        self._models: dict[str, _Repeated] = {}

    def add(self, row: int, model: str, first: tuple[float, ...], numbers: tuple[float, ...], place: str) -> int:
        """Take an answer, its score first, to the question of an earlier row; return its number, from 2."""
        number, before = self._last.get(row, (1, first))
        self._last[row] = number + 1, numbers
        found = self._models.setdefault(model, _Repeated(place))
        found.count += 1
        found.scores_differ += numbers[0] != before[0]
        found.costs_differ += repr(numbers[1:4]) != repr(before[1:4])  # NaN is a missing cost, and equals itself here
        found.total += Fraction(numbers[0])
        found.change += Fraction(numbers[0]) - Fraction(before[0])
        return number + 1

    def sentences(self, totals: Mapping[str, tuple[Fraction, int]]) -> tuple[str, ...]:
        """Return what the choice changes, by model, from the sums and numbers of the scores that count."""
        return tuple(
            self._sentence(model, found, *totals[model])
            for model, found in self._models.items()
            if found.scores_differ or found.costs_differ
        )

    def _sentence(self, model: str, found: _Repeated, total: Fraction, count: int) -> str:
        repeats = f"{model} repeats {counted(found.count, 'answer')}"
        if not found.scores_differ:
            return f"{repeats}, {found.costs_differ:,} of them at another cost"
        if self.count == "each":
            total, count = total - found.total, count - found.count
        if self.count == "last":
            total -= found.change
        means = [total / count, (total + found.change) / count, (total + found.total) / (count + found.count)]
        first, last, each = (f"{float(mean):.6g}" for mean in means)
        return (
            f"{repeats}, {found.scores_differ:,} of them with another score: its mean score is {first} if the first "
            f"counts, {last} if the last does, {each} if each does"
        )

    def refuse_differing(self, totals: Mapping[str, tuple[Fraction, int]]) -> None:
        """Raise an InputError if scores differ and nobody chose which answers count."""
        differing = [model for model, found in self._models.items() if found.scores_differ]
        if self.count is not None or not differing:
            return
        sentences = [self._sentence(model, self._models[model], *totals[model]) for model in differing]
        more = f"; and {len(differing) - 3} more models" if len(differing) > 3 else ""
        ways = f"choose with --repeats {' or '.join(get_args(Repeats))}, or keep one of the answers"
        remedy = f"{'; '.join(sentences[:3])}{more}; {ways}"
        place = self._models[differing[0]].place
        raise InputError(place, MISSING, "repeats a question of the same model, and scores differ", remedy)

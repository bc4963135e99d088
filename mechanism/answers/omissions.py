"""What a reader of answers left out, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bounds.documents import FromOne
from bounds.errors import printable
from bounds.words import first_of
from mechanism.answers.table import Answers


@dataclass(frozen=True)
class Absence:
    """A model because of which something was left out.

    Parameters
    ----------
    name : str
        Name of the model.
    count : int
        How many because of it.
    of : int
        Of how many answers or questions.
    """

    name: str
    count: FromOne
    of: FromOne


@dataclass(frozen=True)
class Omission:
    """Answers, models, questions or files that were left out for one reason.

    Parameters
    ----------
    what : {"answers", "models", "questions", "files"}
        What was left out.
    count : int
        How many.
    reason : str
        Why, to be read after the number.
    first : str
        The first of them, or where it stands.
    models : tuple of Absence
        Whose answers or questions these are; empty where a model is what was left out.

    Examples
    --------
    >>> str(Omission("answers", 12, "without a score", "a.csv:7", (Absence("m", 12, 40),)))
    '12 answers without a score (m 12 of 40; first: a.csv:7)'
    >>> str(Omission("models", 1, "with fewer answers than the others", "tiny"))
    '1 model with fewer answers than the others (tiny)'
    """

    what: Literal["answers", "models", "questions", "files"]
    count: FromOne
    reason: str
    first: str = ""
    models: tuple[Absence, ...] = ()

    def __str__(self) -> str:
        what = self.what[:-1] if self.count == 1 else self.what
        first = printable(self.first, 120)
        shown = [first_of([f"{printable(each.name, 60)} {each.count:,} of {each.of:,}" for each in self.models])]
        shown += [first if self.count == 1 else f"first: {first}"] if first else []
        beside = "; ".join(filter(None, shown))
        return f"{self.count:,} {what} {self.reason}{f' ({beside})' if beside else ''}"


def answers_left_out(answers: Answers, rows: NDArray[np.bool_], reason: str) -> Iterable[Omission]:
    """Yield that some answers are left out, if there are any, by model and with the first place."""
    if rows.any():
        counts, of = (np.bincount(each, minlength=len(answers.models)) for each in (answers.model[rows], answers.model))
        worst = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]]
        models = tuple(Absence(answers.models[i], int(counts[i]), int(of[i])) for i in worst)
        yield Omission("answers", int(rows.sum()), reason, answers.at(int(rows.argmax())), models)

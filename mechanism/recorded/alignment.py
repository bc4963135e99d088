"""Which questions every model has in full: the others are dropped jointly, and reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError

__all__ = ["Aligned", "AlignmentReport", "Misalignment", "Record", "align", "natural_order"]


@dataclass(frozen=True)
class Misalignment:
    """Why a question cannot be used for a model.

    Attributes
    ----------
    question, model : str
    reason : str
        Reads after the model's name: ``"has 127 generations, not 128"``.
    place : str
        File and row; empty if the model has no row of the question.

    Examples
    --------
    >>> str(Misalignment("gpqa-7", "Qwen2-7B", "has 127 generations, not 128", "GPQA/q.jsonl:8"))
    "question 'gpqa-7': Qwen2-7B has 127 generations, not 128 (GPQA/q.jsonl:8)"
    """

    question: str
    model: str
    reason: str
    place: str = ""

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"question {self.question!r}: {self.model} {self.reason}{place}"


@dataclass(frozen=True, kw_only=True)
class AlignmentReport:
    """What was left out so that every model has the same questions and as many generations of each.

    Attributes
    ----------
    misalignments : tuple of Misalignment
        Their questions are dropped jointly, from all models.
    reward_misalignments : tuple of Misalignment
        Of retained questions that lack rewards; empty where rewards are required, since these are then dropped.
    repeated_rows : tuple of str
        Rows that repeat the question of an earlier row of the model; the earlier one is kept.
    invalid_rows : tuple of str
        The errors of rows left out because the caller asked for that.
    unused_rewards : tuple of str
        Rewards of the prepared layout that belong to no question.
    changed_means : tuple of str
        Which mean scores differ because questions were dropped: a sentence for each such model.

    Examples
    --------
    >>> found = (Misalignment("2", "a", "has no row"), Misalignment("2", "b", "has no row"))
    >>> AlignmentReport(misalignments=found).dropped
    ('2',)
    """

    misalignments: tuple[Misalignment, ...] = ()
    reward_misalignments: tuple[Misalignment, ...] = ()
    repeated_rows: tuple[str, ...] = ()
    invalid_rows: tuple[str, ...] = ()
    unused_rewards: tuple[str, ...] = ()
    changed_means: tuple[str, ...] = ()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The questions that were dropped jointly, each once."""
        return tuple(dict.fromkeys(found.question for found in self.misalignments))


class Record(NamedTuple):
    """What is recorded of one model and question; the arrays need not have one length.

    Attributes
    ----------
    correct : numpy.ndarray of uint8
    tokens : numpy.ndarray of int32
    reward : numpy.ndarray of float64
        Not finite where it is missing; empty if none is recorded.
    place : str
        File and row, for reports.
    """

    correct: NDArray[np.uint8]
    tokens: NDArray[np.int32]
    reward: NDArray[np.float64]
    place: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Aligned:
    """Questions and arrays of shape (models, questions, S), as `Generations` wants them."""

    questions: tuple[str, ...]
    correct: NDArray[np.uint8]
    tokens: NDArray[np.int32]
    reward: NDArray[np.float64] | None
    alignment: AlignmentReport


def align(records: Mapping[str, Mapping[str, Record]], require_rewards: bool) -> Aligned:
    """Return the questions that every model has in full, in natural order.

    Parameters
    ----------
    records : mapping of str to mapping of str to Record
        By model, in the order wanted, and by question.
    require_rewards : bool
        Whether a question that lacks a reward is dropped too. Otherwise rewards are kept if none lacks.

    Raises
    ------
    InputError
        If the models have different numbers of generations, or no question is left.

    Examples
    --------
    >>> full = Record(np.array([1], np.uint8), np.array([9], np.int32), np.empty(0), "f:1")
    >>> found = align({"a": {"q2": full, "q10": full}, "b": {"q2": full}}, require_rewards=False)
    >>> found.questions, [str(each) for each in found.alignment.misalignments], found.reward is None
    (('q2',), ["question 'q10': b has no row"], True)
    """
    questions = natural_order({question for rows in records.values() for question in rows})
    misaligned, lacking = _misalignments(records, questions, require_rewards)
    dropped = {found.question for found in misaligned}
    kept = tuple(question for question in questions if question not in dropped)
    if not kept:
        shown = "; ".join(str(found) for found in misaligned[:3])
        raise InputError("questions", 0, f"are recorded in full for all of {', '.join(records)}", shown)
    lacking = [found for found in lacking if found.question not in dropped]
    rows = [[records[model][question] for question in kept] for model in records]
    return Aligned(
        questions=kept,
        correct=np.array([[row.correct for row in line] for line in rows]),
        tokens=np.array([[row.tokens for row in line] for line in rows]),
        reward=None if lacking else np.array([[row.reward for row in line] for line in rows]),
        alignment=AlignmentReport(
            misalignments=tuple(misaligned),
            reward_misalignments=tuple(lacking),
            changed_means=_changed_means(records, kept) if dropped else (),
        ),
    )


def _changed_means(records: Mapping[str, Mapping[str, Record]], kept: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for model, rows in records.items():
        scored = [row.correct for row in rows.values() if len(row.correct)]
        of_all = f"{float(np.concatenate(scored).mean()):.6g}"
        of_kept = f"{float(np.concatenate([rows[question].correct for question in kept]).mean()):.6g}"
        if of_all != of_kept:
            found.append(
                f"{model} has a mean score of {of_kept} on the {len(kept):,} questions that count, and of {of_all} on "
                f"all {len(scored):,} that it has"
            )
    return tuple(found)


def natural_order(names: Iterable[str]) -> list[str]:
    """Return names sorted so that the numbers in them count as numbers.

    Examples
    --------
    >>> natural_order({"q10", "q9", "q"})
    ['q', 'q9', 'q10']
    """
    return sorted(names, key=_natural_key)


def _natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    # Text and digits alternate, so equal places hold equal kinds. Digits compare by length, then as text: an
    # integer of over 4300 digits could not be read.
    parts = re.split(r"([0-9]+)", name)
    keys = [(len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (0, part) for i, part in enumerate(parts)]
    return tuple(keys), name


def _samples(records: Mapping[str, Mapping[str, Record]]) -> int:
    """Return S, the usual number of generations, which must be the same for all models."""
    usual = {}
    for model, rows in records.items():
        counts = Counter(len(row.correct) for row in rows.values())
        usual[model] = max(counts, key=lambda size: (counts[size], size))
    if len(set(usual.values())) > 1:
        shown = ", ".join(f"{model} {size}" for model, size in usual.items())
        remedy = "choose models with the same number, with models=[...]"
        raise InputError("models", shown, "generations per question are not the same number", remedy)
    return next(iter(usual.values()))


def _misalignments(
    records: Mapping[str, Mapping[str, Record]], questions: list[str], require_rewards: bool
) -> tuple[list[Misalignment], list[Misalignment]]:
    """Return why questions are dropped, and which others lack rewards; of one question the lack of rewards is last."""
    size = _samples(records)
    misaligned: list[Misalignment] = []
    lacking: list[Misalignment] = []
    for question in questions:
        unrewarded = []
        for model, rows in records.items():
            row = rows.get(question)
            if row is None:
                misaligned.append(Misalignment(question, model, "has no row"))
            elif problem := _length_problem(row, size):
                misaligned.append(Misalignment(question, model, problem, row.place))
            elif problem := _reward_problem(row, size):
                unrewarded.append(Misalignment(question, model, problem, row.place))
        (misaligned if require_rewards else lacking).extend(unrewarded)
    return misaligned, lacking


def _length_problem(row: Record, size: int) -> str:
    if len(row.correct) != len(row.tokens):
        return f"has {len(row.correct)} correctness labels and {len(row.tokens)} token counts"
    return "" if len(row.correct) == size else f"has {len(row.correct)} generations, not {size}"


def _reward_problem(row: Record, size: int) -> str:
    if len(row.reward) != size:
        return f"has {len(row.reward)} rewards for {size} generations"
    missing = size - int(np.isfinite(row.reward).sum())
    return f"lacks {missing} of {size} rewards" if missing else ""

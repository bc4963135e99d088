"""Answers of z3 and cvc5, asked once: kept by the hash of the script and the version of the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proofs_checks.proofs.kept import Table, hash_of
from proofs_checks.proofs.solvers.solvers import (
    DEFINITE,
    SOLVERS,
    TIME_LIMIT,
    Answered,
    ask_each,
    installed,
    solver_versions,
)


def answers_to(
    questions: Mapping[str, str],
    *,
    fresh: bool = False,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, dict[str, Answered]]:
    """Return the answers of both solvers, by solver and name; `Answered.kept` tells which were given before.

    Parameters
    ----------
    questions : mapping
        From a name to a script.
    fresh : bool, optional
        Ask all of them again.
    time_limit, progress : optional
        As of `ask_each`.
    """
    tables = {solver: Table(f"answers-{solver}-{version}") for solver, version in _versions().items()}
    hashes = {name: hash_of(text) for name, text in questions.items()}
    known = {} if fresh else {solver: table.read() for solver, table in tables.items()}
    found = {solver: _known(hashes, known.get(solver, {})) for solver in SOLVERS}
    open_questions = {solver: {n: t for n, t in questions.items() if n not in found[solver]} for solver in SOLVERS}
    asked = ask_each(open_questions, time_limit=time_limit, progress=progress)
    for solver, table in tables.items():
        new = {hashes[name]: answer for name, answer in asked[solver].items() if answer.answer in DEFINITE}
        table.add({key: [answer.answer, answer.seconds, answer.text] for key, answer in new.items()})
    return {solver: {name: (found[solver] | asked[solver])[name] for name in questions} for solver in SOLVERS}


def _versions() -> dict[str, str]:
    """Return the versions of the solvers that are installed."""
    known = solver_versions()
    return {solver: known[solver] for solver in installed() if known[solver] != "missing"}


def _known(hashes: Mapping[str, str], table: Mapping[str, Any]) -> dict[str, Answered]:
    return {name: answer for name, key in hashes.items() if (answer := _read(table.get(key))) is not None}


def _read(entry: Any) -> Answered | None:
    """Return an answer from plain data, or None where it is none."""
    if not isinstance(entry, list) or [type(part) for part in entry] != [str, float, str] or entry[0] not in DEFINITE:
        return None
    answer, seconds, text = entry
    return Answered(answer, seconds, text, kept=True)

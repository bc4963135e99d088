"""Answers of z3 and cvc5, asked once: kept by the hash of the script and the version of the solver.

Some come with the package: those to what `verify` asks, as both solvers gave them when it was made. They count only
where that is wanted, and only for the versions of the solvers that are installed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
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

_FOLDER = files("proofs_checks.proofs.solvers") / "stored"


def answers_to(
    questions: Mapping[str, str],
    *,
    fresh: bool = False,
    stored: bool = False,
    solvers: Sequence[str] = SOLVERS,
    time_limit: float = TIME_LIMIT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, dict[str, Answered]]:
    """Return the answers of both solvers, by solver and name; `Answered.kept` tells which were given before."""
    versions = _versions()
    tables = {solver: Table(_name(solver, versions[solver])) for solver in solvers if solver in versions}
    hashes = {name: hash_of(text) for name, text in questions.items()}
    found: dict[str, dict[str, Answered]] = {solver: {} for solver in solvers}
    for solver, table in tables.items() if not fresh else ():
        found[solver] = _known(hashes, table.read())
        if stored and len(found[solver]) < len(questions):
            given = _known(hashes, stored_answers(solver, versions[solver]), stored=True)
            found[solver] = given | found[solver]
    open_questions = {solver: {n: t for n, t in questions.items() if n not in found[solver]} for solver in solvers}
    asked = ask_each(open_questions, time_limit=time_limit, progress=progress)
    for solver, table in tables.items():
        new = {hashes[name]: answer for name, answer in asked[solver].items() if answer.answer in DEFINITE}
        table.add({key: [answer.answer, answer.seconds, answer.text] for key, answer in new.items()})
    return {solver: {name: (found[solver] | asked[solver])[name] for name in questions} for solver in solvers}


def stored_answers(solver: str, version: str) -> dict[str, Any]:
    """Return the answers of a version of a solver that come with the package, by the hash of the script."""
    place = _FOLDER / f"{_name(solver, version)}.json"
    return dict(json.loads(place.read_text(encoding="utf-8"))) if place.is_file() else {}


def stored_location() -> str:
    """Return the folder of the stored answers, for who writes them."""
    return str(_FOLDER)


def _name(solver: str, version: str) -> str:
    return f"answers-{solver}-{version}"


def _versions() -> dict[str, str]:
    """Return the versions of the solvers that are installed."""
    known = solver_versions()
    return {solver: known[solver] for solver in installed() if known[solver] != "missing"}


def _known(hashes: Mapping[str, str], table: Mapping[str, Any], *, stored: bool = False) -> dict[str, Answered]:
    return {name: answer for name, key in hashes.items() if (answer := _read(table.get(key), stored)) is not None}


def _read(entry: Any, stored: bool) -> Answered | None:
    """Return an answer from plain data, or None where it is none."""
    if not isinstance(entry, list) or [type(part) for part in entry] != [str, float, str] or entry[0] not in DEFINITE:
        return None
    answer, seconds, text = entry
    return Answered(answer, seconds, text, kept=True, stored=stored)

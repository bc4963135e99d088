"""Queries that miss i*, and its lead, for any caps of the selections of the others."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from bounds.formulas.identification import identification_horizon
from bounds.language.computed import Stated
from bounds.language.quantities import N
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from proofs_checks.claims.model.case import Case, Flags
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.precondition import unseparated
from proofs_checks.claims.model.regime import TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import FromStart, Start
from proofs_checks.claims.model.trace_quantities import NON_OPTIMAL, OPTIMAL_COUNT, RIVAL_LEAD


def misses(bound: Stated, name: str) -> Relation:
    """Return that at most N - 1 queries and those of a bound miss i*."""
    return Relation(NON_OPTIMAL, N - 1 + bound, horizons, name, exact=True)


def leads(needed: Stated, name: str, since: str, *, twice: bool = False, truthful: bool = False) -> Relation:
    """Return that i* leads from the least T on with T' - N > what it needs, or twice that, at every T' >= T.

    With `truthful`, what it needs is that for truthful bids, for any slacks of the setting.
    """
    leading_from = partial(_leading_from, needed, twice, truthful)

    def leading(case: Case) -> Flags:
        whole = case.ends and case.first_step == 1
        # Parts of a log ask about the same few horizons, at their ends or beyond.
        last = case.last_step if whole else 1 << (case.last_step - 1).bit_length()
        # Where the condition fails at the end of the trace, spare the search: the horizon lies beyond.
        lacking = (2 if twice else 1) * _needed_by(needed, truthful, case.setting, last)
        start = None if last <= case.setting.n_providers + lacking else leading_from(case.setting)
        return np.asarray(case.replay.steps >= (np.inf if start is None else start))

    on = FromStart(Start(f"T >= {since}", leading_from), leading)
    return Relation(RIVAL_LEAD, OPTIMAL_COUNT, on, name, exact=True, strict=True)


def _inputs(setting: Setting, truthful: bool) -> dict[str, Any]:
    return {**formula_inputs(setting), **(TRUTHFUL.overrides if truthful else {})}


@lru_cache(maxsize=256)
def _leading_from(needed: Stated, twice: bool, truthful: bool, setting: Setting) -> int | None:
    if not truthful and unseparated(setting) is not None:
        return None
    return identification_horizon(_inputs(setting, truthful), needed, twice)


@lru_cache(maxsize=256)
def _needed_by(needed: Stated, truthful: bool, setting: Setting, horizon: int) -> float:
    return float(needed.value(_inputs(setting, truthful), horizon=horizon))

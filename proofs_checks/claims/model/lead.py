"""Queries that miss i*, and its lead, for any caps of the selections of the others."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from bounds.formulas.identification import identification_horizon
from bounds.language.computed import Stated
from bounds.language.quantities import N
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from proofs_checks.claims.model.case import Case, Flags
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.precondition import unseparated
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import FromStart, Start
from proofs_checks.claims.model.trace_quantities import NON_OPTIMAL, OPTIMAL_COUNT, RIVAL_LEAD


def misses(bound: Stated, name: str) -> Relation:
    """Return that at most N - 1 queries and those of a bound miss i*."""
    return Relation(NON_OPTIMAL, N - 1 + bound, horizons, name, exact=True)


def leads(needed: Stated, name: str, since: str) -> Relation:
    """Return that i* leads from the least T on with T' - N > what it needs at every T' >= T."""
    return Relation(RIVAL_LEAD, OPTIMAL_COUNT, _leading(needed, since), name, exact=True, strict=True)


@lru_cache(maxsize=256)
def _leads_from(needed: Stated, setting: Setting) -> int | None:
    """Return the least T such that T' - N exceeds what i* needs to lead at every T' >= T."""
    if unseparated(setting) is not None:
        return None
    return identification_horizon(formula_inputs(setting), needed, twice=False)


@lru_cache(maxsize=256)
def _needed_by(needed: Stated, setting: Setting, horizon: int) -> float:
    return needed.value(formula_inputs(setting), horizon=horizon)


def _leading(needed: Stated, since: str) -> FromStart:
    def mask(case: Case) -> Flags:
        whole = case.ends and case.first_step == 1
        # Parts of a log ask about the same few horizons, at their ends or beyond.
        last = case.last_step if whole else 1 << (case.last_step - 1).bit_length()
        # Where the condition fails at the end of the trace, spare the search: the horizon lies beyond.
        short = last <= case.setting.n_providers + _needed_by(needed, case.setting, last)
        start = None if short else _leads_from(needed, case.setting)
        return np.asarray(case.replay.steps >= (np.inf if start is None else start))

    return FromStart(Start(f"T >= {since}", partial(_leads_from, needed)), mask)

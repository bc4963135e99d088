"""Hypotheses about a whole log: its beginning, its providers, its columns, its rounding, its setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mechanism.config import MechanismConfig
from mechanism.replay import ReplayState
from mechanism.standing_bids import left_behind, stood_in_auction
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.evidence import HABIT, LASTING, NEARLY_ALL, RECURRING, Explanation, LogEvidence
from proofs_checks.audit.diagnosis.in_flight import in_flight
from proofs_checks.audit.diagnosis.settings import initial_payment, other_settings
from proofs_checks.audit.diagnosis.window import Window

#: Money that is rounded more coarsely than this share of c_max is not told from a wrong mechanism.
_COARSEST = 0.01
#: By what part of itself a number changes at most from one of single precision to the next.
_SINGLE = float(np.finfo(np.float32).eps)
#: From which power of ten on amounts of money that differ by one are probably in different units.
_LEAST_POWER = 2
#: How many settings that fit the beginning and the window are compared on the rows after them.
_TRIED_LATER = 10


def rounded(log: LogEvidence) -> list[Explanation]:
    """Return that money is rounded, if it looks so and a tolerance for it leaves hardly a violation."""
    return _to_decimals(log) or _to_single_precision(log)


def _to_decimals(log: LogEvidence) -> list[Explanation]:
    decimals, platform = log.recorder.decimals, log.head.setting.platform
    if decimals is None or 10.0**-decimals > _COARSEST * platform.cost_bound:
        return []
    if (found := _enough(log, (0.5 * 10.0**-decimals, 10.0**-decimals))) is None:
        return []
    remaining, tolerance = found
    text = (
        f"The violations are consistent with rounded money: amounts have {decimals} or fewer decimals. "
        f"Try --tolerance {tolerance:g}."
    )
    return [log.in_pieces.explained("rounded money", text, remaining=remaining)]


def _to_single_precision(log: LogEvidence) -> list[Explanation]:
    columns = [piece.trace.columns() for piece in log.pieces]
    amounts = {name: np.concatenate([each[name] for each in columns]) for name in ("payment", "bid")}
    names = [name for name, values in amounts.items() if _is_single(values / log.unit)]
    if not names:
        return []
    largest = max(log.head.setting.platform.cost_bound, *(float(np.abs(amounts[name]).max()) for name in names))
    # Rounded up, so that the number that is told is enough.
    half, whole = (float(np.format_float_scientific(1.05 * largest * share, 1)) for share in (_SINGLE / 2, _SINGLE))
    if (found := _enough(log, (half, whole))) is None:
        return []
    remaining, tolerance = found
    text = (
        f"The violations are consistent with money in single precision (float32), which keeps 7 digits: every "
        f"{' and every '.join(names)} that was looked at is such a number. Try --tolerance {tolerance:g}, or log in "
        "double precision."
    )
    return [log.in_pieces.explained("single precision", text, remaining=remaining)]


def _is_single(amounts: NDArray[np.float64]) -> bool:
    """Whether all amounts are numbers of single precision, as they stand or as such numbers are written in decimals."""
    single = amounts.astype(np.float32)
    back, doubles = single.astype(np.float64), 4 * np.finfo(np.float64).eps * np.abs(amounts)
    written = np.array([float(str(number)) for number in single])
    return bool(np.all((np.abs(back - amounts) <= doubles) | (np.abs(written - amounts) <= doubles)))


def _enough(log: LogEvidence, units: Sequence[float]) -> tuple[int, float] | None:
    """Return how many violations a tolerance of a unit leaves, and that unit, if these are hardly any; else None."""
    found = [(log.nearly_none_with(tolerance=unit), unit) for unit in units if unit > log.head.tolerance]
    return min(((remaining, unit) for remaining, unit in found if remaining is not None), default=None)


def absent(log: LogEvidence) -> list[Explanation]:
    """Return which providers never serve, and how many violations of the beginning they explain if left out."""
    setting, selections = log.head.setting, log.recorder.selections
    never = np.flatnonzero(selections == 0).tolist()
    if not never or selections.sum() < setting.n_providers:
        return []
    names = [setting.providers[i].name for i in never]
    verb, pronoun = ("serves", "is it") if len(never) == 1 else ("serve", "are they")
    text = (
        f"{'provider' if len(never) == 1 else 'providers'} {', '.join(names)} never {verb}, although each serves once "
        f"in the first N steps: {pronoun} in the platform?"
    )
    remaining = sum(min(piece.violations, _without(piece, never)) for piece in log.pieces)
    return [log.in_pieces.explained("provider absent", text, remaining=remaining, where={"providers": names})]


def _without(piece: Window, never: list[int]) -> int:
    """Return how many violations some rows hold in a market without some providers."""
    kept = np.setdiff1d(np.arange(piece.setting.n_providers), never)
    if len(kept) < 2:
        return piece.violations
    setting = replace(piece.setting, providers=tuple(piece.setting.providers[i] for i in kept.tolist()))
    trace = Trace(**{**piece.trace.columns(), "provider": np.searchsorted(kept, piece.trace.provider)})
    state = piece.before
    before = ReplayState(
        state.steps, state.counts[kept], state.score_sums[kept], state.cost_sums[kept], state.bids[kept]
    )
    return Window(setting, piece.tolerance, before, trace, 0).violations


def beginning(log: LogEvidence) -> list[Explanation]:
    """Return that the beginning is missing, if the first rows are no initialization and later ones are wrong too."""
    head, n, total = log.head, log.head.setting.n_providers, log.total
    again, paid = (int(head.audit.flags[rule].sum()) for rule in ("initialization-order", "initialization-payment"))
    if len(head.trace) < n or not (again or paid) or total - again - paid < RECURRING:
        return []
    if initial_payment(head) is not None:  # they are an initialization, with another c_max
        return []
    text = (
        f"The violations are consistent with a log whose beginning is missing: its first {n} rows are no "
        f"initialization (rows that serve a provider again: {again}; that are not paid c_max: {paid}). Without the "
        "beginning the state of the platform is unknown, and what the audit says of later steps means nothing."
    )
    return [log.in_log.explained("beginning missing", text, where={"step": 1})]


def columns(log: LogEvidence) -> Iterator[Explanation]:
    """Yield pairs of columns that were exchanged, if exchanging them back explains the beginning of the log."""
    head = log.head
    given = head.trace.columns()
    pairs = (("payment", "bid"), ("payment", "cost"), ("bid", "cost"), ("payment", "score"), ("score", "bid"))
    for first, second in ((a, b) for a, b in pairs if {a, b} <= given.keys()):
        swapped = {**given, first: given[second], second: given[first]}
        score = swapped["score"]
        if score.min() < 0 or score.max() > 1 or head.violations < HABIT * len(head.trace):
            continue
        remaining = replace(head, trace=Trace(**swapped)).violations
        if head.violations - remaining >= NEARLY_ALL * head.violations:
            text = f"The violations are consistent with the columns {first} and {second} being exchanged."
            where = {"columns": [first, second]}
            yield log.in_head.explained("columns exchanged", text, remaining=remaining, where=where)


def bids(log: LogEvidence) -> list[Explanation]:
    """Return that the bids are those that stood in the auction, or those left behind, if the log is read otherwise."""
    head, config = log.head, MechanismConfig.of(log.head.setting)
    if head.violations < HABIT * len(head.trace):
        return []
    if log.bids == "before":
        remaining = replace(head, trace=stood_in_auction(config, head.trace)).violations
    else:
        trace, _ = left_behind(config, head.trace.columns())
        remaining = replace(head, trace=trace).violations
    if head.violations - remaining < NEARLY_ALL * head.violations:
        return []
    text = "The violations are consistent with a column of bids that holds "
    if log.bids == "before":
        text += "the bid that each provider left behind, not the one that stood in the auction. Leave --bids out."
        return [log.in_head.explained("bids after", text, remaining=remaining)]
    text += "the bid that stood in the auction, not the one that the provider left behind. Try --bids before."
    return [log.in_head.explained("bids before", text, remaining=remaining)]


def settings(log: LogEvidence) -> Iterator[Explanation]:
    """Yield other settings that explain what was kept of the log, the best of them only."""
    if log.violations < 2:
        return
    around = log.around
    tried = [(log.nearly_none_with(setting=o.setting), o) for o in other_settings((*log.pieces, around))]
    explaining = [(left, other) for left, other in tried if left is not None]
    fitting = sorted(explaining, key=lambda pair: pair[0])[:_TRIED_LATER]
    later = [replace(around, setting=other.setting).violations for _, other in fitting]
    # Of equals the first: values that the log suggests come before others.
    best = min(range(len(fitting)), key=later.__getitem__, default=None)
    if best is not None and later[best] <= (1 - LASTING) * around.violations:
        remaining, other = fitting[best]
        text = f"The violations are consistent with another setting: {other.text}."
        if unit := _other_unit(log, other.setting.platform.cost_bound):
            text += f" Or the log's money is in another unit: try --unit {unit:g}."
        yield log.in_pieces.explained("wrong setting", text, remaining=remaining)


def _other_unit(log: LogEvidence, cost_bound: float) -> float | None:
    """Return what a unit of the log's money is worth in the setting's, if the bounds differ by a power of ten."""
    times = log.head.setting.platform.cost_bound / cost_bound
    power = round(math.log10(times))
    return log.unit * 10.0**power if abs(power) >= _LEAST_POWER and math.isclose(times, 10.0**power) else None


#: What is tried of a whole log, in the order in which equals are told. A new one is a function in this list.
HYPOTHESES: tuple[Callable[[LogEvidence], Iterable[Explanation]], ...] = (absent, columns, bids, in_flight, settings)

"""Other providers eligible: who served and what was paid would be right if others had been let into the auction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bounds.words import counted, part_of
from mechanism.replay import Readings
from proofs_checks.audit.diagnosis.evidence import CLEAN, HABIT, NEARLY_ALL, RECURRING, Explanation, LogEvidence
from proofs_checks.audit.diagnosis.window import Window
from proofs_checks.oracle.step_audit import Flags
from proofs_checks.oracle.step_rules import of_payment

OTHERS_ELIGIBLE = "other providers eligible"


@dataclass(frozen=True, eq=False)
class _Fit:
    """Which rows that break a rule would be right among other eligible providers; arrays of shape (R,)."""

    piece: Window

    @cached_property
    def rows(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """The rows that break a rule."""
        return self.piece.audit.violating_rows

    @cached_property
    def violations(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """How many rules each breaks."""
        broken = [flags[self.rows] for flags in self.piece.audit.flags.values()]
        return np.asarray(np.sum(broken, axis=0, dtype=np.int64))

    @cached_property
    def who(self) -> Flags:
        """Whether who serves breaks a rule, and not the payment alone."""
        flags = self.piece.audit.flags
        broken = [flags[rule][self.rows] for rule in flags if not of_payment(rule)]
        return np.asarray(np.logical_or.reduce(broken) & ~self.piece.replay.initialization[self.rows])

    @cached_property
    def _enough(self) -> Flags:
        """Whether each provider has served enough not to be explored, shape (R, N)."""
        read = self.piece.audit.read
        return np.asarray(read.counts[self.rows] >= read.targets[self.rows, None])

    def _of_served(self, table: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Flags:
        served = self.piece.trace.provider[self.rows]
        return np.asarray(table[np.arange(len(served)), served])

    @cached_property
    def _below(self) -> Flags:
        return self.piece.below_bound[self.rows]

    @cached_property
    def auctions(self) -> Flags:
        """Whether an auction with some rival ends so: below c_max, so that two bids and a price must be in order."""
        replay, slack = self.piece.replay, self.piece.audit.slack.twice
        adjusted = replay.adjusted_bids[self.rows]
        own = self._of_served(adjusted)[:, None]
        price = self._of_served(replay.cost_radii[self.rows])[:, None] + adjusted
        fits = self._enough & (own <= adjusted + slack)
        fits &= np.abs(price - self.piece.trace.payment[self.rows, None]) <= slack
        fits[np.arange(len(self.rows)), self.piece.trace.provider[self.rows]] = False
        return fits.any(axis=1) & self._of_served(self._enough) & self._below

    @cached_property
    def alone(self) -> Flags:
        """Whether c_max is paid to who was paid so at the violation before, as if nobody else were eligible."""
        at = np.flatnonzero(~self._below & self._of_served(self._enough))
        served = self.piece.trace.provider[self.rows[at]]
        found = np.zeros(len(self.rows), dtype=bool)
        found[at] = np.append(True, served[1:] == served[:-1])[: len(at)]
        return found

    @cached_property
    def explored(self) -> Flags:
        """Whether c_max is paid to an under-sampled provider that is not eligible by the rules."""
        outside = ~self._of_served(self.piece.audit.read.eligible[self.rows])
        return ~self._below & ~self._of_served(self._enough) & outside

    @cached_property
    def drawn(self) -> Flags:
        """Whether c_max is paid, as to whoever is drawn where nobody is eligible."""
        return ~self._below & ~self.piece.replay.initialization[self.rows]

    @cached_property
    def fits(self) -> Flags:
        """Whether it would be right with a provider or more eligible."""
        return (self.auctions | self.alone | self.explored) & ~self.piece.replay.initialization[self.rows]


@dataclass(frozen=True, eq=False)
class EligibilityFit:
    """The same of all rows that are kept from the first violation on; arrays of shape (R,)."""

    log: LogEvidence

    @cached_property
    def _parts(self) -> tuple[_Fit, ...]:
        return tuple(_Fit(piece) for piece in (self.log.around, self.log.end) if piece is not None)

    def _all(self, name: str) -> Flags:
        return np.concatenate([getattr(part, name) for part in self._parts])

    def _explained(self, flags: Flags) -> int:
        """Return how many violations there are at some of the rows."""
        return int(self._all("violations")[flags].sum())

    @property
    def is_possible(self) -> bool:
        """Whether nearly all violations would be none if other providers were eligible, or nobody."""
        possible = self._all("fits") | self._all("drawn")
        return self._explained(possible) >= NEARLY_ALL * self.log.in_kept.violations

    def explanations(self) -> list[Explanation]:
        """Return that other providers seem eligible, if nearly all violations would then be none.

        Mistakes in prices alone are no sign of it: enough of the violations must be about who serves. Nor are payments
        of c_max to everybody.
        """
        fits, auctions, alone, who = map(self._all, ("fits", "auctions", "alone", "who"))
        telling, steps = int(np.count_nonzero(auctions & who)), len(fits)
        empty = np.zeros(steps, dtype=bool)
        if telling >= RECURRING:
            empty = self._all("drawn") & ~fits
        elif self.log.clean_steps < CLEAN:  # a platform that always serves one provider breaks rules at once
            return []
        tried, explained = self.log.in_kept, self._explained(fits | empty)
        telling += int(np.count_nonzero(alone & who))
        if explained < NEARLY_ALL * tried.violations or telling < max(RECURRING, HABIT * steps):
            return []
        kinds = {
            "as auctions among these providers": auctions,
            "as steps of a lone eligible provider": alone,
            "as explorations of these providers": self._all("explored") & fits,
            "as draws with nobody eligible": empty,
        }
        text = _likely(self.log, {kind: int(np.count_nonzero(flags)) for kind, flags in kinds.items()}, steps)
        return [tried.explained(OTHERS_ELIGIBLE, text, remaining=tried.violations - explained)]


def _likely(log: LogEvidence, kinds: Mapping[str, int], steps: int) -> str:
    told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    text = (
        "The log looks like that of a wrong mechanism: its quality estimate, or what it compares with q_min, is "
        "another. If other providers were eligible than by the rules, "
        f"{part_of(sum(kinds.values()), steps, 'step')} that break a rule here would be right: {told}."
    )
    if not kinds["as auctions among these providers"]:
        text += " A platform that pays one provider c_max, whatever the others bid, looks alike."
    if log.clean_steps:
        text += (
            f" That the first {counted(log.clean_steps, 'step')} break nothing is no evidence against it: a wrong "
            "estimate shows only once eligibility depends on it."
        )
    return text


def nearly_eligible(log: LogEvidence, row: int) -> list[Explanation]:
    """Return who hangs on a hair, if a row of the window is right with that provider eligible, or not.

    A hair is what one score can move an estimate by: 1 over the number of scores.
    """
    window = log.window
    replay = window.audit.read
    upper = replay.quality_estimates[row] + replay.radii[row]
    margins = upper - window.setting.platform.quality_threshold
    for i in np.argsort(np.abs(margins)).tolist():
        if not abs(margins[i]) * replay.counts[row, i] <= 1:
            break
        able = replay.eligible[[row]].copy()
        able[0, i] = not able[0, i]
        readings = Readings(rows=np.array([row]), eligible=able, targets=replay.targets[[row]])
        other = replace(window.audit, replay=replace(replay, readings=readings))
        if any(flags[row] for flags in other.flags.values()):
            continue
        name, count = window.setting.providers[i].name, int(replay.counts[row, i])
        text = (
            f"A quality estimate that is off by a little fits as well: at step {window.step(row):,} {name} "
            f"{'misses' if margins[i] < 0 else 'exceeds'} q_min by {abs(margins[i]):.2g} only, and one score moves its "
            f"estimate by up to {1 / count:.2g}. A mechanism with such an error is wrong at few steps."
        )
        where = {"step": window.step(row), "provider": name}
        return [log.in_log.explained(OTHERS_ELIGIBLE, text, where=where)]
    return []

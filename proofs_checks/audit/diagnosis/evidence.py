"""What a diagnosis has of a log, and what a hypothesis about it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bounds.words import counted, part_of
from mechanism.tabular.steps import StepFault
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.window import ViolationRecorder, Window

#: What would concern the whole log must explain this share of the violations.
NEARLY_ALL = 0.95
#: The same of the violations after the window, on which nothing was fitted.
LASTING = 0.8
#: A rule broken at this share of the steps where it applies is broken by habit.
HABIT = 0.2
#: After so many steps that break nothing, something seems to have happened there.
CLEAN = 1000
#: So many violations are no single accident.
RECURRING = 3


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Something that the violations of a log are consistent with.

    Parameters
    ----------
    hypothesis : str
        Its kind, as ``"payment edited"`` or ``"wrong mechanism"``.
    where : mapping or None
        Step and provider, where it has a place.
    explained, violations : int
        How many violations it explains, and how many there are where it was tried.
    text : str
        For readers; it never claims certainty.
    among : str
        Which violations these are, as ``"of the log"``.
    alike : tuple of str, optional
        Other hypotheses that leave the very same log: nothing in it tells them apart.
    """

    hypothesis: str
    where: Mapping[str, Any] | None
    explained: int
    violations: int
    text: str
    among: str
    alike: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """The hypothesis, and those that nothing tells from it: "exploration skipped, or rows exchanged"."""
        return ", or ".join((self.hypothesis, *self.alike))

    @property
    def share(self) -> float:
        """The share of the violations that it explains."""
        return self.explained / self.violations if self.violations else 0.0

    @property
    def explains(self) -> str:
        """How many violations of how many it explains, in words; what was not tried on any explains none by itself."""
        if not self.explained:
            return "no violation by itself"
        return f"{part_of(self.explained, self.violations, 'violation')} {self.among}"

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        told: dict[str, Any] = {"hypothesis": self.hypothesis, "where": self.where, "explains": self.explains}
        return {**told, "alike": [*self.alike], "text": self.text}


@dataclass(frozen=True)
class Tried:
    """The violations that a hypothesis is tried on: how many they are, and where, in words."""

    violations: int
    among: str

    def explained(
        self, hypothesis: str, text: str, *, remaining: int = 0, where: Mapping[str, Any] | None = None
    ) -> Explanation:
        """Return a hypothesis that leaves some of them unexplained; the other arguments are as in `Explanation`."""
        return Explanation(
            hypothesis=hypothesis,
            where=where,
            explained=self.violations - remaining,
            violations=self.violations,
            text=text,
            among=self.among,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class LogEvidence:
    """What was kept of a log that breaks rules.

    Parameters
    ----------
    head, window, tail : Window
        The beginning of the log, the rows around the first violation, and the end; they may overlap.
    later : Trace or None
        The rows after the window.
    recorder : ViolationRecorder
    counts, applicable : mapping
        By rule: how many steps of the log break it, and at how many it has something to say.
    bids : str, optional
        A value of `BID_TIMES`: how the bids of the file were read.
    unit : float, optional
        What one unit of the file's money is worth in the setting's.
    step_faults : tuple of StepFault, optional
        Where the steps of the file do not count 1, 2, 3, ...
    """

    head: Window
    window: Window
    tail: Window
    later: Trace | None
    recorder: ViolationRecorder
    counts: Mapping[str, int]
    applicable: Mapping[str, int]
    bids: str = "after"
    unit: float = 1.0
    step_faults: tuple[StepFault, ...] = ()

    @property
    def total(self) -> int:
        """How many violations the log holds."""
        return sum(self.counts.values())

    @property
    def clean_steps(self) -> int:
        """How many steps precede the first violation."""
        return self.window.step(self.window.first) - 1

    @property
    def last_step(self) -> int:
        """Step of the last of the rows around the first violation."""
        return self.window.step(len(self.window.trace) - 1)

    @property
    def in_log(self) -> Tried:
        """All violations of the log."""
        return Tried(self.total, "of the log")

    @property
    def in_head(self) -> Tried:
        """Those of the beginning of the log."""
        return Tried(self.head.violations, f"of the first {counted(len(self.head.trace), 'step')}")

    @property
    def in_window(self) -> Tried:
        """Those of the rows around the first violation."""
        rows = f"of the rows looked at (steps {self.window.first_step:,} to {self.last_step:,})"
        return Tried(self.window.violations, rows)

    @property
    def in_pieces(self) -> Tried:
        """Those of the pieces."""
        among = {id(self.head): self.in_head.among, id(self.window): self.in_window.among}
        told = [among.get(id(piece), f"of the last {counted(len(piece.trace), 'step')}") for piece in self.pieces]
        return Tried(self.violations, " and ".join(told))

    @cached_property
    def in_kept(self) -> Tried:
        """Those of all rows that are kept from the first violation on."""
        kept = self.around.violations + (0 if self.end is None else self.end.violations)
        if kept == self.total:
            return self.in_log
        rows = f"of the rows looked at (steps {self.window.first_step:,} to {self.last_kept:,}"
        return Tried(kept, rows + ("" if self.end is None else f", and the last {len(self.end.trace):,}") + ")")

    @cached_property
    def around(self) -> Window:
        """The rows around the first violation, and those after them."""
        return self.window.followed_by(self.later)

    @property
    def last_kept(self) -> int:
        """Step of the last of these."""
        return self.around.step(len(self.around.trace) - 1)

    @cached_property
    def end(self) -> Window | None:
        """The rows of the end of the log that lie behind these."""
        return self.tail.after(self.last_kept)

    @cached_property
    def pieces(self) -> tuple[Window, ...]:
        """The beginning, the rows around the first violation where they lie beyond it, and what of the end does."""
        beyond = self.window.step(self.window.first) > len(self.head.trace)
        found = (self.head, self.window) if beyond else (self.head,)
        end = self.tail.after(self.last_step if beyond else len(self.head.trace))
        return found if end is None else (*found, end)

    @property
    def violations(self) -> int:
        """How many violations the pieces hold."""
        return sum(piece.violations for piece in self.pieces)

    def nearly_none_with(self, **changed: Any) -> int | None:
        """Return how many they would hold with another `setting` or `tolerance`; None if that leaves more than a few.

        Few are so many that the change explains `NEARLY_ALL` violations.
        """
        found, most = 0, (1 - NEARLY_ALL) * self.violations
        for piece in self.pieces:
            more = replace(piece, **changed).violations_up_to(most - found)
            if more is None:
                return None
            found += more
        return found

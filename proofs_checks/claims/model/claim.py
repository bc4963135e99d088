"""A claim of the paper as an object: it states itself, names its preconditions, and checks what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bounds.errors import InputError
from bounds.setting.model import Setting
from proofs_checks.claims.cases.case import Case
from proofs_checks.claims.model.precondition import Precondition
from proofs_checks.claims.model.regime import ANY_HISTORY, Regime
from proofs_checks.claims.model.relation import Relation, Tightness
from proofs_checks.verdict import Evidence, Verdict, overall

#: Anything that compares a case's quantities: a relation, or a function that does it by hand.
Check = Relation | Callable[[Case], Tightness]


class ClaimError(RuntimeError):
    """A claim was compared where its formulas have no value: its preconditions are incomplete."""


@dataclass(frozen=True)
class Claim:
    """A statement of the paper.

    Parameters
    ----------
    label : str
        Label in the paper; a suffix after a colon marks a variant (``":repaired"``).
    name, statement : str
        Short name, and the statement in words and formulas.
    source_line : int
        Line of paper.tex.
    checks : tuple of Relation or callable
        What is compared on a trace.
    regime : Regime
        What it assumes about bids; its preconditions come first.
    assuming : tuple of Precondition
        Further preconditions.
    on_setting : callable, optional
        Exact evidence from the parameters alone.
    everywhere : callable, optional
        Evidence that does not depend on a setting (symbolic derivations, witnesses).
    finding : str
        If the paper's own wording is vacuous, too strong or false: how. A refutation then does not count as a failure.
    overstated : bool
        The finding is that the wording says more than what is confirmed here: it is shown whatever the verdict.
    repaired_by : str
        Label of the repaired statement.
    implies : tuple of str
        Labels of claims that no case can refute while it spares this one; see `proofs_checks.claims.implications`.
    note : str
        What a reader must know to weigh the verdict.

    Examples
    --------
    >>> Claim("lem:example", "Example", "it says nothing", 1).kind
    'lemma'
    """

    label: str
    name: str
    statement: str
    source_line: int
    checks: tuple[Check, ...] = ()
    regime: Regime = ANY_HISTORY
    assuming: tuple[Precondition, ...] = ()
    on_setting: Callable[[Setting], Evidence] | None = None
    everywhere: Callable[[], Evidence] | None = None
    finding: str = ""
    overstated: bool = False
    repaired_by: str = ""
    implies: tuple[str, ...] = ()
    note: str = ""

    @property
    def kind(self) -> str:
        """What kind of statement the label announces."""
        kinds = {"thm": "theorem", "lem": "lemma", "prop": "proposition", "cor": "corollary", "eq": "definition"}
        kinds |= {"alg": "algorithm", "asmp": "assumption", "claim": "claim"}
        return kinds[self.label.split(":")[0]]

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        """All preconditions, those of the regime first."""
        return (*self.regime.assuming, *self.assuming)

    def latex(self) -> tuple[str, ...]:
        """Return the inequalities in the paper's notation."""
        overrides = self.regime.overrides
        return tuple(check.latex(overrides) for check in self.checks if isinstance(check, Relation))

    def check(self, case: Case) -> Finding:
        """Check the claim on a case, after its preconditions."""
        for precondition in self.preconditions:
            if precondition.needs_costs and not case.knows_costs:
                return Finding(Verdict.SKIPPED, reason=f"the trace logs no costs, so {precondition.name!r} is unknown")
            if (failure := precondition.found_failure(case)) is not None:
                return Finding(Verdict.ASSUMPTION_VIOLATED, reason=f"{precondition.name}: {failure}")
        try:
            return combine([self._tightness(check, case) for check in self.checks])
        except InputError as error:
            # Whoever reads "bad input" would look for it in their setting: a claim whose own condition is
            # incomplete is a defect of the claim.
            raise ClaimError(f"{self.label} cannot be compared on {case.setting.name!r}: {error}") from error

    def part_names(self) -> tuple[str, ...]:
        """Return what each check compares, in words."""
        return tuple(
            c.name if isinstance(c, Relation) else (c.__doc__ or c.__name__).split(".")[0] for c in self.checks
        )

    def _tightness(self, check: Check, case: Case) -> Tightness:
        """Compare on a case; the result is kept with it, since claims share checks."""
        if isinstance(check, Relation):
            return check.check(case, self.regime.overrides)
        return case.once(check, "check", lambda: check(case))


@dataclass(frozen=True)
class Finding:
    """What one case says about one claim."""

    verdict: Verdict
    tightness: Tightness = field(default_factory=lambda: Tightness(0, 0))
    reason: str | None = None
    exercised: tuple[bool, ...] = ()


def combine(parts: Sequence[Tightness]) -> Finding:
    """Return the finding over the relations of a claim: vacuous if nothing was compared, refuted on a violation."""
    checked, violations = sum(part.checked for part in parts), sum(part.violations for part in parts)
    exercised = tuple(part.checked > 0 for part in parts)
    if not checked:
        return Finding(Verdict.VACUOUS, reason="nothing meets the statement's condition", exercised=exercised)
    whole = Tightness(checked, violations, *_tightest(parts))
    return Finding(Verdict.REFUTED if violations else Verdict.NOT_REFUTED, whole, exercised=exercised)


def merge(findings: Sequence[Finding]) -> Finding:
    """Return one finding over several traces; what was compared on any of them counts.

    Examples
    --------
    >>> merge([Finding(Verdict.VACUOUS, reason="short"), Finding(Verdict.ASSUMPTION_VIOLATED, reason="ties")]).reason
    'short'
    """
    compared = [finding for finding in findings if finding.tightness.checked]
    if not compared:
        verdict = overall([finding.verdict for finding in findings])
        return next(
            (f for f in findings if f.verdict is verdict), Finding(Verdict.SKIPPED, reason="no trace was checked")
        )
    parts = [finding.tightness for finding in compared]
    exercised = tuple(map(any, zip(*(finding.exercised for finding in compared), strict=True)))
    return replace(combine(parts), exercised=exercised)


def _tightest(parts: Sequence[Tightness]) -> tuple[float | None, float | None, dict[str, Any] | None]:
    """Return margin and place of the violated or else tightest part, and the largest ratio of all."""
    present = [part for part in parts if part.where is not None]
    ratios = [part.ratio for part in parts if part.ratio is not None]
    tightest = min(
        present, key=lambda part: (not part.violations, -(part.ratio or 0.0), part.margin or 0.0), default=None
    )
    if tightest is None:
        return None, max(ratios, default=None), None
    return tightest.margin, max(ratios, default=None), tightest.where

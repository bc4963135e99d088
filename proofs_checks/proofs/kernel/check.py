"""`prove --kernel`: whether Coq, on this machine, accepts the theorems and prints what is stored of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from bounds.documents import Count, Document, NonNegative
from proofs_checks.proofs.kernel.coq import KernelError, build, coq_version
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, CoqPrint, CoqSaid, remember, sources, stored


@dataclass(frozen=True, kw_only=True)
class KernelCheck(Document):
    """What Coq said of the theorems on this machine.

    Parameters
    ----------
    coq : str
        The version of Coq.
    theorems : int
        Theorems that it checked.
    files : int
        Files that it checked.
    problems : tuple of str
        Why they do not stand as stored; none if they do.
    seconds : float
        Seconds that Coq took.
    """

    coq: str
    theorems: Count
    files: Count
    problems: tuple[str, ...]
    seconds: NonNegative

    @property
    def said(self) -> CoqSaid:
        """What that says of every theorem."""
        return CoqSaid(coq=self.coq, problems=self.problems)


def check_kernel(progress: Callable[[int, int], None] = lambda done, total: None) -> KernelCheck:
    """Have Coq check every file of the development, and compare what it prints with what is stored."""
    start = perf_counter()
    check_formulas()
    try:
        printed = build(progress=progress)
    except KernelError as error:
        version, refused = coq_version(), (str(error),)
        remember(version, refused)
        return KernelCheck(coq=version, theorems=0, files=0, problems=refused, seconds=round(perf_counter() - start, 1))
    problems = problems_of(printed, stored())
    remember(printed.coq, problems)
    return KernelCheck(
        coq=printed.coq,
        theorems=len(printed.statements),
        files=len(sources()),
        problems=problems,
        seconds=round(perf_counter() - start, 1),
    )


def problems_of(printed: CoqPrint, kept: CoqPrint) -> tuple[str, ...]:
    """Return why theorems do not stand as stored: another text, statement or axiom, or an axiom that is not allowed.

    Examples
    --------
    >>> one = CoqPrint(coq="8.16.1", sources={}, statements={"a": "0 = 0"}, assumptions=())
    >>> problems_of(one, one)
    ()
    >>> other = CoqPrint(coq="8.16.1", sources={}, statements={"a": "0 = 0"}, assumptions=("cheating",))
    >>> problems_of(other, other)
    ('the theorems assume cheating',)
    """
    changed = sorted(
        name for name in {*printed.sources, *kept.sources} if printed.sources.get(name) != kept.sources.get(name)
    )
    found = [f"{name}: another text than the one that is stored" for name in changed]
    found += printed.unlike(kept)
    found += [f"the theorems assume {axiom}" for axiom in printed.assumptions if axiom not in ALLOWED_ASSUMPTIONS]
    return tuple(found)

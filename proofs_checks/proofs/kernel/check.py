"""`prove --kernel`: whether Coq, on this machine, accepts the theorems and prints what is stored of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from proofs_checks.proofs.kernel.coq import KernelError, build, coq_version
from proofs_checks.proofs.kernel.formulas import check_formulas
from proofs_checks.proofs.kernel.theorems import ALLOWED_ASSUMPTIONS, CoqSaid, Printed, remember, sources, stored


@dataclass(frozen=True, kw_only=True)
class KernelCheck:
    """What Coq said of the theorems.

    Parameters
    ----------
    coq : str
        Its version.
    theorems, files : int
        How many it checked.
    problems : tuple of str
        Why they do not stand as stored; none if they do.
    seconds : float
        Of wall time.
    """

    coq: str
    theorems: int
    files: int
    problems: tuple[str, ...]
    seconds: float

    @property
    def said(self) -> CoqSaid:
        """What that says of every theorem."""
        return CoqSaid(coq=self.coq, problems=self.problems)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "problems": list(self.problems), "seconds": round(self.seconds, 1)}


def check_kernel(progress: Callable[[int, int], None] = lambda done, total: None) -> KernelCheck:
    """Have Coq check every file of the development, and compare what it prints with what is stored."""
    start = perf_counter()
    check_formulas()
    try:
        printed = build(progress=progress)
    except KernelError as error:
        version, refused = coq_version(), (str(error),)
        remember(version, refused)
        return KernelCheck(coq=version, theorems=0, files=0, problems=refused, seconds=perf_counter() - start)
    problems = problems_of(printed, stored())
    remember(printed.coq, problems)
    return KernelCheck(
        coq=printed.coq,
        theorems=len(printed.statements),
        files=len(sources()),
        problems=problems,
        seconds=perf_counter() - start,
    )


def problems_of(printed: Printed, kept: Printed) -> tuple[str, ...]:
    """Return why theorems do not stand as stored: another text, statement or axiom, or an axiom that is not allowed.

    Examples
    --------
    >>> one = Printed(coq="8.16.1", sources={}, statements={"a": "0 = 0"}, assumptions={"a": ()})
    >>> problems_of(one, one)
    ()
    >>> other = Printed(coq="8.16.1", sources={}, statements={"a": "0 = 0"}, assumptions={"a": ("cheating",)})
    >>> problems_of(other, other)
    ('a: assumes cheating',)
    """
    changed = sorted(
        name for name in {*printed.sources, *kept.sources} if printed.sources.get(name) != kept.sources.get(name)
    )
    found = [f"{name}: another text than the one that is stored" for name in changed]
    found += printed.unlike(kept)
    for name, assumed in printed.assumptions.items():
        found += [f"{name}: assumes {axiom}" for axiom in assumed if axiom not in ALLOWED_ASSUMPTIONS]
    return tuple(found)

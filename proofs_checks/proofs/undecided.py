"""What is said of proofs that were not decided for want of a solver: never that they failed."""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.plurals import part_of

#: What brings both solvers.
REMEDY = "pip install 'costproof[prove]'"
#: What to do about a folder that is not as it was written.
WRITE_AGAIN = "write the folder again: costproof prove --out DIR"
_CHECKER = "re-checked by costproof's own checker"


def not_installed(missing: Sequence[str]) -> str:
    """Return which solvers are missing, with the remedy.

    Examples
    --------
    >>> not_installed(["cvc5"])
    "cvc5 is not installed (pip install 'costproof[prove]')"
    """
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed ({REMEDY})"


def why_undecided(missing: Sequence[str], steps: int, rechecked: int) -> str:
    """Return why steps were not decided, and how far the checker, which needs no solver, got with them.

    Examples
    --------
    >>> print(why_undecided(["z3", "cvc5"], 3, 3))
    not decided here: z3 and cvc5 are not installed (pip install 'costproof[prove]'); the stored certificates of all \
3 steps were re-checked by costproof's own checker
    >>> why_undecided(["z3"], 3, 2).rpartition("; ")[2]
    "the stored certificates of 2 of the 3 steps were re-checked by costproof's own checker"
    """
    certificates = f"the stored certificates of {part_of(rechecked, steps, 'step')} were {_CHECKER}"
    return f"not decided here: {not_installed(missing)}; {certificates}"

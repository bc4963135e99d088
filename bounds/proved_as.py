"""How strongly the numbers of a method are proved: the verdict on the claims that state them; a test compares."""

from __future__ import annotations

from typing import Literal

from bounds.radii.names import PAPERS

ProvedAs = Literal["PROVED", "PROVED_STEPS"]

#: The number of this theorem, and T_id, are those of appendix D.
_TIGHTENED = "thm:sample-complexity"


def proved_as(label: str, method: str, radius: str = PAPERS) -> ProvedAs:
    """Return the verdict on what a number rests on.

    Parameters
    ----------
    label : str
        Of the paper's statement that bounds it.
    method : str
        As `bounds.report.evaluate_bounds` takes it. What improves the paper's bounds is proved by steps.
    radius : str, optional
        The confidence radius. What is derived for another one than the paper's is proved by steps.

    Examples
    --------
    >>> proved_as("thm:regret", "paper"), proved_as("thm:regret", "sharpest")
    ('PROVED', 'PROVED_STEPS')
    """
    return "PROVED" if method == "paper" and radius == PAPERS and label != _TIGHTENED else "PROVED_STEPS"

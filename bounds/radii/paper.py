"""The paper's radius: Hoeffding at every count, weights 1/m^2 (lem:good-event).

A mean of m independent numbers in [0, 1] lies beta(m) or more below its expectation with probability at most
exp(-2 m beta(m)^2) = 3 delta/(2 pi^2 N m^2), and these add up to delta/(4N).
"""

from __future__ import annotations

from bounds.formulas.radius import RADIUS
from bounds.language.arithmetic import Array
from bounds.radii.names import PAPERS
from bounds.radii.radius import Radius


def hoeffding(counts: Array, n_providers: int, confidence: float) -> Array:
    """Return beta(m).

    Examples
    --------
    >>> import numpy as np
    >>> hoeffding(np.array([1.0]), 4, 0.05).round(6)
    array([1.770031])
    """
    return RADIUS(count=counts, n_providers=n_providers, confidence=confidence)


PAPER = Radius(name=PAPERS, cost=hoeffding)

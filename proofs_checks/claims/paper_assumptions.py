"""Under which hypotheses the paper states each of its claims, in words: a table of the paper, `paper_assumptions.csv`.

What a test of a claim needs of a trace is `Claim.assumptions`, and may be more.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: One row a statement of the paper: its label, and its hypotheses, joined by semicolons.
STORED = Path(__file__).with_name("paper_assumptions.csv")


@functools.cache
def paper_assumptions() -> Mapping[str, str]:
    """Return the hypotheses of each statement of the paper by its label; empty for what assumes nothing.

    Examples
    --------
    >>> paper_assumptions()["lem:payment-range"], paper_assumptions()["lem:radius-monotone"]
    ('any bids in [0, c_max]', '')
    """
    rows = csv.DictReader(STORED.read_text(encoding="utf-8").splitlines())
    return MappingProxyType({row["label"]: row["assumes"] for row in rows})

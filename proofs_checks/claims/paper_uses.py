"""What the paper's proof of each statement uses, by label: a table of the paper, read from `paper_uses.csv`.

What a theorem in Coq uses may differ.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: One row a statement of the paper: its label, and what its proof uses. "all results of App. A" is no label.
STORED = Path(__file__).with_name("paper_uses.csv")


@functools.cache
def paper_uses() -> Mapping[str, tuple[str, ...]]:
    """Return the labels that the paper's proof of each statement uses; none for what the paper does not prove.

    Examples
    --------
    >>> paper_uses()["thm:sample-complexity"]
    ('lem:good-event', 'lem:unqualified-elimination', 'lem:qualified-suboptimal-selection')
    """
    rows = list(csv.DictReader(STORED.read_text(encoding="utf-8").splitlines()))
    labels = {row["label"] for row in rows}
    return MappingProxyType(
        {row["label"]: tuple(used for used in row["uses"].split("; ") if used in labels) for row in rows}
    )

"""What the paper assumes in each of its statements, and what its proof uses: a table, `paper_statements.csv`.

What a test of a claim needs of a trace is `Claim.assumptions`, and may be more; what a theorem in Coq uses may differ.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: A row for each statement: its label, its hypotheses, and what its proof uses. "all results of App. A" is no label.
_TABLE = Path(__file__).with_name("paper_statements.csv")


@functools.cache
def _column(name: str) -> Mapping[str, tuple[str, ...]]:
    rows = csv.DictReader(_TABLE.read_text(encoding="utf-8").splitlines())
    return MappingProxyType({row["label"]: tuple(filter(None, row[name].split("; "))) for row in rows})


def paper_assumptions() -> Mapping[str, tuple[str, ...]]:
    """Return the hypotheses of each statement of the paper by its label, in words; none for what assumes nothing.

    Examples
    --------
    >>> paper_assumptions()["lem:payment-range"], paper_assumptions()["lem:radius-monotone"]
    (('any bids in [0, c_max]',), ())
    """
    return _column("assumes")


@functools.cache
def paper_uses() -> Mapping[str, tuple[str, ...]]:
    """Return the labels that the paper's proof of each statement uses; none for what the paper does not prove.

    Examples
    --------
    >>> paper_uses()["thm:sample-complexity"]
    ('lem:good-event', 'lem:unqualified-elimination', 'lem:qualified-suboptimal-selection')
    """
    known = _column("uses")
    return {label: tuple(used for used in uses if used in known) for label, uses in known.items()}

"""The paper's statements: line, section, assumptions, and what each proof uses; a table, `paper_statements.csv`.

What a test of a claim needs of a trace is `Claim.assumptions`, and may be more; what a theorem in Coq uses may differ.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

#: A row for each statement: label, line of paper.tex, section, hypotheses, what its proof uses. There "all results of
#: App. A" is not a label.
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


#: The sections of the paper that state something, in their order; the last is for claims that the paper does not make.
SECTIONS: Mapping[str, str] = {
    "2": "Section 2: A procurement platform for reliable inference",
    "3": "Section 3: Pricing inference through competition",
    "4": "Section 4: Finding the lowest competitive inference price",
    "5": "Section 5: Experiments",
    "A": "Appendix A: Proofs",
    "B": "Appendix B: Bayesian cost estimation",
    "C": "Appendix C: Robustness to deviations from cost-estimate bidding",
    "D": "Appendix D: Experimental details",
    "": "Beyond the paper",
}


def section_of(label: str) -> str:
    """Return the key in `SECTIONS` of the section that states a claim, or the claim that it is a variant of.

    Examples
    --------
    >>> section_of("lem:good-event:sharpest"), section_of("claim:own-information-bound")
    ('A', '')
    """
    return _of_varied("section", label)


def line_of(label: str) -> int | None:
    """Return the line of paper.tex that states a claim, or the claim that it is a variant of; None for our own.

    Examples
    --------
    >>> line_of("lem:good-event:sharpest"), line_of("claim:own-information-bound")
    (526, None)
    """
    return int(_of_varied("line", label) or 0) or None


def _of_varied(column: str, label: str) -> str:
    return "".join(_column(column).get(":".join(label.split(":")[:2]), ()))

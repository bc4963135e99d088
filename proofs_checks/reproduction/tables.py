"""The paper's tables that `costproof reproduce` repeats: their names, and what is known about printed numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bounds.errors import InputError


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Parameters
    ----------
    label : str
        Label of the table in the paper, such as tab:gsm8k-one-pass.
    caption : str
        How its caption begins, without LaTeX.
    """

    label: str
    caption: str


#: By published setting: the part of the label and of the caption that says whose tables they are.
_FAMILIES: Mapping[str, tuple[str, str]] = {
    "gsm8k-full": ("gsm8k", "GSM8K"),
    "gsm8k-ladder": ("gsm8k", "GSM8K"),
    "gpqa-full": ("gpqa", "GPQA"),
    "gpqa-ladder": ("gpqa", "GPQA"),
    "gpqa-strong": ("strong", "GPQA strong-competition"),
}
#: By table: the rest of the caption; the rest of the label is the key.
_CAPTIONS: Mapping[str, str] = {
    "one-pass": "one-pass outcomes",
    "long": "long horizon: outcomes at T = 70,000",
    "exploration": "exploration steps of the platform",
    "diagnostics": "theoretical diagnostics of the platform over the long run",
    "selections": "long horizon: selections of every provider other than i*",
    "payments": "one pass: the platform's economic quantities",
    "payoffs": "one pass: each provider's selections and payoff under the platform",
}
#: LaTeX that labels of rows hold, and what stands for it without.
_TEX = (
    (r"\\quad ", "- "),
    (r"\{,\}", ","),
    (r"\\mathrm\{(\w+)\}", r"\1"),
    (r"\^\{(\w+)\}", r"^\1"),
    (r"\\pi", "pi"),
    (r"\\eqref\{[^}]*\}", ""),
)
_MAIN = PaperTable("tab:main-environments", "Our procurement platform on queries from GSM8K and GPQA")


def readable(label: str) -> str:
    """Return a label of a table without LaTeX.

    Examples
    --------
    >>> readable(r"\\quad at t = T_{\\mathrm{id}}")
    '- at t = T_{id}'
    """
    for pattern, replacement in _TEX:
        label = re.sub(pattern, replacement, label)
    return label


def paper_table(setting: str, table: str) -> PaperTable:
    """Return the paper's name of a table of a setting.

    Examples
    --------
    >>> paper_table("gpqa-ladder", "long")
    PaperTable(label='tab:gpqa-long', caption='GPQA long horizon: outcomes at T = 70,000')
    """
    if setting not in _FAMILIES:
        raise InputError("setting", setting, "is not in the paper", f"it is one of {', '.join(_FAMILIES)}")
    if table == "main":
        return _MAIN
    if table not in _CAPTIONS:
        raise InputError("table", table, "is not in the paper", f"it is one of main, {', '.join(_CAPTIONS)}")
    label, benchmark = _FAMILIES[setting]
    return PaperTable(f"tab:{label}-{table}", f"{benchmark} {_CAPTIONS[table]}")


@dataclass(frozen=True)
class Reason:
    """What somebody found out about a disagreement; it explains no other z than those from `lowest` to `highest`."""

    text: str
    lowest: float
    highest: float


def _reasons() -> Iterator[tuple[tuple[str, str, str, str], Reason]]:
    for row in csv.reader(Path(__file__).with_name("reasons.csv").read_text(encoding="utf-8").splitlines()[1:]):
        setting, table, label, column, lowest, highest, text = row
        yield (setting, table, label, column), Reason(text, float(lowest), float(highest))


#: By (setting, table, row, column).
REASONS: Mapping[tuple[str, str, str, str], Reason] = MappingProxyType(dict(_reasons()))


def reason_for(key: tuple[str, str, str, str], z: float | None) -> str | None:
    """Return why a number disagrees by so much, if somebody found out."""
    known = REASONS.get(key)
    return known.text if known and z is not None and known.lowest <= z <= known.highest else None

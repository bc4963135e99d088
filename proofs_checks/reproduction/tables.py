"""The paper's tables that `costproof reproduce` repeats: their names, and what is known about printed numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


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
    if table == "main":
        return _MAIN
    label, benchmark = _FAMILIES[setting]
    return PaperTable(f"tab:{label}-{table}", f"{benchmark} {_CAPTIONS[table]}")


_ROWS = csv.reader(Path(__file__).with_name("reasons.csv").read_text(encoding="utf-8").splitlines()[1:])
#: What somebody found out about disagreements, by (setting, table, row, column): the least and the largest z that it
#: explains, and the reason.
REASONS: Mapping[tuple[str, ...], tuple[float, float, str]] = MappingProxyType(
    {tuple(key): (float(lowest), float(highest), text) for *key, lowest, highest, text in _ROWS}
)


def reason_for(key: tuple[str, ...], z: float | None) -> str | None:
    """Return why a number disagrees by so much, if somebody found out."""
    lowest, highest, text = REASONS.get(key, (0.0, 0.0, None))
    return text if z is not None and lowest <= z <= highest else None

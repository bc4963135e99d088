"""The paper's tables that `costproof reproduce` repeats: their names, and what is known about printed numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
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


_UNIFORM_ON_LADDER = Reason(
    "borderline: -2.8 to -3.0 at 1,000 runs of two seeds. The row's shares, regrets and amounts are one finding: in "
    "the printed runs uniform routing happens to screen out a little sooner. In the long run of the same policy, which "
    "starts with these steps, every number is within 2",
    -3.3,
    -2.5,
)
_DEAR_PASS = Reason(
    "borderline: 2.9 to 3.1 at 1,000 runs of two seeds. The printed runs came out dear: their own mean "
    "selections at the mean costs give 27.21 per query, and 34.01 at the listed price; what they realized is 2.4 of "
    "their own standard errors more. Cost and price are one finding",
    2.5,
    3.3,
)
#: By (setting, table, row, column).
REASONS: Mapping[tuple[str, str, str, str], Reason] = MappingProxyType(
    {
        ("gsm8k-ladder", "one-pass", "Uniform among eligible", "Unqualified share"): _UNIFORM_ON_LADDER,
        ("gsm8k-ladder", "one-pass", "Uniform among eligible", "R_qual/T"): _UNIFORM_ON_LADDER,
        ("gpqa-full", "payments", "Generation cost per query, whole pass", ""): _DEAR_PASS,
        ("gpqa-full", "payments", "Query price per query, whole pass", ""): _DEAR_PASS,
        ("gsm8k-full", "selections", "Llama-3.2-1B", "max"): Reason(
            "one rare run: of 40,000 further runs of ours, 3 select this provider 143 times or more (mean 45, 99.9% at "
            "most 119), so one of 30 does with probability 0.2%; among 138 printed extremes one that rare is "
            "expected. z misjudges it: a thousand runs of ours hold hardly any this long",
            3.0,
            8.0,
        ),
    }
)


def reason_for(key: tuple[str, str, str, str], z: float | None) -> str | None:
    """Return why a number disagrees by so much, if somebody found out."""
    known = REASONS.get(key)
    return known.text if known and z is not None and known.lowest <= z <= known.highest else None

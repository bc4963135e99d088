"""The paper's name of every table that `costproof reproduce` repeats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bounds.errors import InputError


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Attributes
    ----------
    label : str
        Its LaTeX label, such as tab:gsm8k-one-pass.
    caption : str
        How its caption begins, without LaTeX.
    """

    label: str
    caption: str


#: By published setting: the part of the label and of the caption that says whose tables they are.
_FAMILIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "gsm8k-full": ("gsm8k", "GSM8K"),
        "gsm8k-ladder": ("gsm8k", "GSM8K"),
        "gpqa-full": ("gpqa", "GPQA"),
        "gpqa-ladder": ("gpqa", "GPQA"),
        "gpqa-strong": ("strong", "GPQA strong-competition"),
    }
)
#: By table: the rest of the caption; the rest of the label is the key.
_CAPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "one-pass": "one-pass outcomes",
        "long": "long horizon: outcomes at T = 70,000",
        "exploration": "exploration steps of the platform",
        "diagnostics": "theoretical diagnostics of the platform over the long run",
        "selections": "long horizon: selections of every provider other than i^*",
        "payments": "one pass: the platform's economic quantities",
        "payoffs": "one pass: each provider's selections and payoff under the platform",
    }
)
_MAIN = PaperTable("tab:main-environments", "Our procurement platform on queries from GSM8K and GPQA")


def paper_table(setting: str, table: str) -> PaperTable:
    """Return the paper's name of a table of a setting.

    Parameters
    ----------
    setting : str
        A published setting; the two rosters of a benchmark share their tables.
    table : str
        As in `bounds.published.PrintedNumber`.

    Raises
    ------
    InputError
        A setting or table that the paper does not have.

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

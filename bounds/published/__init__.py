"""The paper's five settings and every number that its tables print, as data.

`settings.json` holds the settings, `printed.csv` the numbers of the stochastic tables, `determined.csv` those that a
setting determines (`bounds.published.determined` puts ours beside them), one row each. Money is in 1e-6 USD per query,
a listed price in USD per 10^6 tokens. Mean tokens, mean costs and qualities agree with the four decimals that the
authors print in their notebooks; within those, qualities were chosen to give the printed M_i. With them every
determined number rounds to what is printed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any

from bounds.documents import INTERNAL, NonNegative, one_of
from bounds.errors import InputError, did_you_mean
from bounds.setting.model import PlatformParameters, Provider, Setting


@dataclass(frozen=True)
class PublishedSetting:
    """A setting of the paper with what the paper says about it.

    Parameters
    ----------
    setting : Setting
        Platform and providers; every per-provider tuple below has its order.
    benchmark, roster : str
        ``"GSM8K"`` or ``"GPQA"``, and which providers compete.
    questions : int
        K, the number of questions of the benchmark: the horizon of the one-pass experiments.
    horizon, runs : int
        T, the horizon of the long experiments and of the printed bounds, and the independent runs of each.
    optimal_provider : str
        Name of i*, the cheapest qualified provider.
    printed : mapping of str to int
        The printed deterministic numbers: ``sum_M``, ``sum_L``, ``exploration_cap``, ``B_id``, ``T_id``
        (counts of queries), ``quality_regret_bound`` (score), ``generation_regret_bound``,
        ``excess_payment_bound_without_exploration``, ``excess_payment_bound`` (money, cumulative).
    printed_selection_bounds : tuple of int or None
        M_i of an unqualified and L_i of a qualified provider; None for i*.
    printed_qualified : tuple of bool
        Whether the paper lists the provider as qualified.
    base_models : tuple of str
        The model each provider runs; providers that differ only in multiplicity share one.
    mean_tokens : tuple of float
        Mean output tokens of one generation; a query takes as many for each of its n_i candidates.
    generations_per_question : int
        Recorded generations per model and question.
    token_cap : int
        Largest number of output tokens of one generation.
    margin : float
        Listed price over token cost, minus 1: mean cost = n_i * tokens * listed price / (1 + margin).

    Examples
    --------
    >>> paper = published("gpqa-strong")
    >>> paper.benchmark, paper.questions, paper.optimal_provider, paper.printed["T_id"]
    ('GPQA', 546, 'Llama-3.1-8B', 153697)
    """

    setting: Setting
    benchmark: str
    roster: str
    questions: int
    horizon: int
    runs: int
    optimal_provider: str
    printed: Mapping[str, int] = field(hash=False)
    printed_selection_bounds: tuple[int | None, ...]
    printed_qualified: tuple[bool, ...]
    base_models: tuple[str, ...]
    mean_tokens: tuple[float, ...]
    generations_per_question: int
    token_cap: int
    margin: float

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        # A mapping proxy cannot be pickled; the name is enough, and keeps one object per process.
        return published, (self.setting.name,)


#: The stochastic tables by their short names.
_TABLES = ("main", "one-pass", "long", "exploration", "diagnostics", "selections", "payments", "payoffs")
TableName = Annotated[str, one_of(_TABLES)]


@dataclass(frozen=True)
class PrintedNumber:
    """One number of one of the paper's stochastic tables.

    Parameters
    ----------
    setting : str
        Name of the setting.
    table : str
        Short name of the table.
    row : str
        Row of the table.
    column : str
        Column of the table; empty where there is only one.
    stat : {"mean", "sum", "max", "min"}
        What is taken over the printed runs.
    printed : float
        The number as printed.
    half_ulp : float
        Half a unit of its last printed digit; 0 for a number that is exact.
    printed_halfwidth : float or None
        Printed half-width of the 95% interval; None if none is printed.

    Examples
    --------
    >>> first = printed_numbers()[0]
    >>> first.row, first.column, first.printed
    ('Platform', 'Unqualified share', 0.692)
    """

    setting: str
    table: TableName
    row: str
    column: str
    stat: Annotated[str, one_of(("mean", "sum", "max", "min"))]
    printed: float
    half_ulp: float = field(metadata=INTERNAL)
    printed_halfwidth: NonNegative | None


def published(name: str) -> PublishedSetting:
    """Return a published setting; the same object every time.

    Raises
    ------
    InputError
        If the paper has no setting of this name.

    Examples
    --------
    >>> published("gsm8k-full").setting.platform.quality_threshold
    0.764
    """
    if name not in PUBLISHED_NAMES:
        word = name.casefold() if isinstance(name, str) else None
        near = did_you_mean(word, PUBLISHED_NAMES, "", cutoff=0.4)
        remedy = f"{near} the built-in settings are {', '.join(PUBLISHED_NAMES)}".strip()
        raise InputError("name", name, "is not a published setting", remedy)
    return _published(name)


def published_as(setting: Setting) -> PublishedSetting | None:
    """Return the published setting that a setting is, name and all; None if it is none, or one that was edited.

    Examples
    --------
    >>> published_as(published("gpqa-strong").setting).questions
    546
    """
    known = published(setting.name) if setting.name in PUBLISHED_NAMES else None
    return known if known is not None and known.setting == setting else None


def published_with(providers: Sequence[Provider]) -> PublishedSetting | None:
    """Return the published setting with exactly these providers, under any name; None if there is none.

    Examples
    --------
    >>> published_with(published("gpqa-strong").setting.providers).questions
    546
    """
    for name in PUBLISHED_NAMES:
        known = published(name)
        if known.setting.providers == tuple(providers):
            return known
    return None


@cache
def printed_numbers() -> tuple[PrintedNumber, ...]:
    """Return every number that the stochastic tables print, in the order of `printed.csv`.

    Examples
    --------
    >>> len(printed_numbers())
    1019
    """
    import csv  # few ask for these numbers

    return tuple(
        PrintedNumber(
            **{key: row[key] for key in ("setting", "table", "row", "column", "stat")},
            printed=float(row["printed"]),
            half_ulp=float(row["half_ulp"]),
            printed_halfwidth=float(row["printed_halfwidth"]) if row["printed_halfwidth"] else None,
        )
        for row in csv.DictReader(_text("printed.csv").splitlines())
    )


def _text(name: str) -> str:
    # Without `importlib.resources` and `pathlib`, which take as long as all else that the settings need.
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


_DOCUMENT: dict[str, Any] = json.loads(_text("settings.json"))
PUBLISHED_NAMES: tuple[str, ...] = tuple(_DOCUMENT["settings"])
"""Names of the published settings, in the order of `settings.json`."""


@cache
def _published(name: str) -> PublishedSetting:
    common, facts = _DOCUMENT["common"], _DOCUMENT["settings"][name]
    rows = facts["providers"]
    of_platform = ("quality_threshold", "cost_bound", "exploration_scale", "exploration_exponent")
    platform = {key: (common | facts)[key] for key in of_platform}
    of_provider = ("name", "quality", "mean_cost", "listed_price", "multiplicity")
    providers = tuple(Provider(**{key: row[key] for key in of_provider}) for row in rows)
    return PublishedSetting(
        setting=Setting(name, PlatformParameters(confidence=common["delta"], **platform), providers),
        **{key: facts[key] for key in ("benchmark", "roster", "questions", "optimal_provider")},
        **{key: common[key] for key in ("horizon", "runs", "generations_per_question", "token_cap", "margin")},
        printed=MappingProxyType(facts["printed"]),
        printed_selection_bounds=tuple(row["printed_selection_bound"] for row in rows),
        printed_qualified=tuple(row["qualified"] for row in rows),
        base_models=tuple(row["base_model"] for row in rows),
        mean_tokens=tuple(row["mean_tokens"] for row in rows),
    )

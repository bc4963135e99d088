"""What `costproof settings` prints of the built-in settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypedDict

from bounds.documents import Count, FromOne, FromTwo, NonNegative, Positive, Probability, limits
from bounds.published import PublishedSetting
from bounds.setting.model import Setting
from bounds.words import number
from proofs_checks.cli.views.console import console


class PublishedRow(TypedDict):
    """A built-in setting in short.

    Parameters
    ----------
    name : str
        Name of the setting.
    benchmark : str
        Benchmark that the queries come from.
    roster : str
        Which providers take part, in the paper's words.
    questions : int
        Number of questions of the benchmark.
    n_providers : int
        Number of providers.
    n_qualified : int
        Number of providers that reach the quality threshold.
    quality_threshold : float
        Mean score that a provider must reach to be qualified.
    cost_bound : float
        Upper bound on every cost, bid and payment, money.
    optimal_provider : str
        Name of the cheapest qualified provider.
    second_lowest_cost : float
        Mean cost of the second-cheapest qualified provider, money; None if there is none.
    """

    name: str
    benchmark: str
    roster: str
    questions: FromOne
    n_providers: FromTwo
    n_qualified: Count
    quality_threshold: Probability
    cost_bound: Positive
    optimal_provider: str
    second_lowest_cost: NonNegative | None


class PublishedRows(TypedDict):
    """The built-in settings.

    Parameters
    ----------
    settings : list of PublishedRow
        One entry for each built-in setting.
    """

    settings: list[PublishedRow]


SettingsDocument = Annotated[
    PublishedRows | Setting, limits(description="The built-in settings, or with NAME one setting in full.")
]


_TITLE = "|Q| of N providers reach the quality threshold q_min; costs: 1e-6 USD a query"
_HEAD = ("name", "N", "|Q|", "q_min", "c_max", "cheapest qualified", "second-lowest\nqualified cost")


def show_settings(papers: Iterable[PublishedSetting]) -> None:
    """Print the built-in settings."""
    screen = console()
    rows = []
    for paper in papers:
        setting = paper.setting
        sizes = (str(setting.n_providers), str(len(setting.qualified)))
        given = (f"{setting.platform.quality_threshold:g}", f"{setting.platform.cost_bound:g}")
        rows.append((setting.name, *sizes, *given, paper.optimal_provider, number(setting.second_lowest_cost)))
    screen.say(f"The paper's {len(rows)} settings: give a name wherever a command takes SETTING.")
    screen.table(_TITLE, dict.fromkeys(_HEAD, "whole"), rows)
    screen.suggest("costproof bounds gsm8k-full", "what is guaranteed for one")
    screen.suggest("costproof settings gsm8k-full > my-market.toml", "one as a file to edit", opening="Or")

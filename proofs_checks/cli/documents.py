"""The documents of commands that print no result of the library: a list, a text, or a result with more beside it."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from bounds.documents import Count, NonNegative, Positive, Probability, limits, one_of
from bounds.setting.model import Setting
from proofs_checks.cli.commands.completion import SHELLS


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
    questions: Annotated[int, limits(minimum=1)]
    n_providers: Annotated[int, limits(minimum=2)]
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


class ExplorerAddress(TypedDict):
    """Where the explorer is served; printed when it is.

    Parameters
    ----------
    setting : str
        Name of the setting with which the page begins.
    address : str
        Address of the page, on this machine only.
    """

    setting: str
    address: str


class DocumentationList(TypedDict):
    """The list of pages and examples.

    Parameters
    ----------
    pages : dict of str
        Titles of the pages by name.
    examples : dict of str
        What each example shows, by the name of its file.
    """

    pages: dict[str, str]
    examples: dict[str, str]


class DocumentationPage(TypedDict):
    """One page.

    Parameters
    ----------
    page : str
        Name of the page.
    markdown : str
        Its text, in Markdown.
    """

    page: str
    markdown: str


class DocumentationExample(TypedDict):
    """One example.

    Parameters
    ----------
    example : str
        Name of its file.
    python : str
        Its text, a Python program.
    """

    example: str
    python: str


Documentation = Annotated[
    DocumentationList | DocumentationPage | DocumentationExample,
    limits(description="The list of pages and examples, or with PAGE one of them."),
]


class WrittenPage(TypedDict):
    """A page that was made of reports.

    Parameters
    ----------
    reports : list of str
        Paths of the reports.
    kind : {"verify", "audit", "check"}
        The command that printed them.
    out : str or None
        Path of the page; None if none was named.
    characters : int
        Length of the page in characters.
    contradictions : list of str
        Where a report of verify contradicts itself or the proofs of this version, a sentence each.
    """

    reports: list[str]
    kind: Literal["verify", "audit", "check"]
    out: str | None
    characters: Count
    contradictions: list[str]


class Citation(TypedDict):
    """How to cite the paper and this toolkit.

    Parameters
    ----------
    bibtex : str
        BibTeX entries of the paper and of this toolkit.
    """

    bibtex: str


class CompletionScript(TypedDict):
    """What a shell needs to complete commands and options.

    Parameters
    ----------
    shell : str
        The shell that reads the script.
    script : str
        The script to load in that shell.
    """

    shell: Annotated[str, one_of(SHELLS)]
    script: str

"""The documents of commands that print no result of the library: a list, a text, or a result with more beside it."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from bounds.documents import Count, limits


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


Shell = Literal["bash", "zsh", "fish", "tcsh", "powershell"]


class CompletionScript(TypedDict):
    """What a shell needs to complete commands and options.

    Parameters
    ----------
    shell : str
        The shell that reads the script.
    script : str
        The script to load in that shell.
    """

    shell: Shell
    script: str

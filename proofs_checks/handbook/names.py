"""Where the pages of claims, checks and policies are, as links from one another."""

from __future__ import annotations

from proofs_checks.handbook.markdown import code, link


def claim_file(label: str) -> str:
    """Return the file of a claim's page.

    Examples
    --------
    >>> claim_file("thm:regret:sharp")
    'thm-regret-sharp.md'
    """
    return f"{label.replace(':', '-')}.md"


def claim_link(label: str, above: str = "") -> str:
    """Return a link to a claim's page from another claim's, or from a page in a folder beside, with `above` before it.

    Examples
    --------
    >>> claim_link("thm:regret", "../claims/")
    '[`thm:regret`](../claims/thm-regret.md)'
    """
    return link(code(label), f"{above}{claim_file(label)}")


def check_link(name: str, above: str = "") -> str:
    """Return a link to a check's page."""
    return link(code(name), f"{above}{name}.md")

"""Headings of pages in Markdown."""

from __future__ import annotations


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and the site have it.

    Examples
    --------
    >>> anchor_of("What `check` does not mean, yet")
    'what-check-does-not-mean-yet'
    """
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")

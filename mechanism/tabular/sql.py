"""Texts, names, paths and numbers as SQL of DuckDB."""

from __future__ import annotations

import os
import re


def quoted(text: str) -> str:
    """Return a text as SQL.

    Examples
    --------
    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return the name of a column as SQL.

    Examples
    --------
    >>> identifier("cost (usd)")
    '"cost (usd)"'
    """
    return '"' + name.replace('"', '""') + '"'


def escaped(location: str) -> str:
    """Return a path as SQL: DuckDB takes every path for a pattern.

    Examples
    --------
    >>> escaped("/log[1].csv")
    "'/log[[]1].csv'"
    """
    return quoted(re.sub(r"[\[*?]", r"[\g<0>]", os.path.abspath(location)))


def number_sql(text: str) -> str:
    """Return the SQL of the number that a text is; NULL if `text_number` finds no finite one.

    DuckDB alone takes 1_000 for 1000 and +-1 for -1.
    """
    number = f"TRY_CAST({text} AS DOUBLE)"
    return (
        f"CASE WHEN isfinite({number}) AND NOT contains({text}, '_') AND NOT contains({text}, '+-') THEN {number} END"
    )

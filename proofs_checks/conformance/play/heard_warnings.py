"""What Python warns of while a mechanism is played, collected instead of printed."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import TextIO


def hear_warnings(heard: dict[str, None]) -> None:
    """Collect warnings from now on, each text and place once; the filters stay as they are."""

    def hear(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        heard[f"{category.__name__}: {message} ({filename}:{lineno})"] = None

    warnings.showwarning = hear


@contextlib.contextmanager
def heard_warnings(heard: dict[str, None]) -> Iterator[None]:
    """Collect warnings within.

    Examples
    --------
    >>> heard = {}
    >>> with heard_warnings(heard):
    ...     warnings.simplefilter("default")
    ...     warnings.warn("overflow", RuntimeWarning)
    >>> [text.partition(" (")[0] for text in heard]
    ['RuntimeWarning: overflow']
    """
    with warnings.catch_warnings():
        hear_warnings(heard)
        yield

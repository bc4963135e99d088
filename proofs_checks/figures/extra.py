"""matplotlib is an extra: without it, the error says how to install it."""

from __future__ import annotations

from importlib.util import find_spec

from bounds.errors import InputError


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed; it is not loaded.

    Examples
    --------
    >>> has_matplotlib()
    True
    """
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raise an `InputError` if matplotlib is not installed; it is not loaded.

    Examples
    --------
    >>> require_matplotlib()
    """
    if not has_matplotlib():
        remedy = "pip install 'costproof[figures]'; --list works without it"
        raise InputError("figures", "matplotlib", "is not installed", remedy)

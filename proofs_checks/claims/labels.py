"""Labels of claims: which are variants of which, told without the claims that have them."""

from __future__ import annotations


def is_or_varies(label: str, of: str) -> bool:
    """Return whether a label is another one, or one of its variants.

    Examples
    --------
    >>> [is_or_varies(label, "claim:T_id") for label in ("claim:T_id", "claim:T_id:sharp", "claim:T_identity")]
    [True, True, False]
    """
    return f"{label}:".startswith(f"{of}:")

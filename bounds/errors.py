"""The one error that bad input raises: it names the argument, its value, the rule and the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from numbers import Integral, Rational, Real
from typing import TypeGuard

from bounds.characters import escaped, shortened


class Missing(Enum):
    """Stands for the value of an argument that was not given: an `InputError` then shows no value."""

    MISSING = "not given"


#: What was not given; see `Missing`.
MISSING = Missing.MISSING


class InputError(ValueError):
    """A value that the caller gave breaks a rule.

    Parameters
    ----------
    argument : str
        The argument, key or place, as the caller wrote it (``"platform.confidence"``).
    value : object
        What was given; `MISSING` where nothing was, then the message has no value.
    rule : str
        What it must satisfy, to be read after ``argument=value``: ``"must lie in (0, 1)"``.
    remedy : str
        What to do about it, or what the quantity means.

    Examples
    --------
    >>> str(InputError("confidence", 1.5, "must lie in (0, 1)", "it is the failure probability delta"))
    'confidence=1.5 must lie in (0, 1): it is the failure probability delta'
    >>> from bounds.errors import MISSING
    >>> str(InputError("confidence", MISSING, "must be given", "it is the failure probability delta"))
    'confidence must be given: it is the failure probability delta'
    """

    def __init__(self, argument: str, value: object, rule: str, remedy: str) -> None:
        self.argument = argument
        self.value = value
        self.rule = rule
        self.remedy = remedy
        given = "" if value is MISSING else f"={_shown(value)}"
        super().__init__(f"{argument}{given} {rule}: {remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str, str]]:
        return type(self), (self.argument, self.value, self.rule, self.remedy)

    def within(self, place: str) -> InputError:
        """Return the same error with the place (a file, a table) put before the argument."""
        return self.about(f"{place}.{self.argument}")

    def about(self, argument: str) -> InputError:
        """Return the same error about an argument that has another name where the value was given."""
        return InputError(argument, self.value, self.rule, self.remedy)


def _shown(value: object) -> str:
    """Return one short printable line for any value, however long or odd it is."""
    try:
        text = repr(value).encode("ascii", "backslashreplace").decode()
    except (ValueError, RecursionError):  # an integer of over 4300 digits, a table nested too deep
        return f"<{type(value).__name__}, too long to show>"
    text = text.replace("\n", " ")
    return shortened(text, 80)


def did_you_mean(
    given: object, known: Iterable[str], otherwise: str, *, most: int = 1, cutoff: float = 0.6, quote: bool = False
) -> str:
    """Return a remedy that names the known words nearest to a word that is not known.

    Parameters
    ----------
    given : object
        What was given; only a string is near to anything.
    known : iterable of str
    otherwise : str
        The remedy where no known word is near.
    most : int, optional
        How many words to name at most.
    cutoff : float, optional
        How near a word must be, in [0, 1].
    quote : bool, optional
        Whether to quote the words, as names that users choose need it.

    Examples
    --------
    >>> did_you_mean("paymnet", ["payment", "score"], "the columns are payment, score")
    'did you mean payment?'
    """
    import difflib  # only who mistypes waits for it

    near = difflib.get_close_matches(given[:200], list(known), most, cutoff) if isinstance(given, str) else []
    shown = [f"'{word}'" for word in near] if quote else near
    return f"did you mean {', '.join(shown)}?" if near else otherwise


def printable(text: str, longest: int | None = None) -> str:
    """Return the text on one line, with escapes for what cannot be printed.

    Examples
    --------
    >>> printable("a\\nb"), printable("abcdef", longest=5)
    ('a\\\\nb', 'ab...')
    """
    line = escaped(text)
    return line if longest is None or len(line) <= longest else line[: longest - 3] + "..."


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number, as Python or NumPy has them; True and False are none.

    Examples
    --------
    >>> import numpy as np
    >>> is_whole(np.int64(3)), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a whole number or a float, as Python or NumPy has them.

    True and False are none, and fractions none either: a float may not be what they are.

    Examples
    --------
    >>> import numpy as np
    >>> is_real(np.float32(3)), is_real(3), is_real("3"), is_real(np.True_)
    (True, True, False, False)
    """
    return is_whole(value) or (isinstance(value, Real) and not isinstance(value, Rational))

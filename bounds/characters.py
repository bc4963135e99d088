"""Which characters of a text from outside are shown as escapes: those that hide, reorder or steer what is shown."""

from __future__ import annotations

import functools
import re

#: What Python calls printable and nobody sees: joiners, fillers, variation selectors.
_INVISIBLE = r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
_NOT_ASCII = r"[^ -~]"


def is_hidden(character: str) -> bool:
    """Whether a character could hide, reorder or change what is next to it, or looks like a space.

    Hidden are control and format characters, those that turn the direction of writing among them, lone surrogates,
    code points without a character, spaces but the usual one, and invisible characters.

    Examples
    --------
    >>> [is_hidden(character) for character in ("a", " ", "é", "\\x1b", "\\u202e", "\\u200b")]
    [False, False, False, True, True, True]
    """
    return not character.isprintable() or _compiled(_INVISIBLE).match(character) is not None


def escaped(text: str, *, keep: str = "") -> str:
    """Return a text with the escape that Python writes in place of every hidden character.

    Parameters
    ----------
    text : str
    keep : str, optional
        Hidden characters that stay, such as the ends of lines.

    Examples
    --------
    >>> print(escaped("a\\x1b[2J\\u202eb\\n"), escaped("δ\\n", keep="\\n"), end="")
    a\\x1b[2J\\u202eb\\n δ
    """
    if text.isascii() and text.translate(dict.fromkeys(map(ord, keep))).isprintable():
        return text  # as most are
    return _compiled(_NOT_ASCII).sub(lambda found: _escape(found[0], keep), text)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first needed: mostly it is not."""
    return re.compile(pattern)


def _escape(character: str, keep: str) -> str:
    if character in keep or not is_hidden(character):
        return character
    return character.encode("ascii", "backslashreplace").decode() if character > "\x7f" else ascii(character)[1:-1]


def shortened(text: str, longest: int) -> str:
    """Return a text with its midst left out if it is longer than so many characters.

    Both ends stay: the start tells what it is, the end tells a long path's file name.

    Examples
    --------
    >>> shortened("abcdefghijklmnop", 9), shortened("short", 9)
    ('abc...nop', 'short')
    """
    if len(text) <= longest:
        return text
    kept = longest - 3
    return f"{text[: kept - kept // 2]}...{text[len(text) - kept // 2 :]}"

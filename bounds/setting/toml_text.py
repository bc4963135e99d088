"""TOML from anybody: a document, or one error of one line that shows the line of the text."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from bounds.errors import InputError

__all__ = ["MAX_BYTES", "printable", "toml_document"]

MAX_BYTES = 1 << 20
"""Largest text that is read, in bytes: about ten thousand providers of a setting."""

# tomllib keeps every prefix of a dotted key, so that a long one costs its square in memory. These tokens find
# such keys first, outside strings and comments, and in linear time: no token is ever scanned from its middle.
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+')"""
_DOT = r"[ \t]*+\.[ \t]*+"
_TOKENS = re.compile(
    rf"""
    \"""(?:[^"\\]|\\.|"(?!""))*+(?:"{{3,5}}|\Z)  # a string over several lines
    |\'''(?:[^']|'(?!''))*+(?:'{{3,5}}|\Z)
    |\#[^\n]*+                                  # a comment
    |(?P<long_key>{_PART}(?:{_DOT}{_PART}){{32}})
    |{_PART}(?:{_DOT}{_PART})*+
    |["'][^\n]*+                                # a string that is not closed
    |[^\w"'\#-]++
    """,
    re.VERBOSE | re.DOTALL,
)


def toml_document(source: str | bytes) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Parameters
    ----------
    source : str or bytes
        The text, or the contents of a UTF-8 file; at most `MAX_BYTES` long.

    Raises
    ------
    InputError
        Whatever is wrong with the text: its encoding, size, nesting, numbers or syntax.

    Examples
    --------
    >>> toml_document("[platform]\\nconfidence = 0.05")
    {'platform': {'confidence': 0.05}}
    """
    text = _text(source)
    long_key = next((token["long_key"] for token in _TOKENS.finditer(text) if token["long_key"]), None)
    if long_key:
        line = _line_of(text, long_key)
        raise _on_line(text, line, "is nested too deep", "write no key of more than two parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+), column \d+\)$", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        rule = f"is not valid TOML: {printable(str(error), 160)}"
        raise _on_line(text, line, rule, "write key = value, a string in quotes, a number without") from None
    except RecursionError:
        deepest = max(text.splitlines(), key=lambda line: line.count("[") + line.count("{"))
        raise _on_line(text, _line_of(text, deepest), "is nested too deep", "no value is an array") from None
    except ValueError:  # Python refuses to read an integer of over 4300 digits
        longest = max(re.findall(r"[\d_]+", text), key=len)
        remedy = "write a large number as 1e300"
        raise _on_line(text, _line_of(text, longest), "holds a number of too many digits", remedy) from None


def printable(text: str, longest: int | None = None) -> str:
    """Return the text on one line, with escapes for what cannot be printed.

    Examples
    --------
    >>> printable("a\\nb"), printable("abcdef", longest=5)
    ('a\\\\nb', 'ab...')
    """
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return line if longest is None or len(line) <= longest else line[: longest - 3] + "..."


def _text(source: str | bytes) -> str:
    """Return the text if it is worth parsing."""
    if len(source) > MAX_BYTES:
        raise InputError("text", source[:40], f"is longer than {MAX_BYTES} bytes", "is it a setting file?")
    text = source if isinstance(source, str) else _decoded(source)
    if text.startswith("\ufeff"):
        remedy = "save the file as UTF-8 without it"
        raise InputError("line 1", text[:20], "must not begin with a byte order mark", remedy)
    if not text.strip():
        raise InputError("text", text, "is empty", "start from what 'costproof settings gsm8k-full' prints")
    return text


def _decoded(source: bytes) -> str:
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        wrong = source[error.start : error.end]
        raise InputError(f"line {line}", wrong, "is not UTF-8", "save the file as UTF-8") from None


def _line_of(text: str, part: str) -> int:
    return text.count("\n", 0, text.index(part)) + 1


def _on_line(text: str, line: int, rule: str, remedy: str) -> InputError:
    return InputError(f"line {line}", text.split("\n")[line - 1].strip(), rule, remedy)

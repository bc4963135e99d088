"""The guard before the TOML parser: it refuses what would exhaust memory, and nothing else."""

from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds import InputError
from bounds.setting.toml_text import MAX_BYTES, printable, toml_document

DEEP = ".".join("abcdefghij" * 5)
WORDS = " . ".join(["word"] * 60)


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{DEEP}"',
        f"x = '{DEEP}' # {DEEP}",
        f'x = """\n{DEEP} "" {DEEP}"""',
        f'x = """{DEEP}"""""\ny = 1',
        f"x = '''\n{WORDS}''''' # it's {WORDS}",
        f'x = "\\"{DEEP}" # "',
        f'x = """\\"""{DEEP} \\\\"""',
        "x = [" + "0.5, " * 200 + "]",
        f"{'.'.join('abcdefghij')} = 1.5",
    ],
)
def test_dots_in_strings_comments_and_numbers_are_no_keys(text):
    assert toml_document(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{DEEP} = 1",
        f"[{DEEP}]",
        f"[[ {DEEP} ]]",
        f"x = {{ {DEEP} = 1 }}",
        f"{'.'.join(['a', chr(34) + 'b' + chr(34), chr(39) + 'c.d' + chr(39)] * 20)} = 1",
        '"a\\"b" \t. ' * 40 + "c = 1",
        f'x = """a"""""\n{DEEP} = 1',
        f"x = '''it's''' # it's\n{DEEP} = 1",
        f"x = 'a' # \"\n{DEEP} = 1",
    ],
)
def test_a_deep_key_is_refused_where_it_stands(text):
    tomllib.loads(text)  # it is TOML
    line = text.count("\n") + 1
    with pytest.raises(InputError, match=f"^line {line}=.* is nested too deep: "):
        toml_document(text)


@pytest.mark.parametrize(
    "unit", ["a.", '"', "'", '"\\', "'a", '"a".', "a ", "[", "{a=", "\\", "#", '""""', "''''", "a", "\n", "1_"]
)
def test_time_is_linear_in_the_text(unit):
    """Half a megabyte takes well under a second each; a quadratic scan would take minutes."""
    text = "x = " + unit * (MAX_BYTES // 2 // len(unit))
    start = time.process_time()
    with pytest.raises(InputError):
        toml_document(text)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = = 2\nc = 3", r"line 2='b = = 2' is not valid TOML: Invalid value \(at line 2, column 5\)"),
        ("a = 1\nb = 'x", r"line 2=\"b = 'x\" is not valid TOML: .*\(at (end of document|line 2, column \d+)\)"),
        ("a = 1\na = 2", "line 2='a = 2' is not valid TOML: Cannot overwrite a value"),
        ("a = 1\nb = " + "9" * 5000, "line 2='b = 9999.* holds a number of too many digits"),
        ("a = 1\nb = " + "[" * 5000, r"line 2='b = \[\[\[.* is nested too deep"),
    ],
    ids=["syntax", "open string", "doubled key", "digits", "brackets"],
)
def test_errors_show_the_line(text, expected):
    with pytest.raises(InputError, match=f"^{expected}"):
        toml_document(text)


def test_long_keys_in_the_parsers_words_are_cut():
    with pytest.raises(InputError, match="Cannot declare") as caught:
        toml_document(f"[{'k' * 5000}]\n" * 2)
    assert len(str(caught.value)) < 400


@given(st.text(st.characters()), st.none() | st.integers(3, 20))
def test_printable_is_one_printable_line(text, longest):
    line = printable(text, longest)
    assert line.isprintable()
    assert longest is None or len(line) <= longest
    assert line == text or not text.isprintable() or longest is not None

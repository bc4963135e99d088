"""Messages, templates, docstrings and pages are free of private phrases, which a stranger has to read twice."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("bounds", "mechanism", "proofs_checks", "costproof")
#: Regular expressions of private phrases, each with what to write.
PRIVATE = {
    r"\bsays? (something|nothing)\b": "informative, not informative",
    r"\boptimum(['’]s)? (leads?|to lead|leading)\b|\blead of the optimum\b": "the optimum has the most selections",
    r"\bbeside the settings?\b": "instances that verify constructs",
    r"\bsteered\b(?!\")": "constructed",
    r"\bsmall (instance|witness)": "a constructed instance, a witness",
    r"\bliving on exploration\b": "being selected by exploration alone",
    r"(?<!there )\bis no (?!longer\b|(more|less|larger|smaller|later) than\b|reason\b)": "is not a ..., unknown ...",
    r"\btold\b": "printed, named, read",
    r"\bwhatever\b": "any, everything that",
    r"\bto blame\b": "largest contributor",
    r"\bby a hair\b": "by a small margin",
    r"\bstands? beside\b": "is next to, is listed with",
}


def _is_text(value: object) -> bool:
    """Whether a constant is a text, not a key or a value of a document."""
    return isinstance(value, str) and " " in value


@functools.cache
def _texts() -> list[tuple[str, str]]:
    # A constant of one word is a value or a key, as the kinds of witnesses in JSON.
    return [(where, text) for where, text in _read_texts() if not text.isidentifier()]


def _read_texts() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            where = str(path.relative_to(ROOT))
            if path.suffix == ".py":
                tree = ast.parse(path.read_text(encoding="utf-8"))
                constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
                yield from ((f"{where}:{node.lineno}", node.value) for node in constants if _is_text(node.value))
            elif path.suffix in (".html", ".csv", ".js"):
                yield where, path.read_text(encoding="utf-8")
    pages = sorted(path for path in (ROOT / "docs").rglob("*.md") if "generated" not in path.parts)
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages]:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


@pytest.mark.parametrize("phrase", PRIVATE)
def test_no_private_phrase(phrase: str) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [f"{where}: {match[0]}" for where, text in _texts() for match in [pattern.search(text)] if match]
    assert not found, f"write {PRIVATE[phrase]}; found in {found}"

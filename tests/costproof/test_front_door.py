"""`import costproof`: what it offers, where each name lives, and what it does not load."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import costproof

VERBS = "load_setting published bounds simulate measure verify claim check audit prove reproduce read_trace replays"


def loaded_after(code: str) -> set[str]:
    """The modules that some code loads in a process of its own."""
    program = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_every_verb_and_noun_is_there() -> None:
    assert {*VERBS.split(), "Setting", "Trace", "InputError", "Verdict"} <= set(costproof.__all__)
    assert {name for name in costproof.__all__ if not callable(getattr(costproof, name))} == {"symbols"}


def test_it_loads_nothing_but_itself_and_what_finds_its_names() -> None:
    extra = loaded_after("import costproof") - loaded_after(
        "import __future__, ast, collections.abc, importlib, typing"
    )
    assert extra == {"costproof", "bounds", "bounds.exports"}


def test_no_module_hides_a_verb() -> None:
    """Importing a submodule binds its name in the package: a verb of that name would be lost."""
    modules = {module.name for module in pkgutil.iter_modules(costproof.__path__)}
    assert modules
    assert not modules & set(costproof.__all__)
    for module in modules:
        importlib.import_module(f"costproof.{module}")
    assert inspect.isfunction(costproof.bounds)


def test_type_checkers_and_editors_see_the_same_names_from_the_same_places() -> None:
    tree = ast.parse(Path(costproof.__file__).read_text(encoding="utf-8"))
    [guarded] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(seen) == set(costproof.__all__)
    for name, module in seen.items():
        assert getattr(importlib.import_module(module), name) is getattr(costproof, name)


@pytest.mark.for_each(
    "name",
    [
        *("audit", "bounds", "check", "compare", "coverage", "measure", "prove", "read_trace", "reproduce", "simulate"),
        "verify",
    ],
)
def test_every_verb_documents_its_arguments(name: str) -> None:
    """Each by its name, and at most two that may be given without it; with an example."""
    verb = getattr(costproof, name)
    parameters = inspect.signature(verb).parameters.values()
    documentation = inspect.getdoc(verb)
    assert documentation is not None
    described, examples = documentation.split("Returns\n---")[0], documentation.split("Examples\n---")[1]
    assert [parameter.name for parameter in parameters if f"{parameter.name}" not in described] == []
    assert ">>> " in examples
    assert sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters) <= 2

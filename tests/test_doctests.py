"""Every example in a docstring of the packages runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("bounds", "mechanism", "proofs_checks", "costproof")


def modules() -> list[str]:
    names = []
    for name in PACKAGES:
        package = importlib.import_module(name)
        names.append(name)
        names += [
            m.name for m in pkgutil.walk_packages(package.__path__, f"{name}.") if not m.name.endswith("__main__")
        ]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0


def test_enough_examples_were_found() -> None:
    """A silent loss of the examples must not pass."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = sum(bool(test.examples) for name in modules() for test in finder.find(importlib.import_module(name)))
    assert found >= 80

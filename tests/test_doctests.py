"""Every example in a docstring of the packages runs."""

import doctest
import importlib
from collections import defaultdict
from pathlib import Path

import pytest

from tests.parametrized import long_but

PACKAGES = ("bounds", "mechanism", "proofs_checks", "costproof")


def with_examples() -> dict[str, list[str]]:
    """By package, the modules whose text has the prompt of an example; they are found without being imported."""
    found = defaultdict(list)
    for package in PACKAGES:
        [folder] = map(Path, importlib.import_module(package).__path__)
        for path in sorted(folder.rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                *parents, name = path.relative_to(folder.parent).with_suffix("").parts
                found[".".join(parents)].append(".".join([*parents, name]).removesuffix(".__init__"))
    return found


WITH_EXAMPLES = with_examples()


#: Packages whose examples take seconds, or need Dash.
SLOW = {
    "costproof",
    "mechanism.planner",
    "proofs_checks.conformance.mutants",
    "proofs_checks.conformance.report",
    "proofs_checks.conformance.strategies",
    "proofs_checks.explorer",
    "proofs_checks.proofs.lemma",
}


@pytest.mark.parametrize("package", long_but(WITH_EXAMPLES.keys() - SLOW, WITH_EXAMPLES, reason="takes seconds"))
def test_examples_run(package: str, subtests: pytest.Subtests) -> None:
    if package == "proofs_checks.explorer":
        pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    for name in WITH_EXAMPLES[package]:
        with subtests.test(name):
            results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
            assert results.attempted > results.failed == 0

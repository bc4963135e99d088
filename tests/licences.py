"""The licences of the dependencies, as their metadata states them.

``python -m tests.licences`` prints the table of docs/development/dependencies.md for what is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, metadata

from tests.documentation import ROOT

PAGE = ROOT / "docs" / "development" / "dependencies.md"
#: What the metadata leaves to a file, as it was read there.
_IN_A_FILE = {"axe-playwright-python": "MIT", "cvc5": "BSD-3-Clause"}
_SHORT = {"BSD License": "BSD", "BSD 2-Clause License": "BSD-2-Clause", "Apache Software License": "Apache-2.0"}
_SHORT |= {"Python Software Foundation License": "PSF-2.0", "MIT License": "MIT"}


def dependencies() -> set[str]:
    """Return the names of all that pyproject.toml asks for, those of every extra among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {str(re.match(r"[\w.-]+", each)[0]) for group in asked for each in group}  # type: ignore[index]
    return names - {"costproof"}


def licence(name: str) -> str | None:
    """Return the licence of what is installed by a name; None if it is not."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return None
    classified = [each.rpartition(" :: ")[2] for each in stated.get_all("Classifier", ()) if each.startswith("License")]
    ways = (stated.get("License-Expression"), *classified, stated.get("License"), _IN_A_FILE.get(name))
    return next((_SHORT.get(each, each) for each in ways if each), "not stated")


def listed() -> dict[str, str]:
    """Return the licence of each dependency, as the page has it."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: licence for licence, names in rows[1:] for name in names.split(", ")}


if __name__ == "__main__":
    found = defaultdict(list)
    for name in sorted(dependencies()):
        found[licence(name) or listed().get(name, "not installed")].append(name)
    for one, names in sorted(found.items()):
        sys.stdout.write(f"| {one} | {', '.join(names)} |\n")

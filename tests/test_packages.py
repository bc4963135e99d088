"""Every public name of the three packages is there, and is what its module defines."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import bounds
import mechanism
import proofs_checks


@pytest.mark.parametrize("package", [bounds, mechanism, proofs_checks], ids=lambda package: package.__name__)
def test_public_names(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert names
    assert len(set(names)) == len(names)
    assert set(names) <= set(dir(package))
    assert all(getattr(package, name) is not None for name in names)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense  # type: ignore[attr-defined]


def test_what_pip_shows_of_the_licence_and_the_pages() -> None:
    """pip 25 and later shows `License-Expression`, which the build writes of a licence that is an SPDX name."""
    top = Path(__file__).parents[1]
    declared = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    cited = re.search(r"^license: (.+)$", (top / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert project["license"] == cited[1] == "MIT"
    assert all((top / name).read_text(encoding="utf-8").startswith("MIT License") for name in project["license-files"])
    assert declared["build-system"]["requires"] == ["hatchling>=1.26"]  # the first that writes the expression
    assert project["urls"].keys() == {"Code of the paper", "Data of the paper"}
    assert all(address.startswith("https://") for address in project["urls"].values())

"""Every public name of the three packages is there, and is what its module defines."""

from __future__ import annotations

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

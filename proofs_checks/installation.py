"""Whether the packages that Python imports are this installation's.

Other distributions install a `bounds` and a `mechanism`, too. pip writes their files among these, and over those of the
same name, without a warning.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

_TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_REMEDY = "install costproof into a fresh virtual environment: python -m venv .venv"


def require_own(package: str, top: str = _TOP) -> None:
    """Raise an ImportError if Python takes a package from elsewhere, or from a file that another one overwrote.

    Examples
    --------
    >>> require_own("bounds")
    """
    spec, own, init = find_spec(package), os.path.join(top, package), f"{package}/__init__.py"
    if spec is None or spec.origin is None:
        rule = f"{own} has no __init__.py;"
    elif os.path.realpath(os.path.dirname(spec.origin)) != os.path.realpath(own):
        rule = f"Python finds {spec.origin} first; rename that, or"
    elif _sizes(top).get(init, size := os.path.getsize(spec.origin)) != size:
        rule = f"{spec.origin} is not what costproof installed but of {_owners(init)};"
    else:
        return
    raise ImportError(f"the package {package} is not costproof's: {rule} {_REMEDY}")


def files_of_others(top: str = _TOP) -> str:
    """Return a sentence on modules of other distributions among those of `bounds` and `mechanism`; empty without any.

    A checkout has no record of its files, and is not searched.
    """
    found = list(_unrecorded(top)) if _sizes(top) else []
    if not found:
        return ""
    package, more = found[0].partition("/")[0].removesuffix(".py"), f" and {len(found) - 1} more" if found[1:] else ""
    files = f"{os.path.join(top, found[0])}{more}"
    return f"{_owners(found[0])} and costproof both install {package} ({files}), and only costproof's works; {_REMEDY}"


def warn_of_others() -> None:
    """Warn of modules of other distributions among ours, from the import of the package that calls."""
    if theirs := files_of_others():
        warnings.warn(theirs, stacklevel=3)


def _unrecorded(top: str) -> Iterator[str]:
    for package in ("bounds", "mechanism"):
        beside = (f"{package}/{name}" for name in os.listdir(os.path.join(top, package)) if name.endswith(".py"))
        yield from (name for name in sorted(beside) if name not in _sizes(top))
        if os.path.exists(os.path.join(top, f"{package}.py")):
            yield f"{package}.py"


@cache
def _sizes(top: str) -> dict[str, int]:
    """Return the bytes of the modules of an installation; empty for a checkout."""
    try:
        [info] = [each for each in os.listdir(top) if each.startswith("costproof-") and each.endswith(".dist-info")]
        with open(os.path.join(top, info, "RECORD"), encoding="utf-8") as record:
            rows = [line.rstrip().rsplit(",", 2) for line in record]
    except (OSError, ValueError):
        return {}
    return {name: int(size) for name, _, size in rows if name.endswith(".py") and size}


def _owners(file: str) -> str:
    from importlib.metadata import distributions  # takes longer than the rest

    listing = (each for each in distributions() if f"\n{file}," in f"\n{each.read_text('RECORD')}")
    others = sorted(f"{each.name} {each.version}" for each in listing if each.name != "costproof")
    return " and ".join(others) or "another distribution, or changed"

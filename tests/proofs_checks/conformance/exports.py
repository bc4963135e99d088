"""Scripts of a run, played in this process by any mechanism that is put in the place of theirs."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

#: The exit code of a script that met another history: it says so, and neither that all is well nor that it is not.
NOTHING_COMPARED = 2
_FACTORY = re.compile(r"^(from .* import .* as factory|factory = .*)$", re.MULTILINE)


def _with(text: str, factory: object, path: Path) -> dict[str, Any]:
    """Run a module whose factory is another, and return its names."""
    other, places = _FACTORY.subn("factory = the_factory", text, count=1)
    assert places == 1, text
    names = {"__name__": "exported", "__file__": str(path), "the_factory": factory}
    exec(compile(other, str(path), "exec"), names)
    return names


def script_ends(script: str, factory: object) -> tuple[int, str]:
    """Return the exit code of a script that plays a factory, and what it says at its end."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            _with(script, factory, Path("script.py"))
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
        except Exception as error:  # noqa: BLE001 - a script fails with any exception
            return 1, f"{type(error).__name__}: {error}"
    return 0, out.getvalue()

"""The browser that reads the pages, where there is one; without it the tests that need it are named and counted.

`COSTPROOF_BROWSER` names another one. A machine on which there can be none says so: ``COSTPROOF_NO_BROWSER=1``.
"""

from __future__ import annotations

import os
import shutil

#: Names of Chromium and of what is built from it, on a path.
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def without_browser() -> bool:
    """Whether somebody has said that the tests must go without a browser."""
    return os.environ.get("COSTPROOF_NO_BROWSER", "") not in ("", "0")


def browser_path() -> str | None:
    """Return the path of a browser, None if there is none."""
    named = os.environ.get("COSTPROOF_BROWSER")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)

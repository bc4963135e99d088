"""Where the browser that reads the report pages is; `COSTPROOF_BROWSER` names another one."""

import os
import shutil

#: Names of Chromium and of what is built from it, on a path.
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def browser_path() -> str | None:
    """Return the path of a browser, None if there is none."""
    named = os.environ.get("COSTPROOF_BROWSER")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)

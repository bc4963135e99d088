"""A browser that runs while tests look at pages; apart from `tests.browser`, which every test run loads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser import browser_path


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Yield a browser; where there is none, the test fails and says what to do."""
    path = browser_path()
    if path is None:
        remedy = "apt-get install chromium, or COSTPROOF_NO_BROWSER=1 to go without"
        pytest.fail(f"no Chromium here: {remedy}", pytrace=False)
    with sync_playwright() as play:
        # A container has no room for Chromium's own sandbox; the pages are ours.
        found = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()

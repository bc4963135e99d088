"""A browser that runs while tests look at pages; apart from `tests.browser`, which every test run loads."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import browser_path


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Yield a browser; tests marked with `browser` are skipped where there is none."""
    path = browser_path()
    with sync_playwright() as play:
        # A container has no room for Chromium's own sandbox; the pages are ours, and draw nothing in three dimensions.
        drawing = ["--disable-gpu", "--disable-software-rasterizer"]
        found = play.chromium.launch(executable_path=path, args=["--no-sandbox", *drawing])
        yield found
        found.close()


class Pages:
    """Pages of a browser that are empty when they are taken, each in a context of its own, and are taken again.

    A renderer that has run the scripts of a page does not compile them again for the next document. To open the
    explorer takes half as long so, and to open a report a third.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._empty: defaultdict[tuple[str, bool], list[Page]] = defaultdict(list)
        self._taken: list[tuple[tuple[str, bool], Page, Mapping[Any, Callable[[Any], None]]]] = []

    def take(
        self,
        origin: str,
        listeners: Mapping[Any, Callable[[Any], None]],
        *,
        width: int,
        scheme: Literal["light", "dark"],
        script: bool = True,
    ) -> Page:
        """Return an empty page, one that has shown the same origin if there is one, and tell the listeners of it."""
        empty = self._empty[origin, script]
        page = empty.pop() if empty else self._browser.new_context(java_script_enabled=script).new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="null", color_scheme=scheme)
        for event, listener in listeners.items():
            page.on(event, listener)
        self._taken.append(((origin, script), page, listeners))
        return page

    def give_back(self) -> None:
        """Leave all pages that are taken as new ones are: nobody listens, nothing is stored, the mouse is outside."""
        while self._taken:
            key, page, listeners = self._taken.pop()
            for event, listener in listeners.items():
                page.remove_listener(event, listener)
            page.unroute_all(behavior="ignoreErrors")
            page.evaluate("localStorage.clear()")
            page.mouse.move(-1, -1)
            page.goto("about:blank")
            self._empty[key].append(page)

"""The explorer in Chromium: it simulates while one drags, asks nobody outside, runs no name, is usable by all."""

import functools
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
pytest.importorskip("playwright", reason="needs playwright: pip install '.[long]'")
from playwright.sync_api import Locator, Page

from bounds.published import published
from bounds.setting.file import read_setting
from bounds.setting.model import Setting
from proofs_checks.explorer import server
from proofs_checks.explorer.controls import VIEWS
from tests.axe import grave_faults
from tests.proofs_checks.explorer.states import hostile_setting
from tests.running_browser import running_browser

pytestmark = pytest.mark.browser

#: Tenths of a second that a busy machine is given.
_PATIENCE = 600
SMALL = "horizon=2000&runs=4"
#: What stands in a view once it is filled.
FILLED = {
    "market": "#tiles .tile",
    "auction": "#auction-view table",
    "provider": "#provider-view .main-svg",
    "guarantees": "#guarantees-view td",
    "claims": "#claims-view table",
    "export": "#toml-text",
}
SETTINGS = {"gpqa-strong": published("gpqa-strong").setting, "hostile": hostile_setting()}


@contextmanager
def served(setting: Setting) -> Iterator[str]:
    with server.serving(setting) as (address, running):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield address
        running.shutdown()
        thread.join()


class Opened:
    """The explorer in the browser, with all that it asked for and all that it complained about."""

    def __init__(self, page: Page, address: str, query: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.outside: list[str] = []
        own = (address, "data:", "blob:")
        page.set_default_timeout(60_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("response", lambda answer: self.complaints.append(answer.url) if answer.status >= 400 else None)
        page.on("request", lambda asked: None if asked.url.startswith(own) else self.outside.append(asked.url))
        page.goto(f"{address}?{query}")
        page.wait_for_selector("#metric-picture .scatterlayer", state="attached")

    def turn(self, view: str) -> None:
        """Look at a view, and wait until it is there."""
        self.page.get_by_role("navigation").get_by_role("button", name=VIEWS[view], exact=True).click()
        self.page.locator(f".of-{view}").first.wait_for()
        self.page.wait_for_selector(FILLED[view], state="attached")
        self.until("!document.documentElement.hasAttribute('data-busy')")

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, condition: str) -> None:
        """Wait for a condition, asked again and again: the page's policy lets no text be run in it."""
        for _ in range(_PATIENCE):
            if self.ask(condition):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"not so after {_PATIENCE / 10:.0f} s: {condition}")

    def numbers(self) -> Any:
        """Return the median that the picture over time shows."""
        lines = "document.querySelector('#metric-picture .js-plotly-plot').data"
        return self.ask(f"{lines}.find((line) => line.name === 'platform').y")

    def after(self, change: Callable[[], Any]) -> None:
        """Wait until a change has moved the median."""
        before = self.numbers()
        change()
        for _ in range(_PATIENCE):
            if self.numbers() != before:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError("the picture has not moved")

    def box(self, knob: str, of: str, part: str) -> Locator:
        return self.page.locator(f'[id=\'{{"knob":"{knob}","of":"{of}","part":"{part}"}}\']')

    def slide(self, key: str, share: float, of: str = "platform") -> None:
        """Drag a slider with the mouse to a share of its width, with stops on the way."""
        slider = self.box(key, of, "range")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        value = float(slider.input_value())
        low, high = (float(slider.get_attribute(end) or "nan") for end in ("min", "max"))
        middle = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * (value - low) / (high - low), middle)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + box["width"] * share, middle, steps=8)
        self.page.mouse.up()


#: Opens the explorer in the browser, with a query, a setting, a width and a colour scheme.
Opening = Callable[..., Opened]


@pytest.fixture(scope="module")
def opened() -> Iterator[Opening]:
    with ExitStack() as stack:
        browser = stack.enter_context(running_browser())
        addresses = {name: stack.enter_context(served(each)) for name, each in SETTINGS.items()}

        def opening(
            query: str = SMALL, *, name: str = "gpqa-strong", width: int = 1280, scheme: Any = "light"
        ) -> Opened:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            return Opened(context.new_page(), addresses[name], query)

        yield opening


@pytest.fixture(scope="module")
def once(opened: Opening) -> Opening:
    """Pages that tests only look at, opened once."""
    return functools.cache(opened)


#: Parts that reach over the right end of the page.
OUT = """[...document.querySelectorAll('main *, header *')].filter((e) => e.checkVisibility()
    && !e.closest('.scroll, pre, svg, .unseen, .js-plotly-plot')
    && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 200))"""
#: The titles of the pictures of a view, which are their names.
TITLES = """[...document.querySelectorAll('.of-{} figure')].map((figure) => {{
    const title = document.getElementById(figure.getAttribute('aria-labelledby'));
    return figure.contains(title) && title.checkVisibility() ? title.textContent : ''; }})"""
#: What a name that was run would have made.
PLANTED = "document.querySelectorAll('aside b, aside img, main b, main image[href=x], main img').length"


@pytest.mark.for_each(("view", "name", "width"), [*product(VIEWS, SETTINGS, (390, 1280))])
def test_a_view_fits_names_its_pictures_asks_nobody_outside_and_runs_no_name(
    view: str, name: str, width: int, once: Opening
) -> None:
    """A page keeps all its complaints, so that those of earlier views count, too."""
    found = once(name=name, width=width)
    found.turn(view)
    found.page.wait_for_timeout(200)
    assert found.outside == []
    assert found.complaints == []
    assert found.page.title() == "costproof explorer"
    assert found.ask("document.documentElement.scrollWidth") <= width
    assert found.ask(OUT) == []
    titles = found.ask(TITLES.format(view))
    assert all(titles)
    assert len(set(titles)) == len(titles) == {"market": 2, "auction": 2, "provider": 1}.get(view, 0)
    if name == "hostile":
        assert "<script>document.title='run'</script>" in found.ask("document.body.textContent")
        assert found.ask("document.body.textContent.includes('\\u202e')") is False
        assert found.ask(PLANTED) == 0


@pytest.mark.for_each(("view", "scheme"), [*product(VIEWS, ("light", "dark"))])
def test_axe_finds_nothing_grave(view: str, scheme: str, once: Opening) -> None:
    found = once(scheme=scheme)
    found.turn(view)
    assert found.ask("document.documentElement.dataset.theme") == scheme
    assert grave_faults(found.page) == []


def test_sliders_and_numbers_move_the_picture_and_each_other(opened: Opening) -> None:
    found = opened()
    found.after(lambda: found.slide("exploration_scale", 0.8))
    assert float(found.box("exploration_scale", "platform", "box").input_value()) > 6
    box, slider = (found.box("quality_threshold", "platform", part) for part in ("box", "range"))
    found.after(lambda: box.fill("0.9"))
    found.until("location.search.includes('0.9')")
    assert slider.input_value() == slider.get_attribute("max") == "0.2"
    assert box.input_value() == "0.9"
    found.after(lambda: box.fill("0.1"))
    assert float(slider.input_value()) == pytest.approx(0.1, abs=0.001)
    slider.focus()
    found.after(lambda: [found.page.keyboard.press("PageDown") for _ in range(2)])
    assert found.complaints == []


#: Kinds of number boxes: which control it is, and what is said of it.
EMPTIED = {
    "confidence platform box": "Failure probability of the guarantees δ is {}; it must lie in (0, 1)",
    "mean_cost 0 box": "Mean cost of provider 1 is {}; it must not be negative",
    "horizon market lone": "Queries T is {}; it must be a whole number of at least N = 4",
}


def test_an_empty_box_stays_empty_moves_nothing_and_is_named(opened: Opening) -> None:
    """A slider that is given nothing would take the middle of its range, and the market would change in silence."""
    found = opened()
    positions = "[...document.querySelectorAll('input[type=range]')].map((slider) => slider.value)"
    shown, sliders = found.numbers(), found.ask(positions)
    for control, told in EMPTIED.items():
        box = found.box(*control.split())
        before = box.input_value()
        for typed, what in (("", "empty"), ("-", "no number")):
            box.click()
            found.page.keyboard.press("Control+a")
            found.page.keyboard.press("Delete")
            found.page.keyboard.type(typed)
            found.page.keyboard.press("Tab")
            found.page.locator("#message").filter(has_text=told.format(what)).wait_for()
            assert box.input_value() == ""
            assert (found.numbers(), found.ask(positions)) == (shown, sliders)
        box.fill(before)
        found.until("document.getElementById('message').textContent === ''")
    assert found.complaints == []


def test_guarantees_are_there_before_the_first_runs_and_stand_beside_them_then(opened: Opening) -> None:
    found = opened()
    held: list[Any] = []
    asks_for_the_market = re.compile(r"metric-picture\.figure.*\"seed\": ?11\b", re.DOTALL)

    def hold(route: Any) -> None:
        # The first page may still be asking for more of its own runs: those go on.
        if not held and asks_for_the_market.search(route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    found.page.route("**/_dash-update-component*", hold)
    found.box("seed", "market", "lone").fill("11")
    found.page.get_by_role("button", name="Guarantees", exact=True).click()
    waiting = found.page.get_by_text("waits for the first runs")
    waiting.first.wait_for()
    assert waiting.count() == 5
    held[0].continue_()
    waiting.first.wait_for(state="hidden")
    assert found.complaints == []


def test_bidders_policies_presets_and_providers_change_the_market_and_there_is_a_way_back(opened: Opening) -> None:
    found = opened()
    found.page.get_by_role("button", name="bayesian").click()
    found.page.get_by_text("does not cover the prior of bayesian bidders").wait_for()
    found.page.get_by_label("Prior strength, observations, as a number").fill("20")
    found.page.get_by_text("4 runs, bayesian:0.5:20 bidders").wait_for()
    found.page.get_by_role("button", name="Take γ as it is").click()
    found.until("location.search.includes('keep_gamma=yes')")
    found.page.get_by_role("button", name="uniform-eligible").click()
    lines = "document.querySelector('#metric-picture .js-plotly-plot').data"
    found.until(f"{lines}.some((line) => line.name === 'uniform-eligible')")
    found.page.get_by_label("Over time", exact=True).select_option("accuracy")
    found.page.get_by_text("Accuracy over time").wait_for()
    found.page.get_by_label("Start from").select_option("gsm8k-ladder")
    found.page.get_by_text("gsm8k-ladder: ").wait_for()
    providers = found.page.locator("details.provider")
    before, line = providers.count(), providers.first.locator("summary")
    found.page.get_by_role("button", name="Add a provider").click()
    found.page.get_by_text(f"{before + 1} providers,").wait_for()
    line.click()
    providers.first.get_by_role("button", name="Remove").click()
    found.page.get_by_text(f" {before} providers,").wait_for()
    line.click()
    found.box("mean_cost", "0", "box").fill("1e9")
    found.page.locator("#message").filter(has_text="are dimmed").wait_for()
    assert line.inner_text().endswith("cost 1000000000")
    found.page.get_by_role("button", name="Reset", exact=True).click()
    found.page.get_by_text(f"gsm8k-ladder: {before} providers,").wait_for()
    found.until("document.getElementById('message').textContent === ''")
    assert found.complaints == []


def test_a_step_is_chosen_and_another_bid_tried_and_a_shorter_run_takes_them_along(opened: Opening) -> None:
    found = opened(f"{SMALL}&view=auction")
    step, queries = found.box("step", "focus", "box"), found.box("horizon", "market", "lone")
    step.fill("3")
    found.page.get_by_role("heading", name="Step 3: initialization").wait_for()
    step.fill("2000")
    found.page.get_by_label("Another bid to try").fill("75")
    found.page.get_by_role("heading", name="had bid 75").wait_for()
    queries.fill("1000")
    queries.press("Tab")
    found.page.get_by_role("heading", name="Step 1,000:").wait_for()
    found.until("document.querySelector('[id*=\\'\"step\"\\'][type=number]').value === '1000'")
    found.slide("step", 0.5, "focus")
    found.until("!document.querySelector('#auction-view h3').textContent.includes('1,000')")
    assert found.complaints == []


def test_the_setting_and_a_picture_are_saved(opened: Opening, tmp_path: Path) -> None:
    found = opened(f"{SMALL}&view=export")

    def saved(button: Locator) -> Path:
        with found.page.expect_download() as download:
            button.click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        return file

    file = saved(found.page.get_by_role("link", name="Save the file"))
    assert read_setting(file) == published("gpqa-strong").setting
    found.turn("market")
    found.page.locator("#metric-picture").hover()
    file = saved(found.page.locator("#metric-picture .modebar-btn").first)
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert found.outside == []


def test_on_a_phone_the_sliders_leave_the_picture_in_sight_and_the_theme_is_kept(opened: Opening) -> None:
    found = opened(width=390)
    found.page.get_by_role("button", name="Controls").click()
    found.after(lambda: found.slide("exploration_scale", 0.8))
    picture, sheet = (found.page.locator(each).bounding_box() for each in ("#metric-picture", "aside"))
    assert picture["y"] + 100 < sheet["y"]
    found.page.keyboard.press("Escape")
    found.page.get_by_role("button", name="Controls", exact=True).wait_for()
    assert not found.page.locator("aside").is_visible()
    found.page.get_by_role("button", name="Switch to dark").click()
    found.until("document.documentElement.dataset.theme === 'dark'")
    found.page.reload()
    found.until("document.documentElement.dataset.theme === 'dark'")

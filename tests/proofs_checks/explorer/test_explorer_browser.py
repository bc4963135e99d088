"""The explorer in Chromium: it simulates while one drags, asks nobody outside, runs no name, is usable by all."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
pytest.importorskip("playwright", reason="needs playwright: pip install '.[long]'")
from playwright.sync_api import Browser, Locator, Page

from bounds.published import published
from bounds.setting.file import read_setting
from bounds.setting.model import Setting
from proofs_checks.explorer import server
from proofs_checks.explorer.controls import VIEWS
from tests.axe import grave_faults
from tests.proofs_checks.explorer.states import hostile_setting
from tests.running_browser import Pages, running_browser

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as found:
        yield found


@contextmanager
def served(setting: Setting) -> Iterator[str]:
    with server.serving(setting) as (address, running):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield address
        running.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(served(setting)) for name, setting in SETTINGS.items()}


class Opened:
    """The explorer in the browser, with all that it asked for and all that it complained about."""

    def __init__(self, pages: Pages, address: str, *, width: int, scheme: Literal["light", "dark"]) -> None:
        self.address = address
        self.complaints: list[str] = []
        self.outside: list[str] = []
        listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": lambda dialog: self.complaints.append(dialog.message),
            "response": lambda answer: self.complaints.append(answer.url) if answer.status >= 400 else None,
            "request": lambda request: self._asked(request.url),
        }
        self.page = pages.take(address, listeners, width=width, scheme=scheme)
        self.page.set_default_timeout(60_000)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.outside.append(url)

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
        return self.ask(
            "document.querySelector('#metric-picture .js-plotly-plot').data.filter((t) => t.name === 'platform')[0].y"
        )

    def after(self, change: Callable[[], Any]) -> Any:
        """Return the median once a change has moved it."""
        before = self.numbers()
        change()
        for _ in range(_PATIENCE):
            if (now := self.numbers()) != before:
                return now
            self.page.wait_for_timeout(100)
        raise AssertionError("the picture has not moved")


class Opening:
    """Opens the explorer in the browser; no two pages that are open at once share a context."""

    def __init__(self, browser: Browser, addresses: dict[str, str]) -> None:
        self.pages, self.addresses = Pages(browser), addresses

    def __call__(
        self,
        query: str = SMALL,
        *,
        name: str = "gpqa-strong",
        width: int = 1280,
        scheme: Literal["light", "dark"] = "light",
        view: str = "market",
    ) -> Opened:
        found = Opened(self.pages, self.addresses[name], width=width, scheme=scheme)
        found.page.goto(f"{self.addresses[name]}?{query}{f'&view={view}' if view else ''}")
        found.page.wait_for_selector(FILLED[view or "market"], state="attached")
        found.page.wait_for_selector("#metric-picture .scatterlayer", state="attached")
        return found


@pytest.fixture(scope="module")
def opening(browser: Browser, addresses: dict[str, str]) -> Opening:
    return Opening(browser, addresses)


@pytest.fixture
def opened(opening: Opening) -> Iterator[Callable[..., Opened]]:
    yield opening
    opening.pages.give_back()


@pytest.fixture(scope="module")
def shown(browser: Browser, addresses: dict[str, str]) -> Callable[..., Opened]:
    """Pages that tests only look at: opened once, and turned to a view with its button."""
    once = functools.cache(Opening(browser, addresses))

    def show(
        view: str, *, name: str = "gpqa-strong", width: int = 1280, scheme: Literal["light", "dark"] = "light"
    ) -> Opened:
        found = once(name=name, width=width, scheme=scheme)
        found.page.get_by_role("navigation").get_by_role("button", name=VIEWS[view], exact=True).click()
        found.page.locator(f".of-{view}").first.wait_for()
        found.page.wait_for_selector(FILLED[view], state="attached")
        found.until("!document.documentElement.hasAttribute('data-busy')")
        found.ask("window.scrollTo(0, 0)")
        return found

    return show


def slide(page: Page, key: str, share: float, of: str = "platform") -> None:
    """Drag a slider with the mouse to a share of its width, with stops on the way."""
    slider = page.locator(f'[id=\'{{"knob":"{key}","of":"{of}","part":"range"}}\']')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    value = float(slider.input_value())
    low, high = (float(slider.get_attribute(end) or "nan") for end in ("min", "max"))
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 8 + (box["width"] - 16) * (value - low) / (high - low), middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * share, middle, steps=8)
    page.mouse.up()


@pytest.mark.for_each(("view", "name"), [*product(VIEWS, SETTINGS)])
def test_it_asks_nobody_outside_and_complains_of_nothing(view: str, name: str, shown: Callable[..., Opened]) -> None:
    """Hostile names are in one of the settings: what they would do is in the title, a dialog, a request or an error.

    A page keeps all its complaints, so that those of earlier views count, too.
    """
    found = shown(view, name=name)
    found.page.wait_for_timeout(200)
    assert found.outside == []
    assert found.complaints == []
    assert found.page.title() == "costproof explorer"
    if name == "hostile":
        assert "<script>document.title='run'</script>" in found.ask("document.body.textContent")
        assert found.ask("document.body.textContent.includes('\\u202e')") is False
        planted = "aside b, aside img, main b, main image[href=x], main img"
        assert found.ask(f'document.querySelectorAll("{planted}").length') == 0


def test_sliders_and_numbers_move_the_picture_and_each_other(opened: Callable[..., Opened]) -> None:
    found = opened()
    found.after(lambda: slide(found.page, "exploration_scale", 0.8))
    box = found.page.get_by_label("Scale of the target selection count, as a number")
    assert float(box.input_value()) > 6
    box = found.page.get_by_label("Quality threshold, as a number")
    found.after(lambda: box.fill("0.9"))
    found.until("location.search.includes('0.9')")
    slider = found.page.locator("[id*='quality_threshold'][type=range]")
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
    "step focus box": "Step of the run t is {}; it must be a whole number in 1..2,000",
}


def test_an_empty_box_stays_empty_moves_nothing_and_is_named(opened: Callable[..., Opened]) -> None:
    """A slider that is given nothing would take the middle of its range, and the market would change in silence."""
    found = opened(view="auction")
    shown, sliders = found.numbers(), positions(found)
    for control, told in EMPTIED.items():
        knob, of, part = control.split()
        box = box_of(found, knob, of, part)
        if not box.is_visible():
            found.page.locator("details.provider summary").first.click()
        before = box.input_value()
        for typed, what in (("", "empty"), ("-", "no number")):
            box.click()
            found.page.keyboard.press("Control+a")
            found.page.keyboard.press("Delete")
            found.page.keyboard.type(typed)
            found.page.keyboard.press("Tab")
            found.page.locator("#message").filter(has_text=told.format(what)).wait_for()
            assert box.input_value() == ""
            assert positions(found) == sliders
            assert found.numbers() == shown
        box.fill(before)
        box.press("Tab")
        found.until("document.getElementById('message').textContent === ''")
        found.until("!document.documentElement.hasAttribute('data-busy')")
        assert (found.numbers(), positions(found)) == (shown, sliders)
    assert found.complaints == []


def box_of(found: Opened, knob: str, of: str, part: str) -> Locator:
    return found.page.locator(f'[id=\'{{"knob":"{knob}","of":"{of}","part":"{part}"}}\']')


def positions(found: Opened) -> Any:
    """Return where every slider stands."""
    return found.ask("[...document.querySelectorAll('input[type=range]')].map((slider) => slider.value)")


def test_bayesian_bidders_widen_the_platform_and_every_view_says_so(opened: Callable[..., Opened]) -> None:
    found = opened(view="auction")
    notice = found.page.get_by_text("does not cover the prior of bayesian bidders").filter(visible=True)
    assert notice.count() == 0
    found.page.get_by_role("button", name="bayesian").click()
    notice.first.wait_for()
    found.page.get_by_role("button", name="Market", exact=True).click()
    notice.first.wait_for()
    beside_slider = found.page.get_by_text("the platform takes that γ")
    beside_slider.wait_for()
    strength = found.page.get_by_label("Prior strength, observations, as a number")
    strength.fill("20")
    found.page.get_by_text("4 runs, Bayesian bidders (prior mean 0.5 c_max, worth 20 observations)").wait_for()
    kept = found.page.get_by_role("button", name="Take γ as it is")
    kept.click()
    found.page.get_by_role("button", name="Guarantees", exact=True).click()
    found.page.get_by_role("cell", name="not promised here").first.wait_for()
    assert kept.get_attribute("aria-pressed") == "true"
    found.until("location.search.includes('keep_gamma=yes')")
    assert grave_faults(found.page) == []
    found.page.get_by_role("button", name="truthful").click()
    beside_slider.wait_for(state="hidden")
    assert not strength.is_visible()
    assert found.complaints == []


def test_guarantees_are_there_while_the_first_runs_are_not_and_stand_beside_them_then(
    opened: Callable[..., Opened],
) -> None:
    found = opened()
    held: list[Any] = []

    def hold(route: Any) -> None:
        if "metric-picture.figure" in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    found.page.route("**/_dash-update-component*", hold)
    box_of(found, "seed", "market", "lone").fill("11")
    found.until("document.documentElement.hasAttribute('data-busy')")
    found.page.get_by_role("button", name="Guarantees", exact=True).click()
    waiting = found.page.get_by_text("waits for the first runs")
    waiting.first.wait_for()
    assert waiting.count() == 4
    held[0].continue_()
    waiting.first.wait_for(state="hidden")
    assert found.page.get_by_role("cell", name="not measured on this page").count() == 1
    assert found.complaints == []


def test_another_view_asks_for_no_market_that_is_drawn(opened: Callable[..., Opened]) -> None:
    found = opened()
    asked: list[str] = []
    found.page.on("request", lambda request: asked.append(request.post_data or ""))
    found.page.get_by_role("button", name="Claims", exact=True).click()
    found.page.wait_for_selector(FILLED["claims"])
    found.until("location.search.includes('view=claims')")
    assert any("claims-view.children" in each for each in asked)
    assert not any("metric-picture.figure" in each for each in asked)
    assert found.complaints == []


def test_the_way_back_replaces_what_is_wrong_and_the_line_of_a_provider_follows_its_boxes(
    opened: Callable[..., Opened],
) -> None:
    found = opened("")
    line, message = found.page.locator("details.provider summary").first, found.page.locator("#message")
    before = line.inner_text()
    cost = found.page.locator("details.provider [id*='\"mean_cost\"'][type=number]").first
    cost.fill("200")
    message.filter(has_text="are dimmed").wait_for()
    assert line.inner_text().endswith("cost 200")
    found.page.get_by_role("button", name="Reset", exact=True).click()
    found.until("document.getElementById('message').textContent === ''")
    assert line.inner_text() == before
    assert found.complaints == []


def test_policies_presets_and_providers_change_the_market(opened: Callable[..., Opened]) -> None:
    found = opened()
    found.page.get_by_role("button", name="uniform-eligible").click()
    found.until(
        "document.querySelector('#metric-picture .js-plotly-plot').data.some((t) => t.name === 'uniform-eligible')"
    )
    found.page.get_by_label("Over time", exact=True).select_option("accuracy")
    found.page.get_by_text("Accuracy over time").wait_for()
    found.page.get_by_label("Start from").select_option("gsm8k-ladder")
    found.page.get_by_text("gsm8k-ladder: ").wait_for()
    providers = found.page.locator("details.provider")
    before = providers.count()
    found.page.get_by_role("button", name="Add a provider").click()
    found.page.get_by_text(f"{before + 1} providers,").wait_for()
    providers.nth(0).locator("summary").click()
    providers.nth(0).get_by_role("button", name="Remove").click()
    found.page.get_by_text(f" {before} providers,").wait_for()
    assert found.complaints == []


def test_a_step_is_chosen_and_another_bid_tried_and_a_shorter_run_takes_them_along(
    opened: Callable[..., Opened],
) -> None:
    found = opened(view="auction")
    found.page.get_by_label("Step of the run, as a number").fill("3")
    found.page.get_by_role("heading", name="Step 3: initialization").wait_for()
    found.page.get_by_label("Step of the run, as a number").fill("2000")
    found.page.get_by_label("Another bid to try").fill("75")
    found.page.get_by_role("heading", name="had bid 75").wait_for()
    queries = found.page.get_by_label("Queries T (at most")
    queries.fill("1000")
    queries.press("Tab")
    found.page.get_by_role("heading", name="Step 1,000:").wait_for()
    found.until("document.querySelector('[id*=\\'\"step\"\\'][type=number]').value === '1000'")
    slide(found.page, "step", 0.5, "focus")
    found.until("!document.querySelector('#auction-view h3').textContent.includes('1,000')")
    assert found.complaints == []


def test_a_link_of_0_2_opens_and_reproduces_the_view(opened: Callable[..., Opened]) -> None:
    found = opened(f"{SMALL}&policies=platform,cheapest-bid&metric=accuracy&view=sweep", view="")
    found.page.get_by_text("The view “sweep” has left: use costproof sweep").wait_for()
    found.page.get_by_text("use costproof compare platform cheapest-bid").wait_for()
    assert found.page.get_by_label("Over time", exact=True).input_value() == "accuracy"
    found.until("location.search.includes('metric=accuracy') && !location.search.includes('sweep')")
    again = opened(found.page.url.partition("?")[2], view="")
    assert again.numbers() == found.numbers()
    assert again.complaints == []


def test_the_setting_the_results_and_a_picture_are_saved(opened: Callable[..., Opened], tmp_path: Path) -> None:
    found = opened(view="export")

    def saved(button: Locator) -> Path:
        with found.page.expect_download() as download:
            button.click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        return file

    file = saved(found.page.get_by_role("button", name="Save the file"))
    assert read_setting(file) == published("gpqa-strong").setting
    file = saved(found.page.get_by_role("button", name="Save the results"))
    assert file.name == "gpqa-strong-results.json"
    found.page.get_by_role("button", name="Market").click()
    found.page.locator("#metric-picture").hover()
    file = saved(found.page.locator("#metric-picture .modebar-btn").first)
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert found.outside == []


@pytest.mark.for_each("view", ["market", "auction", "provider"])
def test_every_picture_has_a_title_which_is_its_name(view: str, shown: Callable[..., Opened]) -> None:
    found = shown(view)
    named = found.ask(f"""[...document.querySelectorAll('.of-{view} figure')].map((figure) => {{
        const title = document.getElementById(figure.getAttribute('aria-labelledby'));
        return figure.contains(title) && title.checkVisibility() ? title.textContent : ''; }})""")
    assert named
    assert all(named)
    assert len(set(named)) == len(named)
    for title in named:
        assert found.page.get_by_role("figure", name=title, exact=True).count() == 1


@pytest.mark.for_each(("name", "width", "view"), [*product(["hostile"], [390, 1280], VIEWS)])
def test_nothing_scrolls_sideways(view: str, name: str, width: int, shown: Callable[..., Opened]) -> None:
    found = shown(view, name=name, width=width)
    found.page.wait_for_timeout(200)
    assert found.ask("document.documentElement.scrollWidth") <= width
    out = """[...document.querySelectorAll('main *, header *')].filter((e) => e.checkVisibility()
        && !e.closest('.scroll, pre, svg, .unseen, .js-plotly-plot')
        && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.outerHTML.slice(0, 200))"""
    assert found.ask(out) == []


def test_pictures_stay_in_place_when_the_window_changes_behind_another_view(opened: Callable[..., Opened]) -> None:
    found = opened(width=390, view="export")
    found.page.wait_for_selector("#selections-picture .main-svg", state="attached")
    found.page.set_viewport_size({"width": 1280, "height": 900})
    found.page.get_by_role("button", name="Market", exact=True).click()
    found.until("document.querySelector('#selections-picture .main-svg').getBoundingClientRect().width > 600")
    found.page.wait_for_timeout(500)  # the fault came a moment after the width
    over = """[...document.querySelectorAll('.of-market figure')].filter((figure) => {
        const [picture, caption] = ['.main-svg', 'figcaption'].map((each) => figure.querySelector(each));
        return picture.getBoundingClientRect().bottom > caption.getBoundingClientRect().top + 1; }).length"""
    assert found.ask(over) == 0
    assert found.complaints == []


def test_on_a_phone_the_sliders_leave_the_picture_in_sight(opened: Callable[..., Opened]) -> None:
    found = opened(width=390)
    found.page.get_by_role("button", name="Controls").click()
    found.page.locator("[id*='exploration_scale'][type=range]").scroll_into_view_if_needed()
    found.after(lambda: slide(found.page, "exploration_scale", 0.8))
    picture, sheet = (found.page.locator(each).bounding_box() for each in ("#metric-picture", "aside"))
    assert picture is not None
    assert sheet is not None
    assert picture["y"] + 100 < sheet["y"]
    found.page.keyboard.press("Escape")
    found.page.get_by_role("button", name="Controls", exact=True).wait_for()
    assert not found.page.locator("aside").is_visible()


@pytest.mark.for_each("view", VIEWS)
def test_on_a_phone_the_button_of_the_sliders_covers_no_end_of_a_view(view: str, shown: Callable[..., Opened]) -> None:
    found = shown(view, width=390)
    # What is folded away has a place too, below the end of the page.
    visible = f"[...document.querySelectorAll('.of-{view} *')].filter((e) => e.checkVisibility())"
    end = f"Math.max(...{visible}.map((e) => e.getBoundingClientRect().bottom))"
    button = found.page.get_by_role("button", name="Controls").bounding_box()
    assert button is not None
    # A view that is still being filled grows: then its new end is looked for.
    bottom = "window.scrollTo(0, document.documentElement.scrollHeight)"
    found.until(f"({bottom}, {end} <= {button['y']})")


@pytest.mark.for_each(
    ("view", "scheme"), [*((view, "light") for view in VIEWS), *((view, "dark") for view in ("market", "auction"))]
)
def test_axe_finds_nothing_grave(view: str, scheme: str, shown: Callable[..., Opened]) -> None:
    found = shown(view, scheme=scheme)
    assert found.ask("document.documentElement.dataset.theme") == scheme
    found.page.wait_for_timeout(200)
    assert grave_faults(found.page) == []


def test_the_theme_is_kept(opened: Callable[..., Opened]) -> None:
    found = opened()
    found.page.get_by_role("button", name="Switch to dark").click()
    found.page.get_by_role("button", name="Switch to light").wait_for()
    found.until("document.documentElement.dataset.theme === 'dark'")
    found.page.reload()
    found.until("document.documentElement.dataset.theme === 'dark'")

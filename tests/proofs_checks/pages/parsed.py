"""A page as a browser would read it, by the parser of the standard library: elements, attributes and texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = {"meta", "br", "img", "input", "link", "hr"}


@dataclass(eq=False)
class Element:
    """An element with what is in it: elements and texts in their order."""

    tag: str
    attributes: dict[str, str]
    inside: list[Element | str] = field(default_factory=list)

    def all(self, tag: str = "") -> Iterator[Element]:
        """Every element below this one, of one tag or of any."""
        # One loop: each level of generators would hand on every element below it.
        waiting = self.inside[::-1]
        while waiting:
            each = waiting.pop()
            if isinstance(each, Element):
                if tag in ("", each.tag):
                    yield each
                waiting += reversed(each.inside)

    def texts(self, without: tuple[str, ...] = ("script", "style")) -> Iterator[str]:
        waiting = self.inside[::-1]
        while waiting:
            each = waiting.pop()
            if isinstance(each, str):
                yield each
            elif each.tag not in without and not set(each.attributes.get("class", "").split()) & set(without):
                waiting += reversed(each.inside)

    def text(self, without: tuple[str, ...] = ("script", "style")) -> str:
        """What a reader sees, in one line; elements of some tags or classes left out."""
        return " ".join("".join(self.texts(without)).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def updatepos(self, i: int, j: int) -> int:
        """Count no lines: nobody asks where an element stands, and to count takes a tenth of the time."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(element)
        if tag not in _EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def parsed(page: str) -> Element:
    """Return a page's elements; every one must be closed, in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"<{reader.open[-1].tag}> is not closed"
    return reader.root

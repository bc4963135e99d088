"""Parts of the page that nobody asks for or changes, as data: the page's script builds them.

Dash goes through every part of its own at every change of the page. Controls have a name, and so has what the server
writes to. All other adjacent parts are one part, which leaves hardly anything of a view but
its pictures.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, ClassVar

from dash import html
from dash.development.base_component import Component


class PlainParts(Component):  # type: ignore[misc]
    """Adjacent parts: to Dash one part without a name, and nothing inside.

    Parameters
    ----------
    parts : str
        JSON: a list of texts and of parts, each as its tag, its properties by React's names, and what is inside.
    """

    _namespace, _type = "costproof_explorer", "Plain"
    _prop_names: ClassVar = ["parts"]
    available_properties: ClassVar = _prop_names
    _valid_wildcard_attributes: ClassVar[list[str]] = []
    available_wildcard_properties: ClassVar = _valid_wildcard_attributes


def with_plain_parts(found: Any) -> Any:
    """Return what a callback returns, with all that has no name as `PlainPart` parts.

    A part with an ``id`` stays as it is, so do all parts around it, and so does what is not a part of `dash.html`.

    Examples
    --------
    >>> with_plain_parts([html.Tr([html.Td("4", className="number")])])
    [Plain(parts='[["tr", {}, [["td", {"className": "number"}, ["4"]]]]]')]
    >>> with_plain_parts(html.P([html.B("of"), " all"], id="a"))
    P(children=Plain(parts='[["b", {}, ["of"]], " all"]'), id='a')
    >>> with_plain_parts(("4", None, 4))
    ('4', None, 4)
    """
    if isinstance(found, tuple):
        return tuple(map(with_plain_parts, found))
    if isinstance(found, list) and any(isinstance(each, Component) for each in found):
        return list(_merged(found))
    if not isinstance(found, Component):
        return found
    if _is_plain(found):
        return _as_one([found])
    inside = _inside(found)
    if any(isinstance(each, Component) for each in inside):
        several = list(_merged(inside))
        found = copy.copy(found)
        found.children = several[0] if len(several) == 1 else several
    return found


def lightened(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callback whose results come with `PlainPart` parts."""
    return lambda *asked: with_plain_parts(callback(*asked))


def _merged(parts: list[Any]) -> Iterator[Any]:
    """Yield parts, those that are plain and adjacent as one."""
    for plain, group in groupby(parts, key=_is_plain):
        several = list(group)
        if plain and any(isinstance(each, Component) for each in several):
            yield _as_one(several)
        else:
            yield from several if plain else map(with_plain_parts, several)


def _is_plain(part: Any) -> bool:
    """Return whether a part, with all that is inside, is text, or HTML without a name."""
    if not isinstance(part, Component):
        return part is None or isinstance(part, str)
    if getattr(part, "_namespace", None) != html.Div._namespace or getattr(part, "id", None) is not None:
        return False
    return all(map(_is_plain, _inside(part)))


def _inside(part: Component) -> list[Any]:
    inside = getattr(part, "children", None)
    return list(inside) if isinstance(inside, (list, tuple)) else [] if inside is None else [inside]


def _as_one(parts: list[Any]) -> PlainParts:
    return PlainParts(parts=json.dumps([_data(each) for each in parts if each is not None], ensure_ascii=False))


def _data(part: Component | str) -> Any:
    """Return a part as its tag, its properties and what is inside."""
    if isinstance(part, str):
        return part
    written = part.to_plotly_json()
    properties = {name: value for name, value in written["props"].items() if name != "children" and value is not None}
    return [written["type"].lower(), properties, [_data(each) for each in _inside(part) if each is not None]]

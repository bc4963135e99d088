"""The shell of every page: one file with its styles and one small script; it asks for nothing."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bounds.words import share
from proofs_checks.pages.figures import picture_address, pixels_across
from proofs_checks.pages.mathematics import mathml
from proofs_checks.pages.verdicts import mark_of
from proofs_checks.pages.words import counted_number, number, number_as, ratio, set_words, side, visible
from proofs_checks.verdict import COULD_NOT_FAIL


class Anchors:
    """Places on a page for things that have names: any name has a place that is a plain word.

    Examples
    --------
    >>> places = Anchors("claim")
    >>> places["lem:a b"], places["lem:a-b"], places["lem:a b"]
    ('claim-lem-a-b', 'claim-lem-a-b-2', 'claim-lem-a-b')
    """

    def __init__(self, prefix: str) -> None:
        self._prefix, self._places = prefix, dict[str, str]()

    def __getitem__(self, name: str) -> str:
        if name not in self._places:
            plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")[:80]
            place = base = f"{self._prefix}-{plain}"
            number = 1
            while place in self._places.values():
                number += 1
                place = f"{base}-{number}"
            self._places[name] = place
        return self._places[name]

    def of(self, names: Sequence[str]) -> dict[str, str]:
        """Return the places of some names."""
        return {name: self[name] for name in names}


def render(template: str, **context: Any) -> str:
    """Return a page from its template; what is in `context` is escaped unless it is markup already."""
    script, style = _asset("page.js"), _asset("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    shell = {"script": Markup(script), "style": Markup(style), "policy": policy}
    return _environment().get_template(template).render(**shell, **context)


@functools.cache
def _asset(name: str) -> str:
    return files("proofs_checks.pages").joinpath("templates", name).read_text(encoding="utf-8")


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("proofs_checks.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["could_not_fail"] = COULD_NOT_FAIL
    environment.filters |= {
        "number": number,
        "side": side,
        "ratio": ratio,
        "share": lambda value: number_as(value, share(value)),
        "counted": counted_number,
        "math": mathml,
        "words": set_words,
        "visible": visible,
        "mark": mark_of,
        "address": picture_address,
        "pixels": pixels_across,
        "plain": lambda value: visible(json.dumps(value, indent=1, ensure_ascii=False)),
    }
    return environment

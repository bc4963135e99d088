"""The site builds without a warning, needs no network, links to what is there, and knows every public name."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("sphinx", reason="needs sphinx: pip install '.[long]'")
from sphinx.util.inventory import InventoryFile

from proofs_checks.cli.commands import SUMMARIES
from tests.documentation import ROOT

pytestmark = pytest.mark.long("builds the site")

PACKAGES = ("costproof", "bounds", "mechanism", "proofs_checks", "proofs_checks.conformance")
#: What a browser fetches without being asked.
_FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}


class Links(HTMLParser):
    """The addresses of a page, those that a browser fetches by itself, and the places that others can link to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.places.add(value)
            if name in ("href", "src") and value:
                self.addresses.append(value)
                if (tag, name) in _FETCHED:
                    self.fetched.append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as CONTRIBUTING.md says, from a copy of what is in the repository."""
    checkout = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "docs", checkout / "docs", ignore=shutil.ignore_patterns("generated"))
    for beside in ("examples", "proofs_checks", "README.md", "CONTRIBUTING.md"):
        (checkout / beside).symlink_to(ROOT / beside)
    command = [sys.executable, "-P", "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "site"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return checkout / "site"


def test_the_site(site: Path) -> None:
    """One test: workers that share the tests would each build the site again."""
    pages = {path.relative_to(site): Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) > 50
    assert list(_fetched_from_elsewhere(site, pages)) == []
    assert list(_broken(site, pages)) == []
    assert list(_without_entry(site)) == []
    commands = (site / "generated" / "commands.html").read_text(encoding="utf-8")
    assert [name for name in SUMMARIES if f"usage: costproof {name} " not in commands] == []
    assert re.findall("–[a-z]+", commands) == []


def _fetched_from_elsewhere(site: Path, pages: dict[Path, Links]) -> Iterator[str]:
    for page, links in pages.items():
        yield from (f"{page}: {address}" for address in links.fetched if urlsplit(address).netloc)
    for style in site.rglob("*.css"):
        for address in re.findall(r"(?:@import|url\()\s*['\"]?([^'\")]+)", style.read_text(encoding="utf-8")):
            if urlsplit(address).netloc:
                yield f"{style.name}: {address}"


def _broken(site: Path, pages: dict[Path, Links]) -> Iterator[str]:
    """Yield the links to pages, files and places that are not there."""
    for page, links in pages.items():
        for address in set(links.addresses):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (site / page.parent / unquote(parts.path)).resolve() if parts.path else site / page
            if not target.exists():
                yield f"{page}: {address}"
            elif parts.fragment and target.suffix == ".html":
                found = pages[target.relative_to(site.resolve())] if parts.path else links
                if unquote(parts.fragment) not in found.places:
                    yield f"{page}: {address}"


def _without_entry(site: Path) -> Iterator[str]:
    """Yield the classes and functions that a package exports and the reference does not have."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    entries = {name for kind, names in inventory.data.items() if kind.startswith("py:") for name in names}
    for package in map(importlib.import_module, PACKAGES):
        for name in package.__all__:
            value = getattr(package, name)
            places = {f"{home}.{name}" for home in (*PACKAGES, getattr(value, "__module__", ""))}
            if callable(value) and not places & entries:
                yield f"{package.__name__}.{name}"

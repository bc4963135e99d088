"""Writes the generated pages into a folder, and takes out those that are no more."""

from __future__ import annotations

from pathlib import Path

from proofs_checks.handbook.pages import all_pages


def write_pages(folder: Path) -> None:
    """Write every page; one that has not changed is left alone, so that Sphinx does not read it again."""
    pages = all_pages()
    for old in set(folder.rglob("*.*")) - {folder / name for name in pages}:
        old.unlink()
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

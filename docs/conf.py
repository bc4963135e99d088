"""How Sphinx builds the site: `sphinx-build -W docs build/site`. What is generated is written into `generated/`."""

from __future__ import annotations

from html import escape
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import NoReturn

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from proofs_checks.handbook.docstrings import plain_docstring
from proofs_checks.handbook.files import write_pages
from proofs_checks.handbook.proofs import proofs_index
from proofs_checks.pages.mathematics import mathml

project = "costproof"
author = "The costproof developers"
copyright = "the costproof developers"
version = release = installed_version("costproof")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# README.md lists the same pages for those who read them where they are stored.
exclude_patterns = ["README.md"]
default_role = "literal"
# Two hyphens begin an option: they are no dash.
smartquotes_action = "qe"
nitpicky = True
# Names that are not public, or that are no objects of their own.
nitpick_ignore = [
    ("py:class", "collections.abc.Callable"),
    ("py:class", "numpy.dtype"),
    ("py:class", "numpy.ndarray"),
    ("py:class", "statistics.Comparison"),
    ("py:class", "proofs_checks.conformance.play.any_subject.AnySubject"),
]

myst_heading_anchors = 4

autodoc_member_order = "bysource"
# Types stand in the docstrings, in words.
autodoc_typehints = "none"
# There are none, and to look for them autodoc parses the source of every function again.
autodoc_use_type_comments = False
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"costproof {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False


def setup(app: Sphinx) -> None:
    """Write the generated pages before Sphinx looks for sources, and have formulas set as MathML."""
    write_pages(Path(app.srcdir) / "generated")
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.connect("source-read", _without_proofs)
    app.connect("doctree-read", _fold_pictures)
    app.connect("autodoc-process-docstring", _as_written, priority=100)


def _inline(translator: HTML5Translator, node: nodes.math) -> NoReturn:
    translator.body.append(str(mathml(node.astext())))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> NoReturn:
    formula = str(mathml(node.astext())).replace("<math>", '<math display="block">', 1)
    translator.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def _without_proofs(_app: Sphinx, name: str, source: list[str]) -> None:
    """Have the page of all proofs lead to a page of each: no browser likes it whole."""
    if name == "proofs":
        source[0] = proofs_index(source[0])


def _fold_pictures(_app: Sphinx, page: nodes.document) -> None:
    """Fold the pictures of proofs: the program that would draw them is no part of the site."""
    for picture in list(page.findall(nodes.literal_block)):
        if picture.get("language") == "mermaid":
            text = f"<details><summary>The picture, as Mermaid</summary><pre>{escape(picture.astext())}</pre></details>"
            picture.replace_self(nodes.raw("", text, format="html"))


def _as_written(_app: Sphinx, kind: str, _name: str, _of: object, _options: object, lines: list[str]) -> None:
    """Have docstrings read as they are written: |x| is an absolute value, and d_- no link."""
    lines[:] = plain_docstring(lines)
    if kind in ("property", "attribute", "data"):
        # Napoleon takes the words before a colon for a type, unless an empty comment comes first.
        lines[:0] = ["..", ""]

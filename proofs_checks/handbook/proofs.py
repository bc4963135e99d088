"""A page for the proof of each claim, and the index of them, cut from the one page docs/proofs.md.

That page stays whole where it is stored, for `costproof docs proofs`; a browser would have it 220,000 pixels long.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from proofs_checks.claims.registry import all_claims
from proofs_checks.handbook.markdown import ORPHAN, code, link, page
from proofs_checks.handbook.names import claim_file, claim_link
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.documentation import current_page

_SECTION = re.compile(r"^## (?P<title>.+)\n", re.MULTILINE)
_TO_SECTION = re.compile(r"\[(?P<label>[^\]]+)\]\(#(?P<anchor>[^)]+)\)")
#: Where the index finds the pages.
_FOLDER = "generated/proofs/"


@functools.cache
def proof_pages() -> Mapping[str, str]:
    """Return the page of every proof, by file.

    Examples
    --------
    >>> pages = proof_pages()
    >>> pages["lem-payment-range.md"].splitlines()[4]
    '# The proof of `lem:payment-range`'
    """
    _, sections = _parts(current_page())
    return MappingProxyType({claim_file(label): _page(label, sections[label]) for label in all_proofs()})


def proofs_index(whole: str) -> str:
    """Return the page of all proofs without them: its table leads to the page of each.

    Parameters
    ----------
    whole : str
        The page of all proofs. An anchor of it is an anchor of the index, in the row of the claim.

    Examples
    --------
    >>> print(proofs_index("# The proofs\\n\\n| [lem:a](#lema) | [lem:b](#lemb) |\\n\\n## lem:a\\n\\nIt is so.\\n"))
    # The proofs
    <BLANKLINE>
    | <a id="lema"></a>[lem:a](generated/proofs/lem-a.md) | [lem:b](generated/proofs/lem-b.md) |
    <BLANKLINE>
    """
    opening, sections = _parts(whole)
    rows = (_row(line) if line.startswith("| [") else line for line in opening.splitlines())
    rest = [f"## {title}\n{text}" for title, text in sections.items() if ":" not in title]
    return "\n".join([*rows, "", *rest])


def _parts(whole: str) -> tuple[str, dict[str, str]]:
    """Return what stands before the first section, and each section by its title."""
    opening, *cut = _SECTION.split(whole)
    return opening.rstrip(), dict(zip(cut[::2], cut[1::2], strict=True))


def _row(line: str) -> str:
    """Return a row of the table with links to pages, and with the place that its claim had on the one page."""
    first = _TO_SECTION.search(line)
    place = "" if first is None else f'<a id="{first["anchor"]}"></a>'
    return f"| {place}{_to_pages(line.removeprefix('| '), _FOLDER)}"


def _to_pages(text: str, above: str = "") -> str:
    """Return a text whose links to sections lead to the pages of the claims."""
    return _TO_SECTION.sub(lambda found: link(found["label"], f"{above}{claim_file(found['label'])}"), text)


def _page(label: str, section: str) -> str:
    return ORPHAN + page(f"# The proof of {code(label)}", " ".join(_around(label)), _to_pages(section))


def _around(label: str) -> Iterator[str]:
    """Yield where the claim is, and where it is said how a proof is read."""
    if label in all_claims():
        yield f"The claim: {claim_link(label, '../claims/')}."
    yield f"{link('All proofs, and how to read one', '../../proofs.md')}."

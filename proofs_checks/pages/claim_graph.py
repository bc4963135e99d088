"""The graph of the claims, which rests on which: its layout, as a picture and as a list that says the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError

from proofs_checks.pages.layers import Picture, picture
from proofs_checks.pages.verdicts import Mark

#: Nodes of a row at most, and the sizes of a node and of the room around it, in pixels.
_WIDEST = 10
_NODE_WIDTH, _NODE_HEIGHT, _ACROSS, _DOWN, _MARGIN = 86, 34, 93, 78, 6
#: Room for a line that passes between nodes, in nodes.
_BEND = 0.12
#: Letters that fit on the second line of a node.
_LETTERS = 14
_SHORT = {"Theorem": "Thm", "Lemma": "Lem", "Proposition": "Prop", "Corollary": "Cor", "Algorithm": "Alg"}
_SHORT |= {"Assumption": "Asm"}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What the graph needs to know of a claim.

    Parameters
    ----------
    label, name : str
    number : str or None
        Of the paper's PDF.
    mark : Mark
        Its verdict.
    anchor : str
        Its place on the page.
    proof_uses, paper_uses : tuple of str
        What its certificate rests on, and what the paper's proof does.
    """

    label: str
    name: str
    number: str | None
    mark: Mark
    anchor: str
    proof_uses: tuple[str, ...] = ()
    paper_uses: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Node:
    """A claim in the picture, its middle in pixels."""

    claim: Claim
    x: float
    y: float
    head: str
    tail: str


@dataclass(frozen=True, kw_only=True)
class Edge:
    """An edge from what is rested on to what rests, as a path; `checked` if a certificate says so."""

    above: str
    below: str
    path: str
    checked: bool


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A claim in the list: what it rests on, by certificate and by the paper's proof alone, and what rests on it."""

    claim: Claim
    checked: tuple[Claim, ...]
    paper: tuple[Claim, ...]
    carries: tuple[Claim, ...]


@dataclass(frozen=True, kw_only=True)
class ClaimGraph:
    """The graph of some claims.

    Parameters
    ----------
    nodes, edges : tuple
        The picture: edges that others imply are left out.
    entries : tuple of Entry
        The list: every edge.
    alone : tuple of Claim
        Claims without any.
    width, height : float
        In pixels.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    entries: tuple[Entry, ...]
    alone: tuple[Claim, ...]
    width: float
    height: float
    node_width: int = _NODE_WIDTH
    node_height: int = _NODE_HEIGHT


def claim_graph(claims: Sequence[Claim]) -> ClaimGraph:
    """Return the graph of claims; what they rest on and is none of them is left out.

    The paper's own uses are left out where they would close a circle with those of certificates.
    """
    known = {claim.label: claim for claim in claims}
    checked = {c.label: [label for label in c.proof_uses if label in known] for c in claims}
    paper = {c.label: [u for u in c.paper_uses if u in known and u not in checked[c.label]] for c in claims}
    entries = _entries(known, checked, paper)
    linked = {e.claim.label for e in entries if e.checked or e.paper or e.carries}
    both = {label: [*checked[label], *paper[label]] for label in known if label in linked}
    try:
        drawn = picture(both, widest=_WIDEST, bend=_BEND)
    except CycleError:
        drawn = picture({label: checked[label] for label in both}, widest=_WIDEST, bend=_BEND)
    return ClaimGraph(
        nodes=tuple(_node(known[label], x, y, known) for label, (x, y) in drawn.places.items()),
        edges=tuple(_edge(drawn, edge, checked) for edge in drawn.bends),
        entries=tuple(entry for entry in entries if entry.claim.label in linked),
        alone=tuple(claim for claim in claims if claim.label not in linked),
        width=drawn.width * _ACROSS + _NODE_WIDTH + 2 * _MARGIN,
        height=max(0, drawn.layers - 1) * _DOWN + _NODE_HEIGHT + 2 * _MARGIN,
    )


def _entries(
    known: Mapping[str, Claim], checked: Mapping[str, list[str]], paper: Mapping[str, list[str]]
) -> list[Entry]:
    def named(labels: Iterable[str]) -> tuple[Claim, ...]:
        wanted = set(labels)
        return tuple(claim for label, claim in known.items() if label in wanted)

    return [
        Entry(
            claim=claim,
            checked=named(checked[label]),
            paper=named(paper[label]),
            carries=named(other for other in known if label in checked[other] or label in paper[other]),
        )
        for label, claim in known.items()
    ]


def _spot(x: float, y: int) -> tuple[float, float]:
    return _MARGIN + _NODE_WIDTH / 2 + x * _ACROSS, _MARGIN + _NODE_HEIGHT / 2 + y * _DOWN


def _node(claim: Claim, x: float, y: int, known: Mapping[str, Claim]) -> Node:
    across, down = _spot(x, y)
    head, tail = _texts(claim, known)
    return Node(claim=claim, x=round(across, 1), y=round(down, 1), head=head, tail=tail)


def _texts(claim: Claim, known: Mapping[str, Claim]) -> tuple[str, str]:
    """Return the two lines of a node: the number, or the kind, and what tells it from others.

    Examples
    --------
    >>> one = Claim(label="thm:regret", name="", number="Theorem 4", mark=None, anchor="")
    >>> two = Claim(label="thm:regret:sharp", name="", number=None, mark=None, anchor="")
    >>> _texts(one, {}), _texts(two, {"thm:regret": one})
    (('Thm 4', 'regret'), ('Thm 4', 'sharp'))
    """
    kind, _, rest = claim.label.partition(":")
    base, _, variant = rest.partition(":")
    original = known.get(f"{kind}:{base}")
    number = claim.number or (original.number if original is not None and variant else None)
    head = re.sub("|".join(_SHORT), lambda word: _SHORT[word[0]], number) if number else base if variant else kind
    tail = variant or base
    return _cut(head, _LETTERS - 3), _cut(tail, _LETTERS)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _edge(drawn: Picture, edge: tuple[str, str], checked: Mapping[str, list[str]]) -> Edge:
    above, below = edge
    spots = [_spot(*place) for place in (drawn.places[above], *drawn.bends[edge], drawn.places[below])]
    x, y = spots[0]
    path, y = f"M{x:.1f} {y + _NODE_HEIGHT / 2:.1f}", y + _NODE_HEIGHT / 2
    for number, (to_x, middle) in enumerate(spots[1:], start=2):
        to_y = middle - _NODE_HEIGHT / 2
        path += f"C{x:.1f} {(y + to_y) / 2:.1f} {to_x:.1f} {(y + to_y) / 2:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
        if number < len(spots):
            y = middle + _NODE_HEIGHT / 2
            path += f"V{y:.1f}"
    return Edge(above=above, below=below, path=path, checked=above in checked[below])

"""The graph of the claims, which rests on which: its layout, as a picture and as a list that says the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError
from typing import Literal

from proofs_checks.pages.layers import Picture, picture
from proofs_checks.pages.verdicts import Mark

#: Who says that a claim rests on another, the strongest first: obligations that cite its obligations, each citation
#: checked by machine; our proof, which names it and joins it in English; the paper's proof alone.
Kind = Literal["cited", "named", "paper"]
KINDS: tuple[Kind, ...] = ("cited", "named", "paper")
#: What one claim rests on, by kind.
_Rests = Mapping[Kind, Sequence[str]]

#: Nodes of a row at most, and the sizes of a node and of the room around it, in pixels.
_WIDEST = 5
_NODE_WIDTH, _NODE_HEIGHT, _ACROSS, _DOWN, _MARGIN = 108, 54, 114, 94, 6
#: Room for a line that passes between nodes, in nodes.
_BEND = 0.06
#: Letters that fit on the first line of a node, beside its verdict, and on each of those below it, in a wide font.
_HEAD_LETTERS, _LETTERS, _LINES = 9, 16, 3
_SHORT = {"Theorem": "Thm", "Lemma": "Lem", "Proposition": "Prop", "Corollary": "Cor", "Algorithm": "Alg"}
_SHORT |= {"Assumption": "Asm"}
#: What the last word of a variant's label says of it; any other names a part or a reading of the claim.
_VARIANTS = {
    "repaired": "is that claim with its wording repaired",
    "sharp": "is that claim with a better bound",
    "anytime": "is the part of it whose bound needs no gaps",
    "gap": "is the part of it that is true whatever the cost gaps",
    "in-flight": "is that claim where queries overlap",
}


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
    cited : mapping
        The claims whose obligations those of its proof cite, each citation checked, and the names of these obligations.
    proof_uses, paper_uses : tuple of str
        What our proof names, whether or not it cites it, and what the paper's proof does.
    """

    label: str
    name: str
    number: str | None
    mark: Mark
    anchor: str
    cited: Mapping[str, Sequence[str]] = field(default_factory=dict)
    proof_uses: tuple[str, ...] = ()
    paper_uses: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Node:
    """A claim in the picture, its middle in pixels."""

    claim: Claim
    x: float
    y: float
    head: str
    tail: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """An edge from what is rested on to what rests, as a path, and who says so."""

    above: str
    below: str
    path: str
    kind: Kind


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A claim in the list: what it rests on, each under the strongest kind of edge, and what rests on it."""

    claim: Claim
    cited: tuple[Claim, ...]
    named: tuple[Claim, ...]
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

    @property
    def variants(self) -> tuple[tuple[str, str], ...]:
        """The words in boxes that stand for a variant of a claim, and what each says of it."""
        words = (node.claim.label.split(":")[2:] for node in self.nodes)
        found = sorted({word[0] for word in words if word}, key=lambda word: (word not in _VARIANTS, word))
        return tuple((word, _VARIANTS.get(word, "is one part or case of it")) for word in found)


def claim_graph(claims: Sequence[Claim]) -> ClaimGraph:
    """Return the graph of claims; what they rest on and is none of them is left out.

    The paper's own uses are left out where they would close a circle with those of our proofs.
    """
    known = {claim.label: claim for claim in claims}
    rests = {claim.label: _rests(claim, known) for claim in claims}
    entries = _entries(known, rests)
    linked = {e.claim.label for e in entries if e.cited or e.named or e.paper or e.carries}
    everything = {label: _above(rests[label], KINDS) for label in known if label in linked}
    try:
        drawn = picture(everything, widest=_WIDEST, bend=_BEND)
    except CycleError:
        ours = {label: _above(rests[label], ("cited", "named")) for label in everything}
        drawn = picture(ours, widest=_WIDEST, bend=_BEND)
    return ClaimGraph(
        nodes=tuple(_node(known[label], x, y, known) for label, (x, y) in drawn.places.items()),
        edges=tuple(_edge(drawn, edge, rests[edge[1]]) for edge in drawn.bends),
        entries=tuple(entry for entry in entries if entry.claim.label in linked),
        alone=tuple(claim for claim in claims if claim.label not in linked),
        width=drawn.width * _ACROSS + _NODE_WIDTH + 2 * _MARGIN,
        height=max(0, drawn.layers - 1) * _DOWN + _NODE_HEIGHT + 2 * _MARGIN,
    )


def _rests(claim: Claim, known: Mapping[str, Claim]) -> _Rests:
    """Return what a claim rests on, each once, under the strongest kind."""
    found: dict[Kind, list[str]] = {}
    for kind, labels in zip(KINDS, (claim.cited, claim.proof_uses, claim.paper_uses), strict=True):
        earlier = _above(found, KINDS)
        found[kind] = [label for label in dict.fromkeys(labels) if label in known and label not in earlier]
    return found


def _above(rests: _Rests, kinds: Sequence[Kind]) -> list[str]:
    return [label for kind in kinds for label in rests.get(kind, ())]


def _entries(known: Mapping[str, Claim], rests: Mapping[str, _Rests]) -> list[Entry]:
    carried: dict[str, set[str]] = {label: set() for label in known}
    for other, its in rests.items():
        for label in _above(its, KINDS):
            carried[label].add(other)
    place = {label: i for i, label in enumerate(known)}

    def named(labels: Iterable[str]) -> tuple[Claim, ...]:
        return tuple(known[label] for label in sorted(set(labels), key=place.__getitem__))

    return [
        Entry(
            claim=claim,
            cited=named(rests[label]["cited"]),
            named=named(rests[label]["named"]),
            paper=named(rests[label]["paper"]),
            carries=named(carried[label]),
        )
        for label, claim in known.items()
    ]


def _spot(x: float, y: int) -> tuple[float, float]:
    return _MARGIN + _NODE_WIDTH / 2 + x * _ACROSS, _MARGIN + _NODE_HEIGHT / 2 + y * _DOWN


def _node(claim: Claim, x: float, y: int, known: Mapping[str, Claim]) -> Node:
    across, down = _spot(x, y)
    head, tail = _texts(claim, known)
    return Node(claim=claim, x=round(across, 1), y=round(down, 1), head=head, tail=tail)


def _texts(claim: Claim, known: Mapping[str, Claim]) -> tuple[str, tuple[str, ...]]:
    """Return the first line of a node, its number or its kind, and the others: what tells it from others.

    Examples
    --------
    >>> one = Claim(label="thm:regret", name="", number="Theorem 4", mark=None, anchor="")
    >>> two = Claim(label="thm:regret:sharp", name="", number=None, mark=None, anchor="")
    >>> _texts(one, {}), _texts(two, {"thm:regret": one}), _texts(two, {})
    (('Thm 4', ('regret',)), ('Thm 4', ('sharp',)), ('Thm', ('regret: sharp',)))
    """
    kind, _, rest = claim.label.partition(":")
    base, _, variant = rest.partition(":")
    original = known.get(f"{kind}:{base}")
    number = claim.number or (original.number if original is not None and variant else None)
    head = re.sub("|".join(_SHORT), lambda word: _SHORT[word[0]], number) if number else kind.capitalize()
    tail = variant or base if number or not variant else f"{base}: {variant}"
    return _cut(head, _HEAD_LETTERS), _wrapped(tail)


def _wrapped(text: str) -> tuple[str, ...]:
    """Return a text in the lines that a node has room for, broken behind hyphens and spaces; what is left over is cut.

    Examples
    --------
    >>> _wrapped("qualified-suboptimal-selection"), _wrapped("T_id: sharp"), _wrapped("x" * 40)
    (('qualified-', 'suboptimal-', 'selection'), ('T_id: sharp',), ('xxxxxxxxxxxxxxx…',))
    """
    lines = [""]
    for word in re.findall(r"[^\s-]+[\s-]*|[\s-]+", text):
        if lines[-1] and len(f"{lines[-1]}{word}".rstrip()) > _LETTERS:
            lines.append("")
        lines[-1] += word
    shown = [_cut(line.rstrip(), _LETTERS) for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown[-1] = f"{shown[-1][: _LETTERS - 1]}…"
    return tuple(shown)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _edge(drawn: Picture, edge: tuple[str, str], rests: _Rests) -> Edge:
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
    return Edge(above=above, below=below, path=path, kind=next(kind for kind in KINDS if above in rests[kind]))

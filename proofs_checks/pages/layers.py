"""A picture of an acyclic graph in layers: everything stands below what it rests on, and few edges cross.

The usual steps: the edges that others imply are left out, every node gets a layer (Coffman and Graham, so that no
layer is too wide), long edges get a bend in each layer that they cross, the layers are ordered so that few edges
cross, and the nodes are moved towards their neighbours.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

Parents = Mapping[str, frozenset[str]]

#: Sweeps up and down, for the order within layers and for the places.
_SWEEPS = 24


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Where the nodes and edges of a graph are drawn.

    Parameters
    ----------
    places : dict of str to (float, int)
        By node: its place across, in units of a node's width from the left, and its layer from the top.
    bends : dict of (str, str) to list of (float, int)
        By edge, from what is rested on to what rests: the places that it runs through, its ends aside.
    width : float
        Largest place across.
    layers : int
    """

    places: dict[str, tuple[float, int]]
    bends: dict[tuple[str, str], list[tuple[float, int]]]
    width: float
    layers: int


def reduced(parents: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return an acyclic graph without the edges that a path of others implies.

    Examples
    --------
    >>> {node: sorted(above) for node, above in reduced({"a": [], "b": ["a"], "c": ["a", "b"]}).items()}
    {'a': [], 'b': ['a'], 'c': ['b']}
    """
    above: dict[str, frozenset[str]] = {}
    for node in TopologicalSorter(parents).static_order():
        direct = frozenset(parents.get(node, ()))
        above[node] = direct.union(*(above[parent] for parent in direct))
    return {
        node: frozenset(p for p in direct if not any(p in above[other] for other in direct))
        for node, direct in ((node, list(parents[node])) for node in parents)
    }


def picture(parents: Mapping[str, Iterable[str]], *, widest: int, bend: float = 0.25) -> Picture:
    """Return where to draw a graph.

    Parameters
    ----------
    parents : mapping of str to iterable of str
        By node, what it rests on; acyclic, every parent a key. Edges that others imply are not drawn.
    widest : int
        Nodes of a layer at most, bends aside.
    bend : float, optional
        Room that a bend takes, in units of a node's width.

    Raises
    ------
    graphlib.CycleError
        There is a circle.

    Examples
    --------
    >>> found = picture({"a": [], "b": ["a"], "c": ["a"]}, widest=2)
    >>> found.places
    {'a': (0.5, 0), 'b': (0.0, 1), 'c': (1.0, 1)}
    """
    drawn = reduced(parents)
    layer = _layers(drawn, widest)
    chains = {(p, node): _chain(p, node, layer) for node in drawn for p in sorted(drawn[node])}
    rows = _rows(layer, chains)
    links = [pair for chain in chains.values() for pair in itertools.pairwise(chain)]
    ups, downs = _neighbours(links)
    rows = _ordered(rows, ups, downs)
    across = _placed(rows, ups, downs, {name: 1.0 if name in drawn else bend for row in rows for name in row})
    least = min(across.values(), default=0.0)
    depth = {name: i for i, row in enumerate(rows) for name in row}
    spot = {name: (round(x - least, 4), depth[name]) for name, x in across.items()}
    return Picture(
        places={node: spot[node] for node in drawn},
        bends={edge: [spot[name] for name in chain[1:-1]] for edge, chain in chains.items()},
        width=max((x for x, _ in spot.values()), default=0.0),
        layers=len(rows),
    )


def _layers(parents: Parents, widest: int) -> dict[str, int]:
    """Return the layer of every node, counted from the top: below its parents, and no layer too full."""
    depth: dict[str, int] = {}
    order = list(TopologicalSorter(parents).static_order())
    height: dict[str, int] = dict.fromkeys(order, 0)
    for node in reversed(order):
        for parent in parents[node]:
            height[parent] = max(height[parent], height[node] + 1)
    full: dict[int, int] = {}
    waiting = set(order)
    while waiting:
        ready = [node for node in order if node in waiting and parents[node] <= depth.keys()]
        node = max(ready, key=lambda node: height[node])
        least = max((depth[p] + 1 for p in parents[node]), default=0)
        depth[node] = next(i for i in itertools.count(least) if full.get(i, 0) < widest)
        full[depth[node]] = full.get(depth[node], 0) + 1
        waiting.remove(node)
    return _lowered(parents, depth, order, widest)


def _lowered(parents: Parents, depth: dict[str, int], order: Sequence[str], widest: int) -> dict[str, int]:
    """Move nodes down towards what rests on them: that shortens their edges."""
    children: dict[str, list[str]] = {node: [] for node in order}
    for node, above in parents.items():
        for parent in above:
            children[parent].append(node)
    for node in reversed(order):
        if children[node]:
            lowest = min(depth[child] for child in children[node]) - 1
            for layer in range(lowest, depth[node], -1):
                if sum(d == layer for d in depth.values()) < widest:
                    depth[node] = layer
                    break
    used = sorted(set(depth.values()))
    return {node: used.index(layer) for node, layer in depth.items()}


def _chain(parent: str, node: str, layer: Mapping[str, int]) -> list[str]:
    """Return an edge as the nodes that it runs through, a bend in every layer between its ends."""
    between = range(layer[parent] + 1, layer[node])
    return [parent, *(f"{parent}\n{node}\n{i}" for i in between), node]


def _rows(layer: Mapping[str, int], chains: Mapping[tuple[str, str], list[str]]) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node, depth in layer.items():
        rows[depth].append(node)
    for (parent, _), chain in chains.items():
        for i, name in enumerate(chain[1:-1], layer[parent] + 1):
            rows[i].append(name)
    return rows


def _neighbours(links: Iterable[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    ups: dict[str, list[str]] = {}
    downs: dict[str, list[str]] = {}
    for above, below in links:
        ups.setdefault(below, []).append(above)
        downs.setdefault(above, []).append(below)
    return ups, downs


def _ordered(rows: list[list[str]], ups: Mapping[str, list[str]], downs: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the rows in the order, of those that sweeps by the mean of the neighbours try, that crosses least."""
    best, fewest = rows, _crossings(rows, downs)
    tried: list[list[list[str]]] = []
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = ups if down else downs
        rows = [list(row) for row in rows]
        for i in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            place = {name: x for x, name in enumerate(rows[i - 1 if down else i + 1])}
            wanted = {n: _mean([place[m] for m in near.get(n, ())], own) for own, n in enumerate(rows[i])}
            rows[i].sort(key=wanted.__getitem__)
        if rows in tried[-2:-1]:  # from here on two orders take turns
            break
        tried.append(rows)
        found = _crossings(rows, downs)
        if found < fewest:
            best, fewest = rows, found
    return best


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _crossings(rows: Sequence[Sequence[str]], downs: Mapping[str, list[str]]) -> int:
    """Return how many pairs of edges between neighbouring rows cross."""
    total = 0
    for above, below in itertools.pairwise(rows):
        place = {name: x for x, name in enumerate(below)}
        ends = [sorted(place[n] for n in downs.get(name, ())) for name in above]
        before: list[int] = []
        for x in itertools.chain.from_iterable(ends):
            total += len(before) - bisect.bisect_right(before, x)
            bisect.insort(before, x)
    return total


def _placed(
    rows: Sequence[Sequence[str]],
    ups: Mapping[str, list[str]],
    downs: Mapping[str, list[str]],
    size: Mapping[str, float],
) -> dict[str, float]:
    """Return the places across: as near to the neighbours as the order and the sizes of a row let them be."""
    place = {name: x for row in rows for name, x in zip(row, _apart([0.0] * len(row), row, size), strict=True)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            near = [[*ups.get(name, ()), *downs.get(name, ())] for name in row]
            wanted = [_mean([place[n] for n in names], place[name]) for name, names in zip(row, near, strict=True)]
            place.update(zip(row, _apart(wanted, row, size), strict=True))
    return place


def _apart(wanted: Sequence[float], row: Sequence[str], size: Mapping[str, float]) -> list[float]:
    """Return the places nearest to those wanted, in least squares, that keep the order and leave room for the sizes.

    With the room taken off, the places must not decrease: neighbours that would are pooled at their mean.
    """
    room = [0.0]
    for left, right in itertools.pairwise(row):
        room.append(room[-1] + (size[left] + size[right]) / 2)
    pools: list[tuple[float, int]] = []
    for want, taken in zip(wanted, room, strict=False):
        mean, count = want - taken, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        pools.append((mean, count))
    flat = [mean for mean, count in pools for _ in range(count)]
    return [x + taken for x, taken in zip(flat, room, strict=False)]

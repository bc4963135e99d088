"""The picture of a graph, beside brute force: what is reached, what is above what, how much room there is."""

from __future__ import annotations

import itertools
from graphlib import CycleError

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from proofs_checks.pages import layers
from proofs_checks.pages.layers import picture, reduced


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Acyclic graphs of up to a dozen nodes, told in any order."""
    names = [f"n{i}" for i in range(draw(st.integers(0, 12)))]
    parents = {
        name: draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else [] for i, name in enumerate(names)
    }
    return {name: parents[name] for name in draw(st.permutations(names))}


def ancestors(parents: dict[str, frozenset[str]] | dict[str, list[str]], node: str) -> set[str]:
    found: set[str] = set()
    for parent in parents[node]:
        found |= {parent} | ancestors(parents, parent)
    return found


@given(graphs())
def test_reduction_keeps_what_is_reached_and_no_edge_too_many(graph: dict[str, list[str]]) -> None:
    less = reduced(graph)
    assert less.keys() == graph.keys()
    for node in graph:
        assert ancestors(less, node) == ancestors(graph, node)
        for parent in less[node]:
            assert parent in graph[node]
            without = {**less, node: less[node] - {parent}}
            assert parent not in ancestors(without, node)


@given(graphs(), st.integers(1, 5))
def test_everything_stands_below_what_it_rests_on_and_nothing_overlaps(
    graph: dict[str, list[str]], widest: int
) -> None:
    found = picture(graph, widest=widest)
    assert found.places.keys() == graph.keys()
    rows: dict[int, list[float]] = {}
    for node, (x, layer) in found.places.items():
        assert 0 <= x <= found.width
        assert 0 <= layer < found.layers
        rows.setdefault(layer, []).append(x)
        assert all(found.places[parent][1] < layer for parent in graph[node])
    for row in rows.values():
        assert len(row) <= widest
        assert all(b - a > 1 - 1e-3 for a, b in itertools.pairwise(sorted(row)))
    for (parent, node), bends in found.bends.items():
        above, below = found.places[parent][1], found.places[node][1]
        assert [layer for _, layer in bends] == list(range(above + 1, below))
        for x, layer in bends:
            assert all(abs(x - place) > 0.6 for place in rows[layer])
    assert set(found.bends) == {(parent, node) for node, above in reduced(graph).items() for parent in above}


@pytest.mark.long("hundreds of random graphs")
@given(graphs())
def test_crossings_are_counted_as_by_brute_force(graph: dict[str, list[str]]) -> None:
    drawn = reduced(graph)
    layer = layers._layers(drawn, 4)
    chains = {(p, node): layers._chain(p, node, layer) for node in drawn for p in sorted(drawn[node])}
    rows = layers._rows(layer, chains)
    links = [pair for chain in chains.values() for pair in itertools.pairwise(chain)]
    ups, downs = layers._neighbours(links)
    place = {name: (i, x) for i, row in enumerate(rows) for x, name in enumerate(row)}
    crossing = [
        (one, other)
        for one, other in itertools.combinations(links, 2)
        if place[one[0]][0] == place[other[0]][0]
        and (place[one[0]][1] - place[other[0]][1]) * (place[one[1]][1] - place[other[1]][1]) < 0
    ]
    before = layers._crossings(rows, downs)
    assert before == len(crossing)
    assert layers._crossings(layers._ordered(rows, ups, downs), downs) <= before


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=9))
def test_places_are_the_nearest_that_leave_room(wanted: list[float]) -> None:
    """Against SciPy's isotonic regression: with the room taken off, places must not decrease."""
    row = [f"n{i}" for i in range(len(wanted))]
    size = {name: 0.25 if i % 3 else 1.0 for i, name in enumerate(row)}
    found = layers._apart(wanted, row, size)
    room = np.concatenate([[0], np.cumsum([(size[a] + size[b]) / 2 for a, b in itertools.pairwise(row)])])
    assert found == pytest.approx(scipy.optimize.isotonic_regression(np.array(wanted) - room).x + room, abs=1e-9)


def test_a_circle_is_an_error() -> None:
    with pytest.raises(CycleError):
        picture({"a": ["b"], "b": ["a"]}, widest=2)

"""A run as one of thousands that are played side by side: what each lane of a GPU does.

The kernel makes a single run fast by keeping who leads, and by playing streaks whole; lanes that do so would wait for
each other. A lane looks at every provider in every step instead, so all lanes do much the same at the same time. What a
step does to the books is the kernel's own `settle`, so the two differ in nothing but the order in which money is added.
`tests/mechanism/test_lane.py` compiles this for the processor and holds it to the plain episode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mechanism.compiled import kernel
from mechanism.compiled.kernel import clear_books, drawn_place, exchange, settle
from mechanism.compiled.layout import BOOK_FIELDS, Bidders, Keys, Log, Rules, Totals
from mechanism.market.law_tables import Floats, Ints, LawTables

inline = kernel.inline


class LaneState(NamedTuple):
    """What changes during a run; the fields that `State` has too are as they are there."""

    books: Floats
    bids: Floats
    entries: Floats  # adjusted bids, infinity for who is not eligible
    order: Ints
    overall: Floats


class LaneRun(NamedTuple):
    """Everything that a lane reads and writes in one run: a `Run` without the structures for a single one."""

    rules: Rules
    laws: LawTables
    bidders: Bidders
    keys: Keys
    state: LaneState
    log: Log
    totals: Totals


class Standings(NamedTuple):
    """What a look at all providers finds."""

    eligible: int
    wanted: int  # how many are eligible and selected fewer than `target` times
    champion: int  # -1 if nobody is eligible
    rival_entry: float  # of whom the champion beat


@inline
def must_explore(state: LaneState, provider: int, target: int) -> bool:
    """Return whether a provider is eligible and was selected fewer than `target` times."""
    return (state.entries[provider] < np.inf) & (state.books[provider * BOOK_FIELDS] < target)


@inline
def may_route(state: LaneState, provider: int, eligible: int) -> bool:
    """Return whether a baseline may serve a provider: if it is eligible, or if nobody is."""
    return (state.entries[provider] < np.inf) | (eligible == 0)


@inline
def look(rules: Rules, state: LaneState, target: int) -> Standings:
    """Return who is eligible, who must be explored, and who wins an auction against which entry."""
    eligible = wanted = np.int64(0)
    champion, leading, rival_entry = np.int64(-1), np.inf, np.inf
    for i in range(rules.n_providers):
        entry = state.entries[i]
        eligible += entry < np.inf
        wanted += must_explore(state, i, target)
        if entry < leading:  # among equals the lowest index
            champion, leading, rival_entry = i, entry, leading
        elif entry < rival_entry:
            rival_entry = entry
    return Standings(eligible, wanted, champion, rival_entry)


@inline
def explored(rules: Rules, state: LaneState, target: int, rank: int) -> int:
    """Return the eligible provider below the target that has `rank` such ones before it."""
    for i in range(rules.n_providers):
        if must_explore(state, i, target):
            if rank == 0:
                return i
            rank -= 1
    return -1


@inline
def routed(rules: Rules, state: LaneState, keys: Keys, step: int, eligible: int) -> int:
    """Return whom a baseline serves: drawn from the cheapest eligible providers, or from all if nobody is."""
    least, size = np.inf, np.int64(0)
    for i in range(rules.n_providers):
        if may_route(state, i, eligible):
            if rules.prices[i] < least:
                least, size = rules.prices[i], np.int64(0)
            size += rules.prices[i] == least
    rank = drawn_place(keys, step, size)
    for i in range(rules.n_providers):
        if may_route(state, i, eligible) & (rules.prices[i] == least):
            if rank == 0:
                return i
            rank -= 1
    return -1


@inline
def ask(run: LaneRun, step: int) -> None:
    """Draw which question of the pool the step asks, if there is one."""
    questions, order = run.laws.questions, run.state.order
    if questions > 0:
        place, passed = (step - 1) % questions, (step - 1) // questions
        if place == 0:
            for k in range(questions):
                order[k] = k
        exchange(order, run.keys.outcomes, passed, place)


@inline
def play(run: LaneRun) -> None:
    """Simulate one run and fill its totals."""
    rules, keys, state, checkpoints = run.rules, run.keys, run.state, run.totals.checkpoints
    clear_books(run)
    n = rules.n_providers  # of whom nobody's entry is read before it has served
    step, target = np.int64(1), np.int64(0)
    for at in range(checkpoints.size):
        before = n
        while step <= checkpoints[at]:
            while target < rules.rises.size and rules.rises[target] <= step:
                target += 1
            payment = rules.cost_bound
            if step <= n:
                provider, kind = keys.order[step - 1], kernel.INITIALIZATION
            else:
                found = look(rules, state, target)
                before = found.eligible
                if not rules.auctions:
                    provider, kind = routed(rules, state, keys, step, before), kernel.EMPTY
                elif before == 0:
                    provider, kind = drawn_place(keys, step, n), kernel.EMPTY
                elif found.wanted > 0:
                    rank = drawn_place(keys, step, found.wanted)
                    provider, kind = explored(rules, state, target, rank), kernel.EXPLORATION
                else:
                    provider, kind = found.champion, kernel.AUCTION
                    count = np.uint64(state.books[provider * BOOK_FIELDS])
                    payment = min(found.rival_entry + rules.cost_radii[count], payment)
            ask(run, step)
            state.entries[provider] = settle(run, step, provider, kind, payment)
            step += 1
        kernel.record(state, run.totals, before if rules.screens else n, at)

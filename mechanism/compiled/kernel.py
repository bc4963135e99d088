"""The episode as machine code: the kernel, and all that it calls, in one file.

It is one file because Numba rebuilds a cached kernel when its own file changes, not when a file that it calls does.
What the kernel takes from other files is part of the name under which it is kept (`CONSTANTS`). The functions say in
arrays and integers what `platform`, `policies`, `bidding`, `market` and `randomness` say in objects.
`tests/mechanism/test_compiled.py` holds the two equal, to the last bit.

What makes it fast: only the served provider's state changes in a step, so everybody else's adjusted bid is kept; the
provider that leads (the champion) is compared with the best of the others (the runner-up), and a streak of auctions
that it goes on winning runs in registers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, cast

import numba as nb
import numpy as np
from numpy.typing import NDArray

from bounds import machine_code
from bounds.machine_code import Function, kept_machine_code
from mechanism.compiled import vectors
from mechanism.compiled.layout import (
    AHEAD,
    BID_FIELDS,
    BLOCK,
    BOOK_FIELDS,
    CHUNK,
    LAWS_PLACE,
    Bidders,
    BidField,
    Keys,
    OutcomeSource,
    ProviderSet,
    Rules,
    Run,
    RunKeys,
    State,
    StepBlock,
    Totals,
    Tournament,
)
from mechanism.compiled.vectors import (
    add_after,
    capped_means,
    capped_sums,
    eight_draws,
    last_at_most,
    least_of_others,
    nth_one,
    ones,
    prefetch,
    put,
    running_sums,
    steps_able,
    steps_ahead,
)
from mechanism.market.law_tables import LAW_FIELDS, Floats, Ints, LawField, LawTables, Words
from mechanism.metrics.tally import ProviderField, RunField
from mechanism.tables import BAND_TOLERANCE

#: A digest of what other files contribute to the machine code.
CONSTANTS = hashlib.sha256(
    repr([BAND_TOLERANCE, LAWS_PLACE, BOOK_FIELDS, BID_FIELDS, LAW_FIELDS, CHUNK, BLOCK, AHEAD]).encode()
    + repr([*ProviderField, *RunField, *BidField, *LawField]).encode()
    + b"".join(Path(module.__file__).read_bytes() for module in (vectors, machine_code))
).hexdigest()[:12]


def _compile(function: Function) -> Function:
    function.__qualname__ = f"{function.__qualname__}_{CONSTANTS}"  # names the file in the cache
    return kept_machine_code(function, error_model="numpy", **_OPTIONS)


def inline(function: Function) -> Function:
    """Compile into every caller, without a way in from Python or C, which would take nearly twice as long."""
    without: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, nb.njit(error_model="numpy", forceinline=True, **without, **_OPTIONS)(function))


# Nothing is allocated here, so arrays need no reference counts; counting them took most of the time.
_OPTIONS: dict[str, Any] = {"_nrt": False}

_U0, _U1, _U2, _U4, _U6, _U10, _U20, _U30, _U32, _U44, _U62, _U64 = (
    np.uint64(value) for value in (0, 1, 2, 4, 6, 10, 20, 30, 32, 44, 62, 64)
)
_ALL62 = np.uint64(2**62 - 1)
_BEYOND = 2**62  # more than any count, rank or step
# Places are unsigned numbers: for signed ones Numba asks, at every access, whether they count from the end.
_SELECTIONS, _EXPLORATIONS, _ORDINARY, _SCORE, _COST, _PAYMENT, _ORDINARY_PAYMENT, _LAST = (
    np.uint64(field) for field in ProviderField
)
_EXPLORATION_COST, _INITIAL_EXCESS, _EXPLORATION_EXCESS, _EXCESS, _BIDS, _ELIGIBLE, _OUTSIDE, _UNBOUNDED = (
    int(field) for field in RunField
)
_LAWS, _BOOK_LENGTH = np.uint64(LAWS_PLACE), np.uint64(BOOK_FIELDS)
_BID_SUM, _WEIGHT, _BID, _BOUND, _QUALITY, _MEAN_COST = (np.uint64(field) for field in BidField)
_BID_LENGTH = np.uint64(BID_FIELDS)
_SCORE_LAW, _COST_LAW, _MULTIPLICITY, _FIRST_TOTAL, _COST_BITS, _SCORE_BITS, _SAMPLES = (
    np.uint64(field) for field in LawField
)
_LAW_LENGTH = np.uint64(LAW_FIELDS)
#: Kinds of a step; EMPTY is one without an auction, since nobody is eligible or a baseline routes.
INITIALIZATION, EXPLORATION, AUCTION, EMPTY = range(4)
AllTotals = NDArray[np.float64]


@inline
def squares(key: np.uint64, counter: np.uint64) -> np.uint64:
    """Return `mechanism.randomness.squares64`."""
    x = y = key * counter
    z = y + key
    x = x * x + y
    x = (x >> _U32) | (x << _U32)
    x = x * x + z
    x = (x >> _U32) | (x << _U32)
    x = x * x + y
    x = (x >> _U32) | (x << _U32)
    fourth = x * x + z
    x = (fourth >> _U32) | (fourth << _U32)
    return fourth ^ ((x * x + y) >> _U32)


@inline
def uniform_index(bits: np.uint64, size: int) -> int:
    """Return `mechanism.randomness.uniform_index`."""
    return np.int64(((bits >> _U20) * np.uint64(size)) >> _U44)


@inline
def law_place(laws: LawTables, law: int, bits: np.uint64) -> np.uint64:
    """Return where the point of `DiscreteLaw.index` stands in the tables: the first weight above the bits."""
    law = np.uint64(law)
    first = np.uint64(laws.first[law])
    if laws.sizes[law] <= 2:
        return first + np.uint64(bits >= laws.cumulative[first])
    place = np.uint64(laws.guide_first[law]) + (bits >> laws.guide_shift[law])
    found = first + np.uint64(laws.guide[place])
    # Most cells of the guide hold one bound at most: this comparison decides, and the loop is not entered.
    found += np.uint64(bits >= laws.cumulative[found])
    while bits >= laws.cumulative[found]:
        found += _U1
    return found


@inline
def in_band(common: np.uint64, fresh: np.uint64, bits: np.uint64) -> np.uint64:
    """Return `mechanism.market.provider.in_band`."""
    low = _U62 - bits
    return ((common >> low) << low) | (fresh >> bits)


@inline
def stratified(question: int, questions: int, fresh: np.uint64) -> np.uint64:
    """Return `mechanism.market.provider.stratified`."""
    length = _U0
    rest = np.uint64(questions)
    while rest > _U0:
        length += _U1
        rest >>= _U1
    high = min(_U64 - length, _U62)
    low = _U62 - high
    place = ((np.uint64(question) << high) | (fresh >> low)) // np.uint64(questions)
    return (place << low) | (fresh & ((_U1 << low) - _U1))


@inline
def shuffle(order: Ints, key: np.uint64, passed: int) -> None:
    """Set the order in which a pass asks its questions: `mechanism.market.questions.permutation`."""
    for place in range(order.size):
        order[place] = place
    for place in range(order.size):
        exchange(order, key, passed, place)


@inline
def exchange(order: Ints, key: np.uint64, passed: int, place: int) -> None:
    """Set which question a pass asks at a place, given that those before it are set; `shuffle` is this at every place.

    Later exchanges leave the place as it is.
    """
    bits = squares(key, np.uint64(passed * order.size + place))
    other = place + uniform_index(bits, order.size - place)
    drawn = order[other]
    order[other] = order[place]
    order[place] = drawn


@inline
def recorded(laws: LawTables, question: int, key: np.uint64, base: np.uint64, row: np.uint64) -> tuple[float, float]:
    """Return `RecordedMarket.outcome`, given the first counter of the step and provider."""
    n, samples, total = laws.rows[row + _MULTIPLICITY], laws.rows[row + _SAMPLES], laws.rows[row + _FIRST_TOTAL]
    first = laws.rows[row + _SCORE_LAW] + question * samples
    served, highest = first, -np.inf
    for draw in range(n):
        place = draw + uniform_index(squares(key, base + np.uint64(draw)), samples - draw)
        # What the swaps so far have brought there, the last one first: no room for all S is needed.
        for back in range(draw):
            earlier = draw - 1 - back
            if earlier + uniform_index(squares(key, base + np.uint64(earlier)), samples - earlier) == place:
                place = earlier
        total += laws.points[first + place]
        reward = laws.rewards[first + place] if n > 1 else 0.0
        if reward > highest:
            served, highest = first + place, reward
    return laws.values[served], laws.totals[total]


@inline
def outcome(source: OutcomeSource, step: int, provider: int, kind: int) -> tuple[float, float]:
    """Return `Market.outcome`; `kind` is the provider's in `LawTables.kinds`."""
    laws, order, key = source.laws, source.order, source.key
    base = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    row = np.uint64(kind) * _LAW_LENGTH
    if laws.rows[row + _SAMPLES] > 0:
        return recorded(laws, order[(step - 1) % laws.questions], key, base, row)
    score_bits = squares(key, base) >> _U2
    n, law, score_law = laws.rows[row + _MULTIPLICITY], laws.rows[row + _COST_LAW], laws.rows[row + _SCORE_LAW]
    if laws.questions == 0:
        score = laws.values[law_place(laws, score_law, score_bits)]
        if n == 1:
            bits = squares(key, base + _U2) >> _U2
            return score, laws.values[law_place(laws, law, bits)]
        difficulty = squares(key, base + _U1) >> _U2
    else:
        question = order[(step - 1) % laws.questions]
        difficulty = stratified(question, laws.questions, squares(key, base + _U1) >> _U2)
        score_bits = in_band(_ALL62 - difficulty, score_bits, np.uint64(laws.rows[row + _SCORE_BITS]))
        score = laws.values[law_place(laws, score_law, score_bits)]
    total, band = laws.rows[row + _FIRST_TOTAL], np.uint64(laws.rows[row + _COST_BITS])
    for draw in range(n):
        fresh = squares(key, base + _U2 + np.uint64(draw)) >> _U2
        total += laws.points[law_place(laws, law, in_band(difficulty, fresh, band))]
    return score, laws.totals[total]


@inline
def draws(source: OutcomeSource, step: int, provider: int, block: StepBlock, half: np.uint64) -> None:
    """Fill half of a block's bits with the draws of a score and a cost in a chunk of consecutive steps."""
    first = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    eight_draws(source.key, first, block.score_bits, half)
    eight_draws(source.key, first + _U2, block.cost_bits, half)


@inline
def outcomes(
    source: OutcomeSource,
    steps: tuple[int, int],
    provider: int,
    kind: int,
    block: StepBlock,
    half: np.uint64,
    at: np.uint64,
) -> None:
    """Fill a chunk of a block, from `at`, with the outcomes of consecutive steps of one pass: those of `outcome`.

    `steps`: the first of them, and how many are needed. `half`: where the bits of their `draws` are. Where nothing
    forbids it the whole chunk is filled: a loop of a known length has no loose ends.
    """
    laws, order, key = source.laws, source.order, source.key
    step, size = steps
    row = np.uint64(kind) * _LAW_LENGTH
    if laws.rows[row + _MULTIPLICITY] > 1 or laws.rows[row + _SAMPLES] > 0:
        for j in range(size):
            place = at + np.uint64(j)
            block.scores[place], block.costs[place] = outcome(source, step + j, provider, kind)
        return
    if laws.questions > 0:
        first = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
        score_band = np.uint64(laws.rows[row + _SCORE_BITS])
        cost_band = np.uint64(laws.rows[row + _COST_BITS])
        asked = (step - 1) % laws.questions
        for j in range(size):
            bit = half + np.uint64(j)
            fresh = squares(key, first + (np.uint64(j) << _U30) + _U1) >> _U2
            difficulty = stratified(order[asked + j], laws.questions, fresh)
            block.score_bits[bit] = in_band(_ALL62 - difficulty, block.score_bits[bit], score_band)
            block.cost_bits[bit] = in_band(difficulty, block.cost_bits[bit], cost_band)
    look_up(laws, laws.rows[row + _SCORE_LAW], (block.score_bits, half), block.scores, at)
    look_up(laws, laws.rows[row + _COST_LAW], (block.cost_bits, half), block.costs, at)


@inline
def look_up(laws: LawTables, law: int, drawn: tuple[Words, np.uint64], values: Floats, chunk: np.uint64) -> None:
    """Set a chunk of values to what as many bits draw from a law: `law_place`, with the law's own numbers at hand."""
    (bits, half), place = drawn, np.uint64(law)
    first = np.uint64(laws.first[place])
    bound = laws.cumulative[first]
    if laws.sizes[place] <= 2:
        low = laws.values[first]
        high = laws.values[first + np.uint64(laws.sizes[place] - 1)]
        for j in range(CHUNK):
            values[chunk + np.uint64(j)] = high if bits[half + np.uint64(j)] >= bound else low
        return
    cells, shift, beyond = np.uint64(laws.guide_first[place]), laws.guide_shift[place], 0
    for j in range(CHUNK):
        word = bits[half + np.uint64(j)]
        found = first + np.uint64(laws.guide[cells + (word >> shift)])
        found += np.uint64(word >= laws.cumulative[found])
        beyond += word >= laws.cumulative[found]
        values[chunk + np.uint64(j)] = laws.values[found]
    if beyond > 0:  # some cell holds several bounds
        for j in range(CHUNK):
            values[chunk + np.uint64(j)] = laws.values[law_place(laws, law, bits[half + np.uint64(j)])]


@inline
def mean_bid(total: float, weight: float, bound: float) -> float:
    """Return a running mean of costs, no more than the bound."""
    bid = total / weight
    return bid if bid < bound else bound


@inline
def standing_bid(bidders: Bidders, provider: int, key: np.uint64, bid: float, count: int) -> float:
    """Return what the bidder's `observe` returns, given its `mean_bid` and the key of its deviations."""
    if bidders.simple:
        return bid
    if bidders.fixed[provider]:
        bid = bidders.fixed_bid[provider]
    pattern = bidders.pattern[provider]
    if pattern == 0:
        return bid
    low, high = bidders.low[provider], bidders.high[provider]
    if pattern == 2:
        bid += low
    elif pattern == 3:
        bid += high
    else:
        share = np.float64(squares(key, np.uint64(count)) >> np.uint64(11)) * 2.0**-53
        if pattern == 1:
            bid += low + (high - low) * share
        else:
            bid += high if share < 0.5 else low
    if bid < 0.0:
        bid = 0.0
    return min(bid, bidders.cap[provider])


@inline
def flip(chosen: ProviderSet, provider: int) -> None:
    """Put a provider into the set, or take it out."""
    place = np.uint64(provider) >> _U6
    bit = _U1 << (np.uint64(provider) & np.uint64(63))
    change = -1 if chosen.words[place] & bit else 1
    chosen.words[place] ^= bit
    add_members(chosen, place, change)


@inline
def add_members(chosen: ProviderSet, place: np.uint64, change: int) -> None:
    """Let the sums of a set know of so many more members in a word."""
    for level in range(chosen.levels.size):
        add_after(chosen.sums, np.uint64(chosen.levels[level]), place, change)
        place >>= _U4


@inline
def count_members(chosen: ProviderSet) -> int:
    """Set the sums of a set from its words; return its size."""
    size = np.int64(0)
    chosen.sums[:] = 0
    for k in range(chosen.words.size):
        members = ones(chosen.words[k])
        size += members
        add_members(chosen, np.uint64(k), members)
    return size


@inline
def contains(words: Words, provider: int) -> bool:
    """Return whether a provider is in the set."""
    return (words[np.uint64(provider) >> _U6] >> (np.uint64(provider) & np.uint64(63))) & _U1 == _U1


@inline
def member(chosen: ProviderSet, rank: int) -> int:
    """Return the set's member with `rank` smaller ones."""
    place = _U0
    for level in range(chosen.levels.size - 1, -1, -1):
        first = np.uint64(chosen.levels[level]) + (place << _U4)
        child = last_at_most(chosen.sums, first, rank)
        rank -= chosen.sums[first + child]
        place = (place << _U4) + child
    return np.int64((place << _U6) + nth_one(chosen.words[place], rank))


@inline
def ahead(entry: float, index: int, other: float, other_index: int) -> bool:
    """Return whether one entry wins against another: the lower one, or among equals that of the lower index."""
    return (entry < other) | ((entry == other) & (index < other_index))


@inline
def enter(tournament: Tournament, provider: int, value: float) -> None:
    """Set a provider's entry, infinity if it is not eligible.

    The least of the other fifteen of a match waits for nothing below, so the levels are looked at together.
    """
    entries, leaders, levels = tournament
    place, leader = np.uint64(provider), np.int64(provider)
    for level in range(levels.size - 1):
        other, at = least_of_others(entries, place)
        put(entries, place, value)
        other_leader = np.int64(at)
        if level > 0:  # a provider leads itself
            other_leader, leaders[place] = leaders[at], leader
        beaten = ahead(other, other_leader, value, leader)
        value = min(value, other)
        leader = other_leader if beaten else leader
        place = np.uint64(levels[level + 1]) + ((place - np.uint64(levels[level])) >> _U4)
        # To set the last one takes no longer than to look whether it must be.
        if level + 2 < levels.size and entries[place] == value and leaders[place] == leader:
            return
    put(entries, place, value)
    leaders[place] = leader


@inline
def runner_up(tournament: Tournament, champion: int) -> tuple[int, float]:
    """Return who has the lowest entry but the champion, by lowest index among equals; -1 and infinity if nobody.

    It was beaten by the champion only, so it leads one of the other entries of the champion's matches.
    """
    entries, leaders, levels = tournament
    found, least, place = np.int64(-1), np.inf, np.uint64(champion)
    for level in range(levels.size):
        other, at = least_of_others(entries, place)
        other_leader = leaders[at] if level > 0 else np.int64(at)
        closer = ahead(other, other_leader, least, found)
        least = min(least, other)
        found = other_leader if closer else found
        if level + 1 < levels.size:
            place = np.uint64(levels[level + 1]) + ((place - np.uint64(levels[level])) >> _U4)
    return found, least


@inline
def deviation_key(simple: bool, deviations: Words, provider: int) -> np.uint64:
    """Return the key of a bidder's deviations, 0 where nobody deviates."""
    return _U0 if simple else deviations[provider]


@inline
def drawn_place(keys: Keys, step: int, size: int) -> int:
    """Return the platform's draw of a step, among that many."""
    return uniform_index(squares(keys.draws, np.uint64(step)), size)


@inline
def excess_payment(payment: float, second_cost: float) -> float:
    """Return what is paid above the second-lowest cost, 0 where there is none."""
    return max(payment - second_cost, 0.0) if second_cost == second_cost else 0.0


@inline
def settle(run: Run, step: int, provider: int, kind: int, payment: float) -> float:
    """Serve one query, take the bid, keep the books; return the new entry, infinity if no longer eligible."""
    rules, laws, bidders, state, log = run.rules, run.laws, run.bidders, run.state, run.log
    books, bids, key = state.books, state.bids, run.keys.outcomes
    row, bidding = np.uint64(provider) * _BOOK_LENGTH, np.uint64(provider) * _BID_LENGTH
    source = OutcomeSource(laws, state.order, key)
    score, cost = outcome(source, step, provider, np.int64(books[row + _LAWS]))
    if not rules.auctions:
        payment = cost * (1 + laws.margin)
    before_it = books[row + _SELECTIONS]
    count = np.uint64(before_it) + _U1
    if kind == EXPLORATION:
        books[row + _EXPLORATIONS] += 1.0
        state.overall[_EXPLORATION_COST] += cost
        state.overall[_EXPLORATION_EXCESS] += excess_payment(payment, rules.second_cost)
    elif kind == INITIALIZATION:
        state.overall[_INITIAL_EXCESS] += excess_payment(payment, rules.second_cost)
    else:
        books[row + _ORDINARY_PAYMENT] += payment
        if rules.measures:
            state.overall[_EXCESS] += excess_payment(payment, rules.second_cost)
            state.overall[_BIDS] += bids[bidding + _BID]
        if rules.measures and kind == AUCTION:
            mean_cost = bids[bidding + _MEAN_COST]
            width = rules.widths[count - _U1]
            state.overall[_UNBOUNDED] += (payment > rules.second_cost + width) | (payment < mean_cost - width)
    score_sum, cost_sum = books[row + _SCORE] + score, books[row + _COST] + cost
    if bidders.truthful:
        bid = mean_bid(cost_sum, before_it + 1.0, bidders.common_bound)
        if rules.measures:
            bids[bidding + _BID] = bid
    else:
        bid_sum, weight = bids[bidding + _BID_SUM] + cost, bids[bidding + _WEIGHT] + 1.0
        bid = mean_bid(bid_sum, weight, bids[bidding + _BOUND])
        deviation = deviation_key(bidders.simple, run.keys.deviations, provider)
        bid = standing_bid(bidders, provider, deviation, bid, np.int64(count))
        bids[bidding + _BID_SUM], bids[bidding + _WEIGHT], bids[bidding + _BID] = bid_sum, weight, bid
    books[row + _SELECTIONS] = before_it + 1.0
    books[row + _SCORE], books[row + _COST] = score_sum, cost_sum
    books[row + _PAYMENT] += payment
    books[row + _LAST] = step
    radius, estimate = rules.radii[count], score_sum / (before_it + 1.0)
    if rules.measures:
        band = radius * BAND_TOLERANCE
        state.overall[_OUTSIDE] += (abs(estimate - bids[bidding + _QUALITY]) > band) | (
            abs(cost_sum / (before_it + 1.0) - bids[bidding + _MEAN_COST]) > rules.cost_bound * band
        )
    if log.provider.size > 0:
        log.provider[step - 1] = provider
        log.payment[step - 1] = payment
        log.score[step - 1] = score
        log.bid[step - 1] = bid
        log.cost[step - 1] = cost
    able = not rules.screens or estimate + radius >= rules.threshold
    return bid - rules.cost_radii[count] if able else np.inf


@inline
def total(values: Floats, size: int) -> float:
    """Return the sum of the first values, in four strands that do not wait for each other."""
    first = second = third = fourth = 0.0
    whole = size - size % 4
    for j in range(0, whole, 4):
        first += values[j]
        second += values[j + 1]
        third += values[j + 2]
        fourth += values[j + 3]
    for k in range(3):  # without a branch: adding 0 changes nothing
        first += values[whole + k] if whole + k < size else 0.0
    return (first + second) + (third + fourth)


@inline
def strayed(run: Run, row: np.uint64, count: int, before_it: tuple[float, float], served: int) -> int:
    """Return how many estimates of a block of a streak lie outside their confidence bands.

    `count`, `before_it`: selections, scores and costs before the block. Sums grow and radii shrink, so the ends of the
    block say of most that none does.
    """
    rules, block, bids = run.rules, run.state.block, run.state.bids
    quality, mean_cost, cap = bids[row + _QUALITY], bids[row + _MEAN_COST], rules.cost_bound
    first, last, end = np.uint64(count), np.uint64(count + served), np.uint64(served - 1)
    scores, costs = before_it
    band = rules.radii[last] * BAND_TOLERANCE
    least, most = scores / last, block.score_sums[end] / (first + _U1)
    cheapest_mean, dearest_mean = costs / last, block.cost_sums[end] / (first + _U1)
    if (
        rules.steady
        and max(abs(least - quality), abs(most - quality)) <= band
        and max(abs(cheapest_mean - mean_cost), abs(dearest_mean - mean_cost)) <= cap * band
    ):
        return 0
    outside = 0
    for j in range(served):
        after = first + np.uint64(j) + _U1
        band = rules.radii[after] * BAND_TOLERANCE
        off_quality = abs(block.score_sums[j] / after - quality) > band
        outside += off_quality | (abs(block.cost_sums[j] / after - mean_cost) > cap * band)
    return outside


@inline
def misplaced(run: Run, row: np.uint64, count: int, served: int) -> int:
    """Return how many payments of a block of a streak leave the bounds of Appendix D; `count`: selections before it."""
    rules, payments, second = run.rules, run.state.block.payments, run.rules.second_cost
    mean_cost, first, end = run.state.bids[row + _MEAN_COST], np.uint64(count), np.uint64(served - 1)
    width = rules.widths[first + end]
    # Payments and widths shrink.
    if rules.steady and not (payments[0] > second + width or payments[end] < mean_cost - width):
        return 0
    unbounded = 0
    for j in range(served):
        width = rules.widths[first + np.uint64(j)]
        payment = payments[j]
        unbounded += (payment > second + width) | (payment < mean_cost - width)
    return unbounded


@inline
def streak(
    run: Run, steps: tuple[int, int], leader: tuple[int, float], runner_up: tuple[int, float]
) -> tuple[int, float]:
    """Hold auctions, a block at a time, while one provider wins them; return the next step and the winner's entry.

    `steps`: the next one and the last that may be played.
    """
    step, stop = steps
    provider, leading = leader
    rules, laws, bidders, state, log = run.rules, run.laws, run.bidders, run.state, run.log
    books, bids_of, block, key = state.books, state.bids, state.block, run.keys.outcomes
    row, bidding = np.uint64(provider) * _BOOK_LENGTH, np.uint64(provider) * _BID_LENGTH
    source = OutcomeSource(laws, state.order, key)
    deviation = deviation_key(bidders.simple, run.keys.deviations, provider)
    rival, rival_entry = runner_up
    kind, count = np.int64(books[row + _LAWS]), np.int64(books[row + _SELECTIONS])
    score_sum, cost_sum = books[row + _SCORE], books[row + _COST]
    bid_sum, weight, bid, bound = 0.0, 0.0, 0.0, bidders.common_bound
    if not bidders.truthful:
        bid_sum, weight, bound = bids_of[bidding + _BID_SUM], bids_of[bidding + _WEIGHT], bids_of[bidding + _BOUND]
    if rules.measures or not bidders.truthful:
        bid = bids_of[bidding + _BID]
    second, cap = rules.second_cost, rules.cost_bound
    threshold = rules.threshold if rules.screens else -np.inf
    paid, excess, bids, outside, unbounded = 0.0, 0.0, 0.0, 0, 0
    length, able, wins = CHUNK, True, True
    # Whether the first chunk will probably not be the last.
    long = leading + rules.cost_radii[np.uint64(count)] - rules.cost_radii[np.uint64(count + CHUNK)] < rival_entry
    half, drawn_from = _U0, 0
    while wins and step <= stop:
        size = min(length, stop - step + 1)
        length = BLOCK
        if laws.questions > 0:
            place = (step - 1) % laws.questions
            if place == 0:
                shuffle(state.order, key, (step - 1) // laws.questions)
            size = min(size, laws.questions - place)
        served, scores_before, costs_before = 0, score_sum, cost_sum
        while wins and served < size:
            room, at, first = min(CHUNK, size - served), np.uint64(served), np.uint64(count)
            # The draws of the chunk after this one need not wait for it.
            if drawn_from != step + served:
                draws(source, step + served, provider, block, half)
            other = half ^ np.uint64(CHUNK)
            if long:
                drawn_from = step + served + CHUNK
                draws(source, drawn_from, provider, block, other)
            outcomes(source, (step + served, room), provider, kind, block, half, at)
            half, long = other, True
            score_before = score_sum
            score_sum = running_sums(block.scores, at, score_sum, block.score_sums)
            cost_sum = running_sums(block.costs, at, cost_sum, block.cost_sums)
            capped_sums(rules.cost_radii, first, rival_entry, cap, block.payments, at)
            last = first + np.uint64(CHUNK)
            # Sums grow and radii shrink: mostly their ends say that no step of the chunk ends the streak.
            fit = rules.steady and score_before / last + rules.radii[last] >= threshold
            sure = (
                fit and bidders.truthful and min(cost_sum / (first + _U1), bound) - rules.cost_radii[last] < rival_entry
            )
            if not bidders.truthful:
                for j in range(room):
                    bid_sum += block.costs[served + j]
                    weight += 1.0
                    block.bid_sums[served + j], block.weights[served + j] = bid_sum, weight
                    mean = mean_bid(bid_sum, weight, bound)
                    block.bids[served + j] = standing_bid(bidders, provider, deviation, mean, count + j + 1)
            elif rules.measures or not sure or log.provider.size > 0:
                capped_means(block.cost_sums, at, first + _U1, bound, block.bids)
            taken = room
            if not sure:
                gone = CHUNK
                if not fit:
                    gone = steps_able(block.score_sums, at, first + _U1, rules.radii, threshold)
                lost = steps_ahead(block.bids, at, first + _U1, rules.cost_radii, rival_entry, provider < rival)
                ending = min(gone, lost)
                wins = ending >= room
                able = wins or gone > ending
                taken = room if wins else ending + 1
            final = at + np.uint64(taken - 1)
            score_sum, cost_sum = block.score_sums[final], block.cost_sums[final]
            if not bidders.truthful:
                bid_sum, weight = block.bid_sums[final], block.weights[final]
            served += taken
            count += taken
        paid += total(block.payments, served)
        if rules.measures:
            outside += strayed(run, bidding, count - served, (scores_before, costs_before), served)
            unbounded += misplaced(run, bidding, count - served, served)
            if block.payments[0] > second or not rules.steady:
                for j in range(served):
                    excess += max(block.payments[j] - second, 0.0)
            bids += bid + total(block.bids, served - 1)
        if rules.measures or not bidders.truthful:
            bid = block.bids[served - 1]
        if log.provider.size > 0:
            for j in range(served):
                log.provider[step + j - 1] = provider
                log.payment[step + j - 1] = block.payments[j]
                log.score[step + j - 1] = block.scores[j]
                log.bid[step + j - 1] = block.bids[j]
                log.cost[step + j - 1] = block.costs[j]
        step += served
    if bidders.truthful:
        bid = min(cost_sum / count, bound)
    books[row + _SELECTIONS], books[row + _LAST] = count, step - 1
    books[row + _SCORE], books[row + _COST] = score_sum, cost_sum
    books[row + _PAYMENT] += paid
    books[row + _ORDINARY_PAYMENT] += paid
    if not bidders.truthful:
        bids_of[bidding + _BID_SUM], bids_of[bidding + _WEIGHT] = bid_sum, weight
    if rules.measures or not bidders.truthful:
        bids_of[bidding + _BID] = bid
    state.overall[_EXCESS] += excess if second == second else 0.0
    state.overall[_BIDS] += bids
    state.overall[_OUTSIDE] += outside
    state.overall[_UNBOUNDED] += unbounded
    adjusted = bid - rules.cost_radii[np.uint64(count)]
    return step, adjusted if able else np.inf


@inline
def refill(rules: Rules, state: State, target: int) -> int:
    """Put the eligible providers below the target into the words of the set; return the least count of the others."""
    least = np.int64(_BEYOND)
    for i in range(rules.n_providers):
        if state.able[i]:
            count = np.int64(state.books[i * BOOK_FIELDS])
            if count >= target:
                least = min(least, count)
            else:
                state.chosen.words[i >> 6] |= _U1 << np.uint64(i & 63)
    return least


@inline
def fetch(books: Floats, bids: Floats, entries: Floats, measures: bool, provider: int) -> None:
    """Ask for the cache lines of a provider that will probably serve soon."""
    prefetch(books, np.uint64(provider) * _BOOK_LENGTH)
    prefetch(entries, np.uint64(provider))
    if measures:
        prefetch(bids, np.uint64(provider) * _BID_LENGTH)


@inline
def give_back(chosen: ProviderSet, ring: Ints, head: int, pending: int) -> None:
    """Put the providers that were drawn ahead into the set again."""
    for k in range(pending):
        flip(chosen, ring[(head + k) % AHEAD])


@inline
def cheapest(rules: Rules, state: State) -> int:
    """Make the set that of the cheapest eligible providers, or of all if nobody is; return its size."""
    anybody = False
    for i in range(rules.n_providers):
        anybody = anybody or state.able[i]
    least = np.inf
    for i in range(rules.n_providers):
        if state.able[i] or not anybody:
            least = min(least, rules.prices[i])
    size = 0
    for i in range(rules.n_providers):
        wanted = (state.able[i] or not anybody) and rules.prices[i] == least
        size += wanted
        if contains(state.chosen.words, i) != wanted:
            flip(state.chosen, i)
    return size


@inline
def record(state: State, totals: Totals, eligible: int, at: int) -> None:
    """Copy the books to the totals of a checkpoint."""
    by_provider = totals.by_provider
    state.overall[_ELIGIBLE] = eligible
    for k in range(state.overall.size):
        totals.overall[at, k] = state.overall[k]
    for field in range(by_provider.shape[1]):
        for i in range(by_provider.shape[2]):
            by_provider[at, field, i] = state.books[i * BOOK_FIELDS + field]
    for i in range(by_provider.shape[2]):
        row = np.uint64(i) * _BOOK_LENGTH
        selections = state.books[row + _SELECTIONS]
        first = 1.0 if selections > 0.0 else 0.0
        by_provider[at, LAWS_PLACE, i] = selections - state.books[row + _EXPLORATIONS] - first


@inline
def clear(run: Run) -> None:
    """Return the state to that before a first step."""
    clear_books(run)
    state = run.state
    state.able[:] = False
    state.chosen.words[:] = _U0
    state.chosen.sums[:] = 0
    state.tournament.entries[:] = np.inf


@inline
def clear_books(run: Run) -> None:
    """Return books, bids and sums to what they are before a first step."""
    rules, laws, bidders, state = run.rules, run.laws, run.bidders, run.state
    state.overall[:] = 0.0
    state.books[:] = 0.0
    state.bids[:] = 0.0
    for i in range(rules.n_providers):
        row = np.uint64(i) * _BID_LENGTH
        state.bids[row + _BID_SUM] = bidders.prior_sum[i]
        state.bids[row + _WEIGHT] = bidders.prior_weight[i]
        state.bids[row + _BOUND] = bidders.bound[i]
        state.bids[row + _QUALITY] = rules.qualities[i]
        state.bids[row + _MEAN_COST] = rules.mean_costs[i]
        state.books[np.uint64(i) * _BOOK_LENGTH + _LAWS] = laws.kinds[i]


@inline
def run_episode(run: Run) -> None:
    """Simulate one run and fill its totals and log.

    `state.chosen` is a set of providers. For the platform it holds the eligible providers selected fewer than `target`
    times, and `least` is a lower bound on the counts of the other eligible ones. Who leaves the set in the next
    explorations is drawn ahead (`state.ahead`, the next at `head`), so that its books are at hand. The target is higher
    from step `rise` on. For a baseline the set holds the providers among which it draws; it is empty when they must be
    looked up again.
    """
    rules, keys, state, checkpoints = run.rules, run.keys, run.state, run.totals.checkpoints
    entries = state.tournament.entries
    clear(run)
    n = rules.n_providers
    # Typed zeros: a literal would have Numba compile what it is passed to once more.
    eligible = size = target = least = rise = head = pending = np.int64(0)
    step, champion, rival = np.int64(1), np.int64(-1), np.int64(-1)
    leading, rival_entry = np.inf, np.inf
    for at in range(checkpoints.size):
        stop, before = checkpoints[at], n
        while step <= stop:
            before = eligible if step > n else n
            kind = INITIALIZATION
            if step <= n:
                provider = keys.order[step - 1]
            elif not rules.auctions:
                if size == 0:
                    size = cheapest(rules, state)
                provider, kind = member(state.chosen, drawn_place(keys, step, size)), EMPTY
            else:
                if rules.explores and step >= rise:
                    while target < rules.rises.size and rules.rises[target] <= step:
                        target += 1
                    rise = rules.rises[target] if target < rules.rises.size else _BEYOND
                    if target > least:
                        # Who was drawn ahead is below the target still, so this puts them back.
                        pending = np.int64(0)
                        least = refill(rules, state, target)
                        size = count_members(state.chosen)
                if eligible == 0:
                    provider, kind = drawn_place(keys, step, n), EMPTY
                elif size + pending > 0:
                    while pending < AHEAD and size > 0:
                        provider = member(state.chosen, drawn_place(keys, step + pending, size))
                        flip(state.chosen, provider)
                        fetch(state.books, state.bids, entries, rules.measures, provider)
                        state.ahead[(head + pending) % AHEAD] = provider
                        pending += 1
                        size -= 1
                    provider, kind = state.ahead[head % AHEAD], EXPLORATION
                    head += 1
                    pending -= 1
                else:
                    provider, kind = champion, AUCTION
            payment = rules.cost_bound
            if kind == AUCTION:
                served = np.uint64(state.books[np.uint64(provider) * _BOOK_LENGTH + _SELECTIONS])
                critical = rival_entry + rules.cost_radii[served]
                payment = critical if critical < payment else payment
            if run.laws.questions > 0 and (step - 1) % run.laws.questions == 0:
                shuffle(state.order, keys.outcomes, (step - 1) // run.laws.questions)
            entry = settle(run, step, provider, kind, payment)
            step += 1
            if kind == AUCTION:
                last = stop
                if least < rules.rises.size:
                    last = min(stop, rules.rises[least] - 1)
                if step <= last and ahead(entry, provider, rival_entry, rival):
                    step, entry = streak(run, (step, last), (provider, entry), (rival, rival_entry))
                    before = eligible
            able = entry < np.inf
            if able != (kind in (AUCTION, EXPLORATION) or state.able[provider]):
                state.able[provider] = able
                eligible += 1 if able else -1
                size = size if rules.auctions else 0
            if not rules.auctions:
                continue
            count = np.int64(state.books[np.uint64(provider) * _BOOK_LENGTH + _SELECTIONS])
            if kind == EXPLORATION and (not able or count >= target):
                if able:
                    least = min(least, count)
            elif kind == EXPLORATION:  # it stays, so whoever was drawn ahead must be drawn again
                give_back(state.chosen, state.ahead, head - 1, pending + 1)
                size += pending + 1
                pending = np.int64(0)
            elif kind == EMPTY and able:
                least, rise = min(least, count), 0  # looks again who is under-sampled
            enter(state.tournament, provider, entry)
            if (provider == champion) | (provider == rival) | ahead(entry, provider, rival_entry, rival):
                if provider == champion:
                    leading = entry
                    if ahead(rival_entry, rival, leading, champion):
                        champion, leading = rival, rival_entry
                        fetch(state.books, state.bids, entries, rules.measures, champion)
                elif ahead(entry, provider, leading, champion):
                    champion, leading = provider, entry
                rival, rival_entry = np.int64(-1), np.inf
                if leading < np.inf:
                    rival, rival_entry = runner_up(state.tournament, champion)
                    fetch(state.books, state.bids, entries, rules.measures, rival)  # it may well serve next but one
        record(state, run.totals, before if rules.screens else n, at)


@_compile
def run_episodes(run: Run, keys: RunKeys, by_provider: AllTotals, overall: AllTotals) -> None:
    """Simulate runs one after another; only their keys and totals differ from those of `run`."""
    for k in range(keys.outcomes.size):
        own = Keys(keys.outcomes[k], keys.draws[k], keys.orders[k], run.keys.deviations)
        totals = Totals(run.totals.checkpoints, by_provider[k], overall[k])
        run_episode(Run(run.rules, run.laws, run.bidders, own, run.state, run.log, totals))

"""The episode as machine code: everything that Numba compiles, in one file.

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
from typing import Any, cast

import numba as nb
import numpy as np

from bounds.machine_code import Function, kept_machine_code
from mechanism.compiled.layout import BOOK_FIELDS, Bidders, BookField, Keys, OutcomeSource, Rules, Run, State, StepBlock
from mechanism.market.law_tables import LAW_FIELDS, Floats, Ints, LawField, LawTables, Words
from mechanism.metrics.tally import ProviderField, RunField
from mechanism.tables import BAND_TOLERANCE

#: A digest of what other files contribute to the machine code.
CONSTANTS = hashlib.sha256(
    repr([BAND_TOLERANCE, BOOK_FIELDS, LAW_FIELDS, *ProviderField, *RunField, *BookField, *LawField]).encode()
).hexdigest()[:12]


def _compile(function: Function) -> Function:
    """Compile for calls from Python, without the interpreter's lock; keep the machine code on disk if possible."""
    function.__qualname__ = f"{function.__qualname__}_{CONSTANTS}"  # names the file in the cache
    return kept_machine_code(function, **_OPTIONS)


def _inline(function: Function) -> Function:
    """Compile into every caller."""
    return cast(Function, nb.njit(nogil=True, forceinline=True, **_OPTIONS)(function))


# Nothing is allocated here, so arrays need no reference counts; counting them took most of the time.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}

_U0, _U1, _U2, _U10, _U20, _U30, _U32, _U44, _U62, _U64 = (
    np.uint64(value) for value in (0, 1, 2, 10, 20, 30, 32, 44, 62, 64)
)
_ALL62 = np.uint64(2**62 - 1)
_SELECTIONS, _EXPLORATIONS, _ORDINARY, _SCORE, _COST, _PAYMENT, _ORDINARY_PAYMENT, _LAST = (
    int(field) for field in ProviderField
)
_EXPLORATION_COST, _INITIAL_EXCESS, _EXPLORATION_EXCESS, _EXCESS, _BIDS, _ELIGIBLE, _OUTSIDE, _UNBOUNDED = (
    int(field) for field in RunField
)
_BID_SUM, _WEIGHT, _BID, _BOUND, _QUALITY, _MEAN_COST, _LAWS = (int(field) for field in BookField)
_SCORE_LAW, _COST_LAW, _MULTIPLICITY, _FIRST_TOTAL, _COST_BITS, _SCORE_BITS, _SAMPLES = (
    int(field) for field in LawField
)
_INITIALIZATION, _EXPLORATION, _AUCTION, _EMPTY = range(4)


@_inline
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


@_inline
def uniform_index(bits: np.uint64, size: int) -> int:
    """Return `mechanism.randomness.uniform_index`."""
    return np.int64(((bits >> _U20) * np.uint64(size)) >> _U44)


@_inline
def law_place(laws: LawTables, law: int, bits: np.uint64) -> np.uint64:
    """Return where the point of `DiscreteLaw.index` stands in the tables: the first weight above the bits."""
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


@_inline
def in_band(common: np.uint64, fresh: np.uint64, bits: np.uint64) -> np.uint64:
    """Return `mechanism.market.provider.in_band`."""
    low = _U62 - bits
    return ((common >> low) << low) | (fresh >> bits)


@_inline
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


@_inline
def shuffle(order: Ints, key: np.uint64, passed: int) -> None:
    """Set the order in which a pass asks its questions: `mechanism.market.questions.permutation`."""
    size = order.size
    for place in range(size):
        order[place] = place
    for place in range(size):
        bits = squares(key, np.uint64(passed * size + place))
        other = place + uniform_index(bits, size - place)
        drawn = order[other]
        order[other] = order[place]
        order[place] = drawn


@_inline
def recorded(laws: LawTables, question: int, key: np.uint64, base: np.uint64, row: int) -> tuple[float, float]:
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


@_inline
def outcome(source: OutcomeSource, step: int, provider: int, kind: int) -> tuple[float, float]:
    """Return `Market.outcome`; `kind` is the provider's in `LawTables.kinds`."""
    laws, order, key = source.laws, source.order, source.key
    base = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    row = kind * LAW_FIELDS
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


@_inline
def outcomes(source: OutcomeSource, step: int, size: int, provider: int, block: StepBlock) -> None:
    """Fill a block with the outcomes of consecutive steps of one pass: `outcome`, in loops that vectorize."""
    laws, order, key, kind = source.laws, source.order, source.key, source.laws.kinds[provider]
    first = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    row = kind * LAW_FIELDS
    if laws.rows[row + _MULTIPLICITY] > 1 or laws.rows[row + _SAMPLES] > 0:
        for j in range(size):
            block.scores[j], block.costs[j] = outcome(source, step + j, provider, kind)
        return
    for j in range(size):
        block.score_bits[j] = squares(key, first + (np.uint64(j) << _U30)) >> _U2
        block.cost_bits[j] = squares(key, first + (np.uint64(j) << _U30) + _U2) >> _U2
    law, score_law = laws.rows[row + _COST_LAW], laws.rows[row + _SCORE_LAW]
    if laws.questions > 0:
        score_band = np.uint64(laws.rows[row + _SCORE_BITS])
        cost_band = np.uint64(laws.rows[row + _COST_BITS])
        place = (step - 1) % laws.questions
        for j in range(size):
            fresh = squares(key, first + (np.uint64(j) << _U30) + _U1) >> _U2
            difficulty = stratified(order[place + j], laws.questions, fresh)
            block.score_bits[j] = in_band(_ALL62 - difficulty, block.score_bits[j], score_band)
            block.cost_bits[j] = in_band(difficulty, block.cost_bits[j], cost_band)
    look_up(laws, score_law, size, block.score_bits, block.scores)
    look_up(laws, law, size, block.cost_bits, block.costs)


@_inline
def look_up(laws: LawTables, law: int, size: int, bits: Words, drawn: Floats) -> None:
    """Return the values that many bits draw from a law: `law_place`, with the law's own numbers at hand."""
    first = laws.first[law]
    bound = laws.cumulative[first]
    if laws.sizes[law] <= 2:
        low = laws.values[first]
        high = laws.values[first + laws.sizes[law] - 1]
        for j in range(size):
            drawn[j] = high if bits[j] >= bound else low
        return
    cells, shift = np.uint64(laws.guide_first[law]), laws.guide_shift[law]
    for j in range(size):
        word = bits[j]
        found = np.uint64(first) + np.uint64(laws.guide[cells + (word >> shift)])
        found += np.uint64(word >= laws.cumulative[found])
        while word >= laws.cumulative[found]:
            found += _U1
        drawn[j] = laws.values[found]


@_inline
def mean_bid(total: float, weight: float, bound: float) -> float:
    """Return a running mean of costs, no more than the bound."""
    bid = total / weight
    return bid if bid < bound else bound


@_inline
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


@_inline
def popcount(word: np.uint64) -> int:
    """Return how many bits of a word are set."""
    word = word - ((word >> _U1) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> _U2) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@_inline
def flip(words: Words, ranks: Ints, provider: int) -> None:
    """Put a provider into the set, or take it out."""
    place = provider >> 6
    bit = _U1 << np.uint64(provider & 63)
    change = -1 if words[place] & bit else 1
    words[place] ^= bit
    place += 1
    while place < ranks.size:
        ranks[place] += change
        place += place & -place


@_inline
def contains(words: Words, provider: int) -> bool:
    """Return whether a provider is in the set."""
    return (words[provider >> 6] >> np.uint64(provider & 63)) & _U1 == _U1


@_inline
def member(words: Words, ranks: Ints, rank: int) -> int:
    """Return the set's member with `rank` smaller ones."""
    place, width = 0, 1
    while 2 * width < ranks.size:
        width *= 2
    while width > 0:
        if place + width < ranks.size and ranks[place + width] <= rank:
            place += width
            rank -= ranks[place]
        width //= 2
    word = words[place]
    for _ in range(rank):
        word &= word - _U1
    return (place << 6) + popcount((word & (~word + _U1)) - _U1)


@_inline
def least_of_eight(entries: Floats, first: int) -> float:
    """Return the least of eight entries, by comparisons of which few wait for another."""
    one = min(min(entries[first], entries[first + 1]), min(entries[first + 2], entries[first + 3]))
    other = min(min(entries[first + 4], entries[first + 5]), min(entries[first + 6], entries[first + 7]))
    return min(one, other)


@_inline
def enter(entries: Floats, levels: Ints, provider: int, value: float) -> None:
    """Set a provider's entry among the champion's rivals; infinity takes it out.

    `levels` says where the levels of a tournament begin in `entries`: the providers themselves, then the lowest of
    every eight of them, and so on (eight numbers are one cache line). With one level, entries are a plain list.
    """
    place = provider
    entries[place] = value
    for level in range(1, levels.size):
        least = least_of_eight(entries, levels[level - 1] + ((place >> 3) << 3))
        place >>= 3
        if entries[levels[level] + place] == least:
            return
        entries[levels[level] + place] = least


@_inline
def best(entries: Floats, levels: Ints) -> tuple[int, float]:
    """Return the rival with the lowest entry, by lowest index among equals; -1 and infinity without one."""
    level = levels.size - 1
    found, least, first = np.int64(-1), np.inf, levels[level]
    for k in range(entries.size - first):
        if entries[first + k] < least:
            found, least = k, entries[first + k]
    if found < 0:
        return found, least
    while level > 0:
        level -= 1
        first, found = levels[level] + 8 * found, 8 * found
        place = np.int64(0)
        for k in range(7, -1, -1):  # the first that equals it, without a branch
            place = k if entries[first + k] == least else place
        found += place
    return found, least


@_inline
def deviation_key(run: Run, provider: int) -> np.uint64:
    """Return the key of a bidder's deviations, 0 where nobody deviates."""
    return _U0 if run.bidders.simple else run.keys.deviations[provider]


@_inline
def drawn_place(keys: Keys, step: int, size: int) -> int:
    """Return the platform's draw of a step, among that many."""
    return uniform_index(squares(keys.draws, np.uint64(step)), size)


@_inline
def settle(run: Run, step: int, provider: int, kind: int, payment: float) -> float:
    """Serve one query, take the bid, keep the books; return the new entry, infinity if no longer eligible."""
    rules, laws, bidders, state, log = run.rules, run.laws, run.bidders, run.state, run.log
    books, row, key = state.books, provider * BOOK_FIELDS, run.keys.outcomes
    if laws.questions > 0 and (step - 1) % laws.questions == 0:
        shuffle(state.order, key, (step - 1) // laws.questions)
    source = OutcomeSource(laws, state.order, key)
    score, cost = outcome(source, step, provider, np.int64(state.books[row + _LAWS]))
    if not rules.auctions:
        payment = cost * (1 + laws.margin)
    count = np.int64(books[row + _SELECTIONS]) + 1
    excess = max(payment - rules.second_cost, 0.0) if rules.second_cost == rules.second_cost else 0.0
    quality, mean_cost = books[row + _QUALITY], books[row + _MEAN_COST]
    if kind == _EXPLORATION:
        books[row + _EXPLORATIONS] += 1.0
        state.overall[_EXPLORATION_COST] += cost
        state.overall[_EXPLORATION_EXCESS] += excess
    elif kind == _INITIALIZATION:
        state.overall[_INITIAL_EXCESS] += excess
    else:
        books[row + _ORDINARY] += 1.0
        books[row + _ORDINARY_PAYMENT] += payment
        if rules.measures:
            state.overall[_EXCESS] += excess
            state.overall[_BIDS] += books[row + _BID]
        if rules.measures and kind == _AUCTION:
            width = rules.cost_bound * rules.radii[count - 1] * BAND_TOLERANCE
            state.overall[_UNBOUNDED] += (payment > rules.second_cost + width) | (payment < mean_cost - width)
    score_sum, cost_sum = books[row + _SCORE] + score, books[row + _COST] + cost
    bid_sum, weight = books[row + _BID_SUM] + cost, books[row + _WEIGHT] + 1.0
    bid = mean_bid(bid_sum, weight, books[row + _BOUND])
    bid = standing_bid(bidders, provider, deviation_key(run, provider), bid, count)
    books[row + _SELECTIONS] = count
    books[row + _SCORE], books[row + _COST] = score_sum, cost_sum
    books[row + _BID_SUM], books[row + _WEIGHT], books[row + _BID] = bid_sum, weight, bid
    books[row + _PAYMENT] += payment
    books[row + _LAST] = step
    radius, estimate = rules.radii[count], score_sum / count
    if rules.measures:
        band = radius * BAND_TOLERANCE
        state.overall[_OUTSIDE] += (abs(estimate - quality) > band) | (
            abs(cost_sum / count - mean_cost) > rules.cost_bound * band
        )
    if log.provider.size > 0:
        log.provider[step - 1] = provider
        log.payment[step - 1] = payment
        log.score[step - 1] = score
        log.bid[step - 1] = bid
        log.cost[step - 1] = cost
    able = not rules.screens or estimate + radius >= rules.threshold
    return bid - rules.cost_radii[count] if able else np.inf


@_inline
def total(values: Floats, size: int) -> float:
    """Return the sum of the first values, in four strands that do not wait for each other."""
    first = second = third = fourth = 0.0
    whole = size - size % 4
    for j in range(0, whole, 4):
        first += values[j]
        second += values[j + 1]
        third += values[j + 2]
        fourth += values[j + 3]
    for j in range(whole, size):
        first += values[j]
    return (first + second) + (third + fourth)


@_inline
def streak(run: Run, step: int, stop: int, provider: int, runner_up: tuple[int, float]) -> tuple[int, float]:
    """Hold auctions, a block at a time, while one provider wins them; return the next step and the winner's entry."""
    rules, laws, bidders, state, log = run.rules, run.laws, run.bidders, run.state, run.log
    books, block, row, key = state.books, state.block, provider * BOOK_FIELDS, run.keys.outcomes
    source, deviation = OutcomeSource(laws, state.order, key), deviation_key(run, provider)
    rival, rival_entry = runner_up
    count, began = np.int64(books[row + _SELECTIONS]), step
    score_sum, bid_sum, weight = books[row + _SCORE], books[row + _BID_SUM], books[row + _WEIGHT]
    cost_sum, bid, bound = books[row + _COST], books[row + _BID], books[row + _BOUND]
    quality, mean_cost = books[row + _QUALITY], books[row + _MEAN_COST]
    second, cap = rules.second_cost, rules.cost_bound
    threshold = rules.threshold if rules.screens else -np.inf
    paid, excess, bids, outside, unbounded = 0.0, 0.0, 0.0, 0, 0
    length, able, wins, adjusted = 8, True, True, rival_entry
    while wins and step <= stop:
        size = min(length, stop - step + 1)
        length = block.scores.size
        if laws.questions > 0:
            place = (step - 1) % laws.questions
            if place == 0:
                shuffle(state.order, key, (step - 1) // laws.questions)
            size = min(size, laws.questions - place)
        outcomes(source, step, size, provider, block)
        for j in range(size):
            score_sum += block.scores[j]
            cost_sum += block.costs[j]
            block.score_sums[j], block.cost_sums[j] = score_sum, cost_sum
        if bidders.truthful:
            for j in range(size):
                block.bids[j] = min(block.cost_sums[j] / (count + j + 1), bound)
        else:
            for j in range(size):
                bid_sum += block.costs[j]
                weight += 1.0
                block.bid_sums[j], block.weights[j] = bid_sum, weight
                mean = mean_bid(block.bid_sums[j], block.weights[j], bound)
                block.bids[j] = standing_bid(bidders, provider, deviation, mean, count + j + 1)
        for j in range(size):
            block.estimates[j] = block.score_sums[j] / (count + j + 1)
            block.adjusted[j] = block.bids[j] - rules.cost_radii[count + j + 1]
        served, lost = size, 0
        for j in range(size):
            lost += (block.estimates[j] + rules.radii[count + j + 1] < threshold) | (block.adjusted[j] >= rival_entry)
        if lost > 0:  # somewhere in the block, or a tie: look step by step
            served = 0
            while wins and served < size:
                able = block.estimates[served] + rules.radii[count + served + 1] >= threshold
                adjusted = block.adjusted[served]
                wins = able and (adjusted < rival_entry or (adjusted == rival_entry and provider < rival))
                served += 1
        adjusted = block.adjusted[served - 1]
        for j in range(served):
            payment = rules.cost_radii[count + j] + rival_entry
            block.payments[j] = payment if payment < cap else cap
        paid += total(block.payments, served)
        if rules.measures:
            above = 0
            for j in range(served):
                width = cap * rules.radii[count + j] * BAND_TOLERANCE
                payment = block.payments[j]
                unbounded += (payment > second + width) | (payment < mean_cost - width)
                above += payment > second
                band = rules.radii[count + j + 1] * BAND_TOLERANCE
                cost_error = abs(block.cost_sums[j] / (count + j + 1) - mean_cost)
                outside += (abs(block.estimates[j] - quality) > band) | (cost_error > cap * band)
            if above > 0:
                for j in range(served):
                    excess += max(block.payments[j] - second, 0.0)
            bids += bid + total(block.bids, served - 1)
        bid = block.bids[served - 1]
        if log.provider.size > 0:
            for j in range(served):
                log.provider[step + j - 1] = provider
                log.payment[step + j - 1] = block.payments[j]
                log.score[step + j - 1] = block.scores[j]
                log.bid[step + j - 1] = block.bids[j]
                log.cost[step + j - 1] = block.costs[j]
        step += served
        count += served
        score_sum, cost_sum = block.score_sums[served - 1], block.cost_sums[served - 1]
        if bidders.truthful:
            bid_sum, weight = cost_sum, np.float64(count)
        else:
            bid_sum, weight = block.bid_sums[served - 1], block.weights[served - 1]
    books[row + _SELECTIONS], books[row + _LAST] = count, step - 1
    books[row + _SCORE], books[row + _COST] = score_sum, cost_sum
    books[row + _BID_SUM], books[row + _WEIGHT], books[row + _BID] = bid_sum, weight, bid
    books[row + _PAYMENT] += paid
    books[row + _ORDINARY_PAYMENT] += paid
    books[row + _ORDINARY] += step - began
    state.overall[_EXCESS] += excess if second == second else 0.0
    state.overall[_BIDS] += bids
    state.overall[_OUTSIDE] += outside
    state.overall[_UNBOUNDED] += unbounded
    return step, adjusted if able else np.inf


@_inline
def refill(rules: Rules, state: State, target: int) -> int:
    """Put the eligible providers below the target into the set; return the least count of the others."""
    least = np.int64(2**62)
    for i in range(rules.n_providers):
        if state.able[i]:
            count = np.int64(state.books[i * BOOK_FIELDS + _SELECTIONS])
            if count >= target:
                least = min(least, count)
            elif not contains(state.words, i):
                flip(state.words, state.ranks, i)
    return least


@_inline
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
        if contains(state.words, i) != wanted:
            flip(state.words, state.ranks, i)
    return size


@_inline
def record(run: Run, eligible: int, at: int) -> None:
    """Copy the books to the totals of a checkpoint."""
    state, by_provider = run.state, run.totals.by_provider
    state.overall[_ELIGIBLE] = eligible
    for k in range(state.overall.size):
        run.totals.overall[at, k] = state.overall[k]
    for field in range(by_provider.shape[1]):
        for i in range(by_provider.shape[2]):
            by_provider[at, field, i] = state.books[i * BOOK_FIELDS + field]


@_inline
def clear(run: Run) -> None:
    """Return the state to that before a first step."""
    rules, laws, bidders, state = run.rules, run.laws, run.bidders, run.state
    state.books[:] = 0.0
    for i in range(rules.n_providers):
        row = i * BOOK_FIELDS
        state.books[row + _BID_SUM] = bidders.prior_sum[i]
        state.books[row + _WEIGHT] = bidders.prior_weight[i]
        state.books[row + _BOUND] = bidders.bound[i]
        state.books[row + _QUALITY] = rules.qualities[i]
        state.books[row + _MEAN_COST] = rules.mean_costs[i]
        state.books[row + _LAWS] = laws.kinds[i]
    state.able[:] = False
    state.words[:] = _U0
    state.ranks[:] = 0
    state.entries[:] = np.inf
    state.overall[:] = 0.0


@_compile
def run_episode(run: Run) -> None:
    """Simulate one run and fill its totals and log.

    `state.words` is a set of providers. For the platform it holds the eligible providers selected fewer than `target`
    times, and `least` is a lower bound on the counts of the other eligible ones. For a baseline it holds the providers
    among which it draws; it is empty when they must be looked up again.
    """
    rules, keys, state, checkpoints = run.rules, run.keys, run.state, run.totals.checkpoints
    clear(run)
    n = rules.n_providers
    # Typed zeros: a literal would have Numba compile what it is passed to once more.
    eligible = size = target = least = np.int64(0)
    step, champion, rival = np.int64(1), np.int64(-1), np.int64(-1)
    leading, rival_entry = np.inf, np.inf
    for at in range(checkpoints.size):
        stop, before = checkpoints[at], n
        while step <= stop:
            before = eligible if step > n else n
            kind = _INITIALIZATION
            if step <= n:
                provider = keys.order[step - 1]
            elif not rules.auctions:
                if size == 0:
                    size = cheapest(rules, state)
                provider, kind = member(state.words, state.ranks, drawn_place(keys, step, size)), _EMPTY
            else:
                if rules.explores and rules.targets[step] > target:
                    target = rules.targets[step]
                    if target > least:
                        least = refill(rules, state, target)
                        size = 0
                        for word in state.words:
                            size += popcount(word)
                if eligible == 0:
                    provider, kind = drawn_place(keys, step, n), _EMPTY
                elif size > 0:
                    provider, kind = member(state.words, state.ranks, drawn_place(keys, step, size)), _EXPLORATION
                else:
                    provider, kind = champion, _AUCTION
            payment = rules.cost_bound
            if kind == _AUCTION:
                critical = rival_entry + rules.cost_radii[np.int64(state.books[provider * BOOK_FIELDS + _SELECTIONS])]
                payment = critical if critical < payment else payment
            entry = settle(run, step, provider, kind, payment)
            step += 1
            if kind == _AUCTION:
                last = stop
                if least < rules.rises.size:
                    last = min(stop, rules.rises[least] - 1)
                if step <= last and (entry < rival_entry or (entry == rival_entry and provider < rival)):
                    step, entry = streak(run, step, last, provider, (rival, rival_entry))
                    before = eligible
            able = entry < np.inf
            if able != (kind in (_AUCTION, _EXPLORATION) or state.able[provider]):
                state.able[provider] = able
                eligible += 1 if able else -1
                size = size if rules.auctions else 0
            if not rules.auctions:
                continue
            count = np.int64(state.books[provider * BOOK_FIELDS + _SELECTIONS])
            if kind == _EXPLORATION and (not able or count >= target):
                flip(state.words, state.ranks, provider)
                size -= 1
                if able:
                    least = min(least, count)
            elif kind == _EMPTY and able:
                least, target = min(least, count), 0  # looks again who is under-sampled
            if provider == champion:
                leading = entry
            else:
                enter(state.entries, state.levels, provider, entry)
                if provider == rival:
                    rival, rival_entry = best(state.entries, state.levels)
                elif entry < rival_entry or (entry == rival_entry and provider < rival):
                    rival, rival_entry = provider, entry
            if rival >= 0 and (rival_entry < leading or (rival_entry == leading and rival < champion)):
                enter(state.entries, state.levels, rival, np.inf)
                if champion >= 0:
                    enter(state.entries, state.levels, champion, leading)
                champion, leading = rival, rival_entry
                rival, rival_entry = best(state.entries, state.levels)
            if leading == np.inf:
                champion = np.int64(-1)
        record(run, before if rules.screens else n, at)

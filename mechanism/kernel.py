"""The episode as machine code: everything that Numba compiles, in one file.

One file, since a cached kernel is rebuilt when its own file changes, not when a file that it calls does. The
functions say in arrays and integers what `platform`, `policies`, `bidding`, `provider_market`, `question_pool` and
`randomness` say in objects; `tests/mechanism/test_compiled.py` holds the two equal, to the last bit.

What makes it fast: only the served provider's state changes in a step, so everybody else's adjusted bid is kept; the
provider that leads (the champion) is compared with the best of the others (the runner-up), and a streak of auctions
that it goes on winning runs in registers.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from mechanism.tables import BAND_TOLERANCE
from mechanism.tally import ProviderField, RunField

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_compile = nb.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
_inline = nb.njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)

_U0, _U1, _U2, _U10, _U20, _U30, _U32, _U44, _U62, _U63, _U64 = (
    np.uint64(value) for value in (0, 1, 2, 10, 20, 30, 32, 44, 62, 63, 64)
)
_ALL62 = np.uint64(2**62 - 1)


_SELECTIONS, _EXPLORATIONS, _ORDINARY, _SCORE, _COST, _PAYMENT, _ORDINARY_PAYMENT, _LAST = (
    int(field) for field in ProviderField
)
_EXPLORATION_COST, _INITIAL_EXCESS, _EXPLORATION_EXCESS, _EXCESS, _BIDS, _ELIGIBLE, _OUTSIDE, _UNBOUNDED = (
    int(field) for field in RunField
)
_INITIALIZATION, _EXPLORATION, _AUCTION, _EMPTY = range(4)


class Laws(NamedTuple):
    """Laws of scores and costs as look-up tables.

    `score_law` and `cost_law` give each provider the number of a law; `first` where a law's points begin in
    `cumulative`, `points` and `values`; `guide_first` and `guide_shift` where to look up the high bits of a draw for a
    point at or before the one drawn. `total_first` is where a provider's costs of n candidates begin in `totals`, by
    lattice steps above the least.
    """

    score_law: Ints
    cost_law: Ints
    first: Ints
    sizes: Ints
    guide_first: Ints
    guide_shift: Words
    cumulative: Words
    points: Ints
    values: Floats
    guide: NDArray[np.uint32]
    multiplicity: Ints
    total_first: Ints
    least_total: Ints
    totals: Floats
    cost_bits: Words
    score_bits: Words
    questions: int
    margin: float


class Rules(NamedTuple):
    """What the mechanism knows of the setting and, for measuring, what it does not."""

    n_providers: int
    threshold: float
    cost_bound: float
    radii: Floats
    cost_radii: Floats
    targets: Ints
    rises: Ints  # by count, the first step whose target exceeds it; empty without exploration
    screens: bool
    explores: bool
    auctions: bool
    prices: Floats
    use_tree: bool
    qualities: Floats
    mean_costs: Floats
    second_cost: float


class Bidders(NamedTuple):
    """Strategies by provider: a mean with a prior, or a fixed bid; then perhaps a deviation."""

    prior_sum: Floats
    prior_weight: Floats
    bound: Floats
    fixed: NDArray[np.bool_]
    fixed_bid: Floats
    pattern: Ints
    low: Floats
    high: Floats
    cap: Floats


class Keys(NamedTuple):
    """What is random about each run: shapes (R,), (R,), (R, N) and (R, N)."""

    outcomes: Words
    draws: Words
    orders: Ints
    deviations: Words


class Log(NamedTuple):
    """Columns of a trace, shape (R, T), or (R, 0) if none is wanted."""

    provider: Ints
    payment: Floats
    score: Floats
    bid: Floats
    cost: Floats


class Block(NamedTuple):
    """Room for a block of steps that one provider serves: draws, outcomes, and the running sums after each."""

    score_bits: Words
    cost_bits: Words
    scores: Floats
    costs: Floats
    score_sums: Floats
    cost_sums: Floats
    bid_sums: Floats
    weights: Floats
    bids: Floats
    estimates: Floats
    adjusted: Floats
    payments: Floats


class State(NamedTuple):
    """What changes during a run, by provider, and the structures over them."""

    counts: Ints
    score_sums: Floats
    bid_sums: Floats
    weights: Floats
    bids: Floats
    able: NDArray[np.bool_]
    entries: Floats  # adjusted bids of the eligible rivals of the champion, else infinity
    winners: NDArray[np.int32]  # of the tournament's nodes
    words: Words  # a set of providers, one bit each
    ranks: Ints  # Fenwick sums of the words' bits
    order: Ints  # of the pool's questions, as far as the pass has shuffled them
    per_provider: Floats
    overall: Floats
    memory: Ints  # of `compete`, between checkpoints
    block: Block


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
def law_place(laws: Laws, law: int, bits: np.uint64) -> np.uint64:
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
    """Return `mechanism.provider_market.in_band`."""
    low = _U62 - bits
    return ((common >> low) << low) | (fresh >> bits)


@_inline
def stratified(question: int, questions: int, fresh: np.uint64) -> np.uint64:
    """Return `mechanism.provider_market.stratified`."""
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
    """Set the order in which a pass asks its questions: `mechanism.question_pool.permutation`."""
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
def outcome(laws: Laws, order: Ints, key: np.uint64, step: int, provider: int) -> tuple[float, float]:
    """Return `Market.outcome`; with a pool, `order` must be that of the step's pass."""
    base = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    score_bits = squares(key, base) >> _U2
    n = laws.multiplicity[provider]
    law = laws.cost_law[provider]
    score_law = laws.score_law[provider]
    if laws.questions == 0:
        score = laws.values[law_place(laws, score_law, score_bits)]
        if n == 1:
            bits = squares(key, base + _U2) >> _U2
            return score, laws.values[law_place(laws, law, bits)]
        difficulty = squares(key, base + _U1) >> _U2
    else:
        question = order[(step - 1) % laws.questions]
        difficulty = stratified(question, laws.questions, squares(key, base + _U1) >> _U2)
        score_bits = in_band(_ALL62 - difficulty, score_bits, laws.score_bits[provider])
        score = laws.values[law_place(laws, score_law, score_bits)]
    total = np.int64(0)
    for draw in range(n):
        fresh = squares(key, base + _U2 + np.uint64(draw)) >> _U2
        bits = in_band(difficulty, fresh, laws.cost_bits[provider])
        total += laws.points[law_place(laws, law, bits)]
    return score, laws.totals[laws.total_first[provider] + total - laws.least_total[provider]]


@_inline
def outcomes(
    laws: Laws, order: Ints, key: np.uint64, step: int, size: int, provider: int, block: Block
) -> None:  # fmt: skip
    """Fill a block with the outcomes of consecutive steps of one pass: `outcome`, in loops that vectorize."""
    first = (np.uint64(step) << _U30) | (np.uint64(provider) << _U10)
    n = laws.multiplicity[provider]
    if n > 1:
        for j in range(size):
            block.scores[j], block.costs[j] = outcome(laws, order, key, step + j, provider)
        return
    for j in range(size):
        block.score_bits[j] = squares(key, first + (np.uint64(j) << _U30)) >> _U2
        block.cost_bits[j] = squares(key, first + (np.uint64(j) << _U30) + _U2) >> _U2
    law, score_law = laws.cost_law[provider], laws.score_law[provider]
    if laws.questions > 0:
        score_band, cost_band = laws.score_bits[provider], laws.cost_bits[provider]
        place = (step - 1) % laws.questions
        for j in range(size):
            fresh = squares(key, first + (np.uint64(j) << _U30) + _U1) >> _U2
            difficulty = stratified(order[place + j], laws.questions, fresh)
            block.score_bits[j] = in_band(_ALL62 - difficulty, block.score_bits[j], score_band)
            block.cost_bits[j] = in_band(difficulty, block.cost_bits[j], cost_band)
    look_up(laws, score_law, size, block.score_bits, block.scores)
    look_up(laws, law, size, block.cost_bits, block.costs)


@_inline
def look_up(laws: Laws, law: int, size: int, bits: Words, drawn: Floats) -> None:
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
def standing_bid(
    bidders: Bidders, provider: int, key: np.uint64, total: float, weight: float, count: int
) -> float:
    """Return what the bidder's `observe` returns, given its running sum and weight."""
    if bidders.fixed[provider]:
        bid = bidders.fixed_bid[provider]
    else:
        bid = total / weight
        if bidders.bound[provider] < bid:
            bid = bidders.bound[provider]
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
def flip(state: State, provider: int) -> None:
    """Put a provider into the set, or take it out."""
    place = provider >> 6
    bit = _U1 << np.uint64(provider & 63)
    change = -1 if state.words[place] & bit else 1
    state.words[place] ^= bit
    place += 1
    while place < state.ranks.size:
        state.ranks[place] += change
        place += place & -place


@_inline
def contains(state: State, provider: int) -> bool:
    """Return whether a provider is in the set."""
    return (state.words[provider >> 6] >> np.uint64(provider & 63)) & _U1 == _U1


@_inline
def member(state: State, rank: int) -> int:
    """Return the set's member with `rank` smaller ones."""
    place, width = 0, 1
    while 2 * width < state.ranks.size:
        width *= 2
    while width > 0:
        if place + width < state.ranks.size and state.ranks[place + width] <= rank:
            place += width
            rank -= state.ranks[place]
        width //= 2
    word = state.words[place]
    base = place << 6
    half = np.uint64(32)
    while half > _U0:
        low = popcount(word & ((_U1 << half) - _U1))
        if rank >= low:
            rank -= low
            word >>= half
            base += np.int64(half)
        half >>= _U1
    return base


@_inline
def enter(state: State, use_tree: bool, provider: int, value: float) -> None:
    """Set a provider's entry among the champion's rivals; infinity takes it out."""
    if not use_tree:
        state.entries[provider] = value
        return
    node = state.winners.size // 2 + provider
    state.entries[node] = value
    node >>= 1
    while node >= 1:
        child = 2 * node
        if not state.entries[child] <= state.entries[child + 1]:
            child += 1
        least, winner = state.entries[child], state.winners[child]
        if state.entries[node] == least and state.winners[node] == winner:
            return
        state.entries[node] = least
        state.winners[node] = winner
        node >>= 1


@_inline
def best(state: State, use_tree: bool) -> tuple[int, float]:
    """Return the rival with the lowest entry, by lowest index among equals; -1 and infinity without one."""
    if use_tree:
        least = state.entries[1]
        return (np.int64(state.winners[1]) if least < np.inf else -1), least
    found, least = -1, np.inf
    for i in range(state.entries.size):
        if state.entries[i] < least:
            found, least = i, state.entries[i]
    return found, least


@_inline
def settle(
    rules: Rules, laws: Laws, bidders: Bidders, state: State, log: Log, run: int, key: np.uint64,
    deviation: np.uint64, step: int, provider: int, payment: float, kind: int,
) -> None:  # fmt: skip
    """Serve one query: draw its outcome, take the bid, keep the books."""
    if laws.questions > 0 and (step - 1) % laws.questions == 0:
        shuffle(state.order, key, (step - 1) // laws.questions)
    score, cost = outcome(laws, state.order, key, step, provider)
    if not rules.auctions:
        payment = cost * (1 + laws.margin)
    books = state.per_provider
    n = rules.n_providers
    excess = max(payment - rules.second_cost, 0.0) if rules.second_cost == rules.second_cost else 0.0
    if kind == _EXPLORATION:
        books[_EXPLORATIONS * n + provider] += 1
        state.overall[_EXPLORATION_COST] += cost
        state.overall[_EXPLORATION_EXCESS] += excess
    elif kind == _INITIALIZATION:
        state.overall[_INITIAL_EXCESS] += excess
    else:
        books[_ORDINARY * n + provider] += 1
        books[_ORDINARY_PAYMENT * n + provider] += payment
        state.overall[_EXCESS] += excess
        state.overall[_BIDS] += state.bids[provider]
    count = state.counts[provider] + 1
    state.counts[provider] = count
    state.score_sums[provider] += score
    state.bid_sums[provider] += cost
    state.weights[provider] += 1.0
    books[_COST * n + provider] += cost
    books[_PAYMENT * n + provider] += payment
    books[_LAST * n + provider] = step
    bid = standing_bid(
        bidders, provider, deviation, state.bid_sums[provider], state.weights[provider], count
    )
    state.bids[provider] = bid
    radius = rules.radii[count]
    estimate = state.score_sums[provider] / count
    cost_estimate = books[_COST * n + provider] / count
    if (
        abs(estimate - rules.qualities[provider]) > radius * BAND_TOLERANCE
        or abs(cost_estimate - rules.mean_costs[provider]) > rules.cost_bound * radius * BAND_TOLERANCE
    ):
        state.overall[_OUTSIDE] += 1
    state.able[provider] = not rules.screens or estimate + radius >= rules.threshold
    if log.provider.shape[1] > 0:
        log.provider[run, step - 1] = provider
        log.payment[run, step - 1] = payment
        log.score[run, step - 1] = score
        log.bid[run, step - 1] = bid
        log.cost[run, step - 1] = cost


@_inline
def streak(
    rules: Rules, laws: Laws, bidders: Bidders, state: State, log: Log, run: int, key: np.uint64,
    deviation: np.uint64, step: int, stop: int, provider: int, rival: int, rival_entry: float,
) -> int:  # fmt: skip
    """Hold auctions while one provider wins them, up to a step; return the step after the last."""
    n = rules.n_providers
    books, block = state.per_provider, state.block
    count, began = state.counts[provider], step
    score_sum, bid_sum, weight = state.score_sums[provider], state.bid_sums[provider], state.weights[provider]
    cost_sum, bid = books[_COST * n + provider], state.bids[provider]
    simple = bidders.pattern[provider] == 0 and not bidders.fixed[provider]
    bound, quality, mean_cost = bidders.bound[provider], rules.qualities[provider], rules.mean_costs[provider]
    second, cap = rules.second_cost, rules.cost_bound
    threshold = rules.threshold if rules.screens else -np.inf
    paid, excess, bids, outside, unbounded = 0.0, 0.0, 0.0, 0, 0
    length, able, wins = 4, True, True
    while wins and step <= stop:
        size = min(length, stop - step + 1)
        length = min(2 * length, block.scores.size)
        if laws.questions > 0:
            place = (step - 1) % laws.questions
            if place == 0:
                shuffle(state.order, key, (step - 1) // laws.questions)
            size = min(size, laws.questions - place)
        outcomes(laws, state.order, key, step, size, provider, block)
        for j in range(size):
            score_sum += block.scores[j]
            cost_sum += block.costs[j]
            bid_sum += block.costs[j]
            weight += 1.0
            block.score_sums[j], block.cost_sums[j] = score_sum, cost_sum
            block.bid_sums[j], block.weights[j] = bid_sum, weight
        if simple:
            for j in range(size):
                block.bids[j] = min(block.bid_sums[j] / block.weights[j], bound)
        else:
            for j in range(size):
                block.bids[j] = standing_bid(
                    bidders, provider, deviation, block.bid_sums[j], block.weights[j], count + j + 1
                )  # fmt: skip
        for j in range(size):
            block.estimates[j] = block.score_sums[j] / (count + j + 1)
            block.adjusted[j] = block.bids[j] - rules.cost_radii[count + j + 1]
        served = 0
        while wins and served < size:
            able = block.estimates[served] + rules.radii[count + served + 1] >= threshold
            adjusted = block.adjusted[served]
            wins = able and (adjusted < rival_entry or (adjusted == rival_entry and provider < rival))
            served += 1
        for j in range(served):
            radius = rules.radii[count + j]
            payment = rules.cost_radii[count + j] + rival_entry
            payment = payment if payment < cap else cap
            width = cap * radius * BAND_TOLERANCE
            block.payments[j] = payment
            unbounded += (payment > second + width) | (payment < mean_cost - width)
            band = rules.radii[count + j + 1] * BAND_TOLERANCE
            cost_error = abs(block.cost_sums[j] / (count + j + 1) - mean_cost)
            outside += (abs(block.estimates[j] - quality) > band) | (cost_error > cap * band)
        for j in range(served):
            paid += block.payments[j]
            excess += max(block.payments[j] - second, 0.0)
            bids += bid
            bid = block.bids[j]
        if log.provider.shape[1] > 0:
            for j in range(served):
                log.provider[run, step + j - 1] = provider
                log.payment[run, step + j - 1] = block.payments[j]
                log.score[run, step + j - 1] = block.scores[j]
                log.bid[run, step + j - 1] = block.bids[j]
                log.cost[run, step + j - 1] = block.costs[j]
        step += served
        count += served
        score_sum, cost_sum = block.score_sums[served - 1], block.cost_sums[served - 1]
        bid_sum, weight = block.bid_sums[served - 1], block.weights[served - 1]
    state.counts[provider] = count
    state.score_sums[provider], state.bid_sums[provider], state.weights[provider] = score_sum, bid_sum, weight
    state.bids[provider], state.able[provider] = bid, able
    books[_COST * n + provider] = cost_sum
    books[_PAYMENT * n + provider] += paid
    books[_ORDINARY_PAYMENT * n + provider] += paid
    books[_ORDINARY * n + provider] += step - began
    books[_LAST * n + provider] = step - 1
    state.overall[_EXCESS] += excess if second == second else 0.0
    state.overall[_BIDS] += bids
    state.overall[_OUTSIDE] += outside
    state.overall[_UNBOUNDED] += unbounded
    return step


@_inline
def refill(rules: Rules, state: State, target: int) -> int:
    """Put the eligible providers below the target into the set; return the least count of the others."""
    least = np.int64(2**62)
    for i in range(rules.n_providers):
        if state.able[i]:
            if state.counts[i] >= target:
                least = min(least, state.counts[i])
            elif not contains(state, i):
                flip(state, i)
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
        if contains(state, i) != wanted:
            flip(state, i)
    return size


@_inline
def record(
    state: State, eligible: int, at: int, run: int, per_provider: NDArray[np.float64], overall: NDArray[np.float64]
) -> None:
    """Copy the books to the tally of a checkpoint."""
    n = state.counts.size
    for i in range(n):
        state.per_provider[_SELECTIONS * n + i] = state.counts[i]
        state.per_provider[_SCORE * n + i] = state.score_sums[i]
    state.overall[_ELIGIBLE] = eligible
    for k in range(state.per_provider.size):
        per_provider[run, at, k] = state.per_provider[k]
    for k in range(state.overall.size):
        overall[run, at, k] = state.overall[k]


@_inline
def initialize(
    rules: Rules, laws: Laws, bidders: Bidders, keys: Keys, log: Log, run: int, state: State, last: int
) -> None:
    """Clear the state and serve the first queries, each provider's own."""
    state.counts[:] = 0
    state.score_sums[:] = 0.0
    for i in range(rules.n_providers):
        state.bid_sums[i] = bidders.prior_sum[i]
        state.weights[i] = bidders.prior_weight[i]
    state.words[:] = _U0
    state.ranks[:] = 0
    state.entries[:] = np.inf
    for node in range(state.winners.size):
        state.winners[node] = max(node - state.winners.size // 2, 0)
    state.per_provider[:] = 0.0
    state.overall[:] = 0.0
    for step in range(1, last + 1):
        provider = keys.orders[run, step - 1]
        settle(
            rules, laws, bidders, state, log, run, keys.outcomes[run], keys.deviations[run, provider], step, provider,
            rules.cost_bound, _INITIALIZATION,
        )  # fmt: skip


@_inline
def route(
    rules: Rules, laws: Laws, bidders: Bidders, keys: Keys, log: Log, run: int, state: State, step: int, stop: int,
    eligible: int, size: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Serve the queries of a routing baseline up to a step; return its eligible now and before, and its choices."""
    before = eligible
    while step <= stop:
        if size == 0:
            size = cheapest(rules, state)
        provider = member(state, uniform_index(squares(keys.draws[run], np.uint64(step)), size))
        before, was_able = eligible, state.able[provider]
        settle(
            rules, laws, bidders, state, log, run, keys.outcomes[run], keys.deviations[run, provider], step, provider,
            0.0, _EMPTY,
        )  # fmt: skip
        if state.able[provider] != was_able:
            eligible += 1 if state.able[provider] else -1
            size = 0
        step += 1
    return eligible, before, size


@_inline
def compete(
    rules: Rules, laws: Laws, bidders: Bidders, keys: Keys, log: Log, run: int, state: State, step: int, stop: int,
    memory: Ints,
) -> None:  # fmt: skip
    """Run the platform up to a step.

    `memory` lasts from call to call: eligible providers, the same before the last step, champion, size of the set of
    the under-sampled, target that the set was filled for, and a lower bound on the counts of the eligible outside it.
    """
    eligible, before, champion, size = memory[0], memory[1], memory[2], memory[3]
    target, least = memory[4], memory[5]
    key, tree = keys.outcomes[run], rules.use_tree
    rival, rival_entry = best(state, tree)
    while step <= stop:
        before = eligible
        if rules.explores and rules.targets[step] > target:
            target = rules.targets[step]
            if target > least:
                least = refill(rules, state, target)
                size = 0
                for word in state.words:
                    size += popcount(word)
        if eligible > 0 and size == 0:
            last = stop
            if least < rules.rises.size:
                last = max(step, min(stop, rules.rises[least] - 1))
            provider, was_able = champion, True
            step = streak(
                rules, laws, bidders, state, log, run, key, keys.deviations[run, provider], step,
                last, provider, rival, rival_entry,
            )  # fmt: skip
        else:
            bits = squares(keys.draws[run], np.uint64(step))
            if eligible > 0:
                provider, kind = member(state, uniform_index(bits, size)), _EXPLORATION
            else:
                provider, kind = uniform_index(bits, rules.n_providers), _EMPTY
            was_able = state.able[provider]
            settle(
                rules, laws, bidders, state, log, run, key, keys.deviations[run, provider], step, provider,
                rules.cost_bound, kind,
            )  # fmt: skip
            step += 1
            count = state.counts[provider]
            if kind == _EXPLORATION and (not state.able[provider] or count >= target):
                flip(state, provider)
                size -= 1
                if state.able[provider]:
                    least = min(least, count)
            elif state.able[provider] and not was_able:
                least, target = min(least, count), 0  # looks again who is under-sampled
        eligible += np.int64(state.able[provider]) - np.int64(was_able)
        entry = state.bids[provider] - rules.cost_radii[state.counts[provider]] if state.able[provider] else np.inf
        if provider != champion:
            enter(state, tree, provider, entry)
            rival, rival_entry = best(state, tree)
            entry = np.inf
            if champion >= 0:
                entry = state.bids[champion] - rules.cost_radii[state.counts[champion]]
        if rival >= 0 and (rival_entry < entry or (rival_entry == entry and rival < champion)):
            enter(state, tree, rival, np.inf)
            if champion >= 0:
                enter(state, tree, champion, entry)
            champion = rival
            rival, rival_entry = best(state, tree)
        elif entry == np.inf:
            champion = -1
    memory[0], memory[1], memory[2], memory[3] = eligible, before, champion, size
    memory[4], memory[5] = target, least


@_compile
def play(
    rules: Rules, laws: Laws, bidders: Bidders, keys: Keys, log: Log, state: State, checkpoints: Ints,
    per_provider: NDArray[np.float64], overall: NDArray[np.float64],
) -> None:  # fmt: skip
    """Play the runs of the keys, one after the other, and fill their tallies and logs."""
    n = rules.n_providers
    memory = state.memory
    for run in range(keys.outcomes.size):
        horizon = checkpoints[-1]
        at = 0
        while at < checkpoints.size and checkpoints[at] <= n:
            initialize(rules, laws, bidders, keys, log, run, state, checkpoints[at])
            record(state, n, at, run, per_provider, overall)
            at += 1
        if horizon <= n:
            continue
        initialize(rules, laws, bidders, keys, log, run, state, n)
        eligible, size = 0, 0
        for i in range(n):
            eligible += state.able[i]
            if rules.auctions and state.able[i]:
                enter(state, rules.use_tree, i, state.bids[i] - rules.cost_radii[state.counts[i]])
        champion = -1
        if rules.auctions:
            champion = best(state, rules.use_tree)[0]
            if champion >= 0:
                enter(state, rules.use_tree, champion, np.inf)
        memory[:] = 0
        memory[0], memory[1], memory[2] = eligible, n, champion
        step = n + 1
        before = n
        while at < checkpoints.size:
            if rules.auctions:
                compete(rules, laws, bidders, keys, log, run, state, step, checkpoints[at], memory)
                before = memory[1]
            else:
                eligible, before, size = route(
                    rules, laws, bidders, keys, log, run, state, step, checkpoints[at], eligible, size
                )  # fmt: skip
            record(state, before if rules.screens else n, at, run, per_provider, overall)
            step = checkpoints[at] + 1
            at += 1

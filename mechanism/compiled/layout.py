"""What the compiled kernel reads and writes, as tuples of arrays; its market comes as `LawTables`."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mechanism.compiled.vectors import LANES, Counts
from mechanism.market.law_tables import Floats, Ints, LawTables, Words
from mechanism.metrics.tally import ProviderField

#: Length of a provider's row of `State.books`: the fields of `ProviderField`, one cache line. Every step reads and
#: writes one; a provider's number of kind (`LawTables.kinds`) stands in the place of ORDINARY, which the others tell.
BOOK_FIELDS = len(ProviderField)
LAWS_PLACE = int(ProviderField.ORDINARY)


class BidField(IntEnum):
    """What `State.bids` holds of a provider: what truthful bidding does not need, unless all is measured."""

    BID_SUM = 0
    WEIGHT = 1
    BID = 2
    BOUND = 3
    QUALITY = 4
    MEAN_COST = 5


#: Length of a row of `State.bids`, a whole cache line.
BID_FIELDS = 8
#: Steps of a streak that are drawn at once, a vector's lanes: loops of a known length have no loose ends.
CHUNK = LANES
#: Steps of a streak after its first chunk whose payments and bids are added up together.
BLOCK = 4 * CHUNK
#: How far beyond the last count tables of radii must reach.
TABLE_MARGIN = CHUNK
#: Explorations that are drawn ahead.
AHEAD = 8


class Rules(NamedTuple):
    """What the mechanism knows of the setting and, for measuring, what it does not."""

    n_providers: int
    threshold: float
    cost_bound: float
    radii: Floats
    cost_radii: Floats
    #: By count, how far Appendix D lets a payment be from the costs; empty if nothing is measured. A table, since a GPU
    #: would round a product and the sum with it at once.
    widths: Floats
    rises: Ints  # by count, the first step whose target exceeds it; empty without exploration
    screens: bool
    explores: bool
    auctions: bool
    prices: Floats
    qualities: Floats
    mean_costs: Floats
    second_cost: float
    steady: bool  # no score, cost or total is negative, and radii never grow with the count
    measures: bool  # whether excess payments, winning bids and violations are summed, too


class Bidders(NamedTuple):
    """Strategies by provider: a mean with a prior, or a fixed bid; then perhaps a deviation."""

    simple: bool  # nobody has a fixed bid or deviates
    truthful: bool  # nor a prior: bids are means of costs, up to one bound
    common_bound: float
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
    """What is random about a run: keys of outcomes and of the platform's draws, order of initialization, deviations."""

    outcomes: np.uint64
    draws: np.uint64
    order: Ints
    deviations: Words


class RunKeys(NamedTuple):
    """Of several runs, a row for each: keys of outcomes and of the platform's draws, and orders of initialization."""

    outcomes: Words
    draws: Words
    orders: NDArray[np.int64]


class OutcomeSource(NamedTuple):
    """What scores and costs are computed from."""

    laws: LawTables
    order: Ints  # of the pool's questions in the step's pass
    key: np.uint64


class Log(NamedTuple):
    """Columns of a trace, shape (T,), or (0,) if none is wanted."""

    provider: Ints
    payment: Floats
    score: Floats
    bid: Floats
    cost: Floats


class StepBlock(NamedTuple):
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
    payments: Floats


class Tournament(NamedTuple):
    """Adjusted bids, infinity for who is not eligible, and the lowest of each match of sixteen.

    `levels` says where the levels begin: the providers themselves, then the lowest of every sixteen of them, and so on
    to a single match.
    """

    entries: Floats
    leaders: Ints  # whose the lowest entry below is
    levels: Ints


class ProviderSet(NamedTuple):
    """A set of providers, one bit each, and how many members precede a place.

    `levels` says where the levels of a tree begin in `sums`: the words, then groups of sixteen of them, and so on to a
    single group; none for a single word. A sum counts the members of the earlier ones in its group.
    """

    words: Words
    sums: Counts
    levels: Ints


class State(NamedTuple):
    """What changes during a run, by provider, and the structures over them."""

    books: Floats  # rows of `BOOK_FIELDS`
    bids: Floats  # rows of `BidField`
    able: NDArray[np.bool_]
    tournament: Tournament
    chosen: ProviderSet
    ahead: Ints  # a ring of providers drawn for the next explorations
    order: Ints  # of the pool's questions in this pass, shuffled whole at its start
    overall: Floats
    block: StepBlock


class Totals(NamedTuple):
    """The tally to fill: totals after C checkpoints."""

    checkpoints: Ints
    by_provider: NDArray[np.float64]  # shape (C, len(ProviderField), N)
    overall: NDArray[np.float64]  # shape (C, len(RunField))


class Run(NamedTuple):
    """Everything that one run reads and writes."""

    rules: Rules
    laws: LawTables
    bidders: Bidders
    keys: Keys
    state: State
    log: Log
    totals: Totals

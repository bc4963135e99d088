"""What the compiled kernel reads and writes, as tuples of arrays; its market comes as `LawTables`."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mechanism.market.law_tables import Floats, Ints, LawTables, Words


class BookField(IntEnum):
    """What `State.books` holds of a provider after the fields of `ProviderField`."""

    BID_SUM = 8
    WEIGHT = 9
    BID = 10
    BOUND = 11
    QUALITY = 12
    MEAN_COST = 13
    LAWS = 14


#: Length of a provider's row, two whole cache lines.
BOOK_FIELDS = 16


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
    qualities: Floats
    mean_costs: Floats
    second_cost: float
    measures: bool  # whether excess payments, winning bids and violations are summed, too


class Bidders(NamedTuple):
    """Strategies by provider: a mean with a prior, or a fixed bid; then perhaps a deviation."""

    simple: bool  # nobody has a fixed bid or deviates
    truthful: bool  # nor a prior: bids are means of costs
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
    estimates: Floats
    adjusted: Floats
    payments: Floats


class State(NamedTuple):
    """What changes during a run, by provider, and the structures over them."""

    books: Floats  # rows of `ProviderField` and `BookField`
    able: NDArray[np.bool_]
    entries: Floats  # adjusted bids of the champion's eligible rivals, else infinity: see `kernel.enter`
    levels: Ints
    words: Words  # a set of providers, one bit each
    ranks: Ints  # Fenwick sums of the words' bits
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

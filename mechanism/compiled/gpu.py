"""Runs on a GPU, thousands side by side: each is played as `mechanism.compiled.lane` says.

The extra `gpu` brings what this module imports (`numba.cuda`), so it is imported only when a GPU is asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numba as nb
import numpy as np
from numba import cuda as numba_cuda
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.arguments import number_of_queries
from mechanism.compiled.episode import CompiledEpisode, bidders_of, empty_log
from mechanism.compiled.lane import LaneRun, LaneState, play
from mechanism.compiled.layout import BID_FIELDS, BOOK_FIELDS, Bidders, Keys, Log, Rules, RunKeys, Totals
from mechanism.market.law_tables import Ints, LawTables, Words
from mechanism.metrics.tally import ProviderField, RunField, Tally, checkpoint_steps

cuda: Any = numba_cuda  # whose types do not say what a kernel may call
_RUN_FIELDS = len(RunField)
#: Lanes that start together, and the bytes of memory that they may share.
_BLOCK, _SHARED = 32, 48 * 1024
#: Blocks for each of the GPU's processors: more than it runs at once, so that none waits for the last.
_BLOCKS_EACH = 16
#: Most numbers in the totals of a launch (256 MiB), most numbers that lanes keep (4 GiB), and most looks at a provider
#: in a launch. An interrupt is heard between two launches: in a second or so, but where a single run takes longer.
_LAUNCH_NUMBERS, _ROOM_NUMBERS, _LAUNCH_LOOKS = 2**25, 2**29, 20_000_000_000


class Room(NamedTuple):
    """What lanes keep in the memory of the GPU, a row for each; no books where those of a block are in its own."""

    books: NDArray[np.float64]
    bids: NDArray[np.float64]
    orders: NDArray[np.int32]


def gpu_totals(
    episode: CompiledEpisode, *, horizon: int, seed: int, runs: Sequence[int], checkpoints: Sequence[int] = ()
) -> Iterator[Tally]:
    """Simulate runs of an episode with truthful bidders and yield their totals, many runs at a time, in their order.

    Counts, scores and costs are those of `CompiledEpisode` to the last bit. Other money is added in another order, so
    it differs by rounding.

    Parameters
    ----------
    episode : CompiledEpisode
    horizon : int
        T >= 1.
    seed : int
    runs : sequence of int
        Which runs of the seed.
    checkpoints : sequence of int, optional
        Steps in 1..T after which totals are taken, besides T.

    Yields
    ------
    Tally
        Of so many runs as fit the GPU well.
    """
    steps = checkpoint_steps(checkpoints, number_of_queries(horizon))
    n = episode.setting.n_providers
    tables = episode.tables()
    size = len(steps) * (len(ProviderField) * n + _RUN_FIELDS)
    length = max(1, min(_LAUNCH_NUMBERS // size, _LAUNCH_LOOKS // (horizon * n)))
    blocks, width, room = _grid(n, tables.questions, min(length, len(runs)))
    log = _on_gpu(empty_log(0))
    rules, laws = _on_gpu(episode.rules(horizon, tables)), _on_gpu(tables)
    bidders = _on_gpu(bidders_of(episode.strategies(seed, 0)))
    deviations = cuda.to_device(np.zeros(n, dtype=np.uint64))  # nobody deviates
    taken_after = cuda.to_device(np.array(steps, dtype=np.int64))
    for first in range(0, len(runs), length):
        keys = episode.keys(seed, runs[first : first + length])
        count = len(keys.outcomes)
        by_provider = cuda.device_array((count, len(steps), len(ProviderField), n))
        overall = cuda.device_array((count, len(steps), _RUN_FIELDS))
        launched = (rules, laws, bidders, log, _on_gpu(keys), deviations, taken_after, room, width)
        with warnings.catch_warnings():
            # Of runs that are too few to fill the GPU: nobody asked for more.
            warnings.filterwarnings("ignore", message=r".*Grid size \d+ will likely result in GPU under-utilization")
            play_runs[blocks, _BLOCK, 0, 8 * _BLOCK * width](*launched, by_provider, overall)
        found = Tally(steps, by_provider.copy_to_host(), overall.copy_to_host())
        episode.mark_unmeasured(found.overall)
        yield found


def gpu_name() -> str:
    """Return what the GPU is called."""
    return str(cuda.get_current_device().name)


def check_gpu() -> None:
    """Raise an InputError if there is no GPU that can be used here."""
    if not cuda.is_available():
        rule = "finds no NVIDIA GPU that can be used here"
        remedy = "look whether `nvidia-smi` names one and its driver is new enough, or take threads or processes"
        raise InputError("backend", "gpu", rule, remedy)


def _grid(n: int, questions: int, runs: int) -> tuple[int, int, Room]:
    """Return how many blocks of lanes there are, how many numbers of a block's memory a lane has, and its other memory.

    A lane has no numbers of a block's memory where its books and entries do not fit there.
    """
    # An odd width: lanes that look at the same field at once find it in different banks.
    width = n * (BOOK_FIELDS + 1) | 1
    if width * _BLOCK * 8 > _SHARED:
        width = 0
    each = n * (BOOK_FIELDS + 1 + BID_FIELDS) + questions
    most = _BLOCKS_EACH * cuda.get_current_device().MULTIPROCESSOR_COUNT
    blocks = max(1, min(-(-runs // _BLOCK), most, _ROOM_NUMBERS // (each * _BLOCK)))
    lanes = _BLOCK * blocks
    room = Room(
        cuda.device_array((1 if width else lanes, n * (BOOK_FIELDS + 1))),
        cuda.device_array((lanes, n * BID_FIELDS)),
        cuda.device_array((lanes, questions), dtype=np.int32),
    )
    return blocks, width, room


def _on_gpu(values: Any) -> Any:
    """Return a tuple with its arrays copied to the GPU."""
    return type(values)(*(cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in values))


@cuda.jit
def play_runs(
    rules: Rules,
    laws: LawTables,
    bidders: Bidders,
    log: Log,
    keys: RunKeys,
    deviations: Words,
    checkpoints: Ints,
    room: Room,
    width: int,
    by_provider: Any,
    overall: Any,
) -> None:
    """Play every run of some keys, each lane one after another."""
    own, lanes = cuda.grid(1), cuda.gridsize(1)
    last = rules.n_providers * BOOK_FIELDS
    shared = cuda.shared.array(0, nb.float64)
    first = cuda.threadIdx.x * width
    kept = shared[first : first + width] if width > 0 else room.books[own]
    sums = cuda.local.array(_RUN_FIELDS, nb.float64)
    state = LaneState(kept[:last], room.bids[own], kept[last:], room.orders[own], sums)
    for k in range(own, keys.outcomes.size, lanes):
        drawn = Keys(keys.outcomes[k], keys.draws[k], keys.orders[k], deviations)
        play(LaneRun(rules, laws, bidders, drawn, state, log, Totals(checkpoints, by_provider[k], overall[k])))

"""What a parent and a host say to each other: binary frames with a magic number and a sequence number.

The parent sends requests and the host replies, in order, over two pipes. `settle` has no reply unless it fails, so that
it costs no round trip. What is no frame, or not in order, was written by somebody else: a mechanism can write into any
descriptor of its process. Replies are numbers and JSON, and are never unpickled: they come from somebody's code.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple, get_args

from mechanism.config import MechanismConfig
from proofs_checks.conformance.play.any_subject import Answer, Settlement
from proofs_checks.conformance.play.scenario import Bid, NamedBid, Query, Scenario

#: Magic number, sequence number, kind, instance, bytes that follow.
_HEADER = struct.Struct("<IIBII")
_MAGIC = 0xC057_9F00
_PAIR = struct.Struct("<dd")
_ANSWER = struct.Struct("<qd")
#: An answer, and the settlement that followed.
_STEP = struct.Struct("<qddd")
#: Score, cost and bid of a query; bids that have names are numbers below 0, as no bid is.
_QUERY = struct.Struct("<ddd")
_NAMES: Mapping[float, NamedBid] = {-1.0 - place: name for place, name in enumerate(get_args(NamedBid))}
_NUMBERS: Mapping[str, float] = {name: number for number, name in _NAMES.items()}
#: Steps that are played, and providers.
_ROWS = struct.Struct("<II")
ANSWERS = 102
#: A header and one pair, or one answer: what most frames are.
_WITH_PAIR, _WITH_ANSWER = struct.Struct("<IIBIIdd"), struct.Struct("<IIBIIqd")
#: Longer than anything that is said; what claims to be longer is no frame.
_LONGEST = 1 << 24
HEADER_SIZE = _HEADER.size


class Request(IntEnum):
    """What a parent asks for."""

    LOAD = 1
    START = 2
    ASSIGN = 3
    SETTLE = 4
    PROCEED = 5
    REPLAY = 6
    CHANGE = 7
    DROP = 8
    STIR = 9
    RESTORE = 10
    FINISH = 11
    AFTERMATH = 12
    #: A part of a history, and one more answer.
    REPLAY_ON = 13
    SERVE = 14
    RESTARTABLE = 15
    RESTART = 16
    #: A scenario from its first step on: what its queries yield is known there.
    PLAY = 17
    SAVE = 18


class Reply(IntEnum):
    """What a host replies."""

    ANSWERS = ANSWERS
    DATA = 103
    MISBEHAVED = 104
    BAD_INPUT = 105
    FORKED = 106


class Frame(NamedTuple):
    """One request or reply; `instance` is which of the host's mechanisms it is about."""

    sequence: int
    kind: int
    instance: int
    content: bytes


class GarbledError(Exception):
    """What came through a pipe is no frame."""


def packed(sequence: int, kind: int, instance: int = 0, content: bytes = b"") -> bytes:
    """Return a frame as bytes.

    Examples
    --------
    >>> [frame], rest = split(packed_pair(1, Request.SETTLE, 7, 1.0, 0.25))
    >>> frame.instance, settled(frame.content), rest
    (7, (1.0, 0.25), b'')
    """
    return _HEADER.pack(_MAGIC, sequence & 0xFFFF_FFFF, kind, instance, len(content)) + content


def split(received: bytes) -> tuple[list[Frame], bytes]:
    """Return the whole frames at the beginning, and the rest.

    Raises
    ------
    GarbledError
        It does not begin with a frame.
    """
    frames, at, end = [], 0, len(received)
    while end - at >= HEADER_SIZE:
        magic, sequence, kind, instance, length = _HEADER.unpack_from(received, at)
        if magic != _MAGIC or length > _LONGEST:
            raise GarbledError
        if end - at - HEADER_SIZE < length:
            break
        at += HEADER_SIZE
        frames.append(Frame(sequence, kind, instance, received[at : at + length]))
        at += length
    return frames, received[at:] if at else received


def packed_pair(sequence: int, kind: int, instance: int, score: float, bid: float) -> bytes:
    """Return a frame whose content is one settlement."""
    return _WITH_PAIR.pack(_MAGIC, sequence & 0xFFFF_FFFF, kind, instance, _PAIR.size, score, bid)


def packed_answer(sequence: int, instance: int, given: Answer) -> bytes:
    """Return a frame whose content is one answer."""
    return _WITH_ANSWER.pack(_MAGIC, sequence & 0xFFFF_FFFF, ANSWERS, instance, _ANSWER.size, *given)


def one_answer(received: bytes, sequence: int) -> Answer | None:
    """Return the answer to a request, if that is all that was received.

    Examples
    --------
    >>> one_answer(packed_answer(5, 1, (2, 0.25)), 5)
    (2, 0.25)
    """
    if len(received) != _WITH_ANSWER.size:
        return None
    magic, number, kind, _, length, provider, payment = _WITH_ANSWER.unpack(received)
    if magic != _MAGIC or number != sequence & 0xFFFF_FFFF or kind != ANSWERS or length != _ANSWER.size:
        return None
    return provider, payment


def settled(content: bytes) -> Settlement:
    """Return score and bid."""
    score, bid = _PAIR.unpack(content)
    return score, bid


def settlements(pairs: Sequence[Settlement]) -> bytes:
    """Return scores and bids as bytes."""
    return struct.pack(f"<{2 * len(pairs)}d", *chain.from_iterable(pairs))


def all_settled(content: bytes) -> Iterator[Settlement]:
    """Yield score and bid of each settlement."""
    return _PAIR.iter_unpack(content)


def answers(given: Sequence[Answer]) -> bytes:
    """Return answers as bytes."""
    return b"".join([_ANSWER.pack(provider, payment) for provider, payment in given])


def answered(content: bytes) -> list[Answer]:
    """Return answers.

    Raises
    ------
    GarbledError
        The bytes are none.
    """
    if len(content) % _ANSWER.size:
        raise GarbledError
    return list(_ANSWER.iter_unpack(content))


def _rows(number: int, rows: Sequence[Sequence[tuple[float, ...]]]) -> bytes:
    """Return a number, and for each provider a row of tuples of numbers, as bytes."""
    head = struct.pack(f"<{2 + len(rows)}I", number, len(rows), *map(len, rows))
    numbers = [each for row in rows for several in row for each in several]
    return head + struct.pack(f"<{len(numbers)}d", *numbers)


def _of_rows(content: bytes, several: struct.Struct) -> tuple[int, list[Iterator[tuple[Any, ...]]]]:
    """Return the number, and an iterator over each provider's row."""
    try:
        number, providers = _ROWS.unpack_from(content)
        lengths = struct.unpack_from(f"<{providers}I", content, _ROWS.size)
        ends = list(accumulate((several.size * length for length in lengths), initial=_ROWS.size + 4 * providers))
        return number, [several.iter_unpack(content[begin:end]) for begin, end in pairwise(ends)]
    except struct.error:
        raise GarbledError from None


def serving(number: int, yields: Sequence[Sequence[Settlement]]) -> bytes:
    """Return how many steps are played, and what the queries of each provider yield, as bytes.

    Examples
    --------
    >>> number, left = served(serving(3, [[(1.0, 0.5)], [(0.0, 0.25), (1.0, 0.25)]]))
    >>> number, [list(own) for own in left]
    (3, [[(1.0, 0.5)], [(0.0, 0.25), (1.0, 0.25)]])
    """
    return _rows(number, yields)


def served(content: bytes) -> tuple[int, list[Iterator[Settlement]]]:
    """Return how many steps are played, and an iterator over what the queries of each provider yield.

    Raises
    ------
    GarbledError
        The bytes are none.
    """
    return _of_rows(content, _PAIR)


def steps(played: Sequence[tuple[Answer, Settlement]]) -> bytes:
    """Return answers and the settlements that followed as bytes."""
    return b"".join(_STEP.pack(*answer, *settlement) for answer, settlement in played)


def played_steps(content: bytes) -> list[tuple[Answer, Settlement]]:
    """Return answers and the settlements that followed.

    Raises
    ------
    GarbledError
        The bytes are none.

    Examples
    --------
    >>> played_steps(steps([((2, 0.25), (1.0, 0.5))]))
    [((2, 0.25), (1.0, 0.5))]
    """
    if len(content) % _STEP.size:
        raise GarbledError
    return [((provider, payment), (score, bid)) for provider, payment, score, bid in _STEP.iter_unpack(content)]


def queries(scenario: Scenario, horizon: int) -> bytes:
    """Return what the queries of a scenario yield, and how many steps are played, as bytes."""
    yields = [[(query.score, query.cost, _number(query.bid)) for query in own] for own in scenario.queries]
    return _rows(horizon, yields)


def _number(bid: Bid) -> float:
    return _NUMBERS[bid] if isinstance(bid, str) else bid


def scenario(content: bytes, config: MechanismConfig, seed: int) -> Scenario:
    """Return a scenario of a configuration and a seed, up to the last step that is played.

    Raises
    ------
    GarbledError
        The bytes are none.

    Examples
    --------
    >>> from proofs_checks.conformance.play.scenario import usual_config
    >>> asked = Scenario(usual_config(n_providers=2), 0, ((Query(1.0, 0.25),), (Query(0.0, 0.5, "critical"),)), 9)
    >>> scenario(queries(asked, 9), asked.config, 0) == asked
    True
    """
    horizon, yields = _of_rows(content, _QUERY)
    own = (tuple([Query(score, cost, _NAMES[bid] if bid < 0 else bid) for score, cost, bid in row]) for row in yields)
    return Scenario(config, seed, tuple(own), horizon)


def start(seed: int, details: bytes) -> bytes:
    """Return a seed and what else an instance is started with, as bytes: many differ in the seed alone.

    Examples
    --------
    >>> started(start(7, b"{}"))
    (7, b'{}')
    """
    return b"%d %b" % (seed, details)


def started(content: bytes) -> tuple[int, bytes]:
    """Return the seed and what else an instance is started with.

    Raises
    ------
    GarbledError
        The bytes are none.
    """
    seed, _, details = content.partition(b" ")
    try:
        return int(seed), details
    except ValueError:
        raise GarbledError from None


def data(value: Any) -> bytes:
    """Return plain data as bytes."""
    return json.dumps(value).encode()


def plain(content: bytes) -> Any:
    """Return plain data.

    Raises
    ------
    GarbledError
        The bytes are none.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise GarbledError from None

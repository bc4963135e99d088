"""Rulebooks with a slip: in one place of Algorithm 1 stands a number, a set or an order that lies near the right one.

Where `variants` lists rules that somebody may have meant, this module puts the same few slips in every place where they
fit: another count, another number for N, a bid that was dropped, a list of the eligible taken for that of all.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from proofs_checks.conformance.diagnosis.rulebook import PLAIN, Log, OfProvider, Rulebook
from proofs_checks.conformance.diagnosis.variants import Variant

_RADIUS = ("critical-payment", "index-minimizer", "eligibility", "state-estimates")
_PRICE = ("critical-payment", "lone-payment")
_INDEX = ("index-minimizer", "critical-payment", "monotone-allocation")
_FILTER = ("eligibility", "state-estimates", "lone-payment", "exploration-set")
_GOAL = ("exploration-set", "exploration-payment", "index-minimizer")
_BIDS = ("standing-bids", "past-bids", "index-minimizer", "critical-payment")

#: How often a list that should be made anew at every step may be made instead, besides every N steps.
_PERIODS = (2, 3, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100)
#: By which share of c_max a rival must be better before it takes an incumbent's place.
_BONUSES = (0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5)
#: The least weight of a new score.
_WEIGHTS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5)


def _slip(name: str, says: str, checks: tuple[str, ...], *, enough: int | None = None, **parts: Any) -> Variant:
    return Variant(name=name, says=says, checks=checks, book=replace(PLAIN, **parts), enough=enough)


def _eligible_now(log: Log) -> list[int]:
    """Return who is eligible by Algorithm 1."""
    threshold = log.config.quality_threshold
    return [i for i in log.providers if PLAIN.hoped(PLAIN, log, i) >= threshold]


def _cost_radius(radius: OfProvider) -> OfProvider:
    """Return a cost radius from a radius."""
    return lambda book, log, i: (1 + log.config.belief_slack) * log.config.cost_bound * radius(book, log, i)


def _at(count: OfProvider) -> OfProvider:
    """Return the radius at another count."""
    return lambda book, log, i: PLAIN.beta(log, max(count(book, log, i), 1))


def _with(number: Callable[[Log], float]) -> OfProvider:
    """Return the radius with another number for N."""

    def radius(book: Rulebook, log: Log, i: int) -> float:
        share = number(log) / log.config.n_providers
        other = replace(PLAIN, inside=lambda book, log, m: share * PLAIN.inside(PLAIN, log, m))
        return other.beta(log, log.counts[i])

    return radius


def _radius_sites(name: str, says: str, radius: OfProvider) -> Iterator[Variant]:
    """Yield the rules that take another radius in one place, in both costs' places, or in all."""
    width = _cost_radius(radius)

    def hoped(book: Rulebook, log: Log, i: int) -> float:
        return PLAIN.estimate(PLAIN, log, i) + radius(book, log, i)

    yield _slip(f"{name}: everywhere", f"{says} in the radius", _RADIUS, hoped=hoped, width=width, price_width=width)
    yield _slip(f"{name}: cost", f"{says} in the cost radius", _INDEX, width=width, price_width=width)
    yield _slip(f"{name}: quality", f"{says} in the quality radius", _FILTER, hoped=hoped)
    yield _slip(f"{name}: price", f"{says} in the winner's radius of P", _PRICE, price_width=width)
    yield _slip(
        f"{name}: index",
        f"{says} in the radius of the index, and in P as it should be",
        ("index-minimizer", "monotone-allocation"),
        winners=lambda book, log, able: replace(PLAIN, width=width).least(log, able),
    )


def _last(log: Log, i: int, explored: bool) -> int:
    """Return a provider's count after its last service that was an exploration, or was none."""
    return max((m for m, was in enumerate(log.was_explored[i], 1) if was == explored), default=1)


#: What may be taken for a provider's selection count, in words, and what it is.
_COUNTS: tuple[tuple[str, str, OfProvider], ...] = (
    (
        "count before exploration",
        "takes a count that explorations do not bring up to date",
        lambda book, log, i: _last(log, i, explored=False),
    ),
    (
        "count before auctions",
        "takes a count that auctions do not bring up to date",
        lambda book, log, i: _last(log, i, explored=True),
    ),
    ("explorations alone", "counts initialization and explorations alone", lambda book, log, i: 1 + log.explored[i]),
    ("mean count", "takes the mean count of all providers", lambda book, log, i: statistics.fmean(log.counts)),
    ("largest count", "takes the largest count of all providers", lambda book, log, i: max(log.counts)),
    ("count without the first", "counts from the second service on", lambda book, log, i: log.counts[i] - 1),
    ("next provider's count", "takes the next provider's count", lambda book, log, i: _beside(log.counts, i, 1)),
    (
        "count of the one before",
        "takes the count of the provider before",
        lambda book, log, i: _beside(log.counts, i, -1),
    ),
)
#: What may be taken for N.
_NUMBERS: tuple[tuple[str, str, Callable[[Log], float]], ...] = (
    ("N eligible", "takes the number of eligible providers for N", lambda log: max(len(_eligible_now(log)), 1)),
    (
        "N eligible before",
        "takes the number of providers that were eligible one step ago for N",
        lambda log: max(log.eligible_before, 1),
    ),
    ("N - 1", "takes N - 1 for N", lambda log: max(log.config.n_providers - 1, 0.5)),
    ("N squared", "takes N^2 for N", lambda log: log.config.n_providers**2),
    ("1/N", "divides by N where it should multiply", lambda log: 1 / log.config.n_providers),
)


def _beside(values: Sequence[float], i: int, by: int) -> float:
    return values[(i + by) % len(values)]


def _goal_with(number: Callable[[Log], float]) -> Callable[[Log], float]:
    """Return g(t) with another number for N."""

    def goal(log: Log) -> float:
        config = log.config
        return float(config.exploration_scale * (log.step / number(log)) ** config.exploration_exponent)

    return goal


def _bids_left(accepted: Callable[[Log, int, int], bool], otherwise: Callable[[Log, int], float]) -> OfProvider:
    """Return a provider's last bid that is accepted, by its position among the provider's bids."""

    def bid(book: Rulebook, log: Log, i: int) -> float:
        for position in range(len(log.bids[i]) - 1, -1, -1):
            if accepted(log, i, position):
                return log.bids[i][position]
        return otherwise(log, i)

    return bid


def _bid_slips() -> Iterator[Variant]:
    """Yield the rules that drop some bids."""
    dropped: tuple[tuple[str, Callable[[Log, int, int], bool]], ...] = (
        ("after explorations", lambda log, i, at: not log.was_explored[i][at]),
        ("after auctions", lambda log, i, at: at == 0 or log.was_explored[i][at]),
    )
    for what, accepted in dropped:
        bid = _bids_left(accepted, lambda log, i: log.bids[i][0])
        yield _slip(f"bids dropped {what}", f"drops bids {what}: the bid before stays", _BIDS, bid=bid)
    refused: tuple[tuple[str, Callable[[Log, int, int], bool]], ...] = (
        ("of 0", lambda log, i, at: log.bids[i][at] != 0),
        ("of c_max", lambda log, i, at: log.bids[i][at] < log.config.cost_bound),
        ("with a score of 0", lambda log, i, at: log.scores[i][at] != 0),
        ("without a full score", lambda log, i, at: log.scores[i][at] == 1),
    )
    for what, accepted in refused:
        for default, otherwise in (
            ("", lambda log, i: log.bids[i][0]),
            (", or c_max before any", lambda log, i: log.config.cost_bound),
            (", or 0 before any", lambda log, i: 0.0),
        ):
            says = f"drops bids {what}: the bid before stays{default}"
            yield _slip(f"bids dropped {what}{default}", says, _BIDS, bid=_bids_left(accepted, otherwise))
    for what, number in (("next", 1), ("previous", -1)):
        yield _slip(
            f"{what} provider's bid",
            f"takes the {what} provider's standing bid",
            _BIDS,
            bid=lambda book, log, i, number=number: log.bids[(i + number) % len(log.bids)][-1],
        )
    yield _slip(
        "initial bids by order",
        "gives the bids of initialization to providers in the order of service: the k-th served leaves provider k's",
        _BIDS,
        bid=lambda book, log, i: log.bids[i][-1] if len(log.bids[i]) > 1 else log.bids[log.served[i]][0],
    )
    yield _slip(
        "initial bids by place",
        "mixes up whose bids those of initialization are: a provider gets the one at its place in the order of service",
        _BIDS,
        bid=lambda book, log, i: log.bids[i][-1] if len(log.bids[i]) > 1 else log.bids[log.served.index(i)][0],
    )


def _score_slips() -> Iterator[Variant]:
    """Yield the rules whose estimate is another average."""
    for weight in _WEIGHTS:
        yield _slip(
            f"weight at least {weight:g}",
            f"gives a new score a weight of at least {weight:g}: early scores fade",
            _FILTER,
            estimate=_fading(weight),
        )
    yield _slip(
        "first score twice",
        "counts a provider's first score twice in the mean",
        _FILTER,
        estimate=lambda book, log, i: (log.sums[i] + log.scores[i][0]) / (log.counts[i] + 1),
    )
    for what, kept in (
        ("explorations", lambda log, i, at: not log.was_explored[i][at]),
        ("auctions", lambda log, i, at: at == 0 or log.was_explored[i][at]),
    ):
        yield _slip(
            f"scores of {what} dropped", f"leaves scores of {what} out of the mean", _FILTER, estimate=_mean_of(kept)
        )
    for says, scores in (
        ("next provider's", lambda log, i: log.scores[(i + 1) % len(log.scores)]),
        ("previous provider's", lambda log, i: log.scores[i - 1]),
        (
            "scores of initialization by the order of service: the k-th served leaves provider k's",
            lambda log, i: [log.scores[log.served[i]][0], *log.scores[i][1:]],
        ),
    ):
        yield _slip(
            f"scores: {says}",
            f"takes the {says}",
            _FILTER,
            estimate=lambda book, log, i, scores=scores: statistics.fmean(scores(log, i)),
        )


def _fading(least: float) -> OfProvider:
    def estimate(book: Rulebook, log: Log, i: int) -> float:
        found = 0.0
        for count, score in enumerate(log.scores[i], 1):
            found += max(1 / count, least) * (score - found)
        return found

    return estimate


def _mean_of(kept: Callable[[Log, int, int], bool]) -> OfProvider:
    def estimate(book: Rulebook, log: Log, i: int) -> float:
        return statistics.fmean(score for at, score in enumerate(log.scores[i]) if at == 0 or kept(log, i, at))

    return estimate


def _filter_slips() -> Iterator[Variant]:
    """Yield the rules that screen by another number, or too seldom."""
    numbers: tuple[tuple[str, str, OfProvider], ...] = (
        ("cost radius", "adds the cost radius to the quality estimate", lambda b, log, i: PLAIN.cost_radius(log, i)),
        (
            "radius times c_max",
            "adds c_max times the radius to the quality estimate",
            lambda b, log, i: log.config.cost_bound * PLAIN.radius(log, i),
        ),
        ("radius squared", "adds the square of the radius", lambda b, log, i: PLAIN.radius(log, i) ** 2),
        (
            "radius times q_min",
            "adds q_min times the radius",
            lambda b, log, i: log.config.quality_threshold * PLAIN.radius(log, i),
        ),
        (
            "radius times delta",
            "adds delta times the radius",
            lambda b, log, i: log.config.confidence * PLAIN.radius(log, i),
        ),
    )
    for name, says, number in numbers:
        yield _slip(
            f"filter by the {name}",
            f"{says} where it tells who is eligible",
            _FILTER,
            hoped=lambda book, log, i, number=number: PLAIN.estimate(PLAIN, log, i) + number(book, log, i),
        )
    yield _slip(
        "filter by scores in percent",
        "compares the sum of the scores, not their mean, with the threshold",
        _FILTER,
        hoped=lambda book, log, i: log.sums[i] + PLAIN.radius(log, i),
    )
    for period in (None, *_PERIODS):
        every = "N" if period is None else f"{period}"
        for phase in range(2):
            yield _slip(
                f"filter every {every} steps, {phase}",
                f"looks who is eligible every {every} steps only",
                _FILTER,
                eligible=_now_and_then(period, phase),
            )


def _now_and_then(period: int | None, phase: int) -> Any:
    """Return who was eligible at the last of the steps t = phase, phase + period, ... after initialization."""

    def eligible(book: Rulebook, log: Log, able: list[int]) -> list[int]:
        every = log.config.n_providers if period is None else period
        first = log.config.n_providers + 1
        if log.step == first or (log.step - first + phase) % every == 0 or not log.kept:
            log.kept[:] = able
        return list(log.kept)

    return eligible


def _winner_slips() -> Iterator[Variant]:
    """Yield the rules that let somebody else win, or price by another rival."""
    for bonus in _BONUSES:
        for last in ("winner", "served"):
            yield _slip(
                f"incumbent's bonus {bonus:g}, last {last}",
                f"keeps the last {'winner' if last == 'winner' else 'provider'} unless a rival is better by "
                f"{100 * bonus:g}% of c_max",
                ("index-minimizer", "monotone-allocation"),
                winners=_incumbent(bonus, auctions_alone=last == "winner"),
            )
    picks: tuple[tuple[str, str, Callable[[Log, int], float]], ...] = (
        ("lowest bid", "the lowest bid", lambda log, i: log.bids[i][-1]),
        ("best estimate", "the best quality estimate", lambda log, i: -log.sums[i] / log.counts[i]),
        ("least served", "the fewest queries", lambda log, i: log.counts[i]),
        ("most served", "the most queries", lambda log, i: -log.counts[i]),
        ("lowest number", "the lowest number", lambda log, i: i),
    )
    for name, says, key in picks:
        yield _slip(
            f"priced by the rival of the {name}",
            f"takes the rival with {says} in P, not the one with the lowest adjusted bid",
            _PRICE,
            critical=_priced_by(key),
        )
    for lone, which in ((0, ""), (1, ", unless it is the only one")):
        yield _slip(
            f"position for the index{which}",
            f"serves the provider whose number is the winner's position among the eligible{which}",
            ("index-minimizer", "eligibility"),
            winners=lambda book, log, able, lone=lone: (
                able if len(able) == lone else [able.index(i) for i in book.least(log, able)]
            ),
            paid=lambda book, log, i, able, lone=lone: (
                PLAIN.paid(PLAIN, log, i, able) if len(able) == lone else _paid_for_position(log, i, able)
            ),
            enough=1,
        )
    yield _slip(
        "position for the index, priced there",
        "takes the winner's position among the eligible for its number, and prices whoever has that number",
        ("index-minimizer", "eligibility"),
        winners=lambda book, log, able: [able.index(i) for i in book.least(log, able)],
        enough=1,
    )
    yield _slip(
        "lone without a rival at 0",
        "takes 0 for the adjusted bid of a lone provider's missing rival: it pays the cost radius",
        ("lone-payment",),
        paid_lone=lambda book, log, i, able: min(PLAIN.cost_radius(log, i), log.config.cost_bound),
    )
    for which, paid_lone in (
        ("", None),
        (", unless it is the only one", lambda book, log, i, able: log.config.cost_bound),
    ):
        yield _slip(
            f"rivals by position{which}",
            "takes the winner's number for a position among the eligible, and leaves whoever is there out of P",
            _PRICE,
            rivals=lambda book, log, i, able: [j for position, j in enumerate(able) if position != i],
            paid_lone=paid_lone,
        )
    for name, says, parts in (
        (
            "index at least 0",
            "raises adjusted bids to 0",
            {"index": lambda book, log, i: max(PLAIN.index(PLAIN, log, i), 0.0)},
        ),
        ("rival at least 0", "takes 0 for a rival's negative adjusted bid in P", {"critical": _rivals_from_zero}),
        (
            "cost radius at most c_max",
            "cuts the cost radius to c_max",
            {
                name: lambda book, log, i: min(PLAIN.cost_radius(log, i), log.config.cost_bound)
                for name in ("width", "price_width")
            },
        ),
        (
            "radius at most 1",
            "cuts the radius to 1",
            {
                name: lambda book, log, i: (
                    (1 + log.config.belief_slack) * log.config.cost_bound * min(PLAIN.radius(log, i), 1.0)
                )
                for name in ("width", "price_width")
            },
        ),
    ):
        yield _slip(name, says, _INDEX if name == "index at least 0" else (*_PRICE, *_INDEX), **parts)


def _incumbent(bonus: float, *, auctions_alone: bool) -> Any:
    def winners(book: Rulebook, log: Log, able: list[int]) -> list[int]:
        least = book.least(log, able)
        last = log.last_winner if auctions_alone else log.last
        if last not in able:
            return least
        margin = bonus * log.config.cost_bound
        return [last] if book.index(book, log, last) - margin <= book.index(book, log, least[0]) else least

    return winners


def _priced_by(key: Callable[[Log, int], float]) -> Any:
    def critical(book: Rulebook, log: Log, i: int, able: list[int]) -> float:
        rivals = [j for j in able if j != i]
        if not rivals:
            return float("inf")
        return book.index(book, log, min(rivals, key=lambda j: key(log, j))) + book.price_width(book, log, i)

    return critical


def _paid_for_position(log: Log, position: int, able: list[int]) -> float:
    if position >= len(able):
        return log.config.cost_bound
    return PLAIN.paid(PLAIN, log, able[position], able)


def _rivals_from_zero(book: Rulebook, log: Log, i: int, able: list[int]) -> float:
    rivals = [max(book.index(book, log, j), 0.0) for j in able if j != i]
    return book.price_width(book, log, i) + min(rivals) if rivals else float("inf")


def _exploration_slips() -> Iterator[Variant]:
    """Yield the rules that explore another set, or at some steps alone."""
    for name, says, count in _COUNTS:
        yield _slip(f"{name}: goal", f"{says} where it compares with g(t)", _GOAL, tally=count)
    for name, says, number in _NUMBERS:
        yield _slip(f"{name}: goal", f"{says} in g(t)", _GOAL, goal=_goal_with(number))
    for period in (2, None):
        every = "N-th" if period is None else "second"
        for phase in range(2):
            yield _slip(
                f"explores every {every} step, {phase}",
                f"explores at every {every} step alone",
                _GOAL,
                explored_of=lambda book, log, able, under, period=period, phase=phase: (
                    under if (log.step + phase) % (period or log.config.n_providers) == 0 else []
                ),
            )
    yield _slip(
        "explores the least served alone",
        "explores only if the least served of all is under-sampled and eligible",
        _GOAL,
        explored_of=lambda book, log, able, under: under if log.counts.index(min(log.counts)) in under else [],
    )


#: Tried after the variants that somebody may have meant; all that explain the answers are named.
SLIPS: tuple[Variant, ...] = (
    *(slip for name, says, count in _COUNTS for slip in _radius_sites(name, says, _at(count))),
    *(slip for name, says, number in _NUMBERS for slip in _radius_sites(name, says, _with(number))),
    *_exploration_slips(),
    *_winner_slips(),
    *_filter_slips(),
    *_score_slips(),
    *_bid_slips(),
)

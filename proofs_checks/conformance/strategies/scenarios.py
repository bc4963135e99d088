"""Strategies for scenarios: interactions with a mechanism, in families that each reach one kind of step.

What random parameters almost never reach (one eligible provider, none, an exploration set that is a strict subset of
the eligible ones, a whole g(t)) is the ordinary draw of some family.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.errors import InputError, did_you_mean
from mechanism.config import MechanismConfig
from mechanism.tables import radius_table
from proofs_checks.conformance.play.scenario import NO_EXPLORATION, Query, Scenario, usual_config
from proofs_checks.conformance.strategies.bids import bids
from proofs_checks.conformance.strategies.kept import between, one_of
from proofs_checks.conformance.strategies.sequences import MOVING, SequenceKind, sequence, shapes

_COST_BOUNDS = (1.0, 2.0, 102.4, 0.001)
_SEEDS = st.integers(0, 2**16)


#: Its radii are narrow: providers that score badly are out after a few queries.
_LARGE_DELTA = 0.99
_strict_config = functools.partial(usual_config, quality_threshold=1.0, confidence=_LARGE_DELTA)


def scenarios(family: str = "auctions") -> SearchStrategy[Scenario]:
    """Return a strategy for the scenarios of a family.

    Parameters
    ----------
    family : str, optional
        One of `FAMILIES`.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(scenarios("lone"), lambda scenario: True).config.quality_threshold
    1.0
    """
    if family not in FAMILIES:
        raise InputError("family", family, "is unknown", did_you_mean(family, FAMILIES, f"take {', '.join(FAMILIES)}"))
    return FAMILIES[family]()


@st.composite
def auctions(
    draw: st.DrawFn, *, slack: bool = False, horizon: int = 30, n_providers: tuple[int, int] = (2, 4)
) -> Scenario:
    """Return a strategy for auctions among all, from the first step after initialization on.

    `slack` makes the belief slack gamma positive; `horizon` is the most steps; `n_providers` the fewest and the most.
    """
    bound = draw(one_of(*_COST_BOUNDS))
    n = draw(between(*n_providers))
    config = usual_config(
        n_providers=n,
        confidence=draw(one_of(0.05, 0.99, 0.5, 1e-6)),
        cost_bound=bound,
        belief_slack=draw(one_of(1.0, 0.5, 3.0)) if slack else 0.0,
    )
    return draw(_scenario(config, [(1.0,)] * n, horizon))


@st.composite
def noisy(draw: st.DrawFn, *, slack: bool = False) -> Scenario:
    """Return a strategy for scores all over [0, 1], thresholds within it, and some exploration."""
    n = draw(between(2, 5))
    config = MechanismConfig(
        n_providers=n,
        quality_threshold=draw(one_of(0.9, 0.75, 1.0, 0.5)),
        confidence=draw(one_of(0.99, 0.5)),
        cost_bound=draw(one_of(*_COST_BOUNDS)),
        exploration_scale=draw(one_of(NO_EXPLORATION, 0.3, 0.97, 1.7)),
        exploration_exponent=draw(one_of(0.5, 0.75, 0.25)),
        belief_slack=0.5 if slack else 0.0,
    )
    return draw(_scenario(config, [(0.0, 0.25, 0.5, 0.7, 1.0)] * n, 90))


@st.composite
def exploring(draw: st.DrawFn) -> Scenario:
    """Return a strategy for exploration now and then, among all who are under-sampled."""
    n = draw(between(2, 4))
    config = usual_config(
        n_providers=n,
        cost_bound=draw(one_of(*_COST_BOUNDS)),
        exploration_scale=draw(one_of(0.7, 1.3, 2.9)),
        exploration_exponent=draw(one_of(0.5, 0.75, 2 / 3)),
    )
    return draw(_scenario(config, [(1.0,)] * n, 60))


@st.composite
def whole_goals(draw: st.DrawFn) -> Scenario:
    """Return a strategy for steps at which g(t) is a whole number, however it is computed."""
    config = usual_config(n_providers=4, exploration_scale=draw(one_of(2.0, 2.0, 1.0)))
    return draw(_scenario(config, [(1.0,)] * 4, 66, least=60))


@st.composite
def lone(draw: st.DrawFn) -> Scenario:
    """Return a strategy for one provider that stays eligible: the others score 0, are cheap, and are soon out."""
    n = draw(between(2, 3))
    config = _strict_config(n_providers=n, cost_bound=draw(one_of(*_COST_BOUNDS)))
    chosen = draw(between(0, n - 1))
    scores: list[tuple[float, ...]] = [(0.0,)] * n
    scores[chosen] = (1.0,)
    return draw(_scenario(config, scores, 30, least=14, cheap=[i for i in range(n) if i != chosen]))


@st.composite
def empty(draw: st.DrawFn) -> Scenario:
    """Return a strategy for nobody eligible, and for providers that become eligible again."""
    n = draw(between(2, 3))
    config = _strict_config(
        n_providers=n, cost_bound=draw(one_of(*_COST_BOUNDS)), exploration_scale=draw(one_of(NO_EXPLORATION, 0.6))
    )
    scores = [draw(one_of((0.0,), (0.0, 0.0, 0.0, 1.0))) for _ in range(n)]
    scenario = draw(_scenario(config, scores, 40, least=24))
    if not draw(st.booleans()):
        return scenario
    # The first provider is out after N scores of 0, and back with the next: beta(N) < 1 <= beta(N + 1) + 1 / (N + 1).
    own = scenario.queries[0]
    back = tuple(replace(own[k % len(own)], score=score) for k, score in enumerate([0.0] * n + [1.0]))
    return replace(scenario, queries=(back, *scenario.queries[1:]))


@st.composite
def screening(draw: st.DrawFn, *, slack: bool = False) -> Scenario:
    """Return a strategy for providers that are excluded while under-sampled ones are left."""
    n = draw(between(3, 5))
    config = _strict_config(
        n_providers=n,
        quality_threshold=draw(one_of(0.9, 1.0)),
        cost_bound=draw(one_of(*_COST_BOUNDS)),
        exploration_scale=draw(one_of(2.9, 1.7)),
        exploration_exponent=draw(one_of(0.75, 0.5)),
        belief_slack=1.0 if slack else 0.0,
    )
    poor = draw(between(1, n - 2))
    return draw(_scenario(config, [(0.0,)] * poor + [(1.0,)] * (n - poor), 100, least=60))


@st.composite
def quality_drop(draw: st.DrawFn) -> Scenario:
    """Return a strategy for a cheap provider that scores well for a while and never again."""
    n = draw(between(2, 3))
    threshold = draw(one_of(1.0, 0.9))
    config = _strict_config(n_providers=n, quality_threshold=threshold, cost_bound=draw(one_of(*_COST_BOUNDS)))
    good = draw(between(4, 12))
    chosen, others = draw(between(0, n - 1)), draw(bids(config.cost_bound, named=False))
    cheap = (*(Query(1.0, 0.0, 0.0),) * good, *(Query(0.0, 0.0, 0.0),) * 100)
    dear = (Query(1.0, config.cost_bound / 2, others),)
    queries = tuple(cheap if i == chosen else dear for i in range(n))
    return Scenario(config, draw(_SEEDS), queries, draw(between(60, 110)))


@st.composite
def near_threshold(draw: st.DrawFn, *, binary: bool = False, n: int = 2) -> Scenario:
    """Return a strategy for a provider that misses or passes the threshold by 1e-7, 1e-8 or 2e-9, after many scores.

    The first example is one that scores in single precision fail: they are off by 1.2e-8 at 0.3. `binary` makes all
    scores 0 or 1, and `n` is the number of providers.
    """
    bound = draw(one_of(*_COST_BOUNDS))
    scores = draw(_near_scores(binary))
    reached = sum(scores) / len(scores) + radius_table(n, _LARGE_DELTA)[len(scores)]
    threshold = min(reached + draw(one_of(2e-9, -2e-9, 1e-8, -1e-8, 1e-7, -1e-7)), 1.0)
    config = _strict_config(n_providers=n, quality_threshold=threshold, cost_bound=bound)
    cheap = tuple(Query(score, 0.0, 0.0) for score in scores)
    others = ((Query(1.0, bound / 2, bound),),) * (n - 1)
    return Scenario(config, draw(_SEEDS), (cheap, *others), len(scores) + n)


@st.composite
def late_drop(draw: st.DrawFn) -> Scenario:
    """Return a strategy for a cheap provider that scores 1 for long and then never again.

    The mean of all scores falls slowly then; one that forgets what is older than some two hundred scores falls soon.
    The first example is the longest.
    """
    bound, n = draw(one_of(*_COST_BOUNDS)), draw(between(2, 3))
    good = draw(one_of(250, 60, 120))
    config = _strict_config(n_providers=n, cost_bound=bound)
    cheap = (*(Query(1.0, 0.0, 0.0),) * good, *(Query(0.0, 0.0, 0.0),) * 100)
    dear = (Query(1.0, bound / 2, bound),)
    return Scenario(config, draw(_SEEDS), (cheap, *(dear,) * (n - 1)), good + 60)


@st.composite
def at_band_edge(draw: st.DrawFn, *, horizon: int = 150) -> Scenario:
    """Return a strategy for scores and costs that run along the edges of the confidence bands, up to a horizon."""
    config = usual_config(
        n_providers=draw(between(2, 4)),
        quality_threshold=draw(one_of(0.5, 0.8)),
        confidence=draw(one_of(0.99, 0.5)),
        cost_bound=draw(one_of(*_COST_BOUNDS)),
        exploration_scale=draw(one_of(0.3, 1.3)),
    )
    steps = draw(between(config.n_providers + 1, horizon))
    return Scenario(config, draw(_SEEDS), draw(_sequences(config, steps, ("band edge",))), steps)


@st.composite
def long_run(draw: st.DrawFn) -> Scenario:
    """Return a strategy for a thousand steps and more, with scores and costs of all moving kinds."""
    config = MechanismConfig(
        n_providers=draw(between(2, 4)),
        quality_threshold=draw(one_of(0.5, 0.0)),
        confidence=draw(one_of(0.05, 0.99)),
        cost_bound=draw(one_of(*_COST_BOUNDS)),
        exploration_scale=draw(one_of(0.3, 1.3)),
        exploration_exponent=draw(one_of(0.5, 0.75)),
    )
    steps = draw(between(1200, 1600))
    # What is longer starts again: the providers' sequences need not be as long as the interaction.
    return Scenario(config, draw(_SEEDS), draw(_sequences(config, 397, MOVING)), steps)


@st.composite
def _sequences(
    draw: st.DrawFn, config: MechanismConfig, length: int, kinds: tuple[SequenceKind, ...]
) -> tuple[tuple[Query, ...], ...]:
    """Draw truthful providers whose scores and costs are sequences of the given kinds."""
    bound, threshold = config.cost_bound, config.quality_threshold
    shape = shapes(kinds)
    made = functools.partial(sequence, length=length, n_providers=config.n_providers, confidence=config.confidence)
    queries = []
    for _ in range(config.n_providers):
        quality = draw(one_of(1.0, threshold, threshold / 2, 0.0))
        cost = draw(one_of(0.25, 0.5, 0.0, 1.0)) * bound
        queries.append(tuple(map(Query, made(draw(shape), quality, 1.0), made(draw(shape), cost, bound))))
    return tuple(queries)


@st.composite
def _scenario(
    draw: st.DrawFn,
    config: MechanismConfig,
    scores: Sequence[tuple[float, ...]],
    horizon: int,
    *,
    least: int | None = None,
    cheap: Sequence[int] = (),
) -> Scenario:
    """Draw what the providers' queries yield, over at most `horizon` steps.

    Parameters
    ----------
    scores : sequence of tuples of float
        What each provider scores: one value for always, several to draw from.
    least : int, optional
        Fewest steps; by default one after initialization.
    cheap : sequence of int
        Providers that bid 0.
    """
    n, bound = config.n_providers, config.cost_bound
    seed, steps = draw(_SEEDS), draw(between(n + 1 if least is None else least, horizon))
    queries = [tuple(draw(_yields(possible, bound, i in cheap))) for i, possible in enumerate(scores)]
    return Scenario(config, seed, tuple(queries), steps)


@functools.cache
def _yields(scores: tuple[float, ...], bound: float, is_cheap: bool) -> SearchStrategy[list[Query]]:
    """Return the strategy for what a provider's queries yield, one after another."""
    bid = st.just(0.0) if is_cheap else bids(bound)
    cost = one_of(bound / 4, bound / 2, 0.0, bound)
    return st.lists(st.builds(Query, st.sampled_from(scores), cost, bid), min_size=1, max_size=4)


@functools.cache
def _near_scores(binary: bool) -> SearchStrategy[list[float]]:
    possible = [0.0, 1.0, 0.0, 0.0] if binary else [0.3, 0.1, 0.05, 0.2, 0.985, 0.004]
    return st.lists(st.sampled_from(possible), min_size=14, max_size=40)


#: Every family by name.
FAMILIES: Mapping[str, Callable[[], SearchStrategy[Scenario]]] = MappingProxyType(
    {
        "auctions": auctions,
        "many providers": lambda: auctions(n_providers=(6, 12)),
        "widened": lambda: auctions(slack=True),
        "widened noisy": lambda: noisy(slack=True),
        "widened screening": lambda: screening(slack=True),
        "noisy": noisy,
        "exploring": exploring,
        "whole goals": whole_goals,
        "lone": lone,
        "empty": empty,
        "screening": screening,
        "quality drop": quality_drop,
        "near threshold": near_threshold,
        "late drop": late_drop,
        "band edge": at_band_edge,
        "long run": long_run,
    }
)

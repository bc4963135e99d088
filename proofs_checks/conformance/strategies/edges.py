"""Strategies for platform parameters, settings, and markets near an edge of the theory; corners are ordinary draws.

All shrink towards a market that one reads at a glance: two providers, costs 0.25 and 0.5, threshold 0.5, c_max 1.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.errors import InputError, did_you_mean
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.conformance.strategies.kept import between, kept, one_of

#: What near the edge of a bound counts as a hair, in shares of the range.
HAIR = 1e-9
#: Below, a threshold would allow gaps whose bounds overflow.
_LEAST_THRESHOLD = 1e-3


def platform_parameters(*, slacks: bool = True, extreme: bool = False) -> SearchStrategy[PlatformParameters]:
    """Return a strategy for platform parameters.

    Parameters
    ----------
    slacks : bool, optional
        Whether belief slack, underbid and overbid may be positive (default). They are all 0 in half of the draws.
    extreme : bool, optional
        Whether parameters may lie near the ends of what is accepted, too.

    Notes
    -----
    q_min is 0, 1/2, 1 or uniform from 0.001 on; delta lies in [1e-6, 0.999], k in [0.01, 10] and alpha in
    [0.05, 0.95], each at a usual value in half of the draws; c_max is 1, 100, 102.4 or 0.001; gamma is at most 2, d_-
    and d_+ at most 0.15 c_max each. If extreme, q_min may be 1e-6, delta 1e-12, 1e-300 or an ulp below 1, c_max 1e-6
    or 1e9, k 1e-9 or 1e13, alpha 0.001 or 0.999, and gamma 1e6.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(platform_parameters(slacks=False), lambda platform: platform.exploration_scale > 1).quality_threshold
    0.5
    """
    return _platforms(slacks, extreme)


@functools.cache
def _platforms(slacks: bool, extreme: bool) -> SearchStrategy[PlatformParameters]:
    modes = [(False, False), (True, False), (False, True), (True, True)] if slacks else [(False, False)]
    # Truthful bids in half of the draws: most of the paper is about them.
    mode = st.sampled_from([modes[0], modes[0], *modes])
    bounds = [1.0, 100.0, 1e-3, 102.4, *([1e-6, 1e9] if extreme else [])]
    return st.tuples(st.sampled_from(bounds), mode).flatmap(lambda drawn: _platform(*drawn, extreme))


@functools.cache
def _platform(bound: float, mode: tuple[bool, bool], extreme: bool) -> SearchStrategy[PlatformParameters]:
    def within(low: float, high: float, usual: list[float], ends: list[float]) -> SearchStrategy[float]:
        return st.sampled_from(usual + ends if extreme else usual) | st.floats(low, high)

    none = st.just(0.0)
    shift = within(0.0, 0.15 * bound, [0.125 * bound, 0.1 * bound], [])
    bayesian, deviating = mode
    return st.builds(
        PlatformParameters,
        quality_threshold=within(_LEAST_THRESHOLD, 1.0, [0.5, 0.0, 1.0], [1e-6]),
        confidence=within(1e-6, 0.999, [0.05, 0.5, 0.99, 1e-6], [1e-12, 1e-300, 1 - 2**-53]),
        cost_bound=st.just(bound),
        exploration_scale=within(0.01, 10.0, [0.25, 2.0, 1.0, 0.03, 8.0], [1e-9, 1e13]),
        exploration_exponent=within(0.05, 0.95, [0.75, 0.5, 0.05, 0.95], [0.001, 0.999]),
        belief_slack=within(0.0, 2.0, [1.0], [1e6]) if bayesian else none,
        underbid=none | shift if deviating else none,
        overbid=none | shift if deviating else none,
    )


@st.composite
def settings(
    draw: st.DrawFn,
    *,
    n_providers: tuple[int, int] = (2, 6),
    slacks: bool = True,
    assumptions: bool | None = None,
    least_gap: float = 2**-20,
    platform: SearchStrategy[PlatformParameters] | None = None,
) -> Setting:
    """Return a strategy for valid settings.

    Parameters
    ----------
    n_providers : (int, int), optional
        Least and largest number of providers.
    slacks : bool, optional
        As for `platform_parameters`.
    assumptions : bool, optional
        Whether the theory applies: two providers or more are qualified, the cheapest of them is unique, and cheaper
        than its competitors by more than d_- + d_+ (True). False aims at nothing; None (default) at three in four.
    least_gap : float, optional
        Where the theory applies: the least quality gap, and the least cost gap beyond d_- + d_+ in shares of c_max; at
        most 0.7. Where q_min is less, everybody is qualified.
    platform : strategy, optional
        Of the platform parameters; default `platform_parameters`.

    Notes
    -----
    Half of the qualities are 0, 1, at q_min, an ulp (where the theory applies: the least gap) below it, or 0.25 beside
    it, the others uniform on either side of it. Half of the costs are 0, c_max or an ulp below it, or a quarter or half
    of it, the others uniform; where the theory applies the optimal cost is at most 0.3 c_max, and cost gaps are 0.25
    c_max, the least gap, or uniform up to 0.4 c_max. Providers are in any order.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(settings(assumptions=True), lambda setting: True)
    >>> [(provider.quality, provider.mean_cost) for provider in found.providers]
    [(0.75, 0.25), (0.75, 0.5)]
    """
    chosen = draw(platform_parameters(slacks=slacks) if platform is None else platform)
    threshold, bound = chosen.quality_threshold, chosen.cost_bound
    n = draw(between(*n_providers))
    aim = draw(one_of(True, True, True, False)) if assumptions is None else assumptions
    qualities = [draw(_qualities(threshold, aim and i < 2, least_gap if aim else 0.0)) for i in range(n)]
    if aim:
        deviations = chosen.underbid + chosen.overbid
        least = min(draw(_optimal_costs(bound)), bound * (1 - least_gap) - deviations)
        beyond = least + deviations
        rest = [
            min(beyond + draw(_cost_gaps(bound, least_gap)), bound) if quality >= threshold else draw(_costs(bound))
            for quality in qualities[1:]
        ]
        costs = [least, *rest]
    else:
        costs = [draw(_costs(bound)) for _ in range(n)]
    order = draw(st.permutations(range(n)))
    return _setting(chosen, [(qualities[j], costs[j]) for j in order])


def _setting(platform: PlatformParameters, pairs: Sequence[tuple[float, float]]) -> Setting:
    return Setting(
        "drawn", platform, tuple(Provider(f"p{i}", quality, cost) for i, (quality, cost) in enumerate(pairs))
    )


@kept
def _qualities(threshold: float, qualified: bool, least_gap: float) -> SearchStrategy[float]:
    """Return the strategy for qualities: of a qualified provider, or of any one, with a gap if there is room for it."""
    above = _above(threshold)
    highest = threshold - least_gap if least_gap else math.nextafter(threshold, 0.0)
    if qualified or threshold == 0 or highest < 0:
        return above
    below = st.sampled_from([max(min(threshold - 0.25, highest), 0.0), 0.0, highest])
    return above | below | st.floats(0.0, highest)


@kept
def _above(threshold: float) -> SearchStrategy[float]:
    return st.sampled_from([min(threshold + 0.25, 1.0), threshold, 1.0]) | st.floats(threshold, 1.0)


@kept
def _optimal_costs(bound: float) -> SearchStrategy[float]:
    return st.sampled_from([bound / 4, 0.0]) | st.floats(0.0, 0.3 * bound)


@kept
def _cost_gaps(bound: float, least: float) -> SearchStrategy[float]:
    return st.sampled_from([max(bound / 4, least * bound), least * bound]) | st.floats(
        least * bound, max(0.4, least) * bound
    )


@kept
def _costs(bound: float) -> SearchStrategy[float]:
    return st.sampled_from([bound / 2, bound / 4, 0.0, bound, math.nextafter(bound, 0.0)]) | st.floats(0.0, bound)


#: How a market is brought near an edge, from a setting to which the theory applies.
Edge = Callable[[st.DrawFn, Setting], Setting]


def _changed(setting: Setting, **columns: Sequence[float]) -> Setting:
    """Return a setting with other qualities or mean costs."""
    rows = zip(*columns.values(), strict=True)
    changed = [
        replace(provider, **dict(zip(columns, row, strict=True)))
        for provider, row in zip(setting.providers, rows, strict=True)
    ]
    return replace(setting, providers=tuple(changed))


def _of_platform(setting: Setting, **changes: Any) -> Setting:
    return replace(setting, platform=replace(setting.platform, **changes))


def _qualities_of(setting: Setting) -> list[float]:
    return [provider.quality for provider in setting.providers]


def _costs_of(setting: Setting) -> list[float]:
    return [provider.mean_cost for provider in setting.providers]


def _beside(value: float, low: float, high: float) -> SearchStrategy[float]:
    """Return the strategy for what lies at a value, an ulp beside it, or a hair."""
    hair = HAIR * (high - low)
    near = [value, math.nextafter(value, low), math.nextafter(value, high), value - hair, value + hair]
    return one_of(*(min(max(each, low), high) for each in near))


def _tie(draw: st.DrawFn, setting: Setting) -> Setting:
    costs = _costs_of(setting)
    least = costs[setting.optimal or 0]
    costs[draw(one_of(*setting.competitors))] = draw(one_of(least, least, math.nextafter(least, math.inf)))
    return _changed(setting, mean_cost=costs)


def _threshold(draw: st.DrawFn, setting: Setting) -> Setting:
    qualities = _qualities_of(setting)
    qualities[draw(between(0, len(qualities) - 1))] = draw(_beside(setting.platform.quality_threshold, 0.0, 1.0))
    return _changed(setting, quality=qualities)


def _qualified(count: int | None) -> Edge:
    """Return the edge at which so many providers are qualified, or all."""

    def edge(draw: st.DrawFn, setting: Setting) -> Setting:
        n, soon = setting.n_providers, count is not None and draw(st.booleans())
        if soon:
            setting = _of_platform(setting, quality_threshold=1.0, confidence=0.99)
        threshold = max(setting.platform.quality_threshold, _LEAST_THRESHOLD)
        able = draw(st.permutations(range(n)))[:count]
        # Drawn alike either way, so that a shrunk market is not one of those.
        qualities = [draw(_above(threshold)) if i in able else draw(_below(threshold)) * (not soon) for i in range(n)]
        return _changed(_of_platform(setting, quality_threshold=threshold), quality=qualities)

    return edge


@kept
def _below(threshold: float) -> SearchStrategy[float]:
    return one_of(max(threshold - 0.25, 0.0), 0.0, math.nextafter(threshold, 0.0))


def _equal_costs(draw: st.DrawFn, setting: Setting) -> Setting:
    return _changed(setting, mean_cost=[draw(_costs(setting.platform.cost_bound))] * setting.n_providers)


def _extremes(draw: st.DrawFn, setting: Setting) -> Setting:
    bound, n = setting.platform.cost_bound, setting.n_providers
    return _changed(
        setting,
        quality=[draw(one_of(1.0, 0.0)) for _ in range(n)],
        mean_cost=[draw(one_of(0.0, bound)) for _ in range(n)],
    )


def _two(draw: st.DrawFn, setting: Setting) -> Setting:
    first = setting.optimal or 0
    pair = sorted([first, draw(one_of(*(i for i in range(setting.n_providers) if i != first)))])
    return replace(setting, providers=tuple(setting.providers[i] for i in pair))


def _no_exploration(draw: st.DrawFn, setting: Setting) -> Setting:
    return _of_platform(setting, exploration_scale=draw(one_of(1e-3, 1e-9, 1e-300)))


def _tiny_delta(draw: st.DrawFn, setting: Setting) -> Setting:
    return _of_platform(setting, confidence=draw(one_of(1e-12, 1e-100, 1e-300)))


def _small_gaps(draw: st.DrawFn, setting: Setting) -> Setting:
    platform = setting.platform
    threshold, bound = platform.quality_threshold, platform.cost_bound
    beyond = _costs_of(setting)[setting.optimal or 0] + platform.underbid + platform.overbid
    qualities = [quality if quality >= threshold else max(threshold - HAIR, 0.0) for quality in _qualities_of(setting)]
    costs = [beyond + HAIR * bound if i in setting.competitors else c for i, c in enumerate(_costs_of(setting))]
    return _changed(setting, quality=qualities, mean_cost=[min(cost, bound) for cost in costs])


def _ordinary(draw: st.DrawFn, setting: Setting) -> Setting:
    return setting


#: Every edge by name; the first stands for none of them.
EDGES: Mapping[str, Edge] = MappingProxyType(
    {
        "ordinary": _ordinary,
        "tie": _tie,
        "threshold": _threshold,
        "lone": _qualified(1),
        "none": _qualified(0),
        "all": _qualified(None),
        "equal-costs": _equal_costs,
        "extremes": _extremes,
        "two": _two,
        "no-exploration": _no_exploration,
        "tiny-delta": _tiny_delta,
        "small-gaps": _small_gaps,
    }
)


def markets(
    near: str | None = None, *, n_providers: tuple[int, int] = (2, 4), slacks: bool = False
) -> SearchStrategy[Setting]:
    """Return a strategy for settings near an edge of the theory.

    A setting to which the theory applies, as `settings` draws it, is moved to the edge.

    Parameters
    ----------
    near : str, optional
        - ``"tie"``: a competitor costs what the optimal provider does, or an ulp more
        - ``"threshold"``: the quality of a provider is q_min, or an ulp or 1e-9 beside it
        - ``"lone"``, ``"none"``, ``"all"``: one provider is qualified, or none, or all are; in half of the draws of the
          first two delta is 0.99, q_min 1, and all other qualities 0, so that these are excluded after a few queries
        - ``"equal-costs"``: all mean costs are equal
        - ``"extremes"``: qualities are 0 or 1, mean costs 0 or c_max
        - ``"two"``: N = 2
        - ``"no-exploration"``: k is at most 0.001, so that g(T) < 1 for all T up to 1,000 N
        - ``"tiny-delta"``: delta is at most 1e-12, and 1e-300 in a third of the draws
        - ``"small-gaps"``: all quality gaps, and all cost gaps beyond d_- + d_+ in shares of c_max, are 1e-9
        - ``"ordinary"``: none of these is aimed at

        Default: each of them, equally often.
    n_providers, slacks : optional
        As for `settings`.

    Raises
    ------
    InputError
        No edge has this name.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(markets("tie"), lambda setting: True)
    >>> [provider.mean_cost for provider in found.providers], found.optimal is None
    ([0.25, 0.25], True)
    """
    if near is not None and near not in EDGES:
        raise InputError("near", near, "is unknown", did_you_mean(near, EDGES, f"choose one of {', '.join(EDGES)}"))
    return _near(near, n_providers, slacks)


@st.composite
def _near(draw: st.DrawFn, near: str | None, n_providers: tuple[int, int], slacks: bool) -> Setting:
    edge = EDGES[draw(one_of(*EDGES)) if near is None else near]
    return edge(draw, draw(settings(n_providers=n_providers, slacks=slacks, assumptions=True)))

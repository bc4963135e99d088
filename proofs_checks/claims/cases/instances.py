"""Instances constructed at the edges of the confidence bands, on which every claim is tried.

The first ones are built at the boundary of a bound (`boundary`), all others are random. Corners are ordinary among
them: two providers, equal costs and bids, a lone eligible provider, zero and maximal quality, g(T) < 1, horizons just
above N, and burn-in times short enough to be passed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.grid.axes import ALIASES
from bounds.setting.model import PlatformParameters, Setting
from mechanism.bidding import Bidder
from mechanism.delays import delay_law
from proofs_checks.claims.cases.boundary import BOUNDARY, setting_of
from proofs_checks.claims.cases.constructed import EdgeBidder, constructed_case
from proofs_checks.claims.cases.late_boundary import LATE_BOUNDARY
from proofs_checks.claims.model.case import Case

#: Radii shrink slowly: where deviations are to outweigh them, many queries are needed.
DEVIATION_HORIZON = 20_000
#: Settings whose T_0 is passed need a long horizon; every fourth instance is of that kind.
LONG_HORIZON = 3000


def instance_case(seed: int, instance: int, *, at_most: int | None = None) -> Case:
    """Return one instance of those that `verify` tries: a pure function of (seed, instance).

    The first `len(BOUNDARY)` are the same for every seed, the others random. Of a random one the first steps alone
    are played where `at_most` says how many.

    Examples
    --------
    >>> instance_case(0, 0).trace == instance_case(1, 0).trace
    True
    """
    if instance >= len(BOUNDARY):
        return random_case(seed, instance, at_most=at_most)
    name = list(BOUNDARY)[instance]
    case = BOUNDARY[name]()
    return Case(case.setting, case.trace, _origin(case.setting, seed, instance, name))


def _origin(setting: Setting, seed: int, instance: int, market: str) -> dict[str, Any]:
    """Return how to make an instance again, with the numbers of its setting for readers."""
    platform = vars(setting.platform)
    told = ", ".join(f"{symbol} {platform[name]!r}" for symbol, name in ALIASES.items() if name in platform)
    pairs = "; ".join(f"{provider.quality!r}, {provider.mean_cost!r}" for provider in setting.providers)
    text = f"{told}; quality and mean cost of each provider: {pairs}"
    return {"kind": "steered", "seed": seed, "instance": instance, "market": market, "setting": text}


#: How many queries are in flight in the instances with delays, in turn.
_DELAYS = ("1", "3", "0-9,in-order", "2-5,in-order", "25")


def delayed_case(seed: int, instance: int) -> Case:
    """Return one instance with queries in flight of those that `verify` tries: a pure function of (seed, instance).

    The first `len(LATE_BOUNDARY)` are the same for every seed, the others random.

    Examples
    --------
    >>> delayed_case(0, 0).origin["market"], delayed_case(0, 6).origin["delay"]
    ('unheard, unqualified', '0-9,in-order')
    >>> delayed_case(0, 5).replay.in_flight.sum(axis=1).max()
    np.int64(3)
    """
    number = instance - len(LATE_BOUNDARY)
    if number >= 0:
        case = random_case(seed, number, delay=_DELAYS[number % len(_DELAYS)])
        return Case(case.setting, case.trace, {**case.origin, "instance": instance})
    name = list(LATE_BOUNDARY)[instance]
    case = LATE_BOUNDARY[name]()
    return Case(case.setting, case.trace, _origin(case.setting, seed, instance, name) | {"delay": "as built"})


def random_case(seed: int, instance: int, *, at_most: int | None = None, delay: str | None = None) -> Case:
    """Return one random constructed instance, or its first steps: a pure function of (seed, instance).

    `delay` names how many queries are in flight, as for `mechanism.delays.delay_law`.

    Examples
    --------
    >>> whole, start = random_case(0, 32).trace, random_case(0, 32, at_most=10).trace
    >>> len(whole), start.payment.tolist() == whole.payment[:10].tolist()
    (3000, True)
    """
    rng = np.random.default_rng([seed, instance])
    family = _FAMILIES.get(instance % 20, _late_setting if instance % 4 == 0 else _corner_setting)
    setting, horizon = family(rng, instance)
    horizon = horizon if at_most is None else min(horizon, max(at_most, setting.n_providers))
    bidders, ties = _bidders(setting, rng), rng.choice(["first", "random"])
    law = None if delay is None else delay_law(delay)
    case = constructed_case(setting, bidders, horizon=horizon, rng=rng, ties=ties, delay=law)
    origin = _origin(setting, seed, instance, "steered")
    return Case(setting, case.trace, origin if delay is None else {**origin, "delay": delay})


def _late_setting(rng: np.random.Generator, instance: int) -> tuple[Setting, int]:
    """Draw a setting whose burn-in T_0 is well below the horizon."""
    n = int(rng.integers(2, 5))
    unqualified = int(rng.integers(0, n - 1))
    scale, exponent = float(rng.uniform(4, 6)), float(rng.uniform(0.48, 0.6))
    platform = _platform(rng, scale=scale, exponent=exponent, threshold=1.0 if unqualified else 0.0)
    # Wide quality gaps against a threshold of 1 have the smallest M_i there are.
    qualities = [1.0] * (n - unqualified) + [float(rng.uniform(0, 0.2)) for _ in range(unqualified)]
    bound = platform.cost_bound
    # The widest cost gap has the smallest L_i: half of these instances also pass m > L_i.
    costs = [0.0, bound, bound / 2, bound][:n] if rng.random() < 0.5 else _costs(rng, n, bound)
    return setting_of(f"late-{instance}", platform, qualities, costs), LONG_HORIZON


def _deviation_setting(rng: np.random.Generator, instance: int) -> tuple[Setting, int]:
    """Draw a setting in which deviations outweigh the radii, so that d_- and d_+ in the bounds are needed."""
    underbid, overbid = rng.permutation([float(rng.uniform(0.3, 0.45)), float(rng.choice([0.0, 0.3]))]).tolist()
    gap = float(rng.uniform(0.5, 0.95)) * (underbid + overbid)
    platform = PlatformParameters(0.0, 0.9, 1.0, float(rng.uniform(1, 2)), 0.6, 0.0, underbid, overbid)
    cheap = float(rng.uniform(0, 1 - gap))
    return setting_of(f"deviation-{instance}", platform, [1.0, 1.0], [cheap, cheap + gap]), DEVIATION_HORIZON


def _hopeless_setting(rng: np.random.Generator, instance: int) -> tuple[Setting, int]:
    """Draw a setting in which everybody is excluded before long: then any provider serves, at c_max."""
    n = int(rng.integers(2, 4))
    platform = _platform(rng, scale=float(rng.uniform(0.03, 1)), exponent=0.5, threshold=1.0)
    qualities = [float(rng.choice([0.0, 0.1])) for _ in range(n)]
    return setting_of(f"hopeless-{instance}", platform, qualities, _costs(rng, n, platform.cost_bound)), 250


def _corner_setting(rng: np.random.Generator, instance: int) -> tuple[Setting, int]:
    n = int(rng.integers(2, 6))
    scale = float(np.exp(rng.uniform(np.log(0.03), np.log(8))))
    threshold = float(rng.choice([0.0, 0.5, 1.0, rng.uniform(0, 1)]))
    platform = _platform(rng, scale=scale, exponent=float(rng.uniform(0.05, 0.95)), threshold=threshold)
    pool = [0.0, 1.0, threshold, threshold, max(threshold - 0.3, 0.0), min(threshold + 0.2, 1.0), rng.uniform()]
    qualities = [float(rng.choice(pool)) for _ in range(n)]
    horizon = int(rng.choice([n, n + 1, n + 2, 3 * n, 60, 250, 600]))
    return setting_of(f"corner-{instance}", platform, qualities, _costs(rng, n, platform.cost_bound)), horizon


def _platform(rng: np.random.Generator, *, scale: float, exponent: float, threshold: float) -> PlatformParameters:
    bound = float(rng.choice([1.0, 1.0, 100.0, 1e-3]))
    mode = rng.choice(["truthful", "bayesian", "deviating", "combined"], p=[0.4, 0.15, 0.25, 0.2])
    slack = float(rng.uniform(0, 1.5)) if mode in ("bayesian", "combined") else 0.0
    deviates = mode in ("deviating", "combined")
    underbid, overbid = (bound * float(rng.choice([0.0, rng.uniform(0, 0.2)])) * deviates for _ in range(2))
    return PlatformParameters(
        threshold, float(rng.uniform(1e-3, 0.99)), bound, scale, exponent, slack, underbid, overbid
    )


def _costs(rng: np.random.Generator, n: int, bound: float) -> list[float]:
    grid = [0.0, bound, bound / 2, bound / 4]
    return [float(rng.choice([*grid, rng.uniform(0, bound), rng.uniform(0, bound)])) for _ in range(n)]


def _bidders(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
    """Return bidders at the edge of what the setting's slacks allow; clipped in three instances of four."""
    clip = bool(rng.random() < 0.75)
    signs = rng.choice([-1.0, 1.0], size=setting.n_providers).tolist()
    return [EdgeBidder(setting, setting.platform.belief_slack, sign, clip) for sign in signs]


_FAMILIES = {10: _deviation_setting, 15: _hopeless_setting}

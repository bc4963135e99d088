"""Settings that figures must cope with, and small runs of them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.figures.files import simulated
from proofs_checks.figures.runs import SettingRuns

HOSTILE = (
    "$x_1^{2$ <script>alert(1)</script>",
    "\u202eright to left\u202c & \"quotes\" 'too'",
    "a_very_long_name " * 12,
    "modèle 模型 \U0001f600",
    "100% \\frac{1}{2} {braces} #1\nsecond line",
    "tab\tname",
)


def market(name: str, providers: list[tuple[float, float]], *, prices: bool = True, threshold: float = 0.5) -> Setting:
    """A setting with these qualities and costs."""
    made = [
        Provider(f"p{i}", quality, cost, listed_price=cost / 100 + 0.01 if prices else None)
        for i, (quality, cost) in enumerate(providers)
    ]
    return Setting(name, PlatformParameters(threshold, 0.05, 10.0, 2.0, 0.75), made)


def _hostile() -> Setting:
    platform = PlatformParameters(0.5, 0.05, 10.0, 2.0, 0.75)
    providers = [Provider(name, 0.9 - 0.15 * i, 1.0 + i) for i, name in enumerate(HOSTILE)]
    return Setting("$\\alpha$ <b>_\u202e" + "long name " * 20, platform, providers)


def _other_radius() -> Setting:
    found = market("beta-binomial", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)])
    return replace(found, platform=replace(found.platform, radius="beta-binomial"))


#: By name: settings on the edge, each with a horizon and the figures that cannot be drawn of it.
_NOT_FROM_T_IS_N = ("economic", "payment-bounds", "payments", "routing")
EDGES: Mapping[str, tuple[Setting, int, tuple[str, ...]]] = MappingProxyType(
    {
        "two providers": (market("two", [(0.9, 2.0), (0.8, 3.0)]), 400, ()),
        "none qualified": (
            market("none", [(0.1, 2.0), (0.2, 3.0), (0.3, 1.0)]),
            400,
            ("bounds", "guarantees", "identification", "payment-bounds"),
        ),
        "one qualified": (market("one", [(0.9, 2.0), (0.2, 1.0), (0.3, 3.0)]), 400, ("guarantees", "payment-bounds")),
        "a tie for i*": (
            market("tie", [(0.9, 2.0), (0.8, 2.0), (0.1, 1.0)]),
            400,
            ("guarantees", "identification", "payment-bounds"),
        ),
        "T = N": (market("start", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)]), 3, _NOT_FROM_T_IS_N),
        "T = N + 1": (market("next", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)]), 4, ("payment-bounds",)),
        "no listed price": (market("free", [(0.9, 2.0), (0.8, 3.0), (0.1, 1.0)], prices=False), 400, ()),
        "everybody alike": (market("alike", [(0.7, 2.0), (0.7, 2.5), (0.7, 2.5)]), 400, ()),
        "free and perfect": (market("zero", [(1.0, 0.0), (1.0, 10.0), (0.0, 0.0)]), 400, ()),
        "hostile names": (_hostile(), 400, ()),
        "another radius": (_other_radius(), 400, ("bounds", "guarantees", "payment-bounds")),
        "many providers": (
            market("many", [(0.3 + 0.01 * i, 0.1 * i + 1) for i in range(60)]),
            400,
            ("payment-bounds",),
        ),
    }
)
#: Published settings, and those on the edge.
NAMES = (*PUBLISHED_NAMES, *EDGES)


@lru_cache(maxsize=4)
def runs_of_name(name: str, runs: int = 3, horizon: int = 1_500) -> SettingRuns:
    setting, steps = (published(name).setting, horizon) if name in PUBLISHED_NAMES else EDGES[name][:2]
    return simulated(setting, steps, runs=runs, seed=7)

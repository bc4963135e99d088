"""Routing baselines and the ablation that the paper compares with, behind the platform's interface."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np

from bounds.errors import InputError, did_you_mean
from bounds.setting.model import Setting
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.randomness import draw_key

#: Paid after service, by the invoice: a routing baseline pays the realised query price.
INVOICED = math.nan


class EligibleRouter(Platform):
    """Routes among the eligible providers without bids: uniformly, or by lowest listed price.

    Parameters
    ----------
    config, rng
        As for `Platform`.
    prices : sequence of float, optional
        Listed price of a query's tokens (n_i lambda_m); the lowest wins, ties at random. Uniform without.
    screen : bool, optional
        Whether unqualified-looking providers are screened out (default).
    concurrent : bool, optional
        As for `Platform`.
    """

    def __init__(
        self,
        config: MechanismConfig,
        rng: np.random.Generator,
        prices: tuple[float, ...] | None = None,
        screen: bool = True,
        *,
        concurrent: bool = False,
    ) -> None:
        order = _order(config, rng)
        super().__init__(
            config, rng, ties="random", order=order, quality_filter=screen, exploration=False, concurrent=concurrent
        )
        self._prices = prices

    def _initialize(self) -> tuple[int, float]:
        return super()._initialize()[0], INVOICED

    def _decide(self) -> tuple[int, float]:
        able = self.eligible or tuple(range(self._config.n_providers))
        cheapest = rules.lowest(able, self._prices) if self._prices is not None else able
        return self._choose(rules.Allocation("empty", cheapest, able)), INVOICED


def _order(config: MechanismConfig, rng: np.random.Generator) -> list[int]:
    """Return a random order of initialization, as in the paper's experiments (appendix D)."""
    return [int(i) for i in rng.permutation(config.n_providers)]


def _prices(setting: Setting) -> tuple[float, ...]:
    prices = []
    for position, provider in enumerate(setting.providers, 1):
        if provider.listed_price is None:
            remedy = f"a lowest-price policy needs the price of {provider.name!r}; add it or leave the policy out"
            raise InputError(f"provider[{position}].listed_price", None, "is missing", remedy)
        prices.append(provider.multiplicity * provider.listed_price)
    return tuple(prices)


class PolicyMechanism(Protocol):
    """What an episode asks of a policy: `Mechanism`, and in the ticket form also `ConcurrentMechanism`."""

    def assign(self) -> tuple[int, float]:
        """Return who serves the next query (0-based index) and what the user pays; NaN: the query price."""

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        """Take the served provider's score and standing bid; the number of its query where several are in flight."""


class PolicyFactory(Protocol):
    """How a policy is made."""

    def __call__(self, setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> PolicyMechanism:
        """Return a fresh mechanism."""


@dataclass(frozen=True)
class Policy:
    """A way to route queries.

    Parameters
    ----------
    make : callable
        Returns a fresh mechanism for a setting and a generator; with ``concurrent=True`` in the ticket form.
    screens, explores, needs_prices, auctions : bool
        Whether it screens providers by quality, explores the under-sampled, reads listed prices, and holds auctions
        (else users pay the query price).
    compiled : bool, optional
        Whether the compiled episode knows it (default); else it runs in plain Python.
    """

    make: PolicyFactory
    _: KW_ONLY
    screens: bool = True
    explores: bool = False
    needs_prices: bool = False
    auctions: bool = True
    compiled: bool = True

    def routing_prices(self, setting: Setting) -> tuple[float, ...] | None:
        """Return what a baseline minimizes among the eligible, by provider, ties at random; None for an auction."""
        if self.auctions:
            return None
        return _prices(setting) if self.needs_prices else (0.0,) * setting.n_providers

    def draws(self, setting: Setting, rng: np.random.Generator) -> tuple[list[int], int]:
        """Return what `make` draws, without making it: the order of initialization and the key of later draws."""
        return _order(MechanismConfig.of(setting), rng), draw_key(rng)

    def check(self, setting: Setting) -> None:
        """Raise an InputError if the policy needs a listed price that a provider lacks."""
        if self.needs_prices:
            _prices(setting)


def _policy(
    *, screens: bool = True, explores: bool = False, needs_prices: bool = False, auctions: bool = True
) -> Policy:
    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> Platform:
        config = MechanismConfig.of(setting)
        if auctions:
            order = _order(config, rng)
            return Platform(
                config, rng, order=order, quality_filter=screens, exploration=explores, concurrent=concurrent
            )
        return EligibleRouter(config, rng, _prices(setting) if needs_prices else None, screens, concurrent=concurrent)

    return Policy(make, screens=screens, explores=explores, needs_prices=needs_prices, auctions=auctions)


#: The name of the paper's mechanism: the policy that auctions, bounds and payments are about.
PLATFORM = "platform"

POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        PLATFORM: _policy(explores=True),
        "uniform-eligible": _policy(auctions=False),
        "lowest-price-eligible": _policy(needs_prices=True, auctions=False),
        "lowest-price": _policy(screens=False, needs_prices=True, auctions=False),
        "no-quality-filter": _policy(screens=False),
    }
)


def find_policy(policy: str | Policy) -> Policy:
    """Return a policy by its name in the contract; a policy itself is returned as it is.

    Raises
    ------
    InputError
        It is no policy, or the name is unknown.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting, rng = published("gpqa-strong").setting, np.random.default_rng(1)
    >>> find_policy("uniform-eligible").make(setting, rng).assign()[1]
    nan
    """
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str) or policy not in POLICIES:
        remedy = did_you_mean(str(policy), POLICIES, "each is a way to route queries")
        raise InputError("policy", policy, f"must be a Policy or one of {', '.join(POLICIES)}", remedy)
    return POLICIES[policy]

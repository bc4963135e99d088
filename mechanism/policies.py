"""Routing baselines and the ablation that the paper compares with, behind the platform's interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from types import MappingProxyType
from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from bounds.documents import limits, one_of
from bounds.errors import MISSING, InputError, did_you_mean
from bounds.setting.model import Setting
from mechanism import baselines
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.policy_names import PLATFORM
from mechanism.randomness import KEY_BYTES, Words, squares_keys


class EligibleRouter(baselines.Router):
    """Routes among the eligible providers without bids: uniformly, or by lowest listed price or other known number.

    Parameters
    ----------
    config, rng
        As for `Platform`.
    prices : sequence of float, optional
        As listed prices of a query's tokens (n_i lambda_m); the lowest wins, ties at random. Uniform without.
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
        order = _order(config.n_providers, rng)
        super().__init__(
            config, rng, ties="random", order=order, quality_filter=screen, exploration=False, concurrent=concurrent
        )
        self._prices = prices

    def _index(self, provider: int) -> float:
        return 0.0 if self._prices is None else self._prices[provider]


def _order(n_providers: int, rng: np.random.Generator) -> list[int]:
    """Return a random order of initialization, as in the paper's experiments (appendix D)."""
    return [int(i) for i in rng.permutation(n_providers)]


def _prices(setting: Setting) -> tuple[float, ...]:
    prices = []
    for position, provider in enumerate(setting.providers, 1):
        if provider.listed_price is None:
            remedy = f"a lowest-price policy needs the price of {provider.name!r} per token; greedy-cheapest needs none"
            raise InputError(f"provider[{position}].listed_price", MISSING, "is missing", remedy)
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


#: From a setting to a number for each provider; the lowest is served.
Known = Callable[[Setting], tuple[float, ...]]


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
    known : callable, optional
        From a setting to what an oracle knows of each provider; it takes the place of listed prices.
    compiled : bool, optional
        Whether the compiled episode knows it; else (default) it runs in plain Python.
    """

    make: PolicyFactory
    _: KW_ONLY
    screens: bool = True
    explores: bool = False
    needs_prices: bool = False
    auctions: bool = True
    known: Known | None = None
    compiled: bool = False

    def routing_prices(self, setting: Setting) -> tuple[float, ...] | None:
        """Return what a baseline minimizes among the eligible, by provider, ties at random; None for an auction."""
        if self.auctions:
            return None
        if self.known is not None:
            return self.known(setting)
        return _prices(setting) if self.needs_prices else (0.0,) * setting.n_providers

    def draws(self, n: int, rngs: Iterable[np.random.Generator]) -> tuple[NDArray[np.int64], Words]:
        """Return what `make` draws from each generator where there are N providers, without making it.

        Orders of initialization, shape (R, N), and the keys of later draws (`mechanism.randomness.draw_key`).
        """
        drawn = [(rng.permutation(n), rng.bytes(KEY_BYTES)) for rng in rngs]
        orders = np.array([order for order, _ in drawn], dtype=np.int64).reshape(-1, n)
        entropy = np.frombuffer(b"".join(entropy for _, entropy in drawn), dtype="<u8")
        return orders, squares_keys(entropy.astype(np.uint64).reshape(-1, KEY_BYTES // 8))

    def check(self, setting: Setting) -> None:
        """Raise an InputError if the policy needs something that the setting lacks, as a listed price."""
        self.routing_prices(setting)


def _policy(
    *,
    screens: bool = True,
    explores: bool = False,
    needs_prices: bool = False,
    auctions: bool = True,
    known: Known | None = None,
) -> Policy:
    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> Platform:
        config = MechanismConfig.of(setting)
        if auctions:
            order = _order(config.n_providers, rng)
            return Platform(
                config, rng, order=order, quality_filter=screens, exploration=explores, concurrent=concurrent
            )
        prices = policy.routing_prices(setting) if needs_prices or known else None
        return EligibleRouter(config, rng, prices, screens, concurrent=concurrent)

    policy = Policy(
        make,
        screens=screens,
        explores=explores,
        needs_prices=needs_prices,
        auctions=auctions,
        known=known,
        compiled=True,
    )
    return policy


class _PlatformLike(Protocol):
    """What makes a mechanism that is the platform with a change."""

    def __call__(
        self, config: MechanismConfig, rng: np.random.Generator, *, order: list[int], concurrent: bool
    ) -> PolicyMechanism:
        """Return a fresh mechanism."""


def _plain(mechanism: _PlatformLike, *, screens: bool = True, auctions: bool = False) -> Policy:
    """Return a policy that has no compiled episode; costproof knows of no exploration in it."""

    def make(setting: Setting, rng: np.random.Generator, *, concurrent: bool = False) -> PolicyMechanism:
        config = MechanismConfig.of(setting)
        return mechanism(config, rng, order=_order(config.n_providers, rng), concurrent=concurrent)

    return Policy(make, screens=screens, auctions=auctions)


def _not_optimal(setting: Setting) -> tuple[float, ...]:
    if setting.optimal is None:
        remedy = "state different costs for the cheapest two, or leave the policy out"
        raise InputError("setting", setting.name, "has no unique i* for the policy oracle-optimal", remedy)
    return tuple(float(place != setting.optimal) for place in range(setting.n_providers))


def _not_qualified(setting: Setting) -> tuple[float, ...]:
    return tuple(float(place not in setting.qualified) for place in range(setting.n_providers))


def _mean_costs(setting: Setting) -> tuple[float, ...]:
    return tuple(float(provider.mean_cost) for provider in setting.providers)


def _minus_qualities(setting: Setting) -> tuple[float, ...]:
    return tuple(-float(provider.quality) for provider in setting.providers)


#: The paper's policies, by name.
POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        PLATFORM: _policy(explores=True),
        "uniform-eligible": _policy(auctions=False),
        "lowest-price-eligible": _policy(needs_prices=True, auctions=False),
        "lowest-price": _policy(screens=False, needs_prices=True, auctions=False),
        "no-quality-filter": _policy(screens=False),
    }
)
#: Policies that the paper has not; nobody gets them unasked.
FURTHER_POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        "uniform-random": _policy(screens=False, auctions=False),
        "oracle-optimal": _policy(screens=False, auctions=False, known=_not_optimal),
        "oracle-costs": _policy(auctions=False, known=_mean_costs),
        "oracle-quality": _policy(screens=False, auctions=False, known=_minus_qualities),
        "oracle-qualified": _policy(screens=False, auctions=False, known=_not_qualified),
        "cheapest-bid": _plain(baselines.CheapestBid, screens=False, auctions=True),
        "quality-greedy": _plain(baselines.QualityGreedy, screens=False),
        "greedy-cheapest": _plain(baselines.InvoiceRouter),
        "invoice-lcb": _plain(partial(baselines.InvoiceRouter, optimistic=True)),
        "pay-your-bid": _plain(baselines.PayYourBid, auctions=True),
        "explore-runner-up": _plain(baselines.RunnerUpExploration, auctions=True),
        "explore-additively": _plain(baselines.AdditiveExploration, auctions=True),
    }
)
ALL_POLICIES: Mapping[str, Policy] = MappingProxyType({**POLICIES, **FURTHER_POLICIES})

#: The name of a policy; one of a user's own is MODULE:OBJECT.
PolicyName = Annotated[str, one_of(ALL_POLICIES)] | Annotated[str, limits(pattern=".:.")]


def find_policy(policy: str | Policy) -> Policy:
    """Return a policy by its name in the contract; a policy itself is returned as it is.

    Raises
    ------
    InputError
        It is not a policy, or the name is unknown.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting, rng = published("gpqa-strong").setting, np.random.default_rng(1)
    >>> find_policy("uniform-eligible").make(setting, rng).assign()[1]
    nan
    """
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str) or policy not in ALL_POLICIES:
        remedy = did_you_mean(str(policy), ALL_POLICIES, "each is a way to route queries")
        raise InputError("policy", policy, f"must be a Policy or one of {', '.join(ALL_POLICIES)}", remedy)
    return ALL_POLICIES[policy]

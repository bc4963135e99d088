"""Where scores and costs come from: a market of potential outcomes, the same whatever the policy does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.compiled.law_tables import law_tables
from mechanism.compiled.layout import Laws
from mechanism.market.provider import ProviderMarket
from mechanism.market.published import published_market
from mechanism.market.questions import QuestionPool
from mechanism.market.setting_laws import COST_VARIATION, CostShape, LawOptions, ProviderLaws, ScoreShape, provider_laws
from mechanism.randomness import PROVIDER_BITS, Stream, counter, stream_key

__all__ = ["Market", "MarketLaws", "ProviderMarket", "market_laws"]


@dataclass(frozen=True)
class Market:
    """The potential outcomes of one run.

    Parameters
    ----------
    providers : tuple of ProviderMarket
        In the order in which indices count them.
    seed, run : int
        In [0, 2^128) and [0, 2^32).
    margin : float, optional
        mu >= 0: a query is sold at (1 + mu) times its cost where a listed price is billed.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Examples
    --------
    >>> from mechanism.market.laws import bernoulli, point_mass
    >>> provider = ProviderMarket(bernoulli(1.0), point_mass(3.0))
    >>> Market((provider, provider), seed=0, run=0).outcome(step=7, provider=1)
    (1.0, 3.0)
    """

    providers: tuple[ProviderMarket, ...]
    seed: int
    run: int
    margin: float = 0.25

    def __post_init__(self) -> None:
        object.__setattr__(self, "providers", tuple(self.providers))
        if not 1 <= len(self.providers) <= 1 << PROVIDER_BITS:
            raise InputError(
                "providers",
                len(self.providers),
                f"must be 1..{1 << PROVIDER_BITS} providers",
                "they are counted so far",
            )
        if not isinstance(self.margin, (int, float)) or not 0 <= self.margin < math.inf:
            raise InputError("margin", self.margin, "must be 0 or more, and finite", "0.25 sells at 1.25 times cost")
        if len({provider.questions for provider in self.providers}) > 1:
            sizes = tuple(provider.questions for provider in self.providers)
            raise InputError("questions", sizes, "must be the same of all providers", "they are asked the same queries")
        _ = self.key  # a bad seed or run is refused here, not at the first outcome

    @cached_property
    def pool(self) -> QuestionPool | None:
        """The questions that all providers are asked, or None if queries are independent."""
        size = self.providers[0].questions
        return QuestionPool(size) if size else None

    @cached_property
    def key(self) -> int:
        """The key of this run's outcomes (see `mechanism.randomness`)."""
        return stream_key(self.seed, self.run, Stream.OUTCOMES)

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the score and the cost if the provider served the query of the step.

        Parameters
        ----------
        step : int
            In [0, 2^34).
        provider : int
            Index in [0, N).

        Returns
        -------
        tuple of float
            Score in [0, 1] and cost, money. A pure function of (seed, run, step, provider).

        Raises
        ------
        InputError
            If an argument is out of its range.
        """
        base = counter(step, provider, 0)
        if provider >= len(self.providers):
            raise InputError("provider", provider, f"must be below {len(self.providers)}", "indices start at 0")
        served = self.providers[provider]
        question = self.pool.question(self.key, step) if self.pool else 0
        return served.score(self.key, base, question), served.cost(self.key, base, question)

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for at the listed price: (1 + margin) cost."""
        return cost * (1 + self.margin)


@dataclass(frozen=True)
class MarketLaws:
    """The laws of a setting's scores and costs, built once and used by every run.

    Parameters
    ----------
    setting_name : str
    providers : tuple of ProviderLaws
        In the order of the setting.
    options : LawOptions
        What the laws were built from.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider
    >>> platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    >>> setting = Setting("toy", platform, [Provider("a", 0.9, 0.2), Provider("b", 0.8, 0.3)])
    >>> laws = market_laws(setting, cost_law="point-mass")
    >>> laws.market(seed=0, run=0).outcome(1, 1)[1], laws.market(seed=0, run=1).outcome(1, 0)[1]
    (0.3, 0.2)
    """

    setting_name: str
    providers: tuple[ProviderLaws, ...]
    options: LawOptions

    @cached_property
    def _markets(self) -> tuple[ProviderMarket, ...]:
        return tuple(provider.market for provider in self.providers)

    def market(self, seed: int, run: int) -> Market:
        """Return the potential outcomes of a run (see `Market`)."""
        return Market(self._markets, seed, run, self.options.margin)

    def tables(self) -> Laws:
        """Return what the compiled episode reads."""
        return self._tables

    @cached_property
    def _tables(self) -> Laws:
        return law_tables(self._markets, self.options.margin)

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the laws: the options, and one table per provider."""
        return {
            "setting": self.setting_name,
            "options": asdict(self.options),
            "providers": [provider.describe() for provider in self.providers],
        }


def market_laws(
    setting: Setting,
    *,
    score_law: ScoreShape = "bernoulli",
    cost_law: CostShape = "auto",
    cost_variation: float | Sequence[float] | None = None,
    score_variation: float = 0.35,
    margin: float = 0.25,
    difficulty_bits: int = 2,
    token_cap: int = 512,
    questions: int | None = None,
    score_difficulty_bits: int | None = None,
) -> MarketLaws:
    """Return the laws of a setting; the same arguments give the same object, at no cost.

    Every mean cost equals the provider's as an exact fraction, and no cost exceeds the cost bound.

    Parameters
    ----------
    setting : Setting
    score_law : {"bernoulli", "beta", "two-point", "point-mass"}, optional
        Shape of the scores; their mean is the quality (see `mechanism.market.laws.bernoulli` for qualities below
        2^-10).
    cost_law : {"auto", "tokens", "lattice", "two-point", "point-mass"}, optional
        Shape of a candidate's cost: "tokens" is a count in 1..token_cap times listed_price/(1 + margin),
        "lattice" a fine lattice of [0, cost_bound/multiplicity]. "auto" is "tokens" where a price is listed
        and such counts can have the mean within the cost bound, else "lattice".
    cost_variation : float or sequence of float, optional
        Coefficient of variation of a candidate's cost, not negative, clipped to what the range allows; a
        sequence gives one a provider. By default 0.35, and for the published settings what reproduces their
        tables (`mechanism.market.published`).
    score_variation : float, optional
        The same of a "beta" score.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost: a listed price is 1 + mu times the cost.
    difficulty_bits, score_difficulty_bits : int, optional
        See `ProviderMarket`. By default 2 each, and for the scores of the published settings 0.
    token_cap : int, optional
        Largest token count, in 1..65536.
    questions : int, optional
        Size of the pool of questions that is asked in passes, each a fresh permutation; 0 for independent
        queries. By default 0, and for the published settings their benchmark's size.

    Returns
    -------
    MarketLaws

    Raises
    ------
    InputError
        An unknown shape, a value out of range, or "tokens" where no token count can have the mean.
    """
    known = published_market(setting)
    if cost_variation is None:
        cost_variation = known.cost_variation if known else COST_VARIATION
    elif isinstance(cost_variation, Sequence) and len(cost_variation) != setting.n_providers:
        rule = f"must be one number, or one for each of {setting.n_providers} providers"
        raise InputError("cost_variation", cost_variation, rule, "give them in the setting's order")
    if questions is None:
        questions = known.questions if known else 0
    if score_difficulty_bits is None:
        score_difficulty_bits = known.score_difficulty_bits if known else 2
    spread = tuple(cost_variation) if isinstance(cost_variation, Sequence) else cost_variation
    options = LawOptions(
        score_law,
        cost_law,
        spread,
        score_variation,
        margin,
        difficulty_bits,
        token_cap,
        questions,
        score_difficulty_bits,
    )
    return _built(setting, options)


@lru_cache(maxsize=64)
def _built(setting: Setting, options: LawOptions) -> MarketLaws:
    bound = setting.platform.cost_bound
    laws = tuple(provider_laws(provider, bound, options, i) for i, provider in enumerate(setting.providers))
    return MarketLaws(setting.name, laws, options)

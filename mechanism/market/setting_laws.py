"""Which laws a provider of a setting gets: shapes of scores and costs, with the setting's exact means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

from bounds.errors import InputError
from bounds.setting.model import Provider
from mechanism.market.laws import DiscreteLaw, bernoulli, beta_shaped, point_mass, token_law, two_point
from mechanism.market.provider import ProviderMarket
from mechanism.market.questions import LARGEST_POOL

ScoreShape = Literal["bernoulli", "beta", "two-point", "point-mass"]
CostShape = Literal["auto", "tokens", "lattice", "two-point", "point-mass"]


#: Coefficient of variation of a candidate's cost where nothing better is known.
COST_VARIATION = 0.35
_WHOLE = (
    ("difficulty_bits", 0, 16),
    ("score_difficulty_bits", 0, 16),
    ("token_cap", 1, 65536),
    ("questions", 0, LARGEST_POOL),
)


@dataclass(frozen=True)
class LawOptions:
    """How the laws of a market are built; `mechanism.market.market.market_laws` describes the fields.

    Raises
    ------
    InputError
        An unknown shape or a value out of range.

    Examples
    --------
    >>> LawOptions().cost_law
    'auto'
    """

    score_law: ScoreShape = "bernoulli"
    cost_law: CostShape = "auto"
    cost_variation: float | tuple[float, ...] = COST_VARIATION
    score_variation: float = 0.35
    margin: float = 0.25
    difficulty_bits: int = 2
    token_cap: int = 512
    questions: int = 0
    score_difficulty_bits: int = 2

    def __post_init__(self) -> None:
        _one_of("score_law", self.score_law, get_args(ScoreShape))
        _one_of("cost_law", self.cost_law, get_args(CostShape))
        for name in ("score_variation", "margin"):
            object.__setattr__(self, name, _not_negative(name, getattr(self, name)))
        spread = self.cost_variation
        many = tuple(spread) if isinstance(spread, Sequence) else (spread,)
        checked = tuple(_not_negative("cost_variation", value) for value in many)
        object.__setattr__(self, "cost_variation", checked if isinstance(spread, Sequence) else checked[0])
        for name, least, most in _WHOLE:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                rule = f"must be a whole number in {least}..{most}"
                raise InputError(name, value, rule, "leave it out for the default")

    def variation(self, provider: int) -> float:
        """Return the coefficient of variation of a provider's candidates, given its index."""
        return self.cost_variation[provider] if isinstance(self.cost_variation, tuple) else self.cost_variation


@dataclass(frozen=True)
class ProviderLaws:
    """A provider's laws and the names of their shapes.

    Parameters
    ----------
    name : str
        The provider's.
    score_shape, cost_shape : str
        As in `LawOptions`, with "auto" resolved.
    market : ProviderMarket
        The laws.
    price_unused : str, optional
        Why a listed price did not lead to token counts, where there is one.

    Examples
    --------
    >>> provider_laws(Provider("small", 0.8, 3.0), 10.0, LawOptions()).cost_shape
    'lattice'
    """

    name: str
    score_shape: ScoreShape
    cost_shape: CostShape
    market: ProviderMarket
    price_unused: str | None = None

    def describe(self) -> dict[str, Any]:
        """Return plain data: shapes, exact means rounded to floats, spreads and the largest cost."""
        market = self.market
        return {
            "name": self.name,
            "multiplicity": market.multiplicity,
            "score_law": self.score_shape,
            "mean_score": float(market.score_law.mean),
            "score_standard_deviation": _root(market.score_law.variance, market.score_law.unit),
            "cost_law": self.cost_shape,
            "price_unused": self.price_unused,
            "mean_cost": float(market.mean_cost),
            "cost_standard_deviation": _root(market.cost_variance, market.candidate_law.unit),
            "candidate_cost_correlation": market.candidate_correlation,
            "maximum_cost": market.maximum_cost,
            "cost_unit": float(market.candidate_law.unit),
        }


def provider_laws(provider: Provider, cost_bound: float, options: LawOptions, index: int = 0) -> ProviderLaws:
    """Return the laws of a provider.

    Parameters
    ----------
    provider : Provider
    cost_bound : float
        c_max, money per query, not below the provider's mean cost.
    options : LawOptions
    index : int, optional
        Of the provider, where the options differ between providers.

    Returns
    -------
    ProviderLaws
        The mean cost of a query is exactly the provider's; the largest is at most cost_bound.

    Raises
    ------
    InputError
        If `cost_law` is "tokens" and no token count can have the mean within the bound.

    Examples
    --------
    >>> provider = Provider("small", 0.8, 16.1, listed_price=0.065, multiplicity=2)
    >>> laws = provider_laws(provider, 102.4, LawOptions())
    >>> laws.cost_shape, laws.market.mean_cost == Fraction(16.1)
    ('tokens', True)
    """
    shape = options.cost_law
    obstacle = _token_obstacle(provider, cost_bound, options)
    if shape == "auto":
        shape = "lattice" if obstacle else "tokens"
    elif shape == "tokens" and obstacle:
        raise InputError("cost_law", shape, f"does not fit provider {provider.name!r}", obstacle)
    candidate = _candidate_law(provider, cost_bound, shape, options, options.variation(index))
    market = ProviderMarket(
        _score_law(provider.quality, options),
        candidate,
        provider.multiplicity,
        options.difficulty_bits,
        options.questions,
        options.score_difficulty_bits,
    )
    priced = options.cost_law == "auto" and provider.listed_price is not None
    unused = obstacle.split(";")[0] if obstacle and priced else None
    return ProviderLaws(provider.name, options.score_law, shape, market, unused)


def _root(variance: Fraction, unit: Fraction) -> float:
    # In lattice steps first: the square of a very large or small amount of money is no float.
    return math.sqrt(variance / unit**2) * float(unit)


def _score_law(quality: float, options: LawOptions) -> DiscreteLaw:
    return _shaped_scores(options.score_law, float(quality), options.score_variation)


def _candidate_law(
    provider: Provider, cost_bound: float, shape: CostShape, options: LawOptions, variation: float
) -> DiscreteLaw:
    # Fractions: the candidates' means and bounds must add up exactly to those of the query.
    mean = Fraction(provider.mean_cost) / provider.multiplicity
    upper = Fraction(cost_bound) / provider.multiplicity
    price = _token_cost(provider, options) if shape == "tokens" else Fraction(0)
    return _shaped_costs(shape, mean, upper, price, options.token_cap, variation)


# Providers with equal numbers share one law: large markets are built, and tabulated, once a kind.
@lru_cache(maxsize=4096)
def _shaped_scores(shape: ScoreShape, quality: float, variation: float) -> DiscreteLaw:
    if shape == "bernoulli":
        return bernoulli(quality)
    if shape == "beta":
        return beta_shaped(quality, 1.0, variation)
    return two_point(quality, 1.0) if shape == "two-point" else point_mass(quality)


@lru_cache(maxsize=4096)
def _shaped_costs(
    shape: CostShape, mean: Fraction, upper: Fraction, price: Fraction, cap: int, variation: float
) -> DiscreteLaw:
    if shape == "tokens":
        return token_law(mean, price, cap, variation)
    if shape == "lattice":
        return beta_shaped(mean, upper, variation)
    return two_point(mean, upper) if shape == "two-point" else point_mass(mean)


def _token_cost(provider: Provider, options: LawOptions) -> Fraction:
    """Return the cost of a token, 0 if no price is listed."""
    return Fraction(provider.listed_price or 0) / (1 + Fraction(options.margin))


def _token_obstacle(provider: Provider, cost_bound: float, options: LawOptions) -> str | None:
    """Return why a token count cannot be the cost, or None if it can."""
    price, n, cap = _token_cost(provider, options), provider.multiplicity, options.token_cap
    if not price:
        return "no price is listed; use 'auto' or 'lattice'"
    if not n * price <= Fraction(provider.mean_cost) <= n * cap * price:
        return f"its mean cost is not that of 1..{cap} tokens per candidate; use 'auto' or 'lattice'"
    if n * cap * price > Fraction(cost_bound):
        return f"{cap} tokens per candidate may cost more than cost_bound; use 'auto' or 'lattice'"
    return None


def _one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(name, value, "is unknown", f"choose one of {', '.join(choices)}")


def _not_negative(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InputError(name, value, "must be a finite number, 0 or more", "leave it out for the default")
    return float(value)
